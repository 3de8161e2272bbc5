// What a calendar event shares with its job: locks in one order, one schedule, one assignee, one timeline.
import { type Sql, sql } from '../db/database.ts'
import type { TimelineEntry } from '../domain/timeline.ts'
import { badRequest, notFound } from '../operations/errors.ts'
import { type Context, type Statement, statement } from '../operations/operation.ts'
import { selectTicketFacts, type TicketFacts } from './tickets/facts.ts'
import { lockTicket } from './tickets/locked-ticket.ts'
import { refuseEventOfAnother } from './tickets/own-jobs.ts'
import { scheduleTicket, unscheduleTicket } from './tickets/schedule.ts'
import { addTimelineEntries } from './tickets/timeline.ts'

interface LockedEvent {
  readonly from: Date
  readonly to: Date
  readonly allDay: boolean
  readonly assignedToId: string | null
  readonly ticketId: string | null
  readonly recurringScheduleId: string | null
}

/** Jobs are locked before their events, in the order of their ids: everybody who writes both does it so. */
export async function lockEvent(ctx: Context, eventId: string, otherTicketId?: string | null) {
  const { ticketId } = await ctx.query(selectEvent(ctx, eventId, sql``))
  const jobs = [...new Set([ticketId, otherTicketId])].filter((one) => typeof one === 'string').sort()
  const lockedJobs = new Map<string, AssignedJob>()
  for (const job of jobs) lockedJobs.set(job, await lockTicket(ctx, job))
  const before = await ctx.query(selectEvent(ctx, eventId, sql`for update`))
  refuseEventOfAnother(ctx, before.assignedToId)
  return { before, jobs: lockedJobs }
}

const selectEvent = ({ orgId }: Context, eventId: string, lock: Sql): Statement<LockedEvent> =>
  statement(
    sql`select starts_at as "from", ends_at as "to", all_day as "allDay", assigned_to_id as "assignedToId",
          ticket_id as "ticketId", recurring_schedule_id as "recurringScheduleId"
        from calendar_events where org_id = ${orgId} and id = ${eventId} ${lock}`,
    ([row]: LockedEvent[]) => {
      if (!row) throw notFound('calendar event')
      return row
    },
  )

/** A visit of a series is moved through its schedule; what it is called may change here. */
export function movesVisit(
  before: LockedEvent,
  { from, to, allDay, ticketId }: { from?: string; to?: string; allDay?: boolean; ticketId?: string | null },
) {
  const differs = (value: string | undefined, previous: Date) => value !== undefined && Date.parse(value) !== +previous
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

export function selectScheduleFacts(
  ctx: Context,
  { from, to, allDay }: Times,
  assignedToId: string | null | undefined,
): Statement<TicketFacts> {
  const inner = selectTicketFacts(ctx, {
    assignedTechnician: assignedToId,
    scheduledFrom: from,
    scheduledTo: to,
    scheduledAllDay: allDay,
  })
  return statement(inner.sql, (rows: never[]) => {
    const facts = inner.decode(rows)
    if (assignedToId && !facts.technician) throw badRequest('assignedToId does not exist')
    if (assignedToId && !facts.technician!.isActive) throw badRequest('assignedToId is not an active member')
    return facts
  })
}

interface AssignedJob {
  readonly assignedTechnician: string | null
  readonly technicianName: string | null
}

export function assigneeEntries(
  job: AssignedJob,
  assignedToId: string | null,
  { technician }: TicketFacts,
): TimelineEntry[] {
  if (job.assignedTechnician === assignedToId) return []
  const data = { from: job.technicianName || null, to: technician?.name ?? null }
  return [{ event: 'assigneeChanged', data }]
}

export const scheduleEntries = (
  event: 'scheduled' | 'rescheduled',
  { scheduledFrom, scheduledTo }: TicketFacts,
): TimelineEntry[] => [{ event, data: { from: scheduledFrom!.toISOString(), to: scheduledTo!.toISOString() } }]

export async function bookTicket(
  ctx: Context,
  ticketId: string,
  booking: Parameters<typeof scheduleTicket>[2],
  entries: TimelineEntry[],
) {
  await ctx.query(scheduleTicket(ctx, ticketId, booking))
  if (entries.length > 0) await ctx.query(addTimelineEntries(ctx, ticketId, entries))
}

export async function releaseTicket(ctx: Context, ticketId: string): Promise<void> {
  await ctx.query(unscheduleTicket(ctx, ticketId))
  await ctx.query(addTimelineEntries(ctx, ticketId, [{ event: 'unscheduled', data: {} }]))
}
