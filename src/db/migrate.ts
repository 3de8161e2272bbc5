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

/** Applies what is missing, in order, each file in a transaction of its own; several processes may try at once. */
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
    for (const file of missing) await applyMigration(client, file)
    if (missing.length > 0) await distributeNewTables(database)
    return missing
  } catch (error) {
    throw isLockConflict(error) ? new Unavailable(error) : translateError(error)
  } finally {
    await client.end()
  }
}

async function applyMigration(client: Client, file: string): Promise<void> {
  const text = await readFile(new URL(file, migrationsFolder), 'utf8')
  const statements = `begin; ${text}; insert into migrations (name) values ('${file}'); commit`
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query({ text: statements, query_timeout: 600_000 } as { text: string })
      return
    } catch (error) {
      if (!isLockConflict(error) || attempt === maxAttempts) throw error
      await client.query('rollback')
      await delay(retryDelayMs)
    }
  }
}

/** A table is in use, or those who serve meanwhile took the same tables in another order. */
const isLockConflict = (error: unknown) => ['55P03', '40P01'].includes((error as { code?: string }).code ?? '')
