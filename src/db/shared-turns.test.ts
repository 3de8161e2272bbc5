// Turns among processes: each `Database` here stands for one, with connections of its own.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { printDocument } from '../../test/print-documents.ts'
import { startTestService } from '../../test/test-service.ts'
import { createPdfQueue } from '../rendering/pdf/pdf-queue.ts'
import { Database, sql } from './database.ts'

const { connection } = await startTestService()
const openProcess = () => {
  const database = new Database(connection)
  after(() => database.close())
  return database
}
const one = openProcess()
const other = openProcess()

/** Names what has begun and ended, in its order. */
function recordSteps(tenant: string) {
  const moments: string[] = []
  const step = (database: Database, name: string, work: () => Promise<unknown> = async () => {}, of = tenant) =>
    database.longWorkStep(of, async () => {
      moments.push(`${name} begins`)
      await work()
      moments.push(`${name} ends`)
    })
  /** One that ends when it is told to; resolves once it has begun. */
  const longStep = async (database: Database, name: string) => {
    const { promise: told, resolve: end } = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const ended = step(database, name, () => {
      begun.resolve()
      return told
    })
    await begun.promise
    return { end, ended }
  }
  return { moments, step, longStep }
}

test('one has a step of long work under way in one process at a time, and others theirs', async () => {
  const { moments, step, longStep } = recordSteps('org_in_turn')
  const first = await longStep(one, 'first')
  const second = step(other, 'second')
  await step(other, 'of another', undefined, 'org_of_another')
  await delay(100)
  assert.deepEqual(moments, ['first begins', 'of another begins', 'of another ends'])
  first.end()
  await second
  assert.deepEqual(moments.slice(3), ['first ends', 'second begins', 'second ends'])
})

test('the rest after a step is one in all processes', async () => {
  const { moments, step, longStep } = recordSteps('org_at_rest')
  const first = await longStep(one, 'first')
  const second = step(other, 'second')
  await delay(400)
  first.end()
  await first.ended
  await delay(200)
  assert.deepEqual(moments, ['first begins', 'first ends'])
  await second
})

test('who waits in another process comes before the next of who has just ended', async () => {
  const { moments, step, longStep } = recordSteps('org_of_many')
  const first = await longStep(one, 'first')
  const many = Array.from({ length: 4 }, (_, index) => step(one, `many ${index}`))
  const few = step(other, 'few')
  await placeIsTaken('next of long work of org_of_many')
  first.end()
  await Promise.all([few, ...many])
  assert.equal(moments.indexOf('few begins'), 2)
})

/** Until somebody waits behind whoever has the turn. */
async function placeIsTaken(name: string): Promise<void> {
  const isFree = () =>
    one.transaction('test', ({ query }) =>
      query<{ free: boolean }>(sql`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as free`),
    )
  while ((await isFree())[0]!.free) await delay(10)
}

test('a process that does not give its turn on keeps nobody for longer than they wait, and nobody behind them', {
  timeout: 10_000,
}, async () => {
  const leave = await one.enterTurn('anything', 'org_frozen', 1_000)
  const startedAt = performance.now()
  const leaveInVain = await other.enterTurn('anything', 'org_frozen', 100)
  assert.ok(performance.now() - startedAt >= 100)
  const third = openProcess()
  const turn = third.enterTurn('anything', 'org_frozen', 60_000)
  await leaveInVain()
  await leave()
  await (await turn)()
})

test('a process that ends gives its turns on', { timeout: 10_000 }, async () => {
  const ending = new Database(connection)
  await ending.enterTurn('anything', 'org_ended', 1_000)
  const turn = one.enterTurn('anything', 'org_ended', 60_000)
  await ending.close()
  await (await turn)()
})

test('work that rests while its process ends opens no connection again', async () => {
  const ending = new Database(connection)
  await ending.longWorkStep('org_ending', () => delay(200))
  await ending.close()
  const backends = () => one.query<{ pid: number; query: string }>(sql`select pid, query from pg_stat_activity`)
  const before = new Set((await backends()).map(({ pid }) => pid))
  await delay(600) // the rest is over
  const opened = (await backends()).filter(({ pid, query }) => !before.has(pid) && query.includes('advisory_unlock'))
  assert.deepEqual(opened, [])
})

test('one has a PDF made in one process at a time', async () => {
  const queues = [one, other].map((database) =>
    createPdfQueue((orgId, maxWaitMs) => database.enterTurn('PDFs', orgId, maxWaitMs)),
  )
  after(() => Promise.all(queues.map((queue) => queue.close())))
  const options = { orgId: 'org_printing', timeoutMs: 60_000 }
  await Promise.all(queues.map((queue, index) => queue.render(printDocument(), { orgId: `org_warm_${index}` })))
  const leave = await openProcess().enterTurn('PDFs', 'org_printing', 1_000)
  let made = 0
  const all = queues.map((queue) => queue.render(printDocument(), options).then(() => made++))
  await delay(500)
  assert.equal(made, 0)
  await leave()
  await Promise.all(all)
})
