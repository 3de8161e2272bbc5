// Customers: found by name, phone or email; one with devices, jobs, money and agreements; changed and made here.
import { type Sql, sql } from '../db/database.ts'
import { notFound } from '../operations/errors.ts'
import { allOf, connectionOf, searchForText, type TextSearch } from '../operations/text-search.ts'
import {
  type CustomerFields,
  type CustomerPage,
  customerFormView,
  customerListView,
  customerView,
  type ListedCustomer,
} from './customers-view.ts'
import { parseJson } from './document-fields.ts'
import { typedAddress } from './electronic-address.ts'
import { isKnownCustomer } from './known-customers.ts'
import { byName, pageOfRows } from './list-page.ts'
import type { Refusal } from './perform.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { loadSetup } from './shop-setup.ts'

const perPage = 50
const perList = 20
export const customerFieldNames = [
  'firstName',
  'lastName',
  'businessName',
  'phone',
  'email',
  'address',
  'notes',
  'countryCode',
  'vatId',
  'electronicAddress',
  'buyerReference',
] as const

export function addCustomerRoutes(router: DeskRouter): void {
  router.get('/customers', ['customers:read'], async (request) => {
    const { orgId, database, query } = request
    const search = (query.q ?? '').trim().slice(0, 100)
    const customers = await database.read<ListedCustomer>(
      orgId,
      selectCustomers(request, search),
      connectionOf(searchOf(search)),
    )
    const isMore = customers.length > perPage
    return request.render(customerListView(request, { search, customers: customers.slice(0, perPage), isMore }))
  })

  router.get('/customers/new', ['customers:write'], async (request) =>
    request.render(customerFormView(request, { id: undefined, fields: {}, version: undefined })),
  )
  router.post('/customers', ['customers:write'], async (request) => {
    const fields = changedFields(request.form, {})
    const performed = await request.perform<{ id: string }>({
      operation: 'createCustomer',
      body: bodyOf(fields),
      subject: `customer ${nameIn(fields)}`,
    })
    return request.answer(performed, {
      to: performed.isDone ? `/customers/${performed.data.id}` : '/customers',
      done: 'saved',
      refused: (refusal) => request.render(customerFormView(request, { ...typed(request, undefined), refusal })),
    })
  })

  router.get('/customers/:customer', ['customers:read'], async (request) => {
    const [setup, page] = await Promise.all([loadSetup(request), loadCustomer(request)])
    return request.render(customerView(request, page, setup))
  })
  router.get('/customers/:customer/edit', ['customers:write'], async (request) => {
    const { customer } = await loadCustomer(request)
    const version = await versionOf(request)
    return request.render(customerFormView(request, { id: customer.id, fields: customer, version }))
  })
  router.post('/customers/:customer', ['customers:write'], async (request) => {
    const { customer } = await loadCustomer(request)
    const version = request.form.get('version') ?? undefined
    const performed = await request.perform<{ id: string }>({
      operation: 'updateCustomer',
      params: { customerId: customer.id },
      body: bodyOf(changedFields(request.form, parseJson(request.form.get('seen') ?? '') as CustomerFields)),
      version,
      subject: `customer ${nameIn(customer)}`,
    })
    return request.answer(performed, {
      to: `/customers/${customer.id}`,
      done: 'saved',
      more: { ids: [customer.id] },
      refused: async (refusal: Refusal) => {
        const isStale = refusal.status === 412
        const current = isStale ? { theirs: customer, version: await versionOf(request) } : {}
        return request.render(customerFormView(request, { ...typed(request, customer.id), ...current, refusal }))
      },
    })
  })

  router.post('/customers/:customer/devices', ['devices:write'], async (request) => {
    const { customer } = await loadCustomer(request)
    const given = (name: string) => request.form.get(name)?.trim() || undefined
    const body = {
      name: given('name'),
      type: given('type'),
      brand: given('brand'),
      model: given('model'),
      identifier: given('identifier'),
    }
    const performed = await request.perform<{ id: string; name: string }>({
      operation: 'createDevice',
      params: { customerId: customer.id },
      body,
      subject: (device: { name: string }) => `device ${device.name}`,
    })
    return request.answer(performed, { to: `/customers/${customer.id}`, done: 'saved', more: { ids: [customer.id] } })
  })
}

const nameIn = ({ firstName, lastName, businessName }: CustomerFields): string =>
  businessName || [firstName, lastName].filter(Boolean).join(' ')

/** Only what somebody changed is sent, so that two people do not undo each other. Empty means none. */
function changedFields(form: URLSearchParams, seen: CustomerFields): CustomerFields {
  const changed: Record<string, string | null> = {}
  for (const name of customerFieldNames) {
    const given = form.get(name)
    if (given === null) continue
    const value = given.trim() === '' ? null : given.trim()
    if (value !== (seen[name] ?? null)) changed[name] = value
  }
  return changed
}

