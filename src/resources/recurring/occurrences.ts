// The visits of a recurring schedule: to look at, to skip, to move, to make longer or shorter.
import { sql } from '../../db/database.ts'
import { minuteMs } from '../../domain/durations.ts'
import { visitAt } from '../../domain/visits.ts'
import { badRequest, conflictCode, notFound } from '../../operations/errors.ts'
import { dateTime, optional, text } from '../../operations/fields.ts'
import { type Context, operation } from '../../operations/operation.ts'
import { pagination } from '../../operations/record-schemas.ts'
import { t } from '../../operations/schemas.ts'
import { paging } from '../../operations/table.ts'
import { lockTicket } from '../tickets/locked-ticket.ts'
import { deleteTickets } from '../tickets/visit-tickets.ts'
import { updateTicket } from '../tickets/write-ticket.ts'
import { saveProgress } from './generation.ts'
import { selectOccurrencePage } from './occurrence-page.ts'
import { type Occurrence, occurrence, occurrencesPath } from './record.ts'
import { lockSchedule, type ScheduleWithPlan } from './schedule-plan.ts'
import { durationMinutes } from './template.ts'
import {
  asStoredVisit,
  type StoredVisit,
  selectGeneratedVisits,
  selectIsSlotTaken,
  selectVisit,
  toOccurrence,
  upsertVisits,
} from './visits.ts'

const path = occurrencesPath
const maxIndex = 999_999

const occurrenceNotGenerated = conflictCode('OCCURRENCE_NOT_GENERATED', 'The visit has no job yet; generate it first.')
const occurrenceWorked = conflictCode('OCCURRENCE_WORKED', 'The visit already has work on its job.')

export const occurrenceOperations = [
  operation(`GET ${path}`, {
    name: 'listOccurrences',
    summary: 'List the visits of a schedule in order, those that are only planned included',
    query: t.Object({
      ...paging,
      from: t.Optional(dateTime({ description: 'Visits that end after this moment.' })),
      to: t.Optional(dateTime({ description: 'Visits that begin before this moment, at most 366 days ahead.' })),
    }),
    returns: t.Object({ occurrences: t.Array(occurrence), pagination }, { title: 'OccurrenceList' }),
    run: ({ params: { scheduleId }, query }, ctx) => selectOccurrencePage(ctx, scheduleId, query),
  }),

  operation(`POST ${path}/:index/skip`, {
    name: 'skipOccurrence',
    summary: 'Leave a visit out; its job is deleted unless somebody has begun it',
    body: t.Object({ reason: optional(text(500, { examples: ['On holiday'] })) }, { title: 'OccurrenceSkipping' }),
    returns: occurrence,
    conflicts: [occurrenceWorked],
    transaction: true,
    async run({ params: { scheduleId, index }, body: { reason = null } }, ctx) {
      const schedule = await ctx.query(lockSchedule(ctx, scheduleId))
      const visit = await findVisit(ctx, schedule, index)
      if (visit.status === 'skipped' || visit.status === 'cancelled') return toOccurrence(visit)
      if (visit.ticketId) await refuseIfWorked(ctx, schedule, visit, visit.ticketId)
      const row = { ...visit, from: visit.originalFrom, to: new Date(+visit.originalFrom + +visit.to - +visit.from) }
      await ctx.query(upsertVisits(ctx, scheduleId, [row], 'skipped', reason))
      if (visit.ticketId) await ctx.query(deleteTickets(ctx, [visit.ticketId]))
      await saveProgress(ctx, schedule)
      return readOccurrence(ctx, schedule, visit.index)
    },
  }),

  operation(`POST ${path}/:index/move`, {
    name: 'moveOccurrence',
    summary: 'Move one visit to another time; the series stays as it is',
    body: t.Object({ from: dateTime(), to: optional(dateTime()) }, { title: 'OccurrenceMove' }),
    returns: occurrence,
    conflicts: [occurrenceNotGenerated],
    transaction: true,
    async run({ params: { scheduleId, index }, body: { from, to } }, ctx) {
      const schedule = await ctx.query(lockSchedule(ctx, scheduleId))
      const visit = await lockGeneratedVisit(ctx, schedule, index)
      const durationMs = visit.to.getTime() - visit.from.getTime()
      const end = to ?? endOf('from', Date.parse(from), durationMs)
      return rescheduleVisit(ctx, schedule, visit, from, end)
    },
  }),

  operation(`POST ${path}/:index/resize`, {
    name: 'resizeOccurrence',
    summary: 'Make one visit longer or shorter',
    body: t.Object(
      { to: t.Optional(dateTime()), durationMinutes: t.Optional(durationMinutes) },
      { title: 'OccurrenceResize', minProperties: 1, maxProperties: 1 },
    ),
    returns: occurrence,
    conflicts: [occurrenceNotGenerated],
    transaction: true,
    async run({ params: { scheduleId, index }, body: { to, durationMinutes } }, ctx) {
      const schedule = await ctx.query(lockSchedule(ctx, scheduleId))
      const visit = await lockGeneratedVisit(ctx, schedule, index)
      const end = to ?? endOf('durationMinutes', visit.from.getTime(), durationMinutes! * minuteMs)
      return rescheduleVisit(ctx, schedule, visit, visit.from.toISOString(), end)
    },
  }),
]

