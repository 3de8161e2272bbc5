// What sending means for a quote.
import { sql } from '../../db/database.ts'
import { badRequest } from '../../operations/errors.ts'
import type { Sendable } from '../billing/send.ts'
import { addTimelineEntries } from '../tickets/timeline.ts'
import { lockQuote, quotes, shareableQuote } from './record.ts'

export const sendableQuote: Sendable = {
  shareable: shareableQuote,
  returns: quotes.record,
  find: (ctx, quoteId) => ctx.query(quotes.find(ctx, quoteId)),

  async prepare(ctx, quoteId) {
    const quote = await lockQuote(ctx, quoteId)
    if (quote.status === 'declined') throw badRequest('A declined quote cannot be sent; set status to draft first')
    return quote
  },

  async markSent(ctx, quoteId, to) {
    const { status, ticketId, quoteNumber } = await lockQuote(ctx, quoteId)
    await ctx.query(
      quotes.updateColumns(ctx, quoteId, {
        status: status === 'draft' ? 'sent' : status,
        sent_at: sql`least(sent_at, now())`,
      }),
    )
    if (ticketId)
      await ctx.query(addTimelineEntries(ctx, ticketId, [{ event: 'quoteSent', data: { quoteId, quoteNumber, to } }]))
  },
}
