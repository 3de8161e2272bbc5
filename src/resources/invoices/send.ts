// What sending means for an invoice.
import { sql } from '../../db/database.ts'
import { badRequest } from '../../operations/errors.ts'
import type { Sendable } from '../billing/send.ts'
import { addTimelineEntries } from '../tickets/timeline.ts'
import { findInvoice, invoices, lockInvoice, shareableInvoice } from './record.ts'
import { settlementEntries } from './settlement-entries.ts'

export const sendableInvoice: Sendable = {
  shareable: shareableInvoice,
  returns: invoices.record,
  find: (ctx, invoiceId) => ctx.query(invoices.find(ctx, invoiceId)),

  async prepare(ctx, invoiceId) {
    const invoice = await lockInvoice(ctx, invoiceId)
    if (invoice.status === 'void') throw badRequest('A void invoice cannot be sent')
    return invoice
  },

  async markSent(ctx, invoiceId, to) {
    const before = await findInvoice(ctx, invoiceId)
    await ctx.query(invoices.updateColumns(ctx, invoiceId, { status: 'sent', sent_at: sql`least(sent_at, now())` }))
    const { ticketId, invoiceNumber } = before
    if (!ticketId) return
    const entries = settlementEntries(before.paid, await findInvoice(ctx, invoiceId))
    await ctx.query(
      addTimelineEntries(ctx, ticketId, [{ event: 'invoiceSent', data: { invoiceId, invoiceNumber, to } }, ...entries]),
    )
  },
}
