// Where a document stands, in the words its reader sees on the page, in the PDF and in letters.
import { type Format, formatOf } from './format.ts'
import { oneLine } from './printable.ts'
import type { Sheet, SheetLine } from './sheet.ts'

export interface Standing {
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

export const kindName = ({ kind }: Pick<Sheet, 'kind'>): string => (kind === 'quote' ? 'Quote' : 'Invoice')

/** Whether the customer may still say yes or no. */
export function isAnswerable({ kind, status, isExpired }: Sheet): boolean {
  return kind === 'quote' && (status === 'draft' || status === 'sent') && !isExpired
}

export function standingOf(sheet: Sheet, format = formatOf(sheet)): Standing {
  return sheet.kind === 'quote' ? quoteStanding(sheet, format) : invoiceStanding(sheet, format)
}

function quoteStanding(sheet: Sheet, format: Format): Standing {
  const on = (iso: string | null) => (iso ? ` on ${format.date(iso)}` : '')
  if (sheet.status === 'accepted') {
    const by = sheet.acceptedByName ? ` by ${oneLine(sheet.acceptedByName)}` : ''
    return { name: 'accepted', label: 'Accepted', tone: 'good', sentence: `Accepted${by}${on(sheet.acceptedAt)}` }
  }
  if (sheet.status === 'declined')
    return { name: 'declined', label: 'Declined', tone: 'bad', sentence: `Declined${on(sheet.declinedAt)}` }
  if (sheet.status === 'invoiced')
    return { name: 'invoiced', label: 'Invoiced', tone: 'good', sentence: 'An invoice has been made from this quote' }
  if (sheet.status === 'void')
    return { name: 'void', label: 'Void', tone: 'bad', sentence: 'This quote has been withdrawn' }
  if (sheet.isExpired)
    return { name: 'expired', label: 'Expired', tone: 'bad', sentence: `This quote expired${on(sheet.validUntil)}` }
  const sentence = sheet.validUntil ? `Valid until ${format.date(sheet.validUntil)}` : 'Waiting for your answer'
  if (sheet.status === 'draft') return { name: 'draft', label: 'Draft', tone: 'calm', sentence }
  return { name: 'open', label: 'Open', tone: 'calm', sentence }
}

function invoiceStanding(sheet: Sheet, format: Format): Standing {
  if (sheet.status === 'void')
    return { name: 'void', label: 'Void', tone: 'bad', sentence: 'Nothing is owed on this invoice' }
  if (sheet.paid) return { name: 'paid', label: 'Paid', tone: 'good', sentence: 'Paid in full, thank you' }
  if (sheet.isOverdue) {
    const since = sheet.dueAt ? `It was due on ${format.date(sheet.dueAt)}` : 'Payment is overdue'
    return { name: 'overdue', label: 'Overdue', tone: 'bad', sentence: since }
  }
  const sentence = sheet.dueAt ? `Due on ${format.date(sheet.dueAt)}` : 'Due on receipt'
  if (sheet.status === 'draft') return { name: 'draft', label: 'Draft', tone: 'calm', sentence }
  return { name: 'due', label: 'Due', tone: 'calm', sentence }
}

/** Whether instructions for paying help the reader, or only puzzle him. */
export function isPayable(sheet: Sheet): boolean {
  const { name } = standingOf(sheet)
  return name === 'open' || name === 'accepted' || name === 'draft' || name === 'due' || name === 'overdue'
}

/** The days that matter now: once a quote is answered, nobody asks how long it would have been valid. */
export function daysOf(sheet: Sheet): { readonly term: string; readonly at: string }[] {
  const days: { term: string; at: string }[] = []
  const day = (term: string, at: string | null) => at && days.push({ term, at })
  day(sheet.kind === 'quote' ? 'Date' : 'Issued', sheet.issuedAt)
  if (sheet.status === 'declined') day('Declined', sheet.declinedAt)
  else if (sheet.status === 'accepted' || sheet.status === 'invoiced') day('Accepted', sheet.acceptedAt)
  else day('Valid until', sheet.validUntil)
  day('Due', sheet.dueAt)
  return days
}

/** The one sum a reader looks for. */
export function headline(sheet: Sheet): { readonly label: string; readonly amount: string } {
  const { money } = formatOf(sheet)
  if (sheet.kind === 'quote' || sheet.status === 'void') return { label: 'Total', amount: money(sheet.total) }
  if (sheet.balance < 0) return { label: 'In your favour', amount: money(-sheet.balance) }
  if (sheet.paid) return { label: 'Total', amount: money(sheet.total) }
  return { label: sheet.amountPaid === 0 ? 'Amount due' : 'Balance due', amount: money(sheet.balance) }
}

export interface Figure {
  readonly label: string
  readonly amount: string
  readonly weight: 'plain' | 'strong' | 'aside'
}

/** The rows under the lines: what is added up to the total, then what was paid and what is left. */
export function figuresOf(sheet: Sheet): Figure[] {
  const format = formatOf(sheet)
  const { money } = format
  const rows: Figure[] = []
  const row = (label: string, amount: number, weight: Figure['weight'] = 'plain') =>
    rows.push({ label, amount: money(amount), weight })
  const added = sheet.taxes.filter(({ isInclusive }) => !isInclusive)
  const included = sheet.taxes.filter(({ isInclusive }) => isInclusive)

  if (sheet.discountTotal !== 0 || added.length > 0) row('Subtotal', sheet.subtotal)
  if (sheet.discountTotal !== 0)
    row(sheet.discountReason ? `Discount: ${sheet.discountReason}` : 'Discount', -sheet.discountTotal)
  for (const tax of added) row(`${taxName(tax, format)} on ${money(tax.taxable)}`, tax.amount)
  row('Total', sheet.total, 'strong')
  for (const tax of included) row(`Includes ${taxName(tax, format)} on ${money(tax.taxable)}`, tax.amount, 'aside')

  if (sheet.depositAmount > 0 && sheet.kind === 'quote') row('Deposit due on acceptance', sheet.depositAmount, 'aside')
  if (sheet.kind === 'quote' || sheet.status === 'void') return rows
  if (sheet.depositAmount > 0 && !sheet.paid)
    row(sheet.depositPaid ? 'Deposit, paid' : 'Deposit due first', sheet.depositAmount, 'aside')
  if (sheet.amountPaid === 0) return rows
  row('Paid', -sheet.amountPaid)
  if (sheet.balance < 0) row('In your favour', -sheet.balance, 'strong')
  else row('Balance due', sheet.balance, 'strong')
  return rows
}

/** Many shops write the rate into the name: it is not said twice. */
export function taxName({ name, rate }: { readonly name: string; readonly rate: number }, format: Format): string {
  const percent = format.percent(rate)
  return name.replace(/\s/g, '').includes(percent.replace(/\s/g, '')) ? name : `${name} ${percent}`
}

/** What identifies the piece on a line and how long it is warranted. */
export function detailsOf({ sku, serialNumber, warrantyDays }: SheetLine, format: Format): string[] {
  const details: string[] = []
  if (sku) details.push(`SKU ${sku}`)
  if (serialNumber) details.push(`Serial number ${serialNumber}`)
  if (warrantyDays) details.push(`Warranty ${format.quantity(warrantyDays)} ${warrantyDays === 1 ? 'day' : 'days'}`)
  return details
}

export const earlierName = ({ count }: Sheet['earlierPayments'], format: Format): string =>
  count === 1 ? 'One earlier payment' : `${format.quantity(count)} earlier payments`

const methods: Readonly<Record<string, string>> = {
  cash: 'Cash',
  card: 'Card',
  bankTransfer: 'Bank transfer',
  cheque: 'Cheque',
  other: 'Payment',
}

export function paymentName({ amount, paymentMethod }: Sheet['payments'][number]): string {
  const method = Object.hasOwn(methods, paymentMethod) ? methods[paymentMethod]! : paymentMethod
  return amount < 0 ? `Refund (${method})` : method
}
