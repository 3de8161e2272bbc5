// Makes the jobs of recurring visits when they come near, resumes what was paused until now, and ends what is over.
import { contextOf, plainSurroundings } from '../api/context.ts'
import type { Context } from '../api/operation.ts'
import { type Database, type Executor, sql, Unavailable } from '../database.ts'
import { ended, horizonOf, resume } from '../resources/recurring/actions.ts'
import { type Generated, generateVisits, settle } from '../resources/recurring/generation.ts'
import { type HeldSchedule, heldSchedule } from '../resources/recurring/held.ts'

/** Few enough that nobody waits for a job number much longer than for any other job. */
const visitsAtOnce = 16

interface Log {
  info(facts: object, text: string): void
  error(facts: object, text: string): void
}

export interface Run {
  readonly generated: number
  readonly resumed: number
  readonly ended: number
  /** Schedules that could not be worked on; they are tried again an hour later, or in minutes if others held them up. */
  readonly failed: number
  readonly transactions: number
  /** How long the longest of them took, and so held what it held. */
  readonly longestMs: number
}

interface Wish {
  /** The time to go by, if not the database's. */
  readonly now?: Date | undefined
  /** One organisation alone. */
  readonly orgId?: string | undefined
  isStopped?(): boolean
  readonly log?: Log | undefined
}

/** Everything that is due, one schedule and a few visits at a time; several processes may do this at once. */
export async function runRecurring(database: Database, wish: Wish = {}): Promise<Run> {
  const run = { generated: 0, resumed: 0, ended: 0, failed: 0, transactions: 0, longestMs: 0 }
  while (!wish.isStopped?.()) {
    const begun = performance.now()
    const step = await takeStep(database, wish)
    if (!step) break
    run.generated += step.generated
    run.resumed += Number(step.isResumed)
    run.ended += Number(step.isEnded)
    run.failed += Number(step.isFailed)
    run.transactions++
    run.longestMs = Math.max(run.longestMs, Math.round(performance.now() - begun))
  }
  return run
}

interface Step {
  readonly generated: number
  readonly isResumed: boolean
  readonly isEnded: boolean
  readonly isFailed: boolean
}

const nothingDone: Step = { generated: 0, isResumed: false, isEnded: false, isFailed: false }

async function takeStep(database: Database, wish: Wish): Promise<Step | undefined> {
  let picked: Picked | undefined
  try {
    return await database.transaction(async (transaction) => {
      picked = await pick(transaction, wish)
      if (!picked) return undefined
      const ctx = actingFor(transaction, picked)
      const schedule = await ctx.ask(heldSchedule(ctx, picked.id))
      const step = await act(ctx, { ...schedule, now: picked.now })
      // Nothing was done although it was due: it must not be picked for ever.
      if (step === nothingDone) await transaction.query(postponed(picked, false))
      return step
    })
  } catch (error) {
    const cause = error instanceof Unavailable ? error.cause : error
    const isBusy = busyCodes.has((cause as { code?: string } | undefined)?.code ?? '')
    if (!picked || (error instanceof Unavailable && !isBusy)) throw error
    wish.log?.error({ err: told(cause), orgId: picked.orgId, scheduleId: picked.id }, 'a recurring schedule failed')
    await database.write(postponed(picked, true, isBusy ? waits.busy : waits.failed))
    return { ...nothingDone, isFailed: true }
  }
}

interface Picked {
  readonly orgId: string
  readonly id: string
  readonly now: Date
}

/** What somebody else is working on is passed over. */
async function pick(transaction: Executor, { now, orgId }: Wish): Promise<Picked | undefined> {
  const [picked] = await transaction.query<Picked>(sql`
    select org_id as "orgId", id, coalesce(${now}::timestamptz, now()) as now from recurring_schedules
    where due_at <= coalesce(${now}::timestamptz, now()) and (${orgId}::text is null or org_id = ${orgId})
    order by due_at limit 1 for update skip locked`)
  return picked
}

/** Others hold what this schedule needs: a statement or a lock took too long, or the two met in a deadlock again. */
const busyCodes = new Set(['57014', '55P03', '40P01', '40001'])
const waits = { busy: '5 minutes', failed: '1 hour' }

/** Some time later, unless it has come to be due at another time by itself. */
const postponed = ({ orgId, id, now }: Picked, hasFailed: boolean, wait = waits.failed) => sql`
  update recurring_schedules set due_at = greatest(${now}::timestamptz, now()) + ${wait}::text::interval
  where org_id = ${orgId} and id = ${id} and (${hasFailed} or due_at <= ${now}::timestamptz)`

/** Jobs are made in the schedule's name, unless somebody else's is given. */
const actingFor = (
  transaction: Executor,
  { orgId, id }: { orgId: string; id: string },
  name = 'Recurring schedule',
): Context => contextOf(transaction, { orgId, credentialId: id, name, scopes: new Set() }, plainSurroundings)

async function act(ctx: Context, schedule: HeldSchedule): Promise<Step> {
  if (schedule.status === 'paused') {
    await resume(ctx, schedule, schedule.resumesAt ?? schedule.now)
    return { ...nothingDone, isResumed: true }
  }
  const through = horizonOf(schedule)
  const { generated, isComplete } = await generateVisits(ctx, schedule, { through, most: visitsAtOnce })
  const { isOver } = await settle(ctx, schedule, { generatedThrough: isComplete ? through : null })
  if (isOver) {
    await ctx.ask(ended(ctx, schedule, schedule.now))
    await settle(ctx, { ...schedule, status: 'ended' })
  }
  return generated.length === 0 && !isOver
    ? nothingDone
    : { ...nothingDone, generated: generated.length, isEnded: isOver }
}

interface Asked {
  readonly orgId: string
  readonly scheduleId: string
  readonly by: { readonly id: string; readonly name: string }
}

/** The visits of one schedule up to its horizon, in a transaction that somebody else has opened. */
export async function generateNow(transaction: Executor, { orgId, scheduleId, by }: Asked): Promise<Generated[]> {
  const ctx = actingFor(transaction, { orgId, id: by.id }, by.name)
  const schedule = await ctx.ask(heldSchedule(ctx, scheduleId))
  const through = horizonOf(schedule)
  const { generated } = await generateVisits(ctx, schedule, { through })
  await settle(ctx, schedule, { generatedThrough: through })
  return generated
}

/** PostgreSQL's details quote the records they are about: they stay out of the log. */
function told(error: unknown): object {
  const { message, stack, code, constraint } = error as Error & Record<string, unknown>
  return { message, stack, code, constraint }
}
