// A program that calls the service: keeps its connections alive, tries nothing twice, and counts a cut connection as what
// it is to people, a failure.
import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface HttpResponse {
  /** 0: there was none. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: trials read whatever the service answers
  readonly body: any
  /** Why there was no answer. */
  readonly failure?: string
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The origin, if not the caller's own. */
  readonly at?: string
}

export interface HttpClient extends Disposable {
  call(method: string, path: string, options?: RequestOptions): Promise<HttpResponse>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<HttpResponse>
}

const timeoutMs = 40_000

/** `readsBodies`: not for those who only send. Linux lets a program call from any address of 127.0.0.0/8: so one machine can be many callers. */
export function createHttpClient(
  origin: string,
  { from = '127.0.0.1', connections = 64, readsBodies = true } = {},
): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })

  const call: HttpClient['call'] = (method, path, { headers = {}, body, at = origin } = {}) =>
    new Promise((resolve) => {
      const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
      const contentType =
        payload === undefined || 'content-type' in headers ? {} : { 'content-type': 'application/json' }
      const length = payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) }
      const fail = (error: Error) => resolve({ status: 0, headers: {}, body: undefined, failure: error.message })
      const outgoing = request(
        new URL(path, at),
        { method, agent, localAddress: from, timeout: timeoutMs, headers: { ...contentType, ...length, ...headers } },
        (response) => {
          let text = ''
          if (readsBodies)
            response.setEncoding('utf8').on('data', (part) => {
              text += part
            })
          else response.resume()
          response.on('error', fail)
          response.on('end', () =>
            resolve({ status: response.statusCode!, headers: response.headers, body: parseJson(text) }),
          )
        },
      )
      outgoing.on('error', fail).on('timeout', () => outgoing.destroy(new Error('timeout: no answer')))
      outgoing.end(payload)
    })
  return {
    call,
    get: (path, headers = {}) => call('GET', path, { headers }),
    [Symbol.dispose]: () => agent.destroy(),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
