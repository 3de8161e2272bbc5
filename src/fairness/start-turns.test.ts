// Turns to begin: a burst is spread over the event loop's rounds, and others do not wait for its end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as soon } from 'node:timers/promises'
import { createStartTurns } from './start-turns.ts'

test('a burst begins a few at a time, in order, and somebody else at once', async () => {
  const turns = createStartTurns()
  const begun: number[] = []
  for (let n = 0; n < 50; n++) {
    const turn = turns.wait('many')
    if (turn) turn.then(() => begun.push(n))
    else begun.push(n)
  }
  assert.equal(begun.length, 16)
  assert.equal(turns.wait('few'), undefined)
  await soon()
  assert.ok(begun.length < 50, 'not all of them in one round')
  assert.equal(turns.wait('few'), undefined)
  while (begun.length < 50) await soon()
  assert.deepEqual(
    begun,
    Array.from({ length: 50 }, (_, n) => n),
  )
})

test('once it is over, everybody begins at once again', async () => {
  const turns = createStartTurns()
  for (let n = 0; n < 16; n++) assert.equal(turns.wait('one'), undefined)
  await soon()
  await soon()
  assert.equal(turns.wait('one'), undefined)
})
