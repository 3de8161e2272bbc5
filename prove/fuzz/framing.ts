// What is not quite HTTP, byte by byte: bad request lines, headers and lengths, smuggled and pipelined requests.
import { connect } from 'node:net'
import fc from 'fast-check'
import type { FuzzTarget } from './campaign.ts'
import type { Violation } from './response-checks.ts'

interface RawRequest {
  readonly line: string
  readonly headers: readonly string[]
  readonly body: string
  /** The bytes go out in so many pieces. */
  readonly pieces: number
  readonly times: number
}

const crlf = '\r\n'
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}${crlf}${text}${crlf}`

export function framingTarget(port: number, orgId: string, key: string, runs: number): FuzzTarget<RawRequest> {
  const path = `/api/v1/organisations/${orgId}/customers`
  const good = [`GET ${path} HTTP/1.1`, `POST ${path} HTTP/1.1`]
  const lines = [
    ...[
      `GET ${path}`,
      `GET ${path} HTTP/1.0`,
      `GET ${path} HTTP/2.0`,
      `GET ${path} HTTP/9.9`,
      `GET  ${path}  HTTP/1.1`,
      `get ${path} HTTP/1.1`,
    ],
    ...[
      `FETCH ${path} HTTP/1.1`,
      `G\u00c9T ${path} HTTP/1.1`,
      ` GET ${path} HTTP/1.1`,
      `GET\t${path}\tHTTP/1.1`,
      `${path}`,
      '',
      'GET',
      '\0',
      '\x16\x03\x01',
    ],
    ...[
      `GET ${path}\u00e9 HTTP/1.1`,
      `GET ${path}\0 HTTP/1.1`,
      `GET ${path}#x HTTP/1.1`,
      `GET http://evil.example${path} HTTP/1.1`,
      `CONNECT evil.example:443 HTTP/1.1`,
    ],
    ...[
      'OPTIONS * HTTP/1.1',
      `GET ${path.repeat(900)} HTTP/1.1`,
      `PRI * HTTP/2.0`,
      `GET ${path} HTTP/1.1 x`,
      `GET ${path}%0d%0aX: y HTTP/1.1`,
    ],
  ]
  const json = 'content-type: application/json'
  const headers = [
    ...[
      'host: 127.0.0.1',
      `x-api-key: ${key}`,
      `authorization: Bearer ${key}`,
      json,
      'content-length: 2',
      'content-length: 0',
      'connection: close',
    ],
    ...[
      'content-length: -1',
      'content-length: 1e3',
      'content-length: 99999999999999999999',
      'content-length: 2, 3',
      'content-length: +2',
      'content-length:',
    ],
    ...[
      'transfer-encoding: chunked',
      'transfer-encoding: gzip, chunked',
      'transfer-encoding: chunked, identity',
      'transfer-encoding : chunked',
      'transfer-encoding: xchunked',
    ],
    ...[
      'expect: 100-continue',
      'expect: something',
      'upgrade: websocket',
      'connection: upgrade',
      'connection: keep-alive, x',
      'te: trailers',
      'http2-settings: x',
    ],
    ...[
      'no colon',
      ': no name',
      'na me: x',
      'name\0: x',
      'x: a\0b',
      'x: a\rb',
      'x:\u00ff',
      ' folded',
      '\tfolded',
      'x: '.padEnd(65_536, 'y'),
      'host: a',
      'host:',
      'host: [::1',
      'host: a b',
    ],
    ...[
      `x-api-key: ${key}`,
      'x-api-key:',
      'x-forwarded-host: evil.example',
      'x-http-method-override: DELETE',
      'cookie: '.padEnd(9_000, 'a=b; '),
    ],
  ]
  const bodies = [
    ...[
      '',
      '{}',
      '{"firstName":"Framed"}',
      '{',
      chunk('{"firstName":"Framed"}') + chunk(''),
      chunk('{}'),
      `zz${crlf}{}${crlf}0${crlf}${crlf}`,
      `2;x=y${crlf}{}${crlf}0${crlf}${crlf}`,
    ],
    ...[
      `ffffffffffffffff1${crlf}x`,
      `-1${crlf}x`,
      `2${crlf}{}x${crlf}`,
      `0${crlf}x-api-key: y${crlf}${crlf}`,
      `0${crlf}${crlf}GET /health/live HTTP/1.1${crlf}host: a${crlf}${crlf}`,
    ],
  ]
  const cases = fc.record<RawRequest>({
    line: fc.oneof(fc.constantFrom(...good), fc.constantFrom(...lines)),
    headers: fc
      .tuple(
        fc.constantFrom([headers[0]!, headers[1]!], [headers[0]!, headers[1]!, json], []),
        fc.array(fc.constantFrom(...headers), { maxLength: 3 }),
      )
      .map(([usual, odd]) => [...usual, ...odd]),
    body: fc.constantFrom(...bodies),
    pieces: fc.constantFrom(1, 1, 1, 2, 7),
    times: fc.constantFrom(1, 1, 1, 2, 5),
  })
  return {
    name: 'framing',
    cases,
    runs,
    async attempt(rawRequest) {
      const bytes = Buffer.from(
        `${rawRequest.line}${crlf}${rawRequest.headers.join(crlf)}${crlf}${crlf}${rawRequest.body}`.repeat(
          rawRequest.times,
        ),
        'latin1',
      )
      const text = await exchange(port, bytes, rawRequest.pieces)
      return {
        violations: violationsIn(text),
        reproduction: () =>
          JSON.stringify({
            sent: bytes.toString('latin1').replaceAll(key, '…').slice(0, 1_500),
            parts: rawRequest.pieces,
          }),
      }
    },
  }
}

