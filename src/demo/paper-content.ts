// What a quote or an invoice of the sample shop says: its lines and what they add up to.
import type { Row } from '../database.ts'
import { depositOf, totals } from '../domain/totals.ts'
import { itemsOf, type LineItem, linesOf, otherItem, type Shop } from './lines.ts'
import type { Offer } from './paper.ts'
import type { Plan } from './plans.ts'

/** A job with the rows made of it. */
export interface JobRecord {
  readonly plan: Plan
  readonly ticket: Row
  readonly services: readonly Row[]
  readonly parts: readonly Row[]
}

/** What the organisation puts on every paper. */
export interface House {
  readonly terms: string | null
  readonly paymentInstructions: string | null
  readonly validDays: number
  readonly dueDays: number
}

export interface Origin {
  readonly record: JobRecord
  readonly shop: Shop
  readonly house: House
}

/** What both kinds of paper say. */
export function contentOf(
  { record, shop, house }: Origin,
  paper: Pick<Offer, 'title' | 'instead' | 'deposit' | 'notes'>,
) {
  const { plan, ticket } = record
  const { instead, notes } = paper
  const items = instead
    ? [...itemsOf(linesOf(instead, '', 0, shop)), ...(instead.others ?? []).map((other) => otherItem(other, shop))]
    : itemsOf(record)
  const discount = (!instead && plan.discount && inFull(plan.discount)) || null
  const deposit = paper.deposit ? inFull(paper.deposit) : null
  const sums = totals(items.map(taxed), discount, shop.currency)
  return {
    customer_id: ticket.customer_id,
    ticket_id: ticket.id,
    customer_name: ticket.customer_name,
    customer_email: ticket.customer_email,
    title: paper.title ?? titleOf(record),
    notes,
    terms: house.terms,
    line_items: items,
    discount,
    deposit,
    currency: shop.currency,
    subtotal: sums.subtotal,
    discount_total: sums.discountTotal,
    net_total: sums.netTotal,
    tax_total: sums.taxTotal,
    total: sums.total,
    taxes: sums.taxes,
    deposit_amount: depositOf(deposit, sums.total, shop.currency),
  }
}

type Part = NonNullable<Offer['deposit']>
const inFull = ({ type, value, reason = null }: Part & { reason?: string | null }) => ({ type, value, reason })

const taxed = ({ taxRate, taxRateId, ...line }: LineItem) => ({ ...line, tax: taxRate && { ...taxRate, taxRateId } })

/** Such as "Fairphone 5: screen replacement". */
function titleOf({ plan: { errand }, ticket }: JobRecord): string {
  const services = (errand.does ?? []).map((one) => (typeof one === 'string' ? one : one[0]))
  // Coming and looking is what something else begins with.
  const service = services.find((name) => name !== 'Call-out' && name !== 'Diagnosis') ?? services.at(-1) ?? 'Repair'
  const work = service.startsWith('Repair work') ? 'Repair' : service
  const device = ticket.customer_device_name
  return device ? `${device}: ${work[0]!.toLowerCase()}${work.slice(1)}` : work
}
