// Quotes: what a shop offers to do, for how much, and what the customer said to it.
import { Type as t } from 'typebox'
import { badRequest } from '../../api/errors.ts'
import { dateTime, id } from '../../api/fields.ts'
import { newId } from '../../api/ids.ts'
import { type Context, type Json, operation, resource } from '../../api/operation.ts'
import { read, remove } from '../../api/plain.ts'
import { paging } from '../../api/table.ts'
import { sql } from '../../database.ts'
import {
  isQuoteLocked,
  mayQuoteMove,
  type QuoteMoments,
  type QuoteStatus,
  quoteAfter,
  wantedQuoteStatus,
} from '../../domain/lifecycles.ts'
import type { Note } from '../../domain/timeline.ts'
import { documentFacts } from '../documents/facts.ts'
import { bodies } from '../documents/fields.ts'
import { pdfOperation } from '../documents/pdf.ts'
import { sendOperation } from '../documents/send.ts'
import { shareLinkOperations } from '../documents/share-link.ts'
import { columnsOf, contentOf, type DocumentBody, differing } from '../documents/writing.ts'
import { all, changedAfter } from '../search.ts'
import { noted } from '../tickets/timeline.ts'
import { convertOperation } from './convert.ts'
import { heldQuote, momentColumns, type Quote, quoteFields, quotes, sharedQuote } from './record.ts'
import { quoteSending } from './sending.ts'

const { create, update } = bodies(quoteFields, 'Quote')

export default resource('quotes', [
  operation('GET /quotes', {
    name: 'listQuotes',
    summary: 'List quotes, newest first',
    query: t.Object({
      ...paging,
      customerId: t.Optional(id()),
      ticketId: t.Optional(id()),
      accepted: t.Optional(t.Boolean()),
      updatedAfter: t.Optional(dateTime({ description: 'Quotes that changed after this moment.' })),
    }),
    returns: quotes.list,
    run: ({ query: { limit, startAfter, customerId, ticketId, accepted, updatedAfter } }, ctx) => ({
      ...quotes.page(
        ctx,
        { limit, startAfter },
        all(
          customerId && sql`quotes.customer_id = ${customerId}`,
          ticketId && sql`quotes.ticket_id = ${ticketId}`,
          accepted === undefined ? undefined : sql`quotes.accepted = ${accepted}`,
          updatedAfter && changedAfter('quotes', updatedAfter),
        ),
      ),
      way: updatedAfter ? 'vary' : 'search', // they are large: a connection of their own keeps others from waiting
    }),
  }),

  operation('POST /quotes', {
    name: 'createQuote',
    summary: 'Create a quote',
    body: create,
    status: 201,
    returns: quotes.record,
    async run({ body }, ctx) {
      return createQuote(ctx, body as QuoteBody)
    },
  }),

  read('/quotes/:quoteId', quotes),

  operation('PUT /quotes/:quoteId', {
    name: 'updateQuote',
    summary: 'Change a quote, or record what the customer said to it',
    body: update,
    returns: quotes.record,
    async run({ params: { quoteId }, body }, ctx) {
      return changeQuote(ctx, quoteId, body as QuoteBody)
    },
  }),

  remove('/quotes/:quoteId', quotes),
  convertOperation,
  sendOperation('/quotes/:quoteId', quoteSending),
  ...shareLinkOperations('/quotes/:quoteId', sharedQuote),
  pdfOperation('/quotes/:quoteId', 'quote'),
])

interface QuoteBody extends DocumentBody {
  readonly validUntil?: string | null
  readonly status?: QuoteStatus
  readonly accepted?: boolean
}

const fresh: QuoteMoments = {
  status: 'draft',
  accepted: false,
  acceptedAt: null,
  acceptedByName: null,
  declinedAt: null,
  declineReason: null,
  sentAt: null,
}
const dayMs = 86_400_000

async function createQuote(ctx: Context, body: QuoteBody): Promise<Json> {
  const facts = await ctx.ask(documentFacts(ctx, body))
  const content = contentOf(body, null, facts)
  const moments = quoteAfter(fresh, wantedStatus(fresh, body), { now: facts.now.toISOString() })
  const validUntil =
    body.validUntil === undefined ? new Date(facts.now.getTime() + facts.quoteValidDays * dayMs) : body.validUntil
  const quoteId = newId('quo')
  const quote = await ctx.ask(
    quotes.insert(ctx, {}, undefined, {
      id: quoteId,
      quote_number: sql`take_quote_number(${ctx.orgId})`,
      ...columnsOf(content),
      ...momentColumns(moments),
      valid_until: validUntil,
    }),
  )
  if (content.ticketId) {
    const { quoteNumber } = JSON.parse(quote.text)
    const named = { quoteId, quoteNumber }
    await ctx.ask(
      noted(ctx, content.ticketId, [{ event: 'quoteCreated', data: named }, ...movement(named, fresh, moments)]),
    )
  }
  return quote
}

/** What a customer agreed to, or refused. */
const offered = ['lineItems', 'discount', 'deposit', 'customerId', 'ticketId', 'validUntil'] as const

async function changeQuote(ctx: Context, quoteId: string, body: QuoteBody): Promise<Json> {
  if (Object.keys(body).length === 0) throw badRequest('At least one updatable field is required')
  const before = await heldQuote(ctx, quoteId)
  const changed = <T>(given: T, was: T) => (given === was ? undefined : given)
  const facts = await ctx.ask(
    documentFacts(ctx, {
      customerId: changed(body.customerId, before.customerId),
      ticketId: changed(body.ticketId, before.ticketId),
      lineItems: body.lineItems,
    }),
  )
  const to = wantedStatus(before, body)
  const validUntil = body.validUntil === undefined ? before.validUntil : body.validUntil
  const after = { ...contentOf(body, before, facts), validUntil }
  if (to === before.status && isQuoteLocked(to) && differing({ ...after, ...before }, after, offered).length > 0) {
    throw badRequest(
      to === 'invoiced'
        ? 'An invoiced quote cannot be changed'
        : `${to === 'accepted' ? 'An accepted' : 'A declined'} quote cannot be changed; set status to draft first`,
    )
  }
  const moments = quoteAfter(before, to, { now: facts.now.toISOString() })
  const quote = await ctx.ask(
    quotes.keep(ctx, quoteId, { ...columnsOf(after), ...momentColumns(moments), valid_until: validUntil }),
  )
  const notes = movement(before, before, moments)
  if (after.ticketId && notes.length > 0) await ctx.ask(noted(ctx, after.ticketId, notes))
  return quote
}

function wantedStatus(before: QuoteMoments, body: QuoteBody): QuoteStatus {
  const to = wantedQuoteStatus(before, body)
  if (to === undefined) throw badRequest('accepted does not agree with status')
  if (!mayQuoteMove(before.status, to)) throw badRequest(`status cannot change from ${before.status} to ${to}`)
  return to
}

function movement(
  { quoteNumber, ...quote }: { quoteNumber: string; id?: string; quoteId?: string },
  before: QuoteMoments,
  after: QuoteMoments,
): Note[] {
  const data = { quoteId: (quote.quoteId ?? quote.id)!, quoteNumber }
  if (before.status === after.status) return []
  if (after.status === 'sent') return [{ event: 'quoteSent', data: { ...data, to: null } }]
  if (after.status === 'accepted') return [{ event: 'quoteAccepted', data: { ...data, name: after.acceptedByName } }]
  if (after.status === 'declined') return [{ event: 'quoteDeclined', data: { ...data, reason: after.declineReason } }]
  return []
}

export type { Quote }
