// The parts of several processes by themselves: which there are, what they count, and how their metrics become one text.
import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { readConfig } from '../config/config.ts'
import { joinProcesses, renderFamilies } from '../metrics/prometheus.ts'
import { createCounts } from './counts.ts'
import { plannedProcesses } from './plan.ts'
import type { Count } from './protocol.ts'
import { createSharedStore, type SharedStore } from './shared-store.ts'

const names = (settings: Record<string, string>) => plannedProcesses(readConfig(settings)).map(({ name }) => name)

test('there is one process unless more are wanted, and then one more for the background work', () => {
  assert.deepEqual(names({}), [])
  assert.deepEqual(names({ PROCESSES: '1' }), [])
  assert.deepEqual(names({ PROCESSES: '2' }), ['http-1', 'http-2', 'background'])
  assert.deepEqual(names({ PROCESSES: 'split' }), ['http-1', 'background'])
  assert.deepEqual(names({ PROCESSES: '2', ROLE: 'rest,auth' }), ['http-1', 'http-2'])
  assert.deepEqual(names({ PROCESSES: 'split', ROLE: 'rest,auth' }), [], 'there is nothing to split')
  assert.deepEqual(names({ PROCESSES: '2', ROLE: 'worker' }), [], 'it does the background work already')
})

test('PROCESSES is a number, auto or split', () => {
  assert.equal(readConfig({ PROCESSES: 'auto' }).processes, availableParallelism())
  for (const wrong of ['0', '1.5', 'all', '65'])
    assert.throws(
      () => readConfig({ PROCESSES: wrong }),
      /PROCESSES must be a whole number from 1 to 64, or auto or split/,
      wrong,
    )
})

/** Processes that count in one place, and how many messages that took. */
function createStores(count: number) {
  const keep = createCounts()
  const messages: (readonly Count[])[] = []
  const stores = Array.from({ length: count }, () => {
    const store: SharedStore = createSharedStore(async (counts) => {
      messages.push(counts)
      return keep(counts, store.recall)
    }, Buffer.alloc(32))
    return store
  })
  return { stores, messages }
}

test('what is counted at once goes out together, and each gets the count of its own key', async () => {
  const { stores, messages } = createStores(1)
  const [two, hour] = [stores[0]!.limiter('two', 2, 60)!, stores[0]!.limiter('hour', 5, 3_600)!]
  const counted = await Promise.all([two.consume('a'), two.consume('b'), hour.consume('a'), two.consume('a')])
  assert.deepEqual(
    counted.map(({ consumedPoints, remainingPoints }) => [consumedPoints, remainingPoints]),
    [
      [1, 1],
      [1, 1],
      [1, 4],
      [2, 0],
    ],
  )
  assert.ok(counted[0].msBeforeNext <= 60_000 && counted[2].msBeforeNext > 60_000)
  assert.deepEqual([messages.length, messages[0]!.length], [1, 4])
  await two.reward('a')
  assert.equal((await two.consume('a')).consumedPoints, 2, 'one was given back')
})

test('a limit of a hundred is told to the last request, whoever asks', async () => {
  const limiters = createStores(2).stores.map((store) => store.limiter('hundred', 100, 60)!)
  const used: number[] = []
  for (let n = 0; n < 100; n++) used.push((await limiters[n % 3 === 0 ? 1 : 0]!.consume('a')).consumedPoints)
  assert.deepEqual(
    used,
    Array.from({ length: 100 }, (_, n) => n + 1),
  )
})

test('a large limit costs few messages, and not one request more or less than it allows is served', async () => {
  const { stores, messages } = createStores(2)
  const [first, second] = stores.map((store) => store.limiter('thousands', 5_000, 60)!)
  const ask = async (limiter: typeof first, count: number) => {
    let served = 0
    for (let n = 0; n < count; n++) if ((await limiter!.consume('a')).consumedPoints <= 5_000) served++
    return served
  }
  const begun = (await ask(first, 1_001)) + (await ask(second, 1))
  assert.equal(begun, 1_002)
  assert.ok(messages.length < 50, `${messages.length} messages`)
  // The first one holds a part of its lease and asks no more: the second gets it all the same.
  const rest = await Promise.all([ask(second, 2_500), ask(second, 2_500)])
  assert.equal(begun + rest[0]! + rest[1]!, 5_000)
  assert.equal(await ask(first, 3), 0)
})

test('a sample says whose it is, and a family has one heading', () => {
  const family = (value: number) =>
    ({ name: 'jobs_total', kind: 'counter', help: 'Jobs.', samples: [{ labels: { kind: 'small' }, value }] }) as const
  const told = new Map([
    ['http-1', [family(1)]],
    ['http-2', [family(2)]],
  ])
  assert.equal(
    renderFamilies(joinProcesses(told)),
    `# HELP jobs_total Jobs.
# TYPE jobs_total counter
jobs_total{process="http-1",kind="small"} 1
jobs_total{process="http-2",kind="small"} 2
`,
  )
})
