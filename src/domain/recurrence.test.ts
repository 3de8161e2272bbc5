// Series of visits against RFC 5545's own examples, another library, and the clocks of the zones themselves.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { RRuleTemporal } from 'rrule-temporal'
import { dayMs, hourMs, minuteMs } from './durations.ts'
import { countBefore, type Series, slotAt, slotsFrom } from './recurrence.ts'
import { parseRule, type RecurrenceRule } from './recurrence-rule.ts'

function seriesOf(rrule: string, startsAt: string, timeZone: string, durationMinutes = 60): Series {
  const rule = parseRule(rrule)
  if (typeof rule === 'string') assert.fail(`${rrule} ${rule}`)
  return { startsAt: new Date(startsAt), timeZone, rule, durationMinutes }
}

function firstSlots(series: Series, most: number, moment?: number): string[] {
  const found: string[] = []
  for (const { from } of slotsFrom(series, moment)) {
    if (found.push(from.toISOString()) >= most) break
  }
  return found
}

const clocks = new Map<string, Intl.DateTimeFormat>()
const styles = { hourCycle: 'h23', dateStyle: 'short', timeStyle: 'medium' } as const

/** `1997-09-02 09:00:00` as the clock on the wall shows it. */
function localTime(moment: string | number | Date, timeZone: string): string {
  const clock = clocks.get(timeZone) ?? new Intl.DateTimeFormat('en-CA', { timeZone, ...styles })
  clocks.set(timeZone, clock)
  return clock.format(new Date(moment)).replace(',', '')
}

/** `1997 Sep 2,9 Oct 7` as RFC 5545 writes its lists. */
function days(list: string): string[] {
  const names = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
  let [year, month] = ['', '']
  return list.split(' ').flatMap((word) => {
    if (/^\d{4}$/.test(word)) year = word
    else if (names.includes(word)) month = String(names.indexOf(word) + 1).padStart(2, '0')
    else return word.split(',').map((day) => `${year}-${month}-${day.padStart(2, '0')} 09:00:00`)
    return []
  })
}

const newYork = 'America/New_York'

