// What tenants share in the database: whatever one of them keeps waiting, another's statements go on.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sessionPriority, threadPriorities } from '../../test/priorities.ts'
import { startTestService } from '../../test/test-service.ts'
import { backgroundWork, ownWork } from '../fairness/tenant.ts'
import { Database, type Query, type Queryable, sql, Unavailable } from './database.ts'

const here = await startTestService()
const database = new Database(here.connection)
after(() => database.close())

const sleep = (seconds: number): Query => sql`select pg_sleep(${seconds})`
const quick: Query = sql`select 1 as one`

/** Settles once all of them have; says meanwhile how many have. */
function countSettled(work: readonly Promise<unknown>[]) {
  let settled = 0
  const all = Promise.all(
    work.map((one) =>
      one.then(
        () => settled++,
        () => settled++,
      ),
    ),
  )
  return { all, count: () => settled }
}

test('one that has many transactions under way leaves connections to another', async () => {
  const many = countSettled(
    Array.from({ length: 40 }, () => database.transaction('many', (transaction) => transaction.query(sleep(0.7)))),
  )
  assert.deepEqual(await database.transaction('few', (transaction) => transaction.query(quick)), [{ one: 1 }])
  assert.equal(many.count(), 0)
  assert.ok((database.metrics().waiting.find(([name]) => name === 'transaction')?.[1] ?? 0) >= 30)
  await many.all
})

for (const connection of ['slow', 'custom-plan'] as const)
  test(`one that keeps the ${connection} connection busy takes turns, which leave one to another`, async () => {
    const tenant = `many on ${connection}`
    const first = countSettled(Array.from({ length: 20 }, () => database.read(tenant, sleep(0.1), connection)))
    assert.equal(inFlightOn(connection), 4)
    await first.all
    const before = completedOn(connection === 'slow' ? 'read in turns' : 'custom-plan in turns')
    assert.ok(before > 0, 'the last of them took turns')
    const many = countSettled(Array.from({ length: 8 }, () => database.read(tenant, sleep(0.7), connection)))
    await database.read(`also in debt on ${connection}`, sleep(0.1), connection)
    assert.deepEqual(await database.read(`also in debt on ${connection}`, quick, connection), [{ one: 1 }])
    assert.deepEqual(await database.read('few', quick, connection), [{ one: 1 }])
    assert.equal(many.count(), 0)
    await many.all
  })

for (const connection of ['slow', 'custom-plan'] as const)
  test(`a read on one ${connection} connection does not wait for another that is under way`, async () => {
    const first = countSettled([database.read('one', sleep(1), connection)])
    assert.deepEqual(await database.read('other', quick, connection), [{ one: 1 }])
    assert.equal(first.count(), 0)
    await first.all
  })

test('what may scan everything takes turns from the first time on', async () => {
  const scans = countSettled([
    database.read('scans all', sleep(1), 'in-turns'),
    database.read('scans all', quick, 'in-turns'),
  ])
  for (const connection of ['slow', 'custom-plan', 'in-turns', undefined] as const)
    assert.deepEqual(await database.read('few', quick, connection), [{ one: 1 }])
  assert.equal(scans.count(), 0)
  await scans.all
})

test('a look through a long queue, which no request waits for, keeps no request waiting', async () => {
  const looks = countSettled([database.background(sleep(1)), database.background(quick)])
  assert.deepEqual(await database.query(quick), [{ one: 1 }])
  assert.deepEqual(await database.read('few', quick), [{ one: 1 }])
  assert.equal(looks.count(), 0)
  await looks.all
})

test('who waits too long for a turn is told to come again', async () => {
  const work = Array.from({ length: 24 }, () =>
    database.transaction('many', (transaction) => transaction.query(sleep(1.2))),
  )
  const outcomes = await Promise.allSettled(work)
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  assert.equal(refused.length, 8)
  for (const { reason } of refused) assert.ok(reason instanceof Unavailable)
})

test('one has one step of long work at a time, rests after it, and keeps no other from theirs', async () => {
  const begun: string[] = []
  const step = (tenant: string, seconds: number) =>
    database.longWorkStep(tenant, async (transaction) => {
      begun.push(tenant)
      await transaction.query(sleep(seconds))
    })
  await Promise.all([step('one', 0), step('another', 0)]) // both connections are open
  begun.length = 0
  const first = step('many', 0.5)
  const second = step('many', 0)
  await step('few', 0)
  assert.deepEqual(begun, ['many', 'few'])
  await first
  await delay(20)
  assert.deepEqual(begun, ['many', 'few'], 'as long as the step took')
  await second
  assert.deepEqual(begun, ['many', 'few', 'many'])
})

