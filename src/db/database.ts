// Access to PostgreSQL: single statements on pipelined connections, transactions on a pool.
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import sql, { join, raw, Sql } from 'sql-template-tag'
import {
  type ConnectionOptions,
  clientConfig,
  connect,
  type Query,
  queryTimeoutMs,
  runQuery,
  socketOf,
  translateError,
  Unavailable,
  utcOption,
  watchConnection,
} from './connection.ts'
import { type CallCounters, createCounters, endCall, startCall } from './counters.ts'

export { type ConnectionOptions, join, type Query, raw, Sql, sql, translateError, Unavailable }

export type Row = Record<string, unknown>
export type { Client } from 'pg'

/** Anything that can carry a statement out: the database itself, or a transaction on it. */
export interface Queryable {
  query<R = Row>(statement: Query): Promise<R[]>
}

/** Reads are fastest on one pipeline; a commit waits for the disk, which several connections for writes share. */
const writeConnections = 3
const maxTransactions = 12
const maxAttempts = 3

export class Database implements Queryable {
  readonly #readPipeline: Pipeline
  readonly #writePipelines: readonly Pipeline[]
  readonly #slowPipeline: Pipeline
  readonly #customPlanPipeline: Pipeline
  readonly #transactionPool: pg.Pool
  readonly #connectionOptions: ConnectionOptions
  readonly #transactionCounters = createCounters()
  #nextWriter = 0

