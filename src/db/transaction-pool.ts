// Transactions: on a pool of connections, or on a connection of their own where they take minutes.
import pg from 'pg'
import sql, { raw } from 'sql-template-tag'
import { type Actor, setActor, systemActor } from './actor.ts'
import {
  type ConnectionOptions,
  clientConfig,
  connect,
  type Query,
  type Queryable,
  runQuery,
  translateError,
  watchConnection,
} from './connection.ts'
import type { Engine, Run } from './engine.ts'

interface PoolOptions {
  readonly max: number
  engine(): Engine | Promise<Engine>
  /** Reads outside the transaction, which may have failed. */
  readonly lookUp: Run
}

export class TransactionPool {
  readonly #pool: pg.Pool
  readonly #options: PoolOptions

  constructor(connectionOptions: ConnectionOptions, options: PoolOptions) {
    this.#options = options
    this.#pool = new pg.Pool({ ...clientConfig(connectionOptions), max: options.max, pipeline: true })
    // Unheard, the loss of a connection would end the process. One that is in use fails its statements, an idle one is
    // replaced at the next use.
    this.#pool.on('error', () => {}).on('connect', (client) => watchConnection(client).on('error', () => {}))
  }

  async run<T>(work: (transaction: Queryable) => Promise<T>, actor: Actor): Promise<T> {
    const engine = await this.#options.engine()
    const client = await this.#pool.connect().catch((error) => {
      throw translateError(error)
    })
    let isBroken = false
    const run = <R>(statement: Query) => runQuery<R>(client, statement)
    const query = async <R>(statement: Query): Promise<R[]> => {
      try {
        return await engine.run<R>(run, statement)
      } catch (error) {
        isBroken ||= !(error instanceof pg.DatabaseError)
        throw translateError(await engine.restoreError(error, this.#options.lookUp))
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
      client.release(isBroken)
    }
  }

  metrics() {
    return { open: this.#pool.totalCount, idle: this.#pool.idleCount }
  }

  close(): Promise<void> {
    return this.#pool.end()
  }
}

export async function runLongTransaction<T>(
  connectionOptions: ConnectionOptions,
  mode: 'read write' | 'read only',
  actor: Actor,
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  const client = await connect(connectionOptions, { statement_timeout: 0 })
  const query = <R>(statement: Query): Promise<R[]> =>
    runQuery<R>(client, statement).catch((error) => {
      throw translateError(error)
    })
  try {
    // Who only reads sees one moment, however long it takes.
    await query(raw(mode === 'read only' ? 'begin isolation level repeatable read read only' : 'begin'))
    await query(sql`set local statement_timeout = 0`)
    await query(sql`set local idle_in_transaction_session_timeout = 0`)
    await query(setActor(actor, 'transaction'))
    const result = await work({ query })
    await query(sql`commit`)
    return result
  } finally {
    await client.end() // what is not committed by now is rolled back
  }
}
