// The papers of those who are no regulars: most pay when they fetch their thing, firms some days later, a few never.
import type { Status } from './catalogue.ts'
import type { Errand } from './job.ts'
import type { Bill, Offer, Payment } from './paper.ts'
import type { Chance } from './random.ts'

const unfinished: readonly Offer['until'][] = ['made', 'sent', 'sent', 'seen', 'accepted', 'accepted']
const reasons = ['Too expensive.', 'I would rather buy a new one.', 'A friend will do it.', 'Not now, maybe next year.']

export function ordinaryPapers(
  { below, pick }: Chance,
  { does }: Errand,
  status: Status,
  isBusiness: boolean,
): { readonly quote?: Offer; readonly invoice?: Bill } {
  if (!does) return {}
  const isQuoted = below(10) < 3
  if (status !== 'Closed') return isQuoted ? { quote: { until: pick(unfinished) } } : {}
  const fate = below(100)
  // Whoever says no, or nothing, takes the thing home as it is.
  if (isQuoted && fate < 12) return { quote: { until: 'declined', reason: pick(reasons) } }
  if (isQuoted && fate < 20) return { quote: { until: 'sent', validDays: 14 } }
  const paysLate = below(100) < 3
  const payments: Payment[] = paysLate ? [] : [isBusiness ? byTransfer(below) : atTheCounter(below)]
  if (!isQuoted) return { invoice: { payments } }
  if (isBusiness || fate < 80) return { quote: { until: 'accepted' }, invoice: { payments } }
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

const byTransfer = (below: Chance['below']): Payment => ({ method: 'bankTransfer', when: 2 + below(16) })

function atTheCounter(below: Chance['below']): Payment {
  const luck = below(20)
  if (luck < 6) return { method: 'cash' }
  if (luck < 7) return { method: 'cheque' }
  return luck < 10 ? { method: 'card', when: 1, isOnline: true } : { method: 'card' }
}
