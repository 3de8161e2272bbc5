// A new invoice, whether somebody wrote it or a quote became it.

import { sql } from '../../db/database.ts'
import { dayMs } from '../../domain/durations.ts'
import type { Json } from '../../operations/answers.ts'
import { badRequest } from '../../operations/errors.ts'
import type { Context } from '../../operations/operation.ts'
import type { ColumnsOf } from '../../operations/string-case.ts'
import { contentColumns } from '../billing/content.ts'
import type { DocumentFacts } from '../billing/facts.ts'
import type { BroughtDocument, DocumentContent } from '../billing/fields.ts'
import { type Invoice, type InvoiceBody, invoices } from './record.ts'

type InvoiceValues = Pick<InvoiceBody, 'issuedAt' | 'dueAt' | 'paymentInstructions' | 'status'> & {
  readonly quoteId?: string
  readonly brought?: BroughtDocument | undefined
}

const endOfCalendar = Date.UTC(9999, 11, 31)

export function addInvoice(
  ctx: Context,
  invoiceId: string,
  content: DocumentContent,
  { now, invoiceDueDays, paymentInstructions }: DocumentFacts,
  values: InvoiceValues,
): Promise<{ json: Json; row: Invoice }> {
  const issuedAt = values.issuedAt ?? now.toISOString()
  const dueAt = values.dueAt ?? new Date(Date.parse(issuedAt) + invoiceDueDays * dayMs).toISOString()
  if (Date.parse(dueAt) >= endOfCalendar) throw badRequest('dueAt must be before the end of the year 9999')
  refuseDueBeforeIssued(issuedAt, dueAt)
  const status = values.status ?? 'draft'
  const insertion = invoices.insert(
    ctx,
    {},
    {
      columns: {
        id: invoiceId,
        invoice_number: values.brought?.number ?? sql`take_invoice_number(${ctx.orgId})`,
        quote_id: values.quoteId ?? null,
        ...contentColumns(content),
        payment_instructions:
          values.paymentInstructions === undefined ? paymentInstructions : values.paymentInstructions,
        issued_at: issuedAt,
        due_at: dueAt,
        status,
        sent_at: status === 'sent' ? now : null,
        voided_at: status === 'void' ? now : null,
        ...(values.brought?.createdAt !== undefined && { created_at: values.brought.createdAt }),
        // The books of the system that it was brought from have it; a draft was in none.
        booked_elsewhere: values.brought !== undefined && status === 'sent',
      } satisfies ColumnsOf<InvoiceBody>,
    },
  )
  return ctx.query(invoices.withRow(ctx, insertion))
}

export function refuseDueBeforeIssued(issuedAt: string, dueAt: string): void {
  if (Date.parse(dueAt) < Date.parse(issuedAt)) throw badRequest('dueAt must not be before issuedAt')
}
