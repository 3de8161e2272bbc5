// The deletion of customers with many jobs: in steps, beside everybody else's work, and to its end whatever happens.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { inDays } from '../../test/recurring.ts'
import { hasRestedLong, watchSteps } from '../../test/step-times.ts'
import { isOnCitus } from '../../test/test-database.ts'
import { type Client, startOwnTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { runDeletions } from './deletions.ts'

// Deletions of all organisations are run here.
const here = await startOwnTestService()
const { database } = here
const onOneMachine = { skip: isOnCitus && 'needs a deferred trigger on all rows' }

/** Jobs as if they had come over many years: with a part, a service and a message each. */
async function customerWithJobs(shop: Client, count: number) {
  const { id } = (await shop.post('/customers', { firstName: 'Amara' })).body.data
  const item = (await shop.post('/inventory', { name: 'Belt', price: 5, quantityOnHand: 10_000 })).body.data
  await database.query(sql`
    with numbers as (
      update counters set next_ticket_number = next_ticket_number + ${count}::int where org_id = ${shop.orgId}
      returning next_ticket_number - ${count}::int as first)
    insert into tickets (org_id, id, ticket_number, customer_id, status_id)
    select ${shop.orgId}, ${id} || '-' || n, numbers.first + n - 1, ${id},
      (select id from ticket_statuses where org_id = ${shop.orgId} order by index limit 1)
    from numbers, generate_series(1, ${count}::int) n`)
  const ofJobs = sql`from tickets where org_id = ${shop.orgId} and customer_id = ${id}`
  await database.query(sql`
    insert into inventory_lines (org_id, id, ticket_id, inventory_item_id, name, quantity, unit_price, line_total)
    select org_id, id || '-p', id, ${item.id}, 'Belt', 2, 5, 10 ${ofJobs}`)
  await database.query(sql`
    insert into service_lines (org_id, id, ticket_id, name, quantity, unit_price, line_total)
    select org_id, id || '-s', id, 'Labour', 1, 5, 5 ${ofJobs}`)
  await database.query(
    sql`insert into messages (org_id, id, ticket_id, text) select org_id, id || '-m', id, 'x' ${ofJobs}`,
  )
  const quantity = async () => (await shop.get(`/inventory/${item.id}`)).body.data.quantityOnHand
  assert.equal(await quantity(), 10_000 - 2 * count)
  return { id, path: `/customers/${id}`, quantity, progress: () => shop.get(`/customers/${id}/deletion`) }
}

/** A database that needs its time for each job. */
async function slowDown(): Promise<void> {
  await database.query(sql`
    create or replace function slow_delete() returns trigger language plpgsql as
    $$ begin perform pg_sleep(0.02); return old; end $$`)
  await database.query(sql`
    create or replace trigger slow_delete before delete on tickets
    for each row when (old.customer_id is not null) execute function slow_delete()`)
}
const speedUp = () => database.query(sql`drop trigger if exists slow_delete on tickets`)
afterEach(speedUp)

const remainingRows = async (shop: Client) => {
  const [row] = await database.query<{ rows: number }>(sql`
    select (select count(*) from tickets where org_id = ${shop.orgId})
      + (select count(*) from inventory_lines where org_id = ${shop.orgId})
      + (select count(*) from service_lines where org_id = ${shop.orgId})
      + (select count(*) from messages where org_id = ${shop.orgId}) as rows`)
  return Number(row!.rows)
}

test('few jobs go with their customer at once, and nothing is written down', async () => {
  const shop = await here.organisation()
  const customer = await customerWithJobs(shop, 3)
  const { status, body } = await shop.delete(customer.path)
  assert.deepEqual([status, body.data], [200, { message: 'Customer deleted', id: customer.id }])
  assert.equal((await customer.progress()).status, 404)
  assert.deepEqual([await remainingRows(shop), await customer.quantity()], [0, 10_000])
})

test('many jobs go in steps; parts are back in stock, agreements have ended, and it can be read how it went', async () => {
  const shop = await here.organisation()
  const customer = await customerWithJobs(shop, 180)
  const schedule = await shop.post('/recurring-schedules', {
    customerId: customer.id,
    startsAt: inDays(1),
    rrule: 'FREQ=DAILY',
    serviceRequired: 'Check',
  })
  await shop.post(`/recurring-schedules/${schedule.body.data.id}/generate`)
  const total = 180 + 30
  const startedAt = performance.now()
  const { status, body } = await shop.delete(customer.path)
  // A busy machine may take longer than a caller waits.
  if (performance.now() - startedAt > 2_000) await runDeletions(database)
  else assert.deepEqual([status, body.data.message], [200, 'Customer deleted'])
  const { customerId, status: state, done, total: all, finishedAt } = (await customer.progress()).body.data
  assert.deepEqual([customerId, state, done, all], [customer.id, 'finished', total, total])
  assert.ok(Date.parse(finishedAt) > 0)
  assert.equal((await shop.get(customer.path)).status, 404)
  assert.deepEqual([await remainingRows(shop), await customer.quantity()], [0, 10_000])
  const ended = (await shop.get(`/recurring-schedules/${schedule.body.data.id}`)).body.data
  assert.deepEqual([ended.status, ended.customerId], ['ended', null])
})

test(
  'the worker rests three times as long as a step took while requests are answered: nobody waits for it',
  onOneMachine,
  async () => {
    const shop = await here.organisation()
    const customer = await customerWithJobs(shop, 400)
    await slowDown()
    assert.equal((await shop.delete(customer.path)).status, 202)
    await speedUp()
    await database.query(sql`update customer_deletions set due_at = now() where org_id = ${shop.orgId}`)
    const steps = await watchSteps(database, shop.orgId, () => runDeletions(database))
    assert.ok(steps.length >= 2)
    assert.ok(steps.every(hasRestedLong), JSON.stringify(steps))
  },
)

test('all jobs are judged before the first is deleted', async () => {
  const shop = await here.organisation()
  const customer = await customerWithJobs(shop, 120)
  const rows = await remainingRows(shop)
  const kept = await shop.delete(`${customer.path}?cascade=false`)
  assert.deepEqual([kept.status, kept.body.code, kept.body.data.ticketIds.length], [409, 'CUSTOMER_HAS_TICKETS', 100])
  const unscoped = await here.client(shop.orgId, { scopes: ['customers:delete'] })
  assert.equal((await unscoped.delete(customer.path)).status, 403)
  const last = `${customer.id}-99` // in the order of ids
  await database.query(sql`
    update tickets set open_completion_form_count = 1 where org_id = ${shop.orgId} and id = ${last}`)
  const gated = await shop.delete(customer.path)
  assert.deepEqual([gated.status, gated.body.code, gated.body.data.ticketIds], [409, 'FORM_GATE_DELETE', [last]])
  assert.deepEqual([await remainingRows(shop), (await customer.progress()).status], [rows, 404])
})

describe('where it takes longer than a caller waits', () => {
  test('it is accepted, others go on meanwhile, and the worker finishes it with what came since', async () => {
    const shop = await here.organisation()
    const customer = await customerWithJobs(shop, 220)
    const other = (await shop.post('/customers', { firstName: 'Bola' })).body.data
    await slowDown()
    const deletion = shop.delete(customer.path)
    let isAnswered = false
    deletion.finally(() => {
      isAnswered = true
    })
    const others: number[] = []
    while (!isAnswered) others.push((await shop.post('/tickets', { customerId: other.id })).status)
    assert.ok(others.length > 3)
    assert.deepEqual([...new Set(others)], [201])
    const { status, body } = await deletion
    assert.deepEqual([status, body.data], [202, { message: 'Customer is being deleted', id: customer.id }])
    const running = (await customer.progress()).body.data
    assert.deepEqual([running.status, running.total, running.finishedAt], ['running', 220, null])
    assert.ok(running.done > 0 && running.done < 220, `${running.done} are done`)

    const refused = await shop.post('/tickets', { customerId: customer.id })
    assert.deepEqual([refused.status, refused.body.code], [409, 'CUSTOMER_BEING_DELETED'])
    const [open] = (await shop.get(`/tickets?customerId=${customer.id}&limit=1`)).body.data.tickets
    await database.query(sql`
      update tickets set open_completion_form_count = 1 where org_id = ${shop.orgId} and id = ${open.id}`)
    const again = await shop.delete(customer.path)
    assert.deepEqual([again.status, again.body.data.message], [202, 'Customer is being deleted'])

    await speedUp()
    assert.deepEqual(await runDeletions(database), { finished: 1, failed: 0 })
    const { status: state, done, total } = (await customer.progress()).body.data
    assert.deepEqual([state, done, total], ['finished', 220, 220])
    assert.equal((await shop.get(customer.path)).status, 404)
    const [kept] = await database.query<{ jobs: number }>(sql`
      select count(*)::int as jobs from tickets where org_id = ${shop.orgId}`)
    assert.equal(kept!.jobs, others.length)
    assert.equal(await customer.quantity(), 10_000)
  })

  test('a process that is killed leaves it where it was, and another one finishes it', async () => {
    const shop = await here.organisation()
    const customer = await customerWithJobs(shop, 200)
    await slowDown()
    await database.query(sql`
      insert into customer_deletions (org_id, customer_id, total, due_at)
      values (${shop.orgId}, ${customer.id}, 200, ${due})`)
    const worker = workerProcess()
    const progress = async () => (await customer.progress()).body.data
    while ((await progress()).done === 0) await delay(20)
    worker.kill('SIGKILL')
    await once(worker, 'exit')
    const halted = await progress()
    assert.equal(halted.status, 'running')
    assert.ok(halted.done < 200)
    await speedUp()
    // Until PostgreSQL has seen that the killed one is gone, its row is locked.
    while ((await runDeletions(database)).finished === 0) await delay(50)
    const { status, done, total } = await progress()
    assert.deepEqual([status, done, total], ['finished', 200, 200], 'none is counted twice')
    assert.deepEqual([await remainingRows(shop), await customer.quantity()], [0, 10_000])
  })
})

/** Another process that goes on with what is due, until it is killed. */
function workerProcess() {
  const program = `
    const { Database } = await import('${new URL('../db/database.ts', import.meta.url)}')
    const { runDeletions } = await import('${new URL('./deletions.ts', import.meta.url)}')
    await runDeletions(new Database(${JSON.stringify(here.connection)}))`
  return spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'inherit', 'inherit'] })
}

