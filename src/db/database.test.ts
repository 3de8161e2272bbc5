// The database layer when PostgreSQL is new, busy, slow, frozen or gone: what is promised of data, and what of answers.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Client, type Reply, startTestService } from '../../test/test-service.ts'
import { createApp } from '../app.ts'
import { type ApiError, conflictCode, constraintToApiError } from '../operations/errors.ts'
import { Database, type Queryable, raw, sql, Unavailable } from './database.ts'
import { startEmbeddedPostgres } from './embedded/launcher.ts'
import { migrate } from './migrate.ts'

// These tests freeze, kill and stop PostgreSQL, so they have one to themselves.
const dataDir = await mkdtemp(join(tmpdir(), 'jobwright-database-test-'))
let postgres = await startEmbeddedPostgres({ dataDir, mode: 'serve' })
process.env.TEST_POSTGRES_SOCKET = postgres.connection.host
delete process.env.TEST_POSTGRES_TEMPLATE // which is on the server of the others
const here = await startTestService({ LOG_LEVEL: 'silent' })
after(async () => {
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
})

function assertUnavailable(reply: Reply): void {
  const { success, error, requestId, ...more } = reply.body
  const text = 'The service is temporarily unavailable; try again shortly'
  assert.deepEqual([reply.status, success, error, more], [503, false, text, {}])
  assert.equal(requestId, reply.headers.get('x-request-id'))
}

async function waitUntilServing(client: Client, withinMs: number): Promise<void> {
  for (const end = performance.now() + withinMs; performance.now() < end; await delay(50)) {
    const replies = await Promise.all(Array.from({ length: 10 }, () => client.get('/customers')))
    if (replies.every(({ status }) => status === 200)) return
  }
  assert.fail('does not serve again')
}

test('applies each migration once, however many start at once on an empty database', async () => {
  const client = await here.database.connect()
  await client.query('create database fresh')
  await client.end()
  const databases = Array.from({ length: 4 }, () => new Database({ ...postgres.connection, database: 'fresh' }))
  const applied = await Promise.all(databases.map(migrate))
  const files = (await readdir(new URL('../../migrations/', import.meta.url))).filter((file) => file.endsWith('.sql'))
  assert.deepEqual(applied.flat().sort(), files.sort())
  assert.equal(applied.filter((names) => names.length > 0).length, 1)
  const recorded = await databases[0]!.query<{ name: string }>(sql`select name from migrations order by name`)
  assert.deepEqual(
    recorded.map(({ name }) => name),
    files,
  )
  assert.deepEqual(await migrate(databases[1]!), [])
  await Promise.all(databases.map((database) => database.close()))
})

test('a migration that meets others in a deadlock is tried again', async () => {
  const owner = await here.database.connect()
  await owner.query('create database halfway')
  await owner.end()
  const database = new Database({ ...postgres.connection, database: 'halfway' })
  const serving = await database.connect()
  const folder = new URL('../../migrations/', import.meta.url)
  const before = (await readdir(folder)).filter((file) => file.endsWith('.sql') && file < '0007').sort()
  await serving.query('create table migrations (name text primary key, applied_at timestamptz not null default now())')
  for (const file of before) {
    await serving.query(await readFile(new URL(file, folder), 'utf8'))
    await serving.query('insert into migrations (name) values ($1)', [file])
  }
  await serving.query(`set deadlock_timeout = '1min'`) // so that it is the migration that is ended
  await serving.query('begin; lock table grants in row share mode')
  const migrating = migrate(database)
  const blockedLocks = () =>
    database.query(sql`select from pg_locks where not granted and relation = 'grants'::regclass`)
  while ((await blockedLocks()).length === 0) await delay(10)
  await serving.query('select from api_keys')
  await serving.query('commit')
  assert.equal((await migrating)[0], '0007-portal.sql')
  await serving.end()
  await database.close()
})

test('commits all of a transaction or nothing', async () => {
  const { orgId } = await here.organisation()
  const rename = (db: Queryable, name: string) =>
    db.query(sql`update organisations set name = ${name} where org_id = ${orgId}`)
  const name = async () =>
    (await here.database.query<{ name: string }>(sql`select name from organisations where org_id = ${orgId}`))[0]!.name
  let attempts = 0
  const failing = here.database.transaction('test', async (transaction) => {
    attempts++
    await rename(transaction, 'Half done')
    throw new Error('changed my mind')
  })
  await assert.rejects(failing, /changed my mind/)
  assert.deepEqual([await name(), attempts], ['Test Repairs', 1], 'and nothing but a deadlock is tried again')
  await here.database.transaction('test', (transaction) => rename(transaction, 'Done'))
  assert.equal(await name(), 'Done')
})

