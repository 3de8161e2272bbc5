// What the compiler must know of the client: it is checked with all other types, and never run.
import {
  type ConflictCodes,
  ConflictError,
  type Customer,
  type CustomerCreate,
  Jobwright,
  type JobwrightEvent,
  JobwrightOAuth,
  type Ticket,
  type TicketPriority,
} from '../../client/src/index.ts'

const jobwright = new Jobwright({ baseUrl: 'https://shop.example/api/v1', organisation: 'org_1', apiKey: 'sk_live_1' })

export async function readsRecords(): Promise<Ticket | undefined> {
  for await (const customer of jobwright.customers.list({ search: 'khan', limit: 10 })) {
    const name: string = customer.firstName
    const email: string | null = customer.email
    // @ts-expect-error: it may be null
    const certain: string = customer.email
    // @ts-expect-error: there is no such field
    customer.nickname
    if (name === email || certain) return undefined
  }
  // @ts-expect-error: there is no such filter
  jobwright.customers.list({ serach: 'khan' })
  // @ts-expect-error: one of three
  jobwright.tickets.list({ status: 'Done' })
  const { items, hasMore, nextCursor } = await jobwright.tickets.list({ status: 'In Progress' }).page()
  const more: boolean = hasMore
  const cursor: string | null = nextCursor
  return more && cursor ? items[0] : undefined
}

export async function writesRecords(): Promise<Customer> {
  // @ts-expect-error: firstName is required
  await jobwright.customers.create({ lastName: 'Khan' })
  // @ts-expect-error: there is no such field
  await jobwright.customers.create({ firstName: 'Amara', nickname: 'Ami' })
  // @ts-expect-error: a change needs an id
  await jobwright.customers.update({ firstName: 'Amara' })
  // @ts-expect-error: members are made elsewhere
  await jobwright.members.create({})
  // @ts-expect-error: an id comes first
  await jobwright.quotes.convert({ force: true })
  // @ts-expect-error: a key is for what creates
  await jobwright.customers.get('cus_1', { idempotencyKey: 'x' })
  const body: CustomerCreate = { firstName: 'Amara' }
  await jobwright.customers.delete('cus_1', { cascade: false }, { timeoutMs: 1_000 })
  await jobwright.quotes.convert('quo_1', { force: true }, { idempotencyKey: 'once', signal: AbortSignal.timeout(1) })
  const pdf: Blob = await jobwright.invoices.getPdf('inv_1')
  await jobwright.recurringSchedules.occurrences('rec_1').skip(3)
  return pdf.size > 0 ? jobwright.customers.create(body) : jobwright.customers.update('cus_1', { phone: null })
}

export function readsErrors(error: unknown): readonly string[] {
  if (!(error instanceof ConflictError)) return []
  // @ts-expect-error: there is no such code
  error.is('CUSTOMER_HAS_JOBS')
  if (error.is('CUSTOMER_HAS_TICKETS')) return error.data.ticketIds
  // @ts-expect-error: this one carries something else
  if (error.is('FORM_GATE_TRANSITION')) return error.data.ticketIds
  const codes: ConflictCodes['convertQuote'][] = ['QUOTE_ALREADY_INVOICED']
  // @ts-expect-error: no code of this operation
  codes.push('LAST_STATUS')
  return codes
}

/** What is one of a few words is a type of its own. */
export const priorities: TicketPriority[] = ['low', 'urgent']
// @ts-expect-error: no such word
priorities.push('later')

export function readsEvents(event: JobwrightEvent): string | undefined {
  if (event.type === 'customer.created') return event.data?.firstName
  if (event.type === 'ticket.deleted') {
    const gone: null = event.data
    return gone ?? undefined
  }
  // @ts-expect-error: there is no such type
  if (event.type === 'customer.craeted') return undefined
  return event.recordId
}

// @ts-expect-error: an app has an address to return to
export const oauth = new JobwrightOAuth({ authUrl: 'https://shop.example', clientId: 'app' })
