// Many a Linux shares processors among sessions first (autogroup), so that a priority within one says nothing to the others.
import { writeFileSync } from 'node:fs'

/** To who is not root Linux allows one change of a session's priority in a tenth of a second. */
const retryMs = 110
const maxAttempts = 50

/** That of the session which the process is in, for as long as it lives; where there are no such groups nothing changes. */
export function setSessionPriority(process: number | 'self', priority: number, attempt = 1): void {
  try {
    writeFileSync(`/proc/${process}/autogroup`, String(priority))
  } catch (error) {
    // Otherwise it is not here, or not ours.
    const mayRetry = (error as NodeJS.ErrnoException).code === 'EAGAIN' && attempt < maxAttempts
    if (mayRetry) setTimeout(setSessionPriority, retryMs, process, priority, attempt + 1).unref()
  }
}
