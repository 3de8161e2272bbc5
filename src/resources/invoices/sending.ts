// What sending means for an invoice.
import { badRequest } from '../../api/errors.ts'
import { sql } from '../../database.ts'
import type { Sending } from '../documents/send.ts'
import { noted } from '../tickets/timeline.ts'
import { heldInvoice, invoiceAt, invoices, sharedInvoice } from './record.ts'
import { settlement } from './settlement.ts'

export const invoiceSending: Sending = {
  shareable: sharedInvoice,
  returns: invoices.record,
  find: (ctx, invoiceId) => ctx.ask(invoices.find(ctx, invoiceId)),

  async ready(ctx, invoiceId) {
    const invoice = await heldInvoice(ctx, invoiceId)
    if (invoice.status === 'void') throw badRequest('A void invoice cannot be sent')
    return invoice
  },

  async sent(ctx, invoiceId, to) {
    const before = await invoiceAt(ctx, invoiceId)
    await ctx.ask(invoices.keep(ctx, invoiceId, { status: 'sent', sent_at: sql`coalesce(sent_at, now())` }))
    const { ticketId, invoiceNumber } = before
    if (!ticketId) return
    const notes = settlement(before.paid, await invoiceAt(ctx, invoiceId))
    await ctx.ask(noted(ctx, ticketId, [{ event: 'invoiceSent', data: { invoiceId, invoiceNumber, to } }, ...notes]))
  },
}
