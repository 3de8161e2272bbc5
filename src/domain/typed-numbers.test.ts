// Numbers as people type them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTyped } from './typed-numbers.ts'

test('a number is read with a point, a comma or groups of thousands', () => {
  const numbers: [typed: string, number: number][] = [
    ['1', 1],
    ['1.5', 1.5],
    ['1,5', 1.5],
    [' 12,75 ', 12.75],
    ['.5', 0.5],
    ['1,500', 1500],
    ['1,569.20', 1569.2],
    ['1 569.20', 1569.2],
    ['-3', -3],
  ]
  for (const [typed, number] of numbers) assert.equal(parseTyped(typed), number, typed)
})

test('what is no number stays text, to be refused by name', () => {
  for (const typed of ['', 'two', '1.5.2', '1,5,2', '12%', '1e3', '0x10', 'Infinity'])
    assert.equal(parseTyped(typed), typed)
})