const bodyOf = ({ electronicAddress, ...fields }: CustomerFields): Record<string, unknown> => ({
  ...fields,
  ...(electronicAddress !== undefined && { electronicAddress: typedAddress(electronicAddress ?? '') }),
})

const typed = ({ form }: DeskRequest, id: string | undefined) => ({
  id,
  fields: Object.fromEntries(customerFieldNames.map((name) => [name, form.get(name)])) as CustomerFields,
  seen: form.get('seen') ?? undefined,
  version: form.get('version') ?? undefined,
})

const versionOf = async (request: DeskRequest): Promise<string | undefined> =>
  request.version('getCustomer', { customerId: request.params.customer! })

function selectCustomers(request: DeskRequest, typed: string): Sql {
  const { orgId } = request
  const page = { table: 'customers', orgId, search: searchOf(typed), where: isKnownCustomer(request), order: byName }
  return sql`
    select customers.id, first_name as "firstName", last_name as "lastName", business_name as "businessName", phone, email,
      (select count(*)::int from tickets where tickets.org_id = ${orgId} and customer_id = customers.id and closed_at is null) as "openJobs"
    from ${pageOfRows({ ...page, limit: perPage + 1 })} order by customers.sort_name, customers.id`
}

/** By what an index knows, unless it may be a phone number, of which there is none by its parts. */
function searchOf(typed: string): TextSearch | undefined {
  if (typed === '') return undefined
  const digits = typed.replaceAll(/\D/g, '')
  const byText = searchForText('customers', typed)
  if (digits.length < 4) return byText
  const isText = allOf([byText.byIndex, byText.byReading])
  return { byReading: sql`(${isText} or regexp_replace(customers.phone, '\\D', '', 'g') like ${`%${digits}%`})` }
}

async function loadCustomer(request: DeskRequest): Promise<CustomerPage> {
  const { orgId, database, params, may } = request
  const id = params.customer!
  const [[row], jobs, documents] = await Promise.all([
    database.read<CustomerPage['customer']>(
      orgId,
      sql`select id, first_name as "firstName", last_name as "lastName", business_name as "businessName", phone, email,
          address, notes, country_code as "countryCode", vat_id as "vatId", buyer_reference as "buyerReference",
          (electronic_address ->> 'scheme') || ':' || (electronic_address ->> 'value') as "electronicAddress", created_at as "createdAt",
          (select count(*)::int from tickets where org_id = ${orgId} and customer_id = customers.id) as "jobCount",
          (select coalesce(json_agg(device order by device.name), '[]') from (
            select device.id, device.name, type, identifier,
              (select count(*)::int from tickets where org_id = ${orgId} and device_id = device.id) as "jobCount"
            from devices device where org_id = ${orgId} and customer_id = customers.id limit 50) device) as devices,
          (select coalesce(json_agg(schedule order by schedule.name), '[]') from (
            select id, coalesce(name, service_required) as name from recurring_schedules where org_id = ${orgId} and customer_id = customers.id limit 20) schedule) as agreements
        from customers where ${allOf([sql`customers.org_id = ${orgId} and customers.id = ${id}`, isKnownCustomer(request)])}`,
    ),
    database.read<CustomerPage['jobs'][number]>(
      orgId,
      sql`select id, ticket_number as number, coalesce(service_required, 'Job without a title') as title,
          customer_device_name as device, status_id as "statusId", scheduled_from as "from", closed_at as "closedAt"
        from tickets where org_id = ${orgId} and customer_id = ${id} order by created_at desc, id desc limit ${perList * 2}::int`,
    ),
    may('invoices:read')
      ? database.read<CustomerPage['documents'][number]>(orgId, selectDocuments(orgId, id))
      : Promise.resolve([]),
  ])
  if (!row) throw notFound('customer')
  return { customer: row, jobs, documents }
}

const selectDocuments = (orgId: string, customerId: string): Sql => sql`
  select * from (
    (select 'invoice' as kind, id, invoice_number as number, coalesce(title, '') as title, status, total::float8, balance::float8,
      amount_paid::float8 as paid, due_at as at, created_at from invoices
      where org_id = ${orgId} and customer_id = ${customerId} order by created_at desc limit ${perList}::int)
    union all
    (select 'quote', id, quote_number, coalesce(title, ''), status, total::float8, 0, 0, valid_until, created_at from quotes
      where org_id = ${orgId} and customer_id = ${customerId} and status <> 'invoiced' order by created_at desc limit ${perList}::int)
  ) document order by created_at desc`
