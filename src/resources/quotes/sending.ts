// What sending means for a quote.
import { badRequest } from '../../api/errors.ts'
import { sql } from '../../database.ts'
import type { Sending } from '../documents/send.ts'
import { noted } from '../tickets/timeline.ts'
import { heldQuote, quotes, sharedQuote } from './record.ts'

export const quoteSending: Sending = {
  shareable: sharedQuote,
  returns: quotes.record,
  find: (ctx, quoteId) => ctx.ask(quotes.find(ctx, quoteId)),

  async ready(ctx, quoteId) {
    const quote = await heldQuote(ctx, quoteId)
    if (quote.status === 'declined') throw badRequest('A declined quote cannot be sent; set status to draft first')
    return quote
  },

  async sent(ctx, quoteId, to) {
    const { status, ticketId, quoteNumber } = await heldQuote(ctx, quoteId)
    await ctx.ask(
      quotes.keep(ctx, quoteId, {
        status: status === 'draft' ? 'sent' : status,
        sent_at: sql`coalesce(sent_at, now())`,
      }),
    )
    if (ticketId) await ctx.ask(noted(ctx, ticketId, [{ event: 'quoteSent', data: { quoteId, quoteNumber, to } }]))
  },
}
