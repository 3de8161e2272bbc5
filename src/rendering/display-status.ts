// The status of a document, in the words its reader sees on the page, in the PDF and in mail.
import { type Format, formatOf } from './format.ts'
import type { PrintDocument } from './print-document.ts'
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
