// What follows from attempts for deliveries, their records and their webhook. Those that end at the same time are settled
// together: the queue is locked until the commit, so that one by one they would wait for each other.
import { type Database, plannedAnew, type Queryable, sql } from '../db/database.ts'
import { dayMs } from '../domain/durations.ts'
import { type AttemptVerdict, maxFailingDays } from '../domain/webhook-attempts.ts'
import { backgroundWork } from '../fairness/tenant.ts'
import type { Destinations } from '../http/safe-fetch.ts'
import type { Dependencies } from '../operations/operation.ts'
import type { Attempt } from '../webhooks/send.ts'
import { enqueueFailingNotice } from './webhook-notice.ts'
import { type DueDelivery, lockLease, type WebhookQueue } from './webhook-queues.ts'

export interface DeliveryDependencies {
  readonly database: Database
  readonly destinations: Destinations
  readonly dependencies: Dependencies
  /** Where admins look after webhooks. */
  readonly portalOrigin: string
  /** The name under which this process leases queues. */
  readonly lease: string
  /** Aborted when the service stops: what is on its way then is left to the next start. */
  readonly stopSignal: AbortSignal
}

/** What came of it; `paused` and `held` are said of the webhook as a whole. */
export type DeliveryOutcome = 'delivered' | 'retry' | 'failed' | 'dropped' | 'paused' | 'held' | 'left'

export type Settlement = { readonly verdict: AttemptVerdict; readonly attempt: Attempt } | 'dropped'
export type Settle = (delivery: DueDelivery, settlement: Settlement) => Promise<DeliveryOutcome>

interface Settled {
  readonly delivery: DueDelivery
  readonly settlement: Settlement
}

/** For one queue, for as long as it is leased: what comes while a transaction is under way is in the next. */
export function createSettler(context: DeliveryDependencies, queue: WebhookQueue): Settle {
  let waiting: (Settled & PromiseWithResolvers<DeliveryOutcome>)[] = []
  let isSettling = false

  async function settleWaiting(): Promise<void> {
    isSettling = true
    while (waiting.length > 0) {
      const some = waiting
      waiting = []
      await settleTogether(context, queue, some).then(
        (outcomeOf) => {
          for (const one of some) one.resolve(outcomeOf(one))
        },
        (error) => {
          for (const { reject } of some) reject(error)
        },
      )
    }
    isSettling = false
  }

  return (delivery, settlement) => {
    const settled = { delivery, settlement, ...Promise.withResolvers<DeliveryOutcome>() }
    waiting.push(settled)
    if (!isSettling) void settleWaiting()
    return settled.promise
  }
}

const maxAttemptsKept = 20

/** Somebody else has the queue by now: what came of the attempts is theirs to find out. */
class LeaseLost extends Error {}

/** The webhook is locked before its queue, as by those who change it. */
async function settleTogether(
  context: DeliveryDependencies,
  queue: WebhookQueue,
  some: readonly Settled[],
): Promise<(settled: Settled) => DeliveryOutcome> {
  const { database, lease } = context
  try {
    const isPaused = await database.transaction(backgroundWork(queue.orgId), async (db): Promise<boolean> => {
      // They do not wait for the disk. What a power cut takes away is sent again.
      const [wasPaused] = await Promise.all([
        noteHealth(context, db, queue, some),
        db.query(sql`set local synchronous_commit = off`),
      ])
      // All at once: each sees what the lock before it waited for, and none counts where the lease is lost.
      const [isHeld] = await Promise.all([lockLease(db, queue, lease), ...writeSettlements(db, queue, some)])
      if (!isHeld) throw new LeaseLost()
      return wasPaused
    })
    return ({ settlement }) => (settlement === 'dropped' ? 'dropped' : isPaused ? 'paused' : settlement.verdict.kind)
  } catch (error) {
    if (error instanceof LeaseLost) return () => 'left'
    throw error
  }
}

