// What processes use while a trial runs: their memory and their share of the processors, looked up once a second.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const intervalMs = 1_000

export interface ResourceUsage {
  /** Of the process and all that come from it, one for each look. */
  readonly megabytes: readonly number[]
  /** Of one processor, from 0 on; 1.5 is one and a half of them. */
  readonly cpuCores: number
}

export interface ResourceMeter {
  /** Ends the looking. */
  read(): Promise<readonly ResourceUsage[]>
}

/** Watches processes, each with those that come from it. */
export function startMeter(...pids: readonly number[]): ResourceMeter {
  const megabytes = pids.map((): number[] => [])
  const first = new Map<number, number>()
  const last = new Map<number, number>()
  const startedAt = performance.now()
  const owner = new Map<number, number>()
  let sampling = sample()
  const timer = setInterval(() => {
    sampling = sampling.then(sample).catch(() => {}) // one look less
  }, intervalMs)
  timer.unref()

  async function sample(): Promise<void> {
    const processes = await listProcesses()
    for (const [index, pid] of pids.entries()) {
      const ownProcesses = processes.filter((one) => one.pid === pid || one.parent === pid)
      if (ownProcesses.length === 0) continue // it has ended
      megabytes[index]!.push(ownProcesses.reduce((sum, one) => sum + one.megabytes, 0))
      for (const one of ownProcesses) {
        owner.set(one.pid, index)
        if (!first.has(one.pid)) first.set(one.pid, one.cpuSeconds)
        last.set(one.pid, one.cpuSeconds)
      }
    }
  }

  return {
    async read() {
      clearInterval(timer)
      await sampling.then(sample)
      const seconds = (performance.now() - startedAt) / 1_000
      return pids.map((_, index) => {
        const ownProcesses = [...owner].filter(([, at]) => at === index).map(([pid]) => pid)
        const cpuSecondsUsed = ownProcesses.reduce((sum, pid) => sum + last.get(pid)! - first.get(pid)!, 0)
        return { megabytes: megabytes[index]!, cpuCores: cpuSecondsUsed / seconds }
      })
    },
  }
}

/** The last fifth against the second. The first is left out: there it is still warming up. */
export function memoryGrowth(megabytes: readonly number[]): number {
  const fifth = Math.floor(megabytes.length / 5)
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.round((mean(megabytes.slice(-fifth)) / mean(megabytes.slice(fifth, 2 * fifth))) * 100) / 100
}

/** The resident memory of a process. */
export async function residentMegabytes(pid: number): Promise<number> {
  return (await listProcesses()).find((one) => one.pid === pid)?.megabytes ?? 0
}

/** Of each process that it started. */
export async function childMegabytes(pid: number): Promise<number[]> {
  return (await listProcesses()).filter((one) => one.parent === pid).map(({ megabytes }) => megabytes)
}

export async function listProcesses() {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'rss=', '-o', 'time='])
  return stdout
    .trim()
    .split('\n')
    .map((row) => {
      const [pid, parent, kilobytes, time] = row.trim().split(/\s+/)
      return {
        pid: Number(pid),
        parent: Number(parent),
        megabytes: Number(kilobytes) / 1_024,
        cpuSeconds: parseCpuTime(time!),
      }
    })
}

/** `[[days-]hours:]minutes:seconds` */
const parseCpuTime = (time: string) =>
  time
    .replace('-', ':')
    .split(':')
    .toReversed()
    .reduce((sum, part, index) => sum + Number(part) * [1, 60, 3_600, 86_400][index]!, 0)
