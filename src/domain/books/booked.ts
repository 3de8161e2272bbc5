// An invoice as books have it: net lines with their tax, which come to its total to the last cent.
import { decimalsOf } from '../money.ts'
import { netGroups } from '../net-lines.ts'
import { apportion, type Discount, type PricedLine, splitTax, type Tax } from '../totals.ts'

export interface BookedInvoice {
  readonly id: string
  readonly number: string
  /** Days where the shop is, as 2026-11-16. */
  readonly issuedOn: string
  readonly dueOn: string
  readonly title: string | null
  readonly customerName: string | null
  readonly customerEmail: string | null
  readonly currency: string
  readonly lines: readonly SoldLine[]
  readonly discount: Discount | null
  readonly subtotal: number
  readonly discountTotal: number
  readonly netTotal: number
  readonly taxTotal: number
  readonly total: number
  readonly amountPaid: number
  readonly balance: number
}

export interface SoldLine extends Omit<PricedLine, 'tax'> {
  readonly name: string
  readonly description: string | null
  readonly sku: string | null
  readonly taxRateId: string | null
  readonly taxRate: Omit<Tax, 'taxRateId'> | null
}

export interface BookedPayment {
  readonly id: string
  readonly paidOn: string
  readonly invoiceNumber: string
  readonly customerName: string | null
  readonly currency: string
  readonly amount: number
  readonly paymentMethod: string
}

/** One row of a file: what was sold, or the discount on parts or on the rest of what was sold at one rate. */
export interface BookedLine {
  readonly kind: PricedLine['kind']
  readonly text: string
  readonly sku: string | null
  /** How many at which price, where that is exactly the net; else one of it. */
  readonly quantity: number
  readonly unitAmount: bigint
  readonly net: bigint
  readonly due: bigint
  readonly tax: Tax | null
}

/** Prices have four decimal places there. */
export const pricePlaces = 4

export function bookedLines({ lines, discount, currency }: BookedInvoice): BookedLine[] {
  const decimals = decimalsOf(currency)
  const priced = lines.map(({ taxRate, taxRateId, ...line }) => ({
    ...line,
    tax: taxRate && { ...taxRate, taxRateId },
  }))
  const booked = netGroups(priced, discount, currency).flatMap((group) => {
    const exclusive = group.tax && { ...group.tax, isInclusive: false }
    const allowanceDue = splitTax(exclusive, group.allowance).due
    const dues = apportion(
      group.due + allowanceDue,
      group.lines.map(({ net }) => net),
    )
    const sold = group.lines.map(({ index, net }, place) => ({
      index,
      line: bookedLine(priced[index]!, net, dues[place]!, decimals),
    }))
    if (group.allowance === 0n) return sold
    const due = dues.reduce((sum, one) => sum + one, 0n) - group.due
    const off = discountLines(
      sold.map(({ line }) => line),
      { net: group.allowance, due, tax: group.tax },
      decimals,
    )
    // The discount comes after all lines.
    return [...sold, ...off.map((line) => ({ index: lines.length, line }))]
  })
  return booked.sort((a, b) => a.index - b.index).map(({ line }) => line)
}

/** Parts may have an account of their own, which bears its share of the discount. */
function discountLines(
  sold: readonly BookedLine[],
  discount: { readonly net: bigint; readonly due: bigint; readonly tax: Tax | null },
  decimals: number,
): BookedLine[] {
  const sides = [...Map.groupBy(sold, ({ kind }) => (kind === 'inventory' ? kind : 'custom'))]
  const nets = apportion(
    discount.net,
    sides.map(([, some]) => some.reduce((sum, { net }) => sum + net, 0n)),
  )
  const dues = apportion(discount.due, nets)
  return sides.flatMap(([kind], place) => {
    const [net, due] = [nets[place]!, dues[place]!]
    if (net === 0n && due === 0n) return []
    const unitAmount = -net * 10n ** BigInt(pricePlaces - decimals)
    return [{ kind, text: 'Discount', sku: null, quantity: 1, unitAmount, net: -net, due: -due, tax: discount.tax }]
  })
}

function bookedLine(
  sold: Omit<SoldLine, 'taxRate' | 'taxRateId'> & { readonly tax: Tax | null },
  net: bigint,
  due: bigint,
  decimals: number,
): BookedLine {
  const { kind, sku, quantity, tax } = sold
  const scaledNet = net * 10n ** BigInt(pricePlaces - decimals)
  const scaledQuantity = BigInt(Math.round(quantity * 10_000))
  const isExact = (scaledNet * 10_000n) % scaledQuantity === 0n
  const text = [sold.name, sold.description?.replace(/\s+/g, ' ')].filter(Boolean).join(': ').slice(0, 1_000)
  return {
    kind,
    sku,
    net,
    due,
    tax,
    ...(isExact
      ? { quantity, unitAmount: (scaledNet * 10_000n) / scaledQuantity, text }
      : { quantity: 1, unitAmount: scaledNet, text: `${quantity} × ${text}` }),
  }
}
