// The calendar: appointments of their own, and those of jobs, which share one schedule with the job.
import { Type as t } from 'typebox'
import { badRequest, conflict, notFound } from '../api/errors.ts'
import { dateTime, id, nullable, optional, text, whole } from '../api/fields.ts'
import { newId } from '../api/ids.ts'
import { type Context, message, operation, resource, type Statement, statement } from '../api/operation.ts'
import { read } from '../api/plain.ts'
import { paging, table } from '../api/table.ts'
import { type Sql, sql } from '../database.ts'
import type { Note } from '../domain/timeline.ts'
import { all } from './search.ts'
import { type Facts, factsOf } from './tickets/facts.ts'
import { ticketScheduled, ticketUnscheduled, titleOf } from './tickets/schedule.ts'
import { noted } from './tickets/timeline.ts'
import { heldTicket } from './tickets/writing.ts'

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
  kept: { recurringScheduleId: nullable(id()), occurrenceIndex: nullable(whole(0, 1_000_000)) },
  read: { from: 'calendar_events.starts_at', to: 'calendar_events.ends_at' },
  write: { from: 'starts_at', to: 'ends_at' },
  order: { column: 'starts_at', type: 'timestamptz', direction: 'asc' },
})

export default resource('calendar', [
  operation('GET /calendar-events', {
    name: 'listCalendarEvents',
    summary: 'List calendar events by their start',
    query: t.Object({
      ...paging,
      from: t.Optional(dateTime({ description: 'Events that end after this moment.' })),
      to: t.Optional(dateTime({ description: 'Events that begin before this moment.' })),
      assignedToId: t.Optional(id()),
      ticketId: t.Optional(id()),
    }),
    returns: events.list,
    run: ({ query: { limit, startAfter, ...filters } }, ctx) => ({
      ...events.page(ctx, { limit, startAfter }, matching(filters)),
      way: filters.from || filters.to ? 'vary' : undefined,
    }),
  }),

  operation('POST /calendar-events', {
    name: 'createCalendarEvent',
    summary: 'Add an event to the calendar, or a job to it',
    body: events.create,
    status: 201,
    returns: events.record,
    conflicts: ['CALENDAR_EVENT_EXISTS'],
    async run({ body }, ctx) {
      refuseBackwards(body.from, body.to)
      const job = body.ticketId ? await heldTicket(ctx, body.ticketId) : undefined
      if (job?.calendarEventId) throw conflict('CALENDAR_EVENT_EXISTS')
      const title = body.title ?? (job && titleOf(job.ticketNumber, job.serviceRequired))
      if (!title) throw badRequest('title is required')
      const facts = await ctx.ask(factsFor(ctx, body, body.assignedToId))
      const assignedToId = body.assignedToId ?? job?.assignedTechnician ?? null
      const booking = { from: facts.scheduledFrom!, to: facts.scheduledTo!, allDay: body.allDay, assignedToId }
      const eventId = newId('evt')
      const event = await ctx.ask(
        events.insert(ctx, { ...body, title, ...booking }, undefined, {
          id: eventId,
          has_own_title: body.title !== undefined,
        }),
      )
      if (job) {
        const notes = [...notesOf('scheduled', facts), ...assigneeNotes(job, assignedToId, facts)]
        await book(ctx, body.ticketId!, { eventId, ...booking }, notes)
      }
      return event
    },
  }),

  read('/calendar-events/:eventId', events),

  operation('PUT /calendar-events/:eventId', {
    name: 'updateCalendarEvent',
    summary: 'Change a calendar event; the schedule of its job follows',
    body: events.update,
    returns: events.record,
    conflicts: ['CALENDAR_EVENT_EXISTS', 'RECURRING_VISIT'],
    async run({ params: { eventId }, body }, ctx) {
      if (Object.keys(body).length === 0) throw badRequest('At least one updatable field is required')
      const { before, jobs } = await held(ctx, eventId, body.ticketId)
      const ticketId = body.ticketId === undefined ? before.ticketId : body.ticketId
      if (before.recurringScheduleId && movesVisit(before, body)) throw conflict('RECURRING_VISIT')
      const wanted = {
        from: body.from ?? before.from.toISOString(),
        to: body.to ?? before.to.toISOString(),
        allDay: body.allDay ?? before.allDay,
      }
      refuseBackwards(wanted.from, wanted.to)
      const newAssignee = body.assignedToId === before.assignedToId ? undefined : body.assignedToId
      const facts = await ctx.ask(factsFor(ctx, wanted, newAssignee))
      const assignedToId = body.assignedToId === undefined ? before.assignedToId : body.assignedToId
      const booking = { from: facts.scheduledFrom!, to: facts.scheduledTo!, allDay: wanted.allDay, assignedToId }
      const kept = body.title === undefined ? {} : { has_own_title: true }
      const event = await ctx.ask(events.change(ctx, eventId, { ...body, ...booking }, undefined, kept))
      if (before.ticketId && before.ticketId !== ticketId) await release(ctx, before.ticketId)
      if (ticketId) {
        const isMoved = before.ticketId !== ticketId || +before.from !== +booking.from || +before.to !== +booking.to
        const kind = before.ticketId === ticketId ? 'rescheduled' : 'scheduled'
        const moved = isMoved ? notesOf(kind, facts) : []
        const job = jobs.get(ticketId)
        const assigned = job && newAssignee !== undefined ? assigneeNotes(job, assignedToId, facts) : []
        await book(ctx, ticketId, { eventId, ...booking }, [...moved, ...assigned])
      }
      return event
    },
  }),

  operation('DELETE /calendar-events/:eventId', {
    name: 'deleteCalendarEvent',
    summary: 'Delete a calendar event; its job is no longer scheduled',
    returns: message,
    conflicts: ['RECURRING_VISIT'],
    async run({ params: { eventId } }, ctx) {
      const { before: event } = await held(ctx, eventId)
      if (event.recurringScheduleId) throw conflict('RECURRING_VISIT')
      if (event.ticketId) await release(ctx, event.ticketId)
      return ctx.ask(events.remove(ctx, eventId))
    },
  }),
])

