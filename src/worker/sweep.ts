// Takes away, every hour, what was kept only for a while: the places of deleted records and the answers to repetitions.
import { type Database, sql } from '../database.ts'

const everyMs = 3_600_000

export function sweeper(database: Database): { close(): void } {
  // What is missed while the database is away is swept an hour later.
  const timer = setInterval(() => void sweep(database).catch(() => {}), everyMs).unref()
  return { close: () => clearInterval(timer) }
}

export async function sweep(database: Database): Promise<void> {
  await database.query(sql`delete from tombstones where deleted_at < now() - interval '7 days'`)
  await database.query(sql`delete from idempotency_keys where created_at < now() - interval '24 hours'`)
}
