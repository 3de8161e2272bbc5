// The amounts and labels of a document: the same rows on the page, in the PDF and in mail.
import { type Format, formatOf } from './format.ts'
import type { PrintDocument, PrintLine } from './print-document.ts'

/** The one sum a reader looks for. */
export function headlineAmount(document: PrintDocument): { readonly label: string; readonly amount: string } {
  const { money } = formatOf(document)
  if (document.kind === 'quote' || document.status === 'void') return { label: 'Total', amount: money(document.total) }
  if (document.balance < 0) return { label: 'In your favour', amount: money(-document.balance) }
  if (document.paid) return { label: 'Total', amount: money(document.total) }
  return { label: document.amountPaid === 0 ? 'Amount due' : 'Balance due', amount: money(document.balance) }
}

export interface TotalRow {
  readonly label: string
  readonly amount: string
  readonly weight: 'plain' | 'strong' | 'aside'
}

/** The rows under the lines: what is added up to the total, then what was paid and what is left. */
export function totalRows(document: PrintDocument): TotalRow[] {
  const format = formatOf(document)
  const { money } = format
  const rows: TotalRow[] = []
  const addRow = (label: string, amount: number, weight: TotalRow['weight'] = 'plain') =>
    rows.push({ label, amount: money(amount), weight })
  const added = document.taxes.filter(({ isInclusive }) => !isInclusive)
  const included = document.taxes.filter(({ isInclusive }) => isInclusive)

  if (document.discountTotal !== 0 || added.length > 0) addRow('Subtotal', document.subtotal)
  if (document.discountTotal !== 0)
    addRow(document.discountReason ? `Discount: ${document.discountReason}` : 'Discount', -document.discountTotal)
  for (const tax of added) addRow(`${taxLabel(tax, format)} on ${money(tax.taxable)}`, tax.amount)
  addRow('Total', document.total, 'strong')
  for (const tax of included) addRow(`Includes ${taxLabel(tax, format)} on ${money(tax.taxable)}`, tax.amount, 'aside')

  if (document.depositAmount > 0 && document.kind === 'quote')
    addRow('Deposit due on acceptance', document.depositAmount, 'aside')
  if (document.kind === 'quote' || document.status === 'void') return rows
  if (document.depositAmount > 0 && !document.paid)
    addRow(document.depositPaid ? 'Deposit, paid' : 'Deposit due first', document.depositAmount, 'aside')
  if (document.amountPaid === 0) return rows
  addRow('Paid', -document.amountPaid)
  if (document.balance < 0) addRow('In your favour', -document.balance, 'strong')
  else addRow('Balance due', document.balance, 'strong')
  return rows
}

/** Many shops write the rate into the name: it is not said twice. */
export function taxLabel({ name, rate }: { readonly name: string; readonly rate: number }, format: Format): string {
  const percent = format.percent(rate)
  return name.replace(/\s/g, '').includes(percent.replace(/\s/g, '')) ? name : `${name} ${percent}`
}

/** What identifies the piece on a line and how long it is warranted. */
export function lineDetails({ sku, serialNumber, warrantyDays }: PrintLine, format: Format): string[] {
  const details: string[] = []
  if (sku) details.push(`SKU ${sku}`)
  if (serialNumber) details.push(`Serial number ${serialNumber}`)
  if (warrantyDays) details.push(`Warranty ${format.quantity(warrantyDays)} ${warrantyDays === 1 ? 'day' : 'days'}`)
  return details
}

export const earlierPaymentsLabel = ({ count }: PrintDocument['earlierPayments'], format: Format): string =>
  count === 1 ? 'One earlier payment' : `${format.quantity(count)} earlier payments`

const methodLabels: Readonly<Record<string, string>> = {
  cash: 'Cash',
  card: 'Card',
  bankTransfer: 'Bank transfer',
  cheque: 'Cheque',
  other: 'Payment',
}

export function paymentLabel({ amount, paymentMethod }: PrintDocument['payments'][number]): string {
  const method = Object.hasOwn(methodLabels, paymentMethod) ? methodLabels[paymentMethod]! : paymentMethod
  return amount < 0 ? `Refund (${method})` : method
}
