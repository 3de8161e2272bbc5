// Takes away what was kept only for a while: the places of deleted records and the answers to repetitions.
import { type Database, sql } from '../database.ts'

export async function sweep(database: Database): Promise<void> {
  await database.query(sql`delete from tombstones where deleted_at < now() - interval '7 days'`)
  await database.query(sql`delete from idempotency_keys where created_at < now() - interval '24 hours'`)
}
