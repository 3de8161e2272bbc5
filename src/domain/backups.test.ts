// Backups that are made every day: which are kept, and when one is due.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { backupMoment, backupName, expiredBackups, isBackupDue, isBackupLate } from './backups.ts'

/** Monday the 16th of November 2026 at two in the morning, and so many days earlier. */
const daysAgo = (days: number, hour = 2) => new Date(Date.UTC(2026, 10, 16 - days, hour))
const days = (...counts: number[]) => counts.map((count) => daysAgo(count))
const through = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('which backups go', () => {
  const cases: readonly (readonly [string, readonly Date[], readonly Date[]])[] = [
    ['none while there are seven', days(...through(0, 6)), []],
    // Weeks begin on Mondays: 0 is one, and the Sundays before it are 1, 8 and 15 days ago.
    [
      'after a month all but seven days and four weeks',
      days(...through(0, 30)),
      days(7, ...through(9, 14), ...through(16, 30)),
    ],
    ['days without one do not count', days(0, 20, 40, 60, 80, 100, 120), []],
    ['an eighth day goes unless it is the newest of its week', days(...through(0, 7)), days(7)],
    ['of a day the newest stays', [daysAgo(0, 2), daysAgo(0, 9), daysAgo(0, 15)], [daysAgo(0, 9), daysAgo(0, 2)]],
    ['the only one stays, however old', days(900), []],
    ['nothing of nothing', [], []],
  ]
  for (const [name, moments, expired] of cases) {
    it(name, () => {
      assert.deepEqual(expiredBackups(moments), expired)
      assert.deepEqual(expiredBackups([...moments].reverse()), expired, 'in whatever order they are found')
    })
  }

  it('a day later nothing comes back, and at most eleven are kept', () => {
    let kept: Date[] = []
    for (const count of through(0, 400).reverse()) {
      const all = [...kept, daysAgo(count)]
      const gone = expiredBackups(all)
      kept = all.filter((moment) => !gone.includes(moment))
      assert.ok(kept.length <= 11, String(kept.length))
    }
    assert.deepEqual(kept, days(15, 8, 6, 5, 4, 3, 2, 1, 0))
  })
})

describe('when a backup is due', () => {
  const cases: readonly (readonly [string, Date | undefined, Date, boolean])[] = [
    ['at once where there is none', undefined, daysAgo(0, 12), true],
    ['not again on the same day', daysAgo(0, 2), daysAgo(0, 23), false],
    ['not before its hour', daysAgo(1, 2), daysAgo(0, 1), false],
    ['at its hour', daysAgo(1, 2), daysAgo(0, 2), true],
    ['later on the day, if it was missed', daysAgo(1, 2), daysAgo(0, 17), true],
    ['before its hour, if yesterday’s was missed', daysAgo(2, 2), daysAgo(0, 1), true],
  ]
  for (const [name, newest, now, isDue] of cases) it(name, () => assert.equal(isBackupDue(newest, now, 2), isDue))

  it('is late after a day and a half', () => {
    assert.equal(isBackupLate(daysAgo(1, 2), daysAgo(0, 13)), false)
    assert.equal(isBackupLate(daysAgo(1, 2), daysAgo(0, 15)), true)
    assert.equal(isBackupLate(undefined, daysAgo(0)), true)
  })
})

it('a name tells the moment, and what is named otherwise is none of ours', () => {
  const moment = new Date('2026-11-16T02:03:04.000Z')
  assert.equal(backupName(moment), 'jobwright-2026-11-16T02-03-04Z.tar.gz')
  assert.deepEqual(backupMoment(backupName(moment)), moment)
  for (const name of ['mine.tar.gz', `${backupName(moment)}.part`, 'jobwright-2026-13-45T99-00-00Z.tar.gz'])
    assert.equal(backupMoment(name), undefined, name)
})
