// The calendar: appointments of their own, and those of jobs, which share one schedule with the job.
import { type Sql, sql } from '../db/database.ts'
import { read } from '../operations/crud.ts'
import { badRequest, conflictCode } from '../operations/errors.ts'
import { dateTime, id, integer, nullable, optional, text } from '../operations/fields.ts'
import { newId } from '../operations/ids.ts'
import { deletionMessage, operation, resource } from '../operations/operation.ts'
import { t } from '../operations/schemas.ts'
import { entity } from '../operations/scopes.ts'
import { paging, table } from '../operations/table.ts'
import {
  assigneeEntries,
  bookTicket,
  lockEvent,
  movesVisit,
  releaseTicket,
  scheduleEntries,
  selectScheduleFacts,
} from './calendar-booking.ts'
import { filter, filterSet } from './filters.ts'
import { lockTicket } from './tickets/locked-ticket.ts'
import { refuseAssigningAnother } from './tickets/own-jobs.ts'
import { eventTitle } from './tickets/schedule.ts'

const events = table({
  name: 'calendar_events',
  noun: 'calendar event',
  prefix: 'evt',
  writable: {
    title: t.Optional(text(200, { examples: ['Boiler service'], description: 'Made from the job if left out.' })),
    from: dateTime(),
    to: dateTime(),
    allDay: t.Boolean({
      default: false,
      examples: [false],
      description: "Whole days of the organisation's time zone.",
    }),
    assignedToId: optional(id({ description: 'An active member.' })),
    ticketId: optional(id({ description: 'The job; each has at most one event.' })),
    location: optional(text(500)),
    notes: optional(text(5_000)),
  },
  readOnly: { recurringScheduleId: nullable(id()), occurrenceIndex: nullable(integer(0, 1_000_000)) },
  read: { from: 'calendar_events.starts_at', to: 'calendar_events.ends_at' },
  write: { from: 'starts_at', to: 'ends_at' },
  order: { column: 'starts_at', type: 'timestamptz', direction: 'asc' },
})

/** Both ends make one condition. */
const window = {
  from: t.Optional(dateTime({ description: 'Events that end after this moment.' })),
  to: t.Optional(dateTime({ description: 'Events that begin before this moment.' })),
}

function windowCondition(from: string | undefined, to: string | undefined): Sql | undefined {
  if (!from && !to) return undefined
  if (from && to && Date.parse(from) > Date.parse(to)) throw badRequest('to must be after from')
  const range = sql`tstzrange(${from ?? null}, ${to ?? null})`
  return sql`tstzrange(calendar_events.starts_at, calendar_events.ends_at) && ${range}`
}

const eventFilters = filterSet({
  assignedToId: filter(id(), (memberId) => sql`calendar_events.assigned_to_id = ${memberId}`),
  ticketId: filter(id(), (ticketId) => sql`calendar_events.ticket_id = ${ticketId}`),
})

const calendarEventExists = conflictCode(
  'CALENDAR_EVENT_EXISTS',
  'The job already has a calendar event; change that one instead.',
)
const recurringVisit = conflictCode(
  'RECURRING_VISIT',
  'The visit belongs to a recurring schedule; move it through the schedule.',
)

const calendarEntity = entity('calendar', {
  title: 'Calendar',
  description: 'When work happens and who does it; a job has at most one event.',
  scopeObject: 'calendar events',
})

