// Reads numbered events, oldest first: for the feed, the stream, webhooks and the command line alike.
import { type Queryable, raw, type Sql, sql } from '../db/database.ts'
import type { ServiceEvent, StoredEvent } from './event.ts'

export interface EventFilter {
  /** Types or patterns (`ticket.*`); none means all. */
  readonly types?: readonly string[] | undefined
  readonly resource?: string | undefined
  readonly recordId?: string | undefined
  /** Changes from this moment on. */
  readonly since?: string | undefined
  /** Only events that need `:read` of these. */
  readonly entities?: readonly string[] | undefined
}

export interface EventRequest extends EventFilter {
  /** Events behind this position; 0 for all. */
  readonly afterPosition: number
  readonly limit: number
}

/** Those that match, at most `limit` of them. */
export async function eventsAfter(
  db: Queryable,
  orgId: string,
  { afterPosition, limit, ...filter }: EventRequest,
): Promise<StoredEvent[]> {
  const rows = await db.query<EventRow>(sql`
    select entity, body from events where org_id = ${orgId} and position > ${afterPosition}::bigint and ${matches(filter)}
    order by position limit ${limit}::int`)
  return rows.map(toStoredEvent)
}

export async function eventById(db: Queryable, orgId: string, id: string): Promise<StoredEvent | undefined> {
  const [row] = await db.query<EventRow>(sql`select entity, body from events where org_id = ${orgId} and id = ${id}`)
  return row && toStoredEvent(row)
}

export interface EventRow {
  readonly entity: string
  readonly body: string
}

const toStoredEvent = ({ entity, body }: EventRow): StoredEvent => ({
  ...(JSON.parse(body) as ServiceEvent),
  entity,
  body,
})

/** What `matchesType` says of patterns, and the other filters. */
export function matches({ types = [], resource, recordId, since, entities }: EventFilter): Sql {
  const conditions = [
    ...(types.length === 0 || types.includes('*')
      ? []
      : [sql`(events.type = any(${types}) or split_part(events.type, '.', 1) || '.*' = any(${types}))`]),
    ...(resource === undefined ? [] : [sql`events.resource = ${resource}`]),
    ...(recordId === undefined ? [] : [sql`events.record_id = ${recordId}`]),
    ...(since === undefined ? [] : [sql`events.at >= ${since}::timestamptz`]),
    ...(entities === undefined ? [] : [sql`events.entity = any(${entities})`]),
  ]
  return conditions.reduce((all, one) => sql`${all} and ${one}`, raw('true'))
}
