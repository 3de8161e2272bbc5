// When a series of visits takes place: a rule of RFC 5545 (the subset of our calendar) on the clock of one time zone.
import { Temporal } from 'temporal-polyfill'
import { dayMs, minuteMs } from './durations.ts'
import type { RecurrenceRule } from './recurrence-rule.ts'
import { steadyOffset } from './steady-offset.ts'

export interface Series {
  /** The moment from which on the rule holds; its time of day in the zone is the time of every visit. */
  readonly startsAt: Date
  readonly timeZone: string
  readonly rule: RecurrenceRule
  readonly durationMinutes: number
}

/** One place in a series. The first one is 0. */
export interface Slot {
  readonly ordinal: number
  readonly from: Date
  readonly to: Date
}

/** Further than any zone is from UTC, a day that a zone once left out included. */
const maxZoneOffsetMs = 2 * dayMs
/** A rule that found no day in so many periods finds none. */
const maxEmptyPeriods = 10_000
/** A visit that lasts a week still ends in a year of four digits, whatever the zone. */
const lastDay = dayNumber(9_999, 12, 22)

/**
 * The slots from a moment on, in order, as many as somebody asks for. Days are counted as numbers, because the places of
 * a long series must be counted from its beginning; only those from the moment on are looked up in the zone. Answers how
 * many there are once the series has ended.
 */
export function* slotsFrom(
  { startsAt, timeZone, rule, durationMinutes }: Series,
  moment = Number.NEGATIVE_INFINITY,
  firstOrdinal = 0,
): Generator<Slot, number, undefined> {
  const start = Temporal.Instant.fromEpochMilliseconds(startsAt.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDateTime()
  const untilMs = rule.until?.getTime() ?? Number.POSITIVE_INFINITY
  let ordinal = -1
  for (const day of generateDays(rule, dayNumber(start.year, start.month, start.day))) {
    const approximateMs = day * dayMs
    ordinal++
    if (ordinal === rule.count || approximateMs > untilMs + maxZoneOffsetMs) return ordinal
    const isWanted = ordinal >= firstOrdinal && approximateMs > moment - maxZoneOffsetMs
    if (!isWanted && approximateMs < untilMs - maxZoneOffsetMs) continue
    const from = epochMsAt(day, start, timeZone)
    if (from > untilMs) return ordinal
    if (!isWanted || from < moment) continue
    yield { ordinal, from: new Date(from), to: new Date(from + durationMinutes * minuteMs) }
  }
  return ordinal + 1
}

/** The slot at a place, unless the series ends before it or the slot lies after a moment: nobody looks further. */
export function slotAt(series: Series, ordinal: number, latest: Date): Slot | undefined {
  const { until = latest } = series.rule
  const rule = { ...series.rule, until: until < latest ? until : latest }
  for (const slot of slotsFrom({ ...series, rule }, undefined, ordinal)) return slot
  return undefined
}

/** How many slots lie before a moment. */
export function countBefore(series: Series, moment: number): number {
  const { value } = slotsFrom(series, moment).next()
  return typeof value === 'number' ? value : value.ordinal
}

/** A time that the clocks leave out is moved on by as much as they are; of one that comes twice the first is meant. */
function epochMsAt(day: number, time: Temporal.PlainDateTime, timeZone: string): number {
  const { hour, minute, second, millisecond } = time
  const offset = steadyOffset(day, timeZone)
  if (offset !== undefined) return day * dayMs + ((hour * 60 + minute) * 60 + second) * 1_000 + millisecond - offset
  const date = new Date(day * dayMs)
  const [year, month, monthDay] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
  return new Temporal.PlainDateTime(year, month, monthDay, hour, minute, second, millisecond).toZonedDateTime(
    timeZone,
    { disambiguation: 'compatible' },
  ).epochMilliseconds
}

/** The days of a rule in order, none before the first one. */
function* generateDays(rule: RecurrenceRule, first: number): Generator<number, void, undefined> {
  let empty = 0
  for (let period = 0; empty < maxEmptyPeriods; period++) {
    const days = daysIn[rule.frequency](rule, first, period * rule.interval)
    if (days === undefined) return
    empty++
    for (const day of days) {
      if (day < first) continue
      if (day > lastDay) return
      empty = 0
      yield day
    }
  }
}

/** The days of one period, so many after the one the series begins in; undefined once the calendar ends. */
type DaysIn = (rule: RecurrenceRule, first: number, distance: number) => readonly number[] | undefined

const daysIn: Readonly<Record<RecurrenceRule['frequency'], DaysIn>> = {
  DAILY({ months, monthDays }, first, distance) {
    const day = first + distance
    if (day > lastDay) return undefined
    if (!months && !monthDays) return [day]
    const { month, monthDay, length } = dateParts(day)
    const fits = includesMonth(months, month) && (!monthDays || includesMonthDay(monthDays, monthDay, length))
    return fits ? [day] : []
  },

  WEEKLY({ months, weekDays }, first, distance) {
    const monday = first - weekDayNumber(first) + distance * 7
    if (monday > lastDay) return undefined
    return (weekDays ?? [weekDayNumber(first)])
      .map((weekDay) => monday + weekDay)
      .filter((day) => !months || includesMonth(months, dateParts(day).month))
  },

  MONTHLY(rule, first, distance) {
    const { year, month, monthDay } = dateParts(first)
    const monthNumber = month - 1 + distance
    const [inYear, inMonth] = [year + Math.floor(monthNumber / 12), (monthNumber % 12) + 1]
    if (inYear > 9_999) return undefined
    return includesMonth(rule.months, inMonth) ? daysInMonth(rule, inYear, inMonth, monthDay) : []
  },

  YEARLY(rule, first, distance) {
    const { year, month, monthDay } = dateParts(first)
    const inYear = year + distance
    if (inYear > 9_999) return undefined
    const months = rule.months ?? (rule.monthDays ? everyMonth : [month])
    return months.flatMap((inMonth) => daysInMonth(rule, inYear, inMonth, monthDay))
  },
}

const everyMonth = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]

