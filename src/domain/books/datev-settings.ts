// What a file for DATEV needs to be set up: accounts that fit each other, and a key for every tax that the account does not know.
import type { BookedInvoice } from './booked.ts'
import { accountingPath, type BookSettings } from './settings.ts'

/** What lines without tax go by among the names of taxes. */
const untaxed = 'none'

/** The tax key (BU-Schlüssel) as the shop says; none where the account is an automatic one, which knows its tax. */
export function taxKeyOf({ taxNames }: BookSettings, tax: { readonly taxRateId: string | null } | null): string {
  const name = taxNames?.[tax ? (tax.taxRateId ?? '') : untaxed] ?? ''
  return /^\d{1,4}$/.test(name) ? name : ''
}

type Accounts = NonNullable<BookSettings['datev']>

/** What is wrong with the account of customers, in words that follow its name: one for all of them, or one of a customer. */
export function debtorAccountProblem({ debtorAccount, revenueAccount }: Accounts): string | undefined {
  if (!debtorAccount || !revenueAccount) return undefined
  const more = debtorAccount.length - revenueAccount.length
  return more === 0 || more === 1
    ? undefined
    : 'must have as many digits as revenueAccount, or one more, such as 10000 where that is 8400'
}

export function missingDatev(settings: BookSettings, invoices: readonly BookedInvoice[]): string[] {
  const datev = settings.datev ?? {}
  const isMissing = (field: keyof Accounts) =>
    !datev[field] || (field === 'debtorAccount' && debtorAccountProblem(datev) !== undefined)
  const fields = (['consultant', 'client', 'debtorAccount', 'revenueAccount'] as const).filter(isMissing)
  return [
    ...fields.map((field) => `${accountingPath}.datev.${field}`),
    ...taxesWithoutKey(settings, invoices).map((id) => `${accountingPath}.taxNames.${id}`),
  ]
}

/** The account can know one rate by itself: where several have no key, some would be booked at the rate of another. */
function taxesWithoutKey(settings: BookSettings, invoices: readonly BookedInvoice[]): readonly string[] {
  const sold = invoices.flatMap(({ lines }) =>
    lines
      .filter(({ quantity, unitPrice }) => quantity * unitPrice !== 0)
      .map(({ taxRate, taxRateId }) => ({ id: taxRate ? (taxRateId ?? '') : untaxed, rate: taxRate?.rate ?? 0 })),
  )
  const withoutKey = sold.filter(({ id }) => taxKeyOf(settings, id === untaxed ? null : { taxRateId: id }) === '')
  const rates = new Map(withoutKey.map(({ id, rate }) => [id, rate]))
  return new Set(rates.values()).size > 1 ? [...rates.keys()] : []
}
