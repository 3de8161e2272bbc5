// Invoices that the books hold and that are void since: they are told with the next file of invoices, once.
import { type Sql, sql } from '../../db/database.ts'
import type { WithdrawnInvoice } from '../../domain/books/withdrawn.ts'
import type { Context, Statement } from '../../operations/operation.ts'

/** What is more than that is told with the file after it. */
const maxWithdrawn = 1_000

/** What the memory of files calls what was told as void. */
export const withdrawnKind = 'withdrawn'

/**
 * Booked is what an earlier file held, and what was brought with its books. With `offset` that is looked up invoice by invoice;
 * PostgreSQL would otherwise read all that was ever given out for the few that are void.
 */
export const selectWithdrawn = ({ orgId }: Context, onlyNew: boolean): Statement<WithdrawnInvoice[]> => ({
  sql: sql`
    select id, invoice_number as number from invoices
    where org_id = ${orgId} and status = 'void'
      and (booked_elsewhere or exists (select from exported_records held
        where held.org_id = ${orgId} and held.record_id = invoices.id and held.kind = 'invoices' offset 0))
      ${onlyNew ? untold(orgId) : sql``}
    order by voided_at desc, id limit ${maxWithdrawn}::int`,
  connection: 'slow',
  decode: (rows: WithdrawnInvoice[]) => rows,
})

const untold = (orgId: string): Sql => sql`and not exists (select from exported_records told
  where told.org_id = ${orgId} and told.record_id = invoices.id and told.kind = ${withdrawnKind})`
