// What sending means for an invoice.
import { sql } from '../../db/database.ts'
import { badRequest, notFound } from '../../operations/errors.ts'
import { statement } from '../../operations/operation.ts'
import type { Sendable } from '../billing/send.ts'
import { addTimelineEntries } from '../tickets/timeline.ts'
import { type Invoice, invoices, shareableInvoice } from './record.ts'
import { settlementEntries } from './settlement-entries.ts'

type UnsentInvoice = Pick<Invoice, 'id' | 'status' | 'paid' | 'customerEmail' | 'ticketId' | 'invoiceNumber'>

export const sendableInvoice: Sendable<UnsentInvoice> = {
  shareable: shareableInvoice,
  returns: invoices.record,
  find: (ctx, invoiceId) => ctx.query(invoices.find(ctx, invoiceId)),

  async prepare(ctx, invoiceId) {
    // Not the whole record: its lines may be long, and nothing here looks at them.
    const invoice = await ctx.query(
      statement(
        sql`select id, status, paid, customer_email as "customerEmail", ticket_id as "ticketId",
              invoice_number as "invoiceNumber"
            from invoices where org_id = ${ctx.orgId} and id = ${invoiceId} for update`,
        ([row]: UnsentInvoice[]) => row,
      ),
    )
    if (!invoice) throw notFound('invoice')
    if (invoice.status === 'void') throw badRequest('A void invoice cannot be sent')
    return invoice
  },

  async markSent(ctx, before, to) {
    const { id: invoiceId, ticketId, invoiceNumber } = before
    const paid = await ctx.query(
      statement(
        sql`update invoices set status = 'sent', sent_at = least(sent_at, now()), updated_at = now()
            where org_id = ${ctx.orgId} and id = ${invoiceId} returning paid`,
        ([row]: { paid: boolean }[]) => row!.paid,
      ),
    )
    if (!ticketId) return
    const entries = settlementEntries(before.paid, { ...before, status: 'sent', paid })
    await ctx.query(
      addTimelineEntries(ctx, ticketId, [{ event: 'invoiceSent', data: { invoiceId, invoiceNumber, to } }, ...entries]),
    )
  },
}
