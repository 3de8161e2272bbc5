// The sums of an e-invoice: net lines, allowances and the breakdown by VAT category, which add up as BR-CO-10 to BR-CO-17
// want it, and to the invoice's own total.
import { decimalsOf, fromScaled, toScaled } from '../money.ts'
import { type NetGroup, netGroups } from '../net-lines.ts'
import { apportion } from '../totals.ts'
import { pricedLine, type SourceInvoice } from './source.ts'
import { type Vat, vatKey } from './vat.ts'

export interface VatSum {
  readonly vat: Vat
  readonly allowance: bigint
  readonly taxable: bigint
  readonly tax: bigint
}

export interface Amounts {
  /** By the place of the line. */
  readonly lineNets: readonly bigint[]
  readonly vatSums: readonly VatSum[]
  readonly lines: bigint
  readonly allowances: bigint
  readonly net: bigint
  readonly tax: bigint
  readonly total: bigint
  readonly paid: bigint
  readonly payable: bigint
}

export function amountsOf(invoice: SourceInvoice, vats: readonly Vat[]): Amounts {
  const { currency, discount } = invoice
  const groups = netGroups(invoice.lines.map(pricedLine), discount, currency)
  const lineNets = invoice.lines.map(() => 0n)
  for (const { lines } of groups) for (const { index, net } of lines) lineNets[index] = net
  const parts = groups.flatMap((group) => splitByVat(group, vats))
  const vatSums = [...Map.groupBy(parts, ({ vat }) => vatKey(vat)).values()].map(mergeSums)
  const sum = (amounts: readonly bigint[]) => amounts.reduce((all, one) => all + one, 0n)
  const net = sum(vatSums.map(({ taxable }) => taxable))
  const tax = sum(vatSums.map((one) => one.tax))
  const paid = toScaled(invoice.amountPaid, decimalsOf(currency)) ?? 0n
  return {
    lineNets,
    vatSums,
    lines: sum(lineNets),
    allowances: sum(vatSums.map(({ allowance }) => allowance)),
    net,
    tax,
    total: net + tax,
    paid,
    payable: net + tax - paid,
  }
}

/** Rates of nothing with one name can stand for different categories; their discount is shared by what was sold. */
function splitByVat({ lines, allowance, due }: NetGroup, vats: readonly Vat[]): VatSum[] {
  const byVat = [...Map.groupBy(lines, ({ index }) => vatKey(vats[index]!)).values()]
  const sums = byVat.map((some) => some.reduce((sum, { net }) => sum + net, 0n))
  const allowances = apportion(allowance, sums)
  return byVat.map((some, place) => ({
    vat: withReasons(some.map(({ index }) => vats[index]!)),
    allowance: allowances[place]!,
    taxable: sums[place]! - allowances[place]!,
    // Only what is not taxed has several categories at one rate.
    tax: place === 0 ? due : 0n,
  }))
}

const mergeSums = (parts: readonly VatSum[]): VatSum => ({
  vat: withReasons(parts.map(({ vat }) => vat)),
  allowance: parts.reduce((sum, one) => sum + one.allowance, 0n),
  taxable: parts.reduce((sum, one) => sum + one.taxable, 0n),
  tax: parts.reduce((sum, one) => sum + one.tax, 0n),
})

function withReasons(vats: readonly Vat[]): Vat {
  const reasons = [...new Set(vats.flatMap(({ reason }) => reason ?? []))]
  return { ...vats[0]!, reason: reasons.length > 0 ? reasons.join('; ') : null }
}

/**
 * Whether the lines come to what the invoice says: one from another system may state other totals. And whether the tax of
 * each rate is within one of the currency (BR-CO-17), which rounding by name of the rate can miss where there are no cents.
 */
export function addsUp(amounts: Amounts, { currency, netTotal, taxTotal, total }: SourceInvoice): boolean {
  const major = (amount: bigint) => fromScaled(amount, decimalsOf(currency))
  const isFair = ({ vat, taxable, tax }: VatSum) => Math.abs(major(tax) - (major(taxable) * vat.rate) / 100) < 0.99
  return (
    major(amounts.net) === netTotal &&
    major(amounts.tax) === taxTotal &&
    major(amounts.total) === total &&
    amounts.vatSums.every(isFair)
  )
}
