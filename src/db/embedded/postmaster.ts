// Finds out whose PostgreSQL holds a data folder, from what PostgreSQL writes there and from the processes that run.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The PostgreSQL process that holds the folder, and the Jobwright process that started it. */
export interface Postmaster {
  pid: number
  starter: { kind: string; pid: number; isAlive: boolean }
}

const run = promisify(execFile)

/** Reads the command line of the recorded process, because its pid may be another process's by now. */
export async function findPostmaster(folder: string): Promise<Postmaster | undefined> {
  const pid = await recordedPid(folder)
  const holder = pid && (await lookUpProcess(pid))
  const starter =
    holder && /^(server|command)-(\d+)/.exec(holder.command.split(ownerFlags(folder, '').join(' '))[1] ?? '')
  if (!starter) return undefined
  // A process that outlives its parent is given another, so no newer process can pass for the starter.
  const isAlive = holder.parent === Number(starter[2])
  return { pid, starter: { kind: starter[1]!, pid: Number(starter[2]), isAlive } }
}

/** The number PostgreSQL writes into its folder, where it stays if PostgreSQL is killed. */
export async function recordedPid(folder: string): Promise<number | undefined> {
  const record = await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '')
  return Number.parseInt(record, 10) || undefined
}

export async function lookUpProcess(pid: number): Promise<{ parent: number; command: string } | undefined> {
  try {
    if (process.platform === 'linux') {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8')
      const status = await readFile(`/proc/${pid}/status`, 'utf8')
      return { parent: Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]), command: command.replaceAll('\0', ' ') }
    }
    const { stdout } = await run('ps', ['-ww', '-o', 'ppid=', '-o', 'args=', '-p', String(pid)])
    const [, parent, command] = /^\s*(\d+) (.*)/s.exec(stdout)!
    return { parent: Number(parent), command: command! }
  } catch {
    return undefined
  }
}

/** Settings of our own by which findPostmaster, and people, tell whose PostgreSQL a process is. */
export function ownerFlags(folder: string, starter: string): string[] {
  return [`--jobwright.folder=${folder}`, `--jobwright.started_by=${starter}`]
}

export function describeHolder(postmaster: Postmaster | undefined): string {
  if (!postmaster) return 'a PostgreSQL that is out of sight, as in another container'
  return `a ${postmaster.starter.kind} (process ${postmaster.starter.pid}) and its PostgreSQL (process ${postmaster.pid})`
}
