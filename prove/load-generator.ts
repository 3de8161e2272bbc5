// Requests at a fixed rate, in a process of its own. A request is due whether those before it are answered or not, and
// latency counts from the time it was due: a service that hangs gets no fewer requests, and hides nothing.
import { percentile } from '../bench/percentiles.ts'
import { type HttpConnection, openConnection } from '../bench/raw-http.ts'

export interface Load {
  readonly port: number
  readonly connections: number
  readonly requestsPerSecond: number
  readonly seconds: number
  /** Sent round robin. */
  readonly requests: readonly { readonly workload: string; readonly isWrite: boolean; readonly text: string }[]
}

/** How far it is. */
export interface Progress {
  readonly sent: number
  readonly answered: number
  readonly failed: number
}

export interface LatencyStats {
  readonly count: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

export interface LoadResult {
  readonly answered: number
  readonly seconds: number
  /** Answers that are no success, by status. */
  readonly errorStatuses: Readonly<Record<string, number>>
  /** Requests whose connection ended before the answer. */
  readonly lost: number
  readonly unanswered: number
  /** The first of what went wrong, in words. */
  readonly errors: readonly string[]
  readonly reads: LatencyStats
  readonly writes: LatencyStats
  /** Without those of the first seconds, in which the service, the pool's connections and this process have just started. */
  readonly warm: { readonly reads: LatencyStats; readonly writes: LatencyStats }
  readonly byWorkload: Readonly<Record<string, LatencyStats>>
  readonly cpuCores: number
}

export type Message = { readonly progress: Progress } | { readonly outcome: LoadResult }

/** The timeout for the last answers. */
const drainTimeoutMs = 60_000
const progressIntervalMs = 10_000
const maxErrors = 5
const coldSeconds = 10

process.once('message', (load: Load) => {
  runLoad(load).then((outcome) => process.send!({ outcome } satisfies Message, () => process.exit()))
})
process.once('disconnect', () => process.exit(1)) // the parent process is gone

/** A connection, and the number of the request that is under way on it. */
interface Slot {
  readonly connection: HttpConnection
  current: number | undefined
}

function runLoad({ port, connections, requestsPerSecond, seconds, requests }: Load): Promise<LoadResult> {
  const prepared = requests.map(({ text }) => Buffer.from(text))
  const total = requestsPerSecond * seconds
  const latencies = new Float64Array(total).fill(Number.NaN)
  const errorStatuses: Record<string, number> = {}
  const errors: string[] = []
  const free: Slot[] = []
  const queue: number[] = []
  let startedCount = 0
  let answered = 0
  let failed = 0
  let lost = 0
  const { promise, resolve } = Promise.withResolvers<LoadResult>()
  const startedAt = performance.now()
  const scheduledAt = (number: number) => startedAt + (number * 1_000) / requestsPerSecond

  const recordError = (text: string) => {
    failed++
    if (errors.length < maxErrors) errors.push(text)
  }
  const open = () => {
    const slot: Slot = {
      current: undefined,
      connection: openConnection(port, {
        onOpen: () => sendNext(slot),
        onResponse(_line, status, errorText) {
          latencies[slot.current!] = performance.now() - scheduledAt(slot.current!)
          answered++
          if (errorText) {
            errorStatuses[status] = (errorStatuses[status] ?? 0) + 1
            recordError(errorText)
          }
          sendNext(slot)
        },
        onClose(error) {
          if (free.includes(slot)) free.splice(free.indexOf(slot), 1)
          if (slot.current !== undefined) {
            lost++
            recordError(error?.message ?? 'the connection was closed')
          }
          if (!isOver()) setTimeout(open, 100)
        },
      }),
    }
  }
  const sendNext = (slot: Slot) => {
    slot.current = queue.shift()
    if (slot.current === undefined) free.push(slot)
    else slot.connection.send(prepared[slot.current % prepared.length]!)
  }
  const isOver = () => answered + lost >= total || performance.now() > scheduledAt(total) + drainTimeoutMs

  const tick = setInterval(() => {
    const now = performance.now()
    while (startedCount < total && scheduledAt(startedCount) <= now) queue.push(startedCount++)
    // The line that has rested longest comes first, so that none rests for long.
    while (queue.length > 0 && free.length > 0) sendNext(free.shift()!)
    if (isOver()) finish()
  }, 1)
  const progressTimer = setInterval(() => {
    process.send!({ progress: { sent: startedCount - queue.length, answered, failed } } satisfies Message)
  }, progressIntervalMs)

  function finish(): void {
    clearInterval(tick)
    clearInterval(progressTimer)
    const elapsed = performance.now() - startedAt
    const { user, system } = process.cpuUsage()
    const statsWhere = (test: (request: Load['requests'][number]) => boolean, from = 0) =>
      latencyStats(
        latencies.filter(
          (latency, number) => number >= from && !Number.isNaN(latency) && test(requests[number % requests.length]!),
        ),
      )
    const warmFrom = Math.min(coldSeconds, seconds / 2) * requestsPerSecond
    const workloads = [...new Set(requests.map(({ workload }) => workload))]
    resolve({
      answered,
      seconds: elapsed / 1_000,
      errorStatuses,
      lost,
      unanswered: total - answered - lost,
      errors,
      reads: statsWhere(({ isWrite }) => !isWrite),
      writes: statsWhere(({ isWrite }) => isWrite),
      warm: {
        reads: statsWhere(({ isWrite }) => !isWrite, warmFrom),
        writes: statsWhere(({ isWrite }) => isWrite, warmFrom),
      },
      byWorkload: Object.fromEntries(workloads.map((name) => [name, statsWhere(({ workload }) => workload === name)])),
      cpuCores: (user + system) / 1_000 / elapsed,
    })
  }
  for (let count = 0; count < connections; count++) open()
  return promise
}

function latencyStats(latencies: Float64Array): LatencyStats {
  const [p50Ms, p99Ms, maxMs] = [0.5, 0.99, 1].map((fraction) => percentile(latencies, fraction)) as [
    number,
    number,
    number,
  ]
  return { count: latencies.length, p50Ms, p99Ms, maxMs }
}