/** The visit that a number means: one with a row, or one that is only planned. */
async function findVisit(ctx: Context, schedule: ScheduleWithPlan, indexText: string): Promise<StoredVisit> {
  if (!/^\d+$/.test(indexText)) throw badRequest('index must be a whole number from 0 on')
  const index = Number(indexText)
  const stored = index > maxIndex ? undefined : await ctx.query(selectVisit(ctx, schedule.id, index))
  if (stored) return stored
  const isLive = index <= maxIndex && schedule.status !== 'ended'
  const planned = isLive ? visitAt(schedule.plan, index, schedule.now) : undefined
  // A visit that was kept from an earlier shape has the slot: the number means nothing then.
  if (!planned || (await ctx.query(selectIsSlotTaken(ctx, schedule.id, planned.from)))) throw notFound('occurrence')
  return asStoredVisit(planned)
}

type VisitWithJob = StoredVisit & { readonly ticketId: string }

async function lockGeneratedVisit(ctx: Context, schedule: ScheduleWithPlan, index: string): Promise<VisitWithJob> {
  const visit = await findVisit(ctx, schedule, index)
  if (!visit.ticketId) throw occurrenceNotGenerated()
  // The times are read once the job is locked: somebody may be moving it at the same moment.
  await lockTicket(ctx, visit.ticketId)
  return (await ctx.query(selectVisit(ctx, schedule.id, visit.index))) as VisitWithJob
}

async function refuseIfWorked(ctx: Context, schedule: ScheduleWithPlan, visit: StoredVisit, ticketId: string) {
  await lockTicket(ctx, ticketId)
  const [generated] = await ctx.query(
    selectGeneratedVisits(ctx, schedule.id, [ticketId], sql`visit.index = ${visit.index}`),
  )
  if (generated?.hasWork) throw occurrenceWorked()
}

/** No date-time that callers may write is later. */
const endOfCalendar = Date.UTC(9_999, 11, 31)

/** When a visit of that length ends. */
function endOf(field: string, from: number, durationMs: number): string {
  if (from + durationMs >= endOfCalendar) throw badRequest(`${field} lets the visit end after 9999-12-30`)
  return new Date(from + durationMs).toISOString()
}

/** The job is moved, and the visit with it. */
async function rescheduleVisit(
  ctx: Context,
  schedule: ScheduleWithPlan,
  { index, ticketId }: VisitWithJob,
  from: string,
  to: string,
): Promise<Occurrence> {
  if (Date.parse(from) >= Date.parse(to)) throw badRequest('to must be after from')
  await updateTicket(ctx, ticketId, { scheduledFrom: from, scheduledTo: to, scheduledAllDay: false })
  return readOccurrence(ctx, schedule, index)
}

const readOccurrence = async (ctx: Context, { id }: ScheduleWithPlan, index: number): Promise<Occurrence> =>
  toOccurrence((await ctx.query(selectVisit(ctx, id, index)))!)
