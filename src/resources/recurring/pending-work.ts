// Work on a schedule that may be too much for one transaction: a few visits per step. What is left is kept on the schedule,
// where callers see it and the worker goes on with it.
import { sql } from '../../db/database.ts'
import { type Context, type Statement, type StepContext, statement } from '../../operations/operation.ts'
import { endSchedule, rewriteVisits } from './changes.ts'
import { type GeneratedJob, generateVisits, saveProgress } from './generation.ts'
import { lockSchedule, type PendingWork, type ResyncWork, type ScheduleWithPlan } from './schedule-plan.ts'

/** Few enough that the lock on job numbers delays others not much longer than any other job does. */
export const visitsPerStep = 8

/** While a request works on a schedule, the worker leaves it alone for so long after each step. */
const requestLease = '5 seconds'
type Lease = typeof requestLease | '0 seconds'

export interface StepOutcome {
  readonly generated: readonly GeneratedJob[]
  /** What was rewritten, with all steps before, where that was done. */
  readonly resync?: ResyncWork | undefined
  /** What became of the visits after the end, where the schedule has ended. */
  readonly ended?: { readonly removed: number; readonly kept: number } | undefined
  readonly isPending: boolean
}

const nothingPending: StepOutcome = { generated: [], isPending: false }

/** Jobs for all visits until a moment. What is pending already goes on to the later of the two moments. */
export function beginGenerate(ctx: Context, schedule: ScheduleWithPlan, through: Date): Promise<StepOutcome> {
  const earlier = schedule.pendingWork?.generate
  const latest = new Date(Math.max(+through, +new Date(earlier?.through ?? 0)))
  const generate = { through: latest.toISOString(), done: earlier?.done ?? 0, total: 0 }
  return runStep(ctx, schedule, { ...schedule.pendingWork, generate }, requestLease)
}

/** The present template for all visits from a moment on. What is pending already begins anew, from the earlier moment. */
export async function beginResync(ctx: Context, schedule: ScheduleWithPlan, moment: Date): Promise<StepOutcome> {
  const earlier = schedule.pendingWork?.resync
  const from = new Date(Math.min(+moment, +new Date(earlier?.from ?? moment)))
  const { lastIndex, total } = await ctx.query(selectVisitsToRewrite(ctx, schedule, from))
  const counts = { updated: 0, created: 0, removed: 0, kept: 0 }
  const resync = { from: from.toISOString(), nextIndex: 0, lastIndex, done: 0, total, ...counts }
  return runStep(ctx, schedule, { ...schedule.pendingWork, resync }, requestLease)
}

/** What the agreement still owes until its end is made first: an ended schedule makes nothing more. */
export function beginEnd(ctx: Context, schedule: ScheduleWithPlan, moment: Date): Promise<StepOutcome> {
  if (schedule.status !== 'active' || moment <= schedule.now) return endNow(ctx, schedule, moment)
  const generate = { through: new Date(+moment - 1).toISOString(), done: 0, total: 0 }
  const end = { at: moment.toISOString(), done: 0, total: 0 }
  return runStep(ctx, schedule, { ...schedule.pendingWork, generate, end }, requestLease)
}

/** Goes on until nothing is pending or the caller has waited long enough. */
export async function finishWork(ctx: StepContext, scheduleId: string, first: StepOutcome): Promise<StepOutcome> {
  let outcome = first
  while (outcome.isPending) {
    const next = await ctx.stepInTime(async (step) =>
      continueWork(step, await step.query(lockSchedule(step, scheduleId)), requestLease),
    )
    if (!next) break
    outcome = {
      ...next,
      generated: [...outcome.generated, ...next.generated],
      resync: next.resync ?? outcome.resync,
      ended: next.ended ?? outcome.ended,
    }
  }
  return outcome
}

/** One step of what is pending on a schedule that is locked. */
export function continueWork(ctx: Context, schedule: ScheduleWithPlan, lease: Lease = '0 seconds') {
  return schedule.pendingWork ? runStep(ctx, schedule, schedule.pendingWork, lease) : Promise.resolve(nothingPending)
}

