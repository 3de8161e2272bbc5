// What the sample data says of a quote or an invoice; what it leaves out is as on most of them.
import type { ServiceName } from './catalogue.ts'
import type { Sku } from './parts.ts'

/** What is done and used, on a job as on a paper. */
export interface LineSpec {
  /** A pair says how much of it. */
  readonly does?: readonly (ServiceName | readonly [ServiceName, number])[]
  readonly uses?: readonly (Sku | readonly [Sku, number])[]
}

/** What was offered for a job, and how far it came with the customer. */
export interface QuoteSpec {
  /** The device and what is done about it, if left out. */
  readonly title?: string
  /** What it offers, where that is not what the job's own lines say. */
  readonly instead?: LineSpec & { readonly others?: readonly (readonly [string, number])[] }
  readonly deposit?: { readonly type: 'percent' | 'fixed'; readonly value: number }
  readonly notes?: string
  readonly until: 'made' | 'sent' | 'seen' | 'accepted' | 'declined'
  readonly reason?: string
  /** Offered when the job was closed, for what was found beside it. */
  readonly isAfterwards?: boolean
  readonly validDays?: number
}

/** The invoice for the work: made when the job was closed, unless something else is said. */
export interface InvoiceSpec {
  readonly title?: string
  readonly made?: 'onAcceptance' | 'whenReady'
  /** Sent, if left out. */
  readonly status?: 'draft' | 'void'
  readonly notes?: string
  readonly dueDays?: number
  readonly payments?: readonly PaymentSpec[]
  /** What a reminder that is still to come says. */
  readonly reminder?: string
}

export interface PaymentSpec {
  readonly method: 'cash' | 'card' | 'bankTransfer' | 'cheque'
  /** What is still open, if left out; below zero for a refund, which is never more than was paid too much. */
  readonly amount?: 'deposit' | 'total' | number
  /** When the thing is fetched, or so many days after the invoice; else at the counter, with the invoice. */
  readonly when?: 'onClosing' | number
  readonly notes?: string
  /** Taken by a payment processor, which also keeps it. */
  readonly isOnline?: boolean
}
