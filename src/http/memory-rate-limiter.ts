// Counts in spans of time, for one process. They go by a clock that nobody can set, unlike those of the library.

/** As much of the library's counters as we use; one that counts elsewhere may fail, or refuse with what it counted. */
export interface RateLimiter {
  readonly points: number
  consume(key: string): Promise<RateLimiterResult>
  /** Takes one back. */
  reward(key: string): Promise<unknown>
}

export interface RateLimiterResult {
  readonly consumedPoints: number
  readonly remainingPoints: number
  readonly msBeforeNext: number
}

export function memoryRateLimiter(points: number, durationSeconds: number): RateLimiter {
  // All spans are equally long, so the oldest is the first to end: what is over is always in front.
  const windows = new Map<string, { used: number; readonly endsAt: number }>()

  function windowFor(key: string, now: number) {
    for (const [old, { endsAt }] of windows) {
      if (endsAt > now) break
      windows.delete(old)
    }
    const known = windows.get(key)
    if (known) return known
    const fresh = { used: 0, endsAt: now + durationSeconds * 1_000 }
    windows.set(key, fresh)
    return fresh
  }

  return {
    points,
    async consume(key) {
      const now = performance.now()
      const window = windowFor(key, now)
      window.used++
      return {
        consumedPoints: window.used,
        remainingPoints: points - window.used,
        msBeforeNext: window.endsAt - now,
      }
    },
    async reward(key) {
      const window = windowFor(key, performance.now())
      window.used = Math.max(0, window.used - 1)
    },
  }
}