/** The column is rounded to milliseconds: by its default a row may be due half of one after it was written. */
const due = sql`date_trunc('milliseconds', now())`

test('several workers share it, and organisations are served in turn', async () => {
  const [busy, quiet] = [await here.organisation(), await here.organisation()]
  const many = await customerWithJobs(busy, 400)
  const few = await customerWithJobs(quiet, 60)
  for (const [shop, customer, total] of [
    [busy, many, 400],
    [quiet, few, 60],
  ] as const)
    await database.query(sql`
      insert into customer_deletions (org_id, customer_id, total, due_at)
      values (${shop.orgId}, ${customer.id}, ${total}::int, ${due})`)
  const runs = await Promise.all([runDeletions(database), runDeletions(database)])
  assert.equal(runs[0].finished + runs[1].finished, 2)
  const { done, total, finishedAt } = (await many.progress()).body.data
  assert.ok((await few.progress()).body.data.finishedAt < finishedAt)
  assert.deepEqual([done, total, await remainingRows(busy), await many.quantity()], [400, 400, 0, 10_000])
})

test('a customer whose rows somebody holds is tried again later, and does not hold up others', async () => {
  const [blocked, free] = [await here.organisation(), await here.organisation()]
  const [stuck, fine] = [await customerWithJobs(blocked, 60), await customerWithJobs(free, 60)]
  for (const [shop, customer] of [
    [blocked, stuck],
    [free, fine],
  ] as const)
    await database.query(sql`
      insert into customer_deletions (org_id, customer_id, total, due_at)
      values (${shop.orgId}, ${customer.id}, 60, ${due})`)
  const holder = await database.connect()
  try {
    await holder.query('begin')
    await holder.query('select from tickets where org_id = $1 for update', [blocked.orgId])
    assert.deepEqual(await runDeletions(database), { finished: 1, failed: 1 })
  } finally {
    await holder.end()
  }
  assert.equal((await fine.progress()).body.data.status, 'finished')
  assert.deepEqual(await runDeletions(database), { finished: 0, failed: 0 }, 'not before its time')
  await database.query(sql`update customer_deletions set due_at = now() where due_at is not null`)
  assert.deepEqual(await runDeletions(database), { finished: 1, failed: 0 })
})
