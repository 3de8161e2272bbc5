// The priority of PostgreSQL's processes where they share processors with the service: those that nobody waits for stand
// behind all others.
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { setSessionPriority } from '../fairness/session-priority.ts'

const lowPriority = 10
/** How a process of PostgreSQL calls itself that serves somebody on this machine. */
const localSession = /^postgres: .*\[local\]/

/** For as long as the process lives, if it bears such a title. Of a PostgreSQL that is another user's nothing changes. */
export function lowerPriority(pid: number, title = localSession): void {
  if (process.platform !== 'linux') return
  // A socket may lead into a container, where processes have other numbers.
  if (!title.test(titleOf(pid))) return
  try {
    setPriority(pid, lowPriority)
  } catch {
    return // it is not ours
  }
  setSessionPriority(pid, lowPriority) // each process of PostgreSQL is a session of its own
}

/** Empty where the process is gone, or not to be seen. */
export function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
