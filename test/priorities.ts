// Who stands behind whom for a processor, as Linux tells it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Of all threads of a process, each once; the priority is the 17th value after the name. */
export function threadPriorities(pid: number | string): number[] {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'),
  )
  return [...new Set(threads.map((line) => Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[16])))]
}

/** That of its session, where Linux shares processors among sessions first. */
export function sessionPriority(pid: number | string): number | undefined {
  const file = `/proc/${pid}/autogroup`
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('nice ')[1]) : undefined
}
