// The load, in a process of its own: keeps connections busy against one port and tells how many answers came and when.
// It costs 42 µs a request, against 64 for autocannon sending a single request over and over.
import { openLine } from './wire.ts'

export interface Load {
  readonly port: number
  readonly connections: number
  /** Whole HTTP requests, sent in turn, over and over. */
  readonly requests: readonly string[]
  readonly warmUpMs: number
  readonly measuredMs: number
}

export type Outcome = { readonly perSecond: number; readonly p99Ms: number } | { readonly failure: string }

process.once('message', async (load: Load) => {
  const outcome = await measure(load).catch((error: Error): Outcome => ({ failure: error.message }))
  process.send!(outcome, () => process.exit())
})
process.once('disconnect', () => process.exit(1)) // whoever asked is gone

async function measure({ port, connections, requests, warmUpMs, measuredMs }: Load): Promise<Outcome> {
  const prepared = requests.map((request) => Buffer.from(request))
  const waits: number[] = []
  const from = performance.now() + warmUpMs
  const until = from + measuredMs
  let turn = 0
  const next = () => (performance.now() < until ? prepared[turn++ % prepared.length] : undefined)
  const answered = (sentAt: number, now: number) => {
    if (sentAt >= from && now <= until) waits.push(now - sentAt)
  }
  await Promise.all(Array.from({ length: connections }, () => converse(port, next, answered)))
  const sorted = Float64Array.from(waits).sort()
  return {
    perSecond: waits.length / (measuredMs / 1_000),
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
  }
}

/** One connection that sends a request whenever the one before is answered, until there is none. */
function converse(
  port: number,
  next: () => Buffer | undefined,
  answered: (sentAt: number, now: number) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let sentAt = 0
  let isOver = false
  const line = openLine(port, {
    opened: send,
    answered(_line, _status, refusal) {
      // An answer that is not a success ends the measurement.
      if (refusal) return reject(new Error(`answered ${refusal}`))
      answered(sentAt, performance.now())
      send()
    },
    closed: (error) => (isOver ? resolve() : reject(error ?? new Error('the connection was closed'))),
  })
  function send(): void {
    const request = next()
    if (!request) {
      isOver = true
      line.end()
      return
    }
    sentAt = performance.now()
    line.send(request)
  }
  return promise
}
