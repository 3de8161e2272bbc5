// One loop over every place an id can stand: nothing of another organisation is seen, changed or even confirmed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TObject } from 'typebox'
import { raw, sql } from '../src/db/database.ts'
import { dayMs } from '../src/domain/durations.ts'
import { createVault } from '../src/identity/secrets.ts'
import { noDependencies } from '../src/operations/context.ts'
import { newId } from '../src/operations/ids.ts'
import { fileKindOf, idsIn, type Operation, streamType } from '../src/operations/operation.ts'
import { eventCatalogue, operations } from '../src/resources/index.ts'
import { numberEvents } from '../src/worker/events.ts'
import { formWriter } from './forms.ts'
import { type Client, startTestService } from './test-service.ts'

const soon = new Date(Date.now() + dayMs).toISOString()
const canary = 'CanaryOfTheOther'
/** A value for every field that some operation requires. */
const probe = {
  ...{ name: 'Probe', firstName: 'Probe', brand: 'Probe', text: 'Probe', customerName: 'Probe', title: 'Probe' },
  ...{ from: '2026-11-16T09:00:00Z', to: '2026-11-16T10:00:00Z', status: 'Open', signature: 'x', type: 'percent' },
  ...{ value: 5, rate: 5, amount: 5, remindAt: soon },
  url: 'https://shop.example/hooks',
  ...{ startsAt: '2026-11-16T09:00:00Z', rrule: 'FREQ=WEEKLY', serviceRequired: 'Probe' },
}
const { organisation, database, config } = await startTestService()
const dependencies = { ...noDependencies, vault: await createVault(config) }
const mine = await organisation()
const other = await organisation({ name: `${canary} Ltd` })
const own = await createRecords(mine, 'Mine')
const foreign = await createRecords(other, canary)

/** One record of every kind; an operation with an id nobody made here fails the loop below. */
async function createRecords(client: Client, name: string): Promise<Record<string, string>> {
  const { id: customerId } = (
    await client.post('/customers', { firstName: name, email: `${name}@shop.example`, phone: '+441' })
  ).body.data
  const { id: deviceId } = (await client.post(`/customers/${customerId}/devices`, { brand: name })).body.data
  const { id: stationId } = (await client.post('/stations', { name })).body.data
  const { id: taxRateId } = (await client.post('/tax-rates', { name, rate: 20 })).body.data
  const { id: statusId } = (await client.post('/ticket-statuses', { name })).body.data
  const { id: serviceId } = (await client.post('/services', { name })).body.data
  const { id: itemId } = (await client.post('/inventory', { name, sku: name })).body.data
  const { id: inventoryCategoryId } = (await client.post('/inventory-categories', { name })).body.data
  const { id: assetCategoryId } = (await client.post('/asset-categories', { name })).body.data
  const memberId = await insertMember(client, name)
  const { id: ticketId } = (await client.post('/tickets', { customerId, serviceRequired: name })).body.data
  const { id: serviceLineId } = (await client.post(`/tickets/${ticketId}/services`, { name })).body.data
  const { id: inventoryLineId } = (await client.post(`/tickets/${ticketId}/inventory`, { name })).body.data
  const { id: messageId } = (await client.post(`/tickets/${ticketId}/messages`, { text: name })).body.data
  const { id: eventId } = (await client.post('/calendar-events', { title: name, from: probe.from, to: probe.to })).body
    .data
  const lineItems = [{ name, unitPrice: 10 }]
  const { id: quoteId } = (await client.post('/quotes', { customerId, ticketId, lineItems })).body.data
  const { id: invoiceId } = (await client.post('/invoices', { customerId, ticketId, lineItems })).body.data
  await client.post(`/quotes/${quoteId}/send`, { to: `${name}@shop.example` })
  const { id: reminderId } = (await client.post(`/invoices/${invoiceId}/reminders`, { remindAt: soon })).body.data
  const { id: paymentId } = (await client.post('/payments', { invoiceId, amount: 1, notes: name })).body.data
  const forms = formWriter(database, client.orgId)
  const fields = [{ id: 'photo', label: name, type: 'photo' as const }]
  const { templates, rules } = await forms.import([{ name, fields }], [{ name, template: name, gate: 'none' }])
  const { id: submissionId } = await forms.add(ticketId, templates[0]!, 'none')
  const { answers } = await forms.answer(submissionId, { photo: `data:image/png;base64,${btoa(name)}` })
  const recurring = { rrule: 'FREQ=WEEKLY', serviceRequired: name, lineItems: [{ name }] }
  const { id: presetId } = (await client.post('/recurring-presets', { name, ...recurring })).body.data
  const startsAt = new Date(Date.now() + dayMs).toISOString()
  const { id: scheduleId } = (await client.post('/recurring-schedules', { name, customerId, startsAt, presetId })).body
    .data
  await client.post(`/recurring-schedules/${scheduleId}/generate`)
  const { id: webhookId } = (await client.post('/webhooks', { url: probe.url, description: name })).body.data
  const { id: deliveryId } = (await client.post(`/webhooks/${webhookId}/test`)).body.data
  return {
    webhookId,
    deliveryId,
    templateId: templates[0]!,
    ruleId: rules[0]!,
    submissionId,
    photoId: answers[0].value.split('/').at(-1),
    customerId,
    deviceId,
    stationId,
    taxRateId,
    statusId,
    serviceId,
    itemId,
    inventoryCategoryId,
    assetCategoryId,
    memberId,
    ticketId,
    serviceLineId,
    inventoryLineId,
    messageId,
    eventId,
    quoteId,
    invoiceId,
    reminderId,
    paymentId,
    presetId,
    scheduleId,
    index: '0',
    changeId: await newestEvent(client),
  }
}

