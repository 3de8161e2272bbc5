// What was paid on an invoice of the sample shop, to the last cent, and what the service noted of it.
import { decimalsOf, scaled, unscaled } from '../domain/money.ts'
import type { Note } from '../domain/timeline.ts'
import type { Noted } from './noted.ts'
import type { Payment } from './paper.ts'
import type { InvoiceCourse } from './paper-course.ts'
import { manager } from './staff.ts'

interface Invoice {
  readonly invoiceId: string
  readonly invoiceNumber: string
  readonly currency: string
  readonly total: number
  readonly depositAmount: number
}

interface MoneyIn {
  readonly payments: readonly { readonly at: number; readonly amount: number; readonly payment: Payment }[]
  readonly notes: readonly Noted[]
  /** When it became paid, if it is. */
  readonly settledAt: number | undefined
}

const processor = { id: 'processor', name: 'processor' }

export function moneyOn({ payments, sentAt, voidedAt }: InvoiceCourse, invoice: Invoice): MoneyIn {
  const { currency, invoiceId, invoiceNumber } = invoice
  const decimals = decimalsOf(currency)
  const minor = (sum: number) => scaled(sum, decimals)!
  const total = minor(invoice.total)
  const notes: Noted[] = []
  // What costs nothing is paid once it is sent.
  let settledAt = total === 0n && voidedAt === undefined ? sentAt : undefined
  let paid = 0n
  const data = { invoiceId, invoiceNumber }
  const note = (at: number, by: Noted['by'], what: Note) => notes.push({ at, by, note: what })
  if (settledAt !== undefined) note(settledAt, manager, { event: 'invoicePaid', data })

  const amountOf = ({ amount }: Payment): bigint => {
    if (amount === 'total') return total
    if (amount === 'deposit') return minor(invoice.depositAmount)
    if (amount === undefined) return total - paid
    const excess = paid - total
    return amount < 0 && minor(-amount) > excess ? -excess : minor(amount)
  }
  const taken = payments.flatMap(({ payment, at }) => {
    const change = amountOf(payment)
    if (total === 0n || change === 0n) return []
    const amount = unscaled(change, decimals)
    const by = payment.isOnline ? processor : manager
    paid += change
    note(at, by, { event: change > 0n ? 'paymentRecorded' : 'paymentRefunded', data: { ...data, amount, currency } })
    if (paid >= total && settledAt === undefined) {
      settledAt = at
      note(at, by, { event: 'invoicePaid', data })
    }
    return [{ at, amount, payment }]
  })
  return { payments: taken, notes, settledAt }
}
