// Making the jobs of visits that come due, and keeping account of how far that has gone.
import { sql } from '../../db/database.ts'
import { dayMs } from '../../domain/durations.ts'
import { type PlannedVisit, plannedVisits } from '../../domain/visits.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { applyRules } from '../forms/apply-rules.ts'
import { actorOf } from '../forms/audit-trail.ts'
import { type PreparedLines, prepareLines, writeLines } from '../tickets/prepared-lines.ts'
import { createTicket } from '../tickets/write-ticket.ts'
import { mapInBatches } from './map-in-batches.ts'
import { type ScheduleWithPlan, selectTakenSlots } from './schedule-plan.ts'
import { findAvailableLines, type TemplateLine } from './template.ts'
import { selectPlannedVisits, upsertGeneratedVisit } from './visits.ts'

export interface GeneratedJob {
  readonly index: number
  readonly ticketId: string
}

interface GenerationLimits {
  readonly through: Date
  /** How many at once; what remains is made the next time. */
  readonly maxVisits?: number
}

/** One job and event for each visit up to a moment that has none. The schedule is locked. */
export async function generateVisits(
  ctx: Context,
  schedule: ScheduleWithPlan,
  { through, maxVisits = Number.POSITIVE_INFINITY }: GenerationLimits,
): Promise<{ generated: GeneratedJob[]; remaining: number }> {
  const due = await findDueVisits(ctx, schedule, through)
  if (due.length === 0) return { generated: [], remaining: 0 }
  const template = await loadCurrentTemplate(ctx, schedule)
  const generated = await mapInBatches(due.slice(0, maxVisits), (visit) =>
    generateVisit(ctx, schedule, template, visit),
  )
  return { generated, remaining: due.length - generated.length }
}

/** Those left from earlier shapes, then those of the present one. */
async function findDueVisits(ctx: Context, schedule: ScheduleWithPlan, through: Date): Promise<PlannedVisit[]> {
  const stored = await ctx.query(selectPlannedVisits(ctx, schedule.id))
  const due: PlannedVisit[] = stored.filter(({ from }) => from <= through)
  const taken = await ctx.query(selectTakenSlots(ctx, schedule.id, schedule.plan.plannedFrom))
  for (const visit of plannedVisits(schedule.plan, taken)) {
    if (visit.from > through) break
    due.push(visit)
  }
  return due
}

export interface VisitTemplate {
  readonly body: {
    readonly customerId: string | null
    readonly deviceId: string | null
    readonly serviceRequired: string
    readonly description: string | null
    readonly assignedTechnician: string | null
    readonly stationId: string | null
  }
  readonly lines: PreparedLines
}

/** What has gone since the template was written does not keep the work from being planned. */
export async function loadCurrentTemplate(ctx: Context, schedule: ScheduleWithPlan): Promise<VisitTemplate> {
  const { customerId, deviceId, serviceRequired, description, stationId } = schedule
  const assignedTechnician = await ctx.query(selectActiveMember(ctx, schedule.assignedTechnician))
  const lines = await findAvailableLines(ctx, schedule.lineItems)
  return {
    body: { customerId, deviceId, serviceRequired, description, assignedTechnician, stationId },
    lines: await prepareLines(ctx, lines.map(toTicketLine)),
  }
}

const toTicketLine = ({ kind, quantity = 1, ...line }: TemplateLine) => ({
  kind: kind === 'inventory' ? ('inventory' as const) : ('service' as const),
  line: { ...line, quantity },
})

const selectActiveMember = ({ orgId }: Context, memberId: string | null): Statement<string | null> =>
  statement(
    sql`select id from members where org_id = ${orgId} and id = ${memberId} and is_active`,
    ([row]: { id: string }[]) => row?.id ?? null,
  )

async function generateVisit(
  ctx: Context,
  { id: scheduleId }: ScheduleWithPlan,
  { body, lines }: VisitTemplate,
  visit: PlannedVisit,
): Promise<GeneratedJob> {
  const times = {
    scheduledFrom: visit.from.toISOString(),
    scheduledTo: visit.to.toISOString(),
    scheduledAllDay: false,
  }
  const { id: ticketId } = await createTicket(
    ctx,
    { ...body, ...times, priority: 'normal' },
    { source: 'schedule', visit: { scheduleId, index: visit.index } },
  )
  await writeLines(ctx, ticketId, lines)
  if (lines.mayNeedForms) await applyRules(ctx, actorOf(ctx), ticketId)
  await ctx.query(upsertGeneratedVisit(ctx, scheduleId, visit, { ticketId, lineCount: lines.rows.length }))
  return { index: visit.index, ticketId }
}

/** Writes down how far the schedule has come: what is planned next, and when there is something to do for it again. */
export async function saveProgress(
  ctx: Context,
  schedule: Pick<ScheduleWithPlan, 'id' | 'plan' | 'status' | 'horizonDays' | 'resumesAt' | 'now'>,
  { generatedThrough = null }: { readonly generatedThrough?: Date | null } = {},
): Promise<{ isOver: boolean }> {
  const { id, plan, status, horizonDays, resumesAt, now } = schedule
  const next = status === 'ended' ? undefined : await findNextPlanned(ctx, id, plan)
  const lastEnd = next || status === 'ended' ? null : await ctx.query(selectLastVisitEnd(ctx, id))
  const whenActive = next ? new Date(next.soonest.getTime() - horizonDays * dayMs) : (lastEnd ?? now)
  const dueAt = status === 'active' ? whenActive : status === 'paused' ? resumesAt : null
  await ctx.query(
    updateProgress(ctx, id, { next: next?.soonest ?? null, plannedFrom: next?.slot ?? null, dueAt, generatedThrough }),
  )
  return { isOver: status === 'active' && !next && (lastEnd === null || lastEnd <= now) }
}

/** The next visit that is planned, and the first slot of the present shape that is. */
async function findNextPlanned(ctx: Context, scheduleId: string, plan: ScheduleWithPlan['plan']) {
  const [stored] = await ctx.query(selectPlannedVisits(ctx, scheduleId))
  const [visit] = plannedVisits(plan, await ctx.query(selectTakenSlots(ctx, scheduleId, plan.plannedFrom)))
  const times = [stored?.from, visit?.from].filter((one) => one !== undefined).map(Number)
  return times.length > 0 ? { soonest: new Date(Math.min(...times)), slot: visit?.from ?? null } : undefined
}

const selectLastVisitEnd = ({ orgId }: Context, scheduleId: string): Statement<Date | null> =>
  statement(
    sql`select max(ends_at) as "end" from recurring_occurrences
        where org_id = ${orgId} and schedule_id = ${scheduleId} and status = 'generated'`,
    ([row]: { end: Date | null }[]) => row!.end,
  )

interface Progress {
  readonly next: Date | null
  readonly plannedFrom: Date | null
  readonly dueAt: Date | null
  readonly generatedThrough: Date | null
}

/** All slots before the next one are taken, so that nobody need look at them again. What is pending stays due as it is. */
const updateProgress = ({ orgId }: Context, scheduleId: string, progress: Progress): Statement<void> =>
  statement(
    sql`update recurring_schedules set next_planned_at = ${progress.next},
          due_at = case when pending_work is null then ${progress.dueAt} else due_at end,
          planned_from = coalesce(${progress.plannedFrom}, planned_from),
          generated_through = greatest(generated_through, ${progress.generatedThrough}), updated_at = now()
        where org_id = ${orgId} and id = ${scheduleId}`,
    () => {},
  )
