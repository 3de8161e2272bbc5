// The priority of PostgreSQL's processes where they share processors with the service: those that nobody waits for stand
// behind all others.
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { setSessionPriority } from '../fairness/session-priority.ts'

const lowPriority = 10

/** For as long as the process lives. Of a PostgreSQL that is another user's nothing changes. */
export function lowerPriority(pid: number): void {
  if (process.platform !== 'linux') return
  try {
    // A socket may lead into a container, where processes have other numbers.
    if (!/^postgres: .*\[local\]/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))) return
    setPriority(pid, lowPriority)
  } catch {
    return // it is not here, or not ours
  }
  setSessionPriority(pid, lowPriority) // each process of PostgreSQL is a session of its own
}
