// Versions of records, over every operation: ETags that follow what is read, and changes that depend on them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TObject } from 'typebox'
import { sql } from '../src/db/database.ts'
import type { Operation } from '../src/operations/operation.ts'
import { operation } from '../src/operations/operation.ts'
import { createVersions, refuseUnlockedReads } from '../src/operations/versions.ts'
import { operations } from '../src/resources/index.ts'
import { untilWaiting } from './lock-waits.ts'
import { address, createRecords, probe } from './one-of-each.ts'
import { isOnCitus } from './test-database.ts'
import { type Client, type Reply, startTestService } from './test-service.ts'

const service = await startTestService()
const { database } = service
const versions = createVersions(operations)

const reads = operations.filter((one) => one.method === 'GET' && versions.isVersioned(one))
const changes = operations.filter(({ method }) => method === 'PUT')
const deletions = operations.filter(({ method }) => method === 'DELETE')

const tagOf = ({ headers }: Reply) => headers.get('etag')!
const conditional = (client: Client, method: string, path: string, ifMatch: string, body?: unknown) =>
  client.call(method, path, { body, headers: { 'if-match': ifMatch } })
const readOf = (one: Operation) => versions.readOf(one)!

/** A change of each record that shows; the number makes it another one each time. */
const differently = (change: Operation, n: number): object => {
  const own: Readonly<Record<string, object>> = {
    setTicketStatus: { status: n % 2 === 0 ? 'In Progress' : 'Open' },
    setTicketDiscount: { type: 'percent', value: n + 1 },
    setTicketSignature: { signature: `Ada ${n}`, signedByName: `Ada ${n}` },
    updatePayment: { notes: `Note ${n}` },
    updateReminder: { remindAt: new Date(Date.now() + (n + 2) * 86_400_000).toISOString() },
    updateWebhook: { description: `Hook ${n}` },
    updateQuote: { notes: `Note ${n}` },
    updateInvoice: { notes: `Note ${n}` },
    updateTicketStatus: { name: `Status ${n}` },
    updateDevice: { name: `Device ${n}` },
  }
  const fields = (change.body as TObject).properties
  const text = ['name', 'firstName', 'text', 'title', 'description', 'serviceRequired'].find((field) => field in fields)
  return own[change.name] ?? { [text!]: `${probe.name} ${n}` }
}

const shop = await service.organisation()
const records = await createRecords(service, shop, 'Ada')

describe('every read of one record', () => {
  for (const read of reads.filter(({ name }) => name !== 'getCustomerDeletion')) {
    test(`${read.name} carries an ETag, the same for the same answer, and answers 304 to who has it`, async () => {
      const path = address(read, records)
      const first = await shop.get(path)
      assert.equal(first.status, 200)
      assert.match(tagOf(first), /^"[\w-]{22}"$/)
      assert.equal(tagOf(await shop.get(path)), tagOf(first))
      for (const known of [tagOf(first), `W/${tagOf(first)}`, `"other", ${tagOf(first)}`, '*']) {
        const { status, body, headers } = await shop.call('GET', path, { headers: { 'if-none-match': known } })
        assert.deepEqual([status, body, headers.get('etag')], [304, '', tagOf(first)], known)
      }
      for (const other of ['"other"', 'no tag at all']) {
        const { status } = await shop.call('GET', path, { headers: { 'if-none-match': other } })
        assert.equal(status, 200, other)
      }
    })
  }
})

test('lists, searches and files carry none', async () => {
  const shop = await service.organisation()
  const records = await createRecords(service, shop, 'Ada')
  for (const path of ['/customers', '/customers/lookup?phone=%2B441', '/stations', `/quotes/${records.quoteId}/pdf`]) {
    const response = await fetch(`${service.origin}/api/v1/organisations/${shop.orgId}${path}`, {
      headers: { 'x-api-key': shop.key },
    })
    await response.arrayBuffer()
    assert.deepEqual([response.status, response.headers.get('etag')], [200, null], path)
  }
})

