// What a job's timeline says of itself: each kind of event, the facts it carries, and the sentence people read.
import type { FormGate } from './gates.ts'
import { decimalsOf } from './money.ts'

export interface TimelineFacts {
  jobCreated: { source: 'api' | 'app' | 'schedule' }
  statusChanged: { from: string; to: string }
  assigneeChanged: { from: string | null; to: string | null }
  stationChanged: { from: string | null; to: string | null }
  scheduled: { from: string; to: string }
  rescheduled: { from: string; to: string }
  unscheduled: Record<never, never>
  deviceLinked: { name: string }
  deviceUnlinked: { name: string | null }
  signatureCaptured: { signedByName: string | null }
  signatureCleared: Record<never, never>
  quoteCreated: Quote
  quoteSent: Quote & { to: string | null }
  quoteViewed: Quote
  quoteAccepted: Quote & { name: string | null }
  quoteDeclined: Quote & { reason: string | null }
  quoteConverted: Quote & Invoice
  invoiceCreated: Invoice
  invoiceSent: Invoice & { to: string | null }
  invoicePaid: Invoice
  invoiceReopened: Invoice
  invoiceVoided: Invoice
  paymentRecorded: Invoice & Amount
  paymentRefunded: Invoice & Amount
  reminderSent: Invoice & { to: string }
  formRequired: { submissionId: string; templateName: string; gate: FormGate }
  formSubmitted: { submissionId: string; templateName: string }
  formVoided: { submissionId: string; templateName: string; reason: string | null }
  occurrenceMoved: { from: string; to: string }
  occurrenceResized: { from: string; to: string }
}
interface Quote {
  quoteId: string
  quoteNumber: string
}
interface Invoice {
  invoiceId: string
  invoiceNumber: string
}
interface Amount {
  amount: number
  currency: string
}
export type TimelineEvent = keyof TimelineFacts

/** One event with its facts. */
export type TimelineEntry = {
  [Event in TimelineEvent]: { readonly event: Event; readonly data: TimelineFacts[Event] }
}[TimelineEvent]

export function timelineSentence({ event, data }: TimelineEntry): string {
  switch (event) {
    case 'jobCreated':
      return data.source === 'schedule' ? 'The job was created by its recurring schedule' : 'The job was created'
    case 'statusChanged':
      return `The status changed from ${data.from} to ${data.to}`
    case 'assigneeChanged':
      return data.to === null ? `The job is no longer assigned to ${data.from}` : `The job was assigned to ${data.to}`
    case 'stationChanged':
      return data.to === null ? `The job left ${data.from}` : `The job moved to ${data.to}`
    case 'scheduled':
      return 'The job was scheduled'
    case 'rescheduled':
      return 'The job was rescheduled'
    case 'unscheduled':
      return 'The job was taken off the calendar'
    case 'deviceLinked':
      return `${data.name} was linked to the job`
    case 'deviceUnlinked':
      return data.name === null ? 'The device was taken off the job' : `${data.name} was taken off the job`
    case 'signatureCaptured':
      return data.signedByName === null ? 'A signature was captured' : `${data.signedByName} signed`
    case 'signatureCleared':
      return 'The signature was cleared'
    case 'quoteCreated':
      return `Quote ${data.quoteNumber} was made`
    case 'quoteSent':
      return `Quote ${data.quoteNumber} was sent${data.to === null ? '' : ` to ${data.to}`}`
    case 'quoteViewed':
      return `The customer looked at quote ${data.quoteNumber}`
    case 'quoteAccepted':
      return data.name === null
        ? `Quote ${data.quoteNumber} was accepted`
        : `${data.name} accepted quote ${data.quoteNumber}`
    case 'quoteDeclined':
      return `Quote ${data.quoteNumber} was declined${data.reason === null ? '' : `: ${data.reason}`}`
    case 'quoteConverted':
      return `Quote ${data.quoteNumber} became invoice ${data.invoiceNumber}`
    case 'invoiceCreated':
      return `Invoice ${data.invoiceNumber} was made`
    case 'invoiceSent':
      return `Invoice ${data.invoiceNumber} was sent${data.to === null ? '' : ` to ${data.to}`}`
    case 'invoicePaid':
      return `Invoice ${data.invoiceNumber} is paid`
    case 'invoiceReopened':
      return `Invoice ${data.invoiceNumber} is no longer paid`
    case 'invoiceVoided':
      return `Invoice ${data.invoiceNumber} was voided`
    case 'paymentRecorded':
      return `${amountText(data)} was paid on invoice ${data.invoiceNumber}`
    case 'paymentRefunded':
      return `${amountText(data)} was refunded on invoice ${data.invoiceNumber}`
    case 'reminderSent':
      return `A reminder of invoice ${data.invoiceNumber} was sent to ${data.to}`
    case 'formRequired':
      return `${data.templateName} is required${gateClause[data.gate]}`
    case 'formSubmitted':
      return `${data.templateName} was submitted`
    case 'formVoided':
      return `${data.templateName} was voided${data.reason === null ? '' : `: ${data.reason}`}`
    case 'occurrenceMoved':
      return 'The visit was moved to another time'
    case 'occurrenceResized':
      return 'The length of the visit was changed'
  }
}

const amountText = ({ amount, currency }: Amount) => `${Math.abs(amount).toFixed(decimalsOf(currency))} ${currency}`

const gateClause: Readonly<Record<FormGate, string>> = {
  start: ' before work starts',
  completion: ' before the job is closed',
  invoice: ' before the job is invoiced',
  none: '',
}