/** Sends, and listens until the service ends the connection or has said nothing more for a moment. */
function exchange(port: number, bytes: Buffer, pieces: number): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1')
    const finish = () => {
      socket.destroy()
      resolve(Buffer.concat(chunks).toString('utf8'))
    }
    let silenceTimer = setTimeout(finish, 2_000)
    socket.on('data', (part) => {
      chunks.push(part)
      clearTimeout(silenceTimer)
      silenceTimer = setTimeout(finish, 60)
    })
    socket.on('error', finish).on('close', finish)
    const size = Math.ceil(bytes.length / pieces)
    for (let at = 0; at < bytes.length; at += size) socket.write(bytes.subarray(at, at + size))
    socket.end() // nothing more will come: a server that expects more may answer now
  })
}

/** The answers in order; none at all is valid for what was never a whole request. */
function violationsIn(text: string): Violation[] {
  const violations: Violation[] = []
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    const head = /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(rest.toString())
    if (!head) return [...violations, { kind: 'no HTTP', detail: rest.toString().slice(0, 300) }]
    const [whole, status, headers] = head
    const { body, after } = splitBody(rest.subarray(Buffer.byteLength(whole)), headers!)
    rest = after
    if (Number(status) >= 500) violations.push({ kind: `status ${status}`, detail: String(body) })
    if (body && !/^\{("success":(true|false),|"status":")/.test(body)) {
      violations.push({ kind: 'not the envelope', detail: `${status} ${body.slice(0, 300)}` })
    }
  }
  return violations
}

/** A body that was cut off by the end of the connection is not checked. */
function splitBody(
  bytes: Buffer<ArrayBuffer>,
  headers: string,
): { body: string | undefined; after: Buffer<ArrayBuffer> } {
  if (/^transfer-encoding: chunked$/im.test(headers)) {
    const [whole, , body] = /^([0-9a-f]+)\r\n([\s\S]*?)\r\n0\r\n\r\n/.exec(bytes.toString()) ?? []
    return whole
      ? { body, after: bytes.subarray(Buffer.byteLength(whole)) }
      : { body: undefined, after: Buffer.alloc(0) }
  }
  const [, length = '0'] = /^content-length: (\d+)$/im.exec(headers) ?? []
  const isWhole = bytes.length >= Number(length)
  return {
    body: isWhole ? bytes.toString('utf8', 0, Number(length)) : undefined,
    after: bytes.subarray(Number(length)),
  }
}