test('work in the background rests as long as it took, and longer from long work where somebody was answered meanwhile', async () => {
  const restAfter = async (work: () => Promise<unknown>, isAwaited = true) => {
    const beforeAll = performance.now()
    const rest = database.watchForRest({ isAwaited })
    const began = performance.now()
    await work()
    const took = performance.now() - began
    return { took, rest: rest(), atMost: performance.now() - beforeAll }
  }
  const working = (transaction: Queryable) => transaction.query(sleep(0.12))
  const alone = await restAfter(() => database.transaction('worker', working))
  assert.ok(alone.rest >= Math.min(alone.took, 500) && alone.rest <= alone.atMost)
  const beside = await restAfter(() =>
    Promise.all([database.transaction('worker', working), database.read('somebody', quick)]),
  )
  assert.ok(beside.rest >= Math.min(beside.took + 2 * (beside.took - 40), 500))
  const unawaited = await restAfter(
    () => Promise.all([database.transaction('worker', working), database.read('somebody', quick)]),
    false,
  )
  assert.ok(unawaited.rest >= Math.min(3 * unawaited.took, 500))
  const unawaitedAlone = await restAfter(() => database.transaction('worker', working), false)
  assert.ok(unawaitedAlone.rest <= unawaitedAlone.atMost)
  const short = await restAfter(() => database.read('somebody', quick))
  assert.ok(short.rest <= short.atMost + 2 * Math.max(0, short.atMost - 40))
})

test('writes that wait for a lock wait apart, and whoever has such waits apart from then on', async (t) => {
  const shop = await here.organisation()
  const other = await here.organisation()
  const { id } = (await shop.post('/customers', { firstName: 'Amara' })).body.data
  const database = new Database(here.connection) // where nobody is in debt yet
  const lock = await database.connect()
  t.after(() => Promise.all([lock.end(), database.close()])) // an open connection would keep the process from ending
  await lock.query('begin')
  await lock.query('select from customers where org_id = $1 and id = $2 for update', [shop.orgId, id])
  const note = (text: string) =>
    sql`update customers set notes = ${text} where org_id = ${shop.orgId} and id = ${id} returning id`
  const first = database.write(shop.orgId, note('first'))
  // Nobody else writes until then: on a busy machine a quick write may take so long that it is charged, too.
  while (inFlightOn('transaction', database) === 0) await delay(5)
  assert.equal(database.metrics().tenantsInDebt, 1)
  const waiting = countSettled([
    first,
    ...Array.from({ length: 60 }, (_, n) => database.write(shop.orgId, note(String(n)))),
  ])
  const sharedBefore = completedOn('write', database)
  await Promise.all(Array.from({ length: 30 }, () => database.write(other.orgId, quick)))
  assert.equal(waiting.count(), 0)
  // On a busy machine one of them may take so long that it waits apart, too.
  assert.ok(completedOn('write', database) > sharedBefore, 'the other one still writes on the shared connections')
  const transactionsBefore = completedOn('transaction', database)
  await lock.query('commit')
  await waiting.all
  await database.write(shop.orgId, quick)
  assert.ok(completedOn('transaction', database) > transactionsBefore, 'this one does not, for a while')
})

const countersOf = (kind: string, of = database) =>
  of
    .metrics()
    .counters.filter(([name]) => name.startsWith(kind))
    .map(([, counters]) => counters)
const completedOn = (kind: string, of = database) =>
  countersOf(kind, of).reduce((total, { completed }) => total + completed, 0)
const inFlightOn = (kind: string, of = database) =>
  countersOf(kind, of).reduce((total, { inFlight }) => total + inFlight, 0)

test('who keeps the connection for reads to itself takes turns from then on, and nobody else does', async () => {
  await database.read('heavy', sleep(0.3))
  const counts = () => [countersOf('read')[0]!.completed, completedOn('read in turns')] as const
  const [shared, inTurns] = counts()
  await database.read('heavy', quick)
  assert.deepEqual(counts(), [shared, inTurns + 1])
  await database.read('light', quick)
  assert.deepEqual(counts(), [shared + 1, inTurns + 1])
})

