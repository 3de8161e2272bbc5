// Clients that come in crowds, in a process of their own: some keep a connection and say nothing, some never come to an
// end with what they say.
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type Line, openLine } from '../bench/wire.ts'

export type Order =
  /** Opens connections, asks once on each, and keeps them. */
  | { readonly hold: number; readonly port: number; readonly request: string }
  /** Asks once more on a kept connection; any of them. */
  | { readonly ask: true }
  | { readonly count: true }
  /** Opens connections, sends this, and then a byte a second for ever. */
  | { readonly drip: number; readonly port: number; readonly beginning: string }

export type Answer =
  | { readonly held: number; readonly failures: readonly string[] }
  /** What the answer was, or 0 if none came. */
  | { readonly status: number }
  | { readonly open: number }
  /** Once for each that was cut: when, and with what answer. */
  | { readonly cutAfterMs: number; readonly status: number }

const atOnce = 50
const dripMs = 1_000

interface Held {
  readonly line: Line
  /** Whoever waits for the answer on it. */
  heard: (status: number) => void
}
const held = new Set<Held>()

process.on('message', async (order: Order) => {
  if ('hold' in order) tell(await hold(order.hold, order.port, Buffer.from(order.request)))
  else if ('ask' in order) tell({ status: await askOnAny() })
  else if ('count' in order) tell({ open: held.size })
  else for (let number = 0; number < order.drip; number++) drip(order.port, order.beginning)
})
process.once('disconnect', () => process.exit(0)) // whoever asked is gone, or has seen enough

function tell(answer: Answer): void {
  process.send?.(answer)
}

let lastRequest: Buffer

async function hold(count: number, port: number, request: Buffer): Promise<Answer> {
  lastRequest = request
  const failures: string[] = []
  let left = count
  const openOneByOne = async () => {
    while (left-- > 0) {
      const failure = await opened(port, request)
      if (failure) failures.push(failure)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, openOneByOne))
  return { held: held.size, failures: failures.slice(0, 5) }
}

/** Settles when the first answer is there, with what went wrong. */
function opened(port: number, request: Buffer): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const line = openLine(port, {
    opened: () => line.send(request),
    answered(_line, status, refusal) {
      resolve(refusal)
      one.heard(status)
    },
    closed(error) {
      held.delete(one)
      one.heard(0)
      resolve(error?.message ?? 'the connection was closed')
    },
  })
  const one: Held = { line, heard: () => {} }
  held.add(one)
  return promise
}

async function askOnAny(): Promise<number> {
  const one = [...held][Math.floor(Math.random() * held.size)]
  if (!one) return 0
  const status = new Promise<number>((resolve) => {
    one.heard = resolve
  })
  one.line.send(lastRequest)
  return status
}

async function drip(port: number, beginning: string): Promise<void> {
  const since = performance.now()
  let status = 0
  const socket = connect({ host: '127.0.0.1', port })
  socket.write(beginning)
  socket.on('data', (bytes) => {
    status ||= Number(bytes.toString('latin1', 9, 12))
  })
  socket.on('error', () => {}) // to be cut is what it is here for
  socket.once('close', () => tell({ cutAfterMs: performance.now() - since, status }))
  while (!socket.destroyed) {
    await delay(dripMs)
    if (socket.writable) socket.write('a')
  }
}
