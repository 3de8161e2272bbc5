// One request as often as it takes: credentials, time limit, retries, and answers as values.
import { JobwrightError, TimeoutError, toError } from './errors.ts'
import type { ChangeOptions, CreateOptions, JobwrightOptions } from './options.ts'
import { createPace, noPace } from './pace.ts'
import { inProgressCode, retryDelayMs, sleep } from './retries.ts'

export interface Call {
  readonly method: string
  /** Below the organisation. */
  readonly path: string
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly body?: unknown
  readonly options?: (CreateOptions & ChangeOptions) | undefined
}

export interface Transport {
  /** Sends until it succeeds or must not be repeated; the time limit includes `read`. */
  send<T>(call: Call, read: (response: Response) => Promise<T>): Promise<T>
}

type Outcome<T> = { readonly value: T } | { readonly error: JobwrightError; readonly headers?: Headers }

export function createTransport(settings: JobwrightOptions): Transport {
  const { organisation, apiKey, accessToken, timeoutMs = 30_000, maxRetries = 3 } = settings
  const root = `${settings.baseUrl.replace(/\/+$/, '')}/organisations/${encodeURIComponent(organisation)}`
  const fetchOver = settings.fetch ?? fetch
  const pace = settings.isPaced ? createPace() : noPace

  async function authorization(): Promise<Record<string, string>> {
    if (apiKey !== undefined) return { 'x-api-key': apiKey }
    const token = typeof accessToken === 'function' ? await accessToken() : accessToken
    return { authorization: `Bearer ${token}` }
  }

  async function attempt<T>(
    call: Call,
    headers: Record<string, string>,
    read: (response: Response) => Promise<T>,
  ): Promise<Outcome<T>> {
    const { method, path, query, body, options = {} } = call
    const limitMs = options.timeoutMs ?? timeoutMs
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), limitMs)
    const signal = options.signal ? AbortSignal.any([options.signal, timeout.signal]) : timeout.signal
    let answered: Headers | undefined
    try {
      const response = await fetchOver(root + path + queryText(query), {
        method,
        headers: { ...headers, ...(await authorization()) },
        body: body === undefined ? null : JSON.stringify(body),
        signal,
      })
      answered = response.headers
      if (response.ok) return { value: await read(response) }
      return { error: await toError(response), headers: answered }
    } catch (error) {
      options.signal?.throwIfAborted()
      if (timeout.signal.aborted)
        throw new TimeoutError(0, `${method} ${path} had no answer after ${limitMs} ms`, {}, { cause: error })
      if (error instanceof JobwrightError) throw error // of finding a token
      return { error: new JobwrightError(0, `${method} ${path} failed: ${error}`, {}, { cause: error }) }
    } finally {
      clearTimeout(timer)
      pace.done(answered)
    }
  }

  return {
    async send(call, read) {
      const { signal } = call.options ?? {}
      const headers = headersOf(call)
      let timesInProgress = 0
      for (let count = 0; ; count++) {
        await pace.turn(signal)
        const outcome = await attempt(call, headers, read)
        if ('value' in outcome) return outcome.value
        const { error, headers: answered } = outcome
        // It is also what an attempt is told whose predecessor lost its connection, so it is counted by itself.
        const failures = error.code === inProgressCode ? timesInProgress++ : count
        const waitMs = count < maxRetries ? retryDelayMs(error, answered, failures) : undefined
        if (waitMs === undefined) throw error
        await sleep(waitMs, signal)
      }
    },
  }
}

/** Made once for all attempts: the key of a POST is what makes repeating it safe. */
function headersOf({ method, body, options = {} }: Call): Record<string, string> {
  return {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(method === 'POST' && { 'idempotency-key': options.idempotencyKey ?? newKey() }),
    ...(options.ifMatch !== undefined && { 'if-match': options.ifMatch }),
  }
}

/** `crypto.randomUUID` is missing on pages without https. */
const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

function queryText(query: Readonly<Record<string, unknown>> = {}): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) given.set(name, String(value)) // lists between commas
  }
  return given.size > 0 ? `?${given}` : ''
}

const etags = new WeakMap<object, string>()

/** The version of a record that was answered, for `ifMatch`; undefined where it has none. */
export const etagOf = (record: object): string | undefined => etags.get(record)

/** What an answer holds. */
export async function readData(response: Response): Promise<unknown> {
  const { data } = (await response.json()) as { data: unknown }
  const etag = response.headers.get('etag')
  if (etag && typeof data === 'object' && data !== null) etags.set(data, etag)
  return data
}
