// What is told of a change: every change that committed and no other, with the fields that differ and the record as REST has it.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Told, teller, testSequencer, typesOf } from '../../test/events.ts'
import { formWriter } from '../../test/forms.ts'
import { agreement, inDays } from '../../test/recurring.ts'
import { type Client, startTestService } from '../../test/test-service.ts'
import { raw, sql } from '../db/database.ts'
import { eventCatalogue } from '../resources/index.ts'
import { numberEvents } from '../worker/events.ts'

const here = await startTestService()
const { database } = here

async function shop() {
  const client = await here.organisation()
  return { client, ...teller(here, client) }
}
const create = async (client: Client, path: string, body: object = {}): Promise<string> => {
  const reply = await client.post(path, body)
  assert.ok(reply.status < 300, JSON.stringify(reply.body))
  return reply.body.data.id
}
const only = (events: readonly Told[], type: string): Told => {
  const found = events.filter((event) => event.type === type)
  assert.equal(found.length, 1, `${type} among ${typesOf(events).join()}`)
  return found[0]!
}

describe('what is captured', () => {
  it('every table that is told of has its trigger', async () => {
    const tables = [...eventCatalogue.records.keys(), ...eventCatalogue.extensions.keys()].filter(
      (table) => table !== 'imports',
    )
    const rows = await database.query<{ name: string }>(sql`
      select relname as name from pg_trigger join pg_class on pg_class.oid = tgrelid
      where tgname in ('changes_told', 'failure_told') and relnamespace = current_schema()::regnamespace`)
    assert.deepEqual(rows.map(({ name }) => name).sort(), tables.sort())
  })

  it('every stored field has a column of its table', async () => {
    for (const { source } of eventCatalogue.records.values()) {
      if (source.table === 'imports') continue
      const rows = await database.query<{ name: string }>(sql`
        select attname as name from pg_attribute where attrelid = ${source.table}::regclass and attnum > 0`)
      const columns = rows.map(({ name }) => name)
      for (const [field, column] of Object.entries(source.columns))
        assert.ok(columns.includes(column), `${source.table}.${field}`)
    }
  })

  it('a record is told with what REST answers, a change with what it was before, a deletion with all it was', async () => {
    const { client, told } = await shop()
    let id = ''
    const made = await told(async () => {
      id = await create(client, '/customers', { firstName: 'Amara', notes: 'A "quoted"\nnote' })
    })
    assert.deepEqual(typesOf(made), ['customer.created'])
    const record = (await client.get(`/customers/${id}`)).body.data
    const { id: eventId, at, position, ...rest } = made[0]!
    assert.deepEqual(rest, {
      type: 'customer.created',
      actor: { kind: 'key', id: client.keyId, name: rest.actor.name },
      resource: 'customers',
      recordId: id,
      parentId: null,
      changed: [],
      previous: null,
      data: record,
      omitted: [],
    })
    assert.match(eventId, /^chg_[0-9a-z]{26}$/)
    assert.ok(at >= record.createdAt, 'in a cluster each machine has its own clock')
    assert.equal(typeof position, 'number')
    const [changed] = await told(() => client.put(`/customers/${id}`, { notes: null, phone: '+44' }))
    assert.deepEqual(
      [changed!.type, changed!.changed, changed!.previous],
      ['customer.updated', ['phone', 'notes'], { phone: null, notes: 'A "quoted"\nnote' }],
    )
    const last = (await client.get(`/customers/${id}`)).body.data
    assert.deepEqual(changed!.data, last)
    const [deleted] = await told(() => client.delete(`/customers/${id}`))
    assert.deepEqual(
      [deleted!.type, deleted!.changed, deleted!.previous, deleted!.data],
      ['customer.deleted', [], last, null],
    )
  })

  it('of a document its lines are told as they were where they change, and as they are where something else does', async () => {
    const { client, told } = await shop()
    const line = (name: string) => ({ name, unitPrice: 12, taxRateId: null })
    const lineItems = [line('Seal'), line('Hinge')]
    const quoteId = await create(client, '/quotes', { customerName: 'Amara', lineItems })
    const invoiceId = await create(client, '/invoices', { customerName: 'Amara', lineItems })
    for (const path of [`/quotes/${quoteId}`, `/invoices/${invoiceId}`]) {
      const before = (await client.get(path)).body.data
      const [titled] = await told(() => client.put(path, { title: 'Oven', lineItems }))
      assert.deepEqual([titled!.changed, titled!.previous], [['title'], { title: null }])
      assert.deepEqual(titled!.data.lineItems, before.lineItems)
      const [shorter] = await told(() => client.put(path, { lineItems: [line('Seal')] }))
      assert.ok(shorter!.changed.includes('lineItems'))
      assert.deepEqual(shorter!.previous!.lineItems, before.lineItems)
      const last = (await client.get(path)).body.data
      const [deleted] = await told(() => client.delete(path))
      assert.deepEqual(deleted!.previous!.lineItems, last.lineItems)
    }
  })

  it('where nothing changed nothing is told', async () => {
    const { client, told } = await shop()
    const id = await create(client, '/customers', { firstName: 'Amara' })
    const ticketId = await create(client, '/tickets', { customerId: id })
    assert.deepEqual(await told(() => client.put(`/customers/${id}`, { firstName: 'Amara' })), [])
    const events = await told(() => client.post(`/tickets/${ticketId}/messages`, { text: 'Hello' }))
    assert.deepEqual(typesOf(events), ['message.created'], 'that the job was touched is no change of it')
  })

  it('what was rolled back is not told', async () => {
    const { client, told } = await shop()
    const id = await create(client, '/customers', { firstName: 'Amara' })
    const events = await told(async () => {
      await assert.rejects(
        database.transaction('test', async (transaction) => {
          await transaction.query(
            sql`update customers set notes = 'never' where org_id = ${client.orgId} and id = ${id}`,
          )
          throw new Error('changed my mind')
        }),
      )
      assert.equal((await client.post('/payments', { invoiceId: 'inv_absent', amount: 5 })).status, 404)
    })
    assert.deepEqual(events, [])
  })

  it('whoever writes, also with SQL alone, is told of', async () => {
    const { client, told } = await shop()
    const events = await told(() =>
      database.query(
        sql`insert into customers (org_id, id, first_name) values (${client.orgId}, 'cus_byhand', 'Hand')`,
      ),
    )
    assert.deepEqual(
      [typesOf(events), events[0]!.actor],
      [['customer.created'], { kind: 'system', id: null, name: null }],
    )
  })

  it('what foreign keys delete along is told with all it was, after what it went with', async () => {
    const { client, told } = await shop()
    const customerId = await create(client, '/customers', { firstName: 'Amara' })
    await create(client, `/customers/${customerId}/devices`, { brand: 'Aga' })
    const ticketId = await create(client, '/tickets', { customerId })
    await create(client, `/tickets/${ticketId}/services`, { name: 'Labour', unitPrice: 12.5 })
    await client.put(`/tickets/${ticketId}/signature`, { signature: 'Amara' })
    const ticket = (await client.get(`/tickets/${ticketId}`)).body.data
    const line = (await client.get(`/tickets/${ticketId}/services`)).body.data.services[0]
    const events = await told(() => client.delete(`/customers/${customerId}`))
    const types = typesOf(events)
    assert.deepEqual(only(events, 'ticket.deleted').previous, ticket)
    const lineGone = only(events, 'ticket_service.deleted')
    assert.deepEqual([lineGone.previous, lineGone.parentId, lineGone.resource], [line, ticketId, 'tickets/services'])
    only(events, 'device.deleted')
    assert.ok(types.includes('message.deleted'))
    assert.equal(types[0], 'customer.deleted')
    assert.ok(types.indexOf('ticket.deleted') < types.indexOf('ticket_service.deleted'))
    assert.ok(!types.includes('ticket.updated'), 'the signature goes without a word')
  })

  it('what a foreign key clears, and what a trigger reckons, is told', async () => {
    const { client, told } = await shop()
    const stationId = await create(client, '/stations', { name: 'Bench' })
    const customerId = await create(client, '/customers', { firstName: 'Amara' })
    const ticketId = await create(client, '/tickets', { customerId, stationId, status: 'Closed' })
    const cleared = await told(() => client.delete(`/stations/${stationId}`))
    assert.deepEqual(only(cleared, 'ticket.updated').previous, { stationId })
    const itemId = await create(client, '/inventory', { name: 'Seal', quantityOnHand: 3, reorderLevel: 1 })
    const taken = await told(() =>
      client.post(`/tickets/${ticketId}/inventory`, { inventoryItemId: itemId, quantity: 2 }),
    )
    assert.deepEqual(only(taken, 'inventory_item.updated').previous, { quantityOnHand: 3, isLowStock: false })
    only(taken, 'inventory_item.low')
    only(taken, 'ticket_inventory.created')
  })

  it('a discount and a signature are changes of the job', async () => {
    const { client, told } = await shop()
    const customerId = await create(client, '/customers', { firstName: 'Amara' })
    const ticketId = await create(client, '/tickets', { customerId })
    const discount = { type: 'percent', value: 10, reason: null }
    const given = only(await told(() => client.put(`/tickets/${ticketId}/discount`, discount)), 'ticket.updated')
    assert.deepEqual([given.changed, given.previous], [['discount'], { discount: null }])
    assert.ok(!('discount' in given.data), 'data is what GET of the job answers')
    const taken = only(await told(() => client.delete(`/tickets/${ticketId}/discount`)), 'ticket.updated')
    assert.deepEqual(taken.previous, { discount })
    const sign = (signature: string | null) =>
      client.put(`/tickets/${ticketId}/signature`, { signature, signedByName: 'A' })
    const first = only(await told(() => sign('short')), 'ticket.updated')
    assert.deepEqual([first.changed, first.previous, first.recordId], [['signature'], { signature: null }, ticketId])
    const second = only(await told(() => sign(`data:image/png;base64,${'A'.repeat(9_000)}`)), 'ticket.updated')
    assert.equal(second.previous.signature.signature, 'short')
    const third = only(await told(() => sign(null)), 'ticket.updated')
    assert.deepEqual([third.previous, third.omitted], [{}, ['signature']])
  })

  it('a long text is left out and named, wherever it stands', async () => {
    const { client, told } = await shop()
    const customerId = await create(client, '/customers', { firstName: 'Amara' })
    const ticketId = await create(client, '/tickets', { customerId, description: 'é'.repeat(5_000) })
    const [made] = await told(() => client.put(`/tickets/${ticketId}`, { priority: 'high' }))
    assert.deepEqual(
      [made!.omitted, 'description' in made!.data, made!.data.priority],
      [['description'], false, 'high'],
    )
    const shorter = only(
      await told(() => client.put(`/tickets/${ticketId}`, { description: 'short' })),
      'ticket.updated',
    )
    assert.deepEqual([shorter.omitted, shorter.previous, shorter.data.description], [['description'], {}, 'short'])
    const lineItems = Array.from({ length: 70 }, (_, n) => ({
      name: `${n}`,
      description: '€'.repeat(1_800),
      unitPrice: 0,
    }))
    const quote = only(await told(() => create(client, '/quotes', { customerId, lineItems })), 'quote.created')
    assert.deepEqual([quote.omitted, quote.data.total], [['lineItems'], 0])
  })

  it('an organisation that is deleted leaves nothing behind', async () => {
    const { client, newest } = await shop()
    await newest()
    await create(client, '/customers', { firstName: 'Amara' })
    await database.query(sql`delete from organisations where org_id = ${client.orgId}`)
    await numberEvents(await testSequencer(here))
    for (const table of ['event_inbox', 'shared_event_inbox', 'events', 'event_counters'])
      assert.deepEqual(await database.query(sql`select from ${raw(table)} where org_id = ${client.orgId}`), [], table)
  })
})

