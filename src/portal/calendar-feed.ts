// The calendar as a subscription: `/calendar/{token}.ics`, read-only, for phones and calendar programs.
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { notFound, tooManyRequests } from '../api/errors.ts'
import type { Limits } from '../api/limits.ts'
import { addressOf } from '../api/request.ts'
import { type Database, sql } from '../database.ts'
import { type Entry, icalendar } from '../domain/icalendar.ts'
import { feedRead, type OpenFeed, openFeed } from '../identity/calendar-feeds.ts'

interface Parts {
  readonly database: Database
  readonly limits: Limits
}

const daysBack = 30
const daysAhead = 180
const mostEntries = 2_000
/** Phones ask every quarter of an hour or so; a proxy must not keep what only one person may read. */
const caching = 'private, max-age=300'

export async function calendarFeed(app: FastifyInstance, { database, limits }: Parts): Promise<void> {
  app.get<{ Params: { file: string } }>('/calendar/:file', async (request, reply) => {
    const { isOver, resetsInMs } = await limits.calendarReading(addressOf(request))
    if (isOver) throw tooManyRequests('Too many requests from this address', Math.max(1, Math.ceil(resetsInMs / 1_000)))
    const [, token = ''] = /^([^.]+)\.ics$/.exec(request.params.file) ?? []
    const feed = await openFeed(database, token)
    // Unknown, revoked and shut-out look the same.
    if (!feed) throw notFound('calendar')
    const text = icalendar(nameOf(feed), await entriesOf(database, feed))
    database.write(feedRead(feed)).catch(() => {}) // a reading that is not noted is still a reading
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 32)}"`
    reply.headers({
      'cache-control': caching,
      etag,
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
    })
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.type('text/calendar; charset=utf-8').send(text)
  })
}

const nameOf = ({ orgName, memberName }: OpenFeed) => (memberName ? `${memberName}, ${orgName}` : orgName)

interface Row extends Omit<Entry, 'days' | 'description'> {
  readonly firstDay: string | null
  readonly afterLastDay: string | null
  readonly customer: string | null
  readonly phone: string | null
  readonly device: string | null
  readonly notes: string | null
}

/** What somebody on the way to a customer needs to know, and no more. */
async function entriesOf(database: Database, { orgId, memberId, timeZone }: OpenFeed): Promise<Entry[]> {
  const rows = await database.vary<Row>(sql`
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
    order by event.ends_at < now(), event.starts_at, event.id limit ${mostEntries}::int`)
  return rows.map(({ firstDay, afterLastDay, customer, phone, device, notes, ...row }) => ({
    ...row,
    days: firstDay && afterLastDay ? { first: firstDay, afterLast: afterLastDay } : null,
    description: [customer, phone, device, notes].filter(Boolean).join('\n') || null,
  }))
}
