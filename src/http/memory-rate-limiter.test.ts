// Counting in this process: spans end by themselves, and nothing that is done to the wall clock renews or prolongs one.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { memoryRateLimiter } from './memory-rate-limiter.ts'

test('counts each key by itself, beyond the limit too', async () => {
  const limiter = memoryRateLimiter(2, 60)
  const results = []
  for (const key of ['a', 'a', 'b', 'a']) results.push(await limiter.consume(key))
  assert.deepEqual(
    results.map(({ consumedPoints, remainingPoints }) => [consumedPoints, remainingPoints]),
    [
      [1, 1],
      [2, 0],
      [1, 1],
      [3, -1],
    ],
  )
})

test('what is given back can be used again', async () => {
  const counter = memoryRateLimiter(2, 60)
  await counter.consume('a')
  await counter.reward('a')
  await counter.reward('a')
  assert.equal((await counter.consume('a')).consumedPoints, 1)
})

test('a count begins anew when its span is over', async () => {
  const counter = memoryRateLimiter(2, 0.05)
  await counter.consume('a')
  await delay(100)
  assert.equal((await counter.consume('a')).consumedPoints, 1)
})

test('a wall clock that jumps an hour neither renews a count nor prolongs it', async (t) => {
  t.after(() => mock.timers.reset())
  for (const hours of [1, -1]) {
    const counter = memoryRateLimiter(2, 60)
    await counter.consume('a')
    mock.timers.enable({ apis: ['Date'], now: Date.now() + hours * 3_600_000 })
    const { consumedPoints, msBeforeNext } = await counter.consume('a')
    assert.equal(consumedPoints, 2)
    assert.ok(msBeforeNext > 0 && msBeforeNext <= 60_000)
    mock.timers.reset()
  }
})
