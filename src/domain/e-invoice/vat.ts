// Which VAT category each line has. What is taxed is standard; for what is not, the tax rate says why.
import type { VatCategory } from '../code-lists.ts'
import type { SourceInvoice, SourceLine } from './source.ts'

export interface Vat {
  readonly category: VatCategory
  /** Percent. */
  readonly rate: number
  readonly reason: string | null
}

const outside: Vat = { category: 'O', rate: 0, reason: 'Not subject to VAT' }

/**
 * Undefined where nothing says why a line has no tax. A shop without any tax number charges none: all of its lines are
 * outside VAT. A rate that is gone is standard if it taxed.
 */
export function vatOf(line: SourceLine, invoice: SourceInvoice): Vat | undefined {
  if (line.taxRate && line.taxRate.rate > 0) return { category: 'S', rate: line.taxRate.rate, reason: null }
  const rate = line.taxRate && invoice.taxRates.find(({ id }) => id === line.taxRateId)
  // Its category may have changed since: only one that is not taxed fits.
  if (rate && rate.vatCategory !== 'S') return { category: rate.vatCategory, rate: 0, reason: rate.exemptionReason }
  const { vatId, taxNumber } = invoice.organisation
  return !vatId && !taxNumber && invoice.lines.every(({ taxRate }) => taxRate === null) ? outside : undefined
}

/** Exemptions for different reasons are one group of the breakdown, as are equal rates with different names. */
export const vatKey = ({ category, rate }: Vat): string => `${category} ${rate}`
