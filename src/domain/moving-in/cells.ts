// One cell of a file from another system: what spreadsheets and exports do to it, undone.
import { removeControlCharacters } from '../text.ts'

/** What programs write where there is nothing. */
const placeholders = new Set([
  ...['-', '--', '—', 'n/a', 'na', 'none', 'null', 'nil', '(none)', '#n/a'],
  ...['0000-00-00', '0000-00-00 00:00:00', '0/0/00', '00/00/0000'],
])

export interface TidyCell {
  readonly value: string
  /** What was done to it that somebody may want to know; undefined where nothing was. */
  readonly repair?: string
}

/** Rows without a single value are none. */
export const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '')

/** Every cell goes through here. Lines end as we keep them, and nothing is left of what cannot be stored. */
export function tidyCell(raw: string): TidyCell {
  const text = removeControlCharacters(raw.replaceAll(/\r\n?/g, '\n').toWellFormed()).trim()
  if (placeholders.has(text.toLowerCase())) return { value: '' }
  // ="00123" keeps a spreadsheet from making a number of it; '=… keeps it from reckoning.
  const guarded = /^="([\s\S]*)"$/.exec(text)
  if (guarded) {
    const inside = guarded[1]!.replaceAll('""', '"').trim()
    return { value: placeholders.has(inside.toLowerCase()) ? '' : inside, repair: 'the guard ="…" was taken off' }
  }
  return { value: /^'[=+\-@]/.test(text) ? text.slice(1) : text }
}

/**
 * What a spreadsheet made of a long number: 4.12345678E+08 has all digits and is written out. Where digits are lost nobody
 * knows what it was: undefined, and it is never taken for an id or a phone number.
 */
export function expandExponent(text: string): string | undefined {
  const [, whole, fraction = '', exponent] = /^(\d)[.,]?(\d*)E\+?(\d{1,2})$/i.exec(text) ?? []
  if (whole === undefined) return text
  return fraction.length === Number(exponent) ? whole + fraction : undefined
}

const truths = new Set(['true', 'yes', 'y', '1', 'x', 'ja', 'oui', 'on', 'si', 'sí'])
const falsehoods = new Set(['false', 'no', 'n', '0', '', 'nein', 'non', 'off'])

/** Undefined where it is neither. */
export function readFlag(text: string): boolean | undefined {
  const lower = text.toLowerCase()
  if (truths.has(lower)) return true
  return falsehoods.has(lower) ? false : undefined
}

/** On the way out: a cell that begins like a formula is reckoned by nobody. */
export const guardFormula = (text: string): string => (/^[=+\-@\t]/.test(text) ? `'${text}` : text)

/** Twice as long as the longest name that is known. */
const longestKnownName = 60
/** Letters of other scripts than Latin: no name that is known has one, and some become a whole sentence when they are normalised. */
const otherScripts = /[\u0370-\u1dff\u3040-\ufaff\ufb50-\ufdff]/

/**
 * Header names as they are compared: only letters and digits, `#` means number and `%` percent. What can be none of those that are
 * known is compared as it is: a file has a thousand columns, and everybody waits while they are looked at.
 */
export const squeeze = (header: string): string =>
  header.length > longestKnownName || otherScripts.test(header)
    ? header.trim()
    : header
        .replaceAll('#', ' number')
        .replaceAll('%', ' percent')
        .normalize('NFKC')
        .slice(0, longestKnownName)
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}]/gu, '')
