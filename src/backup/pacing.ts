// Work that rests as long as it works, so that whoever is served meanwhile has the processors and the disk in between.
import { setTimeout as delay } from 'node:timers/promises'

const workMs = 20
/** After waiting for the disk there is little to rest from. */
const maxRestMs = 200

/** To be awaited between pieces of work. */
export function createPacer(signal?: AbortSignal): () => Promise<void> {
  let restedAt = performance.now()
  return async () => {
    signal?.throwIfAborted()
    const workedMs = performance.now() - restedAt
    if (workedMs < workMs) return
    await delay(Math.min(workedMs, maxRestMs), undefined, signal ? { signal } : {})
    restedAt = performance.now()
  }
}
