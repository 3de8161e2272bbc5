// HTTP as bytes, for whoever must cost less than a client does: prepared requests are written as they are, and of an
// answer no more is read than its status and length, because on a small machine the generator competes with what it measures.
import { connect } from 'node:net'

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export function serializeRequest({ method, path, headers, body = '' }: HttpRequest, port: number): string {
  const lines = Object.entries({
    Host: `127.0.0.1:${port}`,
    ...headers,
    ...(body && { 'Content-Length': Buffer.byteLength(body) }),
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

export interface HttpConnection {
  /** One request at a time: the next when this one is answered. */
  send(request: Buffer): void
  end(): void
}

export interface ConnectionHandlers {
  onOpen(connection: HttpConnection): void
  /** `refusal` is empty for a success, else the beginning of the answer. */
  onResponse(connection: HttpConnection, status: number, errorText: string): void
  onClose(error: Error | undefined): void
}

const headEnd = Buffer.from('\r\n\r\n')
/** Answers are looked at and forgotten at once, so all connections can read into the same memory. */
const readBuffer = Buffer.alloc(262_144)

/** One keep-alive connection. */
export function openConnection(port: number, { onOpen, onResponse, onClose }: ConnectionHandlers): HttpConnection {
  let partialHead = Buffer.alloc(0) // the beginning of a head that did not arrive whole
  let remainingBytes = 0 // bytes of an answer's body that are still to come
  let status = 0
  let errorText = ''
  let failure: Error | undefined

  const parse = (bytes: Buffer) => {
    if (remainingBytes === 0) {
      const end = bytes.indexOf(headEnd)
      if (end < 0) {
        partialHead = Buffer.from(bytes)
        return
      }
      partialHead = Buffer.alloc(0)
      const head = bytes.toString('latin1', 0, end)
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
      if (length === undefined) throw new Error(`answered without a Content-Length:\n${head}`)
      remainingBytes = Number(length)
      status = Number(head.slice(9, 12))
      errorText = status >= 200 && status < 300 ? '' : bytes.toString('utf8', 0, 600)
      bytes = bytes.subarray(end + headEnd.length)
    }
    remainingBytes -= bytes.length
    if (remainingBytes > 0) return
    remainingBytes = 0
    onResponse(connection, status, errorText)
  }
  const callback = (length: number) => {
    const chunk = readBuffer.subarray(0, length)
    try {
      parse(partialHead.length > 0 ? Buffer.concat([partialHead, chunk]) : chunk)
    } catch (error) {
      socket.destroy(error as Error)
    }
    return true
  }
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, onread: { buffer: readBuffer, callback } })
  const connection: HttpConnection = { send: (request) => void socket.write(request), end: () => void socket.end() }
  socket.once('connect', () => onOpen(connection))
  socket.once('error', (error) => {
    failure = error
  })
  socket.once('close', () => onClose(failure))
  return connection
}
