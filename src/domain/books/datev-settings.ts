// What a file for DATEV needs to be set up: accounts that fit each other, and a key for every tax that the account does not know.
import type { BookedInvoice } from './booked.ts'
import { accountingPath, type BookSettings } from './settings.ts'

/** A tax rate of the shop, as it is today. */
export interface OwnTax {
  readonly id: string
  readonly rate: number
}

/** What lines without tax go by among the names of taxes. */
const untaxed = 'none'

/** The tax key (BU-Schlüssel) as the shop says; none where the account is an automatic one, which knows its tax. */
export function taxKeyOf({ taxNames }: BookSettings, tax: { readonly taxRateId: string | null } | null): string {
  const name = taxNames?.[tax ? (tax.taxRateId ?? '') : untaxed] ?? ''
  return /^\d{1,4}$/.test(name) ? name : ''
}

type Accounts = NonNullable<BookSettings['datev']>

/** What is wrong with the account of customers, in words that follow its name: personal accounts have one digit more. */
export const debtorAccountProblem = ({ debtorAccount, revenueAccount }: Accounts): string | undefined =>
  debtorAccount && revenueAccount && debtorAccount.length !== revenueAccount.length + 1
    ? 'must have one digit more than revenueAccount, such as 10000 where that is 8400'
    : undefined

export function missingDatev(
  settings: BookSettings,
  invoices: readonly BookedInvoice[],
  ownTaxes: readonly OwnTax[],
): string[] {
  const datev = settings.datev ?? {}
  const isMissing = (field: keyof Accounts) =>
    !datev[field] || (field === 'debtorAccount' && debtorAccountProblem(datev) !== undefined)
  const fields = (['consultant', 'client', 'debtorAccount', 'revenueAccount'] as const).filter(isMissing)
  return [
    ...fields.map((field) => `${accountingPath}.datev.${field}`),
    ...taxesWithoutKey(settings, invoices, ownTaxes).map((id) => `${accountingPath}.taxNames.${id}`),
  ]
}

/**
 * The account can know one rate by itself: where several have no key, some would be booked at the rate of another. The shop's own
 * rates count though nothing was sold at them, since the account may be theirs; what is not taxed counts where it was sold.
 */
function taxesWithoutKey(
  settings: BookSettings,
  invoices: readonly BookedInvoice[],
  ownTaxes: readonly OwnTax[],
): readonly string[] {
  const sold = invoices.flatMap(({ lines }) =>
    lines
      .filter(({ quantity, unitPrice }) => quantity * unitPrice !== 0)
      .map(({ taxRate, taxRateId }) => ({ id: taxRate ? (taxRateId ?? '') : untaxed, rate: taxRate?.rate ?? 0 })),
  )
  const withoutKey = [...ownTaxes.filter(({ rate }) => rate > 0), ...sold].filter(
    ({ id }) => taxKeyOf(settings, id === untaxed ? null : { taxRateId: id }) === '',
  )
  const rates = new Map(withoutKey.map(({ id, rate }) => [id, rate]))
  return new Set(rates.values()).size > 1 ? [...rates.keys()] : []
}
