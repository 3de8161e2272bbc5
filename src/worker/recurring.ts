// Makes the jobs of recurring visits when they come near, resumes what was paused until now, and ends what is over.
import { setActor } from '../db/actor.ts'
import { type Database, type Queryable, sql } from '../db/database.ts'
import { backgroundWork } from '../fairness/tenant.ts'
import { serializeError } from '../http/log-error.ts'
import { actorFor, createContext, noDependencies } from '../operations/context.ts'
import type { Context } from '../operations/operation.ts'
import { horizonOf, resume } from '../resources/recurring/actions.ts'
import { markEnded } from '../resources/recurring/changes.ts'
import { type GeneratedJob, generateVisits, saveProgress } from '../resources/recurring/generation.ts'
import { continueWork, visitsPerStep } from '../resources/recurring/pending-work.ts'
import { lockSchedule, type ScheduleWithPlan } from '../resources/recurring/schedule-plan.ts'
import { takeTurns } from './fair-turns.ts'
import { toStepFailure } from './step-failure.ts'
import type { Log } from './task.ts'

export interface RecurringRun {
  readonly generated: number
  readonly resumed: number
  readonly ended: number
  /** Schedules that could not be worked on; they are retried an hour later, or in minutes if locks of others were in the way. */
  readonly failed: number
  readonly transactions: number
  /** How long the longest of them took, and so held its locks. */
  readonly maxTransactionMs: number
}

interface RunOptions {
  /** The time to go by, if not the database's. */
  readonly now?: Date | undefined
  /** One organisation alone. */
  readonly orgId?: string | undefined
  isStopped?(): boolean
  readonly log?: Log | undefined
}

/** Everything that is due, one schedule and a few visits at a time; several processes may do this at once. */
export async function runRecurring(database: Database, options: RunOptions = {}): Promise<RecurringRun> {
  const run = { generated: 0, resumed: 0, ended: 0, failed: 0, transactions: 0, maxTransactionMs: 0 }
  await takeTurns({
    maxConcurrent: 2, // one organisation may have to wait for its turn, which must not hold up the others
    isStopped: () => options.isStopped?.() ?? false,
    async findOrgs() {
      const rows = await database.background<{ orgId: string }>(sql`
        select distinct org_id as "orgId" from recurring_schedules
        where ${isDue(options)} and (${options.orgId}::text is null or org_id = ${options.orgId})`)
      return rows.map(({ orgId }) => orgId)
    },
    async serve(orgId) {
      const startedAt = performance.now()
      const step = await runStep(database, orgId, options)
      if (!step) return false
      run.generated += step.generated
      run.resumed += Number(step.isResumed)
      run.ended += Number(step.isEnded)
      run.failed += Number(step.isFailed)
      run.transactions++
      run.maxTransactionMs = Math.max(run.maxTransactionMs, Math.round(performance.now() - startedAt))
      return true
    },
  })
  return run
}

const isDue = ({ now }: RunOptions) => sql`due_at <= coalesce(${now}::timestamptz, now())`

interface Step {
  readonly generated: number
  readonly isResumed: boolean
  readonly isEnded: boolean
  readonly isFailed: boolean
}

const noProgress: Step = { generated: 0, isResumed: false, isEnded: false, isFailed: false }

async function runStep(database: Database, orgId: string, options: RunOptions): Promise<Step | undefined> {
  let due: DueSchedule | undefined
  try {
    return await database.longWorkStep(
      orgId,
      async (transaction) => {
        due = await lockDueSchedule(transaction, orgId, options)
        if (!due) return undefined
        const ctx = scheduleContext(transaction, due)
        await transaction.query(setActor(actorFor(ctx.caller), 'transaction'))
        const schedule = await ctx.query(lockSchedule(ctx, due.id))
        const step = await processSchedule(ctx, { ...schedule, now: due.now })
        // Nothing was done although it was due: it must not be picked for ever.
        if (step === noProgress) await transaction.query(postpone(due, false))
        return step
      },
      { isAwaited: false },
    )
  } catch (error) {
    const { kind, cause } = toStepFailure(error)
    if (kind === 'notYet') return undefined
    if (!due || kind === 'away') throw error
    options.log?.error(
      { err: serializeError(cause), orgId: due.orgId, scheduleId: due.id },
      'a recurring schedule failed',
    )
    await database.write(backgroundWork(orgId), postpone(due, true, retryDelays[kind]))
    return { ...noProgress, isFailed: true }
  }
}

interface DueSchedule {
  readonly orgId: string
  readonly id: string
  readonly now: Date
}

/** What somebody else is working on is passed over. */
async function lockDueSchedule(
  transaction: Queryable,
  orgId: string,
  options: RunOptions,
): Promise<DueSchedule | undefined> {
  const [due] = await transaction.query<DueSchedule>(sql`
    select org_id as "orgId", id, coalesce(${options.now}::timestamptz, now()) as now from recurring_schedules
    where org_id = ${orgId} and ${isDue(options)} order by due_at limit 1 for update skip locked`)
  return due
}

const retryDelays = { busy: '5 minutes', failed: '1 hour' }

/** Some time later, unless it has come to be due at another time by itself. */
const postpone = ({ orgId, id, now }: DueSchedule, hasFailed: boolean, delay = retryDelays.failed) => sql`
  update recurring_schedules set due_at = greatest(${now}::timestamptz, now()) + ${delay}::text::interval
  where org_id = ${orgId} and id = ${id} and (${hasFailed} or due_at <= ${now}::timestamptz)`

/** Jobs are made in the schedule's name, unless somebody else's is given. */
const scheduleContext = (
  transaction: Queryable,
  { orgId, id }: { orgId: string; id: string },
  name = 'Recurring schedule',
): Context =>
  createContext(transaction, { orgId, kind: 'schedule', credentialId: id, name, scopes: new Set() }, noDependencies)

async function processSchedule(ctx: Context, schedule: ScheduleWithPlan): Promise<Step> {
  if (schedule.pendingWork) {
    const { generated, ended } = await continueWork(ctx, schedule)
    return { ...noProgress, generated: generated.length, isEnded: ended !== undefined }
  }
  if (schedule.status === 'paused') {
    await resume(ctx, schedule, schedule.resumesAt ?? schedule.now)
    return { ...noProgress, isResumed: true }
  }
  const through = horizonOf(schedule)
  const { generated, remaining } = await generateVisits(ctx, schedule, { through, maxVisits: visitsPerStep })
  const { isOver } = await saveProgress(ctx, schedule, { generatedThrough: remaining === 0 ? through : null })
  if (isOver) await markEnded(ctx, schedule, schedule.now)
  return generated.length === 0 && !isOver
    ? noProgress
    : { ...noProgress, generated: generated.length, isEnded: isOver }
}

interface GenerateRequest {
  readonly orgId: string
  readonly scheduleId: string
  readonly by: { readonly id: string; readonly name: string }
}

/** The visits of one schedule up to its horizon, in a transaction that somebody else has opened. */
export async function generateNow(
  transaction: Queryable,
  { orgId, scheduleId, by }: GenerateRequest,
): Promise<GeneratedJob[]> {
  const ctx = scheduleContext(transaction, { orgId, id: by.id }, by.name)
  const schedule = await ctx.query(lockSchedule(ctx, scheduleId))
  const through = horizonOf(schedule)
  const { generated } = await generateVisits(ctx, schedule, { through })
  await saveProgress(ctx, schedule, { generatedThrough: through })
  return generated
}
