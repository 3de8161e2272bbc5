// A place that always has a process: one that ends by itself is followed by another, and one can be replaced while it serves.
import { setTimeout as delay } from 'node:timers/promises'
import { restartDelayMs } from '../domain/restarts.ts'
import type { FamilySamples } from '../metrics/prometheus.ts'
import type { Launched } from './launch.ts'
import type { ProcessLog } from './log.ts'
import type { StopReason } from './protocol.ts'

export interface Slot {
  readonly name: string
  /** The first process of this place; rejects with the reason if it does not get ready. */
  start(): Promise<void>
  /** Another process takes its place, and is ready before this one ends. If the other does not get ready, this one stays. */
  replace(): Promise<void>
  stop(reason: StopReason): Promise<void>
  /** Undefined while there is none, or if it does not answer in time. */
  samples(): Promise<readonly FamilySamples[] | undefined>
  greet(): Promise<string>
  /** How often a process ended by itself. */
  failures(): number
}

interface SlotOptions {
  readonly name: string
  launch(): Launched
  readonly log: ProcessLog
  /** It ended too often. */
  giveUp(reason: string): void
}

const samplesTimeoutMs = 2_000

export function createSlot({ name, launch, log, giveUp }: SlotOptions): Slot {
  const alive = new Set<Launched>()
  const ends: number[] = []
  let current: Launched | undefined
  let isStopping = false
  let isReplacing = false

  async function begin(): Promise<void> {
    const launched = launch()
    alive.add(launched)
    launched.exited.then(() => alive.delete(launched))
    log.info({ process: name, processId: launched.pid }, 'a process starts')
    await launched.ready
    current = launched
    log.info({ process: name, processId: launched.pid }, 'a process is ready')
    launched.exited.then((how) => {
      if (current !== launched) return // it has been replaced
      current = undefined
      if (!isReplacing) void restart(how)
    })
  }

  async function restart(how: string): Promise<void> {
    if (isStopping) return
    ends.push(performance.now())
    const delayMs = restartDelayMs(ends)
    if (delayMs === undefined) return giveUp(`${name} ended too often within a minute, the last time with: ${how}`)
    log.error({ process: name, how, delayMs }, 'a process ended; it is started again')
    await delay(delayMs)
    if (!isStopping) await begin().catch((error: Error) => restart(error.message))
  }

  return {
    name,
    start: begin,
    async replace() {
      const old = current
      if (!old) return // it is being started anew
      isReplacing = true
      try {
        await begin()
      } finally {
        isReplacing = false
        if (!current) void restart('it ended while another was to take its place')
      }
      await old.stop('replaced')
    },
    async stop(reason) {
      isStopping = true
      await Promise.all([...alive].map((launched) => launched.stop(reason)))
    },
    samples: async () =>
      Promise.race([current?.calls.call('samples'), delay(samplesTimeoutMs, undefined, { ref: false })]).catch(
        () => undefined,
      ),
    greet: async () => current!.calls.call('greet'),
    failures: () => ends.length,
  }
}
