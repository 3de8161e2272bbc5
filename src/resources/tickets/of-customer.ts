// A customer's jobs, held while their customer is about to be deleted.
import { type Context, type Statement, statement } from '../../api/operation.ts'
import { sql } from '../../database.ts'
import type { OpenForms } from '../../domain/gates.ts'

export interface HeldTicket extends OpenForms {
  readonly id: string
}

export const ticketsOf = ({ orgId }: Context, customerId: string): Statement<HeldTicket[]> =>
  statement(
    sql`select id, open_start_form_count as "openStartFormCount", open_completion_form_count as "openCompletionFormCount",
          open_invoice_form_count as "openInvoiceFormCount"
        from tickets where org_id = ${orgId} and customer_id = ${customerId} order by id for update`,
    (rows: HeldTicket[]) => rows,
  )