describe("RFC 5545's examples", () => {
  const examples: readonly [rrule: string, start: string, expected: string][] = [
    ['FREQ=DAILY;COUNT=10', '1997-09-02', '1997 Sep 2,3,4,5,6,7,8,9,10,11'],
    ['FREQ=DAILY;INTERVAL=10;COUNT=5', '1997-09-02', '1997 Sep 2,12,22 Oct 2,12'],
    ['FREQ=WEEKLY;COUNT=10', '1997-09-02', '1997 Sep 2,9,16,23,30 Oct 7,14,21,28 Nov 4'],
    ['FREQ=WEEKLY;COUNT=10;BYDAY=TU,TH', '1997-09-02', '1997 Sep 2,4,9,11,16,18,23,25,30 Oct 2'],
    ['FREQ=WEEKLY;UNTIL=19971007T000000Z;BYDAY=TU,TH', '1997-09-02', '1997 Sep 2,4,9,11,16,18,23,25,30 Oct 2'],
    ['FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU', '1997-08-05', '1997 Aug 5,10,19,24'],
    [
      'FREQ=MONTHLY;COUNT=10;BYDAY=1FR',
      '1997-09-05',
      '1997 Sep 5 Oct 3 Nov 7 Dec 5 1998 Jan 2 Feb 6 Mar 6 Apr 3 May 1 Jun 5',
    ],
    ['FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR', '1997-09-05', '1997 Sep 5 Oct 3 Nov 7 Dec 5'],
    ['FREQ=MONTHLY;COUNT=6;BYDAY=-2MO', '1997-09-22', '1997 Sep 22 Oct 20 Nov 17 Dec 22 1998 Jan 19 Feb 16'],
    ['FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15', '1997-09-02', '1997 Sep 2,15 Oct 2,15 Nov 2,15 Dec 2,15 1998 Jan 2,15'],
    [
      'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1',
      '1997-09-30',
      '1997 Sep 30 Oct 1,31 Nov 1,30 Dec 1,31 1998 Jan 1,31 Feb 1',
    ],
    [
      'FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15',
      '1997-09-10',
      '1997 Sep 10,11,12,13,14,15 1999 Mar 10,11,12,13',
    ],
    ['FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5', '2007-01-15', '2007 Jan 15,30 Feb 15 Mar 15,30'],
    [
      'FREQ=YEARLY;COUNT=10;BYMONTH=6,7',
      '1997-06-10',
      '1997 Jun 10 Jul 10 1998 Jun 10 Jul 10 1999 Jun 10 Jul 10 2000 Jun 10 Jul 10 2001 Jun 10 Jul 10',
    ],
    [
      'FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3',
      '1997-03-10',
      '1997 Mar 10 1999 Jan 10 Feb 10 Mar 10 2001 Jan 10 Feb 10 Mar 10 2003 Jan 10 Feb 10 Mar 10',
    ],
  ]
  for (const [rrule, start, expected] of examples) {
    it(rrule, () => {
      const startsAt = `${start}T09:00:00-0${start < '1997-04' || start.startsWith('2007-01') ? 5 : 4}:00`
      const found = firstSlots(seriesOf(rrule, startsAt, newYork), 100)
      assert.deepEqual(
        found.map((moment) => localTime(moment, newYork)),
        days(expected),
      )
    })
  }

  it('FREQ=DAILY;UNTIL=19971224T000000Z goes to the day before, across the change of the clocks', () => {
    const found = firstSlots(seriesOf('FREQ=DAILY;UNTIL=19971224T000000Z', '1997-09-02T13:00:00Z', newYork), 1_000)
    assert.equal(found.length, 113)
    assert.deepEqual([found.at(53), found.at(54)], ['1997-10-25T13:00:00.000Z', '1997-10-26T14:00:00.000Z'])
    assert.equal(found.at(-1), '1997-12-23T14:00:00.000Z')
  })

  it('FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1 is every day of three Januaries, the last moment included', () => {
    const found = firstSlots(
      seriesOf('FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1', '1998-01-01T14:00:00Z', newYork),
      1_000,
    )
    assert.equal(found.length, 93)
    assert.equal(found.at(-1), '2000-01-31T14:00:00.000Z')
  })
})

describe('the clocks', () => {
  it('keep a visit at nine o’clock when they go forward', () => {
    const found = firstSlots(seriesOf('FREQ=DAILY', '2027-03-27T09:00:00Z', 'Europe/London'), 3)
    assert.deepEqual(found, ['2027-03-27T09:00:00.000Z', '2027-03-28T08:00:00.000Z', '2027-03-29T08:00:00.000Z'])
  })

  it('move a visit in the hour that is left out on by that hour, and only that one', () => {
    const found = firstSlots(seriesOf('FREQ=DAILY', '2027-03-27T01:30:00Z', 'Europe/London'), 3)
    assert.deepEqual(found, ['2027-03-27T01:30:00.000Z', '2027-03-28T01:30:00.000Z', '2027-03-29T00:30:00.000Z'])
    assert.equal(localTime(found[1]!, 'Europe/London'), '2027-03-28 02:30:00')
  })

  it('mean the first of two when an hour comes twice', () => {
    const found = firstSlots(seriesOf('FREQ=DAILY', '2027-10-30T00:30:00Z', 'Europe/London'), 3)
    assert.deepEqual(found, ['2027-10-30T00:30:00.000Z', '2027-10-31T00:30:00.000Z', '2027-11-01T01:30:00.000Z'])
  })

  it('keep Auckland’s weekly time across 27 September 2026', () => {
    const found = firstSlots(seriesOf('FREQ=WEEKLY', '2026-09-21T20:00:00Z', 'Pacific/Auckland'), 2)
    assert.deepEqual(found, ['2026-09-21T20:00:00.000Z', '2026-09-28T19:00:00.000Z'])
  })

  it('do not change how long a visit takes', () => {
    const [slot] = slotsFrom(seriesOf('FREQ=DAILY', '2027-03-28T00:30:00Z', 'Europe/London', 90))
    assert.equal(slot!.to.toISOString(), '2027-03-28T02:00:00.000Z')
  })
})