test('carries out both of two transactions that lock in opposite order', async () => {
  const shop = await here.organisation()
  const [one, two] = await Promise.all(
    ['One', 'Two'].map(async (firstName) => (await shop.post('/customers', { firstName })).body.data.id as string),
  )
  const attempts = { onward: 0, backward: 0 }
  const bothHold = Promise.withResolvers<void>()
  let holding = 0
  const appendNote = (transaction: Queryable, id: string, note: string) =>
    transaction.query(
      sql`update customers set notes = concat(notes, ${note}::text) where org_id = ${shop.orgId} and id = ${id}`,
    )
  const walk = (direction: 'onward' | 'backward', first: string, second: string) =>
    here.database.transaction('test', async (transaction) => {
      if (++attempts[direction] > 1) await delay(100) // long enough for the other to get through
      await appendNote(transaction, first, direction)
      if (++holding === 2) bothHold.resolve()
      await bothHold.promise
      await appendNote(transaction, second, direction)
    })
  await Promise.all([walk('onward', one!, two!), walk('backward', two!, one!)])
  assert.deepEqual(Object.values(attempts).sort(), [1, 2])
  for (const id of [one, two]) {
    const { notes } = (await shop.get(`/customers/${id}`)).body.data
    assert.ok(['onwardbackward', 'backwardonward'].includes(notes), `each once: ${notes}`)
  }
})

test('gives a transaction three attempts against serialization failures, then says that it is unavailable', async () => {
  let attempts = 0
  const clash = (until: number) =>
    here.database.transaction('test', async (transaction) => {
      attempts++
      if (attempts < until) await transaction.query(raise('40001'))
      return 'done'
    })
  assert.deepEqual([await clash(3), attempts], ['done', 3])
  attempts = 0
  await assert.rejects(clash(9), Unavailable)
  assert.equal(attempts, 3)
})

const raise = (code: string) => raw(`do $$ begin raise exception 'on purpose' using errcode = '${code}'; end $$`)

test('tells why a transaction failed, though what was sent behind is refused sooner', async () => {
  await assert.rejects(
    here.database.transaction('test', async (transaction) => {
      const heardOfLater = async () => {
        try {
          return await transaction.query(sql`select 1 / 0`)
        } catch (error) {
          await delay(5)
          throw error
        }
      }
      await Promise.all([heardOfLater(), transaction.query(sql`select 1`)])
    }),
    { code: '22012' },
  )
})

test('takes what PostgreSQL cannot do at the moment for unavailable, and what is wrong for wrong', async () => {
  for (const code of ['08006', '53100', '53200', '53300', '55P03', '57014', '57P01', '58030'])
    await assert.rejects(here.database.query(raise(code)), Unavailable, code)
  for (const code of ['22001', '23505', '42601', 'P0001'])
    await assert.rejects(here.database.query(raise(code)), (error) => (error as { code?: string }).code === code, code)
})

test('answers a broken constraint with what its name means', async () => {
  const violate = (create: string, insert: string): Promise<ApiError> =>
    here.database
      .transaction('test', async (transaction) => {
        await transaction.query(raw('create temp table categories (id text primary key) on commit drop'))
        await transaction.query(raw(`create temp table stock_items (${create}) on commit drop`))
        await transaction.query(raw(`insert into stock_items values ${insert}`))
      })
      .then(
        () => assert.fail('nothing was broken'),
        (error) => constraintToApiError(error, [calendarEventExists]) as ApiError,
      )
  const calendarEventExists = conflictCode('CALENDAR_EVENT_EXISTS', 'There is one already.')
  const meaning = async (create: string, insert: string) => {
    const { status, message, details } = await violate(create, insert)
    return [status, details.code ?? message]
  }
  const reference = (name: string) => `a text constraint ${name} references categories`
  const twice = (name: string) => `a text constraint ${name} unique`
  const missing = `('missing')`
  const both = `('x'), ('x')`
  assert.deepEqual(await meaning(reference('stock_items_customer_id_parent'), missing), [404, 'Customer not found'])
  assert.deepEqual(await meaning(reference('stock_items_tax_rate_id_parent'), missing), [404, 'Tax rate not found'])
  assert.deepEqual(await meaning(reference('stock_items_tax_rate_id_exists'), missing), [
    400,
    'taxRateId does not exist',
  ])
  assert.deepEqual(await meaning(twice('stock_items_sku_unique'), both), [400, 'ALREADY_USED'])
  assert.deepEqual(await meaning(twice('calendar_event_exists'), both), [409, 'CALENDAR_EVENT_EXISTS'])
  const required = 'a text, constraint stock_items_display_name_required check (a is not null)'
  assert.deepEqual(await meaning(required, '(null)'), [400, 'displayName is required'])
  const nameless = await violate('a text constraint something_else check (false)', missing)
  assert.equal((nameless as unknown as { code: string }).code, '23514', 'what has no meaning stays an error')
})

