// What a quote or an invoice of the sample shop says: its lines and what they add up to.
import type { Row } from '../../db/database.ts'
import { depositAmount, totals } from '../../domain/totals.ts'
import type { QuoteSpec } from '../data/billing.ts'
import { buildTicketLines, customLineItem, type LineItem, lineItemsFrom, type Shop } from './lines.ts'
import type { Plan } from './plans.ts'

/** A job with the rows made of it. */
export interface JobRecord {
  readonly plan: Plan
  readonly ticket: Row
  readonly services: readonly Row[]
  readonly parts: readonly Row[]
}

/** What the organisation puts on every paper. */
export interface BillingDefaults {
  readonly terms: string | null
  readonly paymentInstructions: string | null
  readonly validDays: number
  readonly dueDays: number
}

export interface BillingSource {
  readonly record: JobRecord
  readonly shop: Shop
  readonly defaults: BillingDefaults
}

/** What both kinds of paper say. */
export function billingContent(
  { record, shop, defaults }: BillingSource,
  document: Pick<QuoteSpec, 'title' | 'instead' | 'deposit' | 'notes'>,
) {
  const { plan, ticket } = record
  const { instead, notes } = document
  const items = instead
    ? [
        ...lineItemsFrom(buildTicketLines(instead, '', 0, shop)),
        ...(instead.others ?? []).map((other) => customLineItem(other, shop)),
      ]
    : lineItemsFrom(record)
  const discount = (!instead && plan.discount && withReason(plan.discount)) || null
  const deposit = document.deposit ? withReason(document.deposit) : null
  const sums = totals(items.map(withTax), discount, shop.currency)
  return {
    customer_id: ticket.customer_id,
    ticket_id: ticket.id,
    customer_name: ticket.customer_name,
    customer_email: ticket.customer_email,
    title: document.title ?? titleOf(record),
    notes,
    terms: defaults.terms,
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
    deposit_amount: depositAmount(deposit, sums.total, shop.currency),
  }
}

type AmountSpec = NonNullable<QuoteSpec['deposit']>
const withReason = ({ type, value, reason = null }: AmountSpec & { reason?: string | null }) => ({
  type,
  value,
  reason,
})

const withTax = ({ taxRate, taxRateId, ...line }: LineItem) => ({ ...line, tax: taxRate && { ...taxRate, taxRateId } })

/** Such as "Fairphone 5: screen replacement". */
function titleOf({ plan: { workSpec }, ticket }: JobRecord): string {
  const services = (workSpec.does ?? []).map((one) => (typeof one === 'string' ? one : one[0]))
  // Coming and looking is what something else begins with.
  const service = services.find((name) => name !== 'Call-out' && name !== 'Diagnosis') ?? services.at(-1) ?? 'Repair'
  const work = service.startsWith('Repair work') ? 'Repair' : service
  const device = ticket.customer_device_name
  return device ? `${device}: ${work[0]!.toLowerCase()}${work.slice(1)}` : work
}
