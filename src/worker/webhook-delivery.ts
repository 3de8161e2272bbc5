// One delivery: whether it may be told, and the attempt. What follows from it is settled in `webhook-settlement.ts`.
import { type Database, sql } from '../db/database.ts'
import { judgeAttempt } from '../domain/webhook-attempts.ts'
import { backgroundWork } from '../fairness/tenant.ts'
import { loadMakerRights, type Maker } from '../webhooks/makers.ts'
import { type Attempt, postEvent } from '../webhooks/send.ts'
import type { DueDelivery, WebhookQueue } from './webhook-queues.ts'
import type { DeliveryDependencies, Settlement } from './webhook-settlement.ts'

/** What is to be settled, or why nothing was sent. */
export async function attemptDelivery(
  { database, destinations, dependencies, stopSignal }: DeliveryDependencies,
  queue: WebhookQueue,
  maker: Maker,
  delivery: DueDelivery,
): Promise<Settlement | 'paused' | 'held' | 'left'> {
  const [target, event, rightsOf] = await Promise.all([
    findTarget(database, queue),
    findEvent(database, queue, delivery),
    loadMakerRights(database, queue.orgId, [maker]),
  ])
  if (!target || target.isPaused) return 'paused'
  const rights = rightsOf(maker)
  if (rights.state === 'ended') {
    await pauseWithoutMaker(database, queue)
    return 'paused'
  }
  if (rights.state === 'held') return 'held'
  if (!event) return { verdict: { kind: 'failed', isGone: false }, attempt: lostAttempt() }
  if (event.entity !== null && !rights.mayRead(event.entity)) return 'dropped'
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
  return { verdict, attempt }
}

interface Target {
  readonly url: string
  readonly isPaused: boolean
  readonly secret: string
  readonly previousSecret: string | null
}

/** As it is now: it may have been changed, paused or deleted since the event was queued. */
async function findTarget(database: Database, { orgId, webhookId }: WebhookQueue): Promise<Target | undefined> {
  const [target] = await database.read<Target>(
    backgroundWork(orgId),
    sql`select url, is_paused as "isPaused", sealed_secret as secret,
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
