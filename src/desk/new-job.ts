// A new job: the customer is found or made, with the device and the visit, all on one page and all or nothing.
import { randomBytes } from 'node:crypto'
import { sql } from '../db/database.ts'
import { isClockTime, isDate } from '../domain/wall-clock.ts'
import { allOf, connectionOf, searchForText } from '../operations/text-search.ts'
import { seesPrices } from './job-data.ts'
import { jobLabels, typedVisit, visitBody } from './job-fields.ts'
import { isKnownCustomer } from './known-customers.ts'
import { byName, pageOfRows } from './list-page.ts'
import {
  type ChosenCustomer,
  customerOptions,
  customerPart,
  type FoundCustomer,
  type NewJobPage,
  newJobView,
} from './new-job-view.ts'
import { formKey } from './once.ts'
import type { PerformOne, Refusal } from './perform.ts'
import { inWords, type Labels } from './refusal-words.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { loadSetup } from './shop-setup.ts'

const maxFound = 8

const labels: Labels = {
  ...jobLabels,
  serviceRequired: 'what is needed',
  firstName: 'the first name',
  lastName: 'the last name',
  businessName: 'the business',
  phone: 'the phone number',
  email: 'the email address',
  address: 'the address',
  type: 'the kind of device',
  brand: 'the brand',
  model: 'the model',
  identifier: 'the serial number',
}

/** Where what an operation refuses stands on the page, if it is called otherwise there. */
const fieldOf: Readonly<Record<string, string>> = {
  scheduledFrom: 'from',
  scheduledTo: 'until',
  customerId: 'customer',
  customerName: 'customer',
  text: 'note',
}

const customerFields = ['firstName', 'lastName', 'businessName', 'phone', 'email', 'address'] as const
const deviceFields = ['type', 'brand', 'model', 'identifier'] as const

export function addNewJobRoutes(router: DeskRouter): void {
  router.get('/jobs/new', ['tickets:write'], async (request) => {
    const { query, memberId } = request
    const chosen = query.customer ? await findCustomer(request, query.customer) : undefined
    if (query.part !== undefined)
      return request.fragment(
        customerPart(request, { typed: new URLSearchParams(), chosen, found: undefined, problem: undefined }),
      )
    const typed = new URLSearchParams()
    const prefill = {
      day: isDate(query.day) ? query.day : '',
      from: isClockTime(query.from) ? query.from : '',
      until: isClockTime(query.until) ? query.until : '',
      assignedTechnician: query.who ?? (seesPrices(request) ? '' : memberId),
    }
    for (const [name, value] of Object.entries(prefill)) if (value) typed.set(name, value)
    return show(request, { typed, chosen })
  })

  /** What the field under the cursor offers while one types. */
  router.get('/jobs/new/customers', ['tickets:write', 'customers:read'], async (request) => {
    const text = (request.query.q ?? '').trim().slice(0, 100)
    return request.fragment(customerOptions(request, text, await searchCustomers(request, text)))
  })

  router.post('/jobs/new', ['tickets:write'], async (request) => {
    const { form } = request
    const customerId = field(form, 'customerId')
    if (form.has('other')) return show(request, { typed: withoutCustomer(form) })
    const chosen = customerId === '' ? undefined : await findCustomer(request, customerId)
    const looked = field(form, 'q')
    const isNew = customerFields.some((name) => field(form, name) !== '')
    // Without scripts a name that was typed is looked up first, so that nobody is entered twice.
    const mustChoose = !chosen && !isNew && looked !== '' && !form.has('nameOnly')
    if (form.has('find') || mustChoose) {
      const found = await searchCustomers(request, looked)
      const mayMake = request.may('customers:write')
      // Who may not make customers makes the job for a name, where nobody of that name is known.
      if (form.has('find') || found.length > 0 || mayMake)
        return show(request, { typed: found.length === 0 && mayMake ? withNewCustomer(form, looked) : form, found })
    }
    const performed = await request.performAll(
      (perform) => makeJob(request, perform, chosen),
      field(form, 'key') === '' ? undefined : formKey(form),
    )
    return request.answer(performed, {
      to: performed.isDone ? `/jobs/${performed.data.id}` : '/jobs/new',
      done: 'made',
      more: performed.isDone ? { ids: [performed.data.id] } : {},
      refused: (refusal) => show(request, { typed: form, chosen, refusal }),
    })
  })
}

const field = (form: URLSearchParams, name: string): string => (form.get(name) ?? '').trim()

function withoutCustomer(form: URLSearchParams): URLSearchParams {
  const typed = new URLSearchParams(form)
  for (const name of ['customerId', 'deviceId', 'q']) typed.delete(name)
  return typed
}

/** Nobody was found: what was typed is the beginning of a new customer. */
function withNewCustomer(form: URLSearchParams, text: string): URLSearchParams {
  const typed = new URLSearchParams(form)
  const name = text.includes('@') ? 'email' : isPhoneNumber(text) ? 'phone' : 'firstName'
  const [first = '', ...rest] = name === 'firstName' ? text.split(/\s+/) : [text]
  typed.set(name, first)
  if (rest.length > 0) typed.set('lastName', rest.join(' '))
  typed.delete('q')
  return typed
}

