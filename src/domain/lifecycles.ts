// The lives of a quote and an invoice: which status may follow which, and who may change it.

export const quoteStatuses = ['draft', 'sent', 'accepted', 'declined', 'invoiced'] as const
export type QuoteStatus = (typeof quoteStatuses)[number]

export const invoiceStatuses = ['draft', 'sent', 'void'] as const
export type InvoiceStatus = (typeof invoiceStatuses)[number]

/** What somebody may set. Becoming `invoiced` is the work of converting, and what follows it that of a deleted invoice. */
const quoteTransitions: Readonly<Record<QuoteStatus, readonly QuoteStatus[]>> = {
  draft: ['sent', 'accepted', 'declined'],
  sent: ['draft', 'accepted', 'declined'],
  accepted: ['draft'],
  declined: ['draft'],
  invoiced: [],
}

const invoiceTransitions: Readonly<Record<InvoiceStatus, readonly InvoiceStatus[]>> = {
  draft: ['sent', 'void'],
  sent: ['draft', 'void'],
  void: [],
}

export const canQuoteMove = (from: QuoteStatus, to: QuoteStatus): boolean =>
  from === to || quoteTransitions[from].includes(to)

export const canInvoiceMove = (from: InvoiceStatus, to: InvoiceStatus): boolean =>
  from === to || invoiceTransitions[from].includes(to)

/** An answer is to what was offered: while it stands, the offer does not change. */
export const isQuoteLocked = (status: QuoteStatus): boolean =>
  status === 'accepted' || status === 'declined' || status === 'invoiced'

export const canConvert = (status: QuoteStatus): boolean => status !== 'declined'

export const isAnswerable = (status: QuoteStatus): boolean => status === 'draft' || status === 'sent'

/** What the two ways of saying it ask for together; undefined if they contradict each other. */
export function requestedQuoteStatus(
  before: { status: QuoteStatus; accepted: boolean },
  { status, accepted }: { status?: QuoteStatus | undefined; accepted?: boolean | undefined },
): QuoteStatus | undefined {
  if (status === undefined) {
    if (accepted === undefined || accepted === before.accepted) return before.status
    return accepted ? 'accepted' : 'draft'
  }
  const impliesAccepted = status === 'invoiced' ? before.accepted : status === 'accepted'
  return accepted === undefined || accepted === impliesAccepted ? status : undefined
}

export interface QuoteMoments {
  readonly status: QuoteStatus
  readonly accepted: boolean
  readonly acceptedAt: string | null
  readonly acceptedByName: string | null
  readonly declinedAt: string | null
  readonly declineReason: string | null
  readonly sentAt: string | null
}

interface TransitionDetails {
  readonly now: string
  /** Who accepted it, where that is known. */
  readonly name?: string | null
  readonly reason?: string | null
}

const noAnswer = { accepted: false, acceptedAt: null, acceptedByName: null, declinedAt: null, declineReason: null }

/** A quote's status and moments after it moved; it stays as it is where it already was. */
export function transitionQuote(
  before: QuoteMoments,
  to: QuoteStatus,
  { now, name = null, reason = null }: TransitionDetails,
): QuoteMoments {
  const { sentAt } = before
  if (before.status === to) return before
  switch (to) {
    case 'draft':
      return { ...noAnswer, sentAt, status: to }
    case 'sent':
      return { ...noAnswer, sentAt: sentAt ?? now, status: to }
    case 'accepted':
      return { ...noAnswer, sentAt, status: to, accepted: true, acceptedAt: now, acceptedByName: name }
    case 'declined':
      return { ...noAnswer, sentAt, status: to, declinedAt: now, declineReason: reason }
    case 'invoiced':
      return { ...before, status: to }
  }
}
