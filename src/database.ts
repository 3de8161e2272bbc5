// The way to PostgreSQL: single statements on pipelined connections, transactions on a pool, notices, migrations.
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import sql, { join, raw, Sql } from 'sql-template-tag'

export { join, raw, Sql, sql }

export type Connection = { connectionString: string } | { host: string; port: number; user: string; database: string }
export type Row = Record<string, unknown>

/** Anything that can carry a statement out: the database itself, or a transaction on it. */
export interface Executor {
  query<R = Row>(statement: Sql): Promise<R[]>
}

/** PostgreSQL is away, full, frozen or too busy: the caller may try again later. */
export class Unavailable extends Error {
  constructor(cause: unknown) {
    super('The database is not available', { cause })
  }
}

/** A frozen server must not hold a request for ever: these bounds leave time to answer 503 within five seconds. */
const connectTimeoutMs = 2_000
const statementTimeoutMs = 3_500
const answerTimeoutMs = 4_000

/** Two pipelines keep both PostgreSQL and the commit log busy; more only add processes to switch between. */
const pipelines = 2
const transactionsAtOnce = 12
const attempts = 3

export class Database implements Executor {
  readonly #plain: Pipeline[]
  readonly #searching: Pipeline
  readonly #transactions: pg.Pool
  readonly #connection: Connection
  #next = 0

  constructor(connection: Connection) {
    this.#connection = connection
    this.#plain = Array.from({ length: pipelines }, () => new Pipeline(connection))
    // A search is planned once for all terms: planned for its term, PostgreSQL sometimes walks the sort order instead
    // of the trigram index (246 ms against 6 ms). It has a connection of its own so that it holds up nobody else.
    this.#searching = new Pipeline(connection, '-c plan_cache_mode=force_generic_plan')
    const transactions = { ...clientConfig(connection), max: transactionsAtOnce, pipeline: true }
    this.#transactions = new pg.Pool(transactions)
    // Unheard, the loss of a connection would end the process. One that is in use fails its statements, an idle one is
    // replaced at the next use.
    this.#transactions.on('error', () => {}).on('connect', (client) => client.on('error', () => {}))
  }

  /** One statement on its own, which PostgreSQL commits by itself. */
  query<R = Row>(statement: Sql): Promise<R[]> {
    this.#next = (this.#next + 1) % pipelines
    return this.#plain[this.#next]!.query<R>(statement)
  }

  /** The same for a statement that looks through much and may be slow. */
  search<R = Row>(statement: Sql): Promise<R[]> {
    return this.#searching.query<R>(statement)
  }

  /** All or nothing. Deadlocks and serialization failures are tried again; nothing else is. */
  async transaction<T>(work: (transaction: Executor) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(work)
      } catch (error) {
        if (!isPassing(error)) throw error
        if (attempt === attempts) throw new Unavailable(error)
      }
    }
  }

  async #attempt<T>(work: (transaction: Executor) => Promise<T>): Promise<T> {
    const client = await this.#transactions.connect().catch((error) => {
      throw translated(error)
    })
    let broken = false
    const query = async <R>(statement: Sql): Promise<R[]> => {
      try {
        return (await client.query(prepared(statement))).rows as R[]
      } catch (error) {
        broken ||= !(error instanceof pg.DatabaseError)
        throw translated(error)
      }
    }
    try {
      // Nobody waits for the answer to `begin`: it travels with the first statement, which fails if it did.
      const begun = query(sql`begin`)
      const [result] = await Promise.all([work({ query }), begun])
      await query(sql`commit`)
      return result
    } catch (error) {
      if (!broken) await query(sql`rollback`).catch(() => {})
      throw error
    } finally {
      client.release(broken)
    }
  }

  /** A connection outside the pools for what needs one to itself: migrations, notices. */
  connect(): Promise<pg.Client> {
    return connected(this.#connection)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#plain, this.#searching].map((pipeline) => pipeline.close()))
    await this.#transactions.end()
  }
}

/** One connection that many statements share without waiting for each other's answers; it comes back by itself. */
class Pipeline {
  readonly #connection: Connection
  readonly #options: string | undefined
  #client: pg.Client | undefined
  #connecting: Promise<pg.Client> | undefined

  constructor(connection: Connection, options?: string) {
    this.#connection = connection
    this.#options = options
  }

