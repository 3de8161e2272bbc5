// Quotes, invoices, payments and reminders as the service would have stored them, and what it noted on the jobs.
import { newId } from '../api/ids.ts'
import { type Executor, type Row, raw, sql } from '../database.ts'
import type { Note } from '../domain/timeline.ts'
import type { Shop } from './lines.ts'
import { moneyOn } from './money-in.ts'
import type { Noted } from './noted.ts'
import type { Offer } from './paper.ts'
import { contentOf, type House, type JobRecord, type Origin } from './paper-content.ts'
import { type InvoiceCourse, invoiceCourse, type QuoteCourse, quoteCourse } from './paper-course.ts'
import { amend, insert, written } from './rows.ts'
import { manager } from './staff.ts'

export interface Papers {
  readonly counts: { readonly quotes: number; readonly invoices: number; readonly payments: number }
  /** By the id of the job. */
  readonly notes: ReadonlyMap<string, readonly Noted[]>
  write(): Promise<void>
}

interface Named {
  readonly id: string
  readonly number: string
}

/** Works out all papers and takes their numbers. They are written once their jobs are. */
export async function papersOf(
  transaction: Executor,
  shop: Shop,
  records: readonly JobRecord[],
  lived: (moment: number) => number,
): Promise<Papers> {
  const { orgId, now } = shop
  const house = await houseRules(transaction, orgId)
  const courses = records.map((record) => {
    const quote = quoteCourse(record.plan, now)
    return { record, quote, invoice: invoiceCourse(record.plan, quote, now) }
  })
  const named = async (kind: 'quote' | 'invoice', prefix: string) => {
    const made = courses.flatMap((course) => course[kind] ?? []).sort((a, b) => a.madeAt - b.madeAt)
    const numbers = await taken(transaction, orgId, kind, made.length)
    return new Map(made.map((one, place) => [one, { id: newId(prefix), number: numbers[place]! }]))
  }
  const [quoteNames, invoiceNames] = [await named('quote', 'quo'), await named('invoice', 'inv')]
  const all = courses.map(({ record, quote, invoice }) => {
    const notes: Noted[] = []
    const quoteName = quote && quoteNames.get(quote)!
    const invoiceName = invoice && invoiceNames.get(invoice)!
    const converted = invoice?.isConverted ? { at: invoice.madeAt, ...invoiceName! } : undefined
    const draft: Draft = { record, shop, house, lived, notes }
    return {
      ticketId: record.ticket.id as string,
      notes,
      quotes: quote ? [quoteRow(draft, quote, quoteName!, converted)] : [],
      ...(invoice
        ? invoiceRows(draft, invoice, invoiceName!, invoice.isConverted ? { ...quoteName!, offer: quote!.offer } : null)
        : nothing),
    }
  })
  // In the order of their numbers, which is also that of their ids.
  const byId = (rows: readonly Row[]) => rows.toSorted((a, b) => ((a.id as string) < (b.id as string) ? -1 : 1))
  const [quotes, invoices] = [byId(all.flatMap((one) => one.quotes)), byId(all.flatMap((one) => one.invoices))]
  const payments = all.flatMap((one) => one.payments).toSorted((a, b) => Number(a.created_at) - Number(b.created_at))
  return {
    counts: { quotes: quotes.length, invoices: invoices.length, payments: payments.length },
    notes: new Map(all.map(({ ticketId, notes }) => [ticketId, notes])),
    async write() {
      await insert(transaction, 'quotes', quotes)
      await insert(transaction, 'invoices', invoices)
      await insert(
        transaction,
        'payments',
        payments.map((payment) => ({ ...payment, id: newId('pay') })),
      )
      await insert(
        transaction,
        'reminders',
        all.flatMap((one) => one.reminders),
      )
      // Counting the money dates both with the moment of counting.
      const paidOn = new Set(payments.map((payment) => payment.invoice_id))
      const moments = invoices
        .filter(({ id }) => paidOn.has(id))
        .map(({ id, paid_at, updated_at }) => ({ id, paid_at, updated_at }))
      await amend(transaction, orgId, 'invoices', ['paid_at', 'updated_at'], moments)
    },
  }
}

const nothing = { invoices: [], payments: [], reminders: [] }

async function houseRules(transaction: Executor, orgId: string): Promise<House> {
  const [house] = await transaction.query<House>(sql`
    select document_terms as terms, payment_instructions as "paymentInstructions", quote_valid_days as "validDays",
      invoice_due_days as "dueDays" from organisations where org_id = ${orgId}`)
  return house!
}

