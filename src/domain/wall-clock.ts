// What clocks on the wall show: from a day and a time there to the moment it is, in a time zone with its clock changes.
import { Temporal } from 'temporal-polyfill'

export { addDays, daysBetween } from './days.ts'

/** Where the clock is put back, the first of two; where it is put forward, as long after the gap as it would have been. */
export const toMoment = (date: string, time: string, timeZone: string): Date =>
  new Date(Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(timeZone).epochMilliseconds)

export const startOfDay = (date: string, timeZone: string): Date => toMoment(date, '00:00', timeZone)

/** The same time on the wall some days later. */
export const moveDays = (moment: Date, days: number, timeZone: string): Date =>
  new Date(
    Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(timeZone).add({ days })
      .epochMilliseconds,
  )

/** Minutes since midnight on the wall; the day may have 23 or 25 hours. */
export function minutesOfDay(moment: Date, timeZone: string): number {
  const { hour, minute } = Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(timeZone)
  return hour * 60 + minute
}

/** Whether it is a day there is: 2026-02-30 is none. */
export function isDate(text: string | null | undefined): text is string {
  if (!text || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const parsed = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text)
}

/** Days with others before and after them, which a calendar can turn its pages to. */
export const isCalendarDay = (text: string | null | undefined): text is string =>
  isDate(text) && text >= '1900-01-01' && text < '9999-01-01'

export const isClockTime = (text: string | null | undefined): text is string =>
  !!text && /^([01]\d|2[0-3]):[0-5]\d$/.test(text)

/** Monday, as 2026-11-16. */
export const startOfWeek = (date: string): string => {
  const day = Temporal.PlainDate.from(date)
  return day.subtract({ days: day.dayOfWeek - 1 }).toString()
}

/** The first moment after another one at which clocks show that: of an hour that comes twice it may be the second. */
export function momentAfter(date: string, time: string, timeZone: string, after: Date): Date {
  const first = toMoment(date, time, timeZone)
  if (first > after) return first
  const wall = Temporal.PlainDateTime.from(`${date}T${time}`)
  return new Date(wall.toZonedDateTime(timeZone, { disambiguation: 'later' }).epochMilliseconds)
}

/** The day and the time that clocks show at a moment: 2026-11-16 and 09:30. */
export function wallOf(moment: Date, timeZone: string): { readonly day: string; readonly time: string } {
  const wall = Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(timeZone)
  return { day: wall.toPlainDate().toString(), time: wall.toPlainTime().toString({ smallestUnit: 'minute' }) }
}

/** The last day on which clocks show a time no later than a moment. */
export function lastDayUntil(moment: Date, begins: Date, timeZone: string): string {
  const zoned = (one: Date) => Temporal.Instant.fromEpochMilliseconds(one.getTime()).toZonedDateTimeISO(timeZone)
  const day = zoned(moment).toPlainDate()
  const shown = day.toZonedDateTime({ timeZone, plainTime: zoned(begins).toPlainTime() })
  return (shown.epochMilliseconds <= moment.getTime() ? day : day.subtract({ days: 1 })).toString()
}
