// Money as whole numbers: what is accepted, what is refused, how it is rounded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decimalsOf, rounded, scaled, unscaled } from './money.ts'

test('takes a number with so many decimal places and no more', () => {
  assert.deepEqual(
    [scaled(12.5, 2), scaled(0.1 + 0.2, 2), scaled(-3, 0), scaled(1e8, 4)],
    [1250n, 30n, -3n, 1_000_000_000_000n],
  )
  assert.deepEqual(
    [scaled(1.23456, 4), scaled(10.005, 2), scaled(0.5, 0), scaled(1e308, 4)],
    [undefined, undefined, undefined, undefined],
  )
})

test('any amount up to a hundred million goes in and comes out the same', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1e12, max: 1e12 }),
      (whole) => scaled(whole / 1e4, 4) === BigInt(whole) && unscaled(BigInt(whole), 4) === whole / 1e4,
    ),
  )
})

test('half is rounded away from zero', () => {
  assert.deepEqual(
    [rounded(5n, 10n), rounded(4n, 10n), rounded(-5n, 10n), rounded(-4n, 10n), rounded(15n, 10n)],
    [1n, 0n, -1n, 0n, 2n],
  )
})

test('knows how many decimal places a currency has', () => {
  assert.deepEqual(['GBP', 'JPY', 'KWD'].map(decimalsOf), [2, 0, 3])
})
