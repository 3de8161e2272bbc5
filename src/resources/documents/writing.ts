// What a quote or an invoice says after it is written: its customer, its lines, and what they add up to.
import { badRequest } from '../../api/errors.ts'
import { decimalsOf } from '../../domain/money.ts'
import { depositOf, lineTotal, totals } from '../../domain/totals.ts'
import { type Discount, refuseOutOfRange } from '../tickets/discount.ts'
import { mostLines } from '../tickets/lines.ts'
import type { DocumentFacts } from './facts.ts'
import { completed, type GivenLine, type LineItem } from './line-items.ts'

export interface DocumentBody {
  readonly customerId?: string | null
  readonly ticketId?: string | null
  readonly customerName?: string | null
  readonly customerEmail?: string | null
  readonly title?: string | null
  readonly notes?: string | null
  readonly terms?: string | null
  readonly lineItems?: readonly GivenLine[]
  readonly discount?: Given | null
  readonly deposit?: Given | null
}
type Given = Omit<Discount, 'reason'> & { readonly reason?: string | null }

/** The same, with every field that has no value null. */
export interface Content {
  readonly customerId: string | null
  readonly ticketId: string | null
  readonly customerName: string | null
  readonly customerEmail: string | null
  readonly title: string | null
  readonly notes: string | null
  readonly terms: string | null
  readonly lineItems: readonly LineItem[]
  readonly discount: Given | null
  readonly deposit: Given | null
  readonly currency: string
}

/** `before` is the document as it was; a new one takes its defaults from the job and the organisation. */
export function contentOf(body: DocumentBody, before: Content | null, facts: DocumentFacts): Content {
  const currency = before?.currency ?? facts.currency
  const otherwise = before ?? defaults(body, facts)
  const isOtherCustomer = before !== null && body.customerId !== undefined && body.customerId !== before.customerId
  const known = isOtherCustomer
    ? { customerName: facts.customer?.name ?? null, customerEmail: facts.customer?.email ?? null }
    : {}
  const given = Object.fromEntries(Object.entries(body).filter(([field]) => field in otherwise))
  const content: Content = {
    ...otherwise,
    ...known,
    ...given,
    lineItems: body.lineItems ? completed(body.lineItems, facts, currency, before?.lineItems) : otherwise.lineItems,
    discount: body.discount === undefined ? otherwise.discount : checked(body.discount, currency, 'discount'),
    deposit: body.deposit === undefined ? otherwise.deposit : checked(body.deposit, currency, 'deposit'),
  }
  if (!content.customerId && !content.ticketId && !content.customerName) {
    throw badRequest('customerId, ticketId or customerName is required')
  }
  if (JSON.stringify(content.lineItems).length > mostInLines) {
    throw badRequest(`lineItems must have at most ${mostInLines} characters together`)
  }
  return content
}

/** A page of a hundred documents must still be a page. */
const mostInLines = 150_000

function defaults({ ticketId, lineItems }: DocumentBody, facts: DocumentFacts): Content {
  const { customer, ticket, ticketLines } = facts
  const isCopied = ticketId && lineItems === undefined
  if (isCopied && ticketLines.length > mostLines) {
    throw badRequest(`lineItems must have at most ${mostLines} entries, and the job has ${ticketLines.length} lines`)
  }
  return {
    customerId: ticket?.customerId ?? null,
    ticketId: null,
    customerName: (customer ? customer.name : (ticket?.customerName ?? null))?.slice(0, 200) ?? null,
    customerEmail: customer ? customer.email : (ticket?.customerEmail ?? null),
    title: null,
    notes: null,
    terms: facts.documentTerms,
    // The job may have been written in another currency.
    lineItems: isCopied ? ticketLines.map((line) => ({ ...line, lineTotal: lineTotal(line, facts.currency) })) : [],
    discount: isCopied ? (ticket?.discount ?? null) : null,
    deposit: null,
    currency: facts.currency,
  }
}

function checked(given: Given | null, currency: string, name: string): Given | null {
  if (!given) return null
  refuseOutOfRange(given, currency, `${name}.value`)
  return { type: given.type, value: given.value, reason: given.reason ?? null }
}

export function columnsOf(content: Content): Readonly<Record<string, unknown>> {
  const { lineItems, discount, deposit, currency } = content
  const lines = lineItems.map(({ taxRate, taxRateId, ...line }) => ({
    ...line,
    tax: taxRate && { ...taxRate, taxRateId },
  }))
  const sums = totals(lines, discount, currency)
  const largest = Math.max(sums.subtotal, sums.total) * 10 ** decimalsOf(currency)
  if (largest > Number.MAX_SAFE_INTEGER) throw badRequest('The lines come to more than can be counted to the last cent')
  return {
    customer_id: content.customerId,
    ticket_id: content.ticketId,
    customer_name: content.customerName,
    customer_email: content.customerEmail,
    title: content.title,
    notes: content.notes,
    terms: content.terms,
    line_items: JSON.stringify(lineItems),
    discount: discount && JSON.stringify(discount),
    deposit: deposit && JSON.stringify(deposit),
    currency,
    subtotal: sums.subtotal,
    discount_total: sums.discountTotal,
    net_total: sums.netTotal,
    tax_total: sums.taxTotal,
    total: sums.total,
    taxes: JSON.stringify(sums.taxes),
    deposit_amount: depositOf(deposit, sums.total, currency),
  }
}

/** Which of the fields differ; what is sent back as it was is no change. */
export const differing = <T extends object>(before: T, after: T, fields: readonly (keyof T)[]): (keyof T)[] =>
  fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
