// What else the machine does, told beside the figures: they are worth less the more that is.
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

export interface MachineLoad {
  readonly cores: number
  readonly memoryGiB: number
  /** The load average of the last minute before anything was started. */
  readonly loadBefore: number
  /** Which share of all cores was busy while every target was up and nobody was asked: other work, before and after. */
  readonly busyBefore: number
  readonly busyAfter: number
  /** Which share of all cores the host gave to others meanwhile; undefined where it does not tell. */
  readonly stolen: number | undefined
}

const observedMs = 3_000

/** Of a measurement that goes on between two looks at the machine. */
export async function besideLoad<T>(loadBefore: number, measure: () => Promise<T>): Promise<[T, MachineLoad]> {
  const busyBefore = await busyShare()
  const stolenSince = watchStolen()
  const measured = await measure()
  const stolen = stolenSince()
  const busyAfter = await busyShare()
  const memoryGiB = totalmem() / 2 ** 30
  return [measured, { cores: availableParallelism(), memoryGiB, loadBefore, busyBefore, busyAfter, stolen }]
}

/** Answers, when asked, which share of all cores was somebody else's since: a virtual machine is told by its host. */
export function watchStolen(): () => number | undefined {
  const before = hostTimes()
  return () => {
    const after = hostTimes()
    return before && after && (after.stolen - before.stolen) / Math.max(1, after.total - before.total)
  }
}

/** The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal, in hundredths of a second. */
function hostTimes(): { readonly stolen: number; readonly total: number } | undefined {
  if (process.platform !== 'linux') return undefined
  const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const times = first.split(/\s+/).slice(1, 9).map(Number)
  return { stolen: times[7]!, total: times.reduce((total, time) => total + time, 0) }
}

export const loadOfTheLastMinute = (): number => loadavg()[0]!

/** The share of all cores that was not idle for a few seconds. */
async function busyShare(): Promise<number> {
  const before = coreTimes()
  await delay(observedMs)
  const after = coreTimes()
  return 1 - (after.idle - before.idle) / (after.total - before.total)
}

function coreTimes(): { readonly idle: number; readonly total: number } {
  const times = cpus().map((core) => core.times)
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return { idle: sum(times.map(({ idle }) => idle)), total: sum(times.flatMap((one) => Object.values(one))) }
}