test('refuses by constraint through the API as by rule', async () => {
  const shop = await here.organisation()
  const orphan = await shop.post('/customers/missing/devices', { model: '5' })
  assert.deepEqual([orphan.status, orphan.body.error], [404, 'Customer not found'])
  const { id } = (await shop.post('/customers', { firstName: 'Amara' })).body.data
  const device = (await shop.post(`/customers/${id}/devices`, { model: '5' })).body.data
  const nameless = await shop.put(`/customers/${id}/devices/${device.id}`, { model: null })
  assert.equal(nameless.status, 400)
  assert.equal((await shop.get(`/customers/${id}/devices/${device.id}`)).body.data.model, '5')
})

test('answers 503 when a statement takes too long, does nothing of it, and keeps no such answer', async () => {
  const shop = await here.organisation()
  const { id } = (await shop.post('/customers', { firstName: 'Amara' })).body.data
  const add = () => shop.post(`/customers/${id}/devices`, { model: '5' }, { 'idempotency-key': 'order-1' })
  const holder = await here.database.connect()
  await holder.query('begin')
  await holder.query('select from customers where id = $1 for update', [id])
  const started = performance.now()
  const [changed, added] = await Promise.all([shop.put(`/customers/${id}`, { phone: '1' }), add()])
  assert.ok(performance.now() - started < 10_000)
  assertUnavailable(changed)
  assertUnavailable(added)
  const { rows } = await holder.query(`select query from pg_stat_activity where wait_event_type = 'Lock'`)
  assert.deepEqual(rows, [], 'what was given up waits no more')
  await holder.query('rollback')
  await holder.end()
  assert.equal((await shop.get(`/customers/${id}`)).body.data.phone, null)
  assert.deepEqual((await shop.get(`/customers/${id}/devices`)).body.data.devices, [])
  const again = await add()
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, null])
})

test('survives the loss of a connection in the middle of a transaction', async (t) => {
  const unheard = collectUncaughtErrors(t)
  const killer = await here.database.connect()
  const cut = here.database.transaction('test', async (transaction) => {
    const [backend] = await transaction.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    await killer.query('select pg_terminate_backend($1)', [backend!.pid])
    await delay(200)
    await transaction.query(sql`select 1`)
  })
  await assert.rejects(cut, Unavailable)
  await killer.end()
  assert.deepEqual(unheard, [], 'an error that nobody listens to ends the process')
  assert.equal(await here.database.transaction('test', async () => 'done'), 'done')
})

/** What would have ended the process if it were not for the test runner. */
function collectUncaughtErrors(t: TestContext): string[] {
  const messages: string[] = []
  const collect = (error: Error) => void messages.push(error.message)
  process.on('uncaughtException', collect)
  t.after(() => void process.off('uncaughtException', collect))
  return messages
}

/** Whatever happens to PostgreSQL: answers are right or 503, and what was acknowledged is there afterwards. */
async function survives(t: TestContext, client: Client, trouble: () => Promise<void>): Promise<{ refused: number }> {
  const unheard = collectUncaughtErrors(t)
  let isOver = false
  let refused = 0
  const created: string[] = []
  const work = async (worker: number) => {
    for (let n = 0; !isOver; n++) {
      const key = { 'idempotency-key': `worker-${worker}-${n}` }
      const reply = await client.post('/customers', { firstName: 'Kept' }, worker % 2 ? key : undefined)
      const read = await client.get('/customers?limit=1')
      if (reply.status === 201) created.push(reply.body.data.id)
      for (const { status, body } of [reply, read])
        assert.ok([200, 201, 503].includes(status), `${status} ${body.error}`)
      for (const answer of [reply, read].filter(({ status }) => status === 503)) {
        assertUnavailable(answer)
        refused++
      }
      if (refused > 0) await delay(10)
    }
  }
  const working = Promise.all(Array.from({ length: 12 }, (_, worker) => work(worker)))
  await trouble().finally(() => {
    isOver = true
  })
  await working
  await waitUntilServing(client, 10_000)
  const stored = await here.database.query<{ id: string }>(sql`select id from customers where org_id = ${client.orgId}`)
  const ids = new Set(stored.map(({ id }) => id))
  assert.deepEqual(unheard, [], 'an error that nobody listens to ends the process')
  assert.ok(created.length > 0)
  assert.deepEqual(
    created.filter((id) => !ids.has(id)),
    [],
    'acknowledged, but not there',
  )
  return { refused }
}

const terminateAll = `select pg_terminate_backend(pid) from pg_stat_activity
  where backend_type = 'client backend' and pid <> pg_backend_pid()`

test('answers at most 503 when its connections are killed, loses nothing, and recovers by itself', async (t) => {
  const shop = await here.organisation()
  const { refused } = await survives(t, shop, async () => {
    const killer = await here.database.connect()
    for (let n = 0; n < 10; n++) {
      await delay(100)
      await killer.query(terminateAll)
    }
    await killer.end()
  })
  assert.ok(refused > 0, 'the connections were in use')
})

