// A quote as it is stored and answered.
import { Type as t } from 'typebox'
import { type QuoteMoments, quoteStatuses } from '../../domain/lifecycles.ts'
import { dateTime, id, nullable, oneOf, optional, text } from '../../operations/fields.ts'
import type { Context } from '../../operations/operation.ts'
import { table } from '../../operations/table.ts'
import type { DocumentContent } from '../billing/content.ts'
import { documentFields, readExpressions, transforms, writableFields } from '../billing/fields.ts'
import type { Shareable } from '../billing/share-link.ts'

const status = oneOf(quoteStatuses, { examples: ['draft'], description: 'Only converting makes a quote `invoiced`.' })
const accepted = t.Boolean({ examples: [false], description: 'True from acceptance on, also when invoiced.' })

export const quoteFields = writableFields({
  validUntil: optional(dateTime({ description: "After the organisation's quoteValidDays if left out." })),
  status: t.Optional(status),
  accepted: t.Optional(accepted),
})

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
    invoiceId: nullable(id({ description: 'The invoice it was last converted to.' })),
  },
  read: {
    ...readExpressions('quotes', 'quote_id'),
    isExpired: `(quotes.status in ('draft', 'sent') and coalesce(quotes.valid_until < now(), false))`,
  },
  transform: transforms('quotes'),
  order: { column: 'created_at', type: 'timestamptz', direction: 'desc' },
})

export interface Quote extends DocumentContent, QuoteMoments {
  readonly id: string
  readonly quoteNumber: string
  readonly validUntil: string | null
  readonly isExpired: boolean
  readonly invoiceId: string | null
}

export const shareableQuote: Shareable = { table: 'quotes', column: 'quote_id', noun: 'quote', lock: quotes.lock }

/** The quote as it is, held until the transaction ends. */
export async function lockQuote(ctx: Context, quoteId: string): Promise<Quote> {
  await ctx.query(quotes.lock(ctx, quoteId))
  return JSON.parse((await ctx.query(quotes.find(ctx, quoteId))).text)
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
