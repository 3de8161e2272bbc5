// What lines add up to. The one function behind a job's totals, quotes, invoices, their pages, PDFs and emails.
import { decimalPlaces, decimalsOf, divideRounded, fromScaled, toScaled } from './money.ts'

export interface Tax {
  readonly taxRateId: string | null
  readonly name: string
  /** Percent. */
  readonly rate: number
  readonly isInclusive: boolean
}

export interface PricedLine {
  readonly kind: 'service' | 'inventory' | 'custom'
  readonly quantity: number
  readonly unitPrice: number
  readonly tax: Tax | null
}

export interface Discount {
  readonly type: 'percent' | 'fixed'
  readonly value: number
}

export interface TaxTotal extends Tax {
  readonly taxable: number
  readonly amount: number
}

export interface Totals {
  readonly currency: string
  readonly serviceSubtotal: number
  readonly inventorySubtotal: number
  readonly subtotal: number
  readonly discountTotal: number
  readonly netTotal: number
  readonly taxTotal: number
  readonly total: number
  readonly taxes: readonly TaxTotal[]
}

/** The lines that were sold at one rate, and how their sum splits. Amounts are in the smallest unit of the currency. */
export interface TaxGroup {
  readonly tax: Tax | null
  /** Their places in the document, and what each comes to. */
  readonly lines: readonly { readonly index: number; readonly total: bigint }[]
  readonly sum: bigint
  /** Its share of the discount. */
  readonly discount: bigint
  readonly net: bigint
  readonly due: bigint
}

export function taxGroups(lines: readonly PricedLine[], discount: Discount | null, currency: string): TaxGroup[] {
  const decimals = decimalsOf(currency)
  const groups = sortGroups(
    groupByTax(lines.map((line, index) => ({ tax: line.tax, index, total: lineTotalMinor(line, decimals) }))),
  )
  const sums = groups.map((group) => group.lines.reduce((sum, { total }) => sum + total, 0n))
  const subtotal = sums.reduce((sum, one) => sum + one, 0n)
  const shares = apportion(discountMinor(discount, subtotal, decimals), sums)
  return groups.map((group, index) => {
    const [sum, share] = [sums[index]!, shares[index]!]
    return { ...group, sum, discount: share, ...splitTax(group.tax, sum - share) }
  })
}

export function totals(lines: readonly PricedLine[], discount: Discount | null, currency: string): Totals {
  const decimals = decimalsOf(currency)
  const groups = taxGroups(lines, discount, currency)
  const major = (minor: bigint) => fromScaled(minor, decimals)
  const sumOf = (amount: 'sum' | 'discount' | 'net' | 'due') => groups.reduce((sum, group) => sum + group[amount], 0n)
  const subtotalOf = (kind: PricedLine['kind']) =>
    lines.reduce((sum, line) => (line.kind === kind ? sum + lineTotalMinor(line, decimals) : sum), 0n)
  return {
    currency,
    serviceSubtotal: major(subtotalOf('service')),
    inventorySubtotal: major(subtotalOf('inventory')),
    subtotal: major(sumOf('sum')),
    discountTotal: major(sumOf('discount')),
    netTotal: major(sumOf('net')),
    taxTotal: major(sumOf('due')),
    total: major(sumOf('net') + sumOf('due')),
    taxes: groups.flatMap((group) =>
      group.tax ? [{ ...group.tax, taxable: major(group.net), amount: major(group.due) }] : [],
    ),
  }
}

/** A line's own total, as every document shows it. */
export function lineTotal(line: Pick<PricedLine, 'quantity' | 'unitPrice'>, currency: string): number {
  return fromScaled(lineTotalMinor(line, decimalsOf(currency)), decimalsOf(currency))
}

/** What is due on acceptance: a part of the total, never more than it. */
export function depositAmount(deposit: Discount | null, total: number, currency: string): number {
  const decimals = decimalsOf(currency)
  return fromScaled(discountMinor(deposit, toScaled(total, decimals)!, decimals), decimals)
}

function lineTotalMinor({ quantity, unitPrice }: Pick<PricedLine, 'quantity' | 'unitPrice'>, decimals: number): bigint {
  return divideRounded(
    toScaled(quantity, decimalPlaces)! * toScaled(unitPrice, decimalPlaces)!,
    10n ** BigInt(2 * decimalPlaces - decimals),
  )
}

const hundredPercent = 100n * 10n ** BigInt(decimalPlaces)

function discountMinor(discount: Discount | null, baseAmount: bigint, decimals: number): bigint {
  if (!discount) return 0n
  if (discount.type === 'percent')
    return divideRounded(baseAmount * toScaled(discount.value, decimalPlaces)!, hundredPercent)
  // A sum that was given in a currency with more decimal places is rounded to those of this one.
  const fixed = divideRounded(
    toScaled(discount.value, decimalPlaces)! * 10n ** BigInt(decimals),
    10n ** BigInt(decimalPlaces),
  )
  return fixed < baseAmount ? fixed : baseAmount
}

type Group = Pick<TaxGroup, 'tax' | 'lines'>
type GroupedLine = TaxGroup['lines'][number] & { readonly tax: Tax | null }

/** Tax is rounded once for each rate, so lines are first gathered by the rate they were sold at. */
function groupByTax(lines: readonly GroupedLine[]): Group[] {
  const groups = Map.groupBy(lines, ({ tax }) => (tax ? JSON.stringify([tax.rate, tax.isInclusive, tax.name]) : ''))
  return [...groups.values()].map((some) => ({ tax: some[0]!.tax, lines: some }))
}

/** An order that the lines' own order cannot change: it decides who gets a left-over penny of the discount. */
function sortGroups(groups: readonly Group[]): Group[] {
  return [...groups].sort((a, b) => {
    if (!a.tax || !b.tax) return Number(a.tax === null) - Number(b.tax === null)
    if (a.tax.rate !== b.tax.rate) return b.tax.rate - a.tax.rate
    if (a.tax.isInclusive !== b.tax.isInclusive) return a.tax.isInclusive ? -1 : 1
    return a.tax.name < b.tax.name ? -1 : 1
  })
}

/**
 * In proportion, to the last unit: floors first, then one each by the largest remainder. Where nothing has a weight the first bears
 * it, or it would be lost: the tax in prices of a thousandth can be all there is of them.
 */
export function apportion(amount: bigint, weights: readonly bigint[]): bigint[] {
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0n)
  if (totalWeight === 0n) return weights.map((_, index) => (index === 0 ? amount : 0n))
  const shares = weights.map((weight) => (amount * weight) / totalWeight)
  const remainderOf = (index: number) => (amount * weights[index]!) % totalWeight
  const byRemainder = weights
    .map((_, index) => index)
    .sort((a, b) => (remainderOf(a) === remainderOf(b) ? a - b : remainderOf(a) < remainderOf(b) ? 1 : -1))
  const remainder = amount - shares.reduce((sum, share) => sum + share, 0n)
  for (const index of byRemainder.slice(0, Number(remainder))) shares[index]! += 1n
  return shares
}

export function splitTax(tax: Tax | null, amount: bigint): { net: bigint; due: bigint } {
  if (!tax) return { net: amount, due: 0n }
  const rate = toScaled(tax.rate, decimalPlaces)!
  if (!tax.isInclusive) return { net: amount, due: divideRounded(amount * rate, hundredPercent) }
  const due = divideRounded(amount * rate, hundredPercent + rate)
  return { net: amount - due, due }
}
