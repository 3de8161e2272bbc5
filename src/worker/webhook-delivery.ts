// One delivery: whether it may be told, the attempt, and what follows from it for the delivery, its record and its webhook.
import { type Database, type Queryable, sql } from '../db/database.ts'
import { type AttemptVerdict, judgeAttempt, maxFailingDays } from '../domain/webhook-attempts.ts'
import { backgroundWork } from '../fairness/tenant.ts'
import type { Destinations } from '../http/safe-fetch.ts'
import type { Dependencies } from '../operations/operation.ts'
import { loadMakerRights, type MakerKind } from '../webhooks/makers.ts'
import { type Attempt, postEvent } from '../webhooks/send.ts'
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

export async function deliver(
  context: DeliveryDependencies,
  queue: WebhookQueue,
  delivery: DueDelivery,
): Promise<DeliveryOutcome> {
  const { database, destinations, dependencies, stopSignal } = context
  const [target, event] = await Promise.all([findTarget(database, queue), findEvent(database, queue, delivery)])
  if (!target || target.isPaused) return 'paused'
  const rights = (await loadMakerRights(database, queue.orgId, [target]))(target)
  if (rights.state === 'ended') {
    await pauseWithoutMaker(database, queue)
    return 'paused'
  }
  if (rights.state === 'held') return 'held'
  const settle = (settlement: Settlement) => settleDelivery(context, queue, delivery, settlement)
  if (!event) return settle({ verdict: { kind: 'failed', isGone: false }, attempt: lostAttempt() })
  if (event.entity !== null && !rights.mayRead(event.entity)) return settle('dropped')
  const secrets = [target.secret, target.previousSecret].flatMap((sealed) =>
    sealed === null ? [] : [dependencies.vault.decrypt(sealed)],
  )
  const { url } = target
  const { attempt, retryAfter } = await postEvent(destinations, {
    url,
    secrets,
    eventId: delivery.eventId,
    body: event.body,
    signal: stopSignal,
  })
  if (attempt.statusCode === null && stopSignal.aborted) return 'left'
  const answer = { statusCode: attempt.statusCode, retryAfter }
  const verdict = judgeAttempt(answer, delivery.tries + 1, { now: Date.now(), random: Math.random() })
  return settle({ verdict, attempt })
}

interface Target {
  readonly url: string
  readonly isPaused: boolean
  readonly kind: MakerKind
  readonly id: string | null
  readonly secret: string
  readonly previousSecret: string | null
}

/** As it is now: it may have been changed, paused or deleted since the event was queued. */
async function findTarget(database: Database, { orgId, webhookId }: WebhookQueue): Promise<Target | undefined> {
  const [target] = await database.read<Target>(
    backgroundWork(orgId),
    sql`select url, is_paused as "isPaused", maker_kind as kind, maker_id as id, sealed_secret as secret,
          case when previous_secret_until > now() then sealed_previous_secret end as "previousSecret"
        from webhooks where org_id = ${orgId} and id = ${webhookId}`,
  )
  return target
}

/** An expired key says nothing by itself: the first who notices pauses its webhooks. */
export const pauseWithoutMaker = (database: Database, { orgId, webhookId }: WebhookQueue): Promise<unknown> =>
  database.write(
    backgroundWork(orgId),
    sql`update webhooks set is_paused = true, paused_reason = 'maker_revoked', updated_at = now()
        where org_id = ${orgId} and id = ${webhookId} returning 1`,
  )

interface DeliveredEvent {
  readonly body: string
  /** Null: anybody may be told. */
  readonly entity: string | null
}

async function findEvent(
  database: Database,
  { orgId }: WebhookQueue,
  { id, eventId }: DueDelivery,
): Promise<DeliveredEvent | undefined> {
  const tenant = backgroundWork(orgId)
  const [event] = await database.read<DeliveredEvent>(
    tenant,
    sql`select body, entity from events where org_id = ${orgId} and id = ${eventId}`,
  )
  if (event) return event
  const [test] = await database.read<{ testEvent: string | null }>(
    tenant,
    sql`select test_event as "testEvent" from webhook_deliveries where org_id = ${orgId} and id = ${id}`,
  )
  return test?.testEvent ? { body: test.testEvent, entity: null } : undefined
}

const lostAttempt = (): Attempt => ({
  at: new Date().toISOString(),
  statusCode: null,
  durationMs: 0,
  response: null,
  error: 'The event is no longer kept',
})

type Settlement = { readonly verdict: AttemptVerdict; readonly attempt: Attempt } | 'dropped'

const maxAttemptsKept = 20

