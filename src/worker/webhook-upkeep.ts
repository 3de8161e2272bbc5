// What webhooks need besides deliveries: a pause where the maker's time ran out, and an end to old and orphaned deliveries.
import { type Database, sql } from '../db/database.ts'
import { backgroundWork, ownWork } from '../fairness/tenant.ts'
import { pauseWithoutMaker } from './webhook-delivery.ts'

interface Upkeep {
  /** How long deliveries are kept: as long as events. */
  readonly days: number
  isStopped(): boolean
}

export async function keepWebhooks(database: Database, upkeep: Upkeep): Promise<void> {
  await pauseOrphans(database)
  await sweepDeleted(database, upkeep)
  await sweepOld(database, upkeep)
}

const batchSize = 1_000

interface MadeWebhook {
  readonly orgId: string
  readonly webhookId: string
  readonly makerId: string
}

/** A key or a grant that expires tells nobody. Those that are revoked pause their webhooks themselves. */
async function pauseOrphans(database: Database): Promise<void> {
  for (const [kind, table] of [
    ['key', sql`api_keys`],
    ['app', sql`grants`],
  ] as const) {
    const made = await database.background<MadeWebhook>(sql`
      select org_id as "orgId", id as "webhookId", maker_id as "makerId" from webhooks
      where maker_kind = ${kind} and not is_paused`)
    for (let start = 0; start < made.length; start += batchSize) {
      const batch = made.slice(start, start + batchSize)
      const alive = await database.background<{ id: string }>(sql`
        select id from ${table} where id = any(${batch.map(({ makerId }) => makerId)})
          and revoked_at is null and (expires_at is null or expires_at > now())`)
      const ids = new Set(alive.map(({ id }) => id))
      for (const webhook of batch) if (!ids.has(webhook.makerId)) await pauseWithoutMaker(database, webhook)
    }
  }
}

async function sweepDeleted(database: Database, { isStopped }: Upkeep): Promise<void> {
  const deleted = await database.background<{ orgId: string; id: string }>(sql`
    select org_id as "orgId", id from deleted_webhooks limit ${batchSize}::int`)
  for (const { orgId, id } of deleted) {
    for (let count = batchSize; count === batchSize; ) {
      if (isStopped()) return
      const rows = await database.write(
        backgroundWork(orgId),
        sql`delete from webhook_deliveries where org_id = ${orgId} and id = any(array(
              select id from webhook_deliveries where org_id = ${orgId} and webhook_id = ${id}
              limit ${batchSize}::int)) returning 1`,
      )
      count = rows.length
    }
    await database.write(ownWork, sql`delete from deleted_webhooks where org_id = ${orgId} and id = ${id} returning 1`)
  }
}

/** By primary key, a batch at a time. What waits comes to an end by itself, or waits for its webhook to be resumed. */
async function sweepOld(database: Database, { days, isStopped }: Upkeep): Promise<void> {
  for (let count = batchSize; count === batchSize && !isStopped(); ) {
    const old = await database.background<{ orgId: string; id: string }>(sql`
      select org_id as "orgId", id from webhook_deliveries
      where status <> 'waiting' and created_at < now() - make_interval(days => ${days}::int) limit ${batchSize}::int`)
    for (const [orgId, rows] of Map.groupBy(old, (row) => row.orgId))
      await database.write(
        backgroundWork(orgId),
        sql`delete from webhook_deliveries where org_id = ${orgId} and id = any(${rows.map(({ id }) => id)}) returning 1`,
      )
    count = old.length
  }
}
