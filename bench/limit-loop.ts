// The loop that drives PostgreSQL to its limit, in a process of its own: prepared statements are sent as bytes over a few
// connections, several under way on each, and of what comes back only the ends are counted.
import { serialize } from 'pg-protocol'
import { type ConnectionOptions, openConnection, sessionOptions, socketOf } from '../src/db/connection.ts'
import { newId } from '../src/operations/ids.ts'
import type { LoadResult } from './generator.ts'
import { percentile } from './percentiles.ts'

export interface PreparedRequest {
  readonly text: string
  readonly values: readonly unknown[]
  /** Which of the values is an id that must be new each time. */
  readonly newIdAt?: number | undefined
}

export interface LimitLoad {
  readonly connection: ConnectionOptions
  readonly connections: number
  /** How many statements are under way on each connection. */
  readonly depth: number
  readonly requests: readonly PreparedRequest[]
  readonly warmUpMs: number
  readonly measuredMs: number
}

process.once('message', async (load: LimitLoad) => {
  const result = await measure(load).catch((error: Error): LoadResult => ({ failure: error.message }))
  process.send!(result, () => process.exit())
})
process.once('disconnect', () => process.exit(1)) // the parent process is gone

async function measure(load: LimitLoad): Promise<LoadResult> {
  const names = new Map([...new Set(load.requests.map(({ text }) => text))].map((text, n) => [text, `s${n}`]))
  const prepared = load.requests.map((request) => toMessages(request, names.get(request.text)!))
  const sockets = await Promise.all(Array.from({ length: load.connections }, () => open(load.connection)))
  const latencies: number[] = []
  const from = performance.now() + load.warmUpMs
  const until = from + load.measuredMs
  let turn = 0
  const next = () => (performance.now() < until ? prepared[turn++ % prepared.length]!() : undefined)
  const record = (sentAt: number, now: number) => {
    if (sentAt >= from && now <= until) latencies.push(now - sentAt)
  }
  await Promise.all(sockets.map((socket) => runConnection(socket, names, load.depth, next, record)))
  return { throughput: latencies.length / (load.measuredMs / 1_000), p99Ms: percentile(latencies, 0.99) }
}

type Socket = ReturnType<typeof socketOf>

/** Signed in by the driver, with the settings of the service's own connections; from then on its bytes are ours. */
async function open(connection: ConnectionOptions): Promise<Socket> {
  const options = `${sessionOptions} -c plan_cache_mode=force_generic_plan`
  const socket = socketOf(await openConnection(connection, { options }))
  return socket.removeAllListeners('data')
}

const valueMapper = (value: unknown) => (value === null || value === undefined ? null : String(value))

function toMessages({ values, newIdAt }: PreparedRequest, statement: string): () => Buffer {
  const bound = (some: readonly unknown[]) =>
    Buffer.concat([
      serialize.bind({ statement, values: [...some], valueMapper }),
      serialize.execute(),
      serialize.sync(),
    ])
  if (newIdAt === undefined) {
    const bytes = bound(values)
    return () => bytes
  }
  const prefix = String(values[newIdAt]).split('_')[0]!
  return () => bound(values.with(newIdAt, newId(prefix)))
}

const code = { error: 0x45, ready: 0x5a }

/** Keeps so many statements under way on one connection, until there are none left. */
function runConnection(
  socket: Socket,
  names: ReadonlyMap<string, string>,
  depth: number,
  next: () => Buffer | undefined,
  record: (sentAt: number, now: number) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const sentAt: number[] = []
  let preparing = names.size
  let rest: Buffer = Buffer.alloc(0)

  /** What is answered makes room for as many; they travel together. */
  function send(count: number): void {
    const packet: Buffer[] = []
    for (let n = 0; n < count; n++) {
      const request = next()
      if (!request) break
      packet.push(request)
      sentAt.push(performance.now())
    }
    if (packet.length > 0) socket.write(packet.length === 1 ? packet[0]! : Buffer.concat(packet))
    if (sentAt.length > 0) return
    socket.destroy()
    resolve()
  }

  socket.on('data', (chunk: Buffer) => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let place = 0
    let answered = 0
    while (place + 5 <= bytes.length) {
      const end = place + 1 + bytes.readUInt32BE(place + 1)
      if (bytes[place] === code.error)
        return void socket.destroy(new Error(`PostgreSQL refused: ${bytes.toString('utf8', place + 5, end)}`))
      if (end > bytes.length) break
      if (bytes[place] === code.ready) answered++
      place = end
    }
    rest = bytes.subarray(place)
    if (answered === 0) return
    if (preparing > 0) {
      preparing -= answered
      if (preparing === 0) send(depth)
      return
    }
    const now = performance.now()
    for (const at of sentAt.splice(0, answered)) record(at, now)
    send(answered)
  })
  socket.once('close', () => reject(new Error('the connection was closed')))
  socket.once('error', reject)
  for (const [text, name] of names) socket.write(Buffer.concat([serialize.parse({ name, text }), serialize.sync()]))
  return promise
}
