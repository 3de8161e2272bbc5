// Deliveries that somebody asks for: a test, a retry, and the replay of what was missed.
import type { Static } from 'typebox'
import { type Queryable, sql } from '../../db/database.ts'
import { matchesType } from '../../domain/event-types.ts'
import type { ServiceEvent, StoredEvent } from '../../events/event.ts'
import type { Json } from '../../operations/answers.ts'
import { actorFor } from '../../operations/context.ts'
import { badRequest, notFound } from '../../operations/errors.ts'
import { integer } from '../../operations/fields.ts'
import { newId } from '../../operations/ids.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { loadMakerRights } from '../../webhooks/makers.ts'
import { addDeliveries, lockQueue, markDue, type QueuedEvent, toQueuedEvent } from '../../webhooks/queue.ts'
import { findWebhook, type Webhook } from './actions.ts'
import { queryableOf } from './queryable.ts'
import { deliveries, webhooks } from './record.ts'

/** An event of no record: it is sent whatever types the webhook has, and is not in the feed. */
export async function testWebhook(ctx: Context, webhookId: string): Promise<Json> {
  const { id, url, types, description } = await findWebhook(ctx, webhookId)
  const event: ServiceEvent = {
    id: newId('chg'),
    position: null,
    type: 'webhook.test',
    at: new Date().toISOString(),
    actor: actorFor(ctx.caller),
    resource: 'webhooks',
    recordId: id,
    parentId: null,
    changed: [],
    previous: null,
    data: { id, url, types, description },
    omitted: [],
  }
  // A record of its own: a test waits behind nothing.
  const queued = {
    id: event.id,
    type: event.type,
    position: null,
    recordKey: event.id,
    testEvent: JSON.stringify(event),
  }
  const [deliveryId] = (await addDeliveries(queryableOf(ctx), ctx.orgId, webhookId, [queued])) ?? []
  if (deliveryId === undefined) throw notFound(webhooks.noun)
  return ctx.query(deliveries.find(ctx, deliveryId, { parentId: webhookId }))
}

/** At once, whatever came of it before. What is about the same record waits behind it. */
export async function retryDelivery(ctx: Context, webhookId: string, deliveryId: string): Promise<Json> {
  const db = queryableOf(ctx)
  if (!(await lockQueue(db, ctx.orgId, webhookId))) throw notFound(webhooks.noun)
  const recordKey = await ctx.query(selectRecordKey(ctx, webhookId, deliveryId))
  await db.query(sql`
    update webhook_deliveries set next_attempt_at = null where org_id = ${ctx.orgId} and webhook_id = ${webhookId}
      and record_key = ${recordKey} and status = 'waiting' and next_attempt_at is not null and id <> ${deliveryId}`)
  await db.query(sql`
    update webhook_deliveries set status = 'waiting', tries = 0, is_placed = true, next_attempt_at = now(), updated_at = now()
    where org_id = ${ctx.orgId} and id = ${deliveryId}`)
  await markDue(db, ctx.orgId, webhookId)
  return ctx.query(deliveries.find(ctx, deliveryId, { parentId: webhookId }))
}

const selectRecordKey = ({ orgId }: Context, webhookId: string, deliveryId: string): Statement<string> =>
  statement(
    sql`select record_key as "recordKey" from webhook_deliveries
        where org_id = ${orgId} and webhook_id = ${webhookId} and id = ${deliveryId}`,
    ([row]: { recordKey: string }[]) => {
      if (!row) throw notFound(deliveries.noun)
      return row.recordKey
    },
  )

const maxReplayed = 10_000

const position = (description: string) =>
  t.Optional(integer(1, Number.MAX_SAFE_INTEGER, { examples: [1], description }))

export const replayBody = t.Object(
  {
    from: position('The first position to send again.'),
    to: position('The last one.'),
    failedOnly: t.Optional(
      t.Boolean({ examples: [false], description: 'In their place: the deliveries that were given up.' }),
    ),
  },
  { title: 'WebhookReplay' },
)
export type Replay = Static<typeof replayBody>

export const replayCount = t.Object(
  { count: integer(0, maxReplayed, { examples: [12], description: 'How many deliveries are queued.' }) },
  { title: 'WebhookReplayCount' },
)

/** Counts what is sent again: what the webhook wants and its maker may read. */
export async function replay(ctx: Context, webhookId: string, wish: Replay): Promise<number> {
  const { from, to, failedOnly = false } = wish
  if (failedOnly ? from !== undefined || to !== undefined : from === undefined || to === undefined)
    throw badRequest('from and to are required, both, unless failedOnly is true')
  if (from! > to!) throw badRequest('to must not be before from')
  const webhook = await findWebhook(ctx, webhookId)
  const db = queryableOf(ctx)
  const events = failedOnly
    ? await selectFailed(db, ctx.orgId, webhookId)
    : await selectEvents(db, ctx, webhook, from!, to!)
  if (events.length > maxReplayed)
    throw badRequest(`There are more than ${maxReplayed} to replay: replay fewer positions at a time`)
  await addDeliveries(db, ctx.orgId, webhookId, events)
  return events.length
}

const selectFailed = (db: Queryable, orgId: string, webhookId: string): Promise<QueuedEvent[]> =>
  db.query<QueuedEvent>(sql`
    select event_id as id, event_type as type, position, record_key as "recordKey", test_event as "testEvent"
    from webhook_deliveries where org_id = ${orgId} and webhook_id = ${webhookId} and status = 'failed'
    order by position, id limit ${maxReplayed + 1}::int`)

const eventsAtOnce = 5_000

type EventRow = Pick<StoredEvent, 'id' | 'type' | 'position' | 'resource' | 'recordId' | 'entity'>

async function selectEvents(
  db: Queryable,
  { orgId }: Context,
  { types, createdBy }: Webhook,
  from: number,
  to: number,
): Promise<QueuedEvent[]> {
  const { mayRead } = (await loadMakerRights(db, orgId, [createdBy]))(createdBy)
  const found: QueuedEvent[] = []
  for (let after = from - 1; found.length <= maxReplayed; ) {
    const rows = await db.query<EventRow>(sql`
      select id, type, position, resource, record_id as "recordId", entity from events
      where org_id = ${orgId} and position > ${after}::bigint and position <= ${to}::bigint
      order by position limit ${eventsAtOnce}::int`)
    const wanted = rows.filter(({ type, entity }) => matchesType(types, type) && mayRead(entity))
    found.push(...wanted.map(toQueuedEvent))
    if (rows.length < eventsAtOnce) break
    after = rows.at(-1)!.position!
  }
  return found
}
