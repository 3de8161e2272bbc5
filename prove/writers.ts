// Writers of many kinds of records that go on while the service is killed under them, and keep what was acknowledged.
import { randomUUID } from 'node:crypto'
import { createRandom, type Random } from '../src/demo/build/random.ts'
import type { Shop } from './fleet.ts'
import { createLedger, initialStock, type Ledger, type LedgerEntry } from './ledger.ts'
import { createRetryingClient, type Data, type RetryingClient } from './retrying-client.ts'

/** A job takes 200 lines at most, so writers go on to newer ones. */
const rememberedPerKind = 20

/** What writers of a shop refer to. */
interface SharedRecords {
  readonly partId: string
  readonly statusIds: readonly (readonly [name: string, id: string])[]
}

/** Writers at work, what they were acknowledged, and the client that they share. */
export interface Writers extends AsyncDisposable {
  readonly ledger: Ledger
  readonly client: RetryingClient
  /** Whether a write of this shop succeeds now. */
  canWrite(shop: Shop): Promise<boolean>
  /** Resolves when the last answer is in. */
  stop(): Promise<void>
}

export function startWriters(origin: string, shops: readonly Shop[], writersEach: number): Writers {
  const ledger = createLedger()
  const client = createRetryingClient(origin, ledger)
  const writersDone = runWriters(client, shops, writersEach, ledger)
  writersDone.catch(() => {}) // awaited by `stop`
  const stop = () => {
    client.stop()
    return writersDone
  }
  return {
    ledger,
    client,
    canWrite: async (shop) =>
      (await client.write(shop, 'POST', '/customers', { firstName: 'Amara', notes: randomUUID() })) !== undefined,
    stop,
    [Symbol.asyncDispose]: () => stop().catch(() => {}),
  }
}

/** Resolves when the client is stopped and the last answer is in. */
async function runWriters(client: RetryingClient, shops: readonly Shop[], writersEach: number, ledger: Ledger) {
  const sharedRecords = await Promise.all(shops.map((shop) => createSharedRecords(client, shop)))
  const writers = shops.flatMap((shop, index) =>
    Array.from({ length: writersEach }, (_, number) =>
      runWriter(client, shop, sharedRecords[index]!, ledger, createRandom(index * writersEach + number)),
    ),
  )
  await Promise.all(writers)
}

async function createSharedRecords(client: RetryingClient, shop: Shop): Promise<SharedRecords> {
  const part = { name: 'Screen', price: 40, quantityOnHand: initialStock }
  const { id: partId } = await client.write(shop, 'POST', '/inventory', part)
  const statusIds: [string, string][] = []
  for (const name of ['Waiting for parts', 'Waiting for the customer']) {
    const status = await client.write(shop, 'POST', '/ticket-statuses', { name, stage: 'inProgress' })
    statusIds.push([name, status.id])
  }
  return { partId, statusIds }
}

