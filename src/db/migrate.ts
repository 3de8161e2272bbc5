// Brings the tables up to date: plain SQL files, forward only, in order.
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { type Client, type Database, translateError, Unavailable } from './database.ts'
import { distributeNewTables } from './distribute.ts'

const migrationsFolder = new URL('../../migrations/', import.meta.url)
const maxAttempts = 20
/** Queries queued behind an attempt are served before the next: meanwhile no other process may try either. */
const retryDelayMs = 2_000
/** The key of the advisory lock, the same in every process: whoever holds the lock migrates. */
const advisoryLockId = 6_510_217

/** The migrations this version knows, in order. */
export const migrationFiles = async (): Promise<string[]> =>
  (await readdir(migrationsFolder)).filter((file) => file.endsWith('.sql')).sort()

/** Applies what is missing, in order, each file or step of it in a transaction of its own; several processes may try at once. */
export async function migrate(database: Database): Promise<string[]> {
  const client = await database.connect()
  try {
    await client.query('set statement_timeout = 0; set lock_timeout = 0')
    // The wait for another process's migration is unbounded, so this one statement has no timeout.
    await client.query({ text: `select pg_advisory_lock(${advisoryLockId})`, query_timeout: 600_000 } as {
      text: string
    })
    await client.query(`create table if not exists migrations
      (name text primary key, applied_at timestamptz not null default now())`)
    const applied = new Set((await client.query('select name from migrations')).rows.map(({ name }) => name))
    const missing = (await migrationFiles()).filter((file) => !applied.has(file))
    // The lock timeout for a table in use is short: readers queue behind a pending lock, and must be served before
    // their own timeout.
    await client.query(`set lock_timeout = '1500ms'`)
    // Where tables are distributed, one transaction may change several shards of one only after the other.
    if (await database.isCitus()) await client.query(`set citus.multi_shard_modify_mode = 'sequential'`)
    for (const file of missing) await applyMigration(client, file, applied)
    if (missing.length > 0) await distributeNewTables(database)
    return missing
  } catch (error) {
    throw isLockConflict(error) ? new Unavailable(error) : translateError(error)
  } finally {
    await client.end()
  }
}

/** A step that was done before the process was killed is not done again. */
async function applyMigration(client: Client, file: string, applied: ReadonlySet<string>): Promise<void> {
  const steps = splitSteps(await readFile(new URL(file, migrationsFolder), 'utf8'))
  const nameOf = (step: number) => `${file} (step ${step + 1})`
  for (const [index, text] of steps.entries()) {
    if (applied.has(nameOf(index))) continue
    const isLast = index === steps.length - 1
    const registration = isLast
      ? [`delete from migrations where name like '${file} (step %'`, `insert into migrations (name) values ('${file}')`]
      : [`insert into migrations (name) values ('${nameOf(index)}')`]
    await applyStep(client, [...splitStatements(text), ...registration])
  }
}

async function applyStep(client: Client, statements: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      for (const text of ['begin', ...statements, 'commit'])
        await client.query({ text, query_timeout: 600_000 } as { text: string })
      return
    } catch (error) {
      if (!isLockConflict(error) || attempt === maxAttempts) throw error
      await client.query('rollback')
      await delay(retryDelayMs)
    }
  }
}

/**
 * The steps of a file, parted by lines that begin with `-- Next step`. Each is a transaction: what takes long does not hold the
 * locks of what came before it, and those who serve meanwhile wait for one step, not for all of them.
 */
export const splitSteps = (text: string): string[] => text.split(/^-- Next step\b.*$/m)

/**
 * The statements of a file, which are sent one by one: where tables are distributed, Citus passes the text of a statement on to
 * the other machines, and that must be of this statement alone. A semicolon in a comment, a string or a body ends none.
 */
export function splitStatements(text: string): string[] {
  const pieces = text.match(/--[^\n]*|'[^']*'|(\$\w*\$)[\s\S]*?\1|[\s\S]/g) ?? []
  const statements = ['']
  for (const piece of pieces) {
    if (piece === ';') statements.push('')
    else statements[statements.length - 1] += piece
  }
  return statements.filter((statement) => statement.replaceAll(/--[^\n]*/g, '').trim() !== '')
}

/** A table is in use, or those who serve meanwhile took the same tables in another order. */
const isLockConflict = (error: unknown) => ['55P03', '40P01'].includes((error as { code?: string }).code ?? '')