interface Filters {
  readonly from?: string
  readonly to?: string
  readonly assignedToId?: string
  readonly ticketId?: string
}

function matching({ from, to, assignedToId, ticketId }: Filters): Sql | undefined {
  if (from && to && Date.parse(from) > Date.parse(to)) throw badRequest('to must be after from')
  const window = sql`tstzrange(${from ?? null}, ${to ?? null})`
  return all(
    (from || to) && sql`tstzrange(calendar_events.starts_at, calendar_events.ends_at) && ${window}`,
    assignedToId && sql`calendar_events.assigned_to_id = ${assignedToId}`,
    ticketId && sql`calendar_events.ticket_id = ${ticketId}`,
  )
}

function refuseBackwards(from: string, to: string): void {
  if (Date.parse(from) >= Date.parse(to)) throw badRequest('to must be after from')
}

interface Held {
  readonly from: Date
  readonly to: Date
  readonly allDay: boolean
  readonly assignedToId: string | null
  readonly ticketId: string | null
  readonly recurringScheduleId: string | null
}

/** Jobs are held before their events, in the order of their ids: everybody who writes both does it so. */
async function held(ctx: Context, eventId: string, otherTicketId?: string | null) {
  const { ticketId } = await ctx.ask(eventRow(ctx, eventId, sql``))
  const jobs = [...new Set([ticketId, otherTicketId])].filter((one) => typeof one === 'string').sort()
  const found = new Map<string, Job>()
  for (const job of jobs) found.set(job, await heldTicket(ctx, job))
  return { before: await ctx.ask(eventRow(ctx, eventId, sql`for update`)), jobs: found }
}

const eventRow = ({ orgId }: Context, eventId: string, lock: Sql): Statement<Held> =>
  statement(
    sql`select starts_at as "from", ends_at as "to", all_day as "allDay", assigned_to_id as "assignedToId",
          ticket_id as "ticketId", recurring_schedule_id as "recurringScheduleId"
        from calendar_events where org_id = ${orgId} and id = ${eventId} ${lock}`,
    ([row]: Held[]) => {
      if (!row) throw notFound('calendar event')
      return row
    },
  )

/** A visit of a series is moved through its schedule; what it is called may change here. */
function movesVisit(
  before: Held,
  { from, to, allDay, ticketId }: { from?: string; to?: string; allDay?: boolean; ticketId?: string | null },
) {
  const differs = (given: string | undefined, was: Date) => given !== undefined && Date.parse(given) !== +was
  return (
    differs(from, before.from) ||
    differs(to, before.to) ||
    (allDay !== undefined && allDay !== before.allDay) ||
    (ticketId !== undefined && ticketId !== before.ticketId)
  )
}

interface Times {
  readonly from: string
  readonly to: string
  readonly allDay: boolean
}

function factsFor(
  ctx: Context,
  { from, to, allDay }: Times,
  assignedToId: string | null | undefined,
): Statement<Facts> {
  const asked = factsOf(ctx, {
    assignedTechnician: assignedToId,
    scheduledFrom: from,
    scheduledTo: to,
    scheduledAllDay: allDay,
  })
  return statement(asked.sql, (rows: never[]) => {
    const facts = asked.means(rows)
    if (assignedToId && !facts.technician) throw badRequest('assignedToId does not exist')
    if (assignedToId && !facts.technician!.isActive) throw badRequest('assignedToId is not an active member')
    return facts
  })
}

interface Job {
  readonly assignedTechnician: string | null
  readonly technicianName: string | null
}

function assigneeNotes(job: Job, assignedToId: string | null, { technician }: Facts): Note[] {
  if (job.assignedTechnician === assignedToId) return []
  const data = { from: job.technicianName || null, to: technician?.name ?? null }
  return [{ event: 'assigneeChanged', data }]
}

const notesOf = (event: 'scheduled' | 'rescheduled', { scheduledFrom, scheduledTo }: Facts): Note[] => [
  { event, data: { from: scheduledFrom!.toISOString(), to: scheduledTo!.toISOString() } },
]

async function book(ctx: Context, ticketId: string, booking: Parameters<typeof ticketScheduled>[2], notes: Note[]) {
  await ctx.ask(ticketScheduled(ctx, ticketId, booking))
  if (notes.length > 0) await ctx.ask(noted(ctx, ticketId, notes))
}

async function release(ctx: Context, ticketId: string): Promise<void> {
  await ctx.ask(ticketUnscheduled(ctx, ticketId))
  await ctx.ask(noted(ctx, ticketId, [{ event: 'unscheduled', data: {} }]))
}
