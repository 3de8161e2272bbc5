// What lines come to at some rates and with some discount, and what makes them come to a stated total.
import { decimalsOf } from '../money.ts'
import { type PricedLine, type Tax, type Totals, totals } from '../totals.ts'
import type { DraftLine } from './draft.ts'

/** Percent of each line, 0 or nothing where it is not taxed. */
export type Rates = readonly number[]
export type Reckoner = ReturnType<typeof createReckoner>

export function createReckoner(currency: string) {
  const unit = 10 ** decimalsOf(currency)
  const round = (value: number) => Math.round(value * unit) / unit
  const sumOf = (lines: readonly DraftLine[], rates: Rates, discount: number): Totals =>
    totals(
      lines.map((line, index) => priced(line, rates[index])),
      discount > 0 ? { type: 'fixed', value: round(discount) } : null,
      currency,
    )

  /**
   * With a line for what is missing, or with more discount: the rates stay. A discount is spread over the new line, too, and
   * tax comes and goes in pennies, so that some totals need a little of both.
   */
  function reach(lines: readonly DraftLine[], rates: Rates, discount: number, target: number) {
    if (target < 0) return undefined
    const withLine = (extra: number) => (extra > 0 ? [...lines, extraLine(extra)] : lines)
    const totalOf = (extra: number, off: number) => sumOf(withLine(extra), rates, off).total
    const missing = round(target - totalOf(0, discount))
    const off = missing < 0 ? leastDiscount(discount, (more) => totalOf(0, more) <= target) : discount
    const extra = missing > 0 ? round(2 * missing + totalOf(0, discount) - totalOf(missing, discount)) : 0
    const extras = around(extra).filter((one) => one >= 0)
    const discounts = around(off).filter((one) => one >= discount)
    const pairs =
      missing > 0
        ? discounts.flatMap((less) => extras.map((more) => [more, less] as const))
        : extras.flatMap((more) => discounts.map((less) => [more, less] as const))
    const found = pairs.find(([more, less]) => totalOf(more, less) === target)
    return found && { lines: withLine(found[0]), discount: found[1] }
  }

  const around = (amount: number) => [0, 1, -1, 2, -2, 3].map((pennies) => round(amount + pennies / unit))

  /** Halved until it is found: a total falls as the discount rises. */
  function leastDiscount(from: number, isEnough: (discount: number) => boolean): number {
    let [low, high] = [Math.round(from * unit), Math.round(from * unit) + 1]
    while (!isEnough(high / unit) && high < 1e15) [low, high] = [high, high * 2]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (isEnough(middle / unit)) high = middle
      else low = middle
    }
    return high / unit
  }

  return { unit, round, sumOf, reach }
}

export const extraLine = (unitPrice: number): DraftLine => ({
  name: 'Difference to the stated total',
  description: null,
  quantity: 1,
  unitPrice,
})

const priced = ({ quantity, unitPrice }: DraftLine, rate: number | undefined): PricedLine => ({
  kind: 'custom',
  quantity,
  unitPrice,
  tax: rate ? ({ taxRateId: null, name: '', rate, isInclusive: false } satisfies Tax) : null,
})