async function runStep(
  ctx: Context,
  schedule: ScheduleWithPlan,
  work: PendingWork,
  lease: Lease,
): Promise<StepOutcome> {
  const { resync, generate, ...rest } = work
  if (resync) {
    const step = await resyncStep(ctx, schedule, resync)
    const left = { ...rest, ...(generate && { generate }), ...(!step.isComplete && { resync: step.resync }) }
    const isPending = await savePending(ctx, schedule, left, lease)
    await saveProgress(ctx, step.schedule)
    return { generated: [], resync: step.resync, isPending }
  }
  if (generate) {
    const through = new Date(generate.through)
    const { generated, remaining } = await generateVisits(ctx, schedule, { through, maxVisits: visitsPerStep })
    const done = generate.done + generated.length
    const left = { ...rest, ...(remaining > 0 && { generate: { ...generate, done, total: done + remaining } }) }
    const isPending = await savePending(ctx, schedule, left, lease)
    await saveProgress(ctx, schedule, { generatedThrough: remaining > 0 ? null : through })
    return { generated, isPending }
  }
  return rest.end ? endNow(ctx, schedule, new Date(rest.end.at)) : nothingPending
}

const endNow = async (ctx: Context, schedule: ScheduleWithPlan, moment: Date): Promise<StepOutcome> => ({
  ...nothingPending,
  ended: await endSchedule(ctx, schedule, moment),
})

/** First the visits there are, in the order of their numbers; then those that are missing. */
async function resyncStep(ctx: Context, before: ScheduleWithPlan, work: ResyncWork) {
  const indexes = await ctx.query(selectNextIndexes(ctx, before, work))
  const { updated, removed, kept, plannedFrom } = await rewriteVisits(ctx, before, indexes)
  const schedule = { ...before, plan: { ...before.plan, plannedFrom } }
  const through = schedule.status === 'active' ? schedule.generatedThrough : null
  const maxVisits = visitsPerStep - indexes.length
  const { generated, remaining } =
    through && maxVisits > 0
      ? await generateVisits(ctx, schedule, { through, maxVisits })
      : { generated: [], remaining: 0 }
  const done = work.done + indexes.length + generated.length
  const isComplete = maxVisits > 0 && remaining === 0
  const resync = {
    ...work,
    nextIndex: Math.max(work.nextIndex, ...indexes.map((index) => index + 1)),
    done,
    total: maxVisits > 0 ? done + remaining : Math.max(work.total, done),
    updated: work.updated + updated,
    created: work.created + generated.length,
    removed: work.removed + removed,
    kept: work.kept + kept,
  }
  return { schedule, resync, isComplete }
}

const isRewritten = ({ orgId }: Context, { id }: ScheduleWithPlan, from: Date) =>
  sql`org_id = ${orgId} and schedule_id = ${id} and status = 'generated' and starts_at >= ${from}`

const selectVisitsToRewrite = (ctx: Context, schedule: ScheduleWithPlan, from: Date) =>
  statement(
    sql`select coalesce(max(index), -1) as "lastIndex", count(*)::int as total from recurring_occurrences
        where ${isRewritten(ctx, schedule, from)}`,
    ([row]: { lastIndex: number; total: number }[]) => row!,
  )

const selectNextIndexes = (
  ctx: Context,
  schedule: ScheduleWithPlan,
  { from, nextIndex, lastIndex }: ResyncWork,
): Statement<number[]> =>
  statement(
    sql`select index from recurring_occurrences where ${isRewritten(ctx, schedule, new Date(from))}
          and index between ${nextIndex} and ${lastIndex} order by index limit ${visitsPerStep}::int`,
    (rows: { index: number }[]) => rows.map(({ index }) => index),
  )

/** Before the progress, which leaves what is pending due as it is. */
async function savePending(ctx: Context, { id }: ScheduleWithPlan, work: PendingWork, lease: Lease): Promise<boolean> {
  const isPending = Object.keys(work).length > 0
  await ctx.query(updatePending(ctx, id, isPending ? work : null, lease))
  return isPending
}

const updatePending = ({ orgId }: Context, scheduleId: string, work: PendingWork | null, lease: Lease) =>
  statement(
    sql`update recurring_schedules set pending_work = ${work && JSON.stringify(work)}::jsonb,
          due_at = ${work === null ? sql`due_at` : sql`now() + ${lease}::text::interval`}
        where org_id = ${orgId} and id = ${scheduleId}`,
    () => {},
  )