/** There is no worker here. */
async function newestEvent({ orgId }: Client): Promise<string> {
  await numberEvents({ database, catalogue: eventCatalogue, dependencies })
  const [event] = await database.query<{ id: string }>(sql`
    select id from events where org_id = ${orgId} order by position desc limit 1`)
  return event!.id
}

/** Callers cannot add members. */
async function insertMember({ orgId }: Client, firstName: string): Promise<string> {
  const [member] = await database.query<{ id: string }>(sql`
    with person as (insert into people (id, email) values (${newId('per')}, ${`${firstName}@staff.example`}) returning id)
    insert into members (org_id, id, person_id, first_name, role)
    select ${orgId}, ${newId('mem')}, person.id, ${firstName}, 'technician' from person returning id`)
  return member!.id
}

/** One name can stand for two kinds of record, and two names for one. */
const recordFor = ({ path }: Operation, field: string) => {
  if (field === 'categoryId')
    return /\/(asset-categories|devices)/.test(path) ? 'assetCategoryId' : 'inventoryCategoryId'
  if (field === 'eventId' && path.startsWith('/events')) return 'changeId'
  if (field === 'lineId') return path.includes('/services') ? 'serviceLineId' : 'inventoryLineId'
  if (field === 'assignedTechnician' || field === 'assignedToId') return 'memberId'
  return field === 'inventoryItemId' ? 'itemId' : field
}
const isStream = ({ returns }: Operation) => fileKindOf(returns)?.mediaTypes.includes(streamType)

/** The number of a visit is no id: every schedule has one of each. */
const idsOf = (operation: Operation) =>
  idsIn(operation.path)
    .filter((name) => name !== 'index')
    .map((name) => recordFor(operation, name))
const address = (operation: Operation, ids: Readonly<Record<string, string>>) => {
  const filled = operation.path.replace(/:(\w+)/g, (_, name: string) => ids[recordFor(operation, name)]!)
  return filled === '/' ? '' : filled
}
const otherRows = async () => {
  const tables = await database.query<{ name: string }>(sql`
    select table_name as name from information_schema.columns where column_name = 'org_id' and table_schema = 'public'
    and table_name not in ('api_keys', 'tombstones') order by 1`)
  const rows: unknown[] = []
  for (const { name } of tables) {
    const all = await database.query(
      sql`select to_jsonb(t) as row from ${raw(name)} t where org_id = ${other.orgId} order by 1`,
    )
    rows.push([name, all])
  }
  return JSON.stringify(rows)
}

