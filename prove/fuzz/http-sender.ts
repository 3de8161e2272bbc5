// One request and its answer, over connections that are kept; nothing about the address or the headers is tidied.
import { Agent, request as open } from 'node:http'

export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  /** The ids in its path, by name. */
  readonly pathIds: Readonly<Record<string, string>>
  /** Whether it may lead anywhere else than to its operation. */
  readonly mayReroute: boolean
}

export interface FuzzResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

export type Send = (request: Pick<FuzzRequest, 'method' | 'path' | 'headers' | 'body'>) => Promise<FuzzResponse>

/** Status 0 stands for no answer at all. */
export function createSender(port: number, connections: number): { send: Send; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const sendOnce: Send = ({ method, path, headers, body }) =>
    new Promise((resolve) => {
      const length = body ? { 'content-length': String(body.length) } : {}
      const options = {
        host: '127.0.0.1',
        port,
        agent,
        method,
        path,
        headers: { ...headers, ...length },
        timeout: 60_000,
      }
      const outgoing = open(options, (response) => {
        const parts: Buffer[] = []
        const finish = () =>
          resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) })
        response.on('data', (part) => parts.push(part)).on('end', finish)
        response.on('error', finish)
      })
      outgoing.on('timeout', () => outgoing.destroy(new Error('timeout: no answer within a minute')))
      outgoing.on('error', (error) => resolve({ status: 0, headers: {}, body: Buffer.from(error.message) }))
      outgoing.end(body)
    })
  return {
    close: () => agent.destroy(),
    // A connection may be ended by the service while the next request is under way; that one is sent again, once.
    send: async (request) => {
      const answer = await sendOnce(request)
      return answer.status === 0 && /ECONNRESET|EPIPE|socket hang up/.test(String(answer.body))
        ? sendOnce(request)
        : answer
    },
  }
}

/** As it can be sent again by hand, and put among the regressions. */
export const formatRequest = ({ method, path, headers, body }: FuzzRequest): string =>
  JSON.stringify({
    method,
    path: path.length > 3_000 ? `${path.slice(0, 300)}… (${path.length})` : path,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        /key$|^authorization$/.test(name) && name !== 'idempotency-key' ? '…' : value,
      ]),
    ),
    ...(body &&
      (body.length > 3_000
        ? { bytes: body.length, begins: body.toString('utf8', 0, 300) }
        : { body: body.toString('utf8') })),
  })
