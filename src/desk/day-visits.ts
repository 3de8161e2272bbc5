// Visits of a day, as lanes show them: one for each who has something, and one for what nobody has.
import { type Sql, sql } from '../db/database.ts'
import { minutesOfDay, startOfDay } from '../domain/wall-clock.ts'
import { type Html, html } from '../http/html.ts'
import { addDays, type Clock } from './formatting.ts'
import { avatarOrNobody } from './marks.ts'
import type { DeskRequest } from './router.ts'
import type { Colleague } from './shop-setup.ts'
import { type ShownVisit, visitFace } from './visit-face.ts'

export interface Visit extends ShownVisit {
  readonly id: string
  readonly assignee: string | null
  readonly ticketId: string | null
  readonly number: number | null
  readonly isClosed: boolean
  readonly isRecurring: boolean
}

/** Calendar events that touch the days from `first` on, `days` of them. */
export const selectVisits = ({ orgId, timeZone }: DeskRequest, first: string, days = 1): Sql => {
  const from = startOfDay(first, timeZone).toISOString()
  const to = startOfDay(addDays(first, days), timeZone).toISOString()
  return sql`
    select event.id, coalesce(ticket.service_required, event.title) as title, event.starts_at as "from", event.ends_at as "to",
      event.all_day as "allDay", event.assigned_to_id as assignee, ticket.id as "ticketId", ticket.ticket_number as number,
      ticket.customer_name as customer, ticket.closed_at is not null as "isClosed",
      event.recurring_schedule_id is not null as "isRecurring"
    from calendar_events event left join tickets ticket on ticket.org_id = event.org_id and ticket.id = event.ticket_id
    where event.org_id = ${orgId} and tstzrange(event.starts_at, event.ends_at) && tstzrange(${from}, ${to})
    order by event.starts_at, event.id limit 500`
}

/** What a day shows, in quarters of an hour: seven to seven, longer where something lies outside. */
export interface Span {
  readonly firstHour: number
  readonly hours: number
}

const usualSpan: Span = { firstHour: 7, hours: 12 }

export function spanOf(visits: readonly Visit[], date: string, clock: Clock, timeZone: string): Span {
  const timed = visits.filter(({ allDay }) => !allDay)
  const first = timed
    .filter(({ from }) => clock.date(from) === date)
    .map(({ from }) => Math.floor(minutesOfDay(from, timeZone) / 60))
  const last = timed.map(({ to }) =>
    clock.date(to) === date ? Math.ceil(minutesOfDay(to, timeZone) / 60) : clock.date(to) > date ? 24 : 0,
  )
  const firstHour = Math.min(
    usualSpan.firstHour,
    ...(timed.some(({ from }) => clock.date(from) < date) ? [0] : []),
    ...first,
  )
  return { firstHour, hours: Math.max(usualSpan.firstHour + usualSpan.hours, ...last) - firstHour }
}

/** Where it stands in its lane: classes, because the CSP refuses styles in markup. */
export function placeOf(
  visit: Visit,
  date: string,
  { firstHour, hours }: Span,
  clock: Clock,
  timeZone: string,
): string {
  const quarters = hours * 4
  const begin =
    clock.date(visit.from) < date || visit.allDay ? 0 : minutesOfDay(visit.from, timeZone) / 15 - firstHour * 4
  const end =
    clock.date(visit.to) > date || visit.allDay ? quarters : minutesOfDay(visit.to, timeZone) / 15 - firstHour * 4
  const start = Math.max(0, Math.min(quarters - 1, Math.floor(begin)))
  return `c${start} w${Math.max(1, Math.min(quarters - start, Math.ceil(end) - start))}`
}

export interface Lane<V extends Visit = Visit> {
  readonly person: Colleague | null
  readonly visits: readonly V[]
}

/** Technicians always, others when they have something; last what nobody has, and that always where it can be dropped on. */
export function lanesOf<V extends Visit>(
  visits: readonly V[],
  people: readonly Colleague[],
  { withNobody = false } = {},
): Lane<V>[] {
  const byAssignee = Map.groupBy(visits, ({ assignee }) => assignee)
  const lanes = people
    .filter(({ id, isActive, role }) => byAssignee.has(id) || (isActive && role === 'technician'))
    .map((person): Lane<V> => ({ person, visits: byAssignee.get(person.id) ?? [] }))
  const known = new Set(people.map(({ id }) => id))
  const loose = visits.filter(({ assignee }) => assignee === null || !known.has(assignee))
  return withNobody || loose.length > 0 ? [...lanes, { person: null, visits: loose }] : lanes
}

export const hoursBooked = (visits: readonly Visit[]): string => {
  const quarters = Math.round(
    visits
      .filter(({ ticketId, allDay }) => ticketId && !allDay)
      .reduce((sum, { from, to }) => sum + (to.getTime() - from.getTime()), 0) / 900_000,
  )
  return `${quarters >= 4 || quarters === 0 ? Math.floor(quarters / 4) : ''}${['', '¼', '½', '¾'][quarters % 4]} h`
}

export const laneName = ({ person, visits }: Lane): Html =>
  html`<div class="who">${avatarOrNobody(person)}<span>${person?.firstName ?? 'Nobody'}${visits.some(({ ticketId, allDay }) => ticketId && !allDay) && html`<small>${hoursBooked(visits)} booked</small>`}</span></div>`

export function visitBlock({ href, clock, timeZone }: DeskRequest, visit: Visit, date: string, span: Span): Html {
  const kind = visit.isClosed ? ' done' : visit.ticketId ? '' : ' plain'
  const address = visit.ticketId ? href(`/jobs/${visit.ticketId}`) : href(`/calendar/${visit.id}`)
  return html`<li class="visit${kind} ${placeOf(visit, date, span, clock, timeZone)}" id="v-${visit.id}" data-visit="${visit.id}"><a href="${address}">${visitFace(visit, clock)}</a></li>`
}

export const ruler = ({ firstHour, hours }: Span): Html =>
  html`<div class="ruler" aria-hidden="true"><span></span><ol class="h${hours}">${Array.from({ length: hours }, (_, hour) => html`<li>${String((firstHour + hour) % 24).padStart(2, '0')}</li>`)}</ol></div>`

/** A line at the time it is, where the day shows it. */
export const nowLine = ({ clock, timeZone }: DeskRequest, { firstHour, hours }: Span): Html | false => {
  const quarter = Math.floor(minutesOfDay(clock.now, timeZone) / 15) - firstHour * 4
  return (
    quarter >= 0 &&
    quarter < hours * 4 &&
    html`<li class="now-at c${quarter} w1" aria-hidden="true"><span class="now"></span></li>`
  )
}
