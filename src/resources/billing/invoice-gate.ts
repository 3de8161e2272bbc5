// The gate of invoicing: a job with open invoice forms is not invoiced yet.
import { sql } from '../../db/database.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { formGateInvoice } from '../forms/gate-conflicts.ts'

/** A job that is gone blocks nothing. */
export async function refuseOpenInvoiceForms(ctx: Context, ...candidateIds: readonly (string | null)[]): Promise<void> {
  const ticketIds = candidateIds.filter((ticketId) => ticketId !== null)
  if (ticketIds.length === 0) return
  const outstanding = await ctx.query(countOpenInvoiceForms(ctx, ticketIds))
  if (outstanding > 0) throw formGateInvoice({ outstanding })
}

/** The jobs are locked, so that forms counted now are still those when the invoice is written. */
const countOpenInvoiceForms = ({ orgId }: Context, ticketIds: readonly string[]): Statement<number> =>
  statement(
    sql`select open_invoice_form_count as open from tickets where org_id = ${orgId} and id = any(${ticketIds})
        order by id for share`,
    (rows: { open: number }[]) => rows.reduce((sum, { open }) => sum + open, 0),
  )
