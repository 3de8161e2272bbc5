// Faults in what tenants share: one could take it from the others.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of code.
import type { Mutant } from './mutant.ts'

const neighbours = ['src/db/neighbours.test.ts']
const pages = ['src/operations/page-bytes.test.ts']

export const fairness: readonly Mutant[] = [
  {
    control: 'an organisation has a share of the transactions, not all of them',
    file: 'src/db/database.ts',
    find: 'transaction: { connections: 20, perTenant: 8 }',
    replace: 'transaction: { connections: 20, perTenant: 20 }',
    tests: neighbours,
  },
  {
    control: 'an organisation in debt has a share of the reads, not all of them',
    file: 'src/db/database.ts',
    find: 'read: { connections: 3, perTenant: 1 }',
    replace: 'read: { connections: 3, perTenant: 3 }',
    tests: neighbours,
  },
  {
    control: 'an organisation has a share of the reads that are planned anew, not all of them',
    file: 'src/db/database.ts',
    find: 'customPlan: { connections: 2, perTenant: 1 }',
    replace: 'customPlan: { connections: 2, perTenant: 2 }',
    tests: neighbours,
  },
  {
    control: 'who kept the connection for reads busy takes turns',
    file: 'src/db/database.ts',
    find: 'if (this.#debts.isInDebt(tenant)) return this.#readLane.query<R>(tenant, statement)',
    replace: '',
    tests: neighbours,
  },
  {
    control: 'who kept a connection for slow reads busy takes turns',
    file: 'src/db/database.ts',
    find: 'if (this.#debts.isInDebt(tenant)) return lane.query<R>(tenant, statement)',
    replace: '',
    tests: neighbours,
  },
  {
    control: 'an organisation has few slow reads on their way at once',
    file: 'src/db/database.ts',
    find: 'perTenant: slowReadsPerTenant',
    replace: 'perTenant: 1_000',
    tests: neighbours,
  },
  {
    control: 'who kept connections for writes waiting for a lock takes turns',
    file: 'src/db/database.ts',
    find: 'if (isLockTimeout(error)) this.#debts.charge(tenant, lockTimeoutChargeMs)',
    replace: '',
    tests: neighbours,
  },
  {
    control: 'an organisation has one step of long work at a time',
    file: 'src/db/database.ts',
    find: 'longWork: { connections: 3, perTenant: 1 }',
    replace: 'longWork: { connections: 3, perTenant: 3 }',
    tests: neighbours,
  },
  {
    control: 'long work rests between its steps',
    file: 'src/db/database.ts',
    find: 'await delay(Math.min(performance.now() - startedAt, maxRestMs), undefined, { ref: false })',
    replace: '',
    tests: neighbours,
  },
  {
    control: 'who waits in vain for a turn of long work is accepted, and the worker goes on',
    file: 'src/operations/execute.ts',
    find: 'if (error instanceof TurnTimeout) return undefined',
    replace: 'if (error instanceof RangeError) return undefined',
    tests: ['src/resources/recurring/pending-work.test.ts'],
  },
  {
    control: 'the worker comes back to whom it had no turn for, and goes on with the others',
    file: 'src/worker/step-failure.ts',
    find: "if (error instanceof TurnTimeout) return { cause: error, kind: 'notYet' }",
    replace: '',
    tests: ['src/resources/recurring/pending-work.test.ts'],
  },
  {
    control: 'nobody pays for waiting behind another',
    file: 'src/db/pipeline.ts',
    find: 'Math.max(idleAtStart, this.#idleAtLastAnswer)',
    replace: 'idleAtStart',
    tests: neighbours,
  },
  {
    control: 'the time of a statement counts from its execution',
    file: 'src/db/connection.ts',
    find: 'Math.max(startTimes[0]!, lastAnsweredAt)',
    replace: 'startTimes[0]!',
    tests: neighbours,
  },
  {
    control: 'a burst of one organisation begins a few at a time',
    file: 'src/fairness/start-turns.ts',
    find: 'if (count < startsPerTick) {',
    replace: 'if (count < 1_000_000) {',
    tests: ['src/fairness/start-turns.test.ts'],
  },
  {
    control: 'a debt is paid off slowly',
    file: 'src/fairness/debts.ts',
    find: 'const paidOffPerSecond = 5',
    replace: 'const paidOffPerSecond = 500',
    tests: ['src/fairness/debts.test.ts'],
  },
  {
    control: 'waiting for a turn ends',
    file: 'src/fairness/fair-semaphore.ts',
    find: 'if (maxWaitMs !== undefined) timer',
    replace: 'if (false) timer',
    tests: ['src/fairness/fair-semaphore.test.ts'],
  },
  {
    control: 'a page is bounded in bytes',
    file: 'src/operations/row-codec.ts',
    find: 'export const maxPageBytes = 500_000',
    replace: 'export const maxPageBytes = 100_000_000',
    tests: pages,
  },
  {
    control: 'a page that ends early says that there is more',
    file: 'src/operations/table-lists.ts',
    find: 'const hasMore = isCut || found.length > fetchedSize',
    replace: 'const hasMore = found.length > size',
    tests: pages,
  },
]
