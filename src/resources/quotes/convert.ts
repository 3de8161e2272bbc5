// Converting: an accepted offer becomes an invoice, with everything on it.
import { sql } from '../../db/database.ts'
import { canConvert } from '../../domain/lifecycles.ts'
import { badRequest, conflictCode } from '../../operations/errors.ts'
import { newId } from '../../operations/ids.ts'
import { type Context, operation, type Statement, statement } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { loadDocumentFacts } from '../billing/facts.ts'
import { refuseOpenInvoiceForms } from '../billing/invoice-gate.ts'
import { formGateInvoice } from '../forms/gate-conflicts.ts'
import { addInvoice } from '../invoices/add-invoice.ts'
import { invoices } from '../invoices/record.ts'
import { addTimelineEntries } from '../tickets/timeline.ts'
import { lockQuote, type Quote, quotes } from './record.ts'

const quoteAlreadyInvoiced = conflictCode(
  'QUOTE_ALREADY_INVOICED',
  'The quote was already converted; repeat with force=true to convert it again.',
)

export const convertOperation = operation('POST /quotes/:quoteId/convert', {
  name: 'convertQuote',
  summary: 'Make an invoice of a quote',
  mcp: { advice: 'The customer should have accepted. A quote converted before needs force=true: ask the user.' },
  needs: ['quotes:write', 'invoices:write'],
  query: t.Object({
    force: t.Boolean({ default: false, description: 'Whether to convert again what was converted already.' }),
  }),
  status: 201,
  returns: invoices.record,
  conflicts: [quoteAlreadyInvoiced, formGateInvoice],
  transaction: true,
  async run({ params: { quoteId }, query: { force } }, ctx) {
    const quote = await lockQuote(ctx, quoteId)
    if (!canConvert(quote.status)) throw badRequest(`A ${quote.status} quote cannot be converted`)
    if (!force && (quote.status === 'invoiced' || (await ctx.query(selectHasInvoice(ctx, quoteId))))) {
      throw quoteAlreadyInvoiced()
    }
    const facts = await loadDocumentFacts(ctx, {})
    await refuseOpenInvoiceForms(ctx, quote.ticketId)

    const invoiceId = newId('inv')
    const { json, row: invoice } = await addInvoice(ctx, invoiceId, ownContent(quote), facts, { quoteId })
    await ctx.query(quotes.updateColumns(ctx, quoteId, { status: 'invoiced', invoice_id: invoiceId }))
    if (quote.ticketId) {
      const data = { quoteId, quoteNumber: quote.quoteNumber, invoiceId, invoiceNumber: invoice.invoiceNumber }
      await ctx.query(addTimelineEntries(ctx, quote.ticketId, [{ event: 'quoteConverted', data }]))
    }
    return json
  },
})

/** What the quote is called elsewhere is not what its invoice is called there. */
const ownContent = (quote: Quote): Quote => ({
  ...quote,
  externalId: null,
  externalSource: null,
  externalNumber: null,
})

/** A quote that has an invoice is `invoiced`; a file from before that was a rule may hold others. */
const selectHasInvoice = ({ orgId }: Context, quoteId: string): Statement<boolean> =>
  statement(
    sql`select exists (select from invoices where org_id = ${orgId} and quote_id = ${quoteId}) as any`,
    ([row]: { any: boolean }[]) => row!.any,
  )
