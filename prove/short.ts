// A short form of every trial for the tests, so that what the proof says is looked at with every change. They stand in
// three files, which run side by side.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipUnlessInstalled } from '../test/programs.ts'
import { trials } from './trials.ts'

const trialsByFile = [
  ['load', 'idle', 'durability', 'neighbours', 'desk', 'soak'],
  ['many', 'rolling', 'faults', 'events', 'takeover'],
  ['authorisation', 'races', 'fuzz', 'planted-callers', 'planted-shop', 'planted-systems', 'machines', 'upgrade'],
]

/** What another test does with every change as well, and what takes a minute: `EVERY_TRIAL=yes` runs it here, too. */
const elsewhere = new Map([
  ['machines', 'test/citus.test.ts has a cluster of its own'],
  ['upgrade', 'test/released.test.ts migrates a shop of that release'],
  ['soak', 'src/desk/desk.test.ts opens the same streams and pages'],
  ['desk', 'src/desk/desk.test.ts opens the same streams and pages'],
  ['takeover', 'src/db/servers.test.ts follows from a server that takes no writes to one that does'],
  ['rolling', 'src/processes/processes.test.ts replaces processes one after the other'],
])
const skippedHere = (name: string) => process.env.EVERY_TRIAL !== 'yes' && elsewhere.get(name)

export function testShortTrials(third: 0 | 1 | 2): void {
  describe('short trials', () => {
    for (const { name, title, needs = [], skipReason = false, run } of trials.filter((trial) =>
      trialsByFile[third]!.includes(trial.name),
    )) {
      test(`${name}: ${title}`, {
        skip: skippedHere(name) || (needs.map(skipUnlessInstalled).find(Boolean) ?? skipReason),
      }, async (t) => {
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
