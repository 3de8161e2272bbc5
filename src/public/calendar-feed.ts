// The calendar as a subscription: `/calendar/{token}.ics`, read-only, for phones and calendar programs.
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { type Database, sql } from '../db/database.ts'
import { type CalendarEntry, renderICalendar } from '../domain/icalendar.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { clientAddress } from '../http/request.ts'
import { findFeedByToken, type OpenFeed, touchFeed } from '../identity/calendar-feeds.ts'
import { notFound, tooManyRequests } from '../operations/errors.ts'

interface CalendarFeedDependencies {
  readonly database: Database
  readonly limits: RateLimits
}

const daysBack = 30
const daysAhead = 180
const maxEntries = 2_000
/** Phones poll every quarter of an hour or so; a proxy must not cache what only one person may read. */
const cacheControl = 'private, max-age=300'

export async function calendarFeed(
  app: FastifyInstance,
  { database, limits }: CalendarFeedDependencies,
): Promise<void> {
  app.get<{ Params: { file: string } }>('/calendar/:file', async (request, reply) => {
    const { isOver, resetsInMs } = await limits.calendarFeed(clientAddress(request))
    if (isOver) throw tooManyRequests('Too many requests from this address', Math.max(1, Math.ceil(resetsInMs / 1_000)))
    const [, token = ''] = /^([^.]+)\.ics$/.exec(request.params.file) ?? []
    const feed = await findFeedByToken(database, token)
    // Unknown, revoked and shut-out look the same.
    if (!feed) throw notFound('calendar')
    const text = renderICalendar(calendarName(feed), await loadEntries(database, feed))
    database.write(feed.orgId, touchFeed(feed)).catch(() => {}) // a read that is not recorded is still a read
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 32)}"`
    reply.headers({
      'cache-control': cacheControl,
      etag,
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
    })
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.type('text/calendar; charset=utf-8').send(text)
  })
}

const calendarName = ({ orgName, memberName }: OpenFeed) => (memberName ? `${memberName}, ${orgName}` : orgName)

interface EntryRow extends Omit<CalendarEntry, 'days' | 'description'> {
  readonly firstDay: string | null
  readonly afterLastDay: string | null
  readonly customer: string | null
  readonly phone: string | null
  readonly device: string | null
  readonly notes: string | null
}

/** What somebody on the way to a customer needs to know, and no more. */
async function loadEntries(database: Database, { orgId, memberId, timeZone }: OpenFeed): Promise<CalendarEntry[]> {
  const rows = await database.read<EntryRow>(
    orgId,
    sql`
    select event.id || '@' || event.org_id as uid, event.title, event.starts_at as "from", event.ends_at as "to",
      case when event.all_day then to_char(event.starts_at at time zone ${timeZone}, 'YYYYMMDD') end as "firstDay",
      case when event.all_day then to_char(event.ends_at at time zone ${timeZone}, 'YYYYMMDD') end as "afterLastDay",
      coalesce(event.location, ticket.address) as location, ticket.customer_name as customer, customer.phone,
      ticket.customer_device_name as device, event.notes,
      greatest(event.updated_at, ticket.updated_at) as "changedAt"
    from calendar_events event
    left join tickets ticket on ticket.org_id = event.org_id and ticket.id = event.ticket_id
    left join customers customer on customer.org_id = ticket.org_id and customer.id = ticket.customer_id
    where event.org_id = ${orgId} ${memberId === null ? sql`` : sql`and event.assigned_to_id = ${memberId}`}
      and tstzrange(event.starts_at, event.ends_at) && tstzrange(
        now() - ${daysBack}::int * interval '1 day', now() + ${daysAhead}::int * interval '1 day')
    order by event.ends_at < now(), event.starts_at, event.id limit ${maxEntries}::int`,
    'custom-plan',
  )
  return rows.map(({ firstDay, afterLastDay, customer, phone, device, notes, ...row }) => ({
    ...row,
    days: firstDay && afterLastDay ? { first: firstDay, afterLast: afterLastDay } : null,
    description: [customer, phone, device, notes].filter(Boolean).join('\n') || null,
  }))
}
