// Takes away what was kept only for a while: the places of deleted records, the answers to repetitions, mail long sent.
import { type Database, raw, sql } from '../db/database.ts'
import { dayMs } from '../domain/durations.ts'
import { ownWork } from '../fairness/tenant.ts'
import { firstIdAt } from '../operations/ids.ts'

const expiryConditions = {
  tombstones: "deleted_at < now() - interval '7 days'",
  idempotency_keys: "created_at < now() - interval '24 hours'",
  customer_deletions: "finished_at < now() - interval '7 days'",
  // A shop that has made no file for so long is not waiting for what the next one would tell.
  book_changes: "noted_at < now() - interval '400 days'",
  outbox: "status <> 'queued' and created_at < now() - interval '180 days'",
  oauth_tokens: 'expires_at < now()',
  authorization_requests: 'expires_at < now()',
  sessions: 'expires_at < now()',
  invitations: "expires_at < now() - interval '30 days'",
  oauth_clients: 'expires_at < now()',
  // What ended stays in view for a month.
  grants: `least(revoked_at, expires_at) < now() - interval '30 days'
    and not exists (select from oauth_tokens where oauth_tokens.org_id = grants.org_id and grant_id = grants.id)`,
}
/** Apps that registered themselves and were never allowed anything live their year too, unless there are too many of them. */
const maxUnusedClients = 100_000
const deleteUnusedClients = (maxUnused: number) => sql`
  delete from oauth_clients where id = any(array(
    select id from (
      select id, created_at from oauth_clients client
      where source = 'dynamic' and not exists (select from grants where client_id = client.id)
      order by created_at desc, id desc offset ${maxUnused}::int
    ) beyond where created_at < now() - interval '1 day' limit ${batchSize}::int)) returning 1`

/** Few enough that it delays nobody. */
const batchSize = 1_000

/** A row is named by its key: where it lies in a file says nothing where a table is on several machines. */
async function keysOf(database: Database): Promise<ReadonlyMap<string, string>> {
  const keys = await database.background<{ name: string; columns: string }>(sql`
    select relname as name, string_agg(quote_ident(attname), ', ' order by array_position(indkey::int2[], attnum)) as columns
    from pg_index join pg_class on pg_class.oid = indrelid join pg_attribute on attrelid = indrelid
    where indisprimary and attnum = any(indkey::int2[]) and relname = any(${Object.keys(expiryConditions)})
      and relnamespace = current_schema()::regnamespace
    group by 1`)
  return new Map(keys.map(({ name, columns }) => [name, columns]))
}

interface SweepOptions {
  isStopped?(): boolean
  readonly maxUnused?: number
  /** How many days events are kept. */
  readonly eventDays?: number
}

export async function sweep(
  database: Database,
  { isStopped = () => false, maxUnused = maxUnusedClients, eventDays = 30 }: SweepOptions = {},
): Promise<void> {
  const keys = await keysOf(database)
  for (const [table, isExpired] of Object.entries(expiryConditions)) {
    const key = raw(`(${keys.get(table)})`)
    for (let deleted = batchSize; deleted === batchSize && !isStopped(); ) {
      const rows = await database.write(
        ownWork,
        sql`
        delete from ${raw(table)} where ${key} in (
          select ${raw(keys.get(table)!)} from ${raw(table)} where ${raw(isExpired)} limit ${raw(String(batchSize))})
        returning 1`,
      )
      deleted = rows.length
    }
  }
  for (let deleted = batchSize; deleted === batchSize && !isStopped(); )
    deleted = (await database.write(ownWork, deleteUnusedClients(maxUnused))).length
  await sweepEvents(database, Date.now() - eventDays * dayMs, isStopped)
}

/** Ids sort by time. The newest event stays, however old it is: whoever has read it has missed nothing. */
async function sweepEvents(database: Database, before: number, isStopped: () => boolean): Promise<void> {
  const counters = await database.background<{ orgId: string; newest: number }>(
    sql`select org_id as "orgId", position as newest from event_counters`,
  )
  for (const { orgId, newest } of counters) {
    for (let deleted = batchSize; deleted === batchSize && !isStopped(); ) {
      const rows = await database.write(
        ownWork,
        sql`
        delete from events where org_id = ${orgId} and position in (
          select position from events where org_id = ${orgId} and id < ${firstIdAt('chg', before)}
            and position < ${newest}::bigint order by id limit ${batchSize}::int) returning 1`,
      )
      deleted = rows.length
    }
  }
}
