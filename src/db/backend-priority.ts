// The priority of PostgreSQL's processes where they share processors with the service: those that nobody waits for stand
// behind all others.
import { readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

const lowPriority = 10
/** To who is not root Linux allows one change of a session's priority in a tenth of a second. */
const retryMs = 110
const maxAttempts = 50

/** For as long as the process lives. Of a PostgreSQL that is another user's nothing changes. */
export function lowerPriority(pid: number, attempt = 1): void {
  if (process.platform !== 'linux') return
  try {
    // A socket may lead into a container, where processes have other numbers.
    if (!/^postgres: .*\[local\]/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))) return
    setPriority(pid, lowPriority)
    // Many a Linux shares processors among sessions first, and each process of PostgreSQL is a session of its own.
    writeFileSync(`/proc/${pid}/autogroup`, String(lowPriority))
  } catch (error) {
    // Otherwise it is not here, not ours, or there are no such groups.
    const mayRetry = (error as NodeJS.ErrnoException).code === 'EAGAIN' && attempt < maxAttempts
    if (mayRetry) setTimeout(lowerPriority, retryMs, pid, attempt + 1).unref()
  }
}
