// Against the clocks of the zones themselves, those with odd changes included.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { dayMs, hourMs } from './durations.ts'
import { steadyOffset } from './steady-offset.ts'

const dayOf = (date: string) => Date.parse(date) / dayMs

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Antarctica/Troll',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Pacific/Kwajalein',
  '-09:30',
]
const between = { min: dayOf('1970-01-01'), max: dayOf('2060-01-01') }

it('is what the zone is ahead at each hour of the day', () => {
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.integer(between), fc.integer({ min: 0, max: 23 }), (zone, day, hour) => {
      const offset = steadyOffset(day, zone)
      if (offset === undefined) return
      const moment = day * dayMs + hour * hourMs - offset
      const there = Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(zone)
      const date = new Date(day * dayMs).toISOString().slice(0, 10)
      assert.deepEqual([there.toPlainDate().toString(), there.hour, there.minute], [date, hour, 0])
    }),
    { numRuns: 3_000 },
  )
})

it('is not told around a change of the clocks, and is for all other days of a year', () => {
  const unsteady = (zone: string, year: string) =>
    Array.from({ length: 365 }, (_, n) => dayOf(`${year}-01-01`) + n)
      .filter((day) => steadyOffset(day, zone) === undefined)
      .map((day) => new Date(day * dayMs).toISOString().slice(5, 10))
  assert.deepEqual(unsteady('Europe/Berlin', '2026'), ['03-28', '03-29', '03-30', '10-24', '10-25', '10-26'])
  assert.deepEqual(unsteady('Asia/Kolkata', '2026'), [])
  assert.equal(steadyOffset(dayOf('2011-12-30'), 'Pacific/Apia'), undefined, 'a day that the zone left out')
})
