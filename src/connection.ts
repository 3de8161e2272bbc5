// One connection to PostgreSQL: how it is opened, how long it may wait, and how it is asked.
import type { Socket } from 'node:net'
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
export const answerTimeoutMs = 4_000

/**
 * What `client.query` does with an object, without the copies of it that `pg` makes. A query whose callback is put in place
 * of another one later, as `pg` does to bound its time, outlives every small collection of V8 together with its rows:
 * at a thousand lists a second that was 10 MB of garbage a second for the large collections, which hold everybody up.
 */
export function asked<R>(client: pg.Client, { text, values }: Query): Promise<R[]> {
  return new Promise((resolve, reject) => {
    let watch = watches.get(client)
    const answered = (error: unknown, result: pg.QueryResult) => {
      watch?.answered()
      watch = undefined // a statement that could not be sent is answered twice
      if (error) reject(error)
      else resolve(result.rows as R[])
    }
    const query = new pg.Query(text, values as unknown[], answered as never) as pg.Query & { name: string }
    const name = nameOf(text)
    if (name !== undefined) query.name = name
    watch?.asked()
    client.query(query)
  })
}

/** Whoever is asked through `asked` alone is watched: the connection is given up when an answer is overdue. */
const watches = new WeakMap<pg.ClientBase, ReturnType<typeof watchOver>>()
export const watched = <C extends pg.ClientBase>(client: C): C => {
  watches.set(client, watchOver(client))
  return client
}

/** Statements of one connection are answered in their order, so it is enough to know how long the oldest waits. */
function watchOver(client: pg.ClientBase) {
  const since: number[] = []
  let isLooking = false
  const lookIn = (ms: number) => {
    isLooking = true
    setTimeout(look, ms).unref()
  }
  function look(): void {
    isLooking = false
    const [oldest] = since
    if (oldest === undefined) return
    const left = oldest + answerTimeoutMs - performance.now()
    if (left > 0) lookIn(Math.ceil(left))
    else setImmediate(giveUp, oldest) // where this process itself stood still, the answer may lie there unread
  }
  function giveUp(oldest: number): void {
    if (since[0] === oldest) streamOf(client).destroy() // fails all that it was asked
  }
  return {
    asked() {
      since.push(performance.now())
      if (!isLooking) lookIn(answerTimeoutMs)
    },
    answered: () => void since.shift(),
  }
}

export const streamOf = (client: pg.ClientBase): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream

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
