// Writers of many kinds of records that go on while the service is killed under them, and keep what was acknowledged.
import { randomUUID } from 'node:crypto'
import { type Chance, chance } from '../src/demo/random.ts'
import type { Asking, Data } from './asking.ts'
import type { Shop } from './fleet.ts'
import { type Entry, type Ledger, stockAtFirst } from './ledger.ts'

/** A job takes 200 lines at most, so writers go on to newer ones. */
const rememberedEach = 20

/** What writers of a shop refer to. */
interface Stock {
  readonly partId: string
  readonly statusIds: readonly (readonly [name: string, id: string])[]
}

/** Comes back when the asking is stopped and the last answer is in. */
export async function writeAway(asking: Asking, shops: readonly Shop[], writersEach: number, ledger: Ledger) {
  const stocks = await Promise.all(shops.map((shop) => stockOf(asking, shop)))
  const writers = shops.flatMap((shop, index) =>
    Array.from({ length: writersEach }, (_, number) =>
      writer(asking, shop, stocks[index]!, ledger, chance(index * writersEach + number)),
    ),
  )
  await Promise.all(writers)
}

async function stockOf(asking: Asking, shop: Shop): Promise<Stock> {
  const part = { name: 'Screen', price: 40, quantityOnHand: stockAtFirst }
  const { id: partId } = await asking.write(shop, 'POST', '/inventory', part)
  const statusIds: [string, string][] = []
  for (const name of ['Waiting for parts', 'Waiting for the customer']) {
    const status = await asking.write(shop, 'POST', '/ticket-statuses', { name, stage: 'inProgress' })
    statusIds.push([name, status.id])
  }
  return { partId, statusIds }
}

/** What one writer makes it alone changes, so that it knows what must be there. */
async function writer(asking: Asking, shop: Shop, stock: Stock, ledger: Ledger, luck: Chance): Promise<void> {
  const customers: Entry[] = []
  const jobs: Entry[] = []
  const invoices: Entry[] = []
  const quotes: Entry[] = []

  const create = (path: string, body: object) => asking.write(shop, 'POST', path, body)
  function keep(table: string, data: Data, may: Record<string, unknown>, list: Entry[] = []): void {
    if (!data) return
    const values = Object.entries(may).map(([column, value]) => [column, [String(value)]])
    const entry = { table, orgId: shop.orgId, id: data.id, may: Object.fromEntries(values), inDoubt: false }
    ledger.entries.push(entry)
    if (list.push(entry) > rememberedEach) list.shift()
  }
  async function change(entry: Entry, path: string, body: object, column: string, value: string): Promise<void> {
    entry.inDoubt = true
    entry.may[column] = [...entry.may[column]!, value]
    if (!(await asking.write(shop, 'PUT', path, body))) return
    entry.may[column] = [value]
    entry.inDoubt = false
  }
  const onJob = async (work: (ticketId: string) => Promise<void>) => {
    if (jobs.length > 0) await work(luck.pick(jobs).id)
  }
  const onInvoice = async (work: (invoiceId: string) => Promise<void>) => {
    if (invoices.length > 0) await work(luck.pick(invoices).id)
  }
  const surely = (list: readonly Entry[]) => list.findLast(({ inDoubt }) => !inDoubt)
  const lineItems = () => [{ name: 'Labour', quantity: 1 + luck.below(3), unitPrice: 40 }]

  const works: readonly (() => Promise<void>)[] = [
    async () => {
      const notes = randomUUID()
      const data = await create('/customers', { firstName: 'Amara', notes })
      keep('customers', data, { notes, business_name: null }, customers)
    },
    async () => {
      const serviceRequired = randomUUID()
      const data = await create('/tickets', { customerName: 'Amara', serviceRequired })
      const may = { ticket_number: data?.ticketNumber, service_required: serviceRequired, status_id: data?.statusId }
      keep('tickets', data, may, jobs)
    },
    async () => {
      const [customer, name] = [surely(customers), randomUUID()]
      if (customer) await change(customer, `/customers/${customer.id}`, { businessName: name }, 'business_name', name)
    },
    async () => {
      const [job, [status, id]] = [surely(jobs), luck.pick(stock.statusIds)]
      if (job) await change(job, `/tickets/${job.id}/status`, { status }, 'status_id', id)
    },
    () =>
      onJob(async (ticketId) => {
        const text = randomUUID()
        keep('messages', await create(`/tickets/${ticketId}/messages`, { text }), { text, ticket_id: ticketId })
      }),
    () =>
      onJob(async (ticketId) => {
        const quantity = 1 + luck.below(9)
        const data = await create(`/tickets/${ticketId}/services`, { name: 'Labour', quantity, unitPrice: 40 })
        keep('service_lines', data, { ticket_id: ticketId, quantity, line_total: quantity * 40 })
      }),
    () =>
      onJob(async (ticketId) => {
        const quantity = 1 + luck.below(3)
        const body = { inventoryItemId: stock.partId, quantity }
        keep('inventory_lines', await create(`/tickets/${ticketId}/inventory`, body), { ticket_id: ticketId, quantity })
      }),
    () =>
      onJob(async (ticketId) => {
        const data = await create('/invoices', { ticketId, lineItems: lineItems() })
        keep('invoices', data, { total: data?.total, invoice_number: data?.invoiceNumber }, invoices)
      }),
    () =>
      onJob(async (ticketId) => {
        const data = await create('/quotes', { ticketId, lineItems: lineItems() })
        keep('quotes', data, { total: data?.total, quote_number: data?.quoteNumber }, quotes)
      }),
    async () => {
      const quote = quotes.shift()
      if (!quote) return
      // Whether one without an answer was converted shows when it is asked for again.
      const more = { alsoRight: 'QUOTE_ALREADY_INVOICED' }
      const data = await asking.insist(shop, `/quotes/${quote.id}/convert`, {}, more)
      keep('invoices', data, { quote_id: quote.id, total: data?.total })
    },
    () =>
      onInvoice(async (invoiceId) => {
        const [amount, notes] = [1 + luck.below(40), randomUUID()]
        const data = await create('/payments', { invoiceId, amount, notes })
        keep('payments', data, { invoice_id: invoiceId, amount, notes })
      }),
    async () => {
      const notes = `once ${randomUUID()}`
      keep('customers', await asking.writeOnce(shop, '/customers', { firstName: 'Amara', notes }), { notes })
    },
    async () => {
      const serviceRequired = `once ${randomUUID()}`
      const data = await asking.writeOnce(shop, '/tickets', { customerName: 'Amara', serviceRequired })
      keep('tickets', data, { ticket_number: data?.ticketNumber, service_required: serviceRequired })
    },
    () =>
      onInvoice(async (invoiceId) => {
        const notes = `once ${randomUUID()}`
        const data = await asking.writeOnce(shop, '/payments', { invoiceId, amount: 1, notes })
        keep('payments', data, { invoice_id: invoiceId, notes })
      }),
  ]
  while (!asking.isStopped()) await luck.pick(works)()
}
