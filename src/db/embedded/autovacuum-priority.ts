// Autovacuum stands behind requests: otherwise it has a processor of its own for the half second that it looks at a table.
// PostgreSQL starts its processes by itself and has no setting for their priority.
import { readFileSync } from 'node:fs'
import { lowerPriority, titleOf } from '../backend-priority.ts'

/** A look takes 0.1 ms of an idle processor, and autovacuum half a second for a few tables. */
const intervalMs = 100

/** For as long as PostgreSQL runs. */
export function yieldAutovacuum(postmasterPid: number, exited: Promise<void>): void {
  if (process.platform !== 'linux') return
  let known = new Set<number>()
  const timer = setInterval(() => {
    const children = childrenOf(postmasterPid)
    if (!children) return clearInterval(timer) // this Linux does not list them
    const added = children.filter((pid) => !known.has(pid))
    for (const pid of added) lowerPriority(pid, /^postgres: autovacuum worker/)
    // One that has just been started bears PostgreSQL's own title for a moment.
    const unnamed = added.filter((pid) => !titleOf(pid).startsWith('postgres: '))
    known = new Set(children.filter((pid) => !unnamed.includes(pid)))
  }, intervalMs).unref()
  exited.then(() => clearInterval(timer))
}

function childrenOf(pid: number): readonly number[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return undefined
  }
}
