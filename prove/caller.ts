// A program that calls the service: keeps its connections alive, tries nothing twice, and counts a cut connection as what
// it is to people, a failure.
import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface Answer {
  /** 0: there was none. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: trials read whatever the service answers
  readonly body: any
  /** Why there was no answer. */
  readonly failure?: string
}

export interface Asked {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The origin, if not the caller's own. */
  readonly at?: string
}

export interface Caller extends Disposable {
  call(method: string, path: string, asked?: Asked): Promise<Answer>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
}

const patienceMs = 40_000

/** Linux lets a program call from any address of 127.0.0.0/8: so one machine can be many callers. */
export function caller(origin: string, { from = '127.0.0.1', connections = 64 } = {}): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })

  const call: Caller['call'] = (method, path, { headers = {}, body, at = origin } = {}) =>
    new Promise((resolve) => {
      const sent = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
      const type = sent === undefined || 'content-type' in headers ? {} : { 'content-type': 'application/json' }
      const length = sent === undefined ? {} : { 'content-length': String(Buffer.byteLength(sent)) }
      const failed = (error: Error) => resolve({ status: 0, headers: {}, body: undefined, failure: error.message })
      const outgoing = request(
        new URL(path, at),
        { method, agent, localAddress: from, timeout: patienceMs, headers: { ...type, ...length, ...headers } },
        (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (part) => {
            text += part
          })
          response.on('error', failed)
          response.on('end', () =>
            resolve({ status: response.statusCode!, headers: response.headers, body: parsed(text) }),
          )
        },
      )
      outgoing.on('error', failed).on('timeout', () => outgoing.destroy(new Error('no answer in time')))
      outgoing.end(sent)
    })
  return {
    call,
    get: (path, headers = {}) => call('GET', path, { headers }),
    [Symbol.dispose]: () => agent.destroy(),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