describe('the calendar', () => {
  it('skips months without the day, and −1 is the last one', () => {
    const on31 = firstSlots(seriesOf('FREQ=MONTHLY', '2027-01-31T09:00:00Z', 'UTC'), 4)
    assert.deepEqual(
      on31.map((day) => day.slice(0, 10)),
      ['2027-01-31', '2027-03-31', '2027-05-31', '2027-07-31'],
    )
    const last = firstSlots(seriesOf('FREQ=MONTHLY;BYMONTHDAY=-1', '2027-01-31T09:00:00Z', 'UTC'), 3)
    assert.deepEqual(
      last.map((day) => day.slice(0, 10)),
      ['2027-01-31', '2027-02-28', '2027-03-31'],
    )
  })

  it('has 29 February in leap years only', () => {
    const found = firstSlots(seriesOf('FREQ=YEARLY', '2096-02-29T09:00:00Z', 'UTC'), 3)
    assert.deepEqual(
      found.map((day) => day.slice(0, 10)),
      ['2096-02-29', '2104-02-29', '2108-02-29'],
    )
  })

  it('counts COUNT from the beginning, whatever is looked at', () => {
    const series = seriesOf('FREQ=WEEKLY;COUNT=5', '2027-01-04T09:00:00Z', 'UTC')
    assert.equal(firstSlots(series, 100, Date.parse('2027-01-20T00:00:00Z')).length, 2)
    assert.equal(slotAt(series, 4, new Date('2027-02-01T09:00:00Z'))?.from.toISOString(), '2027-02-01T09:00:00.000Z')
    assert.equal(slotAt(series, 5, new Date('2099-01-01')), undefined)
    assert.equal(slotAt(series, 4, new Date('2027-02-01T08:59:59Z')), undefined, 'it lies beyond what is asked for')
    assert.equal(countBefore(series, Date.parse('2027-01-18T09:00:00Z')), 2)
    assert.equal(countBefore(series, Date.parse('2028-01-01T00:00:00Z')), 5)
    const until = seriesOf('FREQ=DAILY;UNTIL=20270120T090000Z', '2027-01-04T09:00:00Z', 'UTC')
    assert.equal(countBefore(until, Date.parse('2028-01-01T00:00:00Z')), 17)
  })

  it('has each day once, however often the rule names it', () => {
    const rule = parseRule('FREQ=DAILY;BYMONTHDAY=15,1,15,-1,1')
    assert.deepEqual(typeof rule === 'string' ? rule : rule.monthDays, [-1, 1, 15])
    const found = firstSlots(seriesOf('FREQ=DAILY;BYMONTHDAY=28,-1', '2027-02-27T09:00:00Z', 'UTC'), 3)
    assert.deepEqual(
      found.map((day) => day.slice(0, 10)),
      ['2027-02-28', '2027-03-28', '2027-03-31'],
    )
  })

  it('ends while a week’s visit can still end in a year of four digits', () => {
    const found = firstSlots(seriesOf('FREQ=DAILY', '9999-12-15T09:00:00Z', 'Etc/GMT+12'), 100)
    assert.equal(found.at(-1), '9999-12-23T09:00:00.000Z')
  })

  it('ends: a rule that never falls on a day gives none', () => {
    assert.deepEqual(
      firstSlots(seriesOf('FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31', '2027-02-01T09:00:00Z', 'UTC'), 1),
      [],
    )
    assert.equal(parseRule('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'), 'never falls on a day')
  })
})

