// How a shop's books are kept, and what a file for an accounting program lacks.
import type { PricedLine, Tax } from '../totals.ts'
import type { DateFormat } from './day-formats.ts'

export interface BookSettings {
  readonly salesAccount?: string | null
  readonly partsAccount?: string | null
  readonly taxNames?: Readonly<Record<string, string>> | null
  readonly dateFormat?: DateFormat | null
  readonly datev?: {
    readonly consultant?: string | null
    readonly client?: string | null
    readonly fiscalYearStart?: string | null
    readonly debtorAccount?: string | null
    readonly revenueAccount?: string | null
  } | null
}

/** What is written: days inclusive, and the moment it is written at, as digits of a clock on the shop's wall. */
export interface BookPeriod {
  readonly from: string
  readonly to: string
  readonly writtenAt: string
  /** Of the shop. */
  readonly currency: string
}

/** Parts may be booked apart from work. */
export const accountOf = ({ salesAccount, partsAccount }: BookSettings, kind: PricedLine['kind']): string =>
  (kind === 'inventory' ? (partsAccount ?? salesAccount) : salesAccount) ?? ''

/** What the accounting program calls a tax: as the shop says, else as the tax itself is called. */
export const taxNameOf = ({ taxNames }: BookSettings, tax: Tax | null, none = ''): string =>
  tax ? (taxNames?.[tax.taxRateId ?? ''] ?? tax.name) : (taxNames?.none ?? none)

export const accountingPath = 'organisation.accounting'

export const missingAccounts = ({ salesAccount }: BookSettings): string[] =>
  salesAccount ? [] : [`${accountingPath}.salesAccount`]
