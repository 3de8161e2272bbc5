// What was paid on an invoice of the sample shop, to the last cent, and the timeline entries of it.
import { decimalsOf, fromScaled, toScaled } from '../../domain/money.ts'
import type { TimelineEntry } from '../../domain/timeline.ts'
import type { PaymentSpec } from '../data/billing.ts'
import { manager } from '../data/staff.ts'
import type { InvoiceHistory } from './billing-history.ts'
import type { TimedEntry } from './timeline-entry.ts'

interface Invoice {
  readonly invoiceId: string
  readonly invoiceNumber: string
  readonly currency: string
  readonly total: number
  readonly depositAmount: number
}

interface PaymentHistory {
  readonly payments: readonly { readonly at: number; readonly amount: number; readonly payment: PaymentSpec }[]
  readonly entries: readonly TimedEntry[]
  /** When it became paid, if it is. */
  readonly settledAt: number | undefined
}

const processor = { id: 'processor', name: 'processor' }

export function buildPaymentHistory({ payments, sentAt, voidedAt }: InvoiceHistory, invoice: Invoice): PaymentHistory {
  const { currency, invoiceId, invoiceNumber } = invoice
  const decimals = decimalsOf(currency)
  const toMinorUnits = (sum: number) => toScaled(sum, decimals)!
  const total = toMinorUnits(invoice.total)
  const entries: TimedEntry[] = []
  // What costs nothing is paid once it is sent.
  let settledAt = total === 0n && voidedAt === undefined ? sentAt : undefined
  let paid = 0n
  const data = { invoiceId, invoiceNumber }
  const addEntry = (at: number, by: TimedEntry['by'], entry: TimelineEntry) => entries.push({ at, by, entry: entry })
  if (settledAt !== undefined) addEntry(settledAt, manager, { event: 'invoicePaid', data })

  const amountOf = ({ amount }: PaymentSpec): bigint => {
    if (amount === 'total') return total
    if (amount === 'deposit') return toMinorUnits(invoice.depositAmount)
    if (amount === undefined) return total - paid
    const excess = paid - total
    return amount < 0 && toMinorUnits(-amount) > excess ? -excess : toMinorUnits(amount)
  }
  const recorded = payments.flatMap(({ payment, at }) => {
    const change = amountOf(payment)
    if (total === 0n || change === 0n) return []
    const amount = fromScaled(change, decimals)
    const by = payment.isOnline ? processor : manager
    paid += change
    addEntry(at, by, {
      event: change > 0n ? 'paymentRecorded' : 'paymentRefunded',
      data: { ...data, amount, currency },
    })
    if (paid >= total && settledAt === undefined) {
      settledAt = at
      addEntry(at, by, { event: 'invoicePaid', data })
    }
    return [{ at, amount, payment }]
  })
  return { payments: recorded, entries, settledAt }
}
