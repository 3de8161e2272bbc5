// The visits of a recurring schedule: to look at, to skip, to move, to make longer or shorter.
import { Type as t } from 'typebox'
import { badRequest, conflict, notFound } from '../../api/errors.ts'
import { dateTime, optional, text } from '../../api/fields.ts'
import { type Context, operation } from '../../api/operation.ts'
import { pagination } from '../../api/record.ts'
import { paging } from '../../api/table.ts'
import { sql } from '../../database.ts'
import { visitAt } from '../../domain/visits.ts'
import { ticketsDeleted } from '../tickets/of-visits.ts'
import { changeTicket, heldTicket } from '../tickets/writing.ts'
import { settle } from './generation.ts'
import { type HeldSchedule, heldSchedule } from './held.ts'
import { occurrencePage } from './occurrence-page.ts'
import { type Occurrence, occurrence } from './record.ts'
import { durationMinutes } from './template.ts'
import { generatedVisits, isTaken, plannedRow, type StoredVisit, shown, storedVisit, visitsStored } from './visits.ts'

const path = '/recurring-schedules/:scheduleId/occurrences'
const minuteMs = 60_000
const mostIndex = 999_999

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
    run: ({ params: { scheduleId }, query }, ctx) => occurrencePage(ctx, scheduleId, query),
  }),

  operation(`POST ${path}/:index/skip`, {
    name: 'skipOccurrence',
    summary: 'Leave a visit out; its job is deleted unless somebody has begun it',
    body: t.Object({ reason: optional(text(500, { examples: ['On holiday'] })) }, { title: 'OccurrenceSkip' }),
    returns: occurrence,
    conflicts: ['OCCURRENCE_WORKED'],
    async run({ params: { scheduleId, index }, body: { reason = null } }, ctx) {
      const schedule = await ctx.ask(heldSchedule(ctx, scheduleId))
      const visit = await visitOf(ctx, schedule, index)
      if (visit.status === 'skipped' || visit.status === 'cancelled') return shown(visit)
      if (visit.ticketId) await refuseWorked(ctx, schedule, visit, visit.ticketId)
      const row = { ...visit, from: visit.originalFrom, to: new Date(+visit.originalFrom + +visit.to - +visit.from) }
      await ctx.ask(visitsStored(ctx, scheduleId, [row], 'skipped', reason))
      if (visit.ticketId) await ctx.ask(ticketsDeleted(ctx, [visit.ticketId]))
      await settle(ctx, schedule)
      return visitNow(ctx, schedule, visit.index)
    },
  }),

  operation(`POST ${path}/:index/move`, {
    name: 'moveOccurrence',
    summary: 'Move one visit to another time; the series stays as it is',
    body: t.Object({ from: dateTime(), to: optional(dateTime()) }, { title: 'OccurrenceMove' }),
    returns: occurrence,
    conflicts: ['OCCURRENCE_NOT_GENERATED'],
    async run({ params: { scheduleId, index }, body: { from, to } }, ctx) {
      const schedule = await ctx.ask(heldSchedule(ctx, scheduleId))
      const visit = await generatedVisit(ctx, schedule, index)
      const lasts = visit.to.getTime() - visit.from.getTime()
      const end = to ?? endOf('from', Date.parse(from), lasts)
      return rescheduled(ctx, schedule, visit, from, end)
    },
  }),

  operation(`POST ${path}/:index/resize`, {
    name: 'resizeOccurrence',
    summary: 'Make one visit longer or shorter',
    body: t.Object(
      { to: optional(dateTime()), durationMinutes: optional(durationMinutes) },
      { title: 'OccurrenceResize' },
    ),
    returns: occurrence,
    conflicts: ['OCCURRENCE_NOT_GENERATED'],
    async run({ params: { scheduleId, index }, body: { to, durationMinutes } }, ctx) {
      if (Boolean(to) === Boolean(durationMinutes)) throw badRequest('Give exactly one of to and durationMinutes')
      const schedule = await ctx.ask(heldSchedule(ctx, scheduleId))
      const visit = await generatedVisit(ctx, schedule, index)
      const end = to ?? endOf('durationMinutes', visit.from.getTime(), durationMinutes! * minuteMs)
      return rescheduled(ctx, schedule, visit, visit.from.toISOString(), end)
    },
  }),
]

/** The visit that a number means: one with a row, or one that is only planned. */
async function visitOf(ctx: Context, schedule: HeldSchedule, given: string): Promise<StoredVisit> {
  if (!/^\d+$/.test(given)) throw badRequest('index must be a whole number from 0 on')
  const index = Number(given)
  const stored = index > mostIndex ? undefined : await ctx.ask(storedVisit(ctx, schedule.id, index))
  if (stored) return stored
  const isLive = index <= mostIndex && schedule.status !== 'ended'
  const planned = isLive ? visitAt(schedule.plan, index, schedule.now) : undefined
  // A visit that was kept from an earlier shape has the slot: the number means nothing then.
  if (!planned || (await ctx.ask(isTaken(ctx, schedule.id, planned.from)))) throw notFound('occurrence')
  return plannedRow(planned)
}

type WithJob = StoredVisit & { readonly ticketId: string }

async function generatedVisit(ctx: Context, schedule: HeldSchedule, index: string): Promise<WithJob> {
  const visit = await visitOf(ctx, schedule, index)
  if (!visit.ticketId) throw conflict('OCCURRENCE_NOT_GENERATED')
  // The times are read once the job is held: somebody may be moving it at the same moment.
  await heldTicket(ctx, visit.ticketId)
  return (await ctx.ask(storedVisit(ctx, schedule.id, visit.index))) as WithJob
}

async function refuseWorked(ctx: Context, schedule: HeldSchedule, visit: StoredVisit, ticketId: string) {
  await heldTicket(ctx, ticketId)
  const [held] = await ctx.ask(generatedVisits(ctx, schedule.id, [ticketId], sql`visit.index = ${visit.index}`))
  if (held?.hasWork) throw conflict('OCCURRENCE_WORKED')
}

/** No date-time that callers may write is later. */
const endOfCalendar = Date.UTC(9_999, 11, 31)

/** When a visit of that length ends. */
function endOf(field: string, from: number, lasts: number): string {
  if (from + lasts >= endOfCalendar) throw badRequest(`${field} lets the visit end after 9999-12-30`)
  return new Date(from + lasts).toISOString()
}

/** The job is moved, and the visit with it. */
async function rescheduled(
  ctx: Context,
  schedule: HeldSchedule,
  { index, ticketId }: WithJob,
  from: string,
  to: string,
): Promise<Occurrence> {
  if (Date.parse(from) >= Date.parse(to)) throw badRequest('to must be after from')
  await changeTicket(ctx, ticketId, { scheduledFrom: from, scheduledTo: to, scheduledAllDay: false })
  return visitNow(ctx, schedule, index)
}

const visitNow = async (ctx: Context, { id }: HeldSchedule, index: number): Promise<Occurrence> =>
  shown((await ctx.ask(storedVisit(ctx, id, index)))!)
