// What a quote or an invoice is at the moment, in a word or two.
import type { Html } from '../http/html.ts'
import { type Clock, count, daysBetween } from './formatting.ts'
import { chip } from './marks.ts'

export type DocumentKind = 'quote' | 'invoice'

/** States of an invoice in which its balance counts, not its total. */
export const openStates: readonly string[] = ['open', 'overdue', 'partlyPaid']

export interface DocumentState {
  readonly status: string
  readonly sentAt: Date | null
  readonly viewedAt: Date | null
  /** Valid until, or due. */
  readonly until: Date | null
  /** A quote that has expired, an invoice that is overdue. */
  readonly isLate: boolean
  readonly isPaid: boolean
  readonly amountPaid: number
}

/** What of a quote or an invoice tells its state; what only one of them has is undefined in the other. */
export interface StatedRecord {
  readonly status: string
  readonly sentAt?: string | null
  readonly viewedAt?: string | null
  readonly validUntil?: string | null
  readonly dueAt?: string
  readonly isExpired?: boolean
  readonly isOverdue?: boolean
  readonly paid?: boolean
  readonly amountPaid?: number
}

export const stateOf = (record: StatedRecord): DocumentState => ({
  status: record.status,
  sentAt: moment(record.sentAt),
  viewedAt: moment(record.viewedAt),
  until: moment(record.validUntil ?? record.dueAt),
  isLate: record.isExpired ?? record.isOverdue ?? false,
  isPaid: record.paid ?? false,
  amountPaid: record.amountPaid ?? 0,
})

const moment = (text: string | null | undefined): Date | null => (text ? new Date(text) : null)

export const stateChip = (clock: Clock, kind: DocumentKind, state: DocumentState): Html =>
  kind === 'quote' ? quoteChip(clock, state) : invoiceChip(clock, state)

function quoteChip(clock: Clock, { status, isLate, viewedAt, sentAt }: DocumentState): Html {
  if (status === 'accepted') return chip('Accepted', 'good')
  if (status === 'invoiced') return chip('Invoiced', 'good')
  if (status === 'declined') return chip('Declined')
  if (isLate) return chip('Expired', 'danger')
  if (status === 'draft') return chip('Draft')
  if (viewedAt) return chip(`Seen ${clock.ago(viewedAt)}`, 'warn')
  return chip(sentAt ? `Sent ${clock.ago(sentAt)}` : 'Sent', 'warn')
}

function invoiceChip(clock: Clock, { status, isPaid, isLate, until, amountPaid }: DocumentState): Html {
  if (status === 'void') return chip('Void')
  if (isPaid) return chip('Paid', 'good')
  if (status === 'draft') return chip('Draft')
  if (isLate && until) {
    const days = daysBetween(clock.date(until), clock.today)
    return chip(days > 0 ? `${count(days, 'day')} late` : 'Overdue', 'danger')
  }
  if (amountPaid > 0) return chip('Part paid', 'warn')
  return chip(until ? `Due ${clock.shortDay(until)}` : 'Due')
}
