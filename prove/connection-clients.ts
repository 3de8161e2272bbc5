// Clients that come in crowds, in a process of their own: some keep a connection and say nothing, some never come to an
// end with what they say.
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type HttpConnection, openConnection } from '../bench/raw-http.ts'

export type Command =
  /** Opens connections, sends one request on each, and keeps them. */
  | { readonly hold: number; readonly port: number; readonly request: string }
  /** One more request on any of the kept connections. */
  | { readonly ask: true }
  | { readonly count: true }
  /** Opens connections, sends this, and then a byte a second for ever. */
  | { readonly drip: number; readonly port: number; readonly beginning: string }

export type CommandReply =
  | { readonly held: number; readonly failures: readonly string[] }
  /** What the answer was, or 0 if none came. */
  | { readonly status: number }
  | { readonly open: number }
  /** Once for each that was cut: when, and with what answer. */
  | { readonly cutAfterMs: number; readonly status: number }

const concurrency = 50
const byteIntervalMs = 1_000

interface HeldConnection {
  readonly connection: HttpConnection
  /** Called with the answer. */
  onStatus: (status: number) => void
}
const heldConnections = new Set<HeldConnection>()

process.on('message', async (command: Command) => {
  if ('hold' in command) reply(await hold(command.hold, command.port, Buffer.from(command.request)))
  else if ('ask' in command) reply({ status: await requestOnAny() })
  else if ('count' in command) reply({ open: heldConnections.size })
  else for (let number = 0; number < command.drip; number++) drip(command.port, command.beginning)
})
process.once('disconnect', () => process.exit(0)) // the parent process is gone, or done

function reply(answer: CommandReply): void {
  process.send?.(answer)
}

let lastRequest: Buffer

async function hold(count: number, port: number, request: Buffer): Promise<CommandReply> {
  lastRequest = request
  const failures: string[] = []
  let remaining = count
  const openOneByOne = async () => {
    while (remaining-- > 0) {
      const failure = await openAndRequest(port, request)
      if (failure) failures.push(failure)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, openOneByOne))
  return { held: heldConnections.size, failures: failures.slice(0, 5) }
}

/** Settles when the first answer is there, with what went wrong. */
function openAndRequest(port: number, request: Buffer): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const connection = openConnection(port, {
    onOpen: () => connection.send(request),
    onResponse(_line, status, errorText) {
      resolve(errorText)
      heldConnection.onStatus(status)
    },
    onClose(error) {
      heldConnections.delete(heldConnection)
      heldConnection.onStatus(0)
      resolve(error?.message ?? 'the connection was closed')
    },
  })
  const heldConnection: HeldConnection = { connection, onStatus: () => {} }
  heldConnections.add(heldConnection)
  return promise
}

async function requestOnAny(): Promise<number> {
  const heldConnection = [...heldConnections][Math.floor(Math.random() * heldConnections.size)]
  if (!heldConnection) return 0
  const status = new Promise<number>((resolve) => {
    heldConnection.onStatus = resolve
  })
  heldConnection.connection.send(lastRequest)
  return status
}

async function drip(port: number, beginning: string): Promise<void> {
  const startedAt = performance.now()
  let status = 0
  const socket = connect({ host: '127.0.0.1', port })
  socket.write(beginning)
  socket.on('data', (bytes) => {
    status ||= Number(bytes.toString('latin1', 9, 12))
  })
  socket.on('error', () => {}) // to be cut is what it is here for
  socket.once('close', () => reply({ cutAfterMs: performance.now() - startedAt, status }))
  while (!socket.destroyed) {
    await delay(byteIntervalMs)
    if (socket.writable) socket.write('a')
  }
}
