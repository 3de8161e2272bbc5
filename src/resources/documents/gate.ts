// The gate of invoicing: a job with open invoice forms is not invoiced yet.
import { conflict } from '../../api/errors.ts'
import { type Context, type Statement, statement } from '../../api/operation.ts'
import { sql } from '../../database.ts'

/** A job that is gone holds nothing up. */
export async function refuseOpenInvoiceForms(ctx: Context, ...tickets: readonly (string | null)[]): Promise<void> {
  const named = tickets.filter((ticketId) => ticketId !== null)
  if (named.length === 0) return
  const outstanding = await ctx.ask(openForms(ctx, named))
  if (outstanding > 0) throw conflict('FORM_GATE_INVOICE', { outstanding })
}

/** The jobs are held, so that forms counted now are still those when the invoice is written. */
const openForms = ({ orgId }: Context, ticketIds: readonly string[]): Statement<number> =>
  statement(
    sql`select open_invoice_form_count as open from tickets where org_id = ${orgId} and id = any(${ticketIds})
        order by id for share`,
    (rows: { open: number }[]) => rows.reduce((sum, { open }) => sum + open, 0),
  )
