// The kinds of field records are made of: a schema each, with the formats they rest on.
import { type Static, type TOptional, type TSchema, type TUnsafe, Type as t } from 'typebox'
import Format from 'typebox/format'

interface About {
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly default?: unknown
}

export const idPattern = '^[A-Za-z0-9_-]{1,128}$'
export const idWords = 'must be an id: 1 to 128 letters, digits, _ or -'

const longestEmail = 254

/** Required text. */
export const text = (maxLength: number, about: About = {}) => t.String({ minLength: 1, maxLength, ...about })
export const email = (about: About = {}) => t.String({ format: 'email', maxLength: longestEmail, ...about })
export const httpsUrl = (maxLength: number, about: About = {}) => t.String({ format: 'https-url', maxLength, ...about })
export const dateTime = (about: About = {}) => t.String({ format: 'date-time', ...about })
export const id = (about: About = {}) => t.String({ pattern: idPattern, ...about })

export const whole = (minimum: number, maximum: number, about: About = {}) => t.Integer({ minimum, maximum, ...about })

/** A number with so many decimal places at most. */
export const decimal = (decimals: number, minimum: number, maximum: number, about: About = {}) =>
  t.Number({ minimum, maximum, decimals, ...about })

/** What something costs. */
export const price = (about: About = {}) => decimal(4, 0, 100_000_000, about)

export const oneOf = <const Values extends readonly string[]>(values: Values, about: About = {}) =>
  t.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...about })

/** May be left out, and may be null: what has no value is null in every answer. */
export function optional<S extends TSchema>(schema: S): TOptional<TUnsafe<Static<S> | null>> {
  return t.Optional(nullable(schema))
}

export function nullable<S extends TSchema>(schema: S): TUnsafe<Static<S> | null> {
  const { type, ...rest } = schema as unknown as { type: string; enum?: unknown[] }
  return t.Unsafe<Static<S> | null>({ type: [type, 'null'], ...rest, ...(rest.enum && { enum: [...rest.enum, null] }) })
}

/** What each format accepts, and how a refusal describes it. */
export const formats: Readonly<Record<string, { accepts(value: string): boolean; words: string }>> = {
  email: {
    accepts: (value) => value.length <= longestEmail && emailPattern.test(value),
    words: 'must be a valid email address',
  },
  'date-time': {
    accepts: (value) => instant(value) !== undefined,
    words:
      'must be an ISO 8601 date-time with an offset from 1970 on, such as 2026-11-15T09:00:00Z (write + as %2B in a URL)',
  },
  'https-url': {
    accepts: (value) => URL.parse(value)?.protocol === 'https:' && !/\s/.test(value),
    words: 'must be an https address',
  },
  'time-zone': { accepts: (value) => isTimeZone(value), words: 'must be an IANA time zone' },
  phone: { accepts: () => true, words: 'must be a phone number' },
  locale: { accepts: (value) => isLocale(value), words: 'must be a language tag such as en-GB' },
  currency: { accepts: (value) => currencies.has(value), words: 'must be an ISO 4217 currency code such as GBP' },
}
for (const [name, { accepts }] of Object.entries(formats)) Format.Set(name, accepts)

/** One address, no comma, no quoting: what a person types and what a mail header can carry safely. */
const emailPattern =
  /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@([\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u

const dateTimePattern = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)$/

/** A day that is rounded up must still have a year of four digits. */
const lastDayOfTime = Date.UTC(9999, 11, 31)

/** The moment a date-time with an offset names, or undefined if it names none between 1970 and 9999. */
export function instant(value: string): Date | undefined {
  const [, year, month, day, hour, minute, second = '00', fraction = '', offset] = dateTimePattern.exec(value) ?? []
  if (year === undefined) return undefined
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > lastDay) return undefined
  const zone = offset!.toUpperCase().replace(/^(.\d\d)(\d\d)$/, '$1:$2')
  const moment = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${fraction.slice(0, 4)}${zone}`)
  return moment.getTime() >= 0 && moment.getTime() < lastDayOfTime ? moment : undefined
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
