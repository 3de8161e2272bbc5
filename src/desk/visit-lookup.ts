// A visit as its own page and its acts know it, and what becomes of it when somebody changes when or whose it is.
import { sql } from '../db/database.ts'
import type { VisitTimes } from '../domain/visit-times.ts'
import { notFound } from '../operations/errors.ts'
import type { Act, Performed, Refusal } from './perform.ts'
import type { DeskRequest } from './router.ts'

export interface VisitRecord extends VisitTimes {
  readonly id: string
  readonly title: string
  readonly assignee: string | null
  readonly ticketId: string | null
  readonly number: number | null
  readonly customer: string | null
  readonly scheduleId: string | null
  readonly index: number | null
  readonly location: string | null
  readonly notes: string | null
}

/** The version comes first: whatever happens after it was read makes it stale. */
export async function findVisit(request: DeskRequest): Promise<{ visit: VisitRecord; version: string | undefined }> {
  const { orgId, database, params } = request
  const eventId = params.event!
  const version = await request.version('getCalendarEvent', { eventId })
  const [visit] = await database.read<VisitRecord>(
    orgId,
    sql`select event.id, coalesce(ticket.service_required, event.title) as title, event.starts_at as "from", event.ends_at as "to",
        event.all_day as "allDay", event.assigned_to_id as assignee, ticket.id as "ticketId",
        ticket.ticket_number as number, ticket.customer_name as customer, event.recurring_schedule_id as "scheduleId",
        event.occurrence_index as index, event.location, event.notes
      from calendar_events event left join tickets ticket on ticket.org_id = ${orgId} and ticket.id = event.ticket_id
      where event.org_id = ${orgId} and event.id = ${eventId}`,
  )
  if (!visit) throw notFound('visit')
  return { visit, version }
}

export const nameOf = ({ number, title }: Pick<VisitRecord, 'number' | 'title'>): string =>
  number === null ? `visit “${title}”` : `visit of job #${number}`

/** A visit of an agreement is moved through it, by those who may; for everybody else, and with another person, through its job. */
export function moveAct(
  { may }: DeskRequest,
  visit: VisitRecord,
  { from, to, allDay }: VisitTimes,
  assignee: string | null,
  version: string | undefined,
): Act | undefined {
  const isMoved = +from !== +visit.from || allDay !== visit.allDay
  const isResized = +to - +from !== +visit.to - +visit.from
  const isHanded = assignee !== visit.assignee
  if (!isMoved && !isResized && !isHanded) return undefined
  const subject = nameOf(visit)
  const times = { from: from.toISOString(), to: to.toISOString() }
  if (visit.scheduleId === null || (isHanded && !isMoved && !isResized)) {
    const changes = {
      ...(isMoved || isResized ? { ...times, allDay } : {}),
      ...(isHanded && { assignedToId: assignee }),
    }
    return { operation: 'updateCalendarEvent', params: { eventId: visit.id }, body: changes, version, subject }
  }
  if (isHanded || allDay || visit.allDay || !may('recurring-schedules:write')) {
    const body = {
      scheduledFrom: times.from,
      scheduledTo: times.to,
      scheduledAllDay: allDay,
      ...(isHanded && { assignedTechnician: assignee }),
    }
    return { operation: 'updateTicket', params: { ticketId: visit.ticketId! }, body, subject }
  }
  const params = { scheduleId: visit.scheduleId, index: String(visit.index) }
  return isMoved
    ? { operation: 'moveOccurrence', params, body: times, subject }
    : { operation: 'resizeOccurrence', params, body: { to: times.to }, subject }
}

export const refused = (message: string, status = 400): { isDone: false; refusal: Refusal } => ({
  isDone: false,
  refusal: { status, message, code: undefined, data: undefined },
})

/** The form was made from a version that is no longer the one there is. */
export const refuseStale = <T>(seen: string | null, version: string | undefined): Performed<T> | undefined =>
  seen !== null && seen !== version
    ? {
        isDone: false,
        refusal: {
          status: 412,
          message: 'Somebody changed this visit meanwhile.',
          code: 'PRECONDITION_FAILED',
          data: undefined,
        },
      }
    : undefined
