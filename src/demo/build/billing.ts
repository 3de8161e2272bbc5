// Quotes, invoices, payments and reminders as the service would have stored them, and their timeline entries.
import { type Queryable, type Row, raw, sql } from '../../db/database.ts'
import { dayMs } from '../../domain/durations.ts'
import type { TimelineEntry } from '../../domain/timeline.ts'
import { newId } from '../../operations/ids.ts'
import type { QuoteSpec } from '../data/billing.ts'
import { manager } from '../data/staff.ts'
import { type BillingDefaults, type BillingSource, billingContent, type JobRecord } from './billing-content.ts'
import { type InvoiceHistory, invoiceHistory, type QuoteHistory, quoteHistory } from './billing-history.ts'
import type { Shop } from './lines.ts'
import { buildPaymentHistory } from './payments.ts'
import { baseColumns, insertRows, updateRows } from './rows.ts'
import type { TimedEntry } from './timeline-entry.ts'

export interface Billing {
  readonly counts: { readonly quotes: number; readonly invoices: number; readonly payments: number }
  /** By the id of the job. */
  readonly entries: ReadonlyMap<string, readonly TimedEntry[]>
  write(): Promise<void>
}

interface NumberedDocument {
  readonly id: string
  readonly number: string
}

/** Works out all papers and takes their numbers. They are written once their jobs are. */
export async function buildBilling(
  transaction: Queryable,
  shop: Shop,
  records: readonly JobRecord[],
  mapTime: (timestamp: number) => number,
): Promise<Billing> {
  const { orgId, now } = shop
  const defaults = await loadBillingDefaults(transaction, orgId)
  const histories = records.map((record) => {
    const quote = quoteHistory(record.plan, now)
    return { record, quote, invoice: invoiceHistory(record.plan, quote, now) }
  })
  const assignNumbers = async (kind: 'quote' | 'invoice', prefix: string) => {
    const made = histories.flatMap((history) => history[kind] ?? []).sort((a, b) => a.madeAt - b.madeAt)
    const numbers = await takeNumbers(transaction, orgId, kind, made.length)
    return new Map(made.map((one, place) => [one, { id: newId(prefix), number: numbers[place]! }]))
  }
  const [quoteNames, invoiceNames] = [await assignNumbers('quote', 'quo'), await assignNumbers('invoice', 'inv')]
  const all = histories.map(({ record, quote, invoice }) => {
    const entries: TimedEntry[] = []
    const quoteName = quote && quoteNames.get(quote)!
    const invoiceName = invoice && invoiceNames.get(invoice)!
    const converted = invoice?.isConverted ? { at: invoice.madeAt, ...invoiceName! } : undefined
    const context: BillingContext = { record, shop, defaults, mapTime, entries }
    return {
      ticketId: record.ticket.id as string,
      notes: entries,
      quotes: quote ? [quoteRow(context, quote, quoteName!, converted)] : [],
      ...(invoice
        ? invoiceRows(
            context,
            invoice,
            invoiceName!,
            invoice.isConverted ? { ...quoteName!, quoteSpec: quote!.quoteSpec } : null,
          )
        : noInvoice),
    }
  })
  // In the order of their numbers, which is also that of their ids.
  const byId = (rows: readonly Row[]) => rows.toSorted((a, b) => ((a.id as string) < (b.id as string) ? -1 : 1))
  const [quotes, invoices] = [byId(all.flatMap((one) => one.quotes)), byId(all.flatMap((one) => one.invoices))]
  const payments = all.flatMap((one) => one.payments).toSorted((a, b) => Number(a.created_at) - Number(b.created_at))
  return {
    counts: { quotes: quotes.length, invoices: invoices.length, payments: payments.length },
    entries: new Map(all.map(({ ticketId, notes: entries }) => [ticketId, entries])),
    async write() {
      await insertRows(transaction, 'quotes', quotes)
      await insertRows(transaction, 'invoices', invoices)
      await insertRows(
        transaction,
        'payments',
        payments.map((payment) => ({ ...payment, id: newId('pay') })),
      )
      await insertRows(
        transaction,
        'reminders',
        all.flatMap((one) => one.reminders),
      )
      // Counting the money dates both with the moment of counting.
      const paidOn = new Set(payments.map((payment) => payment.invoice_id))
      const timestamps = invoices
        .filter(({ id }) => paidOn.has(id))
        .map(({ id, paid_at, updated_at }) => ({ id, paid_at, updated_at }))
      await updateRows(transaction, orgId, 'invoices', ['paid_at', 'updated_at'], timestamps)
    },
  }
}

