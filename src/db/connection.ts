// One connection to PostgreSQL: how it is opened, its timeouts, and how it is queried.
import type { Socket } from 'node:net'
import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import { lowerPriority } from './backend-priority.ts'

export type ConnectionOptions =
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string }

/** SQL and its values: what the tag makes, or a text that was made once. */
export type Query = Pick<Sql, 'text' | 'values'> & {
  /** What a write answers with, where that is more than columns. */
  readonly returning?: Returning
  /** It is not prepared: its text is of this one time, or it wants a plan of this one time. */
  readonly isOneOff?: boolean
}

/**
 * For statements about queues, which are short now and long the next minute: by a plan from when its table was empty each would
 * read all of it.
 */
export const plannedAnew = ({ text, values }: Query): Query => ({ text, values, isOneOff: true })

export type Row = Record<string, unknown>

/** Anything that can carry a statement out: the database itself, or a transaction on it. */
export interface Queryable {
  query<R = Row>(statement: Query): Promise<R[]>
}

/** Citus returns nothing but columns from a write: there the same expression is read again, after it. */
interface Returning {
  readonly expression: string
  readonly reread: Query
}

/** A write that answers with an expression of the row it wrote, which `reread` selects. */
export const returning = (write: Query, expression: Query, reread: Query): Query => ({
  text: write.text,
  values: write.values,
  returning: { expression: expression.text, reread },
})

/** PostgreSQL is away, full, frozen or too busy: the caller may try again later. */
export class Unavailable extends Error {
  constructor(cause: unknown) {
    super('The database is not available', { cause })
  }
}

/** A tenant has so much under way that its turn did not come in time. Nothing is wrong with the database. */
export class TurnTimeout extends Unavailable {}

/**
 * Moments are printed in UTC, whatever the server's own time zone. A statement takes one processor, which leaves the others
 * to others, and is not compiled: both pay off only for what takes long, and PostgreSQL goes by what it reckons
 * (docs/decisions/search.md). What is set for a transaction reaches the machines of a Citus cluster as well; PostgreSQL alone
 * ignores the name.
 */
export const sessionOptions =
  '-c timezone=UTC -c jit=off -c max_parallel_workers_per_gather=0 -c citus.propagate_set_commands=local'

/** A frozen server must not block a request for ever: these timeouts leave time to answer 503 within five seconds. */
export const connectTimeoutMs = 2_000
const statementTimeoutMs = 3_500
export const queryTimeoutMs = 4_000

/**
 * What `client.query` does with an object, without the copies of it that `pg` makes. A query whose callback is put in place
 * of another one later, as `pg` does to bound its time, outlives every small collection of V8 together with its rows:
 * at a thousand lists a second that was 10 MB of garbage a second for major garbage collections, which delay every request.
 */
export function runQuery<R>(client: pg.Client, query: Query): Promise<R[]> {
  const { values, returning } = query
  const text = returning ? `${query.text} returning ${returning.expression}` : query.text
  return new Promise((resolve, reject) => {
    let watchdog = watchdogs.get(client)
    const onResult = (error: unknown, result: pg.QueryResult) => {
      watchdog?.finish()
      watchdog = undefined // a statement that could not be sent is answered twice
      if (error) reject(restoreCode(error))
      else resolve(result.rows as R[])
    }
    const sent = new pg.Query(text, values as unknown[], onResult as never) as pg.Query & { name: string }
    const name = query.isOneOff ? undefined : preparedName(text)
    if (name !== undefined) sent.name = name
    watchdog?.start()
    client.query(sent)
  })
}

const brokenRules: readonly (readonly [sentence: RegExp, code: string])[] = [
  [/violates not-null constraint/, '23502'],
  [/violates foreign key constraint/, '23503'],
  [/violates unique constraint/, '23505'],
  [/violates check constraint/, '23514'],
  [/violates exclusion constraint/, '23P01'],
]

/** Citus calls it an internal error where a row of INSERT … SELECT breaks a rule on another machine; the sentence says which. */
function restoreCode(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError) || error.code !== 'XX000') return error
  const rule = brokenRules.find(([sentence]) => sentence.test(error.message))
  return rule ? Object.assign(error, { code: rule[1] }) : error
}

/** Connections with a watchdog: they are destroyed when an answer is overdue. */
const watchdogs = new WeakMap<pg.ClientBase, ReturnType<typeof createWatchdog>>()
export const watchConnection = <C extends pg.ClientBase>(client: C): C => {
  watchdogs.set(client, createWatchdog(client))
  return client
}

/**
 * Statements of one connection are answered in order, so it is enough to watch the oldest. Its time counts from when it was
 * sent or the one before it was answered, whichever was later: what waits behind others is not overdue.
 */
