// An invoice as it is stored and answered.
import type { Static } from 'typebox'
import { invoiceStatuses } from '../../domain/lifecycles.ts'
import { becomes, isFilled, movesFrom } from '../../domain/signals.ts'
import { dateTime, id, nullable, oneOf, optional, text } from '../../operations/fields.ts'
import type { Context } from '../../operations/operation.ts'
import type { RowOf } from '../../operations/record-schemas.ts'
import { t } from '../../operations/schemas.ts'
import { table } from '../../operations/table.ts'
import { bodySchemas, documentFields, readExpressions, transforms, writableFields } from '../billing/fields.ts'
import type { DocumentList } from '../billing/list.ts'
import type { Shareable } from '../billing/share-link.ts'

const status = oneOf(invoiceStatuses, { examples: ['draft'], description: 'Whether it is paid is told by `paid`.' })
const instructions = text(5_000, { description: "How to pay; the organisation's if left out." })
const amount = (example: number, description: string) => t.Number({ decimals: 4, examples: [example], description })
const flag = (description: string) => t.Boolean({ examples: [false], description })

const invoiceFields = writableFields({
  paymentInstructions: optional(instructions),
  issuedAt: t.Optional(dateTime({ description: 'Now if left out.' })),
  dueAt: t.Optional(dateTime({ description: "After the organisation's invoiceDueDays if left out." })),
  status: t.Optional(status),
})

export const invoiceBodies = bodySchemas(invoiceFields, 'Invoice')
/** An invoice as a caller writes it; a change leaves out what stays. */
export type InvoiceBody = Static<typeof invoiceBodies.updateBody>

const isOpen = `invoices.status = 'sent' and invoices.has_balance`
const isOverdue = `${isOpen} and invoices.due_at < now()`

export const invoices = table({
  name: 'invoices',
  noun: 'invoice',
  prefix: 'inv',
  writable: {},
  readOnly: {
    invoiceNumber: t.String({ examples: ['INV-0042'] }),
    quoteId: nullable(id({ description: 'The quote it was converted from.' })),
    ...documentFields,
    paymentInstructions: nullable(instructions),
    issuedAt: dateTime(),
    dueAt: dateTime(),
    status,
    paid: flag('Whether all of it is paid.'),
    depositPaid: flag('Whether what was asked for in advance is paid.'),
    hasBalance: flag('Whether something is still to be paid.'),
    isOverdue: flag('Sent, past its due date, and not paid.'),
    amountPaid: amount(0, 'All payments, less refunds.'),
    balance: amount(126, 'What is still to be paid; below zero where the customer is in credit.'),
    paidAt: nullable(dateTime()),
    voidedAt: nullable(dateTime()),
  },
  read: {
    ...readExpressions('invoices', 'invoice_id'),
    isOverdue: `(${isOverdue})`,
  },
  transform: transforms('invoices'),
  event: {
    signals: {
      sent: becomes('status', 'sent'),
      viewed: isFilled('viewedAt'),
      overdue: isFilled('overdueNotedAt'),
      paid: becomes('paid', true),
      reopened: movesFrom('paid', true, false),
    },
    hidden: ['overdueNotedAt'],
  },
  order: { column: 'created_at', type: 'timestamptz', direction: 'desc' },
})

/** What is overdue or partly paid is open, too. */
export const invoiceList: DocumentList = {
  flag: 'paid',
  states: {
    draft: `invoices.status = 'draft'`,
    open: isOpen,
    overdue: isOverdue,
    partlyPaid: `${isOpen} and invoices.amount_paid > 0`,
    paid: `invoices.paid`,
    void: `invoices.status = 'void'`,
  },
  meaning: 'What it is at the moment; `overdue` and `partlyPaid` are `open`, too.',
}

export type Invoice = RowOf<typeof invoices>

export const shareableInvoice: Shareable = {
  table: 'invoices',
  column: 'invoice_id',
  noun: 'invoice',
  lock: invoices.lock,
}

/** The invoice as it is, locked until the transaction ends. */
export async function lockInvoice(ctx: Context, invoiceId: string): Promise<Invoice> {
  await ctx.query(invoices.lock(ctx, invoiceId))
  return findInvoice(ctx, invoiceId)
}

export async function findInvoice(ctx: Context, invoiceId: string): Promise<Invoice> {
  return (await ctx.query(invoices.withRow(ctx, invoices.find(ctx, invoiceId)))).row
}
