// The periods of reports: groups cover every day once, and what is too long is refused by name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { groupings, groupStart, groupStarts, longestPeriod, periodProblem } from './report-periods.ts'
import { addDays } from './wall-clock.ts'

const day = fc.integer({ min: 0, max: 20_000 }).map((days) => addDays('1990-01-01', days))

test('every day of a period is in exactly one of its groups, and each group has one', () => {
  fc.assert(
    fc.property(day, fc.integer({ min: 0, max: 900 }), fc.constantFrom(...groupings), (from, length, grouping) => {
      const to = addDays(from, length)
      const starts = groupStarts(from, to, grouping)
      const days = Array.from({ length: length + 1 }, (_, index) => addDays(from, index))
      assert.deepEqual([...new Set(days.map((one) => groupStart(one, grouping)))], starts)
    }),
  )
})

test('weeks begin on Monday, months on their first', () => {
  assert.equal(groupStart('2026-11-22', 'week'), '2026-11-16')
  assert.equal(groupStart('2026-11-16', 'week'), '2026-11-16')
  assert.equal(groupStart('2027-01-01', 'week'), '2026-12-28')
  assert.equal(groupStart('2024-02-29', 'month'), '2024-02-01')
})

test('a period is refused by the parameter that is wrong with it', () => {
  const last = '2026-12-31'
  for (const grouping of groupings) {
    const most = longestPeriod(grouping)
    const first = addDays(last, 1 - most)
    assert.equal(periodProblem(last, last, most), undefined)
    assert.equal(periodProblem(first, last, most), undefined)
    assert.ok(groupStarts(first, last, grouping).length <= 400, grouping)
    assert.match(
      periodProblem(addDays(first, -1), last, most)!,
      grouping === 'day'
        ? /^from must be at most 400 days before to; choose a shorter period, or group by week or month$/
        : /^from must be at most 1827 days before to; choose a shorter period$/,
    )
  }
  assert.match(
    periodProblem('2026-11-17', '2026-11-16', 9)!,
    /^from must not be after to: 2026-11-17 is after 2026-11-16/,
  )
})