describe('signals', () => {
  it('of jobs', async () => {
    const { client, told } = await shop()
    const customerId = await create(client, '/customers', { firstName: 'Amara' })
    const ticketId = await create(client, '/tickets', { customerId })
    const change = async (fields: object) =>
      typesOf(await told(() => client.put(`/tickets/${ticketId}`, fields))).filter((type) => /^ticket\./.test(type))
    assert.deepEqual(await change({ status: 'In Progress' }), ['ticket.updated', 'ticket.status_changed'])
    const [from, to] = [inDays(1), inDays(1, 60)]
    assert.deepEqual(await change({ scheduledFrom: from, scheduledTo: to }), ['ticket.updated', 'ticket.scheduled'])
    assert.deepEqual(await change({ status: 'Closed' }), ['ticket.updated', 'ticket.status_changed', 'ticket.closed'])
    assert.deepEqual(await change({ status: 'Open' }), ['ticket.updated', 'ticket.status_changed', 'ticket.reopened'])
    assert.deepEqual(await change({ priority: 'low' }), ['ticket.updated'])
    const closed = only(await told(() => client.put(`/tickets/${ticketId}`, { status: 'Closed' })), 'ticket.closed')
    assert.deepEqual(closed.changed, ['status', 'statusId', 'closedAt'])
    assert.deepEqual([closed.previous.status, closed.previous.closedAt, closed.data.status], ['Open', null, 'Closed'])
  })

  it('each tells its own transition, however late it is numbered', async () => {
    const { client, told } = await shop()
    const customerId = await create(client, '/customers', { firstName: 'Amara' })
    const ticketId = await create(client, '/tickets', { customerId })
    const statuses = ['Closed', 'Open', 'Closed', 'In Progress']
    const events = await told(async () => {
      for (const status of statuses) await client.put(`/tickets/${ticketId}`, { status })
      await client.delete(`/tickets/${ticketId}`)
    })
    const signals = typesOf(events).filter((type) => /closed|reopened|ticket\.deleted/.test(type))
    const expected = ['ticket.closed', 'ticket.reopened', 'ticket.closed', 'ticket.reopened', 'ticket.deleted']
    assert.deepEqual(signals, expected)
  })

  it('of quotes, invoices and payments', async () => {
    const { client, told } = await shop()
    const lineItems = [{ name: 'Labour', unitPrice: 100 }]
    const of = async (noun: string, work: () => Promise<unknown>) =>
      typesOf(await told(work)).filter((type) => type.startsWith(`${noun}.`))
    const quoteId = await create(client, '/quotes', { customerName: 'Amara', lineItems })
    const setQuote = (status: string) => () => client.put(`/quotes/${quoteId}`, { status })
    assert.deepEqual(await of('quote', setQuote('sent')), ['quote.updated', 'quote.sent'])
    assert.deepEqual(await of('quote', setQuote('accepted')), ['quote.updated', 'quote.accepted'])
    await client.put(`/quotes/${quoteId}`, { status: 'draft' })
    assert.deepEqual(await of('quote', setQuote('declined')), ['quote.updated', 'quote.declined'])
    await client.put(`/quotes/${quoteId}`, { status: 'draft' })
    let invoiceId = ''
    const convert = async () => {
      invoiceId = await create(client, `/quotes/${quoteId}/convert`)
    }
    assert.deepEqual(await of('quote', convert), ['quote.updated', 'quote.converted'])
    assert.deepEqual(await of('invoice', () => client.put(`/invoices/${invoiceId}`, { status: 'sent' })), [
      'invoice.updated',
      'invoice.sent',
    ])
    const pay = (amount: number) => () => client.post('/payments', { invoiceId, amount })
    assert.deepEqual(await of('invoice', pay(100)), ['invoice.updated', 'invoice.paid'])
    const refund = await told(pay(-40))
    assert.deepEqual(typesOf(refund), ['payment.created', 'payment.refunded', 'invoice.updated', 'invoice.reopened'])
    assert.deepEqual(await of('quote', () => client.delete(`/invoices/${invoiceId}`)), ['quote.updated'])
    assert.equal((await client.get(`/quotes/${quoteId}`)).body.data.status, 'sent', 'as it was before')
  })

  it('of recurring schedules and their visits', async () => {
    const { client, told } = await shop()
    const schedule = await agreement(client, { rrule: 'FREQ=DAILY', horizonDays: 5 })
    const generated = await told(() => schedule.act('generate'))
    const visit = generated.find(({ type }) => type === 'occurrence.created')!
    assert.deepEqual(
      [visit.recordId, visit.parentId, visit.resource, visit.data.index, visit.data.status],
      [`${schedule.id}-0`, schedule.id, 'recurring-schedules/occurrences', 0, 'generated'],
    )
    assert.ok(typesOf(generated).includes('occurrence.generated'))
    const act = async (index: number, action: string, body: object) =>
      typesOf(
        await told(() => client.post(`/recurring-schedules/${schedule.id}/occurrences/${index}/${action}`, body)),
      ).filter((type) => type.startsWith('occurrence.'))
    assert.deepEqual(await act(0, 'move', { from: inDays(9), to: inDays(9, 60) }), [
      'occurrence.updated',
      'occurrence.moved',
    ])
    assert.deepEqual(await act(1, 'resize', { durationMinutes: 200 }), ['occurrence.updated', 'occurrence.resized'])
    assert.deepEqual(await act(0, 'skip', {}), ['occurrence.updated', 'occurrence.skipped'])
    assert.deepEqual(await act(4, 'skip', {}), ['occurrence.updated', 'occurrence.skipped'])
    const say = async (action: string) =>
      typesOf(await told(() => schedule.act(action))).filter((type) => /^recurring_schedule\.(?!updated)/.test(type))
    assert.deepEqual(await say('pause'), ['recurring_schedule.paused'])
    assert.deepEqual(await say('resume'), ['recurring_schedule.resumed'])
    assert.deepEqual(await say('end'), ['recurring_schedule.ended'])
  })

  it('of forms', async () => {
    const { client, told } = await shop()
    const customerId = await create(client, '/customers', { firstName: 'Amara' })
    const ticketId = await create(client, '/tickets', { customerId })
    const forms = formWriter(database, client.orgId)
    const { templates } = await forms.import([{ name: 'Blank', fields: [] }], [])
    const events = await told(async () => {
      const { id } = await forms.add(ticketId, templates[0]!, 'none')
      await forms.submit(id)
    })
    only(events, 'form_submission.created')
    assert.equal(only(events, 'form_submission.submitted').data.status, 'submitted')
  })
})