describe('a rule', () => {
  const refused: Readonly<Record<string, string>> = {
    'FREQ=MONTHLY;BYSETPOS=1;BYDAY=MO': 'uses an unsupported part: BYSETPOS',
    'FREQ=WEEKLY;WKST=SU': 'uses an unsupported part: WKST',
    'FREQ=HOURLY': 'FREQ must be one of DAILY, WEEKLY, MONTHLY, YEARLY',
    'INTERVAL=2': 'needs FREQ',
    'FREQ=WEEKLY;FREQ=DAILY': 'has FREQ twice',
    'FREQ=DAILY;INTERVAL=366': 'INTERVAL must be from 1 to 365',
    'FREQ=DAILY;COUNT=1001': 'COUNT must be from 1 to 1000',
    'FREQ=DAILY;COUNT=0': 'COUNT must be from 1 to 1000',
    'FREQ=DAILY;COUNT=2;UNTIL=20270101T000000Z': 'cannot have both COUNT and UNTIL',
    'FREQ=DAILY;UNTIL=20270101': 'UNTIL must be a time in UTC such as 20271231T235959Z',
    'FREQ=DAILY;UNTIL=20270231T000000Z': 'UNTIL must be a time in UTC such as 20271231T235959Z',
    'FREQ=WEEKLY;BYDAY=2MO': 'BYDAY must be weekdays such as MO,TH',
    'FREQ=MONTHLY;BYDAY=TU': 'BYDAY must be one weekday of the month such as 2TU or -1FR',
    'FREQ=MONTHLY;BYDAY=1TU,2TU': 'BYDAY must be one weekday of the month such as 2TU or -1FR',
    'FREQ=MONTHLY;BYDAY=6TU': 'BYDAY must be one weekday of the month such as 2TU or -1FR',
    'FREQ=YEARLY;BYDAY=1TU': 'uses an unsupported part: BYDAY with FREQ=YEARLY',
    'FREQ=WEEKLY;BYMONTHDAY=1': 'uses an unsupported part: BYMONTHDAY with FREQ=WEEKLY',
    'FREQ=MONTHLY;BYMONTHDAY=-2': 'BYMONTHDAY must be from 1 to 31, or -1',
    'FREQ=YEARLY;BYMONTH=13': 'BYMONTH must be from 1 to 12',
    'every monday': 'must be parts such as FREQ=WEEKLY;BYDAY=MO,TH',
    'FREQ=DAILY;': 'must be parts such as FREQ=WEEKLY;BYDAY=MO,TH',
  }
  for (const [text, words] of Object.entries(refused))
    it(`${text} is refused`, () => assert.equal(parseRule(text), words))

  it('is read whatever the case of its letters', () => {
    assert.deepEqual(parseRule('freq=weekly;byday=th,mo') as RecurrenceRule, {
      frequency: 'WEEKLY',
      interval: 1,
      weekDays: [0, 3],
    })
  })
})

const zones = [
  ...['UTC', 'Europe/London', 'Europe/Berlin', 'America/New_York', 'America/St_Johns', 'America/Sao_Paulo'],
  ...['America/Santiago', 'Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Tokyo', 'Asia/Tehran', 'Africa/Casablanca'],
  ...[
    'Africa/Cairo',
    'Australia/Lord_Howe',
    'Australia/Sydney',
    'Pacific/Auckland',
    'Pacific/Chatham',
    'Pacific/Kiritimati',
  ],
]

const some = <T>(values: readonly T[], most: number) =>
  fc.option(fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: most }), { nil: undefined })
const upTo = (most: number) => Array.from({ length: most }, (_, index) => index + 1)
const weekDays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

/** Any rule of the subset. */
const rules = fc
  .record({
    frequency: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
    interval: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 60 })),
    weekDays: some(weekDays, 7),
    nth: fc.option(fc.tuple(fc.constantFrom(1, 2, 3, 4, 5, -1, -2), fc.constantFrom(...weekDays)), { nil: undefined }),
    monthDays: some([...upTo(31), -1], 4),
    months: some(upTo(12), 5),
    count: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
    untilDays: fc.option(fc.integer({ min: 0, max: 3_000 }), { nil: undefined }),
  })
  .map(({ frequency, interval, weekDays, nth, monthDays, months, count, untilDays }) => (startsAt: Date) => {
    const byDay = frequency === 'WEEKLY' ? weekDays?.join() : frequency === 'MONTHLY' && nth?.join('')
    const until = new Date(startsAt.getTime() + (untilDays ?? 0) * dayMs + hourMs)
    return [
      `FREQ=${frequency}`,
      `INTERVAL=${interval}`,
      byDay && `BYDAY=${byDay}`,
      monthDays && frequency !== 'WEEKLY' && !byDay && `BYMONTHDAY=${monthDays}`,
      months && `BYMONTH=${months}`,
      count && `COUNT=${count}`,
      untilDays !== undefined && !count && `UNTIL=${compact(until.getTime())}`,
    ]
      .filter(Boolean)
      .join(';')
  })

