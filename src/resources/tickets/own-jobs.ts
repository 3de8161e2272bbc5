// Members who work on their own jobs: what they may write of jobs, of the calendar and of prices.
import { sql } from '../../db/database.ts'
import { mayWriteJob } from '../../domain/roles.ts'
import type { Caller } from '../../operations/caller.ts'
import { ApiError, notFound } from '../../operations/errors.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'

type CallerContext = Pick<Context, 'caller'>

/** No key and no app is ever held to somebody's jobs, so these codes are not among those of the API. */
const refusal = (message: string, code: 'job_of_another' | 'price_not_allowed') => new ApiError(403, message, { code })

const mayWrite = ({ onlyJobsOf }: Caller, assignee: string | null) => mayWriteJob(onlyJobsOf, assignee)

/** To be asked once the job is locked: it may have been given to somebody else a moment ago. */
export function refuseJobOfAnother({ caller }: CallerContext, assignedTechnician: string | null): void {
  if (mayWrite(caller, assignedTechnician)) return
  throw refusal('The job is assigned to somebody else; ask a manager to assign it to you', 'job_of_another')
}

export function refuseEventOfAnother({ caller }: CallerContext, assignedToId: string | null): void {
  if (mayWrite(caller, assignedToId)) return
  throw refusal('The event is somebody else’s; ask a manager to change it', 'job_of_another')
}

/** They take jobs and give them back, but hand none to others. Undefined: the assignee stays. */
export function refuseAssigningAnother({ caller }: CallerContext, assignee: string | null | undefined): void {
  if (mayWrite(caller, assignee ?? null)) return
  throw refusal(
    'You can assign a job to yourself or to nobody; ask a manager to assign it to somebody else',
    'job_of_another',
  )
}

/** Undefined values are those that stay as they are. */
export function refusePrices({ caller }: CallerContext, prices: Readonly<Record<string, unknown>>): void {
  if (caller.onlyJobsOf === undefined) return
  const given = Object.keys(prices).find((name) => prices[name] !== undefined)
  if (given === undefined) return
  throw refusal(`${given} is set by managers; leave it out, or ask a manager to set it`, 'price_not_allowed')
}

/**
 * Holds a job until the transaction ends and refuses one of somebody else. For statements that otherwise need no lock: those
 * who are not held to their own jobs have nothing to wait for.
 */
export const ownJobOnly = (ctx: Pick<Context, 'orgId' | 'caller'>, ticketId: string): Statement<void> | undefined =>
  ctx.caller.onlyJobsOf === undefined
    ? undefined
    : statement(
        sql`select assigned_technician as assignee from tickets where org_id = ${ctx.orgId} and id = ${ticketId} for share`,
        ([job]: { assignee: string | null }[]) => {
          if (!job) throw notFound('job')
          refuseJobOfAnother(ctx, job.assignee)
        },
      )
