// What is said of a series, chosen in a form or moved, against the visits that it really has.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { dayMs, minuteMs } from './durations.ts'
import { countBefore, type Series, slotsFrom } from './recurrence.ts'
import { formatRule, parseRule, type RecurrenceRule } from './recurrence-rule.ts'
import { choicesOf, chosenRule, firstChoices, type RuleChoices } from './rule-choices.ts'
import { isInSeries, moveSeries } from './series-moves.ts'
import { ordinalNames, seriesWords, weekDayNames } from './series-words.ts'
import { addDays, startOfDay, toMoment, wallOf } from './wall-clock.ts'

const zone = 'Europe/London'
function seriesOf(rrule: string, startsAt: string, timeZone = zone): Series {
  const rule = parseRule(rrule)
  if (typeof rule === 'string') assert.fail(`${rrule} ${rule}`)
  return { startsAt: new Date(startsAt), timeZone, rule, durationMinutes: 60 }
}
const lookAheadMs = 15 * 365 * dayMs
/** The first ones, as far as anybody looks. */
function firstSlots(series: Series, most = 12, moment?: number): string[] {
  const found: string[] = []
  const rule = { ...series.rule }
  const limit = series.startsAt.getTime() + lookAheadMs
  for (const { from } of slotsFrom({ ...series, rule }, moment)) {
    if (from.getTime() > limit || found.push(from.toISOString()) >= most) break
  }
  return found
}

describe('a series in words', () => {
  for (const [rrule, words] of Object.entries({
    'FREQ=DAILY': 'Every day at 09:00, from 31 December 2026',
    'FREQ=DAILY;INTERVAL=3;COUNT=10': 'Every 3 days at 09:00, from 31 December 2026, 10 times',
    'FREQ=DAILY;BYMONTHDAY=1,-1;BYMONTH=6':
      'Every day at 09:00, only on the 1st and the last day of the month, only in June, from 31 December 2026',
    'FREQ=WEEKLY': 'Every week on Thursday at 09:00, from 31 December 2026',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH': 'Every 2 weeks on Monday and Thursday at 09:00, from 31 December 2026',
    'FREQ=WEEKLY;UNTIL=20271231T235959Z':
      'Every week on Thursday at 09:00, from 31 December 2026, until 31 December 2027',
    'FREQ=WEEKLY;UNTIL=20271231T080000Z':
      'Every week on Thursday at 09:00, from 31 December 2026, until 30 December 2027',
    'FREQ=MONTHLY': 'Every month on the 31st at 09:00, where the month has it, from 31 December 2026',
    'FREQ=MONTHLY;BYMONTHDAY=2,-1': 'Every month on the 2nd and the last day at 09:00, from 31 December 2026',
    'FREQ=MONTHLY;BYDAY=2TU': 'Every month on the second Tuesday at 09:00, from 31 December 2026',
    'FREQ=MONTHLY;BYDAY=-1FR;COUNT=1': 'Every month on the last Friday at 09:00, from 31 December 2026, once',
    'FREQ=YEARLY': 'Every year on the 31st of December at 09:00, from 31 December 2026',
    'FREQ=YEARLY;BYMONTH=2,3':
      'Every year on the 31st of February and March at 09:00, where the month has it, from 31 December 2026',
    'FREQ=YEARLY;BYMONTHDAY=11': 'Every year on the 11th of every month at 09:00, from 31 December 2026',
  }))
    it(rrule, () => assert.equal(seriesWords(seriesOf(rrule, '2026-12-31T09:00:00Z')), words))

  it('loses nothing: read again, the words mean the same visits', () => {
    fc.assert(
      fc.property(series, (one) => {
        const words = seriesWords(one)
        assert.deepEqual(firstSlots(readWords(words, one.timeZone)), firstSlots(one), words)
      }),
      { numRuns: 400 },
    )
  })
})

describe('a rule', () => {
  it('is written as text that is read as the same rule', () => {
    fc.assert(fc.property(series, ({ rule }) => assert.deepEqual(parseRule(formatRule(rule)), rule)))
  })

  it('is shown as choices that mean the same visits, or kept as it is written', () => {
    fc.assert(
      fc.property(series, (one) => {
        const rule = chosenRule(choicesOf(one), one.timeZone)
        if ('field' in rule) assert.fail(rule.words)
        assert.deepEqual(firstSlots({ ...one, rule }), firstSlots(one), formatRule(one.rule))
      }),
    )
  })

  it('says which choice is wrong', () => {
    const wrong = (choices: Partial<RuleChoices>) => {
      const rule = chosenRule({ ...firstChoices, ...choices }, zone)
      return 'field' in rule ? rule.field : formatRule(rule)
    }
    assert.equal(wrong({}), 'FREQ=WEEKLY')
    for (const every of ['', '0', '366', '1.5', 'two']) assert.equal(wrong({ every }), 'every')
    assert.equal(wrong({ ends: 'count', count: '1001' }), 'count')
    assert.equal(wrong({ ends: 'until', until: '2027-02-30' }), 'until')
    assert.equal(wrong({ unit: 'text', text: 'FREQ=HOURLY' }), 'ruleText')
    assert.equal(wrong({ ends: 'until', until: '2027-07-01' }), 'FREQ=WEEKLY;UNTIL=20270701T225959Z')
  })
})

