// Where a document stands, in the words its reader sees on the page, in the PDF and in letters.
import { type Format, formatOf } from './format.ts'
import type { PrintDocument, PrintLine } from './print-document.ts'
import { oneLine } from './sanitize-text.ts'

export interface DisplayStatus {
  readonly name:
    | 'draft'
    | 'open'
    | 'accepted'
    | 'declined'
    | 'invoiced'
    | 'expired'
    | 'due'
    | 'overdue'
    | 'paid'
    | 'void'
  /** One word or two, for a badge. */
  readonly label: string
  readonly tone: 'calm' | 'good' | 'bad'
  readonly sentence: string
}

export const kindLabel = ({ kind }: Pick<PrintDocument, 'kind'>): string => (kind === 'quote' ? 'Quote' : 'Invoice')

/** Whether the customer may still say yes or no. */
export function acceptsAnswer({ kind, status, isExpired }: PrintDocument): boolean {
  return kind === 'quote' && (status === 'draft' || status === 'sent') && !isExpired
}

export function displayStatus(document: PrintDocument, format = formatOf(document)): DisplayStatus {
  return document.kind === 'quote' ? quoteDisplayStatus(document, format) : invoiceDisplayStatus(document, format)
}

function quoteDisplayStatus(document: PrintDocument, format: Format): DisplayStatus {
  const on = (iso: string | null) => (iso ? ` on ${format.date(iso)}` : '')
  if (document.status === 'accepted') {
    const by = document.acceptedByName ? ` by ${oneLine(document.acceptedByName)}` : ''
    return { name: 'accepted', label: 'Accepted', tone: 'good', sentence: `Accepted${by}${on(document.acceptedAt)}` }
  }
  if (document.status === 'declined')
    return { name: 'declined', label: 'Declined', tone: 'bad', sentence: `Declined${on(document.declinedAt)}` }
  if (document.status === 'invoiced')
    return { name: 'invoiced', label: 'Invoiced', tone: 'good', sentence: 'An invoice has been made from this quote' }
  if (document.status === 'void')
    return { name: 'void', label: 'Void', tone: 'bad', sentence: 'This quote has been withdrawn' }
  if (document.isExpired)
    return { name: 'expired', label: 'Expired', tone: 'bad', sentence: `This quote expired${on(document.validUntil)}` }
  const sentence = document.validUntil ? `Valid until ${format.date(document.validUntil)}` : 'Waiting for your answer'
  if (document.status === 'draft') return { name: 'draft', label: 'Draft', tone: 'calm', sentence }
  return { name: 'open', label: 'Open', tone: 'calm', sentence }
}

function invoiceDisplayStatus(document: PrintDocument, format: Format): DisplayStatus {
  if (document.status === 'void')
    return { name: 'void', label: 'Void', tone: 'bad', sentence: 'Nothing is owed on this invoice' }
  if (document.paid) return { name: 'paid', label: 'Paid', tone: 'good', sentence: 'Paid in full, thank you' }
  if (document.isOverdue) {
    const since = document.dueAt ? `It was due on ${format.date(document.dueAt)}` : 'Payment is overdue'
    return { name: 'overdue', label: 'Overdue', tone: 'bad', sentence: since }
  }
  const sentence = document.dueAt ? `Due on ${format.date(document.dueAt)}` : 'Due on receipt'
  if (document.status === 'draft') return { name: 'draft', label: 'Draft', tone: 'calm', sentence }
  return { name: 'due', label: 'Due', tone: 'calm', sentence }
}

/** Whether instructions for paying help the reader, or only puzzle him. */
export function isPayable(document: PrintDocument): boolean {
  const { name } = displayStatus(document)
  return name === 'open' || name === 'accepted' || name === 'draft' || name === 'due' || name === 'overdue'
}

/** The days that matter now: once a quote is answered, nobody asks how long it would have been valid. */
export function relevantDates(document: PrintDocument): { readonly term: string; readonly at: string }[] {
  const dates: { term: string; at: string }[] = []
  const addDate = (term: string, at: string | null) => at && dates.push({ term, at })
  addDate(document.kind === 'quote' ? 'Date' : 'Issued', document.issuedAt)
  if (document.status === 'declined') addDate('Declined', document.declinedAt)
  else if (document.status === 'accepted' || document.status === 'invoiced') addDate('Accepted', document.acceptedAt)
  else addDate('Valid until', document.validUntil)
  addDate('Due', document.dueAt)
  return dates
}

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
