// The queue of deliveries: which webhooks are told of an event, and in which order they are told about one record.
import { plannedAnew, type Queryable, type Sql, sql } from '../db/database.ts'
import { matchesType } from '../domain/event-types.ts'
import type { StoredEvent } from '../events/event.ts'
import { newId } from '../operations/ids.ts'
import { loadMakerRights, type MakerKind } from './makers.ts'

interface Subscriber {
  readonly id: string
  readonly types: readonly string[]
  readonly kind: MakerKind
  readonly makerId: string | null
}

/** What the queue looks at in an event. */
type NumberedEvent = Pick<StoredEvent, 'id' | 'type' | 'position' | 'resource' | 'recordId' | 'entity'>

/**
 * Every unpaused webhook that wants an event, and whose maker may read it, is told. Called in the transaction that numbers
 * events, so that none is missed. That transaction sees one moment only, which may be past: rows are added, nothing is judged by
 * what waits already, and nobody is waited for. `placeDeliveries` does the rest.
 */
export async function queueDeliveries(db: Queryable, orgId: string, events: readonly NumberedEvent[]): Promise<void> {
  const subscribers = await db.query<Subscriber>(sql`
    select id, types, maker_kind as kind, maker_id as "makerId" from webhooks
    where org_id = ${orgId} and not is_paused order by id`)
  if (subscribers.length === 0) return
  const makers = subscribers.map(({ kind, makerId }) => ({ kind, id: makerId }))
  const rightsOf = await loadMakerRights(db, orgId, makers)
  const rows = subscribers.flatMap(({ id: webhookId, types, kind, makerId }) => {
    const { state, mayRead } = rightsOf({ kind, id: makerId })
    if (state === 'ended') return []
    const told = events.filter((event) => matchesType(types, event.type) && mayRead(event.entity))
    return told.map((event) => toRow(webhookId, toQueuedEvent(event), 'unplaced'))
  })
  for (const batch of batchesOf(rows)) await insertDeliveries(db, orgId, batch)
}

/** What a delivery remembers of its event. */
export interface QueuedEvent {
  readonly id: string
  readonly type: string
  readonly position: number | null
  readonly recordKey: string
  /** The whole of it, as JSON, where it is not among the events. */
  readonly testEvent?: string | null
}

export const toQueuedEvent = (event: Omit<NumberedEvent, 'entity'>): QueuedEvent => ({
  id: event.id,
  type: event.type,
  position: event.position,
  recordKey: `${event.resource}/${event.recordId}`,
})

/** `due` is the first about its record, the others wait `behind` it. */
type Place = 'unplaced' | 'due' | 'behind'

const toRow = (
  webhookId: string,
  { id: eventId, type, position, recordKey, testEvent = null }: QueuedEvent,
  place: Place,
) => ({
  id: newId('dlv'),
  webhookId,
  eventId,
  type,
  position,
  recordKey,
  testEvent,
  isPlaced: place !== 'unplaced',
  isDue: place === 'due',
})

/** Few enough for a statement to be short. */
const batchSize = 1_000

const batchesOf = <T>(rows: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(rows.length / batchSize) }, (_, index) =>
    rows.slice(index * batchSize, (index + 1) * batchSize),
  )

/** One that the webhook was told of before is told again, and keeps its row. */
const insertDeliveries = (db: Queryable, orgId: string, rows: readonly object[]): Promise<unknown> =>
  db.query(sql`
    insert into webhook_deliveries as delivery (org_id, id, webhook_id, event_id, event_type, position, record_key,
      test_event, is_placed, next_attempt_at)
    select ${orgId}, id, "webhookId", "eventId", type, position, "recordKey", "testEvent", "isPlaced",
      case when "isDue" then now() end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as wanted (id text, "webhookId" text, "eventId" text, type text,
      position bigint, "recordKey" text, "testEvent" text, "isPlaced" boolean, "isDue" boolean)
    on conflict (org_id, webhook_id, event_id) do update
      set status = 'waiting', tries = 0, is_placed = excluded.is_placed, next_attempt_at = excluded.next_attempt_at,
        updated_at = excluded.updated_at
      where delivery.status <> 'waiting'`)

