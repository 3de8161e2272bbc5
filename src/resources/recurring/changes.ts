// What happens to the visits of a schedule when it ends, takes another shape or has its template applied again.
import { type Sql, sql } from '../../db/database.ts'
import type { Series } from '../../domain/recurrence.ts'
import { type PlannedVisit, plannedVisits, reshapePlan, type VisitPlan, visitsAt } from '../../domain/visits.ts'
import { badRequest } from '../../operations/errors.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { applyRules } from '../forms/apply-rules.ts'
import { actorOf } from '../forms/audit-trail.ts'
import { writeLines } from '../tickets/prepared-lines.ts'
import { deleteLines, deleteTickets } from '../tickets/visit-tickets.ts'
import { updateTicket } from '../tickets/write-ticket.ts'
import { loadCurrentTemplate, saveProgress, type VisitTemplate } from './generation.ts'
import { mapInBatches } from './map-in-batches.ts'
import { type ScheduleWithPlan, selectHighestIndex, selectTakenSlots } from './schedule-plan.ts'
import {
  cancelVisits,
  type GeneratedVisit,
  lockJobs,
  markVisitRewritten,
  selectGeneratedVisits,
  selectPlannedVisits,
  upsertVisits,
} from './visits.ts'

/** A change of shape far ahead keeps the visits until then; more than these are no plan. */
const maxPlannedVisits = 2_000

const startingFrom = (moment: Date) => sql`visit.starts_at >= ${moment}`

/** Generated visits, their jobs locked. */
async function lockVisits(ctx: Context, schedule: ScheduleWithPlan, condition: Sql): Promise<GeneratedVisit[]> {
  const ticketIds = await ctx.query(lockJobs(ctx, schedule.id, condition))
  return ctx.query(selectGeneratedVisits(ctx, schedule.id, ticketIds, condition))
}

/** Takes visits off the plan, with their jobs and events. */
async function withdraw(ctx: Context, schedule: ScheduleWithPlan, visits: readonly GeneratedVisit[]): Promise<void> {
  if (visits.length === 0) return
  const jobs = visits.map(({ ticketId }) => ticketId)
  await ctx.query(cancelVisits(ctx, schedule.id, visits))
  await ctx.query(deleteTickets(ctx, jobs))
}

/** Visits left from earlier shapes do not take place, or not from a moment on. */
async function withdrawPlanned(ctx: Context, schedule: ScheduleWithPlan, moment?: Date): Promise<void> {
  const rows = (await ctx.query(selectPlannedVisits(ctx, schedule.id))).filter(
    (visit) => !moment || visit.from >= moment,
  )
  if (rows.length > 0) await ctx.query(cancelVisits(ctx, schedule.id, rows))
}

/** Those that are planned from the present plan on, up to a moment. */
export async function findPlannedUntil(
  ctx: Context,
  schedule: ScheduleWithPlan,
  moment: Date,
): Promise<PlannedVisit[]> {
  const taken = await ctx.query(selectTakenSlots(ctx, schedule.id, schedule.plan.plannedFrom))
  const visits: PlannedVisit[] = []
  for (const visit of plannedVisits(schedule.plan, taken)) {
    if (visit.from >= moment) break
    if (visits.push(visit) > maxPlannedVisits) throw badRequest('There are too many visits before that moment')
  }
  return visits
}

/** From a moment on there are no visits but those that are worked on; none is made any more, of those before it either. */
export async function endSchedule(ctx: Context, schedule: ScheduleWithPlan, moment: Date) {
  const visits = await lockVisits(ctx, schedule, startingFrom(moment))
  const removed = visits.filter(({ hasWork }) => !hasWork)
  await withdraw(ctx, schedule, removed)
  await withdrawPlanned(ctx, schedule)
  await markEnded(ctx, schedule, moment)
  return { removed: removed.length, kept: visits.length - removed.length }
}

/** What was still to be done for it is not done any more. */
export async function markEnded(ctx: Context, schedule: ScheduleWithPlan, moment: Date): Promise<void> {
  await ctx.query(updateEnded(ctx, schedule.id, moment))
  await saveProgress(ctx, { ...schedule, status: 'ended' })
}

