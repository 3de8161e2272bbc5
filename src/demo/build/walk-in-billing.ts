// The papers of those who are no regulars: most pay when they fetch their thing, firms some days later, a few never.
import type { InvoiceSpec, PaymentSpec, QuoteSpec } from '../data/billing.ts'
import type { Status } from '../data/catalogue.ts'
import type { WorkSpec } from '../data/job.ts'
import type { Random } from './random.ts'

const unfinished: readonly QuoteSpec['until'][] = ['made', 'sent', 'sent', 'seen', 'accepted', 'accepted']
const reasons = ['Too expensive.', 'I would rather buy a new one.', 'A friend will do it.', 'Not now, maybe next year.']

export function walkInBilling(
  { below, pick }: Random,
  { does }: WorkSpec,
  status: Status,
  isBusiness: boolean,
): { readonly quote?: QuoteSpec; readonly invoice?: InvoiceSpec } {
  if (!does) return {}
  const isQuoted = below(10) < 3
  if (status !== 'Closed') return isQuoted ? { quote: { until: pick(unfinished) } } : {}
  const outcome = below(100)
  // Whoever says no, or nothing, takes the thing home as it is.
  if (isQuoted && outcome < 12) return { quote: { until: 'declined', reason: pick(reasons) } }
  if (isQuoted && outcome < 20) return { quote: { until: 'sent', validDays: 14 } }
  const paysLate = below(100) < 3
  const payments: PaymentSpec[] = paysLate ? [] : [isBusiness ? byTransfer(below) : atTheCounter(below)]
  if (!isQuoted) return { invoice: { payments } }
  if (isBusiness || outcome < 80) return { quote: { until: 'accepted' }, invoice: { payments } }
  return {
    quote: { until: 'accepted', deposit: { type: 'percent', value: 30 } },
    invoice: {
      made: 'onAcceptance',
      payments: [
        { method: 'card', amount: 'deposit' },
        { ...atTheCounter(below), when: 'onClosing' },
      ],
    },
  }
}

const byTransfer = (below: Random['below']): PaymentSpec => ({ method: 'bankTransfer', when: 2 + below(16) })

function atTheCounter(below: Random['below']): PaymentSpec {
  const draw = below(20)
  if (draw < 6) return { method: 'cash' }
  if (draw < 7) return { method: 'cheque' }
  return draw < 10 ? { method: 'card', when: 1, isOnline: true } : { method: 'card' }
}
