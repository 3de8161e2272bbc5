// Brings the tables up to date: plain SQL files, forward only, in order.
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { type Client, type Database, translateError, Unavailable } from './database.ts'
import { distributeNewTables } from './distribute.ts'
import { builtIndex, forDistributedTables, splitSteps } from './migration-steps.ts'

const migrationsFolder = new URL('../../migrations/', import.meta.url)
const maxAttempts = 20
/** Queries queued behind an attempt are served before the next: meanwhile no other process may try either. */
const retryDelayMs = 2_000
/** The key of the advisory lock, the same in every process: whoever holds the lock migrates. */
const advisoryLockId = 6_510_217
/** How often those who wait for the lock ask for it. */
const turnDelayMs = 200
/** For a table in use: readers queue behind a pending lock, and must be served before their own timeout. */
const lockTimeout = '1500ms'
/** For transactions that began before an index: an export, or somebody at a terminal. */
const concurrentLockTimeout = '1min'
/** An index of millions of records takes as long as it takes: begun anew, it would take as long again. */
const statementTimeoutMs = 6 * 60 * 60_000

/** The migrations this version knows, in order. */
export const migrationFiles = async (): Promise<string[]> =>
  (await readdir(migrationsFolder)).filter((file) => file.endsWith('.sql')).sort()

/** Applies what is missing, in order, each file or step of it in a transaction of its own; several processes may try at once. */
export async function migrate(database: Database): Promise<string[]> {
  const client = await database.connect()
  try {
    await client.query('set statement_timeout = 0; set lock_timeout = 0')
    // Asked for again and again: whoever waits in a statement has a transaction, which an index that is built concurrently waits for.
    while (!(await client.query(`select pg_try_advisory_lock(${advisoryLockId}) as held`)).rows[0].held)
      await delay(turnDelayMs)
    await client.query(`create table if not exists migrations
      (name text primary key, applied_at timestamptz not null default now())`)
    const applied = new Set((await client.query('select name from migrations')).rows.map(({ name }) => name))
    const missing = (await migrationFiles()).filter((file) => !applied.has(file))
    await client.query(`set lock_timeout = '${lockTimeout}'`)
    const isCitus = await database.isCitus()
    // Where tables are distributed, one transaction may change several shards of one only after the other.
    if (isCitus) await client.query(`set citus.multi_shard_modify_mode = 'sequential'`)
    // Also where nothing is missing: whoever migrated may have been killed before the last table had its place.
    await distributeNewTables(database)
    for (const file of missing)
      await applyMigration(client, file, { applied, isCitus, afterStep: () => distributeNewTables(database) })
    return missing
  } catch (error) {
    throw isLockConflict(error) ? new Unavailable(error) : translateError(error)
  } finally {
    await client.end()
  }
}

interface Applying {
  readonly applied: ReadonlySet<string>
  readonly isCitus: boolean
  /** The next step may join a table that this one has made with others, or have their triggers write to it. */
  afterStep(): Promise<void>
}

/** A step that was done before the process was killed is not done again. */
async function applyMigration(client: Client, file: string, { applied, isCitus, afterStep }: Applying): Promise<void> {
  const plainSteps = splitSteps(await readFile(new URL(file, migrationsFolder), 'utf8'))
  const steps = isCitus ? plainSteps.map(forDistributedTables) : plainSteps
  const nameOf = (step: number) => `${file} (step ${step + 1})`
  for (const [index, { kind, statements }] of steps.entries()) {
    if (applied.has(nameOf(index))) continue
    const isLast = index === steps.length - 1
    const registration = isLast
      ? [`delete from migrations where name like '${file} (step %'`, `insert into migrations (name) values ('${file}')`]
      : [`insert into migrations (name) values ('${nameOf(index)}')`]
    if (kind === 'repeated') while ((await runTransaction(client, statements)) > 0);
    if (kind === 'concurrently') for (const statement of statements) await runConcurrently(client, statement)
    await runTransaction(client, kind === 'once' ? [...statements, ...registration] : registration)
    await afterStep()
  }
}

/** How many rows the last statement returned or changed. */
async function runTransaction(client: Client, statements: readonly string[]): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      let rows = 0
      await client.query('begin')
      for (const text of statements) rows = await runLong(client, text)
      await client.query('commit')
      return rows
    } catch (error) {
      if (!isLockConflict(error) || attempt === maxAttempts) throw error
      await client.query('rollback')
      await delay(retryDelayMs)
    }
  }
}

/**
 * PostgreSQL waits until every transaction has ended that began before. Nobody queues behind that, so it may take long; what takes
 * longer than that is told, and tried again, by whoever migrates. An attempt that was cut off leaves an index that is never read.
 */
async function runConcurrently(client: Client, statement: string): Promise<void> {
  const index = builtIndex(statement)
  await client.query(`set lock_timeout = '${concurrentLockTimeout}'`)
  if (index) await runLong(client, `drop index concurrently if exists ${index}`)
  await runLong(client, statement)
  await client.query(`set lock_timeout = '${lockTimeout}'`)
}

async function runLong(client: Client, text: string): Promise<number> {
  const { rowCount } = await client.query({ text, query_timeout: statementTimeoutMs } as { text: string })
  return rowCount ?? 0
}

/** A table is in use, or those who serve meanwhile took the same tables in another order. */
const isLockConflict = (error: unknown) => ['55P03', '40P01'].includes((error as { code?: string }).code ?? '')
