// Invoices that were sent after the file of their days was made, and are in none.
import { sql } from '../../db/database.ts'
import type { EarlierInvoices } from '../../domain/books/told.ts'
import type { Context, Statement } from '../../operations/operation.ts'
import { type PeriodQuery, periodCtes } from '../reports/period.ts'
import { isNewToBooks } from './book-changes.ts'
import { maxDays } from './books.ts'

/**
 * Sent since the first file, and within a year: what a shop did before it gave its books out here is its history. Null where there
 * are none.
 */
export const selectEarlier = (
  ctx: Context,
  query: Pick<PeriodQuery, 'from' | 'to'>,
): Statement<EarlierInvoices | null> => ({
  sql: sql`
    with ${periodCtes(ctx.orgId, query, maxDays)},
    first_file as (select created_at as made from exports where org_id = ${ctx.orgId} and kind = 'invoices'
      order by created_at, id limit 1)
    select count(*)::int as count, to_char(min(record.issued_at) at time zone min(zone), 'YYYY-MM-DD') as "from"
    from period, first_file, invoices record
    where record.org_id = ${ctx.orgId} and record.status = 'sent' and record.sent_at >= made
      and record.sent_at >= now() - interval '1 year' and record.issued_at < since
      and ${isNewToBooks(ctx, 'invoices', 'all')}`,
  connection: 'slow',
  decode: ([row]: EarlierInvoices[]) => (row!.count > 0 ? row! : null),
})
