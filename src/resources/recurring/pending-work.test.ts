// Long work on a schedule: in steps, beside everybody else's work, seen on the schedule, and finished by the worker.
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { databaseUrl, freePort, startService } from '../../../test/programs.ts'
import { type Agreement, agreement, inDays } from '../../../test/recurring.ts'
import { type Client, startOwnTestService } from '../../../test/test-service.ts'
import { sql } from '../../db/database.ts'
import { runRecurring } from '../../worker/recurring.ts'

// The tables are slowed down here.
const here = await startOwnTestService()
const { database } = here

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
type Any = any

/** A database that needs its time for each job of a visit that is made or rewritten. */
async function slowDown(): Promise<void> {
  await database.query(sql`
    create or replace function slow_visit() returns trigger language plpgsql as
    $$ begin perform pg_sleep(0.05); return new; end $$`)
  await database.query(sql`
    create or replace trigger slow_visit before insert or update on recurring_occurrences
    for each row when (new.status = 'generated') execute function slow_visit()`)
}
const speedUp = () => database.query(sql`drop trigger if exists slow_visit on recurring_occurrences`)
afterEach(speedUp)

/** As the worker does it a little later. */
const work = ({ orgId }: Client) => runRecurring(database, { orgId, now: new Date(Date.now() + 60_000) })

const daily = (shop: Client, fields: object = {}) =>
  agreement(shop, { rrule: 'FREQ=DAILY', horizonDays: 90, lineItems: [{ name: 'Labour' }], ...fields })

/** A generation that the caller did not wait for. */
async function halfGenerated(shop: Client, fields: object = {}): Promise<Agreement> {
  const made = await daily(shop, fields)
  await slowDown()
  const { status } = await made.act('generate')
  await speedUp()
  assert.equal(status, 202)
  return made
}

test('what a caller does not wait for goes on after 202, and others go on meanwhile', async () => {
  const shop = await here.organisation()
  const made = await daily(shop)
  await slowDown()
  const generation = made.act('generate')
  let isAnswered = false
  generation.finally(() => {
    isAnswered = true
  })
  const others: number[] = []
  while (!isAnswered) others.push((await shop.post('/tickets', { customerName: 'Bola' })).status)
  const { status, body } = await generation
  await speedUp()
  assert.ok(others.length > 2)
  assert.deepEqual([...new Set(others)], [201])
  assert.equal(status, 202)
  const soFar = body.data.generated.length
  assert.ok(soFar > 0 && soFar < 90, `${soFar} are made`)
  assert.deepEqual((await made.get()).pendingWork, { kind: 'generate', done: soFar, total: 90 })
  const next = (await made.occurrences()).find((one: Any) => one.status === 'planned')
  assert.ok(body.data.generatedThrough < next.from, 'it does not promise what is not there')

  const run = await work(shop)
  assert.deepEqual([run.generated, run.failed], [90 - soFar, 0])
  const { pendingWork, generatedCount, generatedThrough } = await made.get()
  assert.deepEqual([pendingWork, generatedCount], [null, 90])
  assert.ok(generatedThrough > inDays(89))
  const again = await made.act('generate')
  assert.deepEqual([again.status, again.body.data.generated.length], [200, 90])
  assert.equal((await work(shop)).transactions, 0, 'nothing is due')
})

test('where other long work of the organisation has its turn, what was begun is accepted', async () => {
  const shop = await here.organisation()
  const made = await daily(shop)
  const other = () => database.longWorkStep(shop.orgId, (transaction) => transaction.query(sql`select pg_sleep(3)`))
  const [{ status, body }] = await Promise.all([made.act('generate'), other()])
  assert.deepEqual([status, body.data.generated.length], [202, 8])
  const busy = other()
  // Without a turn the worker leaves it for later, and fails at nothing.
  for (let generated = 8; generated < 90; ) {
    const run = await work(shop)
    assert.equal(run.failed, 0)
    generated += run.generated
  }
  await busy
  assert.equal((await made.get()).generatedCount, 90)
})

