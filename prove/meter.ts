// What processes use while a trial runs: their memory and their share of the processors, looked up once a second.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const everyMs = 1_000

export interface Use {
  /** Of the process and all that come from it, one for each look. */
  readonly megabytes: readonly number[]
  /** Of one processor, from 0 on; 1.5 is one and a half of them. */
  readonly processors: number
}

export interface Meter {
  /** Ends the looking. */
  read(): Promise<readonly Use[]>
}

/** Watches processes, each with those that come from it. */
export function watch(...pids: readonly number[]): Meter {
  const megabytes = pids.map((): number[] => [])
  const first = new Map<number, number>()
  const last = new Map<number, number>()
  const since = performance.now()
  const owner = new Map<number, number>()
  let looking = look()
  const timer = setInterval(() => {
    looking = looking.then(look).catch(() => {}) // one look less
  }, everyMs)
  timer.unref()

  async function look(): Promise<void> {
    const processes = await lookUp()
    for (const [index, pid] of pids.entries()) {
      const own = processes.filter((one) => one.pid === pid || one.parent === pid)
      if (own.length === 0) continue // it has ended
      megabytes[index]!.push(own.reduce((sum, one) => sum + one.megabytes, 0))
      for (const one of own) {
        owner.set(one.pid, index)
        if (!first.has(one.pid)) first.set(one.pid, one.cpuSeconds)
        last.set(one.pid, one.cpuSeconds)
      }
    }
  }

  return {
    async read() {
      clearInterval(timer)
      await looking.then(look)
      const seconds = (performance.now() - since) / 1_000
      return pids.map((_, index) => {
        const own = [...owner].filter(([, at]) => at === index).map(([pid]) => pid)
        const used = own.reduce((sum, pid) => sum + last.get(pid)! - first.get(pid)!, 0)
        return { megabytes: megabytes[index]!, processors: used / seconds }
      })
    },
  }
}

/** What a process holds at the moment. */
export async function megabytesOf(pid: number): Promise<number> {
  return (await lookUp()).find((one) => one.pid === pid)?.megabytes ?? 0
}

async function lookUp() {
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
        cpuSeconds: secondsOf(time!),
      }
    })
}

/** `[[days-]hours:]minutes:seconds` */
const secondsOf = (time: string) =>
  time
    .replace('-', ':')
    .split(':')
    .toReversed()
    .reduce((sum, part, index) => sum + Number(part) * [1, 60, 3_600, 86_400][index]!, 0)