describe('every change', () => {
  for (const change of changes) {
    const read = readOf(change)
    test(`${change.name} is made to the version that was seen, by one of many, and answers the next version`, async () => {
      const [path, readPath] = [address(change, records), address(read, records)]
      const seen = tagOf(await shop.get(readPath))
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, n) => conditional(shop, 'PUT', path, seen, differently(change, n))),
      )
      assert.deepEqual(
        replies.map(({ status }) => status).sort(),
        [200, ...Array(7).fill(412)],
        JSON.stringify(replies.map(({ body }) => body)),
      )
      const now = tagOf(await shop.get(readPath))
      assert.notEqual(now, seen)
      const made = replies.find(({ status }) => status === 200)!
      if (versions.isVersioned(change)) assert.equal(tagOf(made), now, 'the answer is what is read')
      for (const { body, headers } of replies.filter(({ status }) => status === 412)) {
        assert.deepEqual([body.code, body.data], ['PRECONDITION_FAILED', { current: headers.get('etag') }])
        assert.match(body.error, /read it again/)
      }
      const patched = await conditional(shop, 'PATCH', path, `"other", ${now}`, differently(change, 8))
      assert.equal(patched.status, 200)
      assert.equal((await conditional(shop, 'PUT', path, '*', differently(change, 9))).status, 200)
      assert.equal((await shop.put(path, differently(change, 10))).status, 200, 'without one it is made in any case')
    })
  }
})

describe('every deletion', () => {
  for (const deletion of deletions) {
    test(`${deletion.name} is refused for a version that is gone, and made for the current one`, async () => {
      const shop = await service.organisation()
      const records = await createRecords(service, shop, 'Ada')
      await prepareDeletion(shop, deletion, records)
      const path = address(deletion, records)
      const read = await shop.get(address(readOf(deletion), records))
      const refused = await conditional(shop, 'DELETE', path, '"other"')
      assert.deepEqual([refused.status, refused.body.data], [412, { current: tagOf(read) }])
      assert.equal(tagOf(await shop.get(address(readOf(deletion), records))), tagOf(read), 'nothing has changed')
      const done = await conditional(shop, 'DELETE', path, tagOf(read))
      assert.equal(done.status, 200, JSON.stringify(done.body))
    })
  }
})

/** What is in the way of a deletion goes first. */
async function prepareDeletion(shop: Client, { name }: Operation, records: Record<string, string>): Promise<void> {
  if (name === 'deleteRecurringSchedule') {
    const { customerId } = records
    const startsAt = '2099-01-01T09:00:00Z'
    const schedule = { customerId, startsAt, rrule: 'FREQ=WEEKLY', serviceRequired: 'Later' }
    records.scheduleId = (await shop.post('/recurring-schedules', schedule)).body.data.id
  }
  if (name === 'removeQuoteShareLink') await shop.post(`/quotes/${records.quoteId}/share-link`)
  if (name === 'removeInvoiceShareLink') await shop.post(`/invoices/${records.invoiceId}/share-link`)
}

