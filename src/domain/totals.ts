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

interface Group {
  readonly tax: Tax | null
  sumMinor: bigint
}

export function totals(lines: readonly PricedLine[], discount: Discount | null, currency: string): Totals {
  const decimals = decimalsOf(currency)
  const sums = lines.map((line) => ({ ...line, minor: lineTotalMinor(line, decimals) }))
  const sumOf = (kind?: PricedLine['kind']) =>
    sums.reduce((sum, line) => (!kind || line.kind === kind ? sum + line.minor : sum), 0n)
  const subtotal = sumOf()
  const discountAmount = discountMinor(discount, subtotal, decimals)
  const groups = sortGroups(groupByTax(sums))
  const shares = apportion(
    discountAmount,
    groups.map(({ sumMinor }) => sumMinor),
  )
  const taxedGroups = groups.map(({ tax, sumMinor }, index) => ({ tax, ...splitTax(tax, sumMinor - shares[index]!) }))

  const net = taxedGroups.reduce((sum, group) => sum + group.net, 0n)
  const due = taxedGroups.reduce((sum, group) => sum + group.due, 0n)
  const major = (minor: bigint) => fromScaled(minor, decimals)
  return {
    currency,
    serviceSubtotal: major(sumOf('service')),
    inventorySubtotal: major(sumOf('inventory')),
    subtotal: major(subtotal),
    discountTotal: major(discountAmount),
    netTotal: major(net),
    taxTotal: major(due),
    total: major(net + due),
    taxes: taxedGroups.flatMap((group) =>
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

/** Tax is rounded once for each rate, so lines are first gathered by the rate they were sold at. */
function groupByTax(lines: readonly { tax: Tax | null; minor: bigint }[]): Group[] {
  const groups = new Map<string, Group>()
  for (const { tax, minor } of lines) {
    const key = tax ? JSON.stringify([tax.rate, tax.isInclusive, tax.name]) : ''
    const group = groups.get(key) ?? { tax, sumMinor: 0n }
    group.sumMinor += minor
    groups.set(key, group)
  }
  return [...groups.values()]
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

/** In proportion, to the last unit: floors first, then one each by the largest remainder. */
function apportion(amount: bigint, weights: readonly bigint[]): bigint[] {
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0n)
  if (totalWeight === 0n) return weights.map(() => 0n)
  const shares = weights.map((weight) => (amount * weight) / totalWeight)
  const remainderOf = (index: number) => (amount * weights[index]!) % totalWeight
  const byRemainder = weights
    .map((_, index) => index)
    .sort((a, b) => (remainderOf(a) === remainderOf(b) ? a - b : remainderOf(a) < remainderOf(b) ? 1 : -1))
  const remainder = amount - shares.reduce((sum, share) => sum + share, 0n)
  for (const index of byRemainder.slice(0, Number(remainder))) shares[index]! += 1n
  return shares
}

function splitTax(tax: Tax | null, amount: bigint): { net: bigint; due: bigint } {
  if (!tax) return { net: amount, due: 0n }
  const rate = toScaled(tax.rate, decimalPlaces)!
  if (!tax.isInclusive) return { net: amount, due: divideRounded(amount * rate, hundredPercent) }
  const due = divideRounded(amount * rate, hundredPercent + rate)
  return { net: amount - due, due }
}
