// What else the machine does, told beside the figures: they are worth less the more that is.
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
}

const observedMs = 3_000

/** Of a measurement that goes on between two looks at the machine. */
export async function besideLoad<T>(loadBefore: number, measure: () => Promise<T>): Promise<[T, MachineLoad]> {
  const busyBefore = await busyShare()
  const measured = await measure()
  const busyAfter = await busyShare()
  const memoryGiB = totalmem() / 2 ** 30
  return [measured, { cores: availableParallelism(), memoryGiB, loadBefore, busyBefore, busyAfter }]
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