  constructor(options: ConnectionOptions) {
    this.#connectionOptions = options
    this.#readPipeline = new Pipeline(options, planMode.generic)
    this.#writePipelines = Array.from(
      { length: writeConnections },
      () => new Pipeline(options, `${planMode.generic} -c lock_timeout=200ms`),
    )
    // Both scan much: they have connections of their own, so that they do not delay other statements.
    this.#slowPipeline = new Pipeline(options, planMode.generic)
    this.#customPlanPipeline = new Pipeline(options, planMode.custom)
    const poolConfig = { ...clientConfig(options), max: maxTransactions, pipeline: true }
    this.#transactionPool = new pg.Pool(poolConfig)
    // Unheard, the loss of a connection would end the process. One that is in use fails its statements, an idle one is
    // replaced at the next use.
    this.#transactionPool.on('error', () => {}).on('connect', (client) => watchConnection(client).on('error', () => {}))
  }

  /** One statement on its own, which PostgreSQL commits by itself. */
  query<R = Row>(statement: Query): Promise<R[]> {
    return this.#readPipeline.query<R>(statement)
  }

  /** The same for a statement that writes. One that must wait for a lock is retried on another connection. */
  async write<R = Row>(statement: Query): Promise<R[]> {
    this.#nextWriter = (this.#nextWriter + 1) % writeConnections
    try {
      return await this.#writePipelines[this.#nextWriter]!.query<R>(statement)
    } catch (error) {
      if (!isRetryable(error) && !isLockTimeout(error)) throw error
      return this.transaction((transaction) => transaction.query<R>(statement))
    }
  }

  /** The same for a search in text. */
  querySlow<R = Row>(statement: Query): Promise<R[]> {
    return this.#slowPipeline.query<R>(statement)
  }

  /** The same for a statement whose best plan depends on its values, such as a span of time. */
  queryCustomPlan<R = Row>(statement: Query): Promise<R[]> {
    return this.#customPlanPipeline.query<R>(statement)
  }

  /** All or nothing. Deadlocks and serialization failures are retried; nothing else is. */
  async transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#runTransaction(work)
      } catch (error) {
        if (!isRetryable(error)) throw error
        if (attempt === maxAttempts) throw new Unavailable(error)
        await delay(10 + Math.random() * 40) // or the same two meet again
      }
    }
  }

  /** For operators: each kind of connection, and the pool of transactions. */
  metrics() {
    const counters: readonly (readonly [string, CallCounters])[] = [
      ['read', this.#readPipeline.counters],
      ...this.#writePipelines.map((pipeline, n) => [`write ${n + 1}`, pipeline.counters] as const),
      ['slow', this.#slowPipeline.counters],
      ['custom-plan', this.#customPlanPipeline.counters],
      ['transaction', this.#transactionCounters],
    ]
    const { totalCount, idleCount, waitingCount } = this.#transactionPool
    return { counters, pool: { open: totalCount, idle: idleCount, waiting: waitingCount } }
  }

  async #runTransaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    const startedAt = startCall(this.#transactionCounters)
    const client = await this.#transactionPool.connect().catch((error) => {
      endCall(this.#transactionCounters, startedAt)
      throw translateError(error)
    })
    let isBroken = false
    const query = async <R>(statement: Query): Promise<R[]> => {
      try {
        return await runQuery<R>(client, statement)
      } catch (error) {
        isBroken ||= !(error instanceof pg.DatabaseError)
        throw translateError(error)
      }
    }
    try {
      // The answer to `begin` is not awaited: it is pipelined with the first statement, which fails if it did.
      const beginning = query(sql`begin`)
      beginning.catch(() => {}) // awaited below, once the work has ended: no query may be pending when the client is released
      const result = await work({ query })
      await beginning
      await query(sql`commit`)
      return result
    } catch (error) {
      if (!isBroken) await query(sql`rollback`).catch(() => {})
      throw error
    } finally {
      endCall(this.#transactionCounters, startedAt)
      client.release(isBroken)
    }
  }

  /** The same for work of minutes: on a connection of its own, without timeouts, and never retried. */
  async longTransaction<T>(mode: 'read write' | 'read only', work: (transaction: Queryable) => Promise<T>): Promise<T> {
    const client = await connect(this.#connectionOptions, { statement_timeout: 0 })
    const query = <R>(statement: Query): Promise<R[]> =>
      runQuery<R>(client, statement).catch((error) => {
        throw translateError(error)
      })
    try {
      // Who only reads sees one moment, however long it takes.
      await query(raw(mode === 'read only' ? 'begin isolation level repeatable read read only' : 'begin'))
      await query(sql`set local statement_timeout = 0`)
      await query(sql`set local idle_in_transaction_session_timeout = 0`)
      const result = await work({ query })
      await query(sql`commit`)
      return result
    } finally {
      await client.end() // what is not committed by now is rolled back
    }
  }

  /** A connection outside the pools for what needs one to itself: migrations, LISTEN. */
  connect(): Promise<pg.Client> {
    return connect(this.#connectionOptions, { query_timeout: queryTimeoutMs })
  }

  async close(): Promise<void> {
    const pipelines = [this.#readPipeline, ...this.#writePipelines, this.#slowPipeline, this.#customPlanPipeline]
    await Promise.all(pipelines.map((pipeline) => pipeline.close()))
    await this.#transactionPool.end()
  }
}

/**
 * Planning takes longer than most statements run, so they are planned once, for any values. That also keeps a text
 * search to its index: planned for its term, PostgreSQL sometimes walks the sort order instead (246 ms against 6 ms).
 */
const planMode = {
  generic: `${utcOption} -c plan_cache_mode=force_generic_plan`,
  custom: `${utcOption} -c plan_cache_mode=force_custom_plan`,
}

/** One connection that many statements share without waiting for each other's answers; it comes back by itself. */
class Pipeline {
  readonly counters = createCounters()
  readonly #connectionOptions: ConnectionOptions
  readonly #sessionOptions: string
  #client: pg.Client | undefined
  #connecting: Promise<pg.Client> | undefined

  constructor(connectionOptions: ConnectionOptions, sessionOptions: string) {
    this.#connectionOptions = connectionOptions
    this.#sessionOptions = sessionOptions
  }

  async query<R>(statement: Query): Promise<R[]> {
    const startedAt = startCall(this.counters)
    try {
      const client = this.#client ?? (await this.#connect())
      this.#batchWrites(client)
      return await runQuery<R>(client, statement)
    } catch (error) {
      throw translateError(error)
    } finally {
      endCall(this.counters, startedAt)
    }
  }

  /** Queries of one tick of the event loop travel in one packet. */
  #batchWrites(client: pg.Client): void {
    const stream = socketOf(client)
    if (stream.writableCorked > 0) return
    stream.cork()
    setImmediate(() => stream.uncork())
  }

  #connect(): Promise<pg.Client> {
    this.#connecting ??= connect(this.#connectionOptions, { pipeline: true, options: this.#sessionOptions })
      .then((client) => {
        const onLost = () => {
          if (this.#client === client) this.#client = undefined
        }
        client.on('error', onLost).on('end', onLost)
        this.#client = watchConnection(client)
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

const isRetryable = (error: unknown) =>
  error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001')

const isLockTimeout = (error: unknown) =>
  error instanceof Unavailable && error.cause instanceof pg.DatabaseError && error.cause.code === '55P03'