test('heeds a revocation that came while nobody could tell it', async () => {
  const gone = await here.organisation()
  const killer = await here.database.connect()
  // Only while LISTEN is connected is anything cached, which is then to be invalidated.
  const isListening = async () =>
    (await killer.query(`select from pg_stat_activity where query = 'listen credentials_changed'`)).rowCount
  while (!(await isListening())) await delay(20)
  for (let n = 0; n < 3; n++) assert.equal((await gone.get('')).status, 200)
  await killer.query(terminateAll)
  await killer.query('update api_keys set revoked_at = now() where id = $1', [gone.keyId])
  await killer.end()
  await delay(100) // long enough to detect the lost connection, too short to reconnect
  let reply = await gone.get('')
  for (let n = 0; n < 100 && reply.status === 503; n++) reply = await delay(20).then(() => gone.get(''))
  assert.equal(reply.status, 401)
})

let frozen: number[] = []

/** Stops all processes of our PostgreSQL, the first one before the others are looked for: it starts none then, and none is gone. */
async function freeze(t: TestContext): Promise<void> {
  t.after(thaw)
  const postmaster = Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
  stop(postmaster)
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const children = await Promise.all(
    processes.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
      return Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]) === postmaster ? Number(pid) : undefined
    }),
  )
  for (const pid of children) if (pid !== undefined) stop(pid)
}

function stop(pid: number): void {
  process.kill(pid, 'SIGSTOP')
  frozen.push(pid)
}

function thaw(): void {
  for (const pid of frozen) process.kill(pid, 'SIGCONT')
  frozen = []
}

const onLinux = {
  skip: process.platform !== 'linux' && 'finding the processes of PostgreSQL needs /proc',
  timeout: 60_000,
}

test(
  'answers 503 within five seconds while PostgreSQL is frozen, and serves again when it thaws',
  onLinux,
  async (t) => {
    const shop = await here.organisation()
    const { id } = (await shop.post('/customers', { firstName: 'Amara' })).body.data
    const unknown = await here.client(shop.orgId)
    await freeze(t)
    const timed = async (work: Promise<Reply>) => {
      const started = performance.now()
      return { reply: await work, ms: performance.now() - started }
    }
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => timed(shop.get('/customers'))),
      ...Array.from({ length: 10 }, () => timed(shop.put(`/customers/${id}`, { phone: '1' }))),
      ...Array.from({ length: 15 }, (_, n) =>
        timed(shop.post('/customers', { firstName: 'Cold' }, { 'idempotency-key': `order-${n}` })),
      ),
      timed(shop.get('/customers?search=amara')),
      timed(unknown.get('')),
    ])
    for (const { reply, ms } of answers) {
      assertUnavailable(reply)
      assert.ok(ms < 6_000, `${Math.round(ms)} ms`)
    }
    assert.equal((await here.request('GET', '/health/live')).status, 200)
    assert.equal((await here.request('GET', '/health/ready')).status, 503)
    thaw()
    await waitUntilServing(shop, 10_000)
    assert.equal((await shop.put(`/customers/${id}`, { phone: '2' })).status, 200)
    assert.equal((await shop.post('/customers', { firstName: 'Warm' }, { 'idempotency-key': 'order-99' })).status, 201)
    assert.equal((await shop.get('/customers?search=amara')).body.data.customers.length, 1)
  },
)

test('answers 503 while PostgreSQL is gone, serves within seconds of its return, and loses nothing', async (t) => {
  const shop = await here.organisation()
  await survives(t, shop, async () => {
    await delay(300)
    await postgres.stop()
    await delay(300)
    assert.equal((await here.request('GET', '/health/ready')).status, 503)
    postgres = await startEmbeddedPostgres({ dataDir, mode: 'serve' })
    await waitUntilServing(shop, 10_000)
  })
  assert.equal((await here.request('GET', '/health/ready')).status, 200)
})

test('waits for a PostgreSQL that is away when it starts, and answers 503 meanwhile', async () => {
  const { orgId, key } = await here.organisation()
  await postgres.stop()
  const database = new Database(here.connection)
  const { app, prepare, close } = await createApp(here.config, database, { strict: true })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const status = async (path: string) => (await fetch(origin + path, { headers: { 'x-api-key': key } })).status
  const address = `/api/v1/organisations/${orgId}`
  const preparing = prepare()
  assert.deepEqual(
    [await status(address), await status('/health/ready'), await status('/health/live')],
    [503, 503, 200],
  )
  postgres = await startEmbeddedPostgres({ dataDir, mode: 'serve' })
  await preparing
  assert.deepEqual([await status(address), await status('/health/ready')], [200, 200])
  await close()
  await database.close()
})
