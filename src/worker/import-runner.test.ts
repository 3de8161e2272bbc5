// Imports in a process beside the service: to the end, after a kill, and not longer than they may.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { unseenLocks } from '../../test/test-database.ts'
import { startOwnTestService } from '../../test/test-service.ts'
import { Database, sql, Unavailable } from '../db/database.ts'
import { postponeStep } from '../resources/imports/attempts.ts'
import { createImportRunner } from './import-runner.ts'
import { findDue } from './imports.ts'

const { database, organisation } = await startOwnTestService()
const logged: unknown[] = []
const log = { info() {}, error: (...line: unknown[]) => void logged.push(line) }
const openRunner = (at = database, stepTimeoutMs?: number) => {
  const runner = createImportRunner(at, log, stepTimeoutMs)
  after(() => runner.close())
  return runner
}

const rowCount = 1_200
const rows = Array.from({ length: rowCount }, (_, n) => [String(n), `Person ${n}`, `p${n}@x.example`])

async function startImport(shop: Awaited<ReturnType<typeof organisation>>) {
  const { id } = (await shop.post('/imports', { columns: ['ID', 'Name', 'Email'], source: 'paper' })).body.data
  await shop.post(`/imports/${id}/rows`, { rows })
  const stateOf = async () => (await shop.get(`/imports/${id}`)).body.data
  const written = async (): Promise<number> => {
    const counted = sql`select count(*)::int as count from customers where org_id = ${shop.orgId}`
    return (await database.query<{ count: number }>(counted))[0]!.count
  }
  const go = async (what: 'judge' | 'write') =>
    assert.equal((await shop.post(`/imports/${id}/${what}`, {})).status, 200)
  return { stateOf, written, go }
}

const attempts = async ({ orgId }: { readonly orgId: string }): Promise<number[]> =>
  (await database.query<{ attempts: number }>(sql`select attempts from imports where org_id = ${orgId}`)).map(
    (one) => one.attempts,
  )
const childProcesses = () => readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean)

test('goes on after its process was killed, and nothing is there twice', {
  skip: process.platform !== 'linux' && 'only Linux lists the children of a process',
}, async () => {
  const shop = await organisation()
  const { stateOf, written, go } = await startImport(shop)
  const runner = openRunner()
  const before = childProcesses()
  await go('judge')
  await runner.run()
  assert.equal((await stateOf()).status, 'judged')
  await go('write')
  const killed = assert.rejects(runner.run(), /ended in the middle/)
  while ((await written()) === 0) await delay(5)
  const [pid] = childProcesses().filter((one) => !before.includes(one))
  process.kill(Number(pid), 'SIGKILL')
  await killed
  const left = await written()
  assert.ok(left > 0 && left < rowCount, `${left} were written when it was killed`)
  await runner.run()
  const { status, created } = await stateOf()
  assert.deepEqual([status, created, await written()], ['written', rowCount, rowCount])
  assert.deepEqual(await attempts(shop), [0])
  assert.deepEqual(logged, [])
})

test('of two steps the one that ends the process is found, and it alone is put off', {
  skip: (process.platform !== 'linux' && 'only Linux lists the children of a process') || unseenLocks,
}, async () => {
  const shops = [await organisation(), await organisation()]
  for (const shop of shops) await (await startImport(shop)).go('judge')
  const counts = async () => (await Promise.all(shops.map(attempts))).flat().sort()
  const runner = openRunner()
  const before = childProcesses()
  const blocker = new pg.Client(database.servers.options)
  await blocker.connect()
  after(() => blocker.end())
  const untilWaiting = async (steps: number) => {
    const query = `select from pg_locks where not granted and relation = 'import_records'::regclass`
    while ((await blocker.query(query)).rowCount !== steps) await delay(20)
  }
  const killAt = async (steps: number) => {
    await blocker.query('begin; lock table import_records in access exclusive mode')
    const killed = assert.rejects(runner.run(), /ended in the middle/)
    await untilWaiting(steps)
    process.kill(Number(childProcesses().find((one) => !before.includes(one))), 'SIGKILL')
    await blocker.query('rollback')
    await killed
    await untilWaiting(0)
  }
  await killAt(2)
  assert.deepEqual(await counts(), [0, 0])
  await killAt(1)
  assert.deepEqual(await counts(), [0, 1])
  await runner.run()
  assert.deepEqual(await counts(), [0, 0])
})

test('a step that does not end is ended, and put off', { skip: unseenLocks }, async () => {
  const shop = await organisation()
  await (await startImport(shop)).go('judge')
  const runner = openRunner(database, 500)
  const blocker = new pg.Client(database.servers.options)
  await blocker.connect()
  after(() => blocker.end())
  await blocker.query('begin; lock table import_records in access exclusive mode')
  const ended = assert.rejects(runner.run(), /ended in the middle/)
  // The step itself goes on to hold the import in the database until it may go on.
  while (
    (await blocker.query("select from pg_locks where not granted and relation = 'import_records'::regclass"))
      .rowCount === 0
  )
    await delay(20)
  await delay(600)
  await blocker.query('rollback')
  await ended
  assert.deepEqual(await attempts(shop), [1])
  await openRunner().run()
  assert.deepEqual(await attempts(shop), [0])
})

test('an import that cannot go on has failed after some attempts', async () => {
  const shop = await organisation()
  const { stateOf, go } = await startImport(shop)
  await go('judge')
  const { id } = await stateOf()
  const due: boolean[] = []
  for (let attempt = 1; attempt <= 5; attempt++) {
    assert.equal((await stateOf()).status, 'judging')
    await database.query(postponeStep(shop.orgId, id, 'there is no more room'))
    due.push((await findDue(database)).includes(shop.orgId))
    await database.query(sql`update imports set due_at = now() where org_id = ${shop.orgId} and phase = 'sorting'`)
  }
  assert.deepEqual(due, [true, false, false, false, false])
  const { status, failure } = await stateOf()
  assert.deepEqual([status, failure], ['failed', 'It was tried 5 times and could not go on: there is no more room.'])
  await openRunner().run()
  assert.equal((await stateOf()).status, 'failed')
})

test('ends after a step where the service ends', async () => {
  const { stateOf, written, go } = await startImport(await organisation())
  const runner = openRunner()
  await go('judge')
  await runner.run()
  await go('write')
  const stopped = runner.run()
  while ((await written()) === 0) await delay(5)
  runner.stop()
  await stopped
  assert.ok((await written()) < rowCount)
  await runner.run()
  assert.equal((await stateOf()).status, 'writing', 'and begins no more')
})

test('a database that is away is no fault of an import', async () => {
  const away = openRunner(new Database({ host: '127.0.0.1', port: 1, user: 'nobody', database: 'nothing' }))
  await assert.rejects(away.run(), Unavailable)
})

test('the worker has it go on with what is due', async () => {
  const service = await startOwnTestService({ ROLE: 'all' })
  const { stateOf, go } = await startImport(await service.organisation())
  await go('judge')
  for (let looks = 0; (await stateOf()).status !== 'judged'; looks++) {
    assert.ok(looks < 600, 'it is not judged')
    await delay(50)
  }
})
