// Payments and refunds. What they come to on their invoice is kept by the database, in the same transaction.
import { sql } from '../db/database.ts'
import { decimalsOf, toScaled } from '../domain/money.ts'
import { isNegative } from '../domain/signals.ts'
import type { TimelineEntry } from '../domain/timeline.ts'
import type { Json } from '../operations/answers.ts'
import { read } from '../operations/crud.ts'
import { badRequest, conflictCode, notFound } from '../operations/errors.ts'
import { dateTime, id, nullable, oneOf, optional, text } from '../operations/fields.ts'
import {
  type Context,
  deletionMessage,
  operation,
  resource,
  type Statement,
  statement,
} from '../operations/operation.ts'
import type { RowOf } from '../operations/record-schemas.ts'
import { t } from '../operations/schemas.ts'
import { entity } from '../operations/scopes.ts'
import { paging, table } from '../operations/table.ts'
import { changedAfterFilter, filter, filterSet } from './filters.ts'
import { findInvoice, type Invoice, invoices, lockInvoice } from './invoices/record.ts'
import { settlementEntries } from './invoices/settlement-entries.ts'
import { addTimelineEntries } from './tickets/timeline.ts'

const maxAmount = 100_000_000
const amount = { minimum: -maxAmount, maximum: maxAmount, examples: [36], description: 'Below zero for a refund.' }

export const payments = table({
  name: 'payments',
  noun: 'payment',
  prefix: 'pay',
  writable: {
    invoiceId: id(),
    amount: t.Number({ ...amount, decimals: 4 }),
    paymentMethod: text(50, {
      default: 'other',
      examples: ['card'],
      description: 'Such as cash, card, bankTransfer, cheque or other.',
    }),
    notes: optional(text(2_000)),
    paidAt: t.Optional(dateTime({ description: 'Now if left out.' })),
  },
  readOnly: {
    source: oneOf(['manual', 'processor', 'accounting'], { examples: ['manual'] }),
    isManaged: t.Boolean({ examples: [false], description: 'Whether another system keeps it: it is changed there.' }),
    externalId: nullable(text(200)),
    customerId: nullable(id()),
    ticketId: nullable(id()),
  },
  read: { isManaged: `(payments.source <> 'manual')` },
  event: { signals: { refunded: isNegative('amount') } },
  order: { column: 'created_at', type: 'timestamptz', direction: 'desc' },
})

/** How many decimal places an amount may have depends on the invoice's currency. */
const anyAmount = t.Number(amount)

const paymentFilters = filterSet({
  invoiceId: filter(id(), (invoiceId) => sql`payments.invoice_id = ${invoiceId}`),
  updatedAfter: changedAfterFilter('payments', 'Payments that changed after this moment.'),
})

export const paymentAccountingManaged = conflictCode(
  'PAYMENT_ACCOUNTING_MANAGED',
  'The payment is managed by a payment processor or accounting system; change it there.',
)

const paymentEntity = entity('payments', {
  title: 'Payments',
  description: 'Money that came in for an invoice, or went back as a refund.',
  scopeObject: 'payments',
})

export default resource({ entity: paymentEntity, tables: [payments] }, [
  operation('GET /payments', {
    name: 'listPayments',
    summary: 'List payments, newest first',
    query: t.Object({ ...paging, ...paymentFilters.query }),
    returns: payments.list,
    run: ({ query }, ctx) => paymentFilters.page(payments, ctx, query),
  }),

  operation('POST /payments', {
    name: 'createPayment',
    summary: 'Record a payment or, with an amount below zero, a refund',
    mcp: { advice: 'Only for money that has been received. A negative amount is a refund: ask the user first.' },
    body: t.Object({ ...payments.createBody.properties, amount: anyAmount }, { title: 'PaymentCreate' }),
    status: 201,
    returns: payments.record,
    transaction: true,
    run: async ({ body }, ctx) => (await recordPayment(ctx, body)).json,
  }),

  {
    ...read('/payments/:paymentId', payments),
    async lock({ paymentId = '' }, ctx) {
      await ctx.query(invoices.lock(ctx, (await ctx.query(selectPayment(ctx, paymentId))).invoiceId))
      await ctx.query(payments.lock(ctx, paymentId))
    },
  },

  operation('PUT /payments/:paymentId', {
    name: 'updatePayment',
    summary: 'Change a payment that was recorded by hand',
    body: t.Object(
      { ...payments.updateBody.properties, amount: t.Optional(anyAmount) },
      { title: 'PaymentUpdate', minProperties: 1 },
    ),
    returns: payments.record,
    conflicts: [paymentAccountingManaged],
    transaction: true,
    async run({ params: { paymentId }, body: { invoiceId, ...change } }, ctx) {
      const { before, invoice } = await lockPayment(ctx, paymentId)
      if (invoiceId !== undefined && invoiceId !== before.invoiceId) throw badRequest('invoiceId cannot be changed')
      if (change.amount !== undefined) refuseAmount(change.amount, invoice.currency)
      const payment = await ctx.query(payments.update(ctx, paymentId, change))
      await addSettlementEntries(ctx, invoice, [])
      return payment
    },
  }),

  operation('DELETE /payments/:paymentId', {
    name: 'deletePayment',
    summary: 'Delete a payment that was recorded by hand; its invoice is open again by that much',
    returns: deletionMessage,
    conflicts: [paymentAccountingManaged],
    transaction: true,
    async run({ params: { paymentId } }, ctx) {
      const { invoice } = await lockPayment(ctx, paymentId)
      const removed = await ctx.query(payments.remove(ctx, paymentId))
      await addSettlementEntries(ctx, invoice, [])
      return removed
    },
  }),
])

