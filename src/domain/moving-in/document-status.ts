// What other systems call the state of an invoice or a quote, and which of ours that is.
import { readFlag } from './cells.ts'
import { foldKey } from './contacts.ts'

interface Known<State> {
  readonly state: State
  /** The file says that all of it was paid. */
  readonly isPaid?: boolean
  /** What had to be decided. */
  readonly note?: string
}

const voidWords = /\bvoid|\bdeleted|\bcancel|\breversed|\bstorn|\bannul/
const writtenOffWords = /\bwritten off|\bwrite off|\bbad debt|\buncollect|\babgeschrieben/
const draftWords = /\bdraft|^new$|\bentwurf|\bbrouillon|\bunsent|\bnot (yet )?sent|\bnicht (gesendet|versendet)/
const paidWords = /^(fully |vollstandig )?(paid|closed|settled|bezahlt|payee?s?|betaald)\b/
const sentWords =
  /^(sent|open|unpaid|not paid|overdue|past due|due|awaiting|partial|partly|viewed|approved|authori|outstanding|issued|emailed|submitted|offen|fallig|uberfallig|gesendet|versendet|unbezahlt|nicht bezahlt|teilweise|envoye|impaye)/

/** As much of the file's word as is told: a cell may hold anything. */
export const spoken = (said: string | undefined): string => (said ?? '').slice(0, 60)

export function invoiceStatus(said: string | undefined): Known<'draft' | 'sent' | 'void'> {
  const words = foldKey(said ?? '')
  if (words === '') return { state: 'sent' }
  if (writtenOffWords.test(words))
    return {
      state: 'void',
      note: `the file calls it "${spoken(said)}": it was brought as void, since nothing is owed of it`,
    }
  if (voidWords.test(words)) return { state: 'void' }
  if (draftWords.test(words)) return { state: 'draft' }
  if (paidWords.test(words)) return { state: 'sent', isPaid: true }
  return { state: 'sent', ...(!sentWords.test(words) && { note: unknown(said!) }) }
}

/** Whether a column of what was paid holds a word for it instead; a number is an amount. */
export function readPaidWord(said: string | undefined): boolean | undefined {
  if (said === undefined || /\d/.test(said)) return undefined
  const { isPaid, state, note } = invoiceStatus(said)
  return readFlag(said) ?? isPaid ?? (state === 'sent' && note === undefined ? false : undefined)
}

/** Of a quote that waits for an answer the word for the answer says nothing yet. */
const waitingWords = /\bawait|\bpending|\bunapprov|\bnot (yet )?(approv|accept)|\bneeds approv/
const acceptedWords = /\bapprov|\baccept|\bconvert|\bwon\b|\binvoiced|\bangenommen|\bbeauftragt/
const declinedWords = /\bdeclin|\breject|\barchiv|\blost\b|\bexpired|\babgelehnt|\brefus/

export function quoteStatus(said: string | undefined): Known<'draft' | 'sent' | 'accepted' | 'declined'> {
  const words = foldKey(said ?? '')
  if (words === '' || draftWords.test(words) || /\bchanges/.test(words)) return { state: 'draft' }
  if (waitingWords.test(words)) return { state: 'sent' }
  if (declinedWords.test(words) || voidWords.test(words)) return { state: 'declined' }
  if (acceptedWords.test(words)) return { state: 'accepted' }
  return { state: 'sent', ...(!sentWords.test(words) && { note: unknown(said!) }) }
}

const unknown = (said: string) => `the status "${spoken(said)}" is not known: it was taken for sent`
