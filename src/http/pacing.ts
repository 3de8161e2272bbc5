// Long work in pieces: whoever shares the event loop has half of the time meanwhile.
import { setTimeout as delay } from 'node:timers/promises'

/** Less than this nobody notices, and a pause for every small piece would add up. */
const minWorkMs = 4

/** To be called after each piece: it waits as long as was worked since it last waited. */
export function createPace(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    const workedMs = performance.now() - since
    if (workedMs < minWorkMs) return
    await delay(workedMs)
    since = performance.now()
  }
}