const noInvoice = { invoices: [], payments: [], reminders: [] }

async function loadBillingDefaults(transaction: Queryable, orgId: string): Promise<BillingDefaults> {
  const [defaults] = await transaction.query<BillingDefaults>(sql`
    select document_terms as terms, payment_instructions as "paymentInstructions", quote_valid_days as "validDays",
      invoice_due_days as "dueDays" from organisations where org_id = ${orgId}`)
  return defaults!
}

/** Numbers that follow on the last one; those an earlier prefix already spelt are passed over. */
async function takeNumbers(
  transaction: Queryable,
  orgId: string,
  kind: 'quote' | 'invoice',
  count: number,
): Promise<string[]> {
  const [documents, number, next, prefix] = [
    `${kind}s`,
    `${kind}_number`,
    `next_${kind}_number`,
    `${kind}_number_prefix`,
  ]
  const rows = await transaction.query<{ number: string }>(sql`
    with counter as (select ${raw(next)} as next from counters where org_id = ${orgId} for update),
      free as (
        select place, numbered(${raw(prefix)}, place) as number from organisations, counter, generate_series(
          next, next + ${count}::int + (select count(*) from ${raw(documents)} where org_id = ${orgId})::int) place
        where org_id = ${orgId} and not exists (select from ${raw(documents)} there
          where there.org_id = ${orgId} and there.${raw(number)} = numbered(${raw(prefix)}, place))
        order by place limit ${count}::int),
      moved as (
        update counters set ${raw(next)} = (select max(place) + 1 from free)
        where org_id = ${orgId} and exists (select from free))
    select number from free order by place`)
  return rows.map((row) => row.number)
}

interface BillingContext extends BillingSource {
  readonly mapTime: (timestamp: number) => number
  readonly entries: TimedEntry[]
}

const customer = { id: 'customer', name: 'Customer' }

function quoteRow(
  context: BillingContext,
  history: QuoteHistory,
  { id, number }: NumberedDocument,
  converted?: NumberedDocument & { at: number },
): Row {
  const { record, shop, defaults, mapTime, entries } = context
  const { quoteSpec, madeAt, sentAt, viewedAt, answeredAt } = history
  const data = { quoteId: id, quoteNumber: number }
  const name = nameOf(record)
  const add = (at: number | undefined, by: TimedEntry['by'], entry: TimelineEntry) =>
    at !== undefined && entries.push({ at, by, entry })
  add(madeAt, manager, { event: 'quoteCreated', data })
  add(sentAt, manager, { event: 'quoteSent', data: { ...data, to: addressOf(record) } })
  add(viewedAt, customer, { event: 'quoteViewed', data })
  const [acceptedAt, declinedAt] = quoteSpec.until === 'accepted' ? [answeredAt] : [undefined, answeredAt]
  const reason = quoteSpec.reason ?? null
  add(acceptedAt, { ...customer, name }, { event: 'quoteAccepted', data: { ...data, name } })
  add(declinedAt, customer, { event: 'quoteDeclined', data: { ...data, reason } })
  const invoice = converted && { invoiceId: converted.id, invoiceNumber: converted.number }
  if (invoice) add(converted.at, manager, { event: 'quoteConverted', data: { ...data, ...invoice } })
  return {
    ...baseColumns(shop.orgId, id, mapTime(madeAt), mapTime(converted?.at ?? answeredAt ?? sentAt ?? madeAt)),
    quote_number: number,
    ...billingContent(context, quoteSpec),
    valid_until: expiryDate(context, madeAt + (quoteSpec.validDays ?? defaults.validDays) * dayMs),
    status: invoice ? 'invoiced' : acceptedAt ? 'accepted' : declinedAt ? 'declined' : sentAt ? 'sent' : 'draft',
    accepted: acceptedAt !== undefined,
    accepted_at: timestamp(context, acceptedAt),
    accepted_by_name: acceptedAt === undefined ? null : name,
    declined_at: timestamp(context, declinedAt),
    decline_reason: declinedAt === undefined ? null : reason,
    sent_at: timestamp(context, sentAt),
    viewed_at: timestamp(context, viewedAt),
    invoice_id: converted?.id,
  }
}