for (const operation of operations) {
  test(`${operation.method} ${operation.path} keeps to the caller's organisation`, async () => {
    const before = await otherRows()
    for (const id of idsOf(operation)) {
      assert.ok(own[id] && foreign[id], `no record was made for ${id}`)
      // A foreign id in this place and own ones in the others, then foreign ones everywhere.
      for (const ids of [{ ...own, [id]: foreign[id]! }, foreign]) {
        const { status, body } = await mine.call(operation.method, address(operation, ids), {
          body: bodyFor(operation),
        })
        assert.equal(status, 404, `${id} of the other organisation is not found`)
        assert.ok(!JSON.stringify(body).includes(canary))
      }
    }
    for (const field of [
      ...(isStream(operation) ? [] : referencesIn(operation.query)), // it would not end
      ...(operation.query.properties.startAfter ? ['startAfter'] : []),
    ]) {
      const value = foreign[recordFor(operation, field)] ?? foreign.customerId
      const { status, body } = await mine.get(`${address(operation, own)}?${field}=${value}`)
      const unknown = await mine.get(`${address(operation, own)}?${field}=never_seen`)
      assert.deepEqual({ status, body }, { status: unknown.status, body: unknown.body }, `${field} tells nothing`)
    }
    for (const field of referencesIn(operation.body)) {
      const { status, body } = await mine.call(operation.method, address(operation, own), {
        body: { ...bodyFor(operation), [field]: foreign[recordFor(operation, field)] },
      })
      assert.ok(status === 400 || status === 404, `${field} of the other organisation is refused`)
      assert.ok(!JSON.stringify(body).includes(canary))
    }
    const elsewhere = await mine.call(operation.method, `/../${other.orgId}${address(operation, foreign)}`, {
      body: bodyFor(operation),
    })
    assert.equal(elsewhere.status, 403, 'the other organisation’s address is refused before anything is looked up')
    assert.equal(await otherRows(), before, 'nothing of the other organisation changed')
  })
}

test('lists show the caller’s records only', async () => {
  for (const operation of operations.filter(({ returns }) => 'pagination' in ((returns as TObject).properties ?? {}))) {
    const { body } = await mine.get(`${address(operation, own)}?limit=100`)
    assert.ok(!JSON.stringify(body).includes(canary), operation.path)
  }
  assert.equal((await mine.get(`/customers?search=${canary}`)).body.data.customers.length, 0)
  assert.equal((await mine.get(`/customers/lookup?email=${canary}@shop.example`)).status, 404)
  const { matches } = (await mine.get('/customers/lookup?phone=%2B441')).body.data
  assert.deepEqual(
    matches.map(({ id }: { id: string }) => id),
    [own.customerId],
    'a phone number that both have finds the caller’s',
  )
})

test('the place of a record that the other organisation deleted is no cursor', async () => {
  const { id } = (await other.post('/customers', { firstName: canary })).body.data
  await other.delete(`/customers/${id}`)
  assert.equal((await other.get(`/customers?startAfter=${id}`)).status, 200, 'there it is one')
  const [deleted, unknown] = [
    await mine.get(`/customers?startAfter=${id}`),
    await mine.get('/customers?startAfter=never_seen'),
  ]
  assert.deepEqual([deleted.status, deleted.body], [unknown.status, unknown.body])
})

/** Enough for validation to pass, so that it is the id that is refused. */
function bodyFor({ method, path, body }: Operation): object | undefined {
  if (method === 'GET' || method === 'DELETE') return undefined
  if (path.endsWith('/replay')) return { failedOnly: true } // its `from` and `to` are positions
  const values = /^\/(quotes|invoices)/.test(path) ? { ...probe, status: 'draft', to: 'probe@shop.example' } : probe
  return Object.fromEntries(Object.entries(values).filter(([field]) => field in body.properties))
}

/** Fields that name a record, but for those that only the server writes. */
function referencesIn({ properties }: Operation['query']): string[] {
  const isWritten = (field: string) => !(properties[field] as { readOnly?: boolean }).readOnly
  return Object.keys(properties).filter((field) => /Id$|^assignedTechnician$/.test(field) && isWritten(field))
}
