// Pipelined connections to PostgreSQL, which many statements share.
import pg from 'pg'
import { type Actor, setActor, systemActor } from './actor.ts'
import { type Query, runQuery, socketOf, translateError, watchConnection } from './connection.ts'
import { type CallCounters, createCounters, endCall, startCall } from './counters.ts'
import type { Servers } from './servers.ts'

/**
 * How long this process has waited for others: the answer to a statement that PostgreSQL was quick with may lie there while
 * we are busy, and nobody is to be charged for that.
 */
const idleMs = () => performance.nodeTiming.idleTime

/** Asked when a connection is opened: what suits the server is known only by then. */
export type SessionOptions = () => Promise<string>

/** One connection that many statements share without waiting for each other's answers; it comes back by itself. */
export class Pipeline {
  readonly counters = createCounters()
  readonly #servers: Servers
  readonly #sessionOptions: SessionOptions
  #client: pg.Client | undefined
  #connecting: Promise<pg.Client> | undefined
  #idleAtLastAnswer = 0
  /** Whose writes the connection carries at the moment: the next of the same actor need not say so again. */
  #actor: Actor | undefined = systemActor

  constructor(servers: Servers, sessionOptions: SessionOptions) {
    this.#servers = servers
    this.#sessionOptions = sessionOptions
  }

  /** `onExecuted` hears how long the statement itself kept the connection, without its wait behind others. */
  async query<R>(statement: Query, onExecuted?: (ms: number) => void, actor?: Actor): Promise<R[]> {
    const startedAt = startCall(this.counters)
    const idleAtStart = idleMs()
    try {
      const client = this.#client ?? (await this.#connect())
      this.#batchWrites(client)
      if (actor && !isSameActor(actor, this.#actor)) this.#announce(client, actor)
      const rows = await runQuery<R>(client, statement)
      this.#reportExecution(idleAtStart, onExecuted)
      return rows
    } catch (error) {
      // Lost connections are nobody's doing; what PostgreSQL answered, such as that its time is up, is.
      if (error instanceof pg.DatabaseError) this.#reportExecution(idleAtStart, onExecuted)
      throw translateError(error)
    } finally {
      endCall(this.counters, startedAt)
    }
  }

  #reportExecution(idleAtStart: number, onExecuted?: (ms: number) => void): void {
    const idleNow = idleMs()
    onExecuted?.(idleNow - Math.max(idleAtStart, this.#idleAtLastAnswer))
    this.#idleAtLastAnswer = idleNow
  }

  /** It travels in the same packet as the write, and is executed before it. */
  #announce(client: pg.Client, actor: Actor): void {
    this.#actor = actor
    runQuery(client, setActor(actor, 'connection')).catch(() => {
      this.#actor = undefined
    })
  }

  /** Queries of one tick of the event loop travel in one packet. */
  #batchWrites(client: pg.Client): void {
    const stream = socketOf(client)
    if (stream.writableCorked > 0) return
    stream.cork()
    setImmediate(() => stream.uncork())
  }

  #connect(): Promise<pg.Client> {
    this.#connecting ??= this.#sessionOptions()
      .then((options) => this.#servers.connect({ pipeline: true, options }))
      .then((client) => {
        const onLost = () => {
          if (this.#client === client) this.#client = undefined
        }
        client.on('error', onLost).on('end', onLost)
        this.#client = watchConnection(client)
        this.#actor = systemActor
        return client
      })
      .finally(() => {
        this.#connecting = undefined
      })
    return this.#connecting
  }

  async close(): Promise<void> {
    await this.#connecting?.catch(() => {})
    await this.#client?.end()
  }
}

/** Several of a kind. */
export class PipelineGroup {
  readonly #all: readonly Pipeline[]

  constructor(size: number, servers: Servers, sessionOptions: SessionOptions) {
    this.#all = Array.from({ length: size }, () => new Pipeline(servers, sessionOptions))
  }

  /** The first of those that are as little busy: others may never need to be opened. */
  get leastBusy(): Pipeline {
    return this.#all.reduce((one, other) => (other.counters.inFlight < one.counters.inFlight ? other : one))
  }

  /** With a name for each. */
  counters(name: string): readonly (readonly [string, CallCounters])[] {
    return this.#all.map(({ counters }, index) => [`${name} ${index + 1}`, counters] as const)
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((pipeline) => pipeline.close()))
  }
}

const isSameActor = (one: Actor, other: Actor | undefined) =>
  one === other || (one.id === other?.id && one.kind === other?.kind && one.name === other?.name)