test('whoever is alone has the connections of turns but one, and one of them once somebody has come', async (t) => {
  const database = new Database(here.connection) // where nobody has been yet
  const lock = await database.connect()
  t.after(() => Promise.all([lock.end(), database.close()]))
  const underWay = async () => {
    const { rows } = await lock.query(
      `select count(*)::int from pg_locks where locktype = 'advisory' and objid = 4711 and not granted
        and database = (select oid from pg_database where datname = current_database())`,
    )
    return rows[0].count as number
  }
  const fourThatWait = async () => {
    await lock.query('select pg_advisory_lock(4711)')
    return countSettled(
      Array.from({ length: 4 }, () => database.read('one', sql`select pg_advisory_xact_lock_shared(4711)`, 'in-turns')),
    )
  }
  const alone = await fourThatWait()
  while ((await underWay()) < 3) await delay(5)
  assert.deepEqual(await database.read('other', quick, 'in-turns'), [{ one: 1 }])
  assert.deepEqual([await underWay(), alone.count()], [3, 0])
  await lock.query('select pg_advisory_unlock(4711)')
  await alone.all
  const besideOthers = await fourThatWait()
  while ((await underWay()) < 1) await delay(5)
  assert.deepEqual(await database.read('other', quick, 'in-turns'), [{ one: 1 }])
  assert.deepEqual([await underWay(), besideOthers.count()], [1, 0])
  await lock.query('select pg_advisory_unlock(4711)')
  await besideOthers.all
})

test('whoever keeps connections of one kind busy has the others as before', async () => {
  for (const connection of ['slow', 'custom-plan'] as const) await database.read('searches', sleep(0.3), connection)
  const counts = () => ['read in turns', 'custom-plan in turns', 'transaction'].map((kind) => completedOn(kind))
  const before = counts()
  const reads = countersOf('read')[0]!.completed
  await database.read('searches', quick)
  assert.deepEqual([counts(), countersOf('read')[0]!.completed], [before, reads + 1])
  const writes = completedOn('write')
  await database.write('searches', quick)
  assert.equal(completedOn('write'), writes + 1)
  await database.read('searches', quick, 'slow')
  assert.equal(completedOn('read in turns'), before[0]! + 1)
})

test('what a write takes is charged to whoever is beside others, and not to whoever is alone', async (t) => {
  const database = new Database(here.connection) // where nobody has been yet
  t.after(() => database.close())
  for (let n = 0; n < 2; n++) await database.write('one', sleep(0.2))
  assert.equal(database.metrics().tenantsInDebt, 0)
  for (const tenant of [ownWork, backgroundWork('one'), backgroundWork('other')]) await database.read(tenant, quick)
  await database.write('one', sleep(0.2))
  assert.equal(database.metrics().tenantsInDebt, 0, 'the service itself and its worker are nobody who is there')
  await database.read('other', quick)
  await database.write('one', sleep(0.2))
  assert.equal(database.metrics().tenantsInDebt, 1)
})

test('nobody is charged for what waited behind another', async () => {
  const outcomes = [database.read('slow one', sleep(0.3)), database.read('behind it', quick)]
  await Promise.all(outcomes)
  const before = completedOn('read in turns')
  await database.read('behind it', quick)
  assert.equal(completedOn('read in turns'), before)
})

test('the time of a statement counts from when it is executed, not from when it was sent', async () => {
  const work = Array.from({ length: 3 }, () => database.query(sleep(1.8)))
  assert.equal((await Promise.all(work)).length, 3)
})

const isElsewhere = process.platform !== 'linux' || !('host' in here.connection && here.connection.host.startsWith('/'))
test('what nobody waits for stands behind requests in PostgreSQL, too', {
  skip: isElsewhere && 'priorities are told by Linux, of processes on this machine',
}, async () => {
  const priorityOf = async (db: Queryable) => {
    const [{ pid }] = (await db.query(sql`select pg_backend_pid() as pid`)) as [{ pid: number }]
    const [priority] = threadPriorities(pid)
    // Linux lets nobody but root change those of several sessions at once.
    for (let looks = 0; priority === 10 && sessionPriority(pid) === 0 && looks < 200; looks++) await delay(10)
    return [priority, sessionPriority(pid)]
  }
  const behind = sessionPriority(process.pid) === undefined ? [10, undefined] : [10, 10]
  assert.deepEqual(await database.transaction(backgroundWork('one'), priorityOf), behind)
  assert.notDeepEqual(await database.transaction('one', priorityOf), behind)
  assert.deepEqual(await database.transaction(backgroundWork('another'), priorityOf), behind)
  assert.deepEqual(await database.longSession(priorityOf), behind)
  const inTurns: Queryable['query'] = (statement) => database.read('one', statement, 'in-turns')
  const writing: Queryable['query'] = (statement) => database.write('one', statement)
  for (const query of [database.query.bind(database), inTurns, writing])
    assert.notDeepEqual(await priorityOf({ query }), behind)
})
