// What can be done with a whole recurring schedule: pause, resume, end, apply again, generate.
import { sql } from '../../db/database.ts'
import { dayMs } from '../../domain/durations.ts'
import { Accepted } from '../../operations/answers.ts'
import { badRequest } from '../../operations/errors.ts'
import { dateTime, id, integer, optional } from '../../operations/fields.ts'
import { type Context, operation, type Statement, statement } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { findPlannedUntil } from './changes.ts'
import { type GeneratedJob, saveProgress } from './generation.ts'
import { beginEnd, beginGenerate, beginResync, finishWork } from './pending-work.ts'
import { schedules } from './record.ts'
import { lockSchedule, type ScheduleWithPlan } from './schedule-plan.ts'
import { selectPlannedVisits, upsertVisits } from './visits.ts'

const path = '/recurring-schedules/:scheduleId'
const limits = { count: integer(0, 1_000_000, { examples: [2] }), daysAhead: 365 }

export const actionOperations = [
  operation(`POST ${path}/pause`, {
    name: 'pauseRecurringSchedule',
    summary: 'Make no more jobs until the schedule is resumed; those there are stay',
    body: t.Object(
      { until: optional(dateTime({ description: 'When it resumes by itself.' })) },
      { title: 'RecurringPause' },
    ),
    returns: schedules.record,
    transaction: true,
    async run({ params: { scheduleId }, body: { until = null } }, ctx) {
      const schedule = await lockRunningSchedule(ctx, scheduleId)
      if (schedule.status === 'active') {
        const resumesAt = until ? new Date(until) : null
        if (resumesAt && resumesAt <= schedule.now) throw badRequest('until must be in the future')
        await ctx.query(markPaused(ctx, schedule, resumesAt))
        await saveProgress(ctx, { ...schedule, status: 'paused', resumesAt })
      }
      return ctx.query(schedules.find(ctx, scheduleId))
    },
  }),

  operation(`POST ${path}/resume`, {
    name: 'resumeRecurringSchedule',
    summary: 'Make jobs again; visits whose time passed meanwhile are skipped',
    returns: schedules.record,
    transaction: true,
    async run({ params: { scheduleId } }, ctx) {
      const schedule = await lockRunningSchedule(ctx, scheduleId)
      if (schedule.status === 'paused') await resume(ctx, schedule, schedule.now)
      return ctx.query(schedules.find(ctx, scheduleId))
    },
  }),

  operation(`POST ${path}/end`, {
    name: 'endRecurringSchedule',
    summary: 'End the schedule for good; jobs from then on that nobody has begun are deleted',
    body: t.Object(
      { endsAt: optional(dateTime({ description: 'Now if left out; visits before it still take place.' })) },
      { title: 'RecurringEnd' },
    ),
    returns: t.Object({ removed: limits.count, kept: limits.count }, { title: 'RecurringEnded' }),
    steps: true,
    async run({ params: { scheduleId }, body: { endsAt } }, ctx) {
      const begun = await ctx.step(async (step) => {
        const schedule = await step.query(lockSchedule(step, scheduleId))
        if (schedule.status === 'ended') return undefined
        const end = endsAt ? new Date(endsAt) : schedule.now
        refuseFarAhead('endsAt', end, schedule)
        return beginEnd(step, schedule, end)
      })
      if (!begun) return { removed: 0, kept: 0 }
      const { isPending, ended = { removed: 0, kept: 0 } } = await finishWork(ctx, scheduleId, begun)
      return isPending ? new Accepted(ended) : ended
    },
  }),

  operation(`POST ${path}/resync`, {
    name: 'resyncRecurringSchedule',
    summary: 'Apply the schedule as it is now to the jobs made before that nobody has touched',
    body: t.Object(
      { from: optional(dateTime({ description: 'Visits from then on; now if left out.' })) },
      { title: 'RecurringResync' },
    ),
    returns: t.Object(
      { updated: limits.count, created: limits.count, removed: limits.count, kept: limits.count },
      { title: 'RecurringResynced' },
    ),
    steps: true,
    async run({ params: { scheduleId }, body: { from } }, ctx) {
      const begun = await ctx.step(async (step) => {
        const schedule = await lockRunningSchedule(step, scheduleId)
        return beginResync(step, schedule, from ? new Date(from) : schedule.now)
      })
      const { isPending, resync } = await finishWork(ctx, scheduleId, begun)
      const { updated, created, removed, kept } = resync!
      const answer = { updated, created, removed, kept }
      return isPending ? new Accepted(answer) : answer
    },
  }),

  operation(`POST ${path}/generate`, {
    name: 'generateRecurringVisits',
    summary: 'Make the jobs of visits to come; those that are there already are answered as they are',
    body: t.Object(
      { through: optional(dateTime({ description: 'Up to when, 365 days ahead at most; horizonDays if left out.' })) },
      { title: 'RecurringGenerate' },
    ),
    returns: t.Object(
      {
        generated: t.Array(t.Object({ index: limits.count, ticketId: id() }, { title: 'GeneratedVisit' })),
        generatedThrough: dateTime(),
      },
      { title: 'RecurringGenerated' },
    ),
    steps: true,
    async run({ params: { scheduleId }, body }, ctx) {
      const { schedule, through, begun } = await ctx.step(async (step) => {
        const schedule = await lockRunningSchedule(step, scheduleId)
        if (schedule.status === 'paused') throw badRequest('The schedule is paused')
        const through = body.through ? new Date(body.through) : horizonOf(schedule)
        refuseFarAhead('through', through, schedule)
        return { schedule, through, begun: await beginGenerate(step, schedule, through) }
      })
      const { isPending, generated } = await finishWork(ctx, scheduleId, begun)
      const { existing, generatedThrough } = await ctx.step((step) =>
        findGenerated(step, schedule, through, { isPending }),
      )
      const byIndex = new Map([...generated, ...existing].map((visit) => [visit.index, visit]))
      const answer = {
        generated: [...byIndex.values()].sort((a, b) => a.index - b.index),
        generatedThrough: generatedThrough.toISOString(),
      }
      return isPending ? new Accepted(answer) : answer
    },
  }),
]

