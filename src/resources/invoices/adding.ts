// A new invoice, whether somebody wrote it or a quote became it.
import { badRequest } from '../../api/errors.ts'
import type { Context, Json } from '../../api/operation.ts'
import { sql } from '../../database.ts'
import type { InvoiceStatus } from '../../domain/lifecycles.ts'
import type { DocumentFacts } from '../documents/facts.ts'
import { type Content, columnsOf } from '../documents/writing.ts'
import { invoices } from './record.ts'

interface Own {
  readonly quoteId?: string
  readonly issuedAt?: string | undefined
  readonly dueAt?: string | undefined
  readonly paymentInstructions?: string | null | undefined
  readonly status?: InvoiceStatus | undefined
}

const dayMs = 86_400_000
const lastDayOfTime = Date.UTC(9999, 11, 31)

export function invoiceAdded(
  ctx: Context,
  invoiceId: string,
  content: Content,
  { now, invoiceDueDays, paymentInstructions }: DocumentFacts,
  own: Own,
): Promise<Json> {
  const issuedAt = own.issuedAt ?? now.toISOString()
  const dueAt = own.dueAt ?? new Date(Date.parse(issuedAt) + invoiceDueDays * dayMs).toISOString()
  if (Date.parse(dueAt) >= lastDayOfTime) throw badRequest('dueAt must be before the end of the year 9999')
  refuseDueBeforeIssued(issuedAt, dueAt)
  const status = own.status ?? 'draft'
  return ctx.ask(
    invoices.insert(ctx, {}, undefined, {
      id: invoiceId,
      invoice_number: sql`take_invoice_number(${ctx.orgId})`,
      quote_id: own.quoteId ?? null,
      ...columnsOf(content),
      payment_instructions: own.paymentInstructions === undefined ? paymentInstructions : own.paymentInstructions,
      issued_at: issuedAt,
      due_at: dueAt,
      status,
      sent_at: status === 'sent' ? now : null,
      voided_at: status === 'void' ? now : null,
    }),
  )
}

export function refuseDueBeforeIssued(issuedAt: string, dueAt: string): void {
  if (Date.parse(dueAt) < Date.parse(issuedAt)) throw badRequest('dueAt must not be before issuedAt')
}
