// Numbering: every change once, in an order that holds, without gaps, whoever writes, numbers or dies meanwhile.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { numberAll, readFeed, type Told, teller, testSequencer, waitingRows } from '../../test/events.ts'
import { type Client, startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { numberEvents } from '../worker/events.ts'
import { numberBatch } from './sequencer.ts'

const here = await startTestService()
const { database, connection } = here
const sequencer = await testSequencer(here)

function assertGapless(events: readonly Told[]): void {
  assert.deepEqual(
    events.map(({ position }) => position),
    events.map((_, index) => index + 1),
  )
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length)
}

/** What each record is said to have been follows from what it was said to be: created first, changed in order, gone last. */
function assertChains(events: readonly Told[], field: string): void {
  const values = new Map<string, { last: unknown; isGone: boolean }>()
  for (const { type, recordId, previous } of events.filter(({ resource }) => resource === 'customers')) {
    const known = values.get(recordId)
    assert.equal(type === 'customer.created', known === undefined, `${recordId} begins with its creation`)
    if (!known) values.set(recordId, { last: '0', isGone: false })
    else {
      assert.equal(known.isGone, false)
      assert.equal(previous[field], known.last, `${recordId} goes on from what it was`)
      known.last = String(Number(known.last) + 1)
      known.isGone = type === 'customer.deleted'
    }
  }
}

/** Creates a record, counts a field of it up, and deletes some. */
async function write(client: Client, rounds: number): Promise<number> {
  let changes = 0
  const change = async (reply: Promise<{ status: number }>) => {
    assert.ok((await reply).status < 300)
    changes++
  }
  for (let round = 0; round < rounds; round++) {
    const { status, body } = await client.post('/customers', { firstName: 'Amara', notes: '0' })
    assert.equal(status, 201)
    changes++
    const path = `/customers/${body.data.id}`
    await change(client.put(path, { notes: '1' }))
    await change(client.put(path, { notes: '2' }))
    if (round % 3 === 0) await change(client.delete(path))
  }
  return changes
}

it('takes a hundred changes at a time, so that requests come in between', async () => {
  const client = await here.organisation()
  await database.transaction(client.orgId, (transaction) =>
    transaction.query(sql`
      insert into customers (org_id, id, first_name)
      select ${client.orgId}, 'cus_' || n, 'Amara' from generate_series(1, 130) n`),
  )
  const { taken, hasMore } = (await numberBatch(sequencer, client.orgId))!
  assert.deepEqual({ taken, hasMore }, { taken: 100, hasMore: true })
  await numberAll(sequencer, client.orgId)
})

it('numbers what sixteen write at once by two workers and one that is killed, each once and without gaps', async () => {
  const client = await here.organisation()
  const { newest } = teller(here, client)
  const before = await newest()
  let isWriting = true
  const workers = [1, 2].map(async () => {
    while (isWriting) await numberBatch(sequencer, client.orgId, { limit: 7 })
  })
  const killed = (async () => {
    for (let kills = 0; isWriting; kills++) {
      const worker = workerProcess(client.orgId)
      await once(worker.stdout, 'data') // it has numbered something
      await delay(kills * 7)
      worker.kill('SIGKILL')
      await once(worker, 'exit')
    }
  })()
  const counts = await Promise.all(Array.from({ length: 16 }, () => write(client, 12)))
  isWriting = false
  await Promise.all([...workers, killed])
  await numberAll(sequencer, client.orgId)
  const events = await readFeed(client)
  assertGapless(events)
  assert.equal(
    events.length - before,
    counts.reduce((sum, count) => sum + count),
  )
  assertChains(events, 'notes')
  assert.equal(await waitingRows(database, client.orgId), 0)
})

/** Another process that numbers small batches until it is killed. */
function workerProcess(orgId: string) {
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
  const program = `
    const { Database } = await import(${url('../db/database.ts')})
    const { numberBatch } = await import(${url('./sequencer.ts')})
    const { noDependencies } = await import(${url('../operations/context.ts')})
    const { eventCatalogue } = await import(${url('../resources/index.ts')})
    const sequencer = { database: new Database(${JSON.stringify(connection)}), catalogue: eventCatalogue, dependencies: noDependencies }
    for (;;) {
      const batch = await numberBatch(sequencer, ${JSON.stringify(orgId)}, { limit: 5 })
      process.stdout.write('.')
    }`
  return spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
}

