// What a brought quote or invoice comes to: the total that the other system stated, to the cent, whatever its lines say.
import { decimalsOf } from '../money.ts'
import { type PricedLine, type Tax, type Totals, totals } from '../totals.ts'
import type { DraftLine, DraftMoney } from './draft.ts'
import { candidateRates, ratesNear } from './line-rates.ts'

export interface Settled {
  readonly lines: readonly DraftLine[]
  /** Percent that each line is taxed at, on top of its price; null where it is not. */
  readonly taxRates: readonly (number | null)[]
  readonly discount: number | undefined
  readonly total: number
  /** What had to be decided so that it comes to what was stated. */
  readonly notes: readonly string[]
}

type Rates = readonly number[]

/** More are no rounding, and each of them is reckoned with all lines. */
const maxPennies = 20

export function settle(money: DraftMoney, currency: string): Settled {
  const unit = 10 ** decimalsOf(currency)
  const round = (value: number) => Math.round(value * unit) / unit
  const deduction = round(money.deduction)
  const sumOf = (some: readonly DraftLine[], rates: Rates, discount = deduction): Totals =>
    totals(
      some.map((line, index) => priced(line, rates[index])),
      discount > 0 ? { type: 'fixed', value: discount } : null,
      currency,
    )
  const lines = netLines(money, round, (some, rates) => sumOf(some, rates).total)
  const net = sumOf(lines, [], 0).total
  const { tax, wanted } = stated(money, net, round)
  const fits = ({ total, taxTotal }: Totals) =>
    (tax === undefined || taxTotal === tax) && (wanted === undefined || total === wanted)
  const settled = (all: readonly DraftLine[], rates: Rates, discount: number, notes: readonly string[]): Settled => ({
    lines: all,
    taxRates: all.map((_, index) => rates[index] || null),
    discount: discount > 0 ? round(discount) : undefined,
    total: sumOf(all, rates, discount).total,
    notes,
  })

  const candidates = candidateRates({ ...money, lines }, (line, rate) => round((line * rate) / 100))
  const exact = candidates.find((rates) => fits(sumOf(lines, rates)))
  if (exact) return settled(lines, exact, deduction, [])

  const hasOwn = lines.some((line) => line.taxRate !== undefined || line.tax !== undefined)
  const near = () => {
    const target = wanted ?? (tax === undefined ? undefined : round(net - deduction + tax))
    return target === undefined ? undefined : settleNear(candidates, target)
  }
  const kept = hasOwn ? near() : undefined
  if (kept) return kept

  const derived = tax ? ratesNear(tax, net - deduction).filter((rate) => rate > 0 && rate <= 100) : []
  const single = derived.find((rate) =>
    fits(
      sumOf(
        lines,
        lines.map(() => rate),
      ),
    ),
  )
  if (single !== undefined) {
    // Several rates that nobody stated come to an odd one.
    const isOdd = Math.round(single * 10) / 10 !== single
    const notes = isOdd ? [`its tax was taken as one rate of ${single} %`] : []
    return settled(
      lines,
      lines.map(() => single),
      deduction,
      notes,
    )
  }
  return near() ?? settleUntaxed()

  /** The rates are right, and only pennies are rounded elsewhere: a line or a discount makes up for them. */
  function settleNear(all: readonly Rates[], target: number): Settled | undefined {
    const most = (Math.min(lines.length, maxPennies) + 0.5) / unit
    for (const rates of all) {
      const sums = sumOf(lines, rates)
      const miss = round(target - sums.total)
      if (Math.abs(miss) > most || (tax !== undefined && Math.abs(tax - sums.taxTotal) > most)) continue
      const notes = [
        miss === 0
          ? `its tax comes to ${sums.taxTotal}, the file says ${tax}: its rates were kept`
          : `the lines and their tax come to ${sums.total}, the file says ${target}: what it says was kept`,
      ]
      const filled = settled(miss > 0 ? [...lines, extraLine(miss)] : lines, rates, deduction, notes)
      if (filled.total === target) return filled
      // A discount is spread over the rates, and takes off some of the tax: which one comes to it is tried.
      for (let pennies = 1; pennies <= Math.round(-miss * unit) + 2; pennies++) {
        const discount = round(deduction + pennies / unit)
        if (sumOf(lines, rates, discount).total === target) return settled(lines, rates, discount, notes)
      }
    }
    return undefined
  }

  function settleUntaxed(): Settled {
    const notes: string[] = []
    const all = [...lines]
    if (tax !== undefined && tax > 0) {
      all.push({ ...extraLine(tax), name: 'Tax' })
      notes.push(`the tax of ${tax} does not follow from a rate: it stands on a line of its own`)
    }
    if (!tax && candidates.length > 0)
      notes.push('what the file says of rates of tax does not come to its total: it was left out')
    const before = round(sumOf(all, [], 0).total - deduction)
    const difference = wanted === undefined ? 0 : round(wanted - before)
    if (difference !== 0) notes.push(`the lines come to ${before}, the file says ${wanted}: what it says was kept`)
    if (difference > 0) all.push(extraLine(difference))
    const discount = round(deduction + Math.max(0, -difference))
    return { ...settled(all, [], discount, notes), total: round(sumOf(all, [], 0).total - discount) }
  }
}

/** With a rate and a total alone, what it was before the tax, if that comes to the total again. */
function netLines(
  { lines, isWhole, taxRate, subtotal, taxTotal, total }: DraftMoney,
  round: (value: number) => number,
  totalOf: (lines: readonly DraftLine[], rates: Rates) => number,
): readonly DraftLine[] {
  const isGross = isWhole && taxRate && subtotal === undefined && taxTotal === undefined && total !== undefined
  if (!isGross) return lines
  const before = lines.map((line) => ({ ...line, unitPrice: round(total / (1 + taxRate / 100)) }))
  return totalOf(before, [taxRate]) === round(total) ? before : lines
}

/** The tax and the total that it has to come to; undefined where nothing is said. */
function stated(money: DraftMoney, net: number, round: (value: number) => number) {
  const { lines, deductions = [], deduction, subtotal, taxTotal, total } = money
  const said = total ?? (subtotal === undefined ? undefined : subtotal + (taxTotal ?? 0))
  const tax = taxTotal === undefined ? undefined : round(taxTotal)
  if (said !== undefined) return { tax, wanted: round(said) }
  // A deduction with a rate of its own takes off the tax at that rate, and a discount may not.
  const rated = [...lines, ...deductions].filter(({ taxRate }) => taxRate)
  if (tax !== undefined || deductions.length === 0 || rated.length === 0) return { tax, wanted: undefined }
  const byRate = Map.groupBy([...lines, ...deductions], (line) => line.taxRate ?? money.taxRate ?? 0)
  const due = [...byRate].map(([rate, some]) =>
    round((some.reduce((sum, { quantity, unitPrice }) => sum + quantity * unitPrice, 0) * rate) / 100),
  )
  const expected = round(due.reduce((sum, one) => sum + one, 0))
  return { tax: expected, wanted: round(net - deduction + expected) }
}

const extraLine = (unitPrice: number): DraftLine => ({
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
