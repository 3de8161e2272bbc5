// Spends the quota of a minute without going over it: who would be refused waits for the next minute instead.
import { sleep } from './retries.ts'

export interface Pace {
  /** Waits until a request may be sent. */
  turn(signal: AbortSignal | undefined): Promise<void>
  /** Every request that had its turn ends here, with the headers of its answer if there was one. */
  done(headers: Headers | undefined): void
}

export const noPace: Pace = { turn: async () => {}, done: () => {} }

/** Answers round the end of a minute to seconds. */
const toleranceMs = 1_000

/** How many are left, as the last answer said; the first request goes alone, to find out. */
export function createPace(): Pace {
  let [remaining, resetAt, underWay] = [1, 0, 0]
  let last: Promise<unknown> = Promise.resolve()

  async function admit(signal: AbortSignal | undefined): Promise<void> {
    while (remaining - underWay <= 0) {
      signal?.throwIfAborted()
      const waitMs = resetAt - Date.now()
      if (underWay === 0 && waitMs <= 0)
        remaining = 1 // a new minute: one goes ahead to find out
      else await sleep(underWay > 0 && waitMs <= 0 ? 20 : Math.min(Math.max(waitMs, 20), 1_000), signal)
    }
    underWay++
  }

  return {
    turn(signal) {
      const mine = last.catch(() => {}).then(() => admit(signal)) // in the order they came
      last = mine
      return mine
    },
    done(headers) {
      underWay--
      const [left, reset] = [headers?.get('x-ratelimit-remaining'), headers?.get('x-ratelimit-reset')]
      if (!left || !reset) return
      const at = Number(reset) * 1_000
      // Answers may overtake each other: within one minute the smallest number is the newest.
      if (at > resetAt + toleranceMs) remaining = Number(left)
      else if (at > resetAt - toleranceMs) remaining = Math.min(remaining, Number(left))
      resetAt = Math.max(resetAt, at)
    },
  }
}