test('what creates a record or acts on it answers the version that is read after it', async () => {
  const shop = await service.organisation()
  const records = await createRecords(service, shop, 'Ada')
  const { customerId, ticketId, quoteId, invoiceId, scheduleId, webhookId, deliveryId } = records
  const recurring = { startsAt: probe.startsAt, rrule: probe.rrule, serviceRequired: 'Cleaning' }
  const lineItems = [{ name: 'Work', unitPrice: 10 }]
  const calls: [path: string, body: object, readAt: (data: { id: string }) => string][] = [
    ['/customers', { firstName: 'Bola' }, ({ id }) => `/customers/${id}`],
    [`/customers/${customerId}/devices`, { brand: 'Bosch' }, ({ id }) => `/customers/${customerId}/devices/${id}`],
    ['/tickets', { customerId, scheduledFrom: probe.from, scheduledTo: probe.to }, ({ id }) => `/tickets/${id}`],
    [`/tickets/${ticketId}/services`, { name: 'Work' }, ({ id }) => `/tickets/${ticketId}/services/${id}`],
    [`/tickets/${ticketId}/inventory`, { name: 'Fuse' }, ({ id }) => `/tickets/${ticketId}/inventory/${id}`],
    [`/tickets/${ticketId}/messages`, { text: 'Hm' }, ({ id }) => `/tickets/${ticketId}/messages/${id}`],
    ['/services', { name: 'Cleaning', price: 5.5 }, ({ id }) => `/services/${id}`],
    ['/inventory', { name: 'Fuse', quantityOnHand: 2.5 }, ({ id }) => `/inventory/${id}`],
    ['/quotes', { customerId, ticketId, lineItems }, ({ id }) => `/quotes/${id}`],
    [`/quotes/${quoteId}/send`, { to: 'ada@shop.example' }, () => `/quotes/${quoteId}`],
    [`/quotes/${quoteId}/convert?force=true`, {}, ({ id }) => `/invoices/${id}`],
    ['/invoices', { customerId, lineItems }, ({ id }) => `/invoices/${id}`],
    [`/invoices/${invoiceId}/send`, { to: 'ada@shop.example' }, () => `/invoices/${invoiceId}`],
    ['/payments', { invoiceId, amount: 2 }, ({ id }) => `/payments/${id}`],
    ['/calendar-events', { title: 'Lunch', from: probe.from, to: probe.to }, ({ id }) => `/calendar-events/${id}`],
    ['/stations', { name: 'Bay' }, ({ id }) => `/stations/${id}`],
    ['/tax-rates', { name: 'VAT', rate: 7.5 }, ({ id }) => `/tax-rates/${id}`],
    ['/ticket-statuses', { name: 'Waiting' }, ({ id }) => `/ticket-statuses/${id}`],
    [
      `/invoices/${invoiceId}/reminders`,
      { remindAt: probe.remindAt },
      ({ id }) => `/invoices/${invoiceId}/reminders/${id}`,
    ],
    ['/recurring-schedules', { customerId, ...recurring }, ({ id }) => `/recurring-schedules/${id}`],
    [`/webhooks/${webhookId}/test`, {}, ({ id }) => `/webhooks/${webhookId}/deliveries/${id}`],
    [
      `/webhooks/${webhookId}/deliveries/${deliveryId}/retry`,
      {},
      ({ id }) => `/webhooks/${webhookId}/deliveries/${id}`,
    ],
    ['/recurring-presets', { name: 'Yearly', rrule: 'FREQ=YEARLY' }, ({ id }) => `/recurring-presets/${id}`],
    [`/recurring-schedules/${scheduleId}/pause`, {}, () => `/recurring-schedules/${scheduleId}`],
    [`/recurring-schedules/${scheduleId}/resume`, {}, () => `/recurring-schedules/${scheduleId}`],
    ['/inventory-categories', { name: 'Fuses' }, ({ id }) => `/inventory-categories/${id}`],
    ['/asset-categories', { name: 'Ovens' }, ({ id }) => `/asset-categories/${id}`],
  ]
  for (const [path, body, readAt] of calls) {
    const reply = await shop.post(path, body)
    assert.ok(reply.status < 300, `${path}: ${JSON.stringify(reply.body)}`)
    const read = await shop.get(readAt(reply.body.data))
    assert.deepEqual(reply.body.data, read.body.data, path)
    assert.equal(tagOf(reply), tagOf(read), path)
  }
})

test('what changes in others and shows in a record is another version of it', async () => {
  const shop = await service.organisation()
  const { ticketId, customerId } = await createRecords(service, shop, 'Ada')
  const { id: statusId } = (await shop.post('/ticket-statuses', { name: 'Waiting' })).body.data
  await shop.put(`/tickets/${ticketId}/status`, { status: 'Waiting' })
  const job = tagOf(await shop.get(`/tickets/${ticketId}`))
  await shop.put(`/ticket-statuses/${statusId}`, { name: 'Waiting for parts' })
  assert.equal((await conditional(shop, 'PUT', `/tickets/${ticketId}`, job, { description: 'Hot' })).status, 412)

  const { id } = (await shop.post('/invoices', { customerId, lineItems: [{ name: 'Work', unitPrice: 5 }] })).body.data
  const invoice = tagOf(await shop.get(`/invoices/${id}`))
  await shop.post('/payments', { invoiceId: id, amount: 1 })
  assert.equal((await conditional(shop, 'PUT', `/invoices/${id}`, invoice, { notes: 'Thanks' })).status, 412)
})

test('a job that was read with others is changed by that version, and read again when those change', async () => {
  const shop = await service.organisation()
  const { ticketId, customerId } = await createRecords(service, shop, 'Ada')
  const path = `/tickets/${ticketId}`
  for (const include of ['customer', 'device', 'lines', 'customer,lines', 'customer,device,lines']) {
    const plain = tagOf(await shop.get(path))
    const tag = tagOf(await shop.get(`${path}?include=${include}`))
    assert.equal(tag.split('.')[0], plain.slice(0, -1), include)
    const known = await shop.call('GET', `${path}?include=${include}`, { headers: { 'if-none-match': tag } })
    assert.equal(known.status, 304)
    const changed = await conditional(shop, 'PUT', path, tag, { description: `With ${include}` })
    assert.deepEqual([changed.status, tagOf(changed)], [200, tagOf(await shop.get(path))], include)
    assert.equal((await conditional(shop, 'PUT', path, tag, { description: 'Again' })).status, 412, include)
  }
  const tag = tagOf(await shop.get(`${path}?include=customer`))
  await shop.put(`/customers/${customerId}`, { phone: '+442' })
  const again = await shop.call('GET', `${path}?include=customer`, { headers: { 'if-none-match': tag } })
  assert.equal(again.status, 200)
  assert.equal((await conditional(shop, 'PUT', path, tag, { description: 'Still mine' })).status, 200)
})

