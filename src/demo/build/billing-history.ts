// The way of a job's papers: when a quote was made, sent, seen and answered, when an invoice followed and was paid.
import { dayMs, minuteMs } from '../../domain/durations.ts'
import type { InvoiceSpec, PaymentSpec, QuoteSpec } from '../data/billing.ts'
import type { Plan } from './plans.ts'

export interface QuoteHistory {
  readonly quoteSpec: QuoteSpec
  readonly madeAt: number
  readonly sentAt: number | undefined
  readonly viewedAt: number | undefined
  readonly answeredAt: number | undefined
}

export interface InvoiceHistory {
  readonly invoiceSpec: InvoiceSpec
  readonly madeAt: number
  readonly sentAt: number | undefined
  readonly voidedAt: number | undefined
  readonly payments: readonly { readonly payment: PaymentSpec; readonly at: number }[]
  /** Whether it was made of the quote. */
  readonly isConverted: boolean
}

const stages: readonly QuoteSpec['until'][] = ['made', 'sent', 'seen', 'accepted']

const minutesAfter = { made: 10, sent: 14, seen: 48, answered: 61 }

/** Nothing of it has happened later than now. */
export function quoteHistory(plan: Plan, now: number): QuoteHistory | undefined {
  const { quote: quoteSpec } = plan
  const lookedAt = Math.max(plan.soldAt, plan.createdAt + 15 * minuteMs)
  const startAt = quoteSpec?.isAfterwards ? reachedAt(plan, 'Closed') : lookedAt
  if (!quoteSpec || startAt === undefined) return undefined
  const last = quoteSpec.until === 'declined' ? 3 : stages.indexOf(quoteSpec.until)
  const [madeAt, sentAt, viewedAt, answeredAt] = Object.values(minutesAfter).map((minutes, stage) => {
    const at = startAt + minutes * minuteMs
    return stage <= last && at <= now ? at : undefined
  })
  return madeAt === undefined ? undefined : { quoteSpec, madeAt, sentAt, viewedAt, answeredAt }
}

export function invoiceHistory(plan: Plan, quote: QuoteHistory | undefined, now: number): InvoiceHistory | undefined {
  const { invoice: invoiceSpec } = plan
  if (!invoiceSpec) return undefined
  const closedAt = reachedAt(plan, 'Closed')
  const acceptedAt = quote?.quoteSpec.until === 'accepted' ? quote.answeredAt : undefined
  const occasions = { onAcceptance: acceptedAt, whenReady: reachedAt(plan, 'Ready for pickup'), whenClosed: closedAt }
  const startAt = occasions[invoiceSpec.made ?? 'whenClosed']
  if (startAt === undefined || startAt + 2 * minuteMs > now) return undefined
  const madeAt = startAt + 2 * minuteMs
  const ifPast = (at: number) => (at <= now ? at : undefined)
  const sentAt = invoiceSpec.status === 'draft' ? undefined : ifPast(madeAt + minuteMs)
  const voidedAt = invoiceSpec.status === 'void' ? ifPast(onWorkday(madeAt + 2 * dayMs)) : undefined
  const payments = (invoiceSpec.payments ?? []).flatMap((payment, place) => {
    const at = payment.when === 'onClosing' ? closedAt && closedAt + 5 * minuteMs : paidAfter(madeAt, payment, place)
    return at !== undefined && at <= now ? [{ payment, at }] : []
  })
  return { invoiceSpec, madeAt, sentAt, voidedAt, payments, isConverted: acceptedAt !== undefined }
}

function paidAfter(madeAt: number, { when = 0 }: PaymentSpec, place: number): number {
  return when === 0 || when === 'onClosing'
    ? madeAt + 5 * minuteMs
    : onWorkday(madeAt + when * dayMs + place * minuteMs)
}

/** Nobody is there on Sundays to write it down. */
const onWorkday = (at: number): number => (new Date(at).getUTCDay() === 0 ? at + dayMs : at)

const reachedAt = ({ changes }: Plan, status: string): number | undefined => changes.find(({ to }) => to === status)?.at
