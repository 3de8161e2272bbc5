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

/** Nothing of it has happened later than now. */
export function quoteCourse(plan: Plan, now: number): QuoteCourse | undefined {
  const { quote: offer, createdAt } = plan
  if (!offer) return undefined
  const lookedAt = Math.max(plan.soldAt, createdAt + 15 * minuteMs)
  const madeAt = offer.isAfterwards ? reached(plan, 'Closed') : lookedAt
  const stage = stages.indexOf(offer.until === 'declined' ? 'accepted' : offer.until)
  const after = (wanted: number, minutes: number) => {
    const at = madeAt! + minutes * minuteMs
    return stage >= wanted && at <= now ? at : undefined
  }
  if (madeAt === undefined) return undefined
  const made = after(0, 10)
  return made === undefined
    ? undefined
    : { offer, madeAt: made, sentAt: after(1, 14), viewedAt: after(2, 48), answeredAt: after(3, 61) }
}

export function invoiceCourse(plan: Plan, quote: QuoteCourse | undefined, now: number): InvoiceCourse | undefined {
  const { invoice: bill } = plan
  if (!bill) return undefined
  const closedAt = reached(plan, 'Closed')
  const acceptedAt = quote?.offer.until === 'accepted' ? quote.answeredAt : undefined
  const dueAt =
    bill.made === 'onAcceptance' ? acceptedAt : bill.made === 'whenReady' ? reached(plan, 'Ready for pickup') : closedAt
  if (dueAt === undefined || dueAt + 2 * minuteMs > now) return undefined
  const madeAt = dueAt + 2 * minuteMs
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
