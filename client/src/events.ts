// Follows what changes: the stream of events, taken up where it broke off, without gaps.
import { JobwrightError } from './errors.ts'
import type { EventData } from './generated/events.ts'
import type { Event } from './generated/records.ts'
import type { Options } from './options.ts'
import { retryDelayMs, sleep } from './retries.ts'
import { readData, type Transport } from './transport.ts'

export type EventType = keyof EventData

/** An event; `event.type` tells what `data` is. */
export type JobwrightEvent<Type extends EventType = EventType> = {
  [T in Type]: Omit<Event, 'type' | 'data'> & { readonly type: T; readonly data: EventData[T] }
}[Type]

export interface FollowQuery {
  /** A position, which is told too, or `'now'`, which it is unless given. */
  readonly from?: number | 'now' | undefined
  /** Types, or `ticket.*` for all of a kind. */
  readonly type?: string | readonly string[] | undefined
  /** One collection. */
  readonly resource?: string | undefined
  /** One record. */
  readonly recordId?: string | undefined
}

/** The service says something every 15 seconds: a connection that is silent for longer is none. */
const silenceMs = 60_000

/** Goes on until the loop is left, the signal is aborted or the service refuses; a connection that breaks is made anew. */
export async function* follow(
  transport: Transport,
  { from = 'now', ...filters }: FollowQuery = {},
  options: Options = {},
): AsyncGenerator<JobwrightEvent, void, undefined> {
  let start: Record<string, unknown> = from === 'now' ? await currentEnd(transport, options) : { from }
  for (let failures = 0; ; failures++) {
    const connection = new AbortController()
    const signal = options.signal ? AbortSignal.any([options.signal, connection.signal]) : connection.signal
    try {
      const call = { method: 'GET', path: '/events/stream', query: { ...filters, ...start } }
      const body = await transport.send(
        { ...call, options: { ...options, signal } },
        async (response) => response.body!,
      )
      for await (const { id, data } of readMessages(body, connection)) {
        failures = 0
        start = { startAfter: id }
        yield JSON.parse(data) as JobwrightEvent
      }
    } catch (error) {
      options.signal?.throwIfAborted()
      if (error instanceof JobwrightError && retryDelayMs(error, undefined, 0) === undefined) throw error
    } finally {
      connection.abort()
    }
    await sleep(Math.min(500 * 2 ** failures, 30_000), options.signal)
  }
}

/** Where the feed ends now: a name for it that still holds after a connection broke before the first event. */
async function currentEnd(transport: Transport, options: Options): Promise<Record<string, unknown>> {
  const call = { method: 'GET', path: '/events', query: { startAfter: 'latest' }, options }
  const { pagination } = (await transport.send(call, readData)) as { pagination: { nextCursor: string | null } }
  return pagination.nextCursor === null ? {} : { startAfter: pagination.nextCursor }
}

/** Server-Sent Events, as far as the service uses them. */
async function* readMessages(body: ReadableStream<Uint8Array>, connection: AbortController) {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const timer = setTimeout(() => connection.abort(), silenceMs)
    const { done, value } = await reader.read().finally(() => clearTimeout(timer))
    if (done) return
    text += decoder.decode(value, { stream: true })
    const parts = text.split('\n\n')
    text = parts.pop()!
    for (const part of parts) {
      const [, id, data] = /^id: (\S+)\ndata: (.*)$/m.exec(part) ?? []
      if (id !== undefined) yield { id, data: data! }
    }
  }
}
