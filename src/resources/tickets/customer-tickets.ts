// A customer's jobs, locked while their customer is about to be deleted.
import { sql } from '../../db/database.ts'
import type { OpenForms } from '../../domain/gates.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'

export interface TicketOpenForms extends OpenForms {
  readonly id: string
}

/** All of them, or the first few. */
export const lockTicketsOfCustomer = (
  { orgId }: Context,
  customerId: string,
  maxTickets: number | null = null,
): Statement<TicketOpenForms[]> =>
  statement(
    sql`select id, open_start_form_count as "openStartFormCount", open_completion_form_count as "openCompletionFormCount",
          open_invoice_form_count as "openInvoiceFormCount"
        from tickets where org_id = ${orgId} and customer_id = ${customerId} order by id limit ${maxTickets}::int for update`,
    (rows: TicketOpenForms[]) => rows,
  )

/** Whether a customer has more jobs than so many; nothing is locked. */
export const selectHasMoreTickets = ({ orgId }: Context, customerId: string, count: number): Statement<boolean> =>
  statement(
    sql`select 1 from tickets where org_id = ${orgId} and customer_id = ${customerId} offset ${count}::int limit 1`,
    (rows) => rows.length > 0,
  )
