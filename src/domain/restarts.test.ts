// When a process that ended is started again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restartDelayMs } from './restarts.ts'

test('waits twice as long each time, and gives up at the fifth end within a minute', () => {
  const ends = [0, 1_000, 2_000, 3_000, 4_000]
  const delays = ends.map((_, count) => restartDelayMs(ends.slice(0, count + 1)))
  assert.deepEqual(delays, [100, 200, 400, 800, undefined])
})

test('what ended more than a minute ago no longer counts', () => {
  assert.equal(restartDelayMs([0, 1_000, 2_000, 3_000, 63_000]), 100)
})
