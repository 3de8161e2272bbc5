// The way to PostgreSQL: single statements on pipelined connections, transactions on a pool.
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import sql, { join, raw, Sql } from 'sql-template-tag'
import {
  answerTimeoutMs,
  asked,
  type Connection,
  clientConfig,
  connected,
  inUtc,
  type Query,
  streamOf,
  translated,
  Unavailable,
  watched,
} from './connection.ts'
import { begun, ended, type Tally, tally } from './tally.ts'

export { type Connection, join, type Query, raw, Sql, sql, translated, Unavailable }

export type Row = Record<string, unknown>
export type { Client } from 'pg'

/** Anything that can carry a statement out: the database itself, or a transaction on it. */
export interface Executor {
  query<R = Row>(statement: Query): Promise<R[]>
}

/** Reads go fastest down one pipeline; a commit waits for the disk, so that several writes share that wait. */
const writers = 3
const transactionsAtOnce = 12
const attempts = 3

export class Database implements Executor {
  readonly #reading: Pipeline
  readonly #writing: readonly Pipeline[]
  readonly #searching: Pipeline
  readonly #varying: Pipeline
  readonly #transactions: pg.Pool
  readonly #connection: Connection
  readonly #tally = tally()
  #next = 0

  constructor(connection: Connection) {
    this.#connection = connection
    this.#reading = new Pipeline(connection, planning.once)
    this.#writing = Array.from(
      { length: writers },
      () => new Pipeline(connection, `${planning.once} -c lock_timeout=200ms`),
    )
    // Both look through much: they have connections of their own so that they hold up nobody else.
    this.#searching = new Pipeline(connection, planning.once)
    this.#varying = new Pipeline(connection, planning.eachTime)
    const transactions = { ...clientConfig(connection), max: transactionsAtOnce, pipeline: true }
    this.#transactions = new pg.Pool(transactions)
    // Unheard, the loss of a connection would end the process. One that is in use fails its statements, an idle one is
    // replaced at the next use.
    this.#transactions.on('error', () => {}).on('connect', (client) => watched(client).on('error', () => {}))
  }

  /** One statement on its own, which PostgreSQL commits by itself. */
  query<R = Row>(statement: Query): Promise<R[]> {
    return this.#reading.query<R>(statement)
  }

  /** The same for a statement that writes. One that must wait for a lock makes way for the others and waits elsewhere. */
  async write<R = Row>(statement: Query): Promise<R[]> {
    this.#next = (this.#next + 1) % writers
    try {
      return await this.#writing[this.#next]!.query<R>(statement)
    } catch (error) {
      if (!isPassing(error) && !isLocked(error)) throw error
      return this.transaction((transaction) => transaction.query<R>(statement))
    }
  }

  /** The same for a search in text. */
  search<R = Row>(statement: Query): Promise<R[]> {
    return this.#searching.query<R>(statement)
  }

  /** The same for a statement whose best plan depends on its values, such as a span of time. */
  vary<R = Row>(statement: Query): Promise<R[]> {
    return this.#varying.query<R>(statement)
  }

  /** All or nothing. Deadlocks and serialization failures are tried again; nothing else is. */
  async transaction<T>(work: (transaction: Executor) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(work)
      } catch (error) {
        if (!isPassing(error)) throw error
        if (attempt === attempts) throw new Unavailable(error)
        await delay(10 + Math.random() * 40) // or the same two meet again
      }
    }
  }

  /** For operators: each kind of connection, and the pool that transactions wait for. */
  figures() {
    const tallies: readonly (readonly [string, Tally])[] = [
      ['read', this.#reading.tally],
      ...this.#writing.map((pipeline, n) => [`write ${n + 1}`, pipeline.tally] as const),
      ['search', this.#searching.tally],
      ['vary', this.#varying.tally],
      ['transaction', this.#tally],
    ]
    const { totalCount, idleCount, waitingCount } = this.#transactions
    return { tallies, pool: { open: totalCount, idle: idleCount, waiting: waitingCount } }
  }

  async #attempt<T>(work: (transaction: Executor) => Promise<T>): Promise<T> {
    const begin = begun(this.#tally)
    const client = await this.#transactions.connect().catch((error) => {
      ended(this.#tally, begin)
      throw translated(error)
    })
    let broken = false
    const query = async <R>(statement: Query): Promise<R[]> => {
      try {
        return await asked<R>(client, statement)
      } catch (error) {
        broken ||= !(error instanceof pg.DatabaseError)
        throw translated(error)
      }
    }
    try {
      // Nobody waits for the answer to `begin`: it travels with the first statement, which fails if it did.
      const opened = query(sql`begin`)
      opened.catch(() => {}) // heard below, once the work has ended: nothing may still be asked when the client is let go
      const result = await work({ query })
      await opened
      await query(sql`commit`)
      return result
    } catch (error) {
      if (!broken) await query(sql`rollback`).catch(() => {})
      throw error
    } finally {
      ended(this.#tally, begin)
      client.release(broken)
    }
  }

  /** The same for work of minutes: on a connection of its own, without limits of time, and never tried again. */
  async longTransaction<T>(mode: 'read write' | 'read only', work: (transaction: Executor) => Promise<T>): Promise<T> {
    const client = await connected(this.#connection, { statement_timeout: 0 })
    const query = <R>(statement: Query): Promise<R[]> =>
      asked<R>(client, statement).catch((error) => {
        throw translated(error)
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
      await client.end() // what is not committed by now is undone
    }
  }

  /** A connection outside the pools for what needs one to itself: migrations, notices. */
  connect(): Promise<pg.Client> {
    return connected(this.#connection, { query_timeout: answerTimeoutMs })
  }

  async close(): Promise<void> {
    const pipelines = [this.#reading, ...this.#writing, this.#searching, this.#varying]
    await Promise.all(pipelines.map((pipeline) => pipeline.close()))
    await this.#transactions.end()
  }
}

/**
 * Planning takes longer than most statements run, so they are planned once, for any values. That also keeps a text
 * search to its index: planned for its term, PostgreSQL sometimes walks the sort order instead (246 ms against 6 ms).
 */
const planning = {
  once: `${inUtc} -c plan_cache_mode=force_generic_plan`,
  eachTime: `${inUtc} -c plan_cache_mode=force_custom_plan`,
}

/** One connection that many statements share without waiting for each other's answers; it comes back by itself. */
class Pipeline {
  readonly tally = tally()
  readonly #connection: Connection
  readonly #options: string
  #client: pg.Client | undefined
  #connecting: Promise<pg.Client> | undefined

  constructor(connection: Connection, options: string) {
    this.#connection = connection
    this.#options = options
  }

  async query<R>(statement: Query): Promise<R[]> {
    const begin = begun(this.tally)
    try {
      const client = this.#client ?? (await this.#connect())
      this.#gather(client)
      return await asked<R>(client, statement)
    } catch (error) {
      throw translated(error)
    } finally {
      ended(this.tally, begin)
    }
  }

  /** What is asked in one turn travels in one packet. */
  #gather(client: pg.Client): void {
    const stream = streamOf(client)
    if (stream.writableCorked > 0) return
    stream.cork()
    setImmediate(() => stream.uncork())
  }

  #connect(): Promise<pg.Client> {
    this.#connecting ??= connected(this.#connection, { pipeline: true, options: this.#options })
      .then((client) => {
        const lost = () => {
          if (this.#client === client) this.#client = undefined
        }
        client.on('error', lost).on('end', lost)
        this.#client = watched(client)
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

const isPassing = (error: unknown) =>
  error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001')

const isLocked = (error: unknown) =>
  error instanceof Unavailable && error.cause instanceof pg.DatabaseError && error.cause.code === '55P03'
