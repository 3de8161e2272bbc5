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

export const selectEvent = (orgId: string, id: string): Sql =>
  sql`select entity, body from events where org_id = ${orgId} and id = ${id}`

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
function matches({ types = [], resource, recordId, since, entities }: EventFilter): Sql {
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

/** One page, as the database answers it. Positions have no gaps: so many are looked at, however few of them match. */
export interface EventPage {
  /** Where it begins; null where the cursor is not known. */
  readonly start: number | null
  /** The last event there is, and the oldest that is kept. */
  readonly newest: number
  readonly oldestId: string | null
  readonly bodies: readonly string[]
  /** The last event that was looked at, told or not. */
  readonly lastPosition: number
  readonly lastId: string | null
}

const maxLookedAt = 2_000
const maxBytes = 500_000

/** Where reading begins: behind a position, an event, all there are, or what came before a moment. */
export type EventStart =
  | { readonly position: number }
  | { readonly id: string }
  | { readonly latest: true }
  | { readonly firstId: string }

export function selectEventPage(orgId: string, start: EventStart, filter: EventFilter, size: number): Sql {
  // An index leads from one event of a record to the next.
  const lookedAt = filter.recordId === undefined ? maxLookedAt : 1e15
  return sql`
    with bounds as materialized (
      select coalesce((select position from event_counters where org_id = ${orgId}), 0) as newest,
        (select position from events where org_id = ${orgId} order by position limit 1) as oldest
    ), start as materialized (
      select case when position is not null then greatest(position, oldest - 1) end as position from (select ${startPosition(orgId, start)} as position) given, bounds
    ), candidates as (
      select position, body, sum(octet_length(body)) over (order by position) - octet_length(body) as bytes_before from (
        select position, body from events where org_id = ${orgId} and position > (select position from start)
          and position <= (select position from start) + ${lookedAt}::bigint and ${matches(filter)}
        order by position limit ${size}::int) matching
    ), page as materialized (
      select position, body from candidates where bytes_before < ${maxBytes}::int
    ), looked_at as materialized (
      select case when (select count(*) from page) = ${size}::int or exists (select from candidates where bytes_before >= ${maxBytes}::int)
        then (select max(position) from page)
        else least((select position from start) + ${lookedAt}::bigint, newest) end as position
      from bounds
    )
    select (select position from start) as start, newest,
      (select id from events where org_id = ${orgId} and position = oldest) as "oldestId",
      coalesce((select array_agg(body order by position) from page), '{}') as bodies,
      looked_at.position as "lastPosition",
      (select id from events where org_id = ${orgId} and position = looked_at.position) as "lastId"
    from bounds, looked_at`
}

function startPosition(orgId: string, start: EventStart): Sql {
  if ('position' in start) return sql`${start.position}::bigint`
  if ('latest' in start) return sql`(select newest from bounds)`
  if ('id' in start) return sql`(select position from events where org_id = ${orgId} and id = ${start.id})`
  return sql`coalesce((select position - 1 from events where org_id = ${orgId} and id >= ${start.firstId} order by id limit 1),
    (select newest from bounds))`
}
