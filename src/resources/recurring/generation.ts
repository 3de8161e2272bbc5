// Making the jobs of visits that come due, and keeping account of how far that has gone.
import { type Context, type Statement, statement } from '../../api/operation.ts'
import { sql } from '../../database.ts'
import { type PlannedVisit, plannedVisits } from '../../domain/visits.ts'
import { applyRules } from '../forms/asking.ts'
import { actorOf } from '../forms/trail.ts'
import { type ReadyLines, readyLines, writeLines } from '../tickets/lines.ts'
import { createTicket } from '../tickets/writing.ts'
import { type HeldSchedule, takenFrom } from './held.ts'
import { linesOfToday, type TemplateLine } from './template.ts'
import { together } from './together.ts'
import { plannedRows, visitGenerated } from './visits.ts'

export const dayMs = 86_400_000

export interface Generated {
  readonly index: number
  readonly ticketId: string
}

interface Bounds {
  readonly through: Date
  /** How many at once; what remains is made the next time. */
  readonly most?: number
}

/** One job and event for each visit up to a moment that has none. The schedule is held. */
export async function generateVisits(
  ctx: Context,
  schedule: HeldSchedule,
  { through, most = Number.POSITIVE_INFINITY }: Bounds,
): Promise<{ generated: Generated[]; isComplete: boolean }> {
  const due = await dueVisits(ctx, schedule, through)
  if (due.length === 0) return { generated: [], isComplete: true }
  const template = await templateOfToday(ctx, schedule)
  const generated = await together(due.slice(0, most), (visit) => generateVisit(ctx, schedule, template, visit))
  return { generated, isComplete: due.length <= most }
}

/** Those left from earlier shapes, then those of the present one. */
async function dueVisits(ctx: Context, schedule: HeldSchedule, through: Date): Promise<PlannedVisit[]> {
  const stored = await ctx.ask(plannedRows(ctx, schedule.id))
  const due: PlannedVisit[] = stored.filter(({ from }) => from <= through)
  const taken = await ctx.ask(takenFrom(ctx, schedule.id, schedule.plan.plannedFrom))
  for (const visit of plannedVisits(schedule.plan, taken)) {
    if (visit.from > through) break
    due.push(visit)
  }
  return due
}

export interface Template {
  readonly body: {
    readonly customerId: string | null
    readonly deviceId: string | null
    readonly serviceRequired: string
    readonly description: string | null
    readonly assignedTechnician: string | null
    readonly stationId: string | null
  }
  readonly lines: ReadyLines
}

/** What has gone since the template was written does not keep the work from being planned. */
export async function templateOfToday(ctx: Context, schedule: HeldSchedule): Promise<Template> {
  const { customerId, deviceId, serviceRequired, description, stationId } = schedule
  const assignedTechnician = await ctx.ask(ifActive(ctx, schedule.assignedTechnician))
  const lines = await linesOfToday(ctx, schedule.lineItems)
  return {
    body: { customerId, deviceId, serviceRequired, description, assignedTechnician, stationId },
    lines: await readyLines(ctx, lines.map(asLine)),
  }
}

const asLine = ({ kind, quantity = 1, ...line }: TemplateLine) => ({
  kind: kind === 'inventory' ? ('inventory' as const) : ('service' as const),
  line: { ...line, quantity },
})

const ifActive = ({ orgId }: Context, memberId: string | null): Statement<string | null> =>
  statement(
    sql`select id from members where org_id = ${orgId} and id = ${memberId} and is_active`,
    ([row]: { id: string }[]) => row?.id ?? null,
  )

async function generateVisit(
  ctx: Context,
  { id: scheduleId }: HeldSchedule,
  { body, lines }: Template,
  visit: PlannedVisit,
): Promise<Generated> {
  const times = {
    scheduledFrom: visit.from.toISOString(),
    scheduledTo: visit.to.toISOString(),
    scheduledAllDay: false,
  }
  const ticket = await createTicket(
    ctx,
    { ...body, ...times, priority: 'normal' },
    { source: 'schedule', visit: { scheduleId, index: visit.index } },
  )
  const { id: ticketId } = JSON.parse(ticket.text)
  await writeLines(ctx, ticketId, lines)
  if (lines.areJudged) await applyRules(ctx, actorOf(ctx), ticketId)
  await ctx.ask(visitGenerated(ctx, scheduleId, visit, { ticketId, lineCount: lines.rows.length }))
  return { index: visit.index, ticketId }
}

/** Writes down how far the schedule has come: what is planned next, and when there is something to do for it again. */
export async function settle(
  ctx: Context,
  schedule: Pick<HeldSchedule, 'id' | 'plan' | 'status' | 'horizonDays' | 'resumesAt' | 'now'>,
  { generatedThrough = null }: { readonly generatedThrough?: Date | null } = {},
): Promise<{ isOver: boolean }> {
  const { id, plan, status, horizonDays, resumesAt, now } = schedule
  const next = status === 'ended' ? undefined : await nextPlanned(ctx, id, plan)
  const lastEnd = next || status === 'ended' ? null : await ctx.ask(endOfLast(ctx, id))
  const whenActive = next ? new Date(next.soonest.getTime() - horizonDays * dayMs) : (lastEnd ?? now)
  const dueAt = status === 'active' ? whenActive : status === 'paused' ? resumesAt : null
  await ctx.ask(
    settled(ctx, id, { next: next?.soonest ?? null, plannedFrom: next?.slot ?? null, dueAt, generatedThrough }),
  )
  return { isOver: status === 'active' && !next && (lastEnd === null || lastEnd <= now) }
}

/** The next visit that is planned, and the first slot of the present shape that is. */
async function nextPlanned(ctx: Context, scheduleId: string, plan: HeldSchedule['plan']) {
  const [stored] = await ctx.ask(plannedRows(ctx, scheduleId))
  const [visit] = plannedVisits(plan, await ctx.ask(takenFrom(ctx, scheduleId, plan.plannedFrom)))
  const times = [stored?.from, visit?.from].filter((one) => one !== undefined).map(Number)
  return times.length > 0 ? { soonest: new Date(Math.min(...times)), slot: visit?.from ?? null } : undefined
}

const endOfLast = ({ orgId }: Context, scheduleId: string): Statement<Date | null> =>
  statement(
    sql`select max(ends_at) as "end" from recurring_occurrences
        where org_id = ${orgId} and schedule_id = ${scheduleId} and status = 'generated'`,
    ([row]: { end: Date | null }[]) => row!.end,
  )

interface Account {
  readonly next: Date | null
  readonly plannedFrom: Date | null
  readonly dueAt: Date | null
  readonly generatedThrough: Date | null
}

/** All slots before the next one are taken, so that nobody need look at them again. */
const settled = ({ orgId }: Context, scheduleId: string, account: Account): Statement<void> =>
  statement(
    sql`update recurring_schedules set next_planned_at = ${account.next}, due_at = ${account.dueAt},
          planned_from = coalesce(${account.plannedFrom}, planned_from),
          generated_through = greatest(generated_through, ${account.generatedThrough}), updated_at = now()
        where org_id = ${orgId} and id = ${scheduleId}`,
    () => {},
  )
