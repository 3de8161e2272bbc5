// What came to be after the file of its days was made, and is in none: invoices that were sent late, payments that were recorded late.
import { type Sql, sql } from '../../db/database.ts'
import type { EarlierRecords } from '../../domain/books/told.ts'
import type { Context, Statement } from '../../operations/operation.ts'
import { periodCtes } from '../reports/period.ts'
import { isNewToBooks } from './book-changes.ts'
import { type BooksQuery, maxDays } from './books.ts'
import type { ExportKind } from './record.ts'

/**
 * Since the first file of its kind, and within a year: what a shop did before it gave its books out here is its history. Null where
 * there are none.
 */
export const selectEarlier = (
  ctx: Context,
  query: Pick<BooksQuery, 'kind' | 'from' | 'to'>,
): Statement<EarlierRecords | null> => ({
  sql: sql`
    with ${periodCtes(ctx.orgId, query, maxDays)},
    first_file as (select greatest(created_at, now() - interval '1 year') as made from exports
      where org_id = ${ctx.orgId} and kind = ${query.kind} order by created_at, id limit 1),
    late as (${lateRecords[query.kind](ctx)})
    select count(*)::int as count, to_char(min(late.moment) at time zone min(zone), 'YYYY-MM-DD') as "from"
    from late, period`,
  connection: 'slow',
  decode: ([row]: EarlierRecords[]) => (row!.count > 0 ? row! : null),
})

const lateRecords: Readonly<Record<ExportKind, (ctx: Context) => Sql>> = {
  invoices: (ctx) => sql`
    select record.issued_at as moment from period, first_file, invoices record
    where record.org_id = ${ctx.orgId} and record.status = 'sent' and record.sent_at >= made and record.issued_at < since
      and ${isNewToBooks(ctx, 'invoices', 'all')}`,
  // Those that were recorded since, and those of before whose invoice was not sent yet: no file holds a payment of a draft.
  payments: (ctx) => sql`
    ${latePayments(ctx, sql`invoices`, sql`invoices.status = 'sent' and record.created_at >= made`)}
    union all ${latePayments(ctx, sql`(${invoicesSentLate(ctx)})`, sql`record.created_at < made`)}`,
}

const latePayments = (ctx: Context, invoices: Sql, isLate: Sql): Sql => sql`
  select record.paid_at as moment from period, first_file,
    payments record join ${invoices} invoices on invoices.org_id = ${ctx.orgId} and invoices.id = record.invoice_id
  where record.org_id = ${ctx.orgId} and ${isLate} and record.paid_at < since and ${isNewToBooks(ctx, 'payments', 'all')}`

/** Written before the first file and sent since: few. Found first, or the invoice of every payment of old would be looked at. */
const invoicesSentLate = ({ orgId }: Context): Sql => sql`
  select org_id, id from invoices, first_file where org_id = ${orgId} and status = 'sent' and not booked_elsewhere
    and sent_at >= made and created_at < made offset 0`