function writeSettlements(db: Queryable, queue: WebhookQueue, some: readonly Settled[]): Promise<unknown>[] {
  const { orgId } = queue
  const dropped = some.filter(({ settlement }) => settlement === 'dropped').map(({ delivery }) => delivery.id)
  const attempted = some.flatMap(({ delivery, settlement }) =>
    settlement === 'dropped' ? [] : [{ delivery, ...settlement }],
  )
  const rows = attempted.map(({ delivery, verdict, attempt }) => ({
    id: delivery.id,
    status: verdict.kind === 'retry' ? 'waiting' : verdict.kind,
    attempts: [...delivery.attempts, attempt].slice(-maxAttemptsKept),
  }))
  const writes: Promise<unknown>[] = []
  if (dropped.length > 0)
    writes.push(db.query(sql`delete from webhook_deliveries where org_id = ${orgId} and id = any(${dropped})`))
  if (rows.length > 0)
    writes.push(
      db.query(
        plannedAnew(sql`
          update webhook_deliveries delivery set status = settled.status, tries = tries + 1, attempts = settled.attempts,
            next_attempt_at = null, updated_at = now()
          from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as settled (id text, status text, attempts jsonb)
          where delivery.org_id = ${orgId} and delivery.id = any(${rows.map(({ id }) => id)}) and delivery.id = settled.id`),
      ),
    )
  const ended: string[] = []
  for (const { delivery, settlement } of some) {
    if (settlement !== 'dropped' && settlement.verdict.kind === 'retry')
      writes.push(scheduleRetry(db, queue, delivery, settlement.verdict.waitMs))
    else ended.push(delivery.recordKey)
  }
  if (ended.length > 0) writes.push(releaseNext(db, queue, ended))
  return writes
}

/** Of one record one delivery is due at a time; one that somebody retried meanwhile goes first. */
const scheduleRetry = (
  db: Queryable,
  { orgId, webhookId }: WebhookQueue,
  { id, recordKey }: DueDelivery,
  waitMs: number,
) =>
  db.query(sql`
    update webhook_deliveries set next_attempt_at = now() + make_interval(secs => ${waitMs / 1_000}::float8)
    where org_id = ${orgId} and id = ${id} and not exists (
      select from webhook_deliveries where org_id = ${orgId} and webhook_id = ${webhookId} and record_key = ${recordKey}
        and status = 'waiting' and next_attempt_at is not null)`)

/** The next event about each record, in the order of positions, where none of it is due. */
const releaseNext = (db: Queryable, { orgId, webhookId }: WebhookQueue, recordKeys: readonly string[]) =>
  db.query(
    plannedAnew(sql`
      update webhook_deliveries set next_attempt_at = now() where org_id = ${orgId} and id = any(array(
        select distinct on (record_key) id from webhook_deliveries
        where org_id = ${orgId} and webhook_id = ${webhookId} and record_key = any(${recordKeys}) and status = 'waiting'
          and next_attempt_at is null and is_placed and record_key not in (
            select record_key from webhook_deliveries where org_id = ${orgId} and webhook_id = ${webhookId}
              and record_key = any(${recordKeys}) and status = 'waiting' and next_attempt_at is not null)
        order by record_key, position, id))`),
  )

/** How the webhook fares after these attempts, in their order; whether it is paused for it. */
async function noteHealth(
  context: DeliveryDependencies,
  db: Queryable,
  queue: WebhookQueue,
  some: readonly Settled[],
): Promise<boolean> {
  const verdicts = some.flatMap(({ settlement }) => (settlement === 'dropped' ? [] : [settlement.verdict]))
  for (const [index, verdict] of verdicts.entries()) {
    const isRepeated = verdict.kind === 'delivered' && verdicts[index - 1]?.kind === 'delivered'
    if (!isRepeated && (await noteVerdict(context, db, queue, verdict))) return true
  }
  return false
}

async function noteVerdict(
  context: DeliveryDependencies,
  db: Queryable,
  { orgId, webhookId }: WebhookQueue,
  verdict: AttemptVerdict,
): Promise<boolean> {
  const isWebhook = sql`org_id = ${orgId} and id = ${webhookId}`
  if (verdict.kind === 'delivered') {
    // Once a second is often enough to say when it last went well.
    await db.query(sql`
      update webhooks set last_delivered_at = now(), failing_since = null where ${isWebhook}
        and (failing_since is not null or coalesce(last_delivered_at, '-infinity') < now() - interval '1 second')`)
    return false
  }
  // Citus returns nothing that depends on the time; of days, the clock of this process says enough.
  const [webhook] = await db.query<{ url: string; failingSince: Date; isPaused: boolean }>(sql`
    update webhooks set failing_since = least(failing_since, now()) where ${isWebhook}
    returning url, failing_since as "failingSince", is_paused as "isPaused"`)
  if (!webhook || webhook.isPaused) return true
  const isGone = verdict.kind === 'failed' && verdict.isGone
  const isLong = webhook.failingSince.getTime() <= Date.now() - maxFailingDays * dayMs
  if (!isGone && !isLong) return false
  await db.query(sql`
    update webhooks set is_paused = true, paused_reason = ${isGone ? 'gone' : 'failing'}, updated_at = now()
    where ${isWebhook}`)
  if (!isGone) await enqueueFailingNotice(context, db, { orgId, webhookId, url: webhook.url })
  return true
}
