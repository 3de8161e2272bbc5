// A list of payments looks much like one of invoices: it names their numbers, and each of its rows has an amount. Taken
// for invoices, what somebody has paid would be owed.
import { squeeze } from './cells.ts'
import { invoiceMeanings } from './document-meanings.ts'
import type { Kind } from './kinds.ts'
import type { Meaning } from './meaning.ts'

/** What a payment itself is called by: rows that have it are payments, whatever their amount is called. */
const idsOfPayments = [
  ...['payment id', 'payment number', 'payment no', 'zahlungsnummer', 'zahlungs nr', 'zahlungsnr', 'zahlungs id'],
  ...['numéro de paiement', 'numéro du paiement'],
].map(squeeze)
const wordsOfPayments = [
  ...idsOfPayments,
  ...invoiceMeanings.paidAt.names,
  ...invoiceMeanings.paymentMethod.names,
  ...['payment', 'payment amount', 'payment type', 'payment reference', 'payment ref', 'applied at', 'amount applied'],
  ...['amount received', 'payment received', 'date received', 'received at', 'payment applied'],
  ...['zahlung', 'zahlungsbetrag', 'zahlungseingang', 'zahlungsweise', 'zahlungsmethode', 'zahlungsreferenz'],
  ...['paiement', 'montant du paiement', 'règlement'],
].map(squeeze)
/** What only an invoice says. */
const wordsOfInvoices = [
  ...['dueAt', 'due', 'balance', 'lineName', 'lineQuantity', 'lineUnitPrice', 'linesText', 'subtotal'],
  ...['lineTax', 'taxTotal', 'taxRate'],
]
/** An amount may be that of a payment, unless it is called a total, or that of a line. */
const plainAmounts = ['amount', 'betrag', 'montant'].map(squeeze)
const daysOfInvoices = ['invoice date', 'issued date', 'issued at', 'issue date', 'rechnungsdatum'].map(squeeze)
const daysOfPayments = [...invoiceMeanings.paidAt.names, 'applied at', 'zahlungseingang', 'date received'].map(squeeze)
const amountsOfPayments = [
  ...['total', 'payment amount', 'amount paid', 'amount applied', 'zahlungsbetrag', 'gesamtbetrag'],
  ...['montant du paiement'],
].map(squeeze)

interface Columns {
  readonly kind: Kind
  readonly columns: readonly string[]
  readonly targets: readonly (string | null)[]
}

/** Whoever says what the amounts are with a map has decided it. */
const saysAmounts = (map: Readonly<Record<string, string | null>>): boolean =>
  Object.values(map).some(
    (target) => (invoiceMeanings as Readonly<Record<string, Meaning>>)[target ?? '']?.type === 'amount',
  )

export function isPaymentList({ kind, columns, targets }: Columns, map: Readonly<Record<string, string | null>>) {
  const names = columns.map(squeeze)
  const hasAny = (some: readonly string[]) => names.some((name) => some.includes(name))
  const hasId = hasAny(idsOfPayments)
  const hasDay = hasAny(daysOfPayments)
  if (kind === 'customers') return (hasId || hasDay) && hasAny([...plainAmounts, ...amountsOfPayments])
  if (kind !== 'invoices' || saysAmounts(map)) return false
  const isOfPayments = hasAny(wordsOfPayments) || targets.includes('paidAt') || targets.includes('paymentMethod')
  if (!isOfPayments || targets.some((target) => wordsOfInvoices.includes(target ?? ''))) return false
  if (hasId) return true
  const hasSum = targets.some(
    (target, index) => (target === 'total' || target === 'lineTotal') && !plainAmounts.includes(names[index]!),
  )
  return !hasSum && (hasDay || !hasAny(daysOfInvoices))
}

export const paymentListWords =
  'this looks like a list of payments, and payments cannot be brought by themselves: bring the invoices, with a column for what was paid of each (Amount paid) and one for the day (Payment date). If its rows are invoices, say so with the kind invoices'
