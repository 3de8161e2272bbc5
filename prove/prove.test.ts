// A short form of every trial, so that what the proof says is looked at with every change.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { missing } from '../test/programs.ts'
import { trials } from './trials.ts'

describe('short trials', () => {
  for (const { name, title, needs = [], run } of trials) {
    test(`${name}: ${title}`, { skip: needs.map(missing).find(Boolean) ?? false }, async (t) => {
      const figures = await run('short', (text) => t.diagnostic(text))
      assert.deepEqual(
        figures.filter(({ holds, isTimed }) => !holds && !isTimed),
        [],
      )
    })
  }
})
