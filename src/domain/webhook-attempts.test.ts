// What follows from an attempt: waits, the receiver's own wishes, and the end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hourMs, minuteMs, secondMs } from './durations.ts'
import { judgeAttempt } from './webhook-attempts.ts'

const now = Date.parse('2026-11-16T09:00:00Z')
const judge = (statusCode: number | null, tries = 1, { retryAfter = null as string | null, random = 0.5 } = {}) =>
  judgeAttempt({ statusCode, retryAfter }, tries, { now, random })

test('2xx is delivered, 410 is the end, and everything else is tried again', () => {
  for (const status of [200, 201, 202, 204, 299]) assert.deepEqual(judge(status), { kind: 'delivered' }, String(status))
  assert.deepEqual(judge(410), { kind: 'failed', isGone: true })
  for (const status of [null, 199, 300, 301, 307, 400, 401, 404, 409, 429, 500, 503])
    assert.equal(judge(status).kind, 'retry', String(status))
})

test('ten attempts, with the waits of the contract after each but the last', () => {
  const hours = [2, 5, 10, 14, 20, 24].map((count) => count * hourMs)
  const waits = [5 * secondMs, 5 * minuteMs, 30 * minuteMs, ...hours]
  assert.deepEqual(
    waits.map((_, index) => judge(500, index + 1)),
    waits.map((waitMs) => ({ kind: 'retry', waitMs })),
  )
  assert.deepEqual(judge(500, 10), { kind: 'failed', isGone: false })
  assert.deepEqual(judge(null, 10), { kind: 'failed', isGone: false })
  assert.deepEqual(judge(200, 10), { kind: 'delivered' })
})

test('waits differ by a tenth at most', () => {
  assert.deepEqual(judge(500, 2, { random: 0 }), { kind: 'retry', waitMs: 4.5 * minuteMs })
  assert.deepEqual(judge(500, 2, { random: 1 }), { kind: 'retry', waitMs: 5.5 * minuteMs })
})

test('429 and 503 may say when to come back, within an hour', () => {
  const wait = (statusCode: number, retryAfter: string) => {
    const verdict = judge(statusCode, 1, { retryAfter })
    return verdict.kind === 'retry' && verdict.waitMs
  }
  for (const status of [429, 503]) {
    assert.equal(wait(status, '120'), 120 * secondMs)
    assert.equal(wait(status, '0'), secondMs)
    assert.equal(wait(status, '86400'), hourMs)
    assert.equal(wait(status, 'Mon, 16 Nov 2026 09:01:30 GMT'), 90 * secondMs)
    assert.equal(wait(status, 'Mon, 16 Nov 2026 08:00:00 GMT'), secondMs)
    assert.equal(wait(status, 'soon'), 5 * secondMs, 'what nobody understands is ignored')
  }
  assert.equal(wait(500, '120'), 5 * secondMs, 'others are not asked')
})
