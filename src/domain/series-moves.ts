// A visit moved together with all later ones: the series that begins with it, at its new time.
import { minuteMs } from './durations.ts'
import { countBefore, type Series } from './recurrence.ts'
import type { RecurrenceRule } from './recurrence-rule.ts'
import { startOfWeek, wallOf } from './wall-clock.ts'

/** When a visit is to take place, and all later ones after it. */
export interface NewTimes {
  readonly from: Date
  readonly to: Date
}

/** Undefined where the rule has several days of which it cannot be told which ones move along. */
export function moveSeries(series: Series, visitFrom: Date, { from, to }: NewTimes): Series | undefined {
  const { timeZone, rule } = series
  const [before, after] = [wallOf(visitFrom, timeZone).day, wallOf(from, timeZone).day]
  const days = before === after ? {} : movedDays[rule.frequency](rule, before, after)
  if (days === undefined) return undefined
  const passed = countBefore(series, visitFrom.getTime())
  return {
    startsAt: from,
    timeZone,
    rule: { ...rule, ...days, ...(rule.count !== undefined && { count: Math.max(1, rule.count - passed) }) },
    durationMinutes: Math.round((to.getTime() - from.getTime()) / minuteMs),
  }
}

/** Whether a moment is one of the series. */
export const isInSeries = (series: Series, from: Date): boolean =>
  countBefore(series, from.getTime() + 1) > countBefore(series, from.getTime())

type Days = Pick<RecurrenceRule, 'weekDays' | 'nth' | 'monthDays' | 'months'>
/** The days of the rule with the one moved; those it leaves to the beginning of the series move with that. */
type MovedDays = (rule: RecurrenceRule, before: string, after: string) => Days | undefined

const movedDays: Readonly<Record<RecurrenceRule['frequency'], MovedDays>> = {
  DAILY: ({ monthDays, months }) => (monthDays || months ? undefined : {}),

  WEEKLY({ weekDays, months }, before, after) {
    if (months && monthOf(before) !== monthOf(after)) return undefined
    if (!weekDays) return {}
    if (weekDays.length > 1 && startOfWeek(before) !== startOfWeek(after)) return undefined
    return { weekDays: replaced(weekDays, weekDayOf(before), weekDayOf(after)) }
  },

  MONTHLY({ nth, monthDays, months }, before, after) {
    const isOtherMonth = before.slice(0, 7) !== after.slice(0, 7)
    if (isOtherMonth && (months || (monthDays && monthDays.length > 1))) return undefined
    if (nth) return { nth: { weekDay: weekDayOf(after), ordinal: ordinalOf(after, nth.ordinal < 0) } }
    if (!monthDays) return {}
    // The last day of a month is told from the same number by what the rule says.
    const isLast = monthDays.includes(-1) && dayOf(before) === lengthOf(before)
    const day = isLast && dayOf(after) === lengthOf(after) ? -1 : dayOf(after)
    return { monthDays: replaced(monthDays, isLast ? -1 : dayOf(before), day) }
  },

  YEARLY({ monthDays, months }, _, after) {
    if (!monthDays && !months) return {}
    if ((monthDays && monthDays.length > 1) || months?.length !== 1) return undefined
    return { months: [monthOf(after)], monthDays: [dayOf(after)] }
  },
}

const replaced = (days: readonly number[], before: number, after: number): readonly number[] =>
  [...new Set([...days.filter((day) => day !== before), after])].sort((a, b) => a - b)

const monthOf = (date: string): number => Number(date.slice(5, 7))
const dayOf = (date: string): number => Number(date.slice(8, 10))
/** Monday is 0. */
const weekDayOf = (date: string): number => (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7
const lengthOf = (date: string): number => new Date(Date.UTC(Number(date.slice(0, 4)), monthOf(date), 0)).getUTCDate()
/** Which of its weekdays in the month it is, counted from the beginning or from the end. */
const ordinalOf = (date: string, isFromEnd: boolean): number =>
  isFromEnd ? -(Math.floor((lengthOf(date) - dayOf(date)) / 7) + 1) : Math.floor((dayOf(date) - 1) / 7) + 1
