// Numbers by which Peppol knows traders: their form and their check digits. Access points refuse an invoice with a wrong one.
// Numbers of rules are those of Peppol (PEPPOL-COMMON-R…).
import type { SourceAddress } from './source.ts'

const digitsOf = (value: string): number[] => [...value].map(Number)

/** Each digit times its weight; weights go from the right, the check digit first. */
const weigh = (value: string, weightAt: (place: number) => number): number =>
  digitsOf(value)
    .toReversed()
    .reduce((sum, digit, place) => sum + digit * weightAt(place), 0)

const isGln = (value: string) => /^\d{13}$/.test(value) && weigh(value, (place) => (place % 2 === 0 ? 1 : 3)) % 10 === 0

export const isNorwegianNumber = (value: string): boolean =>
  /^\d{9}$/.test(value) &&
  Number(value) > 0 &&
  weigh(value, (place) => (place === 0 ? 1 : ((place - 1) % 6) + 2)) % 11 === 0

const isBelgianNumber = (value: string) =>
  /^[01]\d{9}$/.test(value) && 97 - (Number(value.slice(0, 8)) % 97) === Number(value.slice(8))

/** Every second digit from the right is doubled, and counts with the sum of its digits (Luhn). */
const hasLuhnDigit = (value: string): boolean =>
  digitsOf(value)
    .toReversed()
    .map((digit, place) => (place % 2 === 0 ? digit : Math.floor((digit * 2) / 10) + ((digit * 2) % 10)))
    .reduce((sum, one) => sum + one, 0) %
    10 ===
  0

const australianWeights = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]
const isAustralianNumber = (value: string) =>
  /^\d{11}$/.test(value) &&
  digitsOf(value).reduce(
    (sum, digit, place) => sum + (place === 0 ? digit - 1 : digit) * australianWeights[place]!,
    0,
  ) %
    89 ===
    0

const italianTaxCode = /^(?:[A-Z]{6}\d{2}[A-Z]\d{2}.{3}\d[A-Z]|\d{11})$/i
export const isDutchVatId = (value: string): boolean => /^NL\d{9}B\d{2}$/.test(value)

/** By scheme; a scheme that is not here has no rule. */
const judges: Readonly<Record<string, (value: string) => boolean>> = {
  '0088': isGln, // R040
  '0192': isNorwegianNumber, // R041
  '0184': (value) => /^(?:DK)?\d{8}$/.test(value), // R042
  '0208': isBelgianNumber, // R043
  '0201': (value) => /^[A-Z0-9]{6}$/i.test(value), // R044
  '0210': (value) => italianTaxCode.test(value), // R045
  '0211': (value) => !/^IT/i.test(value) || (/^\D\D\d{11}$/.test(value) && hasLuhnDigit(value.slice(2))), // R047
  '0007': (value) => /^\d{10}$/.test(value) && hasLuhnDigit(value), // R049
  '0151': isAustralianNumber, // R050
  '0096': (value) => /^\d{10}$/.test(value), // R052
  '0198': (value) => /^DK\d{8}$/.test(value), // R053
  '0106': (value) => /^\d{8}$/.test(value), // R054
  '0190': (value) => /^\d{20}$/.test(value), // R055
  '9944': isDutchVatId, // R056-1
}

/** Whether its number can be one of its scheme. */
export const fitsScheme = ({ scheme, value }: SourceAddress): boolean => judges[scheme]?.(value.trim()) ?? true
