// The open streams of this process: each reads on whenever events are numbered, and ends with its credential.
import { Readable } from 'node:stream'
import type { Database } from '../db/database.ts'
import { listen } from '../db/listen.ts'
import type { Subscription } from '../operations/answers.ts'
import type { Caller } from '../operations/caller.ts'
import { ApiError, tooManyRequests } from '../operations/errors.ts'
import { type EventFilter, type EventPage, selectEventPage } from './read-events.ts'
import { numberedChannel } from './sequencer.ts'

const maxPerCredential = 5
const maxPerProcess = 1_000
const pageSize = 100
/** Proxies close connections that are silent. */
const commentIntervalMs = 15_000
/** How soon a stream ends after its credential, and how often it looks while notifications do not arrive. */
const checkIntervalMs = 1_000

export interface StreamRequest {
  readonly caller: Caller
  readonly subscription: Subscription
  /** The caller as the credential stands now; undefined once it may not be used for this any more. */
  checkCaller(): Promise<Caller | undefined>
}

interface OpenStream {
  readonly request: StreamRequest
  caller: Caller
  isEnded: boolean
  /** Whether there may be more than was read. */
  isBehind: boolean
  toldAt: number
  /** Lets the reader go on that waits for more. */
  resume: (() => void) | undefined
  messages: Readable | undefined
}

export interface EventStreams {
  open(request: StreamRequest): Readable
  metrics(): { readonly open: number }
  /** Ends all of them; their readers go on elsewhere. */
  close(): Promise<void>
}

export function createEventStreams(database: Database): EventStreams {
  const streams = new Set<OpenStream>()
  let listener: ReturnType<typeof listen> | undefined
  let isListening = false
  let timer: NodeJS.Timeout | undefined

  /** From the first stream on: it costs a connection. */
  function startListening(): void {
    listener ??= listen(database, {
      channels: {
        [numberedChannel](orgId) {
          for (const stream of streams) if (stream.caller.orgId === orgId) wake(stream)
        },
      },
      connected() {
        isListening = true
        for (const stream of streams) wake(stream) // what was numbered before may have been missed
      },
      disconnected() {
        isListening = false
      },
    })
    timer ??= setInterval(() => {
      for (const stream of streams) void check(stream)
    }, checkIntervalMs).unref()
  }

  async function check(stream: OpenStream): Promise<void> {
    // Whoever does not even take what was sent before is not waited for.
    if (stream.isEnded) return void stream.messages?.destroy()
    // While the database is away there are no events either.
    const caller = await stream.request.checkCaller().catch(() => stream.caller)
    if (!caller) return end(stream)
    stream.caller = caller
    if (!isListening || performance.now() - stream.toldAt >= commentIntervalMs) wake(stream)
  }

  async function* read(stream: OpenStream): AsyncGenerator<string> {
    yield ': following\n\n'
    let position = stream.request.subscription.afterPosition
    while (!stream.isEnded) {
      stream.isBehind = false
      const page = await readPage(stream, position)
      for (const body of page?.bodies ?? []) {
        stream.toldAt = performance.now()
        yield toMessage(body)
      }
      position = Math.max(position, page?.lastPosition ?? 0)
      if (page && position < page.newest) continue
      if (!stream.isBehind)
        await new Promise<void>((resolve) => {
          stream.resume = resolve
        })
      if (performance.now() - stream.toldAt < commentIntervalMs) continue
      stream.toldAt = performance.now()
      yield ': nothing new\n\n'
    }
  }

  /** Undefined where the database is away: the next look will tell. */
  async function readPage({ caller, request }: OpenStream, position: number): Promise<EventPage | undefined> {
    const filter = request.subscription.filterFor(caller) as EventFilter
    const query = selectEventPage(caller.orgId, { position }, filter, pageSize)
    const [page] = await database.read<EventPage>(caller.orgId, query).catch(() => [])
    return page
  }

  return {
    open(request) {
      refuseTooMany(streams, request.caller)
      startListening()
      const stream: OpenStream = {
        request,
        caller: request.caller,
        isEnded: false,
        isBehind: false,
        toldAt: performance.now(),
        resume: undefined,
        messages: undefined,
      }
      streams.add(stream)
      const messages = read(stream)
      stream.messages = new Readable({
        async read() {
          const { done, value } = await messages.next()
          if (!this.destroyed) this.push(done ? null : value)
        },
        // At once, also while it waits for something to tell.
        destroy(error, done) {
          streams.delete(stream)
          end(stream)
          done(error)
        },
      })
      return stream.messages
    },
    metrics: () => ({ open: streams.size }),
    async close() {
      clearInterval(timer)
      for (const stream of streams) end(stream)
      await listener?.close()
    },
  }
}

function wake(stream: OpenStream): void {
  stream.isBehind = true
  stream.resume?.()
}

function end(stream: OpenStream): void {
  stream.isEnded = true
  wake(stream)
}

function refuseTooMany(streams: ReadonlySet<OpenStream>, { credentialId }: Caller): void {
  const own = [...streams].filter(({ caller }) => caller.credentialId === credentialId)
  if (own.length >= maxPerCredential)
    throw tooManyRequests(`A credential can follow ${maxPerCredential} streams at once; end one of them first`, 1)
  if (streams.size >= maxPerProcess)
    throw new ApiError(503, 'The service has as many streams open as it can; try again shortly, or read the feed')
}

const idStart = '{"id":"'.length

/** Line breaks in JSON stand only between its parts. */
const toMessage = (body: string) =>
  `id: ${body.slice(idStart, body.indexOf('"', idStart))}\ndata: ${body.replaceAll('\n', ' ')}\n\n`