  async query<R>(statement: Sql): Promise<R[]> {
    try {
      const client = this.#client ?? (await this.#connect())
      return (await client.query(prepared(statement))).rows as R[]
    } catch (error) {
      throw translated(error)
    }
  }

  #connect(): Promise<pg.Client> {
    this.#connecting ??= connected(this.#connection, { pipeline: true, options: this.#options })
      .then((client) => {
        const lost = () => {
          if (this.#client === client) this.#client = undefined
        }
        client.on('error', lost).on('end', lost)
        this.#client = client
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

async function connected(connection: Connection, extra: pg.ClientConfig & { pipeline?: boolean } = {}) {
  const client = new pg.Client({ ...clientConfig(connection), ...extra })
  client.on('error', () => {}) // a lost connection fails its statements; unheard, it would end the process
  try {
    await client.connect()
  } catch (error) {
    throw translated(error)
  }
  return client
}

const clientConfig = (connection: Connection): pg.ClientConfig => ({
  ...connection,
  application_name: 'jobwright',
  connectionTimeoutMillis: connectTimeoutMs,
  statement_timeout: statementTimeoutMs,
  query_timeout: answerTimeoutMs,
  keepAlive: true,
})

pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** Statements are prepared by their text, once on each connection. */
const names = new Map<string, string>()
function prepared({ text, values }: Sql): pg.QueryConfig {
  const name = names.get(text) ?? `s${names.size}`
  names.set(text, name)
  return { name, text, values: values as unknown[] }
}

const isPassing = (error: unknown) =>
  error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001')

/** Connection (08), resources (53), intervention (57), locks (55P03), input and output (58): away, not wrong. */
const awayCodes = /^(08|53|57|58|55P03)/
function translated(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) return awayCodes.test(error.code ?? '') ? new Unavailable(error) : error
  return new Unavailable(error)
}

const migrationsFolder = new URL('../migrations/', import.meta.url)
/** Any number, the same in every process: whoever holds it migrates. */
const migrationLock = 6_510_217

/** The migrations this version knows, in order. */
export const migrationFiles = async (): Promise<string[]> =>
  (await readdir(migrationsFolder)).filter((file) => file.endsWith('.sql')).sort()

/** Applies what is missing, in order, each file in a transaction of its own; several processes may try at once. */
export async function migrate(database: Database): Promise<string[]> {
  const client = await database.connect()
  try {
    await client.query('set statement_timeout = 0; set lock_timeout = 0')
    // The wait for another process's migration is unbounded, so this one question is asked without a time limit.
    await client.query({ text: `select pg_advisory_lock(${migrationLock})`, query_timeout: 600_000 } as pg.QueryConfig)
    await client.query(`create table if not exists migrations
      (name text primary key, applied_at timestamptz not null default now())`)
    const applied = new Set((await client.query('select name from migrations')).rows.map(({ name }) => name))
    const missing = (await migrationFiles()).filter((file) => !applied.has(file))
    // A table that is in use is waited for a little, not for ever: readers queue up behind a waiting change.
    await client.query(`set lock_timeout = '5s'`)
    for (const file of missing) {
      const text = await readFile(new URL(file, migrationsFolder), 'utf8')
      const statements = `begin; ${text}; insert into migrations (name) values ('${file}'); commit`
      await client.query({ text: statements, query_timeout: 600_000 } as pg.QueryConfig)
    }
    return missing
  } catch (error) {
    throw translated(error)
  } finally {
    await client.end()
  }
}

/** Calls back for every notice on a channel; tells when the line drops and when it is there again. */
export function listen(
  database: Database,
  channel: string,
  on: { notice(payload: string): void; up(): void; down(): void },
): { close(): Promise<void> } {
  let closed = false
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined

  const open = async (): Promise<void> => {
    try {
      const fresh = await database.connect()
      if (closed) return void (await fresh.end())
      client = fresh
      fresh.on('notification', ({ payload }) => on.notice(payload ?? ''))
      fresh.on('end', again)
      await fresh.query(`listen ${channel}`)
      on.up()
    } catch {
      again()
    }
  }
  const again = () => {
    client = undefined
    if (closed) return
    on.down()
    clearTimeout(retry)
    retry = setTimeout(open, 500).unref()
  }
  const opening = open()
  return {
    async close() {
      closed = true
      clearTimeout(retry)
      await opening
      await client?.end()
    },
  }
}
