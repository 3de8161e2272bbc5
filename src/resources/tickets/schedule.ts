// A job and its calendar event share one schedule; the job's side of writing it.
import { sql } from '../../db/database.ts'
import { newId } from '../../operations/ids.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'

export interface TicketEvent {
  readonly eventId: string
  readonly ticketId: string
  readonly title: string
  readonly from: Date
  readonly to: Date
  readonly allDay: boolean
  readonly assignedToId: string | null
  /** The visit it is, if a recurring schedule made it. */
  readonly visit?: VisitRef | undefined
}

/** A place in a recurring schedule. */
export interface VisitRef {
  readonly scheduleId: string
  readonly index: number
}

export const newEventId = () => newId('evt')

/** What an event is called until somebody gives it a title of its own. */
export const eventTitle = (ticketNumber: number, serviceRequired: string | null): string =>
  `#${ticketNumber} ${serviceRequired ?? ''}`.trim().slice(0, 200)

export const insertEvent = ({ orgId }: Context, event: TicketEvent): Statement<void> =>
  statement(
    sql`insert into calendar_events (org_id, id, ticket_id, title, has_own_title, starts_at, ends_at, all_day, assigned_to_id,
          recurring_schedule_id, occurrence_index)
        values (${orgId}, ${event.eventId}, ${event.ticketId}, ${event.title}, false, ${event.from}, ${event.to},
          ${event.allDay}, ${event.assignedToId}, ${event.visit?.scheduleId}, ${event.visit?.index})`,
    () => {},
  )

/** The title follows the job until it was edited. */
export const updateEvent = ({ orgId }: Context, event: TicketEvent): Statement<void> =>
  statement(
    sql`update calendar_events set starts_at = ${event.from}, ends_at = ${event.to}, all_day = ${event.allDay},
          assigned_to_id = ${event.assignedToId}, updated_at = now(),
          title = case when has_own_title then title else ${event.title} end
        where org_id = ${orgId} and id = ${event.eventId}`,
    () => {},
  )

export const deleteEvent = ({ orgId }: Context, eventId: string): Statement<void> =>
  statement(sql`delete from calendar_events where org_id = ${orgId} and id = ${eventId}`, () => {})

/** The job's side of what the calendar writes. */
export interface Booking {
  readonly eventId: string
  readonly from: Date
  readonly to: Date
  readonly allDay: boolean
  readonly assignedToId: string | null
}

export const scheduleTicket = ({ orgId }: Context, ticketId: string, booking: Booking): Statement<void> =>
  statement(
    sql`update tickets set scheduled_from = ${booking.from}, scheduled_to = ${booking.to},
          scheduled_all_day = ${booking.allDay}, assigned_technician = ${booking.assignedToId},
          calendar_event_id = ${booking.eventId}, updated_at = now()
        where org_id = ${orgId} and id = ${ticketId}`,
    () => {},
  )

export const unscheduleTicket = ({ orgId }: Context, ticketId: string): Statement<void> =>
  statement(
    sql`update tickets set scheduled_from = null, scheduled_to = null, scheduled_all_day = false,
          calendar_event_id = null, updated_at = now()
        where org_id = ${orgId} and id = ${ticketId}`,
    () => {},
  )
