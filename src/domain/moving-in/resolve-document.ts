// A brought quote or invoice as the operation that makes it takes it: lines, discount, status, and what was paid.
import { invoiceStatus, quoteStatus, spoken } from './document-status.ts'
import type { Draft, DraftMoney } from './draft.ts'
import { settle } from './settle.ts'

interface Resolved {
  readonly values: Readonly<Record<string, unknown>>
  /** One for each line: percent, null where it is not taxed. */
  readonly taxRates: readonly (number | null)[]
  readonly payment:
    | { readonly amount: number; readonly paidAt?: string | undefined; readonly method?: string | undefined }
    | undefined
  readonly notes: readonly string[]
}

/** Lines that are taxed have no `taxRateId` yet: which rate that is, is known when it is written. */
export function resolveDocument(
  kind: 'quotes' | 'invoices',
  { status, values }: Pick<Draft, 'status' | 'values'>,
  money: DraftMoney,
  currency: string,
): Resolved {
  const { lines, taxRates, discount, total, notes } = settle(money, currency)
  const state = kind === 'invoices' ? resolveInvoice(status, money, total) : { ...quoteStatus(status), paid: 0 }
  const { paid } = state
  const issuedAt = values.issuedAt as string | undefined
  const paidAt = money.paidAt ?? issuedAt
  const undated = paid > 0 && money.paidAt === undefined && issuedAt !== undefined
  return {
    values: {
      status: state.state,
      lineItems: lines.map(({ name, description, quantity, unitPrice }) => ({
        kind: 'custom',
        ...{ name, description, quantity, unitPrice },
        taxRateId: null,
      })),
      ...(discount !== undefined && { discount: { type: 'fixed', value: discount, reason: null } }),
    },
    taxRates,
    payment:
      paid > 0
        ? {
            amount: paid,
            ...(paidAt && { paidAt }),
            ...(money.paymentMethod && { method: money.paymentMethod }),
          }
        : undefined,
    notes: [
      ...notes,
      ...(state.note === undefined ? [] : [state.note]),
      ...(kind === 'invoices' && issuedAt === undefined ? ['it does not say when it was issued: today was taken'] : []),
      ...(undated ? ['it does not say when it was paid: the day of the invoice was taken'] : []),
    ],
  }
}

/** The status beside the amounts: where they contradict each other the amounts count, and that is said. */
function resolveInvoice(status: string | undefined, money: DraftMoney, total: number) {
  const known = invoiceStatus(status)
  if ((money.amountPaid ?? 0) < 0)
    return { ...known, paid: 0, note: `the payment of ${money.amountPaid} is below zero: it was left out` }
  if (known.state !== 'sent') {
    const paid = paidInSpiteOf(money, total)
    const note = `the file calls it ${spoken(status)}, but says ${paid} were paid: it was brought as sent`
    if (paid > 0) return { state: 'sent' as const, paid, note }
    const unsaid = `the file calls it ${spoken(status)}, and paid, but not how much: no payment was made of that`
    return { ...known, paid: 0, ...(money.isPaid && { note: unsaid }) }
  }
  const isPaid = known.isPaid === true || money.isPaid === true
  const paid = paidOf(money, total, isPaid)
  if (isPaid && paid < total)
    return {
      ...known,
      paid,
      note: `the file calls it ${known.isPaid ? spoken(status) : 'paid'}, but says ${paid} of ${total} were paid: that was taken`,
    }
  if (money.isPaid === false && money.balance === 0 && total > 0)
    return { ...known, paid, note: 'the file says that it is not paid, and that nothing is owed: it is owed' }
  return { ...known, paid }
}

/** What was paid of it: as stated, else what is no longer owed, else all of it where the status or a day says so. */
function paidOf(money: DraftMoney, total: number, isPaid: boolean): number {
  if (money.amountPaid !== undefined) return money.amountPaid
  if (money.isPaid === false && !money.balance) return 0
  if (money.balance !== undefined) return paidBut(money.balance, total)
  return isPaid || money.paidAt !== undefined ? total : 0
}

/** Of one that is void or a draft nothing is owed: that alone does not say that somebody has paid. */
function paidInSpiteOf({ amountPaid, balance, paidAt }: DraftMoney, total: number): number {
  if (amountPaid !== undefined) return amountPaid
  if (balance !== undefined && balance > 0) return paidBut(balance, total)
  return paidAt === undefined ? 0 : total
}

const paidBut = (balance: number, total: number) => Math.max(0, Math.round((total - balance) * 10_000) / 10_000)