const updateEnded = ({ orgId }: Context, scheduleId: string, moment: Date): Statement<void> =>
  statement(
    sql`update recurring_schedules set status = 'ended', ended_at = ${moment}, paused_at = null, resumes_at = null,
          pending_work = null
        where org_id = ${orgId} and id = ${scheduleId}`,
    () => {},
  )

/**
 * The series in another shape from a cut on. Visits before the cut stay as they are, planned ones too; from it on only
 * those stay that somebody worked on, moved, resized or skipped. Answers the new plan, which the caller writes down.
 */
export async function reshape(ctx: Context, schedule: ScheduleWithPlan, series: Series): Promise<VisitPlan> {
  const { now } = schedule
  const cut = new Date(Math.max(now.getTime(), series.startsAt.getTime()))
  const highest = await ctx.query(selectHighestIndex(ctx, schedule.id))
  // What has not begun at all has no visits to keep: it begins at another time, that is all.
  const hasBegun = highest >= 0 || schedule.startsAt < now
  const before = hasBegun ? await findPlannedUntil(ctx, schedule, cut) : []
  if (before.length > 0) await ctx.query(upsertVisits(ctx, schedule.id, before, 'planned'))
  const visits = await lockVisits(ctx, schedule, startingFrom(cut))
  await withdraw(ctx, schedule, visits.filter(isUntouched))
  await withdrawPlanned(ctx, schedule, cut)
  const highestUsed = Math.max(highest, ...before.map(({ index }) => index))
  return reshapePlan(schedule.plan, series, now, cut, highestUsed)
}

/** A job that somebody gave to another customer is theirs to change. */
const isUntouched = ({ isMoved, isResized, hasWork, isElsewhere }: GeneratedVisit) =>
  !isMoved && !isResized && !hasWork && !isElsewhere

/**
 * Writes the present template into the jobs of some visits, as far as nobody has touched them. Answers from when on visits
 * are planned after that.
 */
export async function rewriteVisits(ctx: Context, schedule: ScheduleWithPlan, indexes: readonly number[]) {
  const { plannedFrom } = schedule.plan
  if (indexes.length === 0) return { updated: 0, removed: 0, kept: 0, plannedFrom }
  const visits = await lockVisits(ctx, schedule, sql`visit.index = any(${indexes})`)
  const untouched = visits.filter(isUntouched)
  // A visit of an earlier shape that was kept within this one, because there was work on it then, has no place any more.
  const isStale = ({ index, originalFrom }: GeneratedVisit) =>
    index < schedule.firstIndex && schedule.shapeFrom !== null && originalFrom >= schedule.shapeFrom
  const stale = untouched.filter(isStale)
  await withdraw(ctx, schedule, stale)
  const present = untouched.filter((visit) => !isStale(visit))
  const template = await loadCurrentTemplate(ctx, schedule)
  const currentSlots = visitsAt(
    schedule.plan,
    present.map(({ index }) => index),
  )
  await mapInBatches(present, (visit) =>
    rewrite(ctx, schedule, template, visit, currentSlots.get(visit.index) ?? visit),
  )
  const first = Math.min(+plannedFrom, ...stale.map(({ originalFrom }) => +originalFrom))
  return {
    updated: present.length,
    removed: stale.length,
    kept: visits.length - untouched.length,
    plannedFrom: new Date(first),
  }
}

/** The lines come first: a change of device is judged by those the job has in the end, as are its forms after that. */
async function rewrite(
  ctx: Context,
  schedule: ScheduleWithPlan,
  { body, lines }: VisitTemplate,
  { ticketId, index }: GeneratedVisit,
  { from, to }: PlannedVisit,
) {
  const { customerId: _, ...rest } = body
  const times = { scheduledFrom: from.toISOString(), scheduledTo: to.toISOString() }
  await ctx.query(deleteLines(ctx, ticketId))
  await writeLines(ctx, ticketId, lines)
  await updateTicket(ctx, ticketId, { ...rest, ...times }, { bySchedule: true })
  await applyRules(ctx, actorOf(ctx), ticketId)
  await ctx.query(markVisitRewritten(ctx, schedule.id, index, lines.rows.length))
}
