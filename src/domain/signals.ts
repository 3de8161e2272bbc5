// Signals: what people wait for when a record changes, as transitions of its fields. A resource declares its own.

type Values<Field extends string> = Readonly<Partial<Record<Field, unknown>>>

export interface Signal<Field extends string = string> {
  /** It can only occur when one of these changes, or when the record is created. */
  readonly fields: readonly Field[]
  /** `before` is undefined for a record that is created. Both hold at least the fields above. */
  occurs(before: Values<Field> | undefined, after: Values<Field>): boolean
}

export type Signals<Field extends string = string> = Readonly<Record<string, Signal<Field>>>

/** It was another value, one of those given where some are, or the record was not there. */
export const becomes = <Field extends string>(
  field: Field,
  value: string | boolean,
  from: readonly (string | boolean)[] = [],
): Signal<Field> => ({
  fields: [field],
  occurs(before, after) {
    const earlier = before?.[field] as string | boolean | undefined
    if (after[field] !== value || earlier === value) return false
    return before === undefined || from.length === 0 || from.includes(earlier!)
  },
})

/** From one value to another, which a new record cannot. */
export const movesFrom = <Field extends string>(field: Field, from: string | boolean, to: string | boolean) => ({
  fields: [field],
  occurs: (before: Values<Field> | undefined, after: Values<Field>) => before?.[field] === from && after[field] === to,
})

/** It was empty. */
export const isFilled = <Field extends string>(field: Field): Signal<Field> => ({
  fields: [field],
  occurs: (before, after) => hasValue(after[field]) && !hasValue(before?.[field]),
})

/** It had a value. */
export const isEmptied = <Field extends string>(field: Field): Signal<Field> => ({
  fields: [field],
  occurs: (before, after) => hasValue(before?.[field]) && !hasValue(after[field]),
})

/** It has a value, another than before. */
export const isSet = <Field extends string>(...fields: readonly Field[]): Signal<Field> => ({
  fields,
  occurs: (before, after) => fields.some((field) => hasValue(after[field]) && after[field] !== before?.[field]),
})

/** A number falls below zero. */
export const isNegative = <Field extends string>(field: Field): Signal<Field> => ({
  fields: [field],
  occurs: (before, after) => Number(after[field]) < 0 && !(Number(before?.[field]) < 0),
})

/** Any change of it, of a record that was there. */
export const changes = <Field extends string>(field: Field): Signal<Field> => ({
  fields: [field],
  occurs: (before, after) => before !== undefined && before[field] !== after[field],
})

/** No transition: whoever causes it says so. */
export const isAnnounced: Signal<never> = { fields: [], occurs: () => false }

const hasValue = (value: unknown) => value !== null && value !== undefined

/** The names of those that occur. */
export function occurringSignals(
  signals: Signals,
  change: {
    readonly changed: readonly string[] | undefined
    readonly before: Values<string>
    readonly after: Values<string>
  },
): string[] {
  const { changed, before, after } = change
  return Object.entries(signals)
    .filter(([, { fields, occurs }]) =>
      changed === undefined
        ? occurs(undefined, after)
        : fields.some((field) => changed.includes(field)) && occurs(before, after),
    )
    .map(([name]) => name)
}
