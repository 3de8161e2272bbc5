// The jobs of recurring visits, when their schedule takes them away or writes them anew.
import { sql } from '../../db/database.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'

/** With everything on them; they are locked, and nobody has worked on them. */
export const deleteTickets = ({ orgId }: Context, ids: readonly string[]): Statement<void> =>
  statement(sql`delete from tickets where org_id = ${orgId} and id = any(${ids})`, () => {})

export const deleteLines = ({ orgId }: Context, ticketId: string): Statement<void> =>
  statement(
    sql`with services as (delete from service_lines where org_id = ${orgId} and ticket_id = ${ticketId})
        delete from inventory_lines where org_id = ${orgId} and ticket_id = ${ticketId}`,
    () => {},
  )
