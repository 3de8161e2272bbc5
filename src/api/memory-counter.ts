// Counts in spans of time, for one process. They go by a clock that nobody can set, unlike those of the library.

/** As much of the library's counters as we use; one that counts elsewhere may fail, or refuse with what it counted. */
export interface Counter {
  readonly points: number
  consume(key: string): Promise<Counted>
  /** Takes one back. */
  reward(key: string): Promise<unknown>
}

export interface Counted {
  readonly consumedPoints: number
  readonly remainingPoints: number
  readonly msBeforeNext: number
}

export function memoryCounter(points: number, durationSeconds: number): Counter {
  // All spans are equally long, so the oldest is the first to end: what is over is always in front.
  const spans = new Map<string, { used: number; readonly endsAt: number }>()

  function spanOf(key: string, now: number) {
    for (const [old, { endsAt }] of spans) {
      if (endsAt > now) break
      spans.delete(old)
    }
    const known = spans.get(key)
    if (known) return known
    const fresh = { used: 0, endsAt: now + durationSeconds * 1_000 }
    spans.set(key, fresh)
    return fresh
  }

  return {
    points,
    async consume(key) {
      const now = performance.now()
      const span = spanOf(key, now)
      span.used++
      return {
        consumedPoints: span.used,
        remainingPoints: points - span.used,
        msBeforeNext: span.endsAt - now,
      }
    },
    async reward(key) {
      const span = spanOf(key, performance.now())
      span.used = Math.max(0, span.used - 1)
    },
  }
}
