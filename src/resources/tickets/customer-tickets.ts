// A customer's jobs, locked while their customer is about to be deleted.
import { sql } from '../../db/database.ts'
import type { OpenForms } from '../../domain/gates.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'

export interface TicketOpenForms extends OpenForms {
  readonly id: string
}

export const lockTicketsOfCustomer = ({ orgId }: Context, customerId: string): Statement<TicketOpenForms[]> =>
  statement(
    sql`select id, open_start_form_count as "openStartFormCount", open_completion_form_count as "openCompletionFormCount",
          open_invoice_form_count as "openInvoiceFormCount"
        from tickets where org_id = ${orgId} and customer_id = ${customerId} order by id for update`,
    (rows: TicketOpenForms[]) => rows,
  )