function invoiceRows(
  context: BillingContext,
  history: InvoiceHistory,
  document: NumberedDocument,
  quote: (NumberedDocument & { quoteSpec: QuoteSpec }) | null,
) {
  const { record, shop, defaults, mapTime, entries } = context
  const { invoiceSpec, madeAt, sentAt, voidedAt } = history
  const { id, number } = document
  const data = { invoiceId: id, invoiceNumber: number }
  const add = (at: number | undefined, by: TimedEntry['by'], entry: TimelineEntry) =>
    at !== undefined && entries.push({ at, by, entry })
  // An invoice made of a quote has the entry of the conversion instead.
  if (!quote) add(madeAt, manager, { event: 'invoiceCreated', data })
  add(sentAt, manager, { event: 'invoiceSent', data: { ...data, to: addressOf(record) } })
  add(voidedAt, manager, { event: 'invoiceVoided', data })
  const content = billingContent(context, quote ? quote.quoteSpec : invoiceSpec)
  const { total, deposit_amount: depositAmount } = content
  const paymentHistory = buildPaymentHistory(history, { ...data, currency: shop.currency, total, depositAmount })
  entries.push(...paymentHistory.entries)
  const lastPaidAt = paymentHistory.payments.at(-1)?.at
  const invoice: Row = {
    ...baseColumns(shop.orgId, id, mapTime(madeAt), mapTime(lastPaidAt ?? voidedAt ?? sentAt ?? madeAt)),
    invoice_number: number,
    quote_id: quote?.id,
    ...content,
    payment_instructions: defaults.paymentInstructions,
    issued_at: new Date(mapTime(madeAt)),
    due_at: expiryDate(context, madeAt + (invoiceSpec.dueDays ?? defaults.dueDays) * dayMs),
    status: voidedAt ? 'void' : sentAt ? 'sent' : 'draft',
    sent_at: timestamp(context, sentAt),
    voided_at: timestamp(context, voidedAt),
    amount_paid: 0,
    paid_at: timestamp(context, paymentHistory.settledAt),
  }
  const payments = paymentHistory.payments.map(({ at, amount, payment }): Row => {
    const paidAt = mapTime(at)
    return {
      ...baseColumns(shop.orgId, '', paidAt),
      invoice_id: id,
      amount,
      payment_method: payment.method,
      notes: payment.notes,
      paid_at: new Date(paidAt),
      source: payment.isOnline ? 'processor' : 'manual',
      external_id: payment.isOnline ? newId('pi') : null,
      customer_id: record.ticket.customer_id,
      ticket_id: record.ticket.id,
    }
  })
  return {
    invoices: [invoice],
    payments,
    reminders: invoiceSpec.reminder ? [reminderRow(context, id, invoiceSpec.reminder)] : [],
  }
}

const daysUntilReminder = 2

function reminderRow({ shop: { orgId, now } }: BillingContext, invoiceId: string, message: string): Row {
  return {
    ...baseColumns(orgId, newId('rem'), now),
    invoice_id: invoiceId,
    remind_at: new Date(new Date(now + daysUntilReminder * dayMs).setUTCHours(9, 0, 0, 0)),
    message,
    status: 'scheduled',
  }
}

const nameOf = ({ plan: { customer } }: JobRecord) =>
  [customer.first_name, customer.last_name].filter(Boolean).join(' ')
const addressOf = ({ ticket }: JobRecord) => (ticket.customer_email as string | null | undefined) ?? null

const timestamp = ({ mapTime }: BillingContext, at: number | undefined) =>
  at === undefined ? null : new Date(mapTime(at))

/** What is still to come comes when it was to come. */
const expiryDate = ({ mapTime, shop: { now } }: BillingContext, at: number) => new Date(at > now ? at : mapTime(at))