/** What one writer makes it alone changes, so that it knows what must be there. */
async function runWriter(
  client: RetryingClient,
  shop: Shop,
  shared: SharedRecords,
  ledger: Ledger,
  rng: Random,
): Promise<void> {
  const customers: LedgerEntry[] = []
  const jobs: LedgerEntry[] = []
  const invoices: LedgerEntry[] = []
  const quotes: LedgerEntry[] = []

  const create = (path: string, body: object) => client.write(shop, 'POST', path, body)
  function record(table: string, data: Data, allowedValues: Record<string, unknown>, list: LedgerEntry[] = []): void {
    if (!data) return
    const values = Object.entries(allowedValues).map(([column, value]) => [column, [String(value)]])
    const entry = { table, orgId: shop.orgId, id: data.id, allowedValues: Object.fromEntries(values), isInDoubt: false }
    ledger.entries.push(entry)
    if (list.push(entry) > rememberedPerKind) list.shift()
  }
  async function update(entry: LedgerEntry, path: string, body: object, column: string, value: string): Promise<void> {
    entry.isInDoubt = true
    entry.allowedValues[column] = [...entry.allowedValues[column]!, value]
    if (!(await client.write(shop, 'PUT', path, body))) return
    entry.allowedValues[column] = [value]
    entry.isInDoubt = false
  }
  const withJob = async (work: (ticketId: string) => Promise<void>) => {
    if (jobs.length > 0) await work(rng.pick(jobs).id)
  }
  const withInvoice = async (work: (invoiceId: string) => Promise<void>) => {
    if (invoices.length > 0) await work(rng.pick(invoices).id)
  }
  const latestCertain = (list: readonly LedgerEntry[]) => list.findLast(({ isInDoubt }) => !isInDoubt)
  const lineItems = () => [{ name: 'Labour', quantity: 1 + rng.below(3), unitPrice: 40 }]

  const writes: readonly (() => Promise<void>)[] = [
    async () => {
      const notes = randomUUID()
      const data = await create('/customers', { firstName: 'Amara', notes })
      record('customers', data, { notes, business_name: null }, customers)
    },
    async () => {
      const serviceRequired = randomUUID()
      const data = await create('/tickets', { customerName: 'Amara', serviceRequired })
      const allowedValues = {
        ticket_number: data?.ticketNumber,
        service_required: serviceRequired,
        status_id: data?.statusId,
      }
      record('tickets', data, allowedValues, jobs)
    },
    async () => {
      const [customer, name] = [latestCertain(customers), randomUUID()]
      if (customer) await update(customer, `/customers/${customer.id}`, { businessName: name }, 'business_name', name)
    },
    async () => {
      const [job, [status, id]] = [latestCertain(jobs), rng.pick(shared.statusIds)]
      if (job) await update(job, `/tickets/${job.id}/status`, { status }, 'status_id', id)
    },
    () =>
      withJob(async (ticketId) => {
        const text = randomUUID()
        record('messages', await create(`/tickets/${ticketId}/messages`, { text }), { text, ticket_id: ticketId })
      }),
    () =>
      withJob(async (ticketId) => {
        const quantity = 1 + rng.below(9)
        const data = await create(`/tickets/${ticketId}/services`, { name: 'Labour', quantity, unitPrice: 40 })
        record('service_lines', data, { ticket_id: ticketId, quantity, line_total: quantity * 40 })
      }),
    () =>
      withJob(async (ticketId) => {
        const quantity = 1 + rng.below(3)
        const body = { inventoryItemId: shared.partId, quantity }
        record('inventory_lines', await create(`/tickets/${ticketId}/inventory`, body), {
          ticket_id: ticketId,
          quantity,
        })
      }),
    () =>
      withJob(async (ticketId) => {
        const data = await create('/invoices', { ticketId, lineItems: lineItems() })
        record('invoices', data, { total: data?.total, invoice_number: data?.invoiceNumber }, invoices)
      }),
    () =>
      withJob(async (ticketId) => {
        const data = await create('/quotes', { ticketId, lineItems: lineItems() })
        record('quotes', data, { total: data?.total, quote_number: data?.quoteNumber }, quotes)
      }),
    async () => {
      const quote = quotes.shift()
      if (!quote) return
      // Whether one without an answer was converted shows in the retry.
      const options = { acceptedConflict: 'QUOTE_ALREADY_INVOICED' }
      const data = await client.writeUntilAnswered(shop, `/quotes/${quote.id}/convert`, {}, options)
      record('invoices', data, { quote_id: quote.id, total: data?.total })
    },
    () =>
      withInvoice(async (invoiceId) => {
        const [amount, notes] = [1 + rng.below(40), randomUUID()]
        const data = await create('/payments', { invoiceId, amount, notes })
        record('payments', data, { invoice_id: invoiceId, amount, notes })
      }),
    async () => {
      const notes = `once ${randomUUID()}`
      record('customers', await client.writeIdempotently(shop, '/customers', { firstName: 'Amara', notes }), { notes })
    },
    async () => {
      const serviceRequired = `once ${randomUUID()}`
      const data = await client.writeIdempotently(shop, '/tickets', { customerName: 'Amara', serviceRequired })
      record('tickets', data, { ticket_number: data?.ticketNumber, service_required: serviceRequired })
    },
    () =>
      withInvoice(async (invoiceId) => {
        const notes = `once ${randomUUID()}`
        const data = await client.writeIdempotently(shop, '/payments', { invoiceId, amount: 1, notes })
        record('payments', data, { invoice_id: invoiceId, notes })
      }),
  ]
  while (!client.isStopped()) await rng.pick(writes)()
}
