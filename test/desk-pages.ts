// Every page of the desk, with the records it is about: for tests that look at all of them.
import { sql } from '../src/db/database.ts'
import { roles } from '../src/identity/members.ts'
import { type DeskVisitor, demoShop, deskVisitor } from './desk.ts'
import { agreement as newAgreement } from './recurring.ts'
import type { TestService } from './test-service.ts'

/** The path, who is let in, and what it is if no page of its own: a part of one, a file, or a way to another. */
export type DeskPage = readonly [path: string, roles: string, kind?: 'part' | 'file' | 'way']

/** A demo shop with a member of each role and one of everything that has a page. */
export async function shopWithDeskPages(here: TestService) {
  const { database } = here
  const shop = await demoShop(here)
  const { orgId } = shop
  const [admin, manager, technician] = (await Promise.all(roles.map((role) => deskVisitor(here, orgId, role)))) as [
    DeskVisitor,
    DeskVisitor,
    DeskVisitor,
  ]
  const first = async (path: string, key: string) => (await shop.get(path)).body.data[key][0]
  const [item] = (await shop.get('/inventory?sku=FP5-DISPLAY')).body.data.inventory
  const [service] = (await shop.get('/services')).body.data.services
  const customer = await first('/customers', 'customers')
  const [quote, invoice] = [await first('/quotes', 'quotes'), await first('/invoices', 'invoices')]
  const payment = await first('/payments', 'payments')
  const agreement = await newAgreement(shop, { name: 'Ovens', lineItems: [{ name: 'Oven service', unitPrice: 80 }] })
  const preset = (await shop.post('/recurring-presets', { name: 'Yearly service' })).body.data
  const [status, station] = [await first('/ticket-statuses', 'ticketStatuses'), await first('/stations', 'stations')]
  const rate = await first('/tax-rates', 'taxRates')
  await shop.put('', { countryCode: 'GB', vatId: 'GB123456789' })
  const abroad = (await shop.post('/customers', { firstName: 'Amara', countryCode: 'BE' })).body.data
  const taxed = [{ name: 'Work', unitPrice: 50, taxRateId: rate.id }]
  const eInvoice = (await shop.post('/invoices', { customerId: abroad.id, status: 'sent', lineItems: taxed })).body.data
  const bookFile = (await shop.post('/exports', { format: 'csv' })).body.data
  const part = await first('/inventory-categories', 'inventoryCategories')
  const asset = (await shop.post('/asset-categories', { name: 'Ovens' })).body.data
  const [template, rule] = [await first('/form-templates', 'formTemplates'), await first('/form-rules', 'formRules')]
  const event = (
    await shop.post('/calendar-events', { title: 'Talk', from: '2027-03-01T09:00:00Z', to: '2027-03-01T10:00:00Z' })
  ).body.data
  const ownJob = (await shop.post('/tickets', { customerName: 'Wren', assignedTechnician: technician.memberId })).body
    .data
  const line = (await shop.post(`/tickets/${ownJob.id}/services`, { name: 'Work' })).body.data
  const [submission] = await database.query<{ id: string }>(
    sql`select id from form_submissions where org_id = ${orgId} and status in ('open', 'inProgress') limit 1`,
  )
  const brought = (await shop.post('/imports', { source: 'generic', kind: 'customers', columns: ['Name'] })).body.data
  await admin.send('/settings/mail/test', {})
  const [mail] = await database.query<{ id: string }>(sql`select id from outbox where org_id = ${orgId} limit 1`)

  const pages: readonly DeskPage[] = [
    ['/today', 'admin manager'],
    ['/my-day', 'admin manager technician'],
    ['/board', 'admin manager technician'],
    ['/board?choose=yes', 'admin manager technician'],
    ['/calendar', 'admin manager technician'],
    ['/calendar?view=day', 'admin manager technician'],
    ['/calendar/new', 'admin manager technician'],
    [`/calendar/${event.id}`, 'admin manager technician'],
    [`/calendar/${event.id}/delete`, 'admin manager'],
    ['/catalogue?q=a', 'admin manager technician', 'part'],
    ['/customers', 'admin manager technician'],
    ['/customers/new', 'admin manager'],
    [`/customers/${customer.id}`, 'admin manager'],
    [`/customers/${customer.id}/edit`, 'admin manager'],
    ['/forms', 'admin manager technician'],
    [`/forms/${submission!.id}`, 'admin manager'],
    [`/forms/${submission!.id}/photos/none`, '', 'file'],
    ['/jobs/new', 'admin manager technician'],
    ['/jobs/new/customers?q=a', 'admin manager technician', 'part'],
    [`/jobs/${ownJob.id}`, 'admin manager technician'],
    [`/jobs/${ownJob.id}/delete`, 'admin manager'],
    [`/jobs/${ownJob.id}/lines/service/${line.id}`, 'admin manager technician'],
    ['/quotes', 'admin manager'],
    ['/quotes/new', 'admin manager'],
    ['/quotes?state=sent&q=a', 'admin manager'],
    [`/quotes/${quote.id}`, 'admin manager'],
    [`/quotes/${quote.id}/send`, 'admin manager'],
    [`/quotes/${quote.id}/delete`, 'admin manager'],
    [`/quotes/${quote.id}/pdf`, 'admin manager', 'file'],
    [`/quotes/${quote.id}/row?q=Work&key=9`, 'admin manager', 'part'],
    ['/invoices', 'admin manager'],
    ['/invoices?state=overdue', 'admin manager'],
    ['/stock', 'admin manager technician'],
    ['/stock?low=1&q=battery', 'admin manager technician'],
    ['/stock/new', 'admin manager'],
    ['/stock/labels', 'admin manager technician'],
    [`/stock/${item.id}`, 'admin manager technician'],
    [`/stock/${item.id}/label`, 'admin manager technician'],
    [`/stock/${item.id}/edit`, 'admin manager'],
    [`/stock/${item.id}/delete`, 'admin manager'],
    ['/services', 'admin manager technician'],
    ['/services/new', 'admin manager'],
    [`/services/${service.id}`, 'admin manager technician'],
    [`/services/${service.id}/edit`, 'admin manager'],
    [`/services/${service.id}/delete`, 'admin manager'],
    ...['money-in', 'receivables', 'jobs', 'turnaround', 'technicians', 'stock-value', 'quotes'].map(
      (name) => [`/reports?report=${name}`, 'admin manager'] as const,
    ),
    ['/exports', 'admin manager'],
    [`/exports/${bookFile.id}/file`, 'admin manager', 'file'],
    [`/invoices/${eInvoice.id}/e-invoice/factur-x`, 'admin manager', 'file'],
    ['/invoices?state=overdue&choose=yes', 'admin manager'],
    ['/invoices/new', 'admin manager'],
    ['/invoices/reminders', 'admin manager', 'way'],
    ['/invoices/reminders/undo', 'admin manager', 'way'],
    ['/jobs/bulk', 'admin manager technician', 'way'],
    ['/jobs/bulk/undo', 'admin manager technician', 'way'],
    [`/invoices/${invoice.id}`, 'admin manager'],
    [`/invoices/${invoice.id}/send`, 'admin manager'],
    [`/invoices/${invoice.id}/delete`, 'admin manager'],
    [`/invoices/${invoice.id}/pdf`, 'admin manager', 'file'],
    [`/invoices/${invoice.id}/row?q=Work&key=9`, 'admin manager', 'part'],
    [`/invoices/${invoice.id}/void`, 'admin manager'],
    [`/invoices/${payment.invoiceId}/payments/${payment.id}/remove`, 'admin manager'],
    ['/recurring', 'admin manager technician'],
    ['/recurring?state=active&q=oven', 'admin manager technician'],
    ['/recurring/new', 'admin manager'],
    [`/recurring/new?customer=${customer.id}&preset=${preset.id}`, 'admin manager'],
    ['/recurring/preview?unit=weeks&every=2&day=2027-01-04&time=09:00&durationMinutes=60', 'admin manager', 'part'],
    ['/recurring/row?q=Work&key=2', 'admin manager', 'part'],
    [`/recurring/${agreement.id}`, 'admin manager technician'],
    [`/recurring/${agreement.id}?past=yes`, 'admin manager technician'],
    [`/recurring/${agreement.id}/edit`, 'admin manager'],
    [`/recurring/${agreement.id}/end`, 'admin manager'],
    [`/recurring/${agreement.id}/delete`, 'admin manager'],
    [`/recurring/${agreement.id}/visits/0`, 'admin manager'],
    ['/recurring/presets', 'admin manager'],
    [`/recurring/presets/${preset.id}`, 'admin manager'],
    ['/search?q=boiler', 'admin manager technician'],
    ['/more', 'admin manager technician'],
    ['/keys', 'admin manager technician'],
    ['/account', 'admin manager technician', 'way'],
    ['/settings', 'admin manager', 'way'],
    ['/settings/organisation', 'admin'],
    ['/settings/accounting', 'admin'],
    ['/settings/members', 'admin'],
    ['/settings/members/new', 'admin'],
    [`/settings/members/${technician.memberId}`, 'admin'],
    ['/settings/statuses', 'admin manager'],
    ['/settings/statuses/new', 'admin manager'],
    [`/settings/statuses/${status.id}`, 'admin manager'],
    [`/settings/statuses/${status.id}/delete`, 'admin manager'],
    ['/settings/stations', 'admin manager'],
    ['/settings/stations/new', 'admin manager'],
    [`/settings/stations/${station.id}`, 'admin manager'],
    [`/settings/stations/${station.id}/delete`, 'admin manager'],
    ['/settings/taxes', 'admin manager'],
    ['/settings/taxes/new', 'admin manager'],
    [`/settings/taxes/${rate.id}`, 'admin manager'],
    [`/settings/taxes/${rate.id}/delete`, 'admin manager'],
    ['/settings/categories', 'admin manager'],
    ['/settings/categories/inventory/new', 'admin manager'],
    [`/settings/categories/inventory/${part.id}`, 'admin manager'],
    [`/settings/categories/inventory/${part.id}/delete`, 'admin manager'],
    ['/settings/categories/assets/new', 'admin manager'],
    [`/settings/categories/assets/${asset.id}`, 'admin manager'],
    [`/settings/categories/assets/${asset.id}/delete`, 'admin manager'],
    ['/settings/forms', 'admin manager'],
    ['/settings/forms/new', 'admin manager'],
    [`/settings/forms/${template.id}`, 'admin manager'],
    [`/settings/forms/rules/new?agreement=${agreement.id}`, 'admin manager'],
    [`/settings/forms/rules/${rule.id}`, 'admin manager'],
    ['/settings/mail', 'admin manager'],
    ['/settings/mail?state=failed', 'admin manager'],
    [`/settings/mail/${mail!.id}`, 'admin manager'],
    ['/settings/calendars', 'admin manager'],
    ['/reports/csv?report=money-in', 'admin manager', 'file'],
    ['/import', 'admin manager'],
    [`/import/${brought.id}`, 'admin manager'],
    [`/import/${brought.id}/problems.csv`, 'admin manager', 'file'],
  ]
  return { shop, visitors: { admin, manager, technician }, customer, pages }
}
