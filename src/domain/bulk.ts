// Several records at once: how many, and which of them are none for an act. Pure rules.

/** What somebody does in one go; each record is an act of its own. */
export const maxAtOnce = 100

/** The records meant, each once; a sentence where there are none or too many. */
export function chosenIds(ids: readonly string[], noun: string): readonly string[] | string {
  const chosen = [...new Set(ids)]
  if (chosen.length === 0) return `Choose at least one ${noun}.`
  if (chosen.length > maxAtOnce) return `Choose at most ${maxAtOnce} at once; you chose ${chosen.length}.`
  return chosen
}

interface RemindedInvoice {
  readonly status: string
  readonly balance: number
  readonly email: string | null
  readonly hasReminder: boolean
}

/** Why a customer is not reminded of an invoice; undefined where nothing is in the way. */
export function reminderProblem({ status, balance, email, hasReminder }: RemindedInvoice): string | undefined {
  if (status === 'draft') return 'It was not sent yet.'
  if (status === 'void') return 'It is void.'
  if (balance <= 0) return 'Nothing is owed any more.'
  if (!email) return 'The customer has no email address.'
  return hasReminder ? 'A reminder is on its way already.' : undefined
}
