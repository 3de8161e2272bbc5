// A short form of every trial for the tests, so that what the proof says is looked at with every change. They stand in
// three files, which run side by side.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipUnlessInstalled } from '../test/programs.ts'
import { trials } from './trials.ts'

const trialsByFile = [
  ['load', 'idle', 'durability', 'neighbours'],
  ['many', 'rolling', 'faults', 'events'],
  ['authorisation', 'races', 'fuzz', 'planted', 'machines'],
]

export function testShortTrials(third: 0 | 1 | 2): void {
  describe('short trials', () => {
    for (const { name, title, needs = [], skipReason = false, run } of trials.filter((trial) =>
      trialsByFile[third]!.includes(trial.name),
    )) {
      test(`${name}: ${title}`, { skip: needs.map(skipUnlessInstalled).find(Boolean) ?? skipReason }, async (t) => {
        const results = await run('short', (text) => t.diagnostic(text))
        assert.deepEqual(
          results.filter(({ holds, isTimed }) => !holds && !isTimed),
          [],
        )
      })
    }
  })
}

/** Each trial is in one of the files. */
export const isEveryTrialListed = () =>
  trialsByFile.flat().sort().join() === [...trials.map(({ name }) => name)].sort().join()