describe('a visit moved with all later ones', () => {
  const moved = (rrule: string, visit: string, from: string) => {
    const one = seriesOf(rrule, '2027-01-04T09:00:00Z') // a Monday
    const next = moveSeries(one, new Date(visit), { from: new Date(from), to: new Date(Date.parse(from) + 5_400_000) })
    return next && [formatRule(next.rule), next.durationMinutes]
  }
  it('takes its day of the rule along, and leaves the others', () => {
    assert.deepEqual(moved('FREQ=WEEKLY;BYDAY=MO,TH', '2027-01-07T09:00:00Z', '2027-01-08T10:00:00Z'), [
      'FREQ=WEEKLY;BYDAY=MO,FR',
      90,
    ])
    assert.deepEqual(
      moved('FREQ=MONTHLY;BYDAY=1MO', '2027-02-01T09:00:00Z', '2027-02-09T09:00:00Z')?.[0],
      'FREQ=MONTHLY;BYDAY=2TU',
    )
    assert.deepEqual(
      moved('FREQ=MONTHLY;BYDAY=-1MO', '2027-01-25T09:00:00Z', '2027-01-29T09:00:00Z')?.[0],
      'FREQ=MONTHLY;BYDAY=-1FR',
    )
    assert.deepEqual(
      moved('FREQ=MONTHLY;BYMONTHDAY=4,-1', '2027-01-31T09:00:00Z', '2027-01-30T09:00:00Z')?.[0],
      'FREQ=MONTHLY;BYMONTHDAY=4,30',
    )
    assert.deepEqual(
      moved('FREQ=YEARLY;BYMONTH=1', '2027-01-04T09:00:00Z', '2027-02-05T09:00:00Z')?.[0],
      'FREQ=YEARLY;BYMONTHDAY=5;BYMONTH=2',
    )
    assert.deepEqual(
      moved('FREQ=WEEKLY;COUNT=5', '2027-01-18T09:00:00Z', '2027-01-19T09:00:00Z')?.[0],
      'FREQ=WEEKLY;COUNT=3',
    )
  })

  it('is not guessed where several days could be meant', () => {
    assert.equal(moved('FREQ=WEEKLY;BYDAY=MO,TH', '2027-01-07T09:00:00Z', '2027-01-11T10:00:00Z'), undefined)
    assert.equal(moved('FREQ=DAILY;BYMONTHDAY=4', '2027-01-04T09:00:00Z', '2027-01-05T09:00:00Z'), undefined)
    assert.equal(moved('FREQ=MONTHLY;BYMONTHDAY=4,8', '2027-01-08T09:00:00Z', '2027-02-08T09:00:00Z'), undefined)
    assert.equal(moved('FREQ=YEARLY;BYMONTH=1,6', '2027-01-04T09:00:00Z', '2027-01-05T09:00:00Z'), undefined)
  })

  it('is the first of the new series, and at another time of the same day all later days stay', () => {
    fc.assert(
      fc.property(
        series,
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: -5, max: 5 }),
        fc.integer({ min: 0, max: 23 }),
        (one, at, days, hour) => {
          const slots = firstSlots(one)
          const slot = slots[Math.min(at, slots.length - 1)]
          if (slot === undefined) return
          const visit = new Date(slot)
          assert.ok(isInSeries(one, visit))
          const { day } = wallOf(visit, one.timeZone)
          const from = toMoment(addDays(day, days), `${String(hour).padStart(2, '0')}:30`, one.timeZone)
          if (one.rule.until && from > one.rule.until) return
          const next = moveSeries(one, visit, { from, to: new Date(+from + 60 * minuteMs) })
          if (!next) return
          const [first, ...rest] = firstSlots(next)
          assert.equal(first, from.toISOString(), formatRule(next.rule))
          if (days !== 0 || one.rule.until) return
          const expected = firstSlots(one, 12, +visit).map((moment) => wallOf(new Date(moment), one.timeZone).day)
          const shown = [first!, ...rest].map((moment) => wallOf(new Date(moment), one.timeZone).day)
          const both = Math.min(expected.length, shown.length)
          assert.deepEqual(shown.slice(0, both), expected.slice(0, both))
          if (one.rule.count !== undefined) assert.equal(next.rule.count, one.rule.count - countBefore(one, +visit))
        },
      ),
      { numRuns: 500 },
    )
  })
})

const some = <T>(values: readonly T[], most: number) =>
  fc.option(fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: most }), { nil: undefined })
const upTo = (most: number) => Array.from({ length: most }, (_, index) => index + 1)
const sorted = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)

