// The case of names and words: columns as fields, nouns at the beginning of a sentence.

export const toCamelCase = (name: string) => name.replace(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase())
export const capitalise = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

/** `recurringSchedule` as people say it. */
export const splitCamelCase = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** `customerId` as its column, `customer_id`. */
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : ''

/** A column for each field of a body: `satisfies ColumnsOf<QuoteBody>` refuses code that takes a field and stores none. */
export type ColumnsOf<Body> = Readonly<Record<SnakeCase<keyof Body & string>, unknown>> &
  Readonly<Record<string, unknown>>
