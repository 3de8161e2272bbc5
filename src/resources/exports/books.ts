// What goes into a file for the bookkeeper: one statement that reads a period, and the file that is made of it, or a refusal.
import { raw, type Sql, sql } from '../../db/database.ts'
import type { BookedInvoice, BookedPayment } from '../../domain/books/booked.ts'
import { fiscalYearOf } from '../../domain/books/datev.ts'
import { invoiceFiles, paymentFiles } from '../../domain/books/files.ts'
import type { BookSettings } from '../../domain/books/settings.ts'
import { toWindows1252 } from '../../domain/books/windows-1252.ts'
import { addDays } from '../../domain/wall-clock.ts'
import { Attachment } from '../../operations/answers.ts'
import { badRequest, conflictCode } from '../../operations/errors.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { type PeriodQuery, type PeriodRow, periodColumns, periodCtes, refusePeriod } from '../reports/period.ts'
import { isNewToBooks, willBeNewToBooks } from './book-changes.ts'
import type { ExportKind } from './record.ts'

export type FileFormat = keyof typeof invoiceFiles

export interface BooksQuery extends Pick<PeriodQuery, 'from' | 'to'> {
  readonly kind: ExportKind
  readonly format: FileFormat
  /** Leaves out what an earlier file held, and what was brought with its books. */
  readonly onlyNew: boolean
}

/** A file as it is downloaded. */
export interface BookFile extends Omit<PeriodRow, 'timeZone'> {
  readonly kind: ExportKind
  readonly format: FileFormat
  readonly content: Uint8Array
}

export interface Books extends BookFile {
  readonly records: readonly GivenRecord[]
}

/** As the books have it from then on. */
export interface GivenRecord {
  readonly id: string
  readonly number: string
  readonly amount: number
}

export const exportIncomplete = conflictCode(
  'EXPORT_INCOMPLETE',
  'The format needs settings that are not there, or do not fit each other; data.missing names them, set them with PUT on the organisation. Of the taxes that it names, all need their key but the one that the account knows by itself.',
  t.Object({ missing: t.Array(t.String(), { examples: [['organisation.accounting.salesAccount']] }) }),
)

/** A year and a day more. */
export const maxDays = 367
/** More than a program takes at once. */
const maxRecords = 2_000
/** Of all lines together: a file is made in one go, and a large one would keep everybody's requests waiting. */
const maxLineCharacters = 1_000_000

interface BooksRow<One> extends PeriodRow {
  readonly accounting: BookSettings | null
  readonly currency: string
  readonly writtenAt: string
  /** How many there are, and those of them that fit. */
  readonly count: number
  readonly records: readonly One[]
}

const day = (column: string) => `to_char(${column} at time zone zone, 'YYYY-MM-DD')`

/** `alsoNew` says what else is new than what is in no books. */
export function selectBooks(
  { orgId }: Pick<Context, 'orgId'>,
  query: BooksQuery,
  alsoNew: Sql = sql`false`,
): Statement<Books> {
  const { kind } = query
  const isNew = query.onlyNew ? sql`(${isNewToBooks({ orgId }, kind, 'one')}) or (${alsoNew})` : sql`true`
  return {
    sql: sql`
      with ${periodCtes(orgId, query, maxDays)}
      select ${periodColumns}, (select accounting from organisations where org_id = ${orgId}) as accounting,
        (select currency from shop) as currency,
        to_char(now() at time zone zone, 'YYYYMMDDHH24MISSMS') as "writtenAt",
        found.*
      from period, lateral (
        select count(*)::int as count,
          coalesce(json_agg(one) filter (where characters <= ${maxLineCharacters}::int), '[]') as records
        from (${
          kind === 'invoices'
            ? withCharacters(invoicesOf(orgId, isNew), raw('length(lines::text)'))
            : withCharacters(paymentsOf(orgId, isNew), raw('0'))
        }) one
      ) found`,
    connection: 'slow',
    decode: ([row]: BooksRow<never>[]) => makeBooks(row!, query),
  }
}

/** How long the lines are, up to each of them. Outside of the limit: only what it lets through is looked at. */
const withCharacters = (records: Sql, length: Sql): Sql =>
  sql`select record.*, sum(${length}) over (rows unbounded preceding) as characters from (${records}) record`