const isPhoneNumber = (text: string): boolean => /^[\d\s+()/.-]+$/.test(text)

async function makeJob(
  request: DeskRequest,
  perform: PerformOne,
  chosen: ChosenCustomer | undefined,
): Promise<{ id: string }> {
  const { form, timeZone, may } = request
  const given = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, field(form, name)]).filter(([, value]) => value !== ''))
  const newCustomer = given(customerFields)
  let customerId = chosen?.id
  if (!customerId && may('customers:write') && Object.keys(newCustomer).length > 0) {
    // A business has a name, too, where nobody's is known.
    const { firstName = newCustomer.businessName } = newCustomer
    const customer = await perform<{ id: string }>({
      operation: 'createCustomer',
      body: { ...newCustomer, ...(firstName && { firstName }) },
      subject: `customer ${[firstName, newCustomer.lastName].filter(Boolean).join(' ')}`,
    })
    customerId = customer.id
  }
  const newDevice = given(deviceFields)
  let deviceId = field(form, 'deviceId') || undefined
  if (customerId && may('devices:write') && deviceId === undefined && Object.keys(newDevice).length > 0) {
    const device = await perform<{ id: string; name: string }>({
      operation: 'createDevice',
      params: { customerId },
      body: newDevice,
      subject: ({ name }: { name: string }) => `device ${name}`,
    })
    deviceId = device.id
  }
  const visit = typedVisit(form)
  const jobFields = given(['serviceRequired', 'description', 'priority', 'assignedTechnician', 'stationId'])
  const who = customerId ? { customerId } : { customerName: field(form, 'q') }
  const { id, ticketNumber } = await perform<{ id: string; ticketNumber: number }>({
    operation: 'createTicket',
    body: { ...jobFields, ...who, ...(deviceId && { deviceId }), ...(visit !== '' && visitBody(visit, timeZone)) },
    subject: ({ ticketNumber }: { ticketNumber: number }) => `job #${ticketNumber}`,
  })
  const text = field(form, 'note')
  if (text !== '')
    await perform({
      operation: 'addTicketMessage',
      params: { ticketId: id },
      body: { text },
      subject: `job #${ticketNumber}`,
    })
  return { id }
}

interface Shown {
  readonly typed: URLSearchParams
  readonly chosen?: ChosenCustomer | undefined
  readonly found?: readonly FoundCustomer[]
  readonly refusal?: Refusal
}

async function show(request: DeskRequest, { typed, chosen, found, refusal }: Shown) {
  const setup = await loadSetup(request)
  const page: NewJobPage = {
    typed,
    chosen,
    found,
    setup,
    key: randomBytes(16).toString('base64url'),
    problem: refusal && toProblem(refusal),
  }
  return request.render(newJobView(request, page, refusal?.status))
}

/** What was refused, beside the field that it is about. */
function toProblem({ message }: Refusal): NonNullable<NewJobPage['problem']> {
  if (/^customerId or customerName is required/.test(message))
    return { field: 'customer', words: 'Choose a customer, or fill in a new one.' }
  const { field: name, words } = inWords(message, labels)
  return { field: name === undefined ? undefined : (fieldOf[name] ?? name), words }
}

const customerColumns = sql`customers.id, coalesce(nullif(concat_ws(' ', first_name, last_name), ''), business_name) as name,
  business_name as "businessName", phone, email, address`

async function findCustomer(request: DeskRequest, id: string): Promise<ChosenCustomer | undefined> {
  const { orgId, database } = request
  const [customer] = await database.read<ChosenCustomer>(
    orgId,
    sql`select ${customerColumns}, (select coalesce(json_agg(one), '[]') from (
        select id, name, type, identifier from devices where org_id = ${orgId} and customer_id = customers.id
        order by created_at desc, id desc limit 50) one) as devices
      from customers where ${allOf([sql`customers.org_id = ${orgId} and customers.id = ${id}`, isKnownCustomer(request)])}`,
  )
  return customer
}

/** By name, business or email; by phone whatever stands between its digits. */
export async function searchCustomers(request: DeskRequest, text: string): Promise<FoundCustomer[]> {
  if (text === '') return []
  const { orgId, database } = request
  const digits = isPhoneNumber(text) ? text.replaceAll(/\D/g, '').replace(/^0+/, '') : ''
  const isPhone = digits.length >= 4
  const search = isPhone
    ? { byReading: sql`phone is not null and translate(phone, ' +()/.-', '') like ${`%${digits}%`}` }
    : searchForText('customers', text)
  const where = isKnownCustomer(request)
  return database.read<FoundCustomer>(
    orgId,
    sql`select ${customerColumns}
      from ${pageOfRows({ table: 'customers', orgId, search, where, order: byName, limit: maxFound })}
      order by customers.sort_name, customers.id`,
    connectionOf(search),
  )
}
