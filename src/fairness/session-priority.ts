// Many a Linux shares processors among sessions first (autogroup), so that a priority within one says nothing to the others.
import { readFileSync, writeFileSync } from 'node:fs'

/** To who is not root Linux allows one change of a session's priority in a tenth of a second. */
const retryMs = 110
const maxAttempts = 50

/** That of the session which the process leads, for as long as it lives; where there are no such groups nothing changes. */
export function setSessionPriority(pid: number | 'self', priority: number, attempt = 1): void {
  try {
    if (leadsSession(pid)) writeFileSync(`/proc/${pid}/autogroup`, String(priority))
  } catch (error) {
    // Otherwise it is not here, or not ours.
    const mayRetry = (error as NodeJS.ErrnoException).code === 'EAGAIN' && attempt < maxAttempts
    if (mayRetry) setTimeout(setSessionPriority, retryMs, pid, priority, attempt + 1).unref()
  }
}

/** Another's session may be that of the service, or of a whole login. */
function leadsSession(pid: number | 'self'): boolean {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [, , , session] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return session === text.split(' ')[0]
}