const invoicesOf = (orgId: string, isNew: Sql) => sql`
  select record.id, record.invoice_number as number, ${raw(day('record.issued_at'))} as "issuedOn",
    ${raw(day('record.due_at'))} as "dueOn", record.title, record.customer_name as "customerName",
    record.customer_email as "customerEmail", record.currency, record.line_items as lines, record.discount,
    record.subtotal, record.discount_total as "discountTotal", record.net_total as "netTotal",
    record.tax_total as "taxTotal", record.total, record.amount_paid as "amountPaid", record.balance
  from invoices record
  where record.org_id = ${orgId} and record.status = 'sent' and record.issued_at >= since and record.issued_at < until
    and (${isNew})
  order by record.issued_at, record.id limit ${maxRecords + 1}::int`

const paymentsOf = (orgId: string, isNew: Sql) => sql`
  select record.id, ${raw(day('record.paid_at'))} as "paidOn", invoices.invoice_number as "invoiceNumber",
    invoices.customer_name as "customerName", invoices.currency, record.amount, record.payment_method as "paymentMethod"
  from payments record join invoices on invoices.org_id = ${orgId} and invoices.id = record.invoice_id
  where record.org_id = ${orgId} and invoices.status = 'sent' and record.paid_at >= since and record.paid_at < until
    and (${isNew})
  order by record.paid_at, record.id limit ${maxRecords + 1}::int`

function makeBooks(row: BooksRow<BookedInvoice & BookedPayment>, { kind, format }: BooksQuery): Books {
  const { from, to, count, records, currency, writtenAt } = row
  refusePeriod(row, maxDays)
  if (count > maxRecords) {
    throw badRequest(
      `from and to hold more than ${maxRecords} ${kind}, which is all that one file takes; choose a shorter period, and make several files`,
    )
  }
  if (records.length < count) {
    throw badRequest(
      `from and to hold ${kind} whose lines have more text together than one file takes; choose a shorter period, and make several files`,
    )
  }
  const settings = row.accounting ?? {}
  const file = kind === 'invoices' ? invoiceFiles[format] : paymentFiles[format as keyof typeof paymentFiles]
  if (!file) throw badRequest(`format must be one of ${Object.keys(paymentFiles).join(', ')} for payments`)
  const missing = file.missing(settings, records)
  if (missing.length > 0) throw exportIncomplete({ missing: [...missing] })
  const yearStart = settings.datev?.fiscalYearStart
  if (format === 'datev' && fiscalYearOf(from, yearStart) !== fiscalYearOf(to, yearStart)) {
    const nextYear = fiscalYearOf(to, yearStart)
    throw badRequest(
      `from and to must lie in one fiscal year, since a file for DATEV holds no more: make one up to ${addDays(nextYear, -1)} and one from ${nextYear} on`,
    )
  }
  const text = file.text(records, settings, { from, to, writtenAt, currency })
  const content = file.encoding === 'windows-1252' ? toWindows1252(text) : Buffer.from(text)
  return { kind, format, from, to, records: records.map(given), content }
}

/** A payment goes by the number of its invoice. */
const given = ({ id, number, invoiceNumber, total, amount }: BookedInvoice & BookedPayment): GivenRecord => ({
  id,
  number: number ?? invoiceNumber,
  amount: total ?? amount,
})

export function booksFile({ kind, format, from, to, content }: BookFile): Attachment {
  const isForDatev = format === 'datev'
  return new Attachment(
    `${isForDatev ? 'EXTF_' : ''}${kind}-${format}-${from}-${to}.csv`,
    `text/csv; charset=${isForDatev ? 'windows-1252' : 'utf-8'}`,
    async () => content,
  )
}

/** The same for a preview, which nobody remembers. */
export const previewBooks = (ctx: Context, query: BooksQuery): Statement<Attachment> => {
  const { decode, ...rest } = selectBooks(ctx, query, willBeNewToBooks(ctx, query.kind))
  return { ...rest, decode: (rows) => booksFile(decode(rows)) }
}

/** The file as it was, of an export that is remembered. */
export const selectFile = ({ orgId }: Context, exportId: string): Statement<BookFile | undefined> =>
  statement(
    sql`select kind, format, to_char(first_day, 'YYYY-MM-DD') as "from", to_char(last_day, 'YYYY-MM-DD') as "to", content
        from exports where org_id = ${orgId} and id = ${exportId}`,
    ([row]: BookFile[]) => row,
  )
