// People and firms as lists of contacts have them: names, several addresses in a cell, phone numbers in any spelling.

/** Without spaces around them: a pattern that takes them along looks at long runs of spaces again and again. */
const splitAt = (text: string, separator: RegExp): string[] => text.split(separator).map((part) => part.trim())

/** Several values in one cell: Google writes ` ::: `, Jobber `;` and commas. */
export const splitValues = (text: string): string[] => [...new Set(splitAt(text, /:::|[;,\n]/).filter(Boolean))]

/** Phone numbers hold spaces and brackets, and some hold a comma before an extension. */
export const splitPhones = (text: string): string[] => [
  ...new Set(splitAt(text, /:::|[;\n|]/).filter((one) => /\d/.test(one))),
]

export const longestPhone = 40

/**
 * What two spellings of a number have in common: its last nine digits, so that +44 7700 900123 is 07700 900123. Undefined
 * where there are too few to tell anybody apart.
 */
export function phoneKey(phone: string): string | undefined {
  const digits = phone
    .slice(0, longestPhone)
    .replace(/(?:ext|x|#).*$/i, '')
    .replaceAll(/\D/g, '')
  return digits.length < 7 ? undefined : digits.slice(-9)
}

/** More than any name or address that is kept. Single letters become whole sentences: so much is left of those, too. */
const longestKey = 1_000

/** As names and addresses are compared: case, accents, punctuation and spaces do not matter. */
export const foldKey = (text: string): string =>
  text
    .slice(0, longestKey)
    .toLowerCase()
    .normalize('NFKD')
    .slice(0, longestKey)
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

const firmWords =
  /(^|[\s,.])(ltd|limited|llc|llp|inc|gmbh|plc|corp|company|co|bv|ag|kg|sarl|srl|pty|services|group|school|church|bakery|shop)\.?($|[\s,.])|&/i

export const looksLikeFirm = (name: string): boolean => firmWords.test(name)

/** `Amara Okafor` and `Okafor, Amara`; what is one word is a first name. */
export function splitName(name: string): { readonly firstName: string; readonly lastName: string | null } {
  const [family, given, ...more] = splitAt(name, /,/)
  if (family && given && more.length === 0 && !looksLikeFirm(name)) return { firstName: given, lastName: family }
  const [first = '', ...rest] = name.split(/\s+/)
  return { firstName: first, lastName: rest.join(' ') || null }
}

export interface AddressParts {
  readonly whole?: string | undefined
  readonly street?: string | undefined
  readonly street2?: string | undefined
  readonly city?: string | undefined
  readonly state?: string | undefined
  readonly postalCode?: string | undefined
  readonly country?: string | undefined
}

/** As it is written on a letter; undefined where there is nothing to write. */
export function joinAddress(parts: AddressParts): string | undefined {
  const place = [parts.city, parts.state, parts.postalCode].filter(Boolean).join(' ')
  const lines = [parts.whole, parts.street, parts.street2, place, parts.country].filter(Boolean)
  return lines.length > 0 ? lines.join('\n') : undefined
}

/** One address, no comma, no quoting: as the fields of the API accept it. */
export const isEmail = (text: string): boolean => /^[^\s@,;<>"]+@[^\s@,;<>"]+\.[^\s@,;<>".]+$/.test(text)
