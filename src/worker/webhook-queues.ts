// The queue of a webhook as the worker sees it: leased by one process at a time, emptied, and given back.
import { type Database, type Queryable, sql } from '../db/database.ts'
import { backgroundWork, ownWork } from '../fairness/tenant.ts'
import type { Maker } from '../webhooks/makers.ts'

export interface WebhookQueue {
  readonly orgId: string
  readonly webhookId: string
}

/** A delivery whose time has come, the first about its record. */
export interface DueDelivery {
  readonly id: string
  readonly eventId: string
  readonly recordKey: string
  readonly tries: number
  readonly attempts: readonly object[]
  /** When it was queued. */
  readonly createdAt: Date
}

/** Long enough for a process that is busy, short enough for those who wait after a crash. */
const leaseSeconds = 20
export const renewEveryMs = 5_000
const leaseEnd = sql`now() + make_interval(secs => ${leaseSeconds})`

const isQueue = ({ orgId, webhookId }: WebhookQueue) => sql`org_id = ${orgId} and webhook_id = ${webhookId}`

/** Those that nobody is at, those whose process has gone, and own ones that have something new. Nothing is locked here. */
export const findQueues = (
  database: Database,
  lease: string,
  limit: number,
): Promise<(WebhookQueue & { isOwn: boolean })[]> =>
  database.background(sql`
    select org_id as "orgId", webhook_id as "webhookId", coalesce(lease = ${lease}, false) as "isOwn" from webhook_queues
    where (due_at <= now() and (lease is null or lease = ${lease})) or leased_until <= now()
    order by due_at nulls first limit ${limit}::int`)

/** Webhooks with deliveries that were added and have no place yet. */
export const findUnplaced = (database: Database, limit: number): Promise<WebhookQueue[]> =>
  database.background(sql`
    select distinct org_id as "orgId", webhook_id as "webhookId" from webhook_deliveries where not is_placed
    limit ${limit}::int`)

/** Of two processes that want it one gets it. Takes the mark that something is due: what comes from now on sets it again. */
export async function leaseQueue(database: Database, queue: WebhookQueue, lease: string): Promise<boolean> {
  const rows = await database.write(
    backgroundWork(queue.orgId),
    sql`update webhook_queues set lease = ${lease}, leased_until = ${leaseEnd}, due_at = null
        where ${isQueue(queue)} and (lease is null or leased_until <= now()) returning 1`,
  )
  return rows.length > 0
}

/** Who made the webhook, which stays so, and whether the last attempt failed; undefined where it is gone. */
export async function findWebhook(
  database: Database,
  { orgId, webhookId }: WebhookQueue,
): Promise<{ readonly maker: Maker; readonly isFailing: boolean } | undefined> {
  const [webhook] = await database.read<Maker & { isFailing: boolean }>(
    backgroundWork(orgId),
    sql`select maker_kind as kind, maker_id as id, failing_since is not null as "isFailing" from webhooks
        where org_id = ${orgId} and id = ${webhookId}`,
  )
  return webhook && { maker: { kind: webhook.kind, id: webhook.id }, isFailing: webhook.isFailing }
}

/** Before looking again at what is due. */
export const takeDueMark = (database: Database, queue: WebhookQueue, lease: string): Promise<unknown> =>
  database.write(
    backgroundWork(queue.orgId),
    sql`update webhook_queues set due_at = null where ${isQueue(queue)} and lease = ${lease} and due_at <= now() returning 1`,
  )

export const renewLease = (database: Database, queue: WebhookQueue, lease: string): Promise<unknown> =>
  database.write(
    ownWork,
    sql`update webhook_queues set leased_until = ${leaseEnd} where ${isQueue(queue)} and lease = ${lease} returning 1`,
  )

export const findDueDeliveries = (database: Database, queue: WebhookQueue, limit: number): Promise<DueDelivery[]> =>
  database.read(
    backgroundWork(queue.orgId),
    sql`select id, event_id as "eventId", record_key as "recordKey", tries, attempts, created_at as "createdAt"
        from webhook_deliveries where ${isQueue(queue)} and status = 'waiting' and next_attempt_at <= now()
        order by next_attempt_at, position limit ${limit}::int`,
  )

/** Whether the queue is still ours, locked until the transaction ends: who lost the lease settles nothing. */
export async function lockLease(db: Queryable, queue: WebhookQueue, lease: string): Promise<boolean> {
  const rows = await db.query(sql`select 1 from webhook_queues where ${isQueue(queue)} and lease = ${lease} for update`)
  return rows.length > 0
}

/** `done`: nothing is due, or the webhook is paused; `left`: to whoever comes next; `held`: what is due waits for a while. */
export type QueueEnd = 'done' | 'left' | 'held'
const heldSeconds = 60

/** Gives the queue back; false if it is not done: something is due at this moment. Then it is kept. */
export function releaseQueue(database: Database, queue: WebhookQueue, lease: string, end: QueueEnd): Promise<boolean> {
  return database.transaction(backgroundWork(queue.orgId), async (transaction) => {
    if (!(await lockLease(transaction, queue, lease))) return true
    // Somebody may have resumed it meanwhile, and marked it as due: that must not be undone.
    const [webhook] = await transaction.query<{ isPaused: boolean }>(sql`
      select is_paused as "isPaused" from webhooks where org_id = ${queue.orgId} and id = ${queue.webhookId}`)
    const [next] = await transaction.query<{ at: Date | null; isDue: boolean | null; heldUntil: Date }>(sql`
      select min(next_attempt_at) as at, min(next_attempt_at) <= now() as "isDue",
        now() + make_interval(secs => ${heldSeconds}) as "heldUntil"
      from webhook_deliveries where ${isQueue(queue)} and status = 'waiting'`)
    const isPaused = webhook?.isPaused ?? true
    if (end === 'done' && !isPaused && next!.isDue) return false
    const dueAt = isPaused ? null : end === 'held' ? next!.heldUntil : next!.at
    await transaction.query(sql`
      update webhook_queues set lease = null, leased_until = null, due_at = ${dueAt}::timestamptz where ${isQueue(queue)}`)
    return true
  })
}