/** Numbers that follow on the last one; those an earlier prefix already spelt are passed over. */
async function taken(
  transaction: Executor,
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

interface Draft extends Origin {
  readonly lived: (moment: number) => number
  readonly notes: Noted[]
}

const dayMs = 86_400_000
const customer = { id: 'customer', name: 'Customer' }

function quoteRow(draft: Draft, course: QuoteCourse, { id, number }: Named, converted?: Named & { at: number }): Row {
  const { record, shop, house, lived, notes } = draft
  const { offer, madeAt, sentAt, viewedAt, answeredAt } = course
  const data = { quoteId: id, quoteNumber: number }
  const name = nameOf(record)
  const add = (at: number | undefined, by: Noted['by'], note: Note) => at !== undefined && notes.push({ at, by, note })
  add(madeAt, manager, { event: 'quoteCreated', data })
  add(sentAt, manager, { event: 'quoteSent', data: { ...data, to: addressOf(record) } })
  add(viewedAt, customer, { event: 'quoteViewed', data })
  const [acceptedAt, declinedAt] = offer.until === 'accepted' ? [answeredAt] : [undefined, answeredAt]
  const reason = offer.reason ?? null
  add(acceptedAt, { ...customer, name }, { event: 'quoteAccepted', data: { ...data, name } })
  add(declinedAt, customer, { event: 'quoteDeclined', data: { ...data, reason } })
  const invoice = converted && { invoiceId: converted.id, invoiceNumber: converted.number }
  if (invoice) add(converted.at, manager, { event: 'quoteConverted', data: { ...data, ...invoice } })
  return {
    ...written(shop.orgId, id, lived(madeAt), lived(converted?.at ?? answeredAt ?? sentAt ?? madeAt)),
    quote_number: number,
    ...contentOf(draft, offer),
    valid_until: expiry(draft, madeAt + (offer.validDays ?? house.validDays) * dayMs),
    status: invoice ? 'invoiced' : acceptedAt ? 'accepted' : declinedAt ? 'declined' : sentAt ? 'sent' : 'draft',
    accepted: acceptedAt !== undefined,
    accepted_at: moment(draft, acceptedAt),
    accepted_by_name: acceptedAt === undefined ? null : name,
    declined_at: moment(draft, declinedAt),
    decline_reason: declinedAt === undefined ? null : reason,
    sent_at: moment(draft, sentAt),
    viewed_at: moment(draft, viewedAt),
    invoice_id: converted?.id,
  }
}

function invoiceRows(draft: Draft, course: InvoiceCourse, named: Named, quote: (Named & { offer: Offer }) | null) {
  const { record, shop, house, lived, notes } = draft
  const { bill, madeAt, sentAt, voidedAt } = course
  const { id, number } = named
  const data = { invoiceId: id, invoiceNumber: number }
  const add = (at: number | undefined, by: Noted['by'], note: Note) => at !== undefined && notes.push({ at, by, note })
  // What became of a quote is noted as that.
  if (!quote) add(madeAt, manager, { event: 'invoiceCreated', data })
  add(sentAt, manager, { event: 'invoiceSent', data: { ...data, to: addressOf(record) } })
  add(voidedAt, manager, { event: 'invoiceVoided', data })
  const content = contentOf(draft, quote ? quote.offer : bill)
  const { total, deposit_amount: depositAmount } = content
  const money = moneyOn(course, { ...data, currency: shop.currency, total, depositAmount })
  notes.push(...money.notes)
  const lastPaidAt = money.payments.at(-1)?.at
  const invoice: Row = {
    ...written(shop.orgId, id, lived(madeAt), lived(lastPaidAt ?? voidedAt ?? sentAt ?? madeAt)),
    invoice_number: number,
    quote_id: quote?.id,
    ...content,
    payment_instructions: house.paymentInstructions,
    issued_at: new Date(lived(madeAt)),
    due_at: expiry(draft, madeAt + (bill.dueDays ?? house.dueDays) * dayMs),
    status: voidedAt ? 'void' : sentAt ? 'sent' : 'draft',
    sent_at: moment(draft, sentAt),
    voided_at: moment(draft, voidedAt),
    amount_paid: 0,
    paid_at: moment(draft, money.settledAt),
  }
  const payments = money.payments.map(({ at, amount, payment }): Row => {
    const paidAt = lived(at)
    return {
      ...written(shop.orgId, '', paidAt),
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
  return { invoices: [invoice], payments, reminders: bill.reminder ? [reminderRow(draft, id, bill.reminder)] : [] }
}

const daysUntilReminder = 2

function reminderRow({ shop: { orgId, now } }: Draft, invoiceId: string, message: string): Row {
  return {
    ...written(orgId, newId('rem'), now),
    invoice_id: invoiceId,
    remind_at: new Date(new Date(now + daysUntilReminder * dayMs).setUTCHours(9, 0, 0, 0)),
    message,
    status: 'scheduled',
  }
}

const nameOf = ({ plan: { customer } }: JobRecord) =>
  [customer.first_name, customer.last_name].filter(Boolean).join(' ')
const addressOf = ({ ticket }: JobRecord) => (ticket.customer_email as string | null | undefined) ?? null

const moment = ({ lived }: Draft, at: number | undefined) => (at === undefined ? null : new Date(lived(at)))

/** What is still to come comes when it was to come. */
const expiry = ({ lived, shop: { now } }: Draft, at: number) => new Date(at > now ? at : lived(at))