function createWatchdog(client: pg.ClientBase) {
  const startTimes: number[] = []
  let lastAnsweredAt = 0
  let isScheduled = false
  const executingSince = () => Math.max(startTimes[0]!, lastAnsweredAt)
  const scheduleCheck = (ms: number) => {
    isScheduled = true
    setTimeout(check, ms).unref()
  }
  function check(): void {
    isScheduled = false
    if (startTimes.length === 0) return
    const since = executingSince()
    const remainingMs = since + queryTimeoutMs - performance.now()
    if (remainingMs > 0) scheduleCheck(Math.ceil(remainingMs))
    else setImmediate(destroyIfStalled, since) // where this process itself stood still, the answer may lie there unread
  }
  function destroyIfStalled(since: number): void {
    if (startTimes.length > 0 && executingSince() === since)
      socketOf(client).destroy() // fails all its pending queries
    else if (startTimes.length > 0 && !isScheduled) scheduleCheck(queryTimeoutMs)
  }
  return {
    start() {
      startTimes.push(performance.now())
      if (!isScheduled) scheduleCheck(queryTimeoutMs)
    },
    finish() {
      startTimes.shift()
      if (startTimes.length > 0) lastAnsweredAt = performance.now()
    },
  }
}

export const socketOf = (client: pg.ClientBase): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream

/** By a socket of the file system, which has no address. */
const isLocal = (client: pg.ClientBase) => socketOf(client).remoteAddress === undefined

const processIdOf = (client: pg.ClientBase) => (client as unknown as { processID: number }).processID

export type ClientOptions = pg.ClientConfig & {
  pipeline?: boolean
  /** It stands behind other connections, where PostgreSQL is on this machine. */
  yields?: boolean
}

/** It answers, but is a replica, or was told to take no writes. */
export class ReadOnlyServer extends Error {}

/** A connection to one server, which takes writes. Which of several it is, `Servers` decides. */
export async function openConnection(connection: ConnectionOptions, extra: ClientOptions = {}): Promise<pg.Client> {
  const client = new pg.Client({ ...clientConfig(connection), ...extra })
  client.on('error', () => {}) // a lost connection fails its statements; unheard, it would end the process
  const reported = reportedParameters(client)
  await client.connect()
  if (extra.yields && isLocal(client)) lowerPriority(processIdOf(client))
  // Reported by PostgreSQL itself at the start of a session, from version 14 on: asking would cost each connection a round trip.
  const isReplica = reported.get('in_hot_standby') === 'on'
  if (!isReplica && reported.get('default_transaction_read_only') !== 'on') return client
  client.end().catch(() => {})
  throw new ReadOnlyServer(isReplica ? 'it is a replica' : 'it is set to read-only transactions')
}

function reportedParameters(client: pg.Client): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
  connection.on('parameterStatus', ({ parameterName, parameterValue }) => parameters.set(parameterName, parameterValue))
  return parameters
}

/** As operators call it: host and port, without a password. */
export function serverName(connection: ConnectionOptions): string {
  const { host, port } = new pg.Client(connection)
  return `${host}:${port}`
}

const clientConfig = (connection: ConnectionOptions): pg.ClientConfig => ({
  ...connection,
  application_name: 'jobwright',
  options: sessionOptions,
  connectionTimeoutMillis: connectTimeoutMs,
  statement_timeout: statementTimeoutMs,
  keepAlive: true,
})

pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** Statements are prepared by their text, once on each connection; what is rare beyond so many is not kept there. */
const statementNames = new Map<string, string>()
const maxPrepared = 500
function preparedName(text: string): string | undefined {
  const known = statementNames.get(text)
  if (known !== undefined || statementNames.size >= maxPrepared) return known
  const name = `s${statementNames.size}`
  statementNames.set(text, name)
  return name
}

/**
 * Connection (08), resources (53), intervention (57), locks (55P03), input and output (58), a server that takes no writes at the
 * moment (25006): away, not wrong.
 */
const unavailableCodes = /^(08|53|57|58|55P03|25006)/
/** What Citus calls an internal error while a node ends, and while a shard is moved under a statement. */
const passingErrors =
  /^(postmaster was shut down|could not find valid entry for shard|failure on connection marked as essential|could not commit transaction for shard)/
export function translateError(error: unknown): unknown {
  if (error instanceof Unavailable) return error
  if (!(error instanceof pg.DatabaseError)) return new Unavailable(error)
  const isPassing =
    unavailableCodes.test(error.code ?? '') || (error.code === 'XX000' && passingErrors.test(error.message))
  return isPassing ? new Unavailable(error) : error
}
