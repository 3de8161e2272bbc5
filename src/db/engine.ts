// What differs between PostgreSQL alone and Citus, which distributes the tables over several machines: decided once, when
// the first connection is opened, by whether the extension is in the database.
import pg from 'pg'
import { type Query, sessionOptions } from './connection.ts'
import type { Servers } from './servers.ts'

/** Runs one statement of a transaction. */
export type Run = <R>(query: Query) => Promise<R[]>

export interface Engine {
  readonly isCitus: boolean
  /** How statements are planned on connections that many share. */
  readonly planModes: { readonly generic: string; readonly custom: string }
  /** Whether a single write may run alone on a connection that many share. */
  readonly canShareWrites: boolean
  /** One statement of a transaction. */
  run<R>(run: Run, query: Query): Promise<R[]>
  /** An error as PostgreSQL alone would report it. */
  restoreError(error: unknown, lookUp: Run): Promise<unknown>
}

const planMode = (mode: string) => `${sessionOptions} -c plan_cache_mode=${mode}`

/**
 * Planning takes longer than most statements run, so they are planned once, for any values. A statement whose best plan
 * depends on them has to say so, or to hold both ways, like a text search (operations/text-search.ts).
 */
const postgres: Engine = {
  isCitus: false,
  planModes: { generic: planMode('force_generic_plan'), custom: planMode('force_custom_plan') },
  canShareWrites: true,
  run: (run, query) => run(query),
  restoreError: async (error) => error,
}

/**
 * The coordinator finds the machine in a plan for any values only for the simplest statements, so the choice is left to
 * PostgreSQL. Its lock timeout does not reach the machines: a write that waits for a lock would keep a shared connection,
 * so each is a transaction in its tenant's turn.
 */
const citus: Engine = {
  isCitus: true,
  planModes: { generic: planMode('auto'), custom: planMode('force_custom_plan') },
  canShareWrites: false,
  run: runThenReread,
  restoreError: async (error, lookUp) => (isOfMovedShard(error) ? retried(error) : restoreConstraint(error, lookUp)),
}

/** A transaction that was planned before a shard was moved or split is planned anew, like one that met another's change. */
const isOfMovedShard = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && error.message.includes('could not find valid entry for shard')
const retried = (error: pg.DatabaseError) => Object.assign(error, { code: '40001' })

export async function detectEngine(servers: Servers): Promise<Engine> {
  const client = await servers.connect()
  try {
    const { rowCount } = await client.query("select from pg_extension where extname = 'citus'")
    return rowCount === 0 ? postgres : citus
  } finally {
    await client.end()
  }
}

/** Both are sent at once; where the write fails or finds nothing, what is read after it does not count. */
async function runThenReread<R>(run: Run, query: Query): Promise<R[]> {
  if (!query.returning) return run(query)
  const writing = run({ text: `${query.text} returning org_id`, values: query.values })
  const reading = run<R>(query.returning.reread)
  reading.catch(() => {})
  const written = await writing
  return written.length > 0 ? reading : []
}

/** Citus names a constraint in the sentence alone, with the number of a shard behind it, and leaves out its table. */
async function restoreConstraint(error: unknown, lookUp: Run): Promise<unknown> {
  if (!(error instanceof pg.DatabaseError) || !error.code?.startsWith('23') || error.constraint) return error
  const name = /constraint "(\w+?)(_\d+)?"/.exec(error.message)?.[1]
  if (!name) return error
  const [owner] = await lookUp<{ table: string }>({
    text: `select relname as "table" from pg_class join (
        select conrelid as oid from pg_constraint where conname = $1
        union all select indrelid from pg_index where indexrelid = to_regclass(quote_ident($1))
      ) owner using (oid) limit 1`,
    values: [name],
  })
  return Object.assign(error, { constraint: name, table: owner?.table })
}
