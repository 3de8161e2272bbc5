// A brought quote or invoice as the operation that makes it takes it: lines, discount, status, and what was paid.
import type { Draft, DraftMoney } from './draft.ts'
import { invoiceStatus, paidOf, quoteStatus, settle } from './settle.ts'

interface Resolved {
  readonly values: Readonly<Record<string, unknown>>
  readonly taxRate: number | undefined
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
  const { lines, taxRate, discount, total, notes } = settle(money, currency)
  const paid = kind === 'invoices' ? paidOf(money, total, status) : 0
  const state = kind === 'invoices' ? invoiceStatus(status) : quoteStatus(status)
  // What was paid was sent, whatever the other system calls it.
  const sent = paid > 0 && state !== 'sent' ? 'sent' : state
  const issuedAt = values.issuedAt as string | undefined
  const paidAt = money.paidAt ?? issuedAt
  const undated = paid > 0 && money.paidAt === undefined && issuedAt !== undefined
  return {
    values: {
      status: sent,
      lineItems: lines.map(({ isTaxed: _, ...line }) => ({ kind: 'custom', ...line, taxRateId: null })),
      ...(discount !== undefined && { discount: { type: 'fixed', value: discount, reason: null } }),
    },
    taxRate,
    payment:
      paid > 0
        ? {
            amount: paid,
            ...(paidAt && { paidAt }),
            ...(money.paymentMethod && { method: money.paymentMethod }),
          }
        : undefined,
    notes: undated ? [...notes, 'it does not say when it was paid: the day of the invoice was taken'] : notes,
  }
}
