// Counts in spans of time, for one process. They go by a clock that nobody can set, unlike those of the library.

/** As much of the library's counters as we use; one that counts elsewhere may fail. */
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

/** How many were counted in a span, and how long it still lasts. */
export interface WindowCount {
  readonly used: number
  readonly msBeforeNext: number
}

export interface CountWindow {
  used: number
  readonly endsAt: number
}

/** The spans of one limit, each as long as the others, one for each key: the one that is open, or a fresh one. */
export function createCountWindows(durationSeconds: number): (key: string) => CountWindow {
  // All spans are equally long, so the oldest is the first to end: what is over is always in front.
  const windows = new Map<string, CountWindow>()
  return (key) => {
    const now = performance.now()
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
}

export const limiterResult = (points: number, { used, msBeforeNext }: WindowCount): RateLimiterResult => ({
  consumedPoints: used,
  remainingPoints: points - used,
  msBeforeNext,
})

export function memoryRateLimiter(points: number, durationSeconds: number): RateLimiter {
  const windowOf = createCountWindows(durationSeconds)
  return {
    points,
    async consume(key) {
      const window = windowOf(key)
      window.used++
      return limiterResult(points, { used: window.used, msBeforeNext: window.endsAt - performance.now() })
    },
    async reward(key) {
      const window = windowOf(key)
      window.used = Math.max(0, window.used - 1)
    },
  }
}
