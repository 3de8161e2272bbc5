// The kinds of field records are made of: a schema each, with the formats they rest on.
import type { Static, TOptional, TSchema, TUnsafe } from 'typebox'
import Format from 'typebox/format'
import { isBic, isIban } from '../domain/bank-accounts.ts'
import { isMonthDay } from '../domain/books/day-formats.ts'
import { isCountry, isElectronicAddressScheme, isVatId } from '../domain/code-lists.ts'
import { isDate } from '../domain/wall-clock.ts'
import { t } from './schemas.ts'

interface FieldOptions {
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly default?: unknown
}

export const idPattern = '^[A-Za-z0-9_-]{1,128}$'
export const idRule = 'must be an id: 1 to 128 letters, digits, _ or -'

const longestEmail = 254

/** Required text. */
export const text = (maxLength: number, options: FieldOptions = {}) => t.String({ minLength: 1, maxLength, ...options })
export const email = (options: FieldOptions = {}) => t.String({ format: 'email', maxLength: longestEmail, ...options })
export const httpsUrl = (maxLength: number, options: FieldOptions = {}) =>
  t.String({ format: 'https-url', maxLength, ...options })
export const dateTime = (options: FieldOptions = {}) => t.String({ format: 'date-time', ...options })
/** A day of the calendar, wherever that is. */
export const day = (options: FieldOptions = {}) => t.String({ format: 'date', maxLength: 10, ...options })
export const id = (options: FieldOptions = {}) => t.String({ pattern: idPattern, ...options })

export const integer = (minimum: number, maximum: number, options: FieldOptions = {}) =>
  t.Integer({ minimum, maximum, ...options })

/** A number with so many decimal places at most. */
export const decimal = (decimals: number, minimum: number, maximum: number, options: FieldOptions = {}) =>
  t.Number({ minimum, maximum, decimals, ...options })

/** What something costs. */
export const price = (options: FieldOptions = {}) => decimal(4, 0, 100_000_000, options)

export const oneOf = <const Values extends readonly string[]>(values: Values, options: FieldOptions = {}) =>
  t.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options })

/** May be left out, and may be null: what has no value is null in every answer. */
export function optional<S extends TSchema>(schema: S): TOptional<TUnsafe<Static<S> | null>> {
  return t.Optional(nullable(schema))
}

export function nullable<S extends TSchema>(schema: S): TUnsafe<Static<S> | null> {
  const { type, ...rest } = schema as unknown as { type: string; enum?: unknown[] }
  return t.Unsafe<Static<S> | null>({ type: [type, 'null'], ...rest, ...(rest.enum && { enum: [...rest.enum, null] }) })
}

/** What each format accepts, and how a refusal describes it. */
export const formats: Readonly<Record<string, { accepts(value: string): boolean; message: string }>> = {
  email: {
    accepts: (value) => value.length <= longestEmail && emailPattern.test(value),
    message: 'must be a valid email address',
  },
  'date-time': {
    accepts: (value) => parseInstant(value) !== undefined,
    message:
      'must be an ISO 8601 date-time with an offset from 1970 on, such as 2026-11-15T09:00:00Z (write + as %2B in a URL)',
  },
  date: {
    accepts: (value) => isDate(value) && value >= '1970-01-01',
    message: 'must be a day from 1970 on, such as 2026-11-16',
  },
  'https-url': {
    accepts: (value) => URL.parse(value)?.protocol === 'https:' && !/\s/.test(value),
    message: 'must be an https address',
  },
  'time-zone': { accepts: (value) => isTimeZone(value), message: 'must be an IANA time zone' },
  phone: { accepts: () => true, message: 'must be a phone number' },
  locale: { accepts: (value) => isLocale(value), message: 'must be a language tag such as en-GB' },
  currency: { accepts: (value) => currencies.has(value), message: 'must be an ISO 4217 currency code such as GBP' },
  country: { accepts: isCountry, message: 'must be an ISO 3166 country code such as GB' },
  'vat-id': {
    accepts: isVatId,
    message: 'must be a VAT id that begins with its country, without spaces, such as DE123456789',
  },
  iban: { accepts: isIban, message: 'must be an IBAN such as DE89370400440532013000; its check digits are looked at' },
  bic: { accepts: isBic, message: 'must be a BIC of 8 or 11 characters such as COBADEFFXXX' },
  'month-day': { accepts: isMonthDay, message: 'must be a month and a day such as 01-01' },
  digits: { accepts: (value) => /^\d+$/.test(value), message: 'must be digits alone' },
  'electronic-address-scheme': {
    accepts: isElectronicAddressScheme,
    message:
      'must be a code of the list EAS, such as 0088 (GLN), 0208 (Belgian enterprise number), 9930 (German VAT id) or EM (email)',
  },
}
for (const [name, { accepts }] of Object.entries(formats)) Format.Set(name, accepts)

/** One address, no comma, no quoting: what a person types and what a mail header can carry safely. */
const emailPattern =
  /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@([\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u

const dateTimePattern = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)$/

/** A day that is rounded up must still have a year of four digits. */
const maxTime = Date.UTC(9999, 11, 31)

/** The moment a date-time with an offset names, or undefined if it names none between 1970 and 9999. */
export function parseInstant(value: string): Date | undefined {
  const [, year, month, day, hour, minute, second = '00', fraction = '', offset] = dateTimePattern.exec(value) ?? []
  if (year === undefined) return undefined
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > lastDay) return undefined
  const zone = offset!.toUpperCase().replace(/^(.\d\d)(\d\d)$/, '$1:$2')
  const moment = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${fraction.slice(0, 4)}${zone}`)
  return moment.getTime() >= 0 && moment.getTime() < maxTime ? moment : undefined
}

function isTimeZone(value: string): boolean {
  // Node also knows abbreviations and a few old names that PostgreSQL does not.
  if (!/^(UTC|[A-Za-z]+(\/[A-Za-z0-9_+-]+)+)$/.test(value) || value === 'US/Pacific-New') return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone.length > 0
  } catch {
    return false
  }
}

function isLocale(value: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(value).length > 0
  } catch {
    return false
  }
}

const currencies = new Set(Intl.supportedValuesOf('currency'))
