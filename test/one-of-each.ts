// One record of every kind, for tests that go over every operation.
import { type Database, sql } from '../src/db/database.ts'
import { dayMs } from '../src/domain/durations.ts'
import { createVault } from '../src/identity/secrets.ts'
import { noDependencies } from '../src/operations/context.ts'
import { newId } from '../src/operations/ids.ts'
import type { Operation } from '../src/operations/operation.ts'
import { eventCatalogue } from '../src/resources/index.ts'
import { numberEvents } from '../src/worker/events.ts'
import { formWriter } from './forms.ts'
import type { Client, ServiceHandle } from './test-service.ts'

const soon = new Date(Date.now() + dayMs).toISOString()

/** A value for every field that some operation requires. */
export const probe = {
  ...{ name: 'Probe', firstName: 'Probe', brand: 'Probe', text: 'Probe', customerName: 'Probe', title: 'Probe' },
  ...{ from: '2026-11-16T09:00:00Z', to: '2026-11-16T10:00:00Z', status: 'Open', signature: 'x', type: 'percent' },
  ...{ value: 5, rate: 5, amount: 5, remindAt: soon },
  url: 'https://shop.example/hooks',
  ...{ columns: ['First name', 'Email'], rows: [['Probe', 'probe@shop.example']] },
  ...{ startsAt: '2026-11-16T09:00:00Z', rrule: 'FREQ=WEEKLY', serviceRequired: 'Probe' },
}

/** Their ids, by the names that paths give them. */
export async function createRecords(
  { database, config }: Pick<ServiceHandle, 'database' | 'config'>,
  client: Client,
  name: string,
): Promise<Record<string, string>> {
  const { id: customerId } = (
    await client.post('/customers', { firstName: name, email: `${name}@shop.example`, phone: '+441' })
  ).body.data
  const { id: deviceId } = (await client.post(`/customers/${customerId}/devices`, { brand: name })).body.data
  const { id: stationId } = (await client.post('/stations', { name })).body.data
  const { id: taxRateId } = (await client.post('/tax-rates', { name, rate: 20 })).body.data
  const { id: statusId } = (await client.post('/ticket-statuses', { name })).body.data
  const { id: serviceId } = (await client.post('/services', { name })).body.data
  const { id: itemId } = (await client.post('/inventory', { name, sku: name })).body.data
  await client.put(`/inventory/${itemId}`, { quantityDelta: 1, reason: name })
  const { id: correctionId } = (await client.get(`/inventory/${itemId}/corrections`)).body.data.corrections[0]
  const { id: inventoryCategoryId } = (await client.post('/inventory-categories', { name })).body.data
  const { id: assetCategoryId } = (await client.post('/asset-categories', { name })).body.data
  const memberId = await insertMember(database, client, name)
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
  const { id: importId } = (await client.post('/imports', { name, columns: ['First name', 'Email'] })).body.data
  const { id: exportId } = (await client.post('/exports', { format: 'csv' })).body.data
  return {
    importId,
    exportId,
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
    correctionId,
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
    changeId: await newestEvent({ database, config }, client),
  }
}

/** There is no worker here; another test file may be numbering the same organisation at this moment, and is waited for. */
async function newestEvent(
  { database, config }: Pick<ServiceHandle, 'database' | 'config'>,
  { orgId }: Client,
): Promise<string> {
  const dependencies = { ...noDependencies, vault: await createVault(config) }
  for (;;) {
    await numberEvents({ database, catalogue: eventCatalogue, dependencies })
    const [event] = await database.query<{ id: string }>(sql`
      select id from events where org_id = ${orgId} order by position desc limit 1`)
    if (event) return event.id
  }
}

/** Callers cannot add members. */
async function insertMember(database: Database, { orgId }: Client, firstName: string): Promise<string> {
  const [member] = await database.query<{ id: string }>(sql`
    with person as (insert into people (id, email) values (${newId('per')}, ${`${firstName}.${newId('per')}@staff.example`}) returning id)
    insert into members (org_id, id, person_id, first_name, role)
    select ${orgId}, ${newId('mem')}, person.id, ${firstName}, 'technician' from person returning id`)
  return member!.id
}

/** One name can stand for two kinds of record, and two names for one. */
export const recordFor = ({ path }: Operation, field: string) => {
  if (field === 'categoryId')
    return /\/(asset-categories|devices)/.test(path) ? 'assetCategoryId' : 'inventoryCategoryId'
  if (field === 'eventId' && path.startsWith('/events')) return 'changeId'
  if (field === 'lineId') return path.includes('/services') ? 'serviceLineId' : 'inventoryLineId'
  if (field === 'assignedTechnician' || field === 'assignedToId') return 'memberId'
  return field === 'inventoryItemId' ? 'itemId' : field
}

/** Where an operation is, with the ids of those records. */
export const address = (operation: Operation, ids: Readonly<Record<string, string>>) => {
  const filled = operation.path.replace(/:(\w+)/g, (_, name: string) => ids[recordFor(operation, name)]!)
  return filled === '/' ? '' : filled
}

/** Enough for validation to pass, so that it is the id that is refused. */
export function bodyFor({ method, path, body }: Operation): object | undefined {
  if (method === 'GET' || method === 'DELETE') return undefined
  if (path.endsWith('/replay')) return { failedOnly: true } // its `from` and `to` are positions
  const values = /^\/(quotes|invoices)/.test(path) ? { ...probe, status: 'draft', to: 'probe@shop.example' } : probe
  return Object.fromEntries(Object.entries(values).filter(([field]) => field in body.properties))
}
