// A document as net amounts, which e-invoices and books are written in, whether its prices hold the tax or not: each line,
// the discount on each rate, and the tax, which together are the document's own sums to the last cent.
import { apportion, type Discount, type PricedLine, splitTax, type Tax, taxGroups } from './totals.ts'

/** What was sold at one rate, in the smallest unit of the currency: the lines less the allowance are `net`. */
export interface NetGroup {
  readonly tax: Tax | null
  readonly lines: readonly { readonly index: number; readonly net: bigint }[]
  /** The discount, without the tax that prices hold. */
  readonly allowance: bigint
  readonly net: bigint
  readonly due: bigint
}

/** The net of all lines together is split over them, so that no cent is lost to rounding each by itself. */
export const netGroups = (lines: readonly PricedLine[], discount: Discount | null, currency: string): NetGroup[] =>
  taxGroups(lines, discount, currency).map(({ tax, lines: sold, sum, net, due }) => {
    const before = splitTax(tax, sum).net
    const nets = apportion(
      before,
      sold.map(({ total }) => total),
    )
    return {
      tax,
      lines: sold.map(({ index }, place) => ({ index, net: nets[place]! })),
      allowance: before - net,
      net,
      due,
    }
  })
