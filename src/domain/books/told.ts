// What whoever keeps the books is told beside a file: what to take out, what to correct, and what no file holds. In words.
import { decimalsOf } from '../money.ts'

export interface WithdrawnRecord {
  readonly id: string
  /** Of the invoice, of a payment the invoice's. */
  readonly number: string
}

export interface ChangedRecord extends WithdrawnRecord {
  readonly before: number
  readonly after: number
  readonly currency: string
}

/** What no file held, though its days are past. */
export interface EarlierRecords {
  readonly count: number
  readonly from: string
}

export interface Told {
  readonly kind: string
  readonly withdrawn: readonly WithdrawnRecord[]
  readonly changed: readonly ChangedRecord[]
  readonly earlier: EarlierRecords | null
}

/** As many as a sentence can hold. */
const maxNamed = 20

/** A sentence for each, and none where there is nothing to tell. */
export function toldWords({ kind, withdrawn, changed, earlier }: Told): string[] {
  const noun = kind === 'payments' ? 'payment' : 'invoice'
  return [
    ...(withdrawn.length > 0 ? [withdrawnWords(noun, withdrawn)] : []),
    ...(changed.length > 0 ? [changedWords(noun, changed)] : []),
    ...(earlier ? [earlierWords(noun, earlier)] : []),
  ]
}

function withdrawnWords(noun: string, withdrawn: readonly WithdrawnRecord[]): string {
  const [were, them] = withdrawn.length === 1 ? ['was', 'it'] : ['were', 'them']
  const reason = noun === 'invoice' ? 'voided, deleted or set back to draft' : 'deleted'
  const numbers = listed(withdrawn.map(({ number }) => calledBy(noun, number)))
  return `${numbered(withdrawn.length, noun)} that ${were} booked before ${were} ${reason} since: ${numbers}: take ${them} out of the books.`
}

function changedWords(noun: string, changed: readonly ChangedRecord[]): string {
  const [were, have, them] = changed.length === 1 ? ['was', 'has', 'it'] : ['were', 'have', 'them']
  const amounts = changed.map(({ number, before, after, currency }) => {
    const decimals = decimalsOf(currency)
    return `${calledBy(noun, number)} was ${before.toFixed(decimals)}, is ${after.toFixed(decimals)} now`
  })
  return `${numbered(changed.length, noun)} that ${were} booked before ${have} another amount: ${listed(amounts, '; ')}: correct ${them} in the books.`
}

const earlierWords = (noun: string, { count, from }: EarlierRecords): string =>
  `${numbered(count, noun)} ${noun === 'invoice' ? 'issued' : 'made'} since ${from} ${count === 1 ? 'was' : 'were'} in no file: make one for those days.`

/** A payment has no number of its own. */
const calledBy = (noun: string, number: string) => (noun === 'invoice' ? number : `one of ${number}`)

const numbered = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

const listed = (all: readonly string[], comma = ', ') =>
  `${all.slice(0, maxNamed).join(comma)}${all.length > maxNamed ? ` and ${all.length - maxNamed} more` : ''}`
