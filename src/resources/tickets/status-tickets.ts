// The jobs of a status whose stage changes: they are started, closed or open again from then on, if their forms allow it.
import { sql } from '../../db/database.ts'
import { blockingGateOfAny, type OpenForms, type Stage } from '../../domain/gates.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { formGateRestage } from '../forms/gate-conflicts.ts'

/** As many as a refusal names. */
const maxNamed = 100

/** Who changes the stage of a status moves its jobs, and passes no gate that a move of each would not pass. */
export async function refuseGatedRestage(ctx: Context, statusId: string, stage: Stage): Promise<void> {
  const blocking = blockingGateOfAny(stage, await ctx.query(lockTicketsWithForms(ctx, statusId)))
  if (!blocking) return
  const { gate, outstanding, blocked } = blocking
  throw formGateRestage({ gate, outstanding, ticketIds: blocked.slice(0, maxNamed).map(({ id }) => id) })
}

/** All jobs of the status are locked, so that a form that is being added is waited for and counted. */
const lockTicketsWithForms = ({ orgId }: Context, statusId: string): Statement<(OpenForms & { id: string })[]> =>
  statement(
    sql`with held as (
          select id, open_start_form_count, open_completion_form_count, open_invoice_form_count from tickets
          where org_id = ${orgId} and status_id = ${statusId} order by id for no key update)
        select id, open_start_form_count as "openStartFormCount", open_completion_form_count as "openCompletionFormCount",
          open_invoice_form_count as "openInvoiceFormCount"
        from held where open_start_form_count + open_completion_form_count > 0 order by id`,
    (rows: (OpenForms & { id: string })[]) => rows,
  )

export const restageTickets = ({ orgId }: Context, statusId: string, stage: Stage): Statement<void> =>
  statement(
    sql`update tickets set closed_at = ${stage === 'closed' ? sql`least(closed_at, now())` : null}, updated_at = now()
        where org_id = ${orgId} and status_id = ${statusId} and (closed_at is null) = (${stage} = 'closed')`,
    () => {},
  )
