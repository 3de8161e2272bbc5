// What a brought quote or invoice comes to: the total that the other system stated, to the cent, whatever its lines say.
import { decimalsOf } from '../money.ts'
import { type PricedLine, type Tax, totals } from '../totals.ts'
import type { DraftLine, DraftMoney } from './draft.ts'

interface Settled {
  readonly lines: readonly (DraftLine & { readonly isTaxed: boolean })[]
  /** Percent that the taxed lines are taxed at, on top of their prices. */
  readonly taxRate: number | undefined
  readonly discount: number | undefined
  readonly total: number
  /** What had to be decided so that it comes to what was stated. */
  readonly notes: readonly string[]
}

export function settle(money: DraftMoney, currency: string): Settled {
  const unit = 10 ** decimalsOf(currency)
  const round = (value: number) => Math.round(value * unit) / unit
  const sumOf = (lines: readonly DraftLine[], taxRate?: number) =>
    totals(
      lines.map((line) => priced(line, taxRate)),
      null,
      currency,
    )
  const { lines, subtotal, taxTotal } = money
  const net = sumOf(lines).total
  const stated = money.total ?? (subtotal === undefined ? undefined : round(subtotal + (taxTotal ?? 0))) ?? undefined
  const wanted = stated === undefined ? undefined : round(stated)
  const tax = taxTotal === undefined ? undefined : round(taxTotal)

  const rates = [money.taxRate, ...(tax ? ratesNear(tax, net) : [])].filter((rate) => rate !== undefined && rate > 0)
  const rate = rates.find((one) => {
    if (one === undefined || one > 100 || money.deduction > 0) return false
    const sums = sumOf(lines, one)
    return (tax === undefined || sums.taxTotal === tax) && (wanted === undefined || sums.total === wanted)
  })
  if (rate !== undefined) {
    const { total } = sumOf(lines, rate)
    return {
      lines: lines.map((line) => ({ ...line, isTaxed: true })),
      taxRate: rate,
      discount: undefined,
      total,
      notes: [],
    }
  }

  const notes: string[] = []
  const all = lines.map((line) => ({ ...line, isTaxed: false }))
  if (tax !== undefined && tax > 0) {
    all.push({ name: 'Tax', description: null, quantity: 1, unitPrice: tax, isTaxed: false })
    notes.push(`the tax of ${tax} does not follow from a rate: it stands on a line of its own`)
  }
  const before = round(sumOf(all).total - money.deduction)
  const difference = wanted === undefined ? 0 : round(wanted - before)
  if (difference !== 0) notes.push(`the lines come to ${before}, the file says ${wanted}: what it says was kept`)
  if (difference > 0)
    all.push({
      name: 'Difference to the stated total',
      description: null,
      quantity: 1,
      unitPrice: difference,
      isTaxed: false,
    })
  const discount = round(money.deduction + Math.max(0, -difference))
  return {
    lines: all,
    taxRate: undefined,
    discount: discount > 0 ? discount : undefined,
    total: round(sumOf(all).total - discount),
    notes,
  }
}

/** A rate that was rounded to so many places: the fewest come first. */
const ratesNear = (tax: number, net: number): number[] =>
  net <= 0 ? [] : [0, 1, 2, 3, 4].map((places) => Math.round((tax / net) * 100 * 10 ** places) / 10 ** places)

const priced = ({ quantity, unitPrice }: DraftLine, rate: number | undefined): PricedLine => ({
  kind: 'custom',
  quantity,
  unitPrice,
  tax: rate === undefined ? null : ({ taxRateId: null, name: '', rate, isInclusive: false } satisfies Tax),
})

/** What was paid of it: as stated, else what is no longer owed, else all of it where the status says so. */
export function paidOf(money: DraftMoney, total: number, status: string | undefined): number {
  if (money.amountPaid !== undefined) return Math.max(0, money.amountPaid)
  if (money.balance !== undefined) return Math.max(0, Math.round((total - money.balance) * 10_000) / 10_000)
  return (status && /^(paid|closed|settled)\b/i.test(status)) || money.paidAt !== undefined ? total : 0
}

export const invoiceStatus = (status: string | undefined): 'draft' | 'sent' | 'void' =>
  status && /void|deleted|cancel/i.test(status) ? 'void' : status && /draft|^new$/i.test(status) ? 'draft' : 'sent'

export const quoteStatus = (status: string | undefined): 'draft' | 'sent' | 'accepted' | 'declined' => {
  if (!status || /draft|changes/i.test(status)) return 'draft'
  if (/approv|accept|convert|won|invoiced/i.test(status)) return 'accepted'
  return /declin|reject|archiv|lost|expired/i.test(status) ? 'declined' : 'sent'
}
