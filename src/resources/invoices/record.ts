// An invoice as it is stored and answered.
import { Type as t } from 'typebox'
import { type InvoiceStatus, invoiceStatuses } from '../../domain/lifecycles.ts'
import { dateTime, id, nullable, oneOf, optional, text } from '../../operations/fields.ts'
import type { Context } from '../../operations/operation.ts'
import { table } from '../../operations/table.ts'
import type { DocumentContent } from '../billing/content.ts'
import { documentFields, readExpressions, transforms, writableFields } from '../billing/fields.ts'
import type { Shareable } from '../billing/share-link.ts'

const status = oneOf(invoiceStatuses, { examples: ['draft'], description: 'Whether it is paid is told by `paid`.' })
const instructions = text(5_000, { description: "How to pay; the organisation's if left out." })
const amount = (example: number, description: string) => t.Number({ decimals: 4, examples: [example], description })
const flag = (description: string) => t.Boolean({ examples: [false], description })

export const invoiceFields = writableFields({
  paymentInstructions: optional(instructions),
  issuedAt: t.Optional(dateTime({ description: 'Now if left out.' })),
  dueAt: t.Optional(dateTime({ description: "After the organisation's invoiceDueDays if left out." })),
  status: t.Optional(status),
})

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
    isOverdue: `(invoices.status = 'sent' and invoices.has_balance and invoices.due_at < now())`,
  },
  transform: transforms('invoices'),
  order: { column: 'created_at', type: 'timestamptz', direction: 'desc' },
})

export interface Invoice extends DocumentContent {
  readonly id: string
  readonly invoiceNumber: string
  readonly quoteId: string | null
  readonly paymentInstructions: string | null
  readonly issuedAt: string
  readonly dueAt: string
  readonly status: InvoiceStatus
  readonly sentAt: string | null
  readonly voidedAt: string | null
  readonly paid: boolean
  readonly amountPaid: number
  readonly hasBalance: boolean
}

export const shareableInvoice: Shareable = {
  table: 'invoices',
  column: 'invoice_id',
  noun: 'invoice',
  lock: invoices.lock,
}

/** The invoice as it is, held until the transaction ends. */
export async function lockInvoice(ctx: Context, invoiceId: string): Promise<Invoice> {
  await ctx.query(invoices.lock(ctx, invoiceId))
  return findInvoice(ctx, invoiceId)
}

export async function findInvoice(ctx: Context, invoiceId: string): Promise<Invoice> {
  return JSON.parse((await ctx.query(invoices.find(ctx, invoiceId))).text)
}