async function lockRunningSchedule(ctx: Context, scheduleId: string): Promise<ScheduleWithPlan> {
  const schedule = await ctx.query(lockSchedule(ctx, scheduleId))
  if (schedule.status === 'ended') throw badRequest('The schedule has ended', 'SCHEDULE_ENDED')
  return schedule
}

/** Up to when jobs are to be there. */
export const horizonOf = ({ now, horizonDays }: ScheduleWithPlan): Date => new Date(now.getTime() + horizonDays * dayMs)

function refuseFarAhead(field: string, moment: Date, { now }: ScheduleWithPlan): void {
  if (moment.getTime() > now.getTime() + limits.daysAhead * dayMs) {
    throw badRequest(`${field} must be at most ${limits.daysAhead} days ahead`)
  }
}

/** Visits that were missed until a moment are skipped; from it on jobs are made again. */
export async function resume(ctx: Context, schedule: ScheduleWithPlan, moment: Date): Promise<void> {
  const storedRows = (await ctx.query(selectPlannedVisits(ctx, schedule.id))).filter(({ from }) => from < moment)
  const missed = [...storedRows, ...(await findPlannedUntil(ctx, schedule, moment))].filter(
    ({ from }) => schedule.pausedAt === null || from >= schedule.pausedAt,
  )
  if (missed.length > 0) await ctx.query(upsertVisits(ctx, schedule.id, missed, 'skipped', 'paused'))
  await ctx.query(markResumed(ctx, schedule))
  await saveProgress(ctx, { ...schedule, status: 'active', resumesAt: null })
}

const updateSchedule = (
  { orgId }: Context,
  { id }: ScheduleWithPlan,
  assignments: ReturnType<typeof sql>,
): Statement<void> =>
  statement(sql`update recurring_schedules set ${assignments} where org_id = ${orgId} and id = ${id}`, () => {})

/** A paused schedule makes no jobs, also none that were asked for before. */
const markPaused = (ctx: Context, schedule: ScheduleWithPlan, resumesAt: Date | null) =>
  updateSchedule(
    ctx,
    schedule,
    sql`status = 'paused', paused_at = now(), resumes_at = ${resumesAt},
      pending_work = nullif(pending_work - 'generate', '{}')`,
  )
const markResumed = (ctx: Context, schedule: ScheduleWithPlan) =>
  updateSchedule(ctx, schedule, sql`status = 'active', paused_at = null, resumes_at = null`)

/** Up to when there are jobs for all visits: while work is pending, up to the next that has none. */
async function findGenerated(
  ctx: Context,
  schedule: ScheduleWithPlan,
  through: Date,
  { isPending }: { readonly isPending: boolean },
): Promise<{ existing: GeneratedJob[]; generatedThrough: Date }> {
  const existing = await ctx.query(selectGenerated(ctx, schedule, through))
  const { generatedThrough, nextPlannedAt } = await ctx.query(selectHowFar(ctx, schedule))
  const before = isPending && nextPlannedAt ? +nextPlannedAt - 1 : +through
  return { existing, generatedThrough: new Date(Math.max(before, +(generatedThrough ?? before))) }
}

const selectGenerated = ({ orgId }: Context, { id, now }: ScheduleWithPlan, through: Date): Statement<GeneratedJob[]> =>
  statement(
    sql`select index, ticket_id as "ticketId" from recurring_occurrences
        where org_id = ${orgId} and schedule_id = ${id} and status = 'generated'
          and original_from >= ${now} and original_from <= ${through}`,
    (rows: GeneratedJob[]) => rows,
  )

const selectHowFar = (
  { orgId }: Context,
  { id }: ScheduleWithPlan,
): Statement<{ generatedThrough: Date | null; nextPlannedAt: Date | null }> =>
  statement(
    sql`select generated_through as "generatedThrough", next_planned_at as "nextPlannedAt" from recurring_schedules
        where org_id = ${orgId} and id = ${id}`,
    ([row]: { generatedThrough: Date | null; nextPlannedAt: Date | null }[]) =>
      row ?? { generatedThrough: null, nextPlannedAt: null },
  )