/** Months that do not have the day are left out, as RFC 5545 says. */
function daysInMonth(
  { monthDays, nth }: RecurrenceRule,
  year: number,
  month: number,
  defaultMonthDay: number,
): number[] {
  const first = dayNumber(year, month, 1)
  const length = dayNumber(year, month + 1, 1) - first
  if (nth) {
    const offset = (nth.weekDay - weekDayNumber(first) + 7) % 7
    const all = [0, 7, 14, 21, 28].map((week) => first + offset + week).filter((day) => day < first + length)
    const day = all.at(nth.ordinal > 0 ? nth.ordinal - 1 : nth.ordinal)
    return day === undefined ? [] : [day]
  }
  return resolveMonthDays(monthDays ?? [defaultMonthDay], length).map((monthDay) => first + monthDay - 1)
}

/** −1 is the last day, and what the month does not have falls away. */
const resolveMonthDays = (monthDays: readonly number[], length: number): number[] =>
  [...new Set(monthDays.map((day) => (day === -1 ? length : day)))].filter((day) => day <= length).sort((a, b) => a - b)

/** The same of one day, without the list: a series of days may be looked through for centuries. */
const includesMonthDay = (monthDays: readonly number[], monthDay: number, length: number) =>
  monthDays.includes(monthDay) || (monthDay === length && monthDays.includes(-1))

const includesMonth = (months: readonly number[] | undefined, month: number) => !months || months.includes(month)

/** Days since 1970-01-01 in the calendar alone, where no clock is ever changed. */
function dayNumber(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, day) / dayMs
}

function dateParts(day: number) {
  const date = new Date(day * dayMs)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1]
  return { year, month, monthDay: date.getUTCDate(), length: dayNumber(year, month + 1, 1) - dayNumber(year, month, 1) }
}

/** Monday is 0: weeks begin on it, as RFC 5545 has it by default. The first of January 1970 was a Thursday. */
const weekDayNumber = (day: number) => (((day + 3) % 7) + 7) % 7