const starts = fc.integer({ min: Date.parse('1990-01-01') / 900_000, max: Date.parse('2060-01-01') / 900_000 })
const most = 25
/** Rules that are met almost never are looked for a while, not for ever. */
const lookAheadMs = 12 * 365 * dayMs
const compact = (moment: number) => new Date(moment).toISOString().replace(/[-:]|\.\d+/g, '')

/** What the clocks of a zone show, read as if it were UTC. */
const wallOf = (moment: number, timeZone: string) => Date.parse(`${localTime(moment, timeZone).replace(' ', 'T')}Z`)

/** The moment at which the clocks of a zone show a time, found by looking at them. */
function momentAt(wall: number, timeZone: string): number {
  const offset = (moment: number) => wallOf(moment, timeZone) - moment
  const [before, after] = [wall - offset(wall - dayMs), wall - offset(wall + dayMs)]
  const candidates = [before, after].filter((moment) => wallOf(moment, timeZone) === wall)
  return candidates.length > 0 ? Math.min(...candidates) : before
}

describe('any rule in any zone', () => {
  it('gives what another library gives, at the times that the clocks show', () => {
    fc.assert(
      fc.property(rules, starts, fc.constantFrom(...zones), (ruleAt, quarter, timeZone) => {
        const startsAt = new Date(quarter * 900_000)
        const rrule = ruleAt(startsAt)
        if (typeof parseRule(rrule) === 'string') return
        const series = seriesOf(rrule, startsAt.toISOString(), timeZone)
        const wall = wallOf(startsAt.getTime(), timeZone)
        const dates = new RRuleTemporal({
          rruleString: `DTSTART:${compact(wall)}\nRRULE:${rrule.replace(/;UNTIL.*/, '')}`,
        }).between(new Date(wall), new Date(wall + lookAheadMs), true)
        const expected = dates
          .slice(0, most)
          .map(({ epochMilliseconds }) => momentAt(epochMilliseconds, timeZone))
          .filter((moment) => moment <= (series.rule.until?.getTime() ?? Number.POSITIVE_INFINITY))
          .map((moment) => new Date(moment).toISOString())
        const found = firstSlots(series, most).filter(
          (moment) => wallOf(Date.parse(moment), timeZone) <= wall + lookAheadMs,
        )
        assert.deepEqual(found, expected, `${rrule} ${compact(wall)} ${timeZone}`)
      }),
      { numRuns: 1_000 },
    )
  })

  it('shows the same time on the wall, the first of two, or the next there is', () => {
    fc.assert(
      fc.property(starts, fc.constantFrom(...zones), (quarter, timeZone) => {
        const startsAt = new Date(quarter * 900_000)
        const time = localTime(startsAt, timeZone).slice(11)
        for (const moment of firstSlots(seriesOf('FREQ=DAILY', startsAt.toISOString(), timeZone), 400).slice(1)) {
          const at = Date.parse(moment)
          const shown = localTime(at, timeZone)
          if (shown.slice(11) !== time) {
            // Left out: shortly before it the clocks went forward, to beyond the time that was meant.
            const before = localTime(at - 3 * hourMs, timeZone)
            assert.ok(Date.parse(`${shown}Z`) - Date.parse(`${before}Z`) > 3 * hourMs, `${moment} ${timeZone}`)
            assert.ok(shown.slice(11) > time)
          }
          for (const earlier of [30, 60]) assert.notEqual(localTime(at - earlier * minuteMs, timeZone), shown)
        }
      }),
      { numRuns: 25 },
    )
  })
})
