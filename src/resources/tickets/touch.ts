// Locks a job while something on it changes, and marks it as changed for `updatedAfter`.
import { sql } from '../../db/database.ts'
import { notFound } from '../../operations/errors.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { refuseJobOfAnother } from './own-jobs.ts'

export const touchTicket = (ctx: Pick<Context, 'orgId' | 'caller'>, ticketId: string): Statement<void> =>
  statement(
    sql`update tickets set updated_at = now() where org_id = ${ctx.orgId} and id = ${ticketId}
        returning assigned_technician as assignee`,
    ([job]: { assignee: string | null }[]) => {
      if (!job) throw notFound('job')
      refuseJobOfAnother(ctx, job.assignee)
    },
  )
