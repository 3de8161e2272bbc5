// Takes away, every hour, what was kept only for a while: places of deleted records, answers to repetitions, what expired.
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
  await database.query(sql`delete from oauth_tokens where expires_at < now()`)
  await database.query(sql`delete from authorization_requests where expires_at < now()`)
  await database.query(sql`delete from sessions where expires_at < now()`)
  await database.query(sql`delete from oauth_clients where expires_at < now()`)
  // What ended stays in view for a month.
  await database.query(sql`
    delete from grants where least(revoked_at, expires_at) < now() - interval '30 days'
      and not exists (select from oauth_tokens where oauth_tokens.org_id = grants.org_id and grant_id = grants.id)`)
}
