// A series of visits said in words: how often, on which days, at what time, from when and until when.
import type { Series } from './recurrence.ts'
import type { RecurrenceRule } from './recurrence-rule.ts'
import { lastDayUntil, wallOf } from './wall-clock.ts'

export const weekDayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const
const monthNames = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]
/** Which of the weekdays of a month; negative ones are counted from its end. */
export const ordinalNames: Readonly<Record<number, string>> = {
  1: 'first',
  2: 'second',
  3: 'third',
  4: 'fourth',
  5: 'fifth',
  [-1]: 'last',
  [-2]: 'second last',
  [-3]: 'third last',
  [-4]: 'fourth last',
  [-5]: 'fifth last',
}

/** Every 2 weeks on Monday and Thursday at 09:00, only in June, from 16 November 2026, 10 times. */
export function seriesWords({ startsAt, timeZone, rule }: Series): string {
  const { day, time } = wallOf(startsAt, timeZone)
  const { frequency, interval, count, until } = rule
  const every = `Every ${interval === 1 ? units[frequency] : `${interval} ${units[frequency]}s`}`
  const { on = '', only } = daysOf[frequency](rule, day)
  const end =
    count !== undefined
      ? `, ${count === 1 ? 'once' : `${count} times`}`
      : until
        ? `, until ${dayWords(lastDayUntil(until, startsAt, timeZone))}`
        : ''
  return `${every}${on} at ${time}${only}, from ${dayWords(day)}${end}`
}

const units = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' } as const

/** 16 November 2026 */
function dayWords(date: string): string {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number]
  return `${day} ${monthNames[month - 1]} ${year}`
}

type DaysOf = (rule: RecurrenceRule, begins: string) => { readonly on?: string; readonly only: string }

/** On which days, and which of them count. What the rule leaves out is taken from the day it begins on. */
const daysOf: Readonly<Record<RecurrenceRule['frequency'], DaysOf>> = {
  DAILY: ({ monthDays, months }) => ({
    only: `${monthDays ? `, only on ${monthDayWords(monthDays)} of the month` : ''}${onlyIn(months)}`,
  }),

  WEEKLY({ weekDays, months }, begins) {
    const named = (weekDays ?? [weekDayOf(begins)]).map((day) => weekDayNames[day]!)
    return { on: ` on ${list(named)}`, only: onlyIn(months) }
  },

  MONTHLY({ nth, monthDays, months }, begins) {
    if (nth) {
      const where = Math.abs(nth.ordinal) === 5 ? ', where the month has one' : ''
      return { on: ` on the ${ordinalNames[nth.ordinal]} ${weekDayNames[nth.weekDay]}`, only: where + onlyIn(months) }
    }
    const days = monthDays ?? [monthDayOf(begins)]
    return { on: ` on ${monthDayWords(days)}`, only: whereThere(days, months) + onlyIn(months) }
  },

  YEARLY({ monthDays, months }, begins) {
    const days = monthDays ?? [monthDayOf(begins)]
    const inMonths = months ?? (monthDays ? undefined : [monthOf(begins)])
    const named = inMonths ? list(inMonths.map((month) => monthNames[month - 1]!)) : 'every month'
    return { on: ` on ${monthDayWords(days)} of ${named}`, only: whereThere(days, inMonths) }
  },
}

const onlyIn = (months: readonly number[] | undefined): string =>
  months ? `, only in ${list(months.map((month) => monthNames[month - 1]!))}` : ''

const everyMonth = monthNames.map((_, index) => index + 1)
const shortestMonth = (month: number) => (month === 2 ? 28 : [4, 6, 9, 11].includes(month) ? 30 : 31)

/** A month without the day is left out, which nobody would guess. */
const whereThere = (days: readonly number[], months: readonly number[] = everyMonth): string =>
  months.some((month) => days.some((day) => day > shortestMonth(month))) ? ', where the month has it' : ''

/** the 1st, the 15th and the last day */
const monthDayWords = (days: readonly number[]): string =>
  list([
    ...days.filter((day) => day > 0).map((day) => `the ${day}${ending(day)}`),
    ...(days.includes(-1) ? ['the last day'] : []),
  ])

function ending(number: number): string {
  const isTeen = number % 100 >= 11 && number % 100 <= 13
  return isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th')
}

const list = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

const monthOf = (date: string): number => Number(date.slice(5, 7))
const monthDayOf = (date: string): number => Number(date.slice(8, 10))
/** Monday is 0. */
const weekDayOf = (date: string): number => (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7
