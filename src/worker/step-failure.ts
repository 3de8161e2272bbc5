// What the failure of one step of background work means for the others.
import { TurnTimeout, Unavailable } from '../db/database.ts'

/** Others have locked what a step needs: a statement or a lock timed out, or there was a deadlock again. */
const busyCodes = new Set(['57014', '55P03', '40P01', '40001'])

interface StepFailure {
  readonly cause: unknown
  /**
   * `away` concerns everything; what is `busy` is retried sooner than what has failed. `notYet`: requests of the same
   * organisation had all turns, and it is as due as before.
   */
  readonly kind: 'away' | 'busy' | 'failed' | 'notYet'
}

export function toStepFailure(error: unknown): StepFailure {
  if (error instanceof TurnTimeout) return { cause: error, kind: 'notYet' }
  const cause = error instanceof Unavailable ? error.cause : error
  if (busyCodes.has((cause as { code?: string } | undefined)?.code ?? '')) return { cause, kind: 'busy' }
  return { cause, kind: error instanceof Unavailable ? 'away' : 'failed' }
}
