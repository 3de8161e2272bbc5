// How long work in the background rests, so that the processors have time for whoever waits.
import type { CallCounters } from './counters.ts'

/**
 * What a step takes beyond this counts three times where requests come meanwhile: others feel long ones most. Of work that nobody
 * waits for all of it does.
 */
const shortStepMs = 40
const longStepMultiple = 3
/** After a step that waited for a lock there is nothing to rest from. */
const maxRestMs = 500

export interface RestOptions {
  /** Whether somebody waits for it or watches how far it is. */
  readonly isAwaited?: boolean
}

/** Answers how long to rest from what was done since, by whether reads of requests were answered meanwhile. */
export function watchForRest(reads: Readonly<CallCounters>, { isAwaited = true }: RestOptions = {}): () => number {
  const startedAt = performance.now()
  const { completed } = reads
  return () => {
    const tookMs = performance.now() - startedAt
    const isBesideRequests = reads.completed > completed
    const excessMs = isBesideRequests ? Math.max(0, tookMs - (isAwaited ? shortStepMs : 0)) : 0
    return Math.min(tookMs + (longStepMultiple - 1) * excessMs, maxRestMs)
  }
}