/** Somebody else has the queue by now: what came of the attempt is theirs to find out. */
class LeaseLost extends Error {}

/** The webhook is locked before its queue, as by those who change it. */
async function settleDelivery(
  context: DeliveryDependencies,
  queue: WebhookQueue,
  delivery: DueDelivery,
  settlement: Settlement,
): Promise<DeliveryOutcome> {
  const { database, lease } = context
  try {
    return await database.transaction(backgroundWork(queue.orgId), async (db): Promise<DeliveryOutcome> => {
      // The queue is locked until the commit, and deliveries of one webhook follow each other here: they do not wait for the
      // disk. What a power cut takes away is sent again.
      const [isPaused] = await Promise.all([
        settlement !== 'dropped' && noteHealth(context, db, queue, settlement.verdict),
        db.query(sql`set local synchronous_commit = off`),
      ])
      // All at once: each sees what the lock before it waited for, and none counts where the lease is lost.
      const [isHeld] = await Promise.all([
        lockLease(db, queue, lease),
        ...writeSettlement(db, queue, delivery, settlement),
      ])
      if (!isHeld) throw new LeaseLost()
      if (settlement === 'dropped') return 'dropped'
      return isPaused ? 'paused' : settlement.verdict.kind
    })
  } catch (error) {
    if (error instanceof LeaseLost) return 'left'
    throw error
  }
}

function writeSettlement(
  db: Queryable,
  queue: WebhookQueue,
  delivery: DueDelivery,
  settlement: Settlement,
): Promise<unknown>[] {
  const isDelivery = sql`org_id = ${queue.orgId} and id = ${delivery.id}`
  if (settlement === 'dropped')
    return [
      db.query(sql`delete from webhook_deliveries where ${isDelivery}`),
      releaseNext(db, queue, delivery.recordKey),
    ]
  const { verdict, attempt } = settlement
  const attempts = JSON.stringify([...delivery.attempts, attempt].slice(-maxAttemptsKept))
  return [
    db.query(sql`
      update webhook_deliveries set status = ${verdict.kind === 'retry' ? 'waiting' : verdict.kind}, tries = tries + 1,
        attempts = ${attempts}::jsonb, next_attempt_at = null, updated_at = now() where ${isDelivery}`),
    verdict.kind === 'retry'
      ? scheduleRetry(db, queue, delivery, verdict.waitMs)
      : releaseNext(db, queue, delivery.recordKey),
  ]
}

/** Of one record one delivery is due at a time; one that somebody retried meanwhile goes first. */
const noneIsDue = ({ orgId, webhookId }: WebhookQueue, recordKey: string) => sql`not exists (
  select from webhook_deliveries where org_id = ${orgId} and webhook_id = ${webhookId} and record_key = ${recordKey}
    and status = 'waiting' and next_attempt_at is not null)`

const scheduleRetry = (db: Queryable, queue: WebhookQueue, { id, recordKey }: DueDelivery, waitMs: number) =>
  db.query(sql`
    update webhook_deliveries set next_attempt_at = now() + make_interval(secs => ${waitMs / 1_000}::float8)
    where org_id = ${queue.orgId} and id = ${id} and ${noneIsDue(queue, recordKey)}`)

/** The next event about the record, in the order of positions. */
const releaseNext = (db: Queryable, queue: WebhookQueue, recordKey: string) =>
  db.query(sql`
    update webhook_deliveries set next_attempt_at = now() where org_id = ${queue.orgId} and id = (
      select id from webhook_deliveries where org_id = ${queue.orgId} and webhook_id = ${queue.webhookId}
        and record_key = ${recordKey} and status = 'waiting' and is_placed order by position, id limit 1)
      and ${noneIsDue(queue, recordKey)}`)

/** How the webhook fares; whether it is paused for it. */
async function noteHealth(
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
  const [webhook] = await db.query<{ url: string; isLong: boolean; isPaused: boolean }>(sql`
    update webhooks set failing_since = least(failing_since, now()) where ${isWebhook}
    returning url, failing_since <= now() - make_interval(days => ${maxFailingDays}) as "isLong", is_paused as "isPaused"`)
  if (!webhook || webhook.isPaused) return true
  const isGone = verdict.kind === 'failed' && verdict.isGone
  if (!isGone && !webhook.isLong) return false
  await db.query(sql`
    update webhooks set is_paused = true, paused_reason = ${isGone ? 'gone' : 'failing'}, updated_at = now()
    where ${isWebhook}`)
  if (!isGone) await enqueueFailingNotice(context, db, { orgId, webhookId, url: webhook.url })
  return true
}
