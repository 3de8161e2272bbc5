// The way of a job's papers: when a quote was made, sent, seen and answered, when an invoice followed and was paid.
import type { Bill, Offer, Payment } from './paper.ts'
import type { Plan } from './plans.ts'

export interface QuoteCourse {
  readonly offer: Offer
  readonly madeAt: number
  readonly sentAt: number | undefined
  readonly viewedAt: number | undefined
  readonly answeredAt: number | undefined
}

export interface InvoiceCourse {
  readonly bill: Bill
  readonly madeAt: number
  readonly sentAt: number | undefined
  readonly voidedAt: number | undefined
  readonly payments: readonly { readonly payment: Payment; readonly at: number }[]
  /** Whether it was made of the quote. */
  readonly isConverted: boolean
}

const minuteMs = 60_000
const dayMs = 86_400_000
const stages: readonly Offer['until'][] = ['made', 'sent', 'seen', 'accepted']

const minutesAfter = { made: 10, sent: 14, seen: 48, answered: 61 }

/** Nothing of it has happened later than now. */
export function quoteCourse(plan: Plan, now: number): QuoteCourse | undefined {
  const { quote: offer } = plan
  const lookedAt = Math.max(plan.soldAt, plan.createdAt + 15 * minuteMs)
  const occasion = offer?.isAfterwards ? reached(plan, 'Closed') : lookedAt
  if (!offer || occasion === undefined) return undefined
  const last = offer.until === 'declined' ? 3 : stages.indexOf(offer.until)
  const [madeAt, sentAt, viewedAt, answeredAt] = Object.values(minutesAfter).map((minutes, stage) => {
    const at = occasion + minutes * minuteMs
    return stage <= last && at <= now ? at : undefined
  })
  return madeAt === undefined ? undefined : { offer, madeAt, sentAt, viewedAt, answeredAt }
}

export function invoiceCourse(plan: Plan, quote: QuoteCourse | undefined, now: number): InvoiceCourse | undefined {
  const { invoice: bill } = plan
  if (!bill) return undefined
  const closedAt = reached(plan, 'Closed')
  const acceptedAt = quote?.offer.until === 'accepted' ? quote.answeredAt : undefined
  const occasions = { onAcceptance: acceptedAt, whenReady: reached(plan, 'Ready for pickup'), whenClosed: closedAt }
  const occasion = occasions[bill.made ?? 'whenClosed']
  if (occasion === undefined || occasion + 2 * minuteMs > now) return undefined
  const madeAt = occasion + 2 * minuteMs
  const happened = (at: number) => (at <= now ? at : undefined)
  const sentAt = bill.status === 'draft' ? undefined : happened(madeAt + minuteMs)
  const voidedAt = bill.status === 'void' ? happened(onWorkday(madeAt + 2 * dayMs)) : undefined
  const payments = (bill.payments ?? []).flatMap((payment, place) => {
    const at = payment.when === 'onClosing' ? closedAt && closedAt + 5 * minuteMs : paidAfter(madeAt, payment, place)
    return at !== undefined && at <= now ? [{ payment, at }] : []
  })
  return { bill, madeAt, sentAt, voidedAt, payments, isConverted: acceptedAt !== undefined }
}

function paidAfter(madeAt: number, { when = 0 }: Payment, place: number): number {
  return when === 0 || when === 'onClosing'
    ? madeAt + 5 * minuteMs
    : onWorkday(madeAt + when * dayMs + place * minuteMs)
}

/** Nobody is there on Sundays to write it down. */
const onWorkday = (at: number): number => (new Date(at).getUTCDay() === 0 ? at + dayMs : at)

const reached = ({ changes }: Plan, status: string): number | undefined => changes.find(({ to }) => to === status)?.at
