// Mutation tests: every control of the service is removed once, and a test must fail each time.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { atLeast, none, type Result, type Trial } from '../trial.ts'
import type { Mutant } from './mutant.ts'
import { type MutantGroup, mutantGroups } from './mutants.ts'
import { createSandbox, root, type Sandbox } from './sandbox.ts'

/** Each runs a service, a PostgreSQL and a test file, which wait for each other half of the time. */
const sandboxCount = 2 * availableParallelism()
const minimumMutants = 45

export const plantedTrials: readonly Trial[] = mutantGroups.map(({ name, title, mutants }: MutantGroup) => ({
  name,
  title,
  how:
    `${mutants.length} mutants: in each, one control is removed from a copy of the service: a binding, a lock, an index, a ` +
    'check, a limit. The test files named for it are run. The mutant is killed if one of their tests fails while others ' +
    'pass, and if all of them pass without the mutation. One that survives beside three others is run again alone.',
  async run(size, log) {
    const stale = await findStale(mutants)
    if (size === 'short') return [stale]
    return [stale, ...toResults(mutants, await tryToKill(mutants, log))]
  },
  async again(before, log) {
    const names = before.flatMap(({ failed = [] }) => failed)
    const again = mutants.filter(({ control }) => names.includes(control))
    const outcome = await tryToKill(again, log)
    const killed = again.map(({ control }) => control).filter((control) => !outcome.survivors.includes(control))
    return [await findStale(mutants), ...toResults(mutants, outcome, killed)]
  },
}))

interface Outcome {
  readonly failingTests: ReadonlySet<string>
  readonly survivors: readonly string[]
}

function toResults(
  mutants: readonly Mutant[],
  { failingTests, survivors }: Outcome,
  later: readonly string[] = [],
): Result[] {
  const survived = none('mutants that survived', survivors.length, formatNames(survivors, mutants.length))
  const mended =
    later.length === 0
      ? ''
      : `; ${later.length} were killed later, after what was wrong was mended: ${later.join('; ')}`
  return [
    none('test files that fail without a mutation', failingTests.size, String(testsOf(mutants).length)),
    atLeast('mutants', minimumMutants, mutants.length),
    { ...survived, measured: survived.measured + mended, failed: survivors },
  ]
}

const testsOf = (mutants: readonly Mutant[]) => [...new Set(mutants.flatMap(({ tests }) => tests))]

async function tryToKill(mutants: readonly Mutant[], log: (text: string) => void): Promise<Outcome> {
  const suspectedTests: string[] = []
  const failingTests = new Set<string>()
  const suspects: Mutant[] = []
  const survivors: string[] = []
  await using disposables = new AsyncDisposableStack()
  const sandboxes: Sandbox[] = []
  for (let index = 0; index < sandboxCount; index++) sandboxes.push(disposables.use(await createSandbox()))

  await distribute(sandboxes, testsOf(mutants), async (sandbox, test) => {
    if (!(await sandbox.passes(test))) suspectedTests.push(test)
  })
  // As in `npm test`: one that was too slow beside three others says nothing yet, so it is run again alone.
  for (const test of suspectedTests) {
    if (await sandboxes[0]!.passes(test)) continue
    failingTests.add(test)
    log(`${test} fails without any mutation`)
  }
  const killingTestOf = async (sandbox: Sandbox, mutant: Mutant) =>
    mutant.tests.some((test) => failingTests.has(test)) ? undefined : await sandbox.findKillingTest(mutant)
  let done = 0
  await distribute(sandboxes, mutants, async (sandbox, mutant) => {
    const killingTest = await killingTestOf(sandbox, mutant)
    if (killingTest === undefined) suspects.push(mutant)
    log(`${++done} of ${mutants.length}: ${mutant.control}: ${killingTest ?? 'SURVIVED beside others'}`)
  })
  // What depends on time may not show beside three others, so these are run again alone, too.
  for (const mutant of suspects) {
    const killingTest = await killingTestOf(sandboxes[0]!, mutant)
    if (killingTest === undefined) survivors.push(mutant.control)
    log(`alone: ${mutant.control}: ${killingTest ?? 'SURVIVED'}`)
  }
  return { failingTests, survivors }
}

const formatNames = (controls: readonly string[], total: number) =>
  controls.length === 0 ? String(total) : `${total}: ${controls.join('; ')}`

/** Code moves on: a mutant whose source text or test is gone proves nothing. */
async function findStale(mutants: readonly Mutant[]): Promise<Result> {
  const stale: string[] = []
  for (const { control, file, find, tests } of mutants) {
    const text = await readFile(join(root, file), 'utf8').catch(() => '')
    const isPresent = text.split(find).length === 2 && tests.every((test) => existsSync(join(root, test)))
    if (!isPresent || tests.length === 0) stale.push(control)
  }
  return none('mutants whose source text or test is no longer there', stale.length, formatNames(stale, mutants.length))
}

/** Each sandbox takes the next when it is free. */
async function distribute<T>(
  sandboxes: readonly Sandbox[],
  all: readonly T[],
  work: (sandbox: Sandbox, one: T) => Promise<void>,
): Promise<void> {
  const queue = all.values()
  await Promise.all(
    sandboxes.map(async (sandbox) => {
      for (const one of queue) await work(sandbox, one)
    }),
  )
}
