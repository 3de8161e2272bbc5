// What sending means for a quote.
import { sql } from '../../db/database.ts'
import type { QuoteStatus } from '../../domain/lifecycles.ts'
import { badRequest, notFound } from '../../operations/errors.ts'
import { statement } from '../../operations/operation.ts'
import type { Sendable } from '../billing/send.ts'
import { addTimelineEntries } from '../tickets/timeline.ts'
import { quotes, shareableQuote } from './record.ts'

interface UnsentQuote {
  readonly id: string
  readonly status: QuoteStatus
  readonly customerEmail: string | null
  readonly ticketId: string | null
  readonly quoteNumber: string
}

export const sendableQuote: Sendable<UnsentQuote> = {
  shareable: shareableQuote,
  returns: quotes.record,
  find: (ctx, quoteId) => ctx.query(quotes.find(ctx, quoteId)),

  async prepare(ctx, quoteId) {
    // Not the whole record: its lines may be long, and nothing here looks at them.
    const quote = await ctx.query(
      statement(
        sql`select id, status, customer_email as "customerEmail", ticket_id as "ticketId", quote_number as "quoteNumber"
            from quotes where org_id = ${ctx.orgId} and id = ${quoteId} for update`,
        ([row]: UnsentQuote[]) => row,
      ),
    )
    if (!quote) throw notFound('quote')
    if (quote.status === 'declined') throw badRequest('A declined quote cannot be sent; set status to draft first')
    return quote
  },

  async markSent(ctx, { id: quoteId, status, ticketId, quoteNumber }, to) {
    await ctx.query(
      statement(
        sql`update quotes set status = ${status === 'draft' ? 'sent' : status}, sent_at = least(sent_at, now()),
              updated_at = now() where org_id = ${ctx.orgId} and id = ${quoteId}`,
        () => {},
      ),
    )
    if (ticketId)
      await ctx.query(addTimelineEntries(ctx, ticketId, [{ event: 'quoteSent', data: { quoteId, quoteNumber, to } }]))
  },
}
