// A rule as people choose it in a form, part by part, and the rule that such choices mean. Other rules are kept as text.
import type { Series } from './recurrence.ts'
import { formatRule, parseRule, type RecurrenceRule } from './recurrence-rule.ts'
import { addDays, isDate, lastDayUntil, startOfDay } from './wall-clock.ts'

export const ruleUnits = ['days', 'weeks', 'months', 'years', 'text'] as const

/** As a form holds it: everything is text. */
export interface RuleChoices {
  /** `text`: the rule as it is written, where the other choices cannot say it. */
  readonly unit: (typeof ruleUnits)[number]
  readonly every: string
  /** Monday is 0; none: the weekday it begins on. */
  readonly weekDays: readonly string[]
  /** Of months: a day (`monthDay`), or a weekday (`ordinal`, `weekDay`). */
  readonly monthly: 'day' | 'weekday'
  /** −1 is the last one; empty: the day it begins on. */
  readonly monthDay: string
  readonly ordinal: string
  readonly weekDay: string
  readonly ends: 'never' | 'until' | 'count'
  readonly until: string
  readonly count: string
  readonly text: string
}

export const firstChoices: RuleChoices = {
  unit: 'weeks',
  every: '1',
  weekDays: [],
  monthly: 'day',
  monthDay: '',
  ordinal: '1',
  weekDay: '0',
  ends: 'never',
  until: '',
  count: '',
  text: '',
}

const frequencies = { days: 'DAILY', weeks: 'WEEKLY', months: 'MONTHLY', years: 'YEARLY' } as const

/** What was chosen, or which field is wrong and why. */
export function chosenRule(choices: RuleChoices, timeZone: string): RecurrenceRule | WrongChoice {
  const { unit, every, weekDays, monthly, monthDay, ordinal, weekDay } = choices
  if (unit === 'text') {
    const rule = parseRule(choices.text)
    return typeof rule === 'string' ? { field: 'ruleText', words: `the rule ${rule}` } : rule
  }
  if (!isWhole(every, 1, 365)) return { field: 'every', words: 'how often must be a whole number from 1 to 365' }
  const end = chosenEnd(choices, timeZone)
  if ('field' in end) return end
  return {
    frequency: frequencies[unit],
    interval: Number(every),
    ...(unit === 'weeks' && weekDays.length > 0 && { weekDays: weekDays.map(Number).sort((a, b) => a - b) }),
    ...(unit === 'months' && monthly === 'day' && monthDay !== '' && { monthDays: [Number(monthDay)] }),
    ...(unit === 'months' && monthly === 'weekday' && { nth: { ordinal: Number(ordinal), weekDay: Number(weekDay) } }),
    ...end,
  }
}

export interface WrongChoice {
  readonly field: string
  readonly words: string
}

function chosenEnd(
  { ends, until, count }: RuleChoices,
  timeZone: string,
): Pick<RecurrenceRule, 'until' | 'count'> | WrongChoice {
  if (ends === 'count')
    return isWhole(count, 1, 1_000)
      ? { count: Number(count) }
      : { field: 'count', words: 'the number of visits must be a whole number from 1 to 1000' }
  if (ends === 'never') return {}
  if (!isDate(until)) return { field: 'until', words: 'the last day must be a day' }
  return { until: new Date(startOfDay(addDays(until, 1), timeZone).getTime() - 1_000) }
}

const isWhole = (text: string, least: number, most: number): boolean =>
  /^\d{1,4}$/.test(text) && Number(text) >= least && Number(text) <= most

/** The choices that mean the rule of a series. */
export function choicesOf({ rule, startsAt, timeZone }: Series): RuleChoices {
  const { frequency, interval, weekDays, nth, monthDays, months, count, until } = rule
  const unit = ruleUnits.find((one) => one !== 'text' && frequencies[one] === frequency)!
  const isSayable = !months && (monthDays === undefined || (unit === 'months' && monthDays.length === 1))
  return {
    ...firstChoices,
    unit: isSayable ? unit : 'text',
    every: String(interval),
    ...(weekDays && { weekDays: weekDays.map(String) }),
    ...(nth && { monthly: 'weekday', ordinal: String(nth.ordinal), weekDay: String(nth.weekDay) }),
    ...(monthDays?.length === 1 && { monthDay: String(monthDays[0]) }),
    ...(count !== undefined && { ends: 'count', count: String(count) }),
    ...(until && { ends: 'until', until: lastDayUntil(until, startsAt, timeZone) }),
    text: formatRule(rule),
  }
}
