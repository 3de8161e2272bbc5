// What the clock alone does is told once, for as long as it is so; and the worker numbers by itself.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { readFeed, teller, testSequencer, typesOf } from '../../test/events.ts'
import { startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { noteDeadlines, numberEvents } from './events.ts'

const here = await startTestService()
const { database } = here

async function shop() {
  const client = await here.organisation()
  return { client, ...teller(here, client) }
}
const lineItems = [{ name: 'Labour', unitPrice: 100 }]
const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString()
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

it('an invoice becomes overdue once, and again after it was not', async () => {
  const { client, told } = await shop()
  const { id } = (
    await client.post('/invoices', {
      customerName: 'Amara',
      lineItems,
      issuedAt: '2026-01-01T00:00:00Z',
      dueAt: hourAgo(),
      status: 'sent',
    })
  ).body.data
  const overdue = async (work: () => Promise<unknown> = async () => {}) =>
    (
      await told(async () => {
        await work()
        await noteDeadlines(database)
        await noteDeadlines(database)
      })
    ).filter(({ type }) => type === 'invoice.overdue')
  const first = await told(() => noteDeadlines(database))
  assert.deepEqual(typesOf(first), ['invoice.overdue'])
  const [event] = first
  assert.deepEqual(await overdue(), [], 'once')
  assert.deepEqual([event!.changed, event!.previous, event!.data.isOverdue], [[], null, true])
  assert.deepEqual(event!.actor, { kind: 'system', id: null, name: null })
  assert.deepEqual(await overdue(() => client.put(`/invoices/${id}`, { notes: 'called' })), [])
  assert.deepEqual(await overdue(() => client.put(`/invoices/${id}`, { dueAt: inAnHour() })), [])
  assert.equal((await overdue(() => client.put(`/invoices/${id}`, { dueAt: hourAgo() }))).length, 1)
  await client.post('/payments', { invoiceId: id, amount: 100 })
  assert.equal((await overdue(() => client.post('/payments', { invoiceId: id, amount: -10 }))).length, 1)
})

it('a quote expires once', async () => {
  const { client, told } = await shop()
  const { id } = (await client.post('/quotes', { customerName: 'Amara', lineItems, validUntil: hourAgo() })).body.data
  const expired = async (work: () => Promise<unknown> = async () => {}) =>
    typesOf(
      await told(async () => {
        await work()
        await noteDeadlines(database)
      }),
    ).filter((type) => type === 'quote.expired')
  assert.deepEqual(await expired(), ['quote.expired'])
  assert.deepEqual(await expired(), [])
  assert.deepEqual(await expired(() => client.put(`/quotes/${id}`, { validUntil: inAnHour() })), [])
  assert.deepEqual(await expired(() => client.put(`/quotes/${id}`, { validUntil: hourAgo() })), ['quote.expired'])
})

it('mail that failed for good is told to those who may read its document', async () => {
  const { client, told } = await shop()
  const { id } = (await client.post('/quotes', { customerName: 'Amara', lineItems })).body.data
  await client.post(`/quotes/${id}/send`, { to: 'amara@okafor.example' })
  const fail = () =>
    database.query(sql`
    update outbox set status = 'failed', failure_reason = 'Nobody there' where org_id = ${client.orgId}`)
  const events = await told(fail)
  assert.deepEqual(typesOf(events), ['mail.failed'])
  const [{ parentId, data, changed }] = events as [(typeof events)[0]]
  assert.deepEqual(
    [parentId, data.to, data.failureReason, changed],
    [id, 'amara@okafor.example', 'Nobody there', ['status']],
  )
  const mayRead = async (...scopes: `${string}:read`[]) =>
    (await readFeed(await here.client(client.orgId, { scopes: ['events:read', ...scopes] }), '&type=mail.failed'))
      .length
  assert.deepEqual([await mayRead('quotes:read'), await mayRead('invoices:read', 'organisation:read')], [1, 0])
})

it('a change of the organisation itself is numbered with the others, before what was changed after it', async () => {
  const { client, newest } = await shop()
  const before = await newest()
  await client.put('', { phone: '+44 20 7946 0000' })
  await client.post('/customers', { firstName: 'Amara' })
  await numberEvents(await testSequencer(here))
  const events = (await readFeed(client)).filter(({ position }) => position! > before)
  assert.deepEqual(typesOf(events), ['organisation.updated', 'customer.created'])
  assert.deepEqual([events[0]!.changed, events[0]!.recordId], [['phone'], client.orgId])
})

it('a process with a worker numbers what was written moments before', async () => {
  const worker = await startTestService({ ROLE: 'rest,auth,worker' })
  const client = await worker.organisation()
  await client.post('/customers', { firstName: 'Amara' })
  while (!typesOf(await readFeed(client)).includes('customer.created')) await delay(10)
})
