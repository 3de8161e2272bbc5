// The load, in a process of its own: keeps connections busy against one port and tells how many answers came and when.
// It writes prepared bytes and reads no more of an answer than its status and length, because on a small machine whatever
// it costs is taken from the target: 42 µs a request, against 64 for autocannon sending a single request over and over.
import { connect } from 'node:net'

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

const headEnd = Buffer.from('\r\n\r\n')
/** Answers are looked at and forgotten at once, so all connections can read into the same memory. */
const memory = Buffer.alloc(262_144)

/** One keep-alive connection that sends a request whenever the one before is answered, until there is none. */
function converse(
  port: number,
  next: () => Buffer | undefined,
  answered: (sentAt: number, now: number) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let early = Buffer.alloc(0) // the beginning of a head that did not arrive whole
  let missing = 0 // bytes of an answer's body that are still to come
  let sentAt = 0
  let isOver = false

  const send = () => {
    const request = next()
    if (!request) {
      isOver = true
      return void socket.end()
    }
    sentAt = performance.now()
    socket.write(request)
  }
  const read = (bytes: Buffer) => {
    if (missing === 0) {
      const end = bytes.indexOf(headEnd)
      if (end < 0) {
        early = Buffer.from(bytes)
        return
      }
      early = Buffer.alloc(0)
      missing = lengthOf(bytes, end)
      bytes = bytes.subarray(end + headEnd.length)
    }
    missing -= bytes.length
    if (missing > 0) return
    answered(sentAt, performance.now())
    send()
  }
  const callback = (length: number) => {
    const arrived = memory.subarray(0, length)
    try {
      read(early.length > 0 ? Buffer.concat([early, arrived]) : arrived)
    } catch (error) {
      reject(error)
      socket.destroy()
    }
    return true
  }
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, onread: { buffer: memory, callback } })
  socket.once('connect', send).once('error', reject)
  socket.once('close', () => (isOver ? resolve() : reject(new Error('the connection was closed'))))
  return promise
}

/** How long the body is that follows this head; an answer that is not a success ends the measurement. */
function lengthOf(bytes: Buffer, end: number): number {
  const head = bytes.toString('latin1', 0, end)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (head[9] !== '2') throw new Error(`answered ${bytes.toString('utf8', 0, 600)}`)
  if (length === undefined) throw new Error(`answered without a Content-Length:\n${head}`)
  return Number(length)
}
