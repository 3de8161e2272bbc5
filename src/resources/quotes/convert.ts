// Converting: an accepted offer becomes an invoice, with everything on it.
import { Type as t } from 'typebox'
import { badRequest, conflict } from '../../api/errors.ts'
import { newId } from '../../api/ids.ts'
import { operation } from '../../api/operation.ts'
import { mayConvert } from '../../domain/lifecycles.ts'
import { documentFacts } from '../documents/facts.ts'
import { refuseOpenInvoiceForms } from '../documents/gate.ts'
import { invoiceAdded } from '../invoices/adding.ts'
import { invoices } from '../invoices/record.ts'
import { noted } from '../tickets/timeline.ts'
import { heldQuote, quotes } from './record.ts'

export const convertOperation = operation('POST /quotes/:quoteId/convert', {
  name: 'convertQuote',
  summary: 'Make an invoice of a quote',
  needs: ['quotes:write', 'invoices:write'],
  query: t.Object({
    force: t.Boolean({ default: false, description: 'Whether to convert again what was converted already.' }),
  }),
  status: 201,
  returns: invoices.record,
  conflicts: ['QUOTE_ALREADY_INVOICED', 'FORM_GATE_INVOICE'],
  async run({ params: { quoteId }, query: { force } }, ctx) {
    const quote = await heldQuote(ctx, quoteId)
    if (!mayConvert(quote.status)) throw badRequest(`A ${quote.status} quote cannot be converted`)
    if (quote.status === 'invoiced' && !force) throw conflict('QUOTE_ALREADY_INVOICED')
    const facts = await ctx.ask(documentFacts(ctx, {}))
    await refuseOpenInvoiceForms(ctx, quote.ticketId)

    const invoiceId = newId('inv')
    const invoice = await invoiceAdded(ctx, invoiceId, quote, facts, { quoteId })
    await ctx.ask(quotes.keep(ctx, quoteId, { status: 'invoiced', invoice_id: invoiceId }))
    if (quote.ticketId) {
      const { invoiceNumber } = JSON.parse(invoice.text)
      const data = { quoteId, quoteNumber: quote.quoteNumber, invoiceId, invoiceNumber }
      await ctx.ask(noted(ctx, quote.ticketId, [{ event: 'quoteConverted', data }]))
    }
    return invoice
  },
})