interface NewPayment {
  readonly invoiceId: string
  readonly amount: number
  readonly paymentMethod?: string
  readonly paidAt?: string
}

/** `origin` names the other system that keeps the payment, if one does, or whose books have it already. */
export async function recordPayment(
  ctx: Context,
  payment: NewPayment,
  origin: {
    readonly source?: string
    readonly external_id?: string | null
    readonly booked_elsewhere?: boolean
  } = {},
): Promise<{ json: Json; row: RowOf<typeof payments> }> {
  const invoice = await lockInvoice(ctx, payment.invoiceId)
  if (invoice.status === 'void') throw badRequest('A void invoice takes no payments')
  refuseAmount(payment.amount, invoice.currency)
  const insertion = payments.insert(ctx, payment, {
    columns: {
      ...(payment.paidAt === undefined && { paid_at: sql`now()` }),
      customer_id: invoice.customerId,
      ticket_id: invoice.ticketId,
      ...origin,
    },
  })
  const recorded = await ctx.query(payments.withRow(ctx, insertion))
  const { id: invoiceId, invoiceNumber, currency } = invoice
  const data = { invoiceId, invoiceNumber, amount: payment.amount, currency }
  await addSettlementEntries(ctx, invoice, [
    { event: payment.amount > 0 ? 'paymentRecorded' : 'paymentRefunded', data },
  ])
  return recorded
}

function refuseAmount(amount: number, currency: string): void {
  if (amount === 0) throw badRequest('amount must not be 0')
  const decimals = decimalsOf(currency)
  if (toScaled(amount, decimals) === undefined) throw badRequest(`amount must have at most ${decimals} decimal places`)
}

/** The invoice is locked before the payment: whoever writes either locks it first. */
async function lockPayment(ctx: Context, paymentId: string): Promise<{ before: Payment; invoice: Invoice }> {
  const { invoiceId } = await ctx.query(selectPayment(ctx, paymentId))
  const invoice = await lockInvoice(ctx, invoiceId)
  const before = await ctx.query(selectPayment(ctx, paymentId))
  if (before.isManaged) throw paymentAccountingManaged()
  if (invoice.status === 'void') throw badRequest('The payments of a void invoice cannot be changed')
  return { before, invoice }
}

interface Payment {
  readonly invoiceId: string
  readonly isManaged: boolean
}

const selectPayment = ({ orgId }: Context, paymentId: string): Statement<Payment> =>
  statement(
    sql`select invoice_id as "invoiceId", source <> 'manual' as "isManaged" from payments
        where org_id = ${orgId} and id = ${paymentId}`,
    ([payment]: Payment[]) => {
      if (!payment) throw notFound('payment')
      return payment
    },
  )

/** Says on the job's timeline what happened, and whether the invoice became paid by it. */
async function addSettlementEntries(ctx: Context, before: Invoice, entries: readonly TimelineEntry[]): Promise<void> {
  if (!before.ticketId) return
  const allEntries = [...entries, ...settlementEntries(before.paid, await findInvoice(ctx, before.id))]
  if (allEntries.length > 0) await ctx.query(addTimelineEntries(ctx, before.ticketId, allEntries))
}