test('where other long work has its turn for too long between two steps, what was begun is accepted', async () => {
  const shop = await here.organisation()
  const made = await daily(shop)
  await slowDown()
  let isAnswered = false
  const generation = made.act('generate').finally(() => {
    isAnswered = true
  })
  // During the first step, so that it comes next.
  const isMaking = sql`select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
  while (!isAnswered && (await database.query(isMaking)).length === 0) await delay(5)
  const other = database.longWorkStep(shop.orgId, (transaction) => transaction.query(sql`select pg_sleep(3)`))
  const { status, body } = await generation
  await other
  await speedUp()
  assert.equal(status, 202)
  const left = 90 - body.data.generated.length
  for (let generated = 0; generated < left; generated += (await work(shop)).generated);
  assert.equal((await made.get()).generatedCount, 90)
})

test('with a key: it runs once, and its answer is kept', async () => {
  const shop = await here.organisation()
  const made = await daily(shop)
  const generate = () => shop.post(`${made.path}/generate`, {}, { 'idempotency-key': 'once' })
  await slowDown()
  const first = generate()
  while ((await made.get()).generatedCount === 0);
  const parallel = await generate()
  assert.deepEqual([parallel.status, parallel.body.code], [409, 'IDEMPOTENCY_IN_PROGRESS'])
  const { status, body } = await first
  await speedUp()
  assert.equal(status, 202)
  const again = await generate()
  assert.deepEqual([again.status, again.body, again.headers.get('idempotent-replayed')], [202, body, 'true'])
})

test('with a key: what a process left when it was killed is gone on with', async () => {
  const shop = await here.organisation()
  const made = await daily(shop, { horizonDays: 7 }) // few enough for one answer anywhere
  const generate = () => shop.post(`${made.path}/generate`, {}, { 'idempotency-key': 'once' })
  const { status } = await generate()
  assert.equal(status, 200)
  await database.query(sql`update idempotency_keys set status = 102 where org_id = ${shop.orgId}`)
  assert.equal((await generate()).body.code, 'IDEMPOTENCY_IN_PROGRESS')
  await database.query(sql`
    update idempotency_keys set created_at = now() - interval '31 seconds' where org_id = ${shop.orgId}`)
  const repeated = await generate()
  assert.deepEqual([repeated.status, repeated.headers.get('idempotent-replayed')], [200, null])
  const failing = await shop.post(`${made.path}/generate`, { through: inDays(900) }, { 'idempotency-key': 'far' })
  const replayed = await shop.post(`${made.path}/generate`, { through: inDays(900) }, { 'idempotency-key': 'far' })
  assert.deepEqual([failing.status, replayed.status, replayed.headers.get('idempotent-replayed')], [400, 400, 'true'])
})

test('a pause drops what was to be made, an end too', async () => {
  const shop = await here.organisation()
  const paused = await halfGenerated(shop)
  const { generatedCount } = await paused.get()
  const { pendingWork } = (await paused.act('pause')).body.data
  assert.equal(pendingWork, null)
  await work(shop)
  assert.equal((await paused.get()).generatedCount, generatedCount)

  const ended = await halfGenerated(shop)
  await ended.act('end')
  assert.equal((await work(shop)).generated, 0)
  const after = await ended.get()
  assert.deepEqual([after.status, after.pendingWork, after.generatedCount], ['ended', null, 0])
})

test('an end that lies ahead comes once the visits until then are made', async () => {
  const shop = await here.organisation()
  const made = await daily(shop)
  await slowDown()
  const { status, body } = await made.act('end', { endsAt: inDays(80, 1) })
  await speedUp()
  assert.deepEqual([status, body.data], [202, { removed: 0, kept: 0 }])
  const running = await made.get()
  assert.deepEqual([running.status, running.pendingWork.kind, running.pendingWork.total], ['active', 'generate', 80])
  const run = await work(shop)
  assert.deepEqual([run.ended, run.failed], [1, 0])
  const ended = await made.get()
  assert.deepEqual([ended.status, ended.pendingWork, ended.generatedCount], ['ended', null, 80])
  assert.equal(ended.endedAt, inDays(80, 1))
})

test('a series that takes another shape meanwhile is made to the end in that shape', async () => {
  const shop = await here.organisation()
  const made = await halfGenerated(shop)
  const { status } = await made.put({ rrule: 'FREQ=WEEKLY' }, '?resync=thisAndFuture')
  assert.equal(status, 200)
  await work(shop)
  const { pendingWork, generatedCount } = await made.get()
  assert.deepEqual([pendingWork, generatedCount], [null, 13])
  assert.equal((await shop.get('/tickets?limit=100')).body.data.tickets.length, 13)
})

test('a deleted customer leaves nothing to be made', async () => {
  const shop = await here.organisation()
  const made = await halfGenerated(shop)
  assert.equal((await shop.delete(`/customers/${made.customerId}`)).status, 200)
  assert.equal((await work(shop)).generated, 0)
  assert.equal((await made.get()).pendingWork, null)
})

test('a resync goes on after 202 where it was, keeps what somebody touched and makes what is missing', async () => {
  const shop = await here.organisation()
  const made = await daily(shop, { horizonDays: 60 })
  await made.act('generate')
  await work(shop) // what a slow machine has left
  const touched = await made.job(50)
  await shop.post(`/tickets/${touched.id}/messages`, { text: 'I was here' })
  await made.put({ lineItems: [{ name: 'Labour' }, { name: 'Parts' }] })
  await slowDown()
  const { status, body } = await made.act('resync')
  assert.equal(status, 202)
  assert.ok(body.data.updated > 0 && body.data.updated < 59)
  const { kind, done, total } = (await made.get()).pendingWork
  assert.deepEqual([kind, done, total], ['resync', body.data.updated, 60])
  await speedUp()
  // It begins anew, as the template is now, and is through at once.
  await work(shop)
  assert.equal((await made.get()).pendingWork, null)
  const lines = () =>
    database.query<{ rewritten: number; kept: number }>(sql`
      select count(*) filter (where lines = 2)::int as rewritten, count(*) filter (where lines = 1)::int as kept from (
        select count(*) as lines from service_lines where org_id = ${shop.orgId} group by ticket_id) each`)
  assert.deepEqual(await lines(), [{ rewritten: 59, kept: 1 }])
  const again = await made.act('resync')
  const { updated, kept, ...others } = again.body.data
  assert.deepEqual(others, { created: 0, removed: 0 })
  // A slow machine is not through within the time of a request: then the worker does the rest.
  if (again.status === 200) assert.deepEqual([updated, kept], [59, 1])
  else {
    assert.equal(again.status, 202)
    await work(shop)
    assert.equal((await made.get()).pendingWork, null)
  }
  assert.deepEqual(await lines(), [{ rewritten: 59, kept: 1 }])
})

test('a change of the template with resync goes on after 202', async () => {
  const shop = await here.organisation()
  const made = await daily(shop, { horizonDays: 60 })
  await made.act('generate')
  await slowDown()
  const { status, body } = await made.put({ serviceRequired: 'Deep clean' }, '?resync=thisAndFuture')
  await speedUp()
  assert.deepEqual([status, body.data.serviceRequired, body.data.pendingWork.kind], [202, 'Deep clean', 'resync'])
  await work(shop)
  const { tickets } = (await shop.get('/tickets?limit=100')).body.data
  assert.deepEqual([...new Set(tickets.map((each: Any) => each.serviceRequired))], ['Deep clean'])
})

test('the worker leaves a schedule alone while a request works on it, and a paused one paused', async () => {
  const shop = await here.organisation()
  const made = await daily(shop, { horizonDays: 60 })
  await made.act('generate')
  await slowDown()
  assert.equal((await made.act('resync')).status, 202)
  await speedUp()
  assert.equal((await runRecurring(database, { orgId: shop.orgId })).transactions, 0)
  await made.act('pause')
  assert.equal((await made.get()).pendingWork.kind, 'resync')
  await work(shop)
  const { status, pendingWork } = await made.get()
  assert.deepEqual([status, pendingWork], ['paused', null])
})

test('a service that is killed in the middle of a request leaves what it did, and another one goes on', async () => {
  const shop = await here.organisation()
  const made = await daily(shop)
  const service = await startService({
    PORT: await freePort(),
    ROLE: 'rest,auth',
    DATABASE_URL: databaseUrl(here.connection),
    SECRETS_KEY: here.config.secretsKey![0]!.toString('base64'),
    RATE_LIMIT_STORE: 'memory',
  })
  await slowDown()
  const request = fetch(`${service.origin}/api/v1/organisations/${shop.orgId}${made.path}/generate`, {
    method: 'POST',
    headers: { 'x-api-key': shop.key, 'content-type': 'application/json' },
    body: '{}',
  }).then(
    () => 'answered',
    () => 'cut off',
  )
  while ((await made.get()).generatedCount === 0) await delay(20)
  service.signal('SIGKILL')
  await service.exited
  assert.equal(await request, 'cut off')
  await speedUp()
  const { pendingWork, generatedCount } = await made.get()
  assert.deepEqual([pendingWork.kind, pendingWork.done], ['generate', generatedCount])
  // Until PostgreSQL has seen that the killed one is gone, its schedule is locked.
  for (; (await made.get()).pendingWork !== null; await delay(50)) await work(shop)
  const [counts] = await database.query<{ jobs: number; visits: number; next: number }>(sql`
    select count(*)::int as jobs, count(distinct occurrence_index)::int as visits,
      (select next_ticket_number from counters where org_id = ${shop.orgId}) as next
    from tickets where org_id = ${shop.orgId}`)
  assert.deepEqual(counts, { jobs: 90, visits: 90, next: 91 })
})
