// What a quote or an invoice says after it is written: its customer, its lines, and what they add up to.

import { decimalsOf } from '../../domain/money.ts'
import { depositAmount, lineTotal, totals } from '../../domain/totals.ts'
import { badRequest } from '../../operations/errors.ts'
import type { ColumnsOf } from '../../operations/string-case.ts'
import { externalColumns } from '../external-ids.ts'
import { maxLines } from '../line-fields.ts'
import { refuseOutOfRange } from '../tickets/discount.ts'
import type { Discount } from '../tickets/discount-record.ts'
import type { DocumentFacts } from './facts.ts'
import type { DocumentBody, DocumentContent } from './fields.ts'
import { completeLineItems } from './line-items.ts'

/** `before` is the document as it was; a new one takes its defaults from the job and the organisation. */
export function buildContent(
  body: DocumentBody,
  before: DocumentContent | null,
  facts: DocumentFacts,
): DocumentContent {
  const currency = before?.currency ?? facts.currency
  const fallback = before ?? defaultContent(body, facts)
  const isOtherCustomer = before !== null && body.customerId !== undefined && body.customerId !== before.customerId
  const customerFields = isOtherCustomer
    ? { customerName: facts.customer?.name ?? null, customerEmail: facts.customer?.email ?? null }
    : {}
  const givenFields = Object.fromEntries(Object.entries(body).filter(([field]) => field in fallback))
  const content: DocumentContent = {
    ...fallback,
    ...customerFields,
    ...givenFields,
    lineItems: body.lineItems
      ? completeLineItems(body.lineItems, facts, currency, before?.lineItems)
      : fallback.lineItems,
    discount: body.discount === undefined ? fallback.discount : checkDiscount(body.discount, currency, 'discount'),
    deposit: body.deposit === undefined ? fallback.deposit : checkDiscount(body.deposit, currency, 'deposit'),
  }
  if (!content.customerId && !content.ticketId && !content.customerName) {
    throw badRequest('customerId, ticketId or customerName is required')
  }
  if (JSON.stringify(content.lineItems).length > maxLineCharacters) {
    throw badRequest(`lineItems must have at most ${maxLineCharacters} characters together`)
  }
  return content
}

/** A page of a hundred documents must still be a page. */
const maxLineCharacters = 150_000

function defaultContent({ ticketId, lineItems }: DocumentBody, facts: DocumentFacts): DocumentContent {
  const { customer, ticket, ticketLines } = facts
  const copiesJob = ticketId && lineItems === undefined
  if (copiesJob && ticketLines.length > maxLines) {
    throw badRequest(`lineItems must have at most ${maxLines} entries, and the job has ${ticketLines.length} lines`)
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
    lineItems: copiesJob ? ticketLines.map((line) => ({ ...line, lineTotal: lineTotal(line, facts.currency) })) : [],
    discount: copiesJob ? (ticket?.discount ?? null) : null,
    deposit: null,
    currency: facts.currency,
    externalId: null,
    externalSource: null,
    externalNumber: null,
  }
}

function checkDiscount(input: Discount | null, currency: string, name: string): Discount | null {
  if (!input) return null
  refuseOutOfRange(input, currency, `${name}.value`)
  return { type: input.type, value: input.value, reason: input.reason ?? null }
}

export function contentColumns(content: DocumentContent) {
  const { lineItems, discount, deposit, currency } = content
  const lines = lineItems.map(({ taxRate, taxRateId, ...line }) => ({
    ...line,
    tax: taxRate && { ...taxRate, taxRateId },
  }))
  const amounts = totals(lines, discount, currency)
  const largest = Math.max(amounts.subtotal, amounts.total) * 10 ** decimalsOf(currency)
  if (largest > Number.MAX_SAFE_INTEGER) throw badRequest('The lines come to more than can be counted to the last cent')
  return {
    customer_id: content.customerId,
    ticket_id: content.ticketId,
    customer_name: content.customerName,
    customer_email: content.customerEmail,
    title: content.title,
    notes: content.notes,
    terms: content.terms,
    ...externalColumns(content),
    line_items: JSON.stringify(lineItems),
    discount: discount && JSON.stringify(discount),
    deposit: deposit && JSON.stringify(deposit),
    currency,
    subtotal: amounts.subtotal,
    discount_total: amounts.discountTotal,
    net_total: amounts.netTotal,
    tax_total: amounts.taxTotal,
    total: amounts.total,
    taxes: JSON.stringify(amounts.taxes),
    deposit_amount: depositAmount(deposit, amounts.total, currency),
  } satisfies ColumnsOf<DocumentContent>
}

/** Which of the fields differ; what is sent back as it was is no change. */
export const changedFields = <T extends object>(before: T, after: T, fields: readonly (keyof T)[]): (keyof T)[] =>
  fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