it('passes over an organisation that somebody else is numbering', async () => {
  const [busy, free] = [await here.organisation(), await here.organisation()]
  await Promise.all([busy, free].map(({ orgId }) => numberAll(sequencer, orgId)))
  for (const client of [busy, free]) await client.post('/customers', { firstName: 'Amara' })
  const holder = await database.connect()
  await holder.query('begin')
  await holder.query('select from event_counters where org_id = $1 for update', [busy.orgId])
  assert.equal(await numberBatch(sequencer, busy.orgId), undefined)
  await numberEvents(sequencer)
  assert.deepEqual([await waitingRows(database, busy.orgId), await waitingRows(database, free.orgId)], [1, 0])
  await holder.end()
  await numberAll(sequencer, busy.orgId)
  assertGapless(await readFeed(busy))
})

it('what commits late comes late, and nothing that was read moves', async () => {
  const client = await here.organisation()
  await numberAll(sequencer, client.orgId)
  const first = (await readFeed(client)).length
  const slow = await database.connect()
  await slow.query('begin')
  await slow.query(`insert into customers (org_id, id, first_name) values ($1, 'cus_slow', 'Slow')`, [client.orgId])
  await client.post('/customers', { firstName: 'Quick' })
  await numberAll(sequencer, client.orgId)
  const early = await readFeed(client)
  assert.deepEqual(
    early.slice(first).map(({ data }) => data.firstName),
    ['Quick'],
  )
  await slow.query('commit')
  await slow.end()
  await numberAll(sequencer, client.orgId)
  const all = await readFeed(client)
  assert.deepEqual(all.slice(0, early.length), early)
  assert.deepEqual(
    all.slice(early.length).map(({ data }) => data.firstName),
    ['Slow'],
  )
})

it('tells each change with its own transition, also where a batch ends between two changes of a record', async () => {
  const client = await here.organisation()
  const { newest } = teller(here, client)
  const { id: customerId } = (await client.post('/customers', { firstName: 'Amara' })).body.data
  const before = await newest()
  const { id } = (await client.post('/tickets', { customerId, status: 'Closed' })).body.data
  for (const status of ['Open', 'Closed', 'Open']) await client.put(`/tickets/${id}`, { status })
  while ((await numberBatch(sequencer, client.orgId, { limit: 1 }))?.taken !== 0);
  const types = (await readFeed(client, '&type=ticket.*')).filter(({ position }) => position! > before)
  assert.deepEqual(
    types.map(({ type }) => type).filter((type) => !/updated|status_changed/.test(type)),
    ['ticket.created', 'ticket.closed', 'ticket.reopened', 'ticket.closed', 'ticket.reopened'],
  )
})

it('a failing delivery queue or a crash between leaves the changes where they were', async () => {
  const client = await here.organisation()
  await numberAll(sequencer, client.orgId)
  await client.post('/customers', { firstName: 'Amara' })
  const blocker = await database.connect()
  await blocker.query('begin')
  // The place that the next event would take is taken: numbering fails as a whole.
  await blocker.query(
    `insert into events select org_id, position + 1, 'chg_taken', now(), 'x.y', 'x', 'x', null, 'x', '{}' from event_counters where org_id = $1`,
    [client.orgId],
  )
  await blocker.query('commit')
  await assert.rejects(numberBatch(sequencer, client.orgId))
  assert.equal(await waitingRows(database, client.orgId), 1)
  await blocker.query(`delete from events where org_id = $1 and id = 'chg_taken'`, [client.orgId])
  await blocker.end()
  await numberAll(sequencer, client.orgId)
  assertGapless(await readFeed(client))
})

it('serves organisations in turn: much of one does not keep another waiting', async () => {
  const [many, few] = [await here.organisation(), await here.organisation()]
  await Promise.all([many, few].map(({ orgId }) => numberAll(sequencer, orgId)))
  await database.query(sql`
    insert into customers (org_id, id, first_name) select ${many.orgId}, 'cus_' || n, 'Many' from generate_series(1, 2500) n`)
  await few.post('/customers', { firstName: 'Few' })
  await numberEvents(sequencer)
  const [lastOfMany] = (await readFeed(many)).slice(-1)
  const [lastOfFew] = (await readFeed(few)).slice(-1)
  assert.ok(lastOfFew!.id < lastOfMany!.id, 'ids sort by the time at which they were given')
})
