// Numbers what was captured: one organisation at a time, by one process at any moment, in batches of one transaction each.
import { systemActor } from '../db/actor.ts'
import { type Database, type Queryable, sql } from '../db/database.ts'
import { backgroundWork } from '../fairness/tenant.ts'
import type { EventCatalogue } from '../operations/event-catalogue.ts'
import type { Dependencies, StatementContext } from '../operations/operation.ts'
import { queueDeliveries } from '../webhooks/queue.ts'
import { readCaptured } from './captured.ts'
import type { EventColumns } from './event.ts'
import { tellEvents } from './tell.ts'

export interface Sequencer {
  readonly database: Database
  readonly catalogue: EventCatalogue
  readonly dependencies: Dependencies
}

export interface NumberedBatch {
  /** How many changes were taken, and how many events they made. */
  readonly taken: number
  readonly numbered: number
  /** How long the oldest of them had waited. */
  readonly lagMs: number
  readonly hasMore: boolean
  /** How many characters its events have: long ones are taken fewer at a time. */
  readonly length: number
}

export interface BatchOptions {
  readonly limit?: number
  /** There is more than a batch, as far as is known. */
  readonly isBehind?: boolean
}

/** What is numbered is announced here, with the organisation. */
export const numberedChannel = 'events_numbered'

export const maxBatch = 100

/** Undefined where another process is at it. */
export async function numberBatch(
  sequencer: Sequencer,
  orgId: string,
  options: BatchOptions = {},
): Promise<NumberedBatch | undefined> {
  const batch = await numberCaptured(sequencer, orgId, options)
  if (batch) return batch
  const isFirst = await createCounter(sequencer.database, orgId)
  return isFirst ? numberCaptured(sequencer, orgId, options) : undefined
}

/** Of an organisation that is gone nothing is told any more. */
async function createCounter(database: Database, orgId: string): Promise<boolean> {
  const background = backgroundWork(orgId)
  const [organisation] = await database.read(background, sql`select from organisations where org_id = ${orgId}`)
  if (!organisation) {
    await database.write(background, sql`delete from event_inbox where org_id = ${orgId}`)
    return false
  }
  const created = await database.write(
    background,
    sql`insert into event_counters (org_id) values (${orgId}) on conflict do nothing returning org_id`,
  )
  return created.length > 0
}

async function numberCaptured(
  { database, catalogue, dependencies }: Sequencer,
  orgId: string,
  { limit = maxBatch, isBehind = false }: BatchOptions,
): Promise<NumberedBatch | undefined> {
  const ctx = tellingContext(orgId, dependencies)
  const batch = await database.transaction(
    backgroundWork(orgId),
    async (transaction) => {
      const position = await lockCounter(transaction, orgId)
      if (position === undefined) return undefined
      const captured = await readCaptured(transaction, ctx, catalogue, { limit, isBehind })
      if (captured.rows.length === 0) return { taken: 0, numbered: 0, lagMs: 0, hasMore: false, length: 0 }
      const events = tellEvents(captured, ctx, catalogue, position)
      const taken = captured.rows.length
      const seqs = captured.rows.map(({ seq }) => seq)
      await Promise.all([
        transaction.query(sql`delete from event_inbox where org_id = ${orgId} and seq = any(${seqs}::bigint[])`),
        ...(events.length > 0 ? [storeEvents(transaction, orgId, events, position + events.length)] : []),
      ])
      if (events.length > 0) await queueDeliveries(transaction, orgId, events)
      const lagMs = Math.max(0, Date.now() - captured.rows[0]!.at) // by two clocks, which is near enough
      const length = events.reduce((sum, { body }) => sum + body.length, 0)
      return { taken, numbered: events.length, lagMs, hasMore: taken === limit, length }
    },
    systemActor,
  )
  if (batch && batch.numbered > 0) await database.notify(numberedChannel, orgId)
  return batch
}

/**
 * Held until the events are committed, so that positions are given out in the order in which they can be read. The snapshot
 * is that of this first statement: captured rows and the records they are about are seen at one moment.
 */
async function lockCounter(transaction: Queryable, orgId: string): Promise<number | undefined> {
  const [, [counter]] = await Promise.all([
    transaction.query(sql`set transaction isolation level repeatable read`),
    transaction.query<{ position: number }>(
      sql`select position from event_counters where org_id = ${orgId} for update skip locked`,
    ),
  ])
  return counter?.position
}

async function storeEvents(
  transaction: Queryable,
  orgId: string,
  events: readonly EventColumns[],
  lastPosition: number,
): Promise<void> {
  // A list as PostgreSQL writes it would have every quote of every body escaped, here and there.
  const column = (pick: (event: EventColumns) => string | number | null) =>
    sql`string_to_array(${events.map((event) => pick(event) ?? noValue).join(separator)}, ${separator}, ${noValue})`
  await Promise.all([
    transaction.query(sql`
      insert into events (org_id, position, id, at, type, resource, record_id, parent_id, entity, body)
      select ${orgId}, event.* from unnest(
        ${column(({ position }) => position)}::bigint[], ${column(({ id }) => id)},
        ${column(({ at }) => at)}::timestamptz[], ${column(({ type }) => type)}, ${column(({ resource }) => resource)},
        ${column(({ recordId }) => recordId)}, ${column(({ parentId }) => parentId)}, ${column(({ entity }) => entity)},
        ${column(({ body }) => body)}) event`),
    transaction.query(sql`update event_counters set position = ${lastPosition}::bigint where org_id = ${orgId}`),
  ])
}

/** What stands in no id, and in JSON only escaped. */
const separator = '\u001e'
const noValue = '\u001d'

/** Records are told as a caller is answered who may only read. */
const tellingContext = (orgId: string, dependencies: Dependencies): StatementContext => ({
  ...dependencies,
  orgId,
  caller: { orgId, kind: 'system', credentialId: 'worker', name: 'Jobwright', scopes: new Set() },
})
