// A quote as it is stored and answered.
import type { Static } from 'typebox'
import { type QuoteMoments, quoteStatuses } from '../../domain/lifecycles.ts'
import { becomes, isFilled } from '../../domain/signals.ts'
import { dateTime, id, nullable, oneOf, optional, text } from '../../operations/fields.ts'
import type { Context } from '../../operations/operation.ts'
import type { RowOf } from '../../operations/record-schemas.ts'
import { t } from '../../operations/schemas.ts'
import { table } from '../../operations/table.ts'
import { bodySchemas, documentFields, readExpressions, transforms, writableFields } from '../billing/fields.ts'
import type { DocumentList } from '../billing/list.ts'
import type { Shareable } from '../billing/share-link.ts'

const status = oneOf(quoteStatuses, { examples: ['draft'], description: 'Only converting makes a quote `invoiced`.' })
const accepted = t.Boolean({ examples: [false], description: 'True from acceptance on, also when invoiced.' })

const quoteFields = writableFields({
  validUntil: optional(dateTime({ description: "After the organisation's quoteValidDays if left out." })),
  status: t.Optional(status),
  accepted: t.Optional(accepted),
})

export const quoteBodies = bodySchemas(quoteFields, 'Quote')
/** A quote as a caller writes it; a change leaves out what stays. */
export type QuoteBody = Static<typeof quoteBodies.updateBody>

const isPast = 'coalesce(quotes.valid_until < now(), false)'
const isExpired = `quotes.status in ('draft', 'sent') and ${isPast}`

export const quotes = table({
  name: 'quotes',
  noun: 'quote',
  prefix: 'quo',
  writable: {},
  readOnly: {
    quoteNumber: t.String({ examples: ['Q-0007'] }),
    ...documentFields,
    validUntil: nullable(dateTime()),
    status,
    accepted,
    acceptedAt: nullable(dateTime()),
    acceptedByName: nullable(text(120)),
    declinedAt: nullable(dateTime()),
    declineReason: nullable(text(2_000)),
    isExpired: t.Boolean({ description: 'Past validUntil without an answer.' }),
    invoiceId: nullable(id({ description: 'The newest invoice it was converted to.' })),
  },
  read: {
    ...readExpressions('quotes', 'quote_id'),
    isExpired: `(${isExpired})`,
  },
  transform: transforms('quotes'),
  event: {
    signals: {
      sent: becomes('status', 'sent', ['draft']), // not when its invoice is deleted
      viewed: isFilled('viewedAt'),
      accepted: isFilled('acceptedAt'),
      declined: isFilled('declinedAt'),
      expired: isFilled('expiryNotedAt'),
      converted: becomes('status', 'invoiced'),
    },
    hidden: ['expiryNotedAt'],
  },
  order: { column: 'created_at', type: 'timestamptz', direction: 'desc' },
})

/** Each quote is in one of these states. */
export const quoteList: DocumentList = {
  flag: 'accepted',
  states: {
    draft: `quotes.status = 'draft' and not ${isPast}`,
    sent: `quotes.status = 'sent' and not ${isPast}`,
    expired: isExpired,
    accepted: `quotes.status = 'accepted'`,
    declined: `quotes.status = 'declined'`,
    invoiced: `quotes.status = 'invoiced'`,
  },
  meaning: 'What it is at the moment; one that is past validUntil without an answer is `expired`.',
}

export type Quote = RowOf<typeof quotes>

export const shareableQuote: Shareable = { table: 'quotes', column: 'quote_id', noun: 'quote', lock: quotes.lock }

/** The quote as it is, locked until the transaction ends. */
export async function lockQuote(ctx: Context, quoteId: string): Promise<Quote> {
  await ctx.query(quotes.lock(ctx, quoteId))
  return (await ctx.query(quotes.withRow(ctx, quotes.find(ctx, quoteId)))).row
}

export const momentColumns = (quote: QuoteMoments) => ({
  status: quote.status,
  accepted: quote.accepted,
  accepted_at: quote.acceptedAt,
  accepted_by_name: quote.acceptedByName,
  declined_at: quote.declinedAt,
  decline_reason: quote.declineReason,
  sent_at: quote.sentAt,
})
