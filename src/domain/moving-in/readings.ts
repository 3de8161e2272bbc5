// The ways in which the lines and discounts of a brought document can be understood, the likeliest first.
import { lessened, takenOff } from './discounts.ts'
import type { DraftLine, DraftMoney, StatedDiscount } from './draft.ts'
import type { Rates, Reckoner } from './reckoner.ts'

export interface Reading {
  readonly lines: readonly DraftLine[]
  /** What lines below zero and a discount take off. */
  readonly discount: number
  /** The part of it that the file calls a discount. */
  readonly statedDiscount: number
  readonly notes: readonly string[]
}

/** How a stated discount is taken. */
type Way = 'said' | 'percent' | 'none'

export function statedReadings(money: DraftMoney, { round, sumOf }: Reckoner): Reading[] {
  const { discount, hasOwnLineDiscounts } = money
  const lines = netLines(money, round, (some, rates) => sumOf(some, rates, money.deduction).total)
  const wholes = waysOf(discount ? [discount] : [])
  const lineWays = waysOf(lines.flatMap((line) => line.discount ?? []))
  const ways: (readonly [Way, Way])[] = hasOwnLineDiscounts
    ? [...lineWays, 'none' as const].flatMap((ofLines) =>
        [...wholes, 'none' as const].map((ofWhole) => [ofLines, ofWhole] as const),
      )
    : [
        ...wholes.map((way) => ['none', way] as const),
        ...lineWays.map((way) => [way, 'none'] as const),
        ['none', 'none'] as const,
      ]
  return ways.map(([ofLines, ofWhole]) => {
    const left = lines.map((line) =>
      ofLines === 'none' || !line.discount ? line : lessened(line, inWay(line.discount, ofLines), round),
    )
    const net = sumOf(left, [], 0).total - money.deduction
    const off = ofWhole === 'none' || !discount ? 0 : round(takenOff(inWay(discount, ofWhole), net))
    const isLeftOut =
      ofLines === 'none' && ofWhole === 'none' && (discount !== undefined || lines.some((line) => line.discount))
    return {
      lines: left,
      discount: round(money.deduction + off),
      statedDiscount: off,
      notes: [
        ...(isLeftOut ? ['its discount was left out: with it, its amounts do not come to its total'] : []),
        ...([ofLines, ofWhole].includes('percent') ? ['its discount was taken as percent, as its total says'] : []),
      ],
    }
  })
}

/** A number without a sign is an amount, unless it adds up as percent only. */
const waysOf = (discounts: readonly StatedDiscount[]): Way[] => {
  if (discounts.length === 0) return []
  const isOpen = discounts.some(({ isPercent }) => !isPercent) && discounts.every(({ value }) => value <= 100)
  return isOpen ? ['said', 'percent'] : ['said']
}
const inWay = (discount: StatedDiscount, way: Way): StatedDiscount =>
  way === 'percent' ? { ...discount, isPercent: true } : discount

/** Lines that come to the total with the tax in it have prices with tax: what they are without it. */
export function grossReading(
  { deduction, taxTotal, total }: DraftMoney,
  lines: readonly DraftLine[],
  rates: Rates,
  { round, sumOf }: Reckoner,
): Reading | undefined {
  const isGross = taxTotal && total !== undefined && deduction === 0 && sumOf(lines, [], 0).total === round(total)
  if (!isGross) return undefined
  return {
    lines: lines.map((line, index) => ({
      ...line,
      unitPrice: Math.round((line.unitPrice / (1 + (rates[index] ?? 0) / 100)) * 10_000) / 10_000,
    })),
    discount: 0,
    statedDiscount: 0,
    notes: ['its prices hold the tax: they were taken without it'],
  }
}

/** Nobody says a discount, but lines that come to more than what was taxed have one. */
export function impliedReadings(
  { deduction, subtotal, taxTotal, total }: DraftMoney,
  lines: readonly DraftLine[],
  { round, sumOf }: Reckoner,
): Reading[] {
  const net = round(sumOf(lines, [], 0).total - deduction)
  const taxed = [subtotal, taxTotal === undefined || total === undefined ? undefined : total - taxTotal]
  return [...new Set(taxed.flatMap((amount) => (amount === undefined ? [] : round(net - amount))))]
    .filter((off) => off > 0 && off < net)
    .map((off) => ({
      lines,
      discount: round(deduction + off),
      statedDiscount: 0,
      notes: [`its amounts come to a discount of ${off}: that was taken`],
    }))
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