test('a change that is under way elsewhere is waited for and seen', async () => {
  const shop = await service.organisation()
  const { id } = (await shop.post('/customers', { firstName: 'Ada' })).body.data
  const seen = tagOf(await shop.get(`/customers/${id}`))
  const { pending } = await database.transaction(shop.orgId, async (transaction) => {
    await transaction.query(sql`update customers set first_name = 'Bola' where org_id = ${shop.orgId} and id = ${id}`)
    const pending = conditional(shop, 'PUT', `/customers/${id}`, seen, { lastName: 'Byron' })
    await untilWaiting(database, '%customers%', pending)
    return { pending }
  })
  assert.equal((await pending).status, 412)
  const { firstName, lastName } = (await shop.get(`/customers/${id}`)).body.data
  assert.deepEqual([firstName, lastName], ['Bola', null])
})

test('a condition that is none is refused by name; a record that is gone is not found; POST and GET take none', async () => {
  const shop = await service.organisation()
  const { id } = (await shop.post('/customers', { firstName: 'Ada' })).body.data
  for (const wrong of ['unquoted', '', '"a" "b"']) {
    const { status, body } = await conditional(shop, 'PUT', `/customers/${id}`, wrong, { firstName: 'Bola' })
    assert.deepEqual([status, body.error.split(' ')[0]], [400, 'If-Match'], wrong)
  }
  const current = tagOf(await shop.get(`/customers/${id}`))
  const weak = await conditional(shop, 'PUT', `/customers/${id}`, `W/${current}`, { firstName: 'Bola' })
  assert.deepEqual([weak.status, weak.body.data.current], [412, current])
  assert.equal((await conditional(shop, 'PUT', '/customers/gone', '*', { firstName: 'Bola' })).status, 404)
  assert.equal((await conditional(shop, 'DELETE', '/customers/gone', current)).status, 404)
  assert.equal((await conditional(shop, 'POST', '/customers', '"other"', { firstName: 'Bola' })).status, 201)
  assert.equal((await conditional(shop, 'GET', `/customers/${id}`, '"other"')).status, 200)
})

test('what is wrong with a change is told only of the version that was seen', async () => {
  const shop = await service.organisation()
  const { id } = (await shop.post('/tickets', { customerName: 'Ada' })).body.data
  const stale = await conditional(shop, 'PUT', `/tickets/${id}`, '"other"', { assignedTechnician: 'nobody' })
  assert.equal(stale.status, 412)
  const malformed = await conditional(shop, 'PUT', `/tickets/${id}`, '"other"', { priority: 'whenever' })
  assert.equal(malformed.status, 400, 'what is malformed is so in any version')
})

test('a repeated create carries the version it made', async () => {
  const shop = await service.organisation()
  const create = () => shop.post('/customers', { firstName: 'Ada' }, { 'idempotency-key': 'a' })
  const [first, second] = [await create(), await create()]
  assert.equal(second.headers.get('idempotent-replayed'), 'true')
  assert.deepEqual(
    [tagOf(second), tagOf(first)],
    [tagOf(first), tagOf(await shop.get(`/customers/${first.body.data.id}`))],
  )
})

test('a change whose record cannot be locked keeps the service from starting', () => {
  const list = operations.find(({ name }) => name === 'listCustomers')!
  const unlockable = {
    ...list,
    ...operation('PUT /things', { name: 'a', summary: 'b', returns: list.returns, run: () => undefined as never }),
  }
  assert.throws(
    () => refuseUnlockedReads([...operations, { ...unlockable, needs: [] }]),
    /does not say how that is locked/,
  )
})

test('scripts of allowed origins may read ETags and send conditions', { skip: isOnCitus }, async () => {
  const { origin, organisation } = await startTestService({ CORS_ORIGINS: 'https://app.example' })
  const shop = await organisation()
  const url = `${origin}/api/v1/organisations/${shop.orgId}`
  const headers = { origin: 'https://app.example', 'x-api-key': shop.key }
  const read = await fetch(url, { headers })
  assert.match(read.headers.get('access-control-expose-headers')!, /\bETag\b/)
  const asked = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'if-match,if-none-match' }
  const preflight = await fetch(url, { method: 'OPTIONS', headers: { ...headers, ...asked } })
  assert.match(preflight.headers.get('access-control-allow-headers')!, /if-match.*if-none-match/)
})
