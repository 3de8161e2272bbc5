// Transactions: on connections that are kept for the next one, or on one of their own where they take minutes.
import pg from 'pg'
import sql, { raw } from 'sql-template-tag'
import { type Actor, setActor, systemActor } from './actor.ts'
import { type Query, type Queryable, runQuery, translateError, watchConnection } from './connection.ts'
import type { Engine, Run } from './engine.ts'
import type { Servers } from './servers.ts'

interface PoolOptions {
  engine(): Engine | Promise<Engine>
  /** Reads outside the transaction, which may have failed. */
  readonly lookUp: Run
}

/**
 * A connection that nobody needed for so long is closed. Who has used up its quota comes again with the next minute: opening
 * eight at once, and planning everything anew on each, kept both cores busy for half a second.
 */
const idleTimeoutMs = 120_000

/** As many connections as there are transactions at once; how many those are is decided by their turns. */
export class TransactionPool {
  readonly #servers: Servers
  readonly #options: PoolOptions
  readonly #open = new Set<pg.Client>()
  readonly #idle = new Map<pg.Client, NodeJS.Timeout>()
  readonly #yielding = new WeakSet<pg.Client>()
  #isClosing = false

  constructor(servers: Servers, options: PoolOptions) {
    this.#servers = servers
    this.#options = options
  }

  /** The one that was used last: others may then become old enough to be closed. */
  async #acquire(yields: boolean): Promise<pg.Client> {
    const [client, timer] = [...this.#idle].findLast(([idle]) => this.#yielding.has(idle) === yields) ?? []
    if (client) {
      clearTimeout(timer)
      this.#idle.delete(client)
      return client
    }
    const fresh = watchConnection(await this.#servers.connect({ pipeline: true, yields }))
    if (yields) this.#yielding.add(fresh)
    this.#open.add(fresh)
    fresh.on('end', () => this.#forget(fresh)) // one that is in use fails its statements
    return fresh
  }

  #release(client: pg.Client, isBroken: boolean): void {
    if (isBroken || this.#isClosing || !this.#open.has(client)) this.#end(client)
    else this.#idle.set(client, setTimeout(() => this.#end(client), idleTimeoutMs).unref())
  }

  #end(client: pg.Client): void {
    this.#forget(client)
    client.end().catch(() => {})
  }

  #forget(client: pg.Client): void {
    clearTimeout(this.#idle.get(client))
    this.#idle.delete(client)
    this.#open.delete(client)
  }

  /** `yields`: on a connection that stands behind those of others. */
  async run<T>(work: (transaction: Queryable) => Promise<T>, actor: Actor, yields: boolean): Promise<T> {
    const engine = await this.#options.engine()
    const client = await this.#acquire(yields)
    let isBroken = false
    let failure: Promise<unknown> | undefined
    const run = <R>(statement: Query) => runQuery<R>(client, statement)
    const query = async <R>(statement: Query): Promise<R[]> => {
      try {
        return await engine.run<R>(run, statement)
      } catch (error) {
        isBroken ||= !(error instanceof pg.DatabaseError)
        // What was sent behind it is refused because of it, and may be heard of first: the reason is what counts.
        if (!failure || !isOfAbortedTransaction(error)) failure = engine.restoreError(error, this.#options.lookUp)
        throw translateError(await failure)
      }
    }
    try {
      // Answers are not awaited here: both are pipelined with the first statement, which fails if they did.
      const actorStatement = actor === systemActor ? [] : [setActor(actor, 'transaction')]
      const beginning = Promise.all([sql`begin`, ...actorStatement].map(query))
      beginning.catch(() => {}) // awaited below, once the work has ended: no query may be pending when the client is released
      const result = await work({ query })
      await beginning
      await query(sql`commit`)
      return result
    } catch (error) {
      if (!isBroken) await query(sql`rollback`).catch(() => {})
      throw error
    } finally {
      this.#release(client, isBroken)
    }
  }

  metrics() {
    return { open: this.#open.size, idle: this.#idle.size }
  }

  /** Settles when those that are in use have been given back as well. */
  async close(): Promise<void> {
    this.#isClosing = true
    const ended = [...this.#open].map((client) => new Promise((resolve) => client.once('end', resolve)))
    for (const client of this.#idle.keys()) this.#end(client)
    await Promise.all(ended)
  }
}

const isOfAbortedTransaction = (error: unknown) => error instanceof pg.DatabaseError && error.code === '25P02'

export function runLongTransaction<T>(
  servers: Servers,
  mode: 'read write' | 'read only',
  actor: Actor,
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  return runLongSession(servers, async ({ query }) => {
    // Who only reads sees one moment, however long it takes.
    await query(raw(mode === 'read only' ? 'begin isolation level repeatable read read only' : 'begin'))
    await query(sql`set local idle_in_transaction_session_timeout = 0`)
    await query(setActor(actor, 'transaction'))
    const result = await work({ query })
    await query(sql`commit`)
    return result
  })
}

/** What is not committed when the work ends is rolled back. */
export async function runLongSession<T>(servers: Servers, work: (session: Queryable) => Promise<T>): Promise<T> {
  const client = await servers.connect({ statement_timeout: 0, yields: true })
  const query = <R>(statement: Query): Promise<R[]> =>
    runQuery<R>(client, statement).catch((error) => {
      throw translateError(error)
    })
  try {
    await query(sql`set statement_timeout = 0`)
    return await work({ query })
  } finally {
    await client.end()
  }
}
