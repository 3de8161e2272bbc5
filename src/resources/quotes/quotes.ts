// Quotes: what a shop offers to do, for how much, and what the customer said to it.

import { sql } from '../../db/database.ts'
import { dayMs } from '../../domain/durations.ts'
import {
  canQuoteMove,
  isQuoteLocked,
  type QuoteMoments,
  type QuoteStatus,
  requestedQuoteStatus,
  transitionQuote,
} from '../../domain/lifecycles.ts'
import type { TimelineEntry } from '../../domain/timeline.ts'
import type { Json } from '../../operations/answers.ts'
import { read, remove } from '../../operations/crud.ts'
import { badRequest } from '../../operations/errors.ts'
import { newId } from '../../operations/ids.ts'
import { type Context, operation, resource } from '../../operations/operation.ts'
import { entity } from '../../operations/scopes.ts'
import type { ColumnsOf } from '../../operations/string-case.ts'
import { buildContent, changedFields, contentColumns } from '../billing/content.ts'
import { loadDocumentFacts } from '../billing/facts.ts'
import type { BroughtDocument } from '../billing/fields.ts'
import { listOperation } from '../billing/list.ts'
import { pdfOperation } from '../billing/pdf.ts'
import { sendOperation } from '../billing/send.ts'
import { shareLinkOperations } from '../billing/share-link.ts'
import { externalIdTaken } from '../external-ids.ts'
import { addTimelineEntries } from '../tickets/timeline.ts'
import { convertOperation } from './convert.ts'
import { lockQuote, momentColumns, type QuoteBody, quoteBodies, quoteList, quotes, shareableQuote } from './record.ts'
import { sendableQuote } from './send.ts'

const quoteEntity = entity('quotes', {
  title: 'Quotes',
  description: 'Offers that a customer can accept and that become invoices.',
  scopeObject: 'quotes',
})

export default resource({ entity: quoteEntity, tables: [quotes] }, [
  {
    ...listOperation('quotes', quotes, quoteList),
    mcp: { advice: 'For the quotes of one customer or one job give customerId or ticketId.' },
  },

  operation('POST /quotes', {
    name: 'createQuote',
    summary: 'Create a quote',
    mcp: {
      advice: 'Lines take serviceId or inventoryItemId, or a name and unitPrice. It stays a draft until it is sent.',
    },
    body: quoteBodies.createBody,
    status: 201,
    returns: quotes.record,
    conflicts: [externalIdTaken],
    transaction: true,
    run: ({ body }, ctx) => createQuote(ctx, body),
  }),

  read('/quotes/:quoteId', quotes),

  operation('PUT /quotes/:quoteId', {
    name: 'updateQuote',
    summary: 'Change a quote, or record what the customer said to it',
    body: quoteBodies.updateBody,
    returns: quotes.record,
    conflicts: [externalIdTaken],
    transaction: true,
    run: ({ params: { quoteId }, body }, ctx) => updateQuote(ctx, quoteId, body),
  }),

  remove('/quotes/:quoteId', quotes),
  convertOperation,
  sendOperation('/quotes/:quoteId', sendableQuote),
  ...shareLinkOperations('/quotes/:quoteId', shareableQuote),
  pdfOperation('/quotes/:quoteId', 'quote'),
])

const newQuoteMoments: QuoteMoments = {
  status: 'draft',
  accepted: false,
  acceptedAt: null,
  acceptedByName: null,
  declinedAt: null,
  declineReason: null,
  sentAt: null,
}

export async function createQuote(ctx: Context, body: QuoteBody, brought?: BroughtDocument): Promise<Json> {
  const facts = await loadDocumentFacts(ctx, body)
  const content = buildContent(body, null, facts)
  const moments = transitionQuote(newQuoteMoments, requestedStatus(newQuoteMoments, body), {
    now: facts.now.toISOString(),
  })
  const validUntil =
    body.validUntil === undefined ? new Date(facts.now.getTime() + facts.quoteValidDays * dayMs) : body.validUntil
  const quoteId = brought?.id ?? newId('quo')
  const insertion = quotes.insert(
    ctx,
    {},
    {
      columns: {
        id: quoteId,
        quote_number: brought?.number ?? sql`take_quote_number(${ctx.orgId})`,
        ...(brought?.createdAt !== undefined && { created_at: brought.createdAt }),
        ...contentColumns(content),
        ...momentColumns(moments),
        valid_until: validUntil,
      } satisfies ColumnsOf<QuoteBody>,
    },
  )
  const { json, row } = await ctx.query(quotes.withRow(ctx, insertion))
  if (content.ticketId) {
    const quoteRef = { quoteId, quoteNumber: row.quoteNumber }
    await ctx.query(
      addTimelineEntries(ctx, content.ticketId, [
        { event: 'quoteCreated', data: quoteRef },
        ...statusEntries(quoteRef, newQuoteMoments, moments),
      ]),
    )
  }
  return json
}

/** What a customer agreed to, or refused. */
const offeredFields = ['lineItems', 'discount', 'deposit', 'customerId', 'ticketId', 'validUntil'] as const

async function updateQuote(ctx: Context, quoteId: string, body: QuoteBody): Promise<Json> {
  const before = await lockQuote(ctx, quoteId)
  const ifChanged = <T>(value: T, previous: T) => (value === previous ? undefined : value)
  const facts = await loadDocumentFacts(ctx, {
    customerId: ifChanged(body.customerId, before.customerId),
    ticketId: ifChanged(body.ticketId, before.ticketId),
    lineItems: body.lineItems,
  })
  const to = requestedStatus(before, body)
  const validUntil = body.validUntil === undefined ? before.validUntil : body.validUntil
  const after = { ...buildContent(body, before, facts), validUntil }
  if (
    to === before.status &&
    isQuoteLocked(to) &&
    changedFields({ ...after, ...before }, after, offeredFields).length > 0
  ) {
    throw badRequest(
      to === 'invoiced'
        ? 'An invoiced quote cannot be changed'
        : `${to === 'accepted' ? 'An accepted' : 'A declined'} quote cannot be changed; set status to draft first`,
    )
  }
  const moments = transitionQuote(before, to, { now: facts.now.toISOString() })
  const quote = await ctx.query(
    quotes.updateColumns(ctx, quoteId, {
      ...contentColumns(after),
      ...momentColumns(moments),
      valid_until: validUntil,
    } satisfies ColumnsOf<QuoteBody>),
  )
  const entries = statusEntries(before, before, moments)
  if (after.ticketId && entries.length > 0) await ctx.query(addTimelineEntries(ctx, after.ticketId, entries))
  return quote
}

function requestedStatus(before: QuoteMoments, body: QuoteBody): QuoteStatus {
  const to = requestedQuoteStatus(before, body)
  if (to === undefined) throw badRequest('accepted does not agree with status')
  if (!canQuoteMove(before.status, to)) throw badRequest(`status cannot change from ${before.status} to ${to}`)
  return to
}

function statusEntries(
  { quoteNumber, ...quote }: { quoteNumber: string; id?: string; quoteId?: string },
  before: QuoteMoments,
  after: QuoteMoments,
): TimelineEntry[] {
  const data = { quoteId: (quote.quoteId ?? quote.id)!, quoteNumber }
  if (before.status === after.status) return []
  if (after.status === 'sent') return [{ event: 'quoteSent', data: { ...data, to: null } }]
  if (after.status === 'accepted') return [{ event: 'quoteAccepted', data: { ...data, name: after.acceptedByName } }]
  if (after.status === 'declined') return [{ event: 'quoteDeclined', data: { ...data, reason: after.declineReason } }]
  return []
}