export default resource({ entity: calendarEntity, tables: [events] }, [
  operation('GET /calendar-events', {
    name: 'listCalendarEvents',
    summary: 'List calendar events by their start',
    mcp: { advice: 'Give from and to; times carry an offset.' },
    query: t.Object({ ...paging, ...window, ...eventFilters.query }),
    returns: events.list,
    run: ({ query: { from, to, ...query } }, ctx) =>
      eventFilters.page(events, ctx, query, {
        where: windowCondition(from, to),
        connection: from || to ? 'custom-plan' : undefined,
      }),
  }),

  operation('POST /calendar-events', {
    name: 'createCalendarEvent',
    summary: 'Add an event to the calendar, or a job to it',
    mcp: { advice: 'With ticketId it books that job, which must not be on the calendar yet.' },
    body: events.createBody,
    status: 201,
    returns: events.record,
    conflicts: [calendarEventExists],
    transaction: true,
    async run({ body }, ctx) {
      refuseReversedTimes(body.from, body.to)
      refuseAssigningAnother(ctx, body.assignedToId)
      const job = body.ticketId ? await lockTicket(ctx, body.ticketId) : undefined
      if (job?.calendarEventId) throw calendarEventExists()
      const title = body.title ?? (job && eventTitle(job.ticketNumber, job.serviceRequired))
      if (!title) throw badRequest('title is required')
      const facts = await ctx.query(selectScheduleFacts(ctx, body, body.assignedToId))
      const assignedToId = body.assignedToId ?? job?.assignedTechnician ?? null
      const booking = { from: facts.scheduledFrom!, to: facts.scheduledTo!, allDay: body.allDay, assignedToId }
      const eventId = newId('evt')
      const event = await ctx.query(
        events.insert(
          ctx,
          { ...body, title, ...booking },
          {
            columns: {
              id: eventId,
              has_own_title: body.title !== undefined,
            },
          },
        ),
      )
      if (job) {
        const entries = [...scheduleEntries('scheduled', facts), ...assigneeEntries(job, assignedToId, facts)]
        await bookTicket(ctx, body.ticketId!, { eventId, ...booking }, entries)
      }
      return event
    },
  }),

  { ...read('/calendar-events/:eventId', events), lock: ({ eventId = '' }, ctx) => lockEvent(ctx, eventId) },

  operation('PUT /calendar-events/:eventId', {
    name: 'updateCalendarEvent',
    summary: 'Change a calendar event; the schedule of its job follows',
    body: events.updateBody,
    returns: events.record,
    conflicts: [calendarEventExists, recurringVisit],
    transaction: true,
    async run({ params: { eventId }, body }, ctx) {
      const { before, jobs } = await lockEvent(ctx, eventId, body.ticketId)
      const ticketId = body.ticketId === undefined ? before.ticketId : body.ticketId
      if (before.recurringScheduleId && movesVisit(before, body)) throw recurringVisit()
      const times = {
        from: body.from ?? before.from.toISOString(),
        to: body.to ?? before.to.toISOString(),
        allDay: body.allDay ?? before.allDay,
      }
      refuseReversedTimes(times.from, times.to)
      const newAssignee = body.assignedToId === before.assignedToId ? undefined : body.assignedToId
      refuseAssigningAnother(ctx, newAssignee)
      const facts = await ctx.query(selectScheduleFacts(ctx, times, newAssignee))
      const assignedToId = body.assignedToId === undefined ? before.assignedToId : body.assignedToId
      const booking = { from: facts.scheduledFrom!, to: facts.scheduledTo!, allDay: times.allDay, assignedToId }
      const columns = body.title === undefined ? {} : { has_own_title: true }
      const event = await ctx.query(events.update(ctx, eventId, { ...body, ...booking }, { columns }))
      if (before.ticketId && before.ticketId !== ticketId) await releaseTicket(ctx, before.ticketId)
      if (ticketId) {
        const isMoved = before.ticketId !== ticketId || +before.from !== +booking.from || +before.to !== +booking.to
        const kind = before.ticketId === ticketId ? 'rescheduled' : 'scheduled'
        const moveEntries = isMoved ? scheduleEntries(kind, facts) : []
        const job = jobs.get(ticketId)
        const assignmentEntries = job && newAssignee !== undefined ? assigneeEntries(job, assignedToId, facts) : []
        await bookTicket(ctx, ticketId, { eventId, ...booking }, [...moveEntries, ...assignmentEntries])
      }
      return event
    },
  }),

  operation('DELETE /calendar-events/:eventId', {
    name: 'deleteCalendarEvent',
    summary: 'Delete a calendar event; its job is no longer scheduled',
    returns: deletionMessage,
    conflicts: [recurringVisit],
    transaction: true,
    async run({ params: { eventId } }, ctx) {
      const { before: event } = await lockEvent(ctx, eventId)
      if (event.recurringScheduleId) throw recurringVisit()
      if (event.ticketId) await releaseTicket(ctx, event.ticketId)
      return ctx.query(events.remove(ctx, eventId))
    },
  }),
])

function refuseReversedTimes(from: string, to: string): void {
  if (Date.parse(from) >= Date.parse(to)) throw badRequest('to must be after from')
}
