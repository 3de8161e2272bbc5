// When a series of visits takes place: a rule of RFC 5545 (the subset of our calendar) on the clock of one time zone.
import { Temporal } from 'temporal-polyfill'
import type { Rule } from './recurrence-rule.ts'

export interface Series {
  /** The moment from which on the rule holds; its time of day in the zone is the time of every visit. */
  readonly startsAt: Date
  readonly timeZone: string
  readonly rule: Rule
  readonly durationMinutes: number
}

/** One place in a series. The first one is 0. */
export interface Slot {
  readonly ordinal: number
  readonly from: Date
  readonly to: Date
}

const dayMs = 86_400_000
const minuteMs = 60_000
/** Further than any zone is from UTC, a day that a zone once left out included. */
const zoneMs = 2 * dayMs
/** A rule that found no day in so many periods finds none. */
const mostEmptyPeriods = 10_000
/** A visit that lasts a week still ends in a year of four digits, whatever the zone. */
const lastDay = dayOf(9_999, 12, 22)

/**
 * The slots from a moment on, in order, as many as somebody asks for. Days are counted as numbers, because the places of
 * a long series must be counted from its beginning; only those from the moment on are looked up in the zone. Answers how
 * many there are once the series has ended.
 */
export function* slotsFrom(
  { startsAt, timeZone, rule, durationMinutes }: Series,
  moment = Number.NEGATIVE_INFINITY,
  place = 0,
): Generator<Slot, number, undefined> {
  const start = Temporal.Instant.fromEpochMilliseconds(startsAt.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDateTime()
  const untilMs = rule.until?.getTime() ?? Number.POSITIVE_INFINITY
  let ordinal = -1
  for (const day of daysOf(rule, dayOf(start.year, start.month, start.day))) {
    const about = day * dayMs
    ordinal++
    if (ordinal === rule.count || about > untilMs + zoneMs) return ordinal
    const isLookedUp = ordinal >= place && about > moment - zoneMs
    if (!isLookedUp && about < untilMs - zoneMs) continue
    const from = momentOf(day, start, timeZone)
    if (from > untilMs) return ordinal
    if (!isLookedUp || from < moment) continue
    yield { ordinal, from: new Date(from), to: new Date(from + durationMinutes * minuteMs) }
  }
  return ordinal + 1
}

/** The slot at a place, unless the series ends before it or the slot lies after a moment: nobody looks further. */
export function slotAt(series: Series, place: number, latest: Date): Slot | undefined {
  const { until = latest } = series.rule
  const rule = { ...series.rule, until: until < latest ? until : latest }
  for (const slot of slotsFrom({ ...series, rule }, undefined, place)) return slot
  return undefined
}

/** How many slots lie before a moment. */
export function countBefore(series: Series, moment: number): number {
  const { value } = slotsFrom(series, moment).next()
  return typeof value === 'number' ? value : value.ordinal
}

/** A time that the clocks leave out is moved on by as much as they are; of one that comes twice the first is meant. */
function momentOf(day: number, time: Temporal.PlainDateTime, timeZone: string): number {
  const date = new Date(day * dayMs)
  const [year, month, monthDay] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
  const { hour, minute, second, millisecond } = time
  return new Temporal.PlainDateTime(year, month, monthDay, hour, minute, second, millisecond).toZonedDateTime(
    timeZone,
    { disambiguation: 'compatible' },
  ).epochMilliseconds
}

/** The days of a rule in order, none before the first one. */
function* daysOf(rule: Rule, first: number): Generator<number, void, undefined> {
  let empty = 0
  for (let period = 0; empty < mostEmptyPeriods; period++) {
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
type DaysIn = (rule: Rule, first: number, distance: number) => readonly number[] | undefined

const daysIn: Readonly<Record<Rule['frequency'], DaysIn>> = {
  DAILY({ months, monthDays }, first, distance) {
    const day = first + distance
    if (day > lastDay) return undefined
    if (!months && !monthDays) return [day]
    const { month, monthDay, length } = partsOf(day)
    const fits = isIn(months, month) && (!monthDays || isAmong(monthDays, monthDay, length))
    return fits ? [day] : []
  },

  WEEKLY({ months, weekDays }, first, distance) {
    const monday = first - weekDayOf(first) + distance * 7
    if (monday > lastDay) return undefined
    return (weekDays ?? [weekDayOf(first)])
      .map((weekDay) => monday + weekDay)
      .filter((day) => !months || isIn(months, partsOf(day).month))
  },

  MONTHLY(rule, first, distance) {
    const { year, month, monthDay } = partsOf(first)
    const place = month - 1 + distance
    const [inYear, inMonth] = [year + Math.floor(place / 12), (place % 12) + 1]
    if (inYear > 9_999) return undefined
    return isIn(rule.months, inMonth) ? daysInMonth(rule, inYear, inMonth, monthDay) : []
  },

  YEARLY(rule, first, distance) {
    const { year, month, monthDay } = partsOf(first)
    const inYear = year + distance
    if (inYear > 9_999) return undefined
    const months = rule.months ?? (rule.monthDays ? everyMonth : [month])
    return months.flatMap((inMonth) => daysInMonth(rule, inYear, inMonth, monthDay))
  },
}

const everyMonth = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]

/** Months that do not have the day are left out, as RFC 5545 says. */
function daysInMonth({ monthDays, nth }: Rule, year: number, month: number, otherwise: number): number[] {
  const first = dayOf(year, month, 1)
  const length = dayOf(year, month + 1, 1) - first
  if (nth) {
    const offset = (nth.weekDay - weekDayOf(first) + 7) % 7
    const all = [0, 7, 14, 21, 28].map((week) => first + offset + week).filter((day) => day < first + length)
    const day = all.at(nth.place > 0 ? nth.place - 1 : nth.place)
    return day === undefined ? [] : [day]
  }
  return resolved(monthDays ?? [otherwise], length).map((monthDay) => first + monthDay - 1)
}

/** −1 is the last day, and what the month does not have falls away. */
const resolved = (monthDays: readonly number[], length: number): number[] =>
  [...new Set(monthDays.map((day) => (day === -1 ? length : day)))].filter((day) => day <= length).sort((a, b) => a - b)

/** The same of one day, without the list: a series of days may be looked through for centuries. */
const isAmong = (monthDays: readonly number[], monthDay: number, length: number) =>
  monthDays.includes(monthDay) || (monthDay === length && monthDays.includes(-1))

const isIn = (months: readonly number[] | undefined, month: number) => !months || months.includes(month)

/** Days since 1970-01-01 in the calendar alone, where no clock is ever changed. */
function dayOf(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, day) / dayMs
}

function partsOf(day: number) {
  const date = new Date(day * dayMs)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1]
  return { year, month, monthDay: date.getUTCDate(), length: dayOf(year, month + 1, 1) - dayOf(year, month, 1) }
}

/** Monday is 0: weeks begin on it, as RFC 5545 has it unless told otherwise. The first of January 1970 was a Thursday. */
const weekDayOf = (day: number) => (((day + 3) % 7) + 7) % 7