/**
 * Queues events for one webhook, in the order of their positions, and answers the ids of new deliveries; undefined where there
 * is no such webhook. Run it in a transaction that sees what others commit.
 */
export async function addDeliveries(
  db: Queryable,
  orgId: string,
  webhookId: string,
  events: readonly QueuedEvent[],
): Promise<readonly string[] | undefined> {
  if (!(await lockQueue(db, orgId, webhookId))) return undefined
  const ids: string[] = []
  for (const batch of batchesOf(events)) {
    const placeOf = await findPlaces(db, orgId, webhookId, batch)
    const rows = batch.map((event) => toRow(webhookId, event, placeOf(event)))
    await insertDeliveries(db, orgId, rows)
    ids.push(...rows.map(({ id }) => id))
  }
  await markDue(db, orgId, webhookId)
  return ids
}

/**
 * Finds a place for what was added since, a batch at a time; answers whether there may be more. Run it in a transaction. In few
 * steps, because others wait for the queue; each statement sees what the lock before it waited for.
 */
export async function placeDeliveries(db: Queryable, orgId: string, webhookId: string): Promise<boolean> {
  const [isThere, added] = await Promise.all([
    lockQueue(db, orgId, webhookId),
    db.query<{ id: string; recordKey: string }>(sql`
      select id, record_key as "recordKey" from webhook_deliveries
      where org_id = ${orgId} and webhook_id = ${webhookId} and not is_placed order by position limit ${batchSize}::int`),
  ])
  if (added.length === 0) return false
  if (!isThere) {
    // Deleted after the moment at which its events were numbered.
    await db.query(sql`
      delete from webhook_deliveries where org_id = ${orgId} and webhook_id = ${webhookId} and not is_placed`)
    return false
  }
  const placeOf = await findPlaces(db, orgId, webhookId, added)
  const places = added.map((delivery) => ({ id: delivery.id, isDue: placeOf(delivery) === 'due' }))
  // Two statements: Citus does not take now() in a CASE.
  const place = (isDue: boolean, time: Sql) => {
    const ids = places.filter((one) => one.isDue === isDue).map(({ id }) => id)
    return (
      ids.length > 0 &&
      db.query(
        plannedAnew(sql`
        update webhook_deliveries set is_placed = true, next_attempt_at = ${time} where org_id = ${orgId} and id = any(${ids})`),
      )
    )
  }
  await Promise.all([place(true, sql`now()`), place(false, sql`null`), markDue(db, orgId, webhookId)])
  return added.length === batchSize
}

/** Whoever changes what waits for a webhook locks its queue first; false where there is none. */
export async function lockQueue(db: Queryable, orgId: string, webhookId: string): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from webhook_queues where org_id = ${orgId} and webhook_id = ${webhookId} for update`)
  return rows.length > 0
}

/** For a queue that is locked. What waits for a paused webhook is not due. */
export const markDue = (db: Queryable, orgId: string, webhookId: string): Promise<unknown> =>
  db.query(sql`
    update webhook_queues set due_at = least(due_at, now()) where org_id = ${orgId} and webhook_id = ${webhookId}
      and not exists (select from webhooks where org_id = ${orgId} and id = ${webhookId} and is_paused)`)

/** The first delivery about a record is due, unless one is already; asked for each in order, once. */
async function findPlaces(
  db: Queryable,
  orgId: string,
  webhookId: string,
  deliveries: readonly { readonly recordKey: string }[],
): Promise<(delivery: { readonly recordKey: string }) => 'due' | 'behind'> {
  const recordKeys = [...new Set(deliveries.map(({ recordKey }) => recordKey))]
  const rows = await db.query<{ recordKey: string }>(sql`
    select record_key as "recordKey" from webhook_deliveries
    where org_id = ${orgId} and webhook_id = ${webhookId} and record_key = any(${recordKeys})
      and status = 'waiting' and next_attempt_at is not null`)
  const taken = new Set(rows.map(({ recordKey }) => recordKey))
  return ({ recordKey }) => {
    if (taken.has(recordKey)) return 'behind'
    taken.add(recordKey)
    return 'due'
  }
}
