// One connection to PostgreSQL: how it is opened, how long it may wait, and how it is asked.
import pg from 'pg'
import type { Sql } from 'sql-template-tag'

export type Connection = { connectionString: string } | { host: string; port: number; user: string; database: string }

/** SQL and its values: what the tag makes, or a text that was made once. */
export type Query = Pick<Sql, 'text' | 'values'>

/** PostgreSQL is away, full, frozen or too busy: the caller may try again later. */
export class Unavailable extends Error {
  constructor(cause: unknown) {
    super('The database is not available', { cause })
  }
}

/** Moments are printed in UTC, whatever the server's own time zone. */
export const inUtc = '-c timezone=UTC'

/** A frozen server must not hold a request for ever: these bounds leave time to answer 503 within five seconds. */
const connectTimeoutMs = 2_000
const statementTimeoutMs = 3_500
const answerTimeoutMs = 4_000

/** What `client.query` does with an object, without the copies of it that `pg` makes. */
export function asked<R>(client: pg.Client, { text, values }: Query): Promise<R[]> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query(text, values as unknown[]) as pg.Query & { name: string; callback: unknown }
    const name = nameOf(text)
    if (name !== undefined) query.name = name
    query.callback = (error: unknown, result: pg.QueryResult) => (error ? reject(error) : resolve(result.rows as R[]))
    client.query(query)
  })
}

export async function connected(connection: Connection, extra: pg.ClientConfig & { pipeline?: boolean } = {}) {
  const client = new pg.Client({ ...clientConfig(connection), ...extra })
  client.on('error', () => {}) // a lost connection fails its statements; unheard, it would end the process
  try {
    await client.connect()
  } catch (error) {
    throw translated(error)
  }
  return client
}

export const clientConfig = (connection: Connection): pg.ClientConfig => ({
  ...connection,
  application_name: 'jobwright',
  options: inUtc,
  connectionTimeoutMillis: connectTimeoutMs,
  statement_timeout: statementTimeoutMs,
  query_timeout: answerTimeoutMs,
  keepAlive: true,
})

pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** Statements are prepared by their text, once on each connection; what is rare beyond so many is not kept there. */
const names = new Map<string, string>()
const mostPrepared = 500
function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= mostPrepared) return known
  const name = `s${names.size}`
  names.set(text, name)
  return name
}

/** Connection (08), resources (53), intervention (57), locks (55P03), input and output (58): away, not wrong. */
const awayCodes = /^(08|53|57|58|55P03)/
export function translated(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) return awayCodes.test(error.code ?? '') ? new Unavailable(error) : error
  return new Unavailable(error)
}
