// Events for tests of webhooks: numbered and queued as by the sequencer, in one transaction, without a record behind them.
import { type Database, sql } from '../src/db/database.ts'
import type { ServiceEvent } from '../src/events/event.ts'
import { newId } from '../src/operations/ids.ts'
import { placeDeliveries, queueDeliveries } from '../src/webhooks/queue.ts'

export type WantedEvent = Partial<Pick<ServiceEvent, 'type' | 'resource' | 'recordId' | 'data'>> & { entity?: string }

/** Answers them in the order in which they were given. */
export const tellEvents = (
  database: Database,
  orgId: string,
  wanted: readonly WantedEvent[],
): Promise<ServiceEvent[]> =>
  database.transaction(orgId, async (transaction) => {
    await transaction.query(sql`set transaction isolation level repeatable read`)
    const [counter] = await transaction.query<{ position: number }>(sql`
      insert into event_counters (org_id, position) values (${orgId}, ${wanted.length})
      on conflict (org_id) do update set position = event_counters.position + ${wanted.length} returning position::int`)
    const events = wanted.map(({ entity = 'customers', ...event }, index) => {
      const told: ServiceEvent = {
        id: newId('chg'),
        position: counter!.position - wanted.length + index + 1,
        type: 'customer.created',
        at: new Date().toISOString(),
        actor: { kind: 'system', id: null, name: null },
        resource: 'customers',
        recordId: newId('cus'),
        parentId: null,
        changed: [],
        previous: null,
        data: { firstName: 'Amara' },
        omitted: [],
        ...event,
      }
      return { ...told, entity, body: JSON.stringify(told) }
    })
    for (const { id, position, at, type, resource, recordId, entity, body } of events)
      await transaction.query(sql`
        insert into events (org_id, position, id, at, type, resource, record_id, entity, body)
        values (${orgId}, ${position}, ${id}, ${at}::timestamptz, ${type}, ${resource}, ${recordId}, ${entity}, ${body})`)
    await queueDeliveries(transaction, orgId, events)
    return events
  })

/** As the worker does it before it delivers. */
export const placeEvents = (database: Database, orgId: string, webhookId: string): Promise<boolean> =>
  database.transaction(orgId, (transaction) => placeDeliveries(transaction, orgId, webhookId))