/** Any series of the subset that begins on a minute at which clocks are not changed. */
const series = fc
  .record({
    frequency: fc.constantFrom('DAILY' as const, 'WEEKLY' as const, 'MONTHLY' as const, 'YEARLY' as const),
    interval: fc.integer({ min: 1, max: 6 }),
    weekDays: some([0, 1, 2, 3, 4, 5, 6], 7),
    nth: fc.option(
      fc.record({ ordinal: fc.constantFrom(1, 2, 3, 4, 5, -1, -2, -5), weekDay: fc.integer({ min: 0, max: 6 }) }),
      { nil: undefined },
    ),
    monthDays: some([...upTo(31), -1], 3),
    months: some(upTo(12), 4),
    count: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
    untilDays: fc.option(fc.integer({ min: 0, max: 900 }), { nil: undefined }),
    startsDay: fc.integer({ min: 0, max: 5_000 }),
    minute: fc.integer({ min: 7 * 60, max: 20 * 60 }),
    timeZone: fc.constantFrom('UTC', 'Europe/London', 'America/New_York', 'Pacific/Auckland', 'Asia/Kathmandu'),
  })
  .map((made): Series | undefined => {
    const { frequency, interval, weekDays, nth, monthDays, months, count, untilDays, startsDay, minute, timeZone } =
      made
    const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
    const day = addDays('2024-01-01', startsDay)
    const startsAt = toMoment(day, time, timeZone)
    const rule: RecurrenceRule = {
      frequency,
      interval,
      ...(frequency === 'WEEKLY' && weekDays && { weekDays: sorted(weekDays) }),
      ...(frequency === 'MONTHLY' && nth && { nth: { ...nth } }),
      ...(frequency !== 'WEEKLY' && !(frequency === 'MONTHLY' && nth) && monthDays && { monthDays: sorted(monthDays) }),
      ...(months && { months: sorted(months) }),
      ...(count !== undefined && { count }),
      ...(untilDays !== undefined &&
        count === undefined && { until: new Date(+startOfDay(addDays(day, untilDays), timeZone) + minute * 45_000) }),
    }
    return typeof parseRule(formatRule(rule)) === 'string'
      ? undefined
      : { startsAt, timeZone, rule, durationMinutes: 60 }
  })
  .filter((made) => made !== undefined)

const monthNames = 'January February March April May June July August September October November December'.split(' ')

/** What somebody understands who has only the words. */
function readWords(words: string, timeZone: string): Series {
  const [, interval = '1', unit = '', on = '', time = '', only = '', from = '', end = ''] =
    /^Every (?:(\d+) )?(day|week|month|year)s?(.*?) at (\d\d:\d\d)(.*?), from (\d+ \w+ \d+)(?:, (.*))?$/.exec(words) ??
    []
  const days = on + only
  const dayOf = (text: string) => {
    const [day = '', month = '', year = ''] = text.split(' ')
    return `${year}-${String(monthNames.indexOf(month) + 1).padStart(2, '0')}-${day.padStart(2, '0')}`
  }
  const names = <T>(all: readonly T[], text: string) =>
    all.flatMap((name, index) => (text.includes(String(name)) ? [index] : []))
  const [, inThese] = /only in ([\w ,]+)$/.exec(days) ?? []
  const rest = days.replace(/, only in [\w ,]+$/, '')
  const numbers = [...rest.matchAll(/the (\d+)(?:st|nd|rd|th)/g)].map(([, number]) => Number(number))
  const monthDays = [...(rest.includes('the last day') ? [-1] : []), ...numbers]
  const nth = Object.entries(ordinalNames)
    .flatMap(([ordinal, name]) =>
      weekDayNames.map((day, weekDay) => ({ ordinal: Number(ordinal), weekDay, text: ` on the ${name} ${day}` })),
    )
    .find(({ text }) => rest.startsWith(text))
  const inMonths =
    unit === 'year' && !rest.includes('every month')
      ? names(monthNames, rest)
      : inThese === undefined
        ? []
        : names(monthNames, inThese)
  const [, times] = /^(\d+) times$/.exec(end) ?? (end === 'once' ? ['', '1'] : [])
  const [, last] = /^until (.*)$/.exec(end) ?? []
  const rule: RecurrenceRule = {
    frequency: ({ day: 'DAILY', week: 'WEEKLY', month: 'MONTHLY', year: 'YEARLY' } as const)[unit as 'day'],
    interval: Number(interval),
    ...(unit === 'week' && { weekDays: names(weekDayNames, rest) }),
    ...(nth && { nth: { ordinal: nth.ordinal, weekDay: nth.weekDay } }),
    ...(monthDays.length > 0 && { monthDays }),
    ...(inMonths.length > 0 && { months: inMonths.map((index) => index + 1) }),
    ...(times !== undefined && { count: Number(times) }),
    ...(last !== undefined && { until: new Date(+startOfDay(addDays(dayOf(last), 1), timeZone) - 1_000) }),
  }
  return { startsAt: toMoment(dayOf(from), time, timeZone), timeZone, rule, durationMinutes: 60 }
}
