// Money as whole numbers: what is accepted, what is refused, how it is rounded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decimalsOf, divideRounded, fromScaled, toScaled } from './money.ts'

test('takes a number with so many decimal places and no more', () => {
  assert.deepEqual(
    [toScaled(12.5, 2), toScaled(0.1 + 0.2, 2), toScaled(-3, 0), toScaled(1e8, 4)],
    [1250n, 30n, -3n, 1_000_000_000_000n],
  )
  assert.deepEqual(
    [toScaled(1.23456, 4), toScaled(10.005, 2), toScaled(0.5, 0), toScaled(1e308, 4)],
    [undefined, undefined, undefined, undefined],
  )
})

test('any amount up to a hundred million goes in and comes out the same', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1e12, max: 1e12 }),
      (whole) => toScaled(whole / 1e4, 4) === BigInt(whole) && fromScaled(BigInt(whole), 4) === whole / 1e4,
    ),
  )
})

test('half is rounded away from zero', () => {
  assert.deepEqual(
    [
      divideRounded(5n, 10n),
      divideRounded(4n, 10n),
      divideRounded(-5n, 10n),
      divideRounded(-4n, 10n),
      divideRounded(15n, 10n),
    ],
    [1n, 0n, -1n, 0n, 2n],
  )
})

test('knows how many decimal places a currency has', () => {
  assert.deepEqual(['GBP', 'JPY', 'KWD'].map(decimalsOf), [2, 0, 3])
})
