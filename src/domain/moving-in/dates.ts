// Days and times as exports write them. Which of two numbers is the day is decided for a column as a whole, or asked.
import { isDate, toMoment } from '../wall-clock.ts'

export const dateOrders = ['dmy', 'mdy'] as const
export type DateOrder = (typeof dateOrders)[number]

interface ReadDate {
  readonly day: string
  /** As 09:30; undefined where only a day was said. */
  readonly time: string | undefined
  /** The moment itself, where the text says how far it is from Greenwich. */
  readonly moment: string | undefined
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const isoPattern = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]+(.+))?$/
const slashPattern = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?:[,T ]+(.+))?$/
const monthFirst = /^([A-Za-z]{3,9})\.? +(\d{1,2})(?:st|nd|rd|th)?,? +(\d{4})(?:[, (]+(.+?)\)?)?$/
const dayFirst = /^(\d{1,2})(?:st|nd|rd|th)?[ -]([A-Za-z]{3,9})\.?,?[ -](\d{4})(?:[, (]+(.+?)\)?)?$/

/** What a column of days has shown: values that are a day in one order only decide it. */
export interface DateFacts {
  readonly dmy: boolean
  readonly mdy: boolean
  /** Values that can be read both ways, and mean something else each time. */
  readonly samples: readonly string[]
}
export const noDateFacts: DateFacts = { dmy: false, mdy: false, samples: [] }
const maxSamples = 5
/** With a time and a zone; what is longer is none, and some patterns would look at it for long. */
const longestDate = 60

export function lookAtDate(facts: DateFacts, text: string): DateFacts {
  if (text.length > longestDate) return facts
  const [, first, separator] = slashPattern.exec(text) ?? []
  if (first === undefined || separator === '.') return facts
  const [dmy, mdy] = [readDate(text, 'dmy')?.day, readDate(text, 'mdy')?.day]
  // 99/99/2026 is no day either way: it says nothing of those beside it.
  if (dmy === mdy) return facts
  if (mdy === undefined) return facts.dmy ? facts : { ...facts, dmy: true }
  if (dmy === undefined) return facts.mdy ? facts : { ...facts, mdy: true }
  if (facts.samples.length >= maxSamples || facts.samples.includes(text)) return facts
  return { ...facts, samples: [...facts.samples, text] }
}

/** Undefined where the column does not say, or says both, and it matters. */
export function decideOrder({ dmy, mdy, samples }: DateFacts): DateOrder | 'any' | undefined {
  if (dmy && mdy) return undefined
  if (dmy) return 'dmy'
  if (mdy) return 'mdy'
  return samples.length === 0 ? 'any' : undefined
}

/** Undefined where it is no day there is. It is never today. */
export function readDate(text: string, order: DateOrder): ReadDate | undefined {
  if (text.length > longestDate) return undefined
  const iso = isoPattern.exec(text)
  if (iso) return build(iso[1]!, iso[2]!, iso[3]!, iso[4])
  const slash = slashPattern.exec(text)
  if (slash) {
    const [, first, separator, second, year, time] = slash
    // With points it is the day that comes first, wherever such dates are written.
    const [day, month] = order === 'dmy' || separator === '.' ? [first!, second!] : [second!, first!]
    return build(fullYear(year!), month, day, time)
  }
  const named = monthFirst.exec(text)
  if (named) return build(named[3]!, monthNumber(named[1]!), named[2]!, named[4])
  const other = dayFirst.exec(text)
  return other ? build(other[3]!, monthNumber(other[2]!), other[1]!, other[4]) : undefined
}

const fullYear = (year: string) => (year.length === 4 ? year : `${Number(year) < 70 ? 20 : 19}${year}`)
const monthNumber = (name: string) => String(months.indexOf(name.slice(0, 3).toLowerCase()) + 1)

function build(year: string, month: string, dayOfMonth: string, rest: string | undefined): ReadDate | undefined {
  const day = `${year}-${month.padStart(2, '0')}-${dayOfMonth.padStart(2, '0')}`
  if (!isDate(day)) return undefined
  if (rest === undefined) return { day, time: undefined, moment: undefined }
  const [, hour, minute, second = '00', half, offset] =
    /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)? *([AaPp]\.?[Mm]\.?)? *(Z|UTC|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/.exec(
      rest.trim(),
    ) ?? []
  if (hour === undefined) return undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0)
  if (hours > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const time = `${String(hours).padStart(2, '0')}:${minute}`
  if (offset === undefined) return { day, time, moment: undefined }
  const zone = offset === 'UTC' ? 'Z' : offset.replace(/^(.\d\d)(\d\d)$/, '$1:$2')
  return { day, time, moment: new Date(`${day}T${time}:${second}${zone}`).toISOString() }
}

/** A day alone begins at midnight in the shop; a time without a zone is that of its clocks. */
export const toInstant = ({ day, time, moment }: ReadDate, timeZone: string): string =>
  moment ?? toMoment(day, time ?? '00:00', timeZone).toISOString()
