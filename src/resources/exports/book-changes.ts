// What the books hold, and what became of it since: gone, or another amount. It is told with the next file of its kind, once.
import { raw, type Sql, sql } from '../../db/database.ts'
import type { ChangedRecord, WithdrawnRecord } from '../../domain/books/told.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import type { ExportKind } from './record.ts'

/** What is more than that is told with the file after it. */
const maxTold = 1_000

type Org = Pick<Context, 'orgId'>

/** PostgreSQL would read all that was ever given out for the few records of a period; for those of a year that is the faster way. */
const lookups = { one: sql`offset 0`, all: sql`` }

/** Whether `record` is in no books yet: it was not brought with them, and no file held it that it was not taken out of since. */
export const isNewToBooks = ({ orgId }: Org, kind: ExportKind, lookup: keyof typeof lookups): Sql =>
  sql`not record.booked_elsewhere and not exists (${heldRows(orgId, kind, raw('record.id'))} ${lookups[lookup]})`

/** Whether it will be taken out by the next file, which then gives it out anew. */
export const willBeNewToBooks = ({ orgId }: Org, kind: ExportKind): Sql =>
  sql`not record.booked_elsewhere and exists (select from book_changes gone where gone.org_id = ${orgId}
    and gone.kind = ${kind} and gone.record_id = record.id and gone.is_gone)`

const heldRows = (orgId: string, kind: ExportKind, id: Sql): Sql =>
  sql`select number, amount, true as is_held from exported_records held where held.org_id = ${orgId} and held.record_id = ${id}
      and held.kind = ${kind} and held.taken_out_at is null`

export interface BookChanges {
  readonly withdrawn: readonly WithdrawnRecord[]
  readonly changed: readonly ChangedRecord[]
}

/**
 * Changes are taken before the records are looked at, each by a statement of its own: whoever changes one in between notes it
 * anew, for the next file. So is one left for it that somebody is at: who waited, with the organisation locked, could wait for each other.
 */
export async function takeBookChanges(ctx: Context, kind: ExportKind): Promise<BookChanges> {
  await ctx.query(forgetUnbooked(ctx, kind))
  const taken = await ctx.query(takeChanges(ctx, kind))
  if (taken.length === 0) return { withdrawn: [], changed: [] }
  const found = await ctx.query(selectFound(ctx, kind, taken))
  const withdrawn = found.filter(({ isGone }) => isGone).map(({ id, number }) => ({ id, number }))
  const changed = found.flatMap(({ isGone, id, number, before, after, currency }) =>
    isGone ? [] : [{ id, number, before, after: after!, currency: currency! }],
  )
  await ctx.query(takeOut(ctx, kind, withdrawn))
  await ctx.query(correctAmounts(ctx, kind, changed))
  return { withdrawn, changed }
}

/**
 * What was noted of records that are in no books, so that it does not keep what is to be told waiting. As an array: PostgreSQL would
 * look for all of them anew for each of them.
 */
const forgetUnbooked = ({ orgId }: Context, kind: ExportKind): Statement<void> =>
  statement(
    sql`delete from book_changes where org_id = ${orgId} and kind = ${kind} and record_id = any(array(
          select record_id from book_changes noted where org_id = ${orgId} and kind = ${kind} and not was_booked
            and not exists (${heldRows(orgId, kind, raw('noted.record_id'))} offset 0)
          for update skip locked))`,
    () => {},
  )

interface TakenChange {
  readonly id: string
  readonly number: string | null
  /** A decimal, in full. */
  readonly amount: string
  readonly was_booked: boolean
  readonly is_gone: boolean
  readonly noted_at: Date
}

const takeChanges = ({ orgId }: Context, kind: ExportKind): Statement<TakenChange[]> =>
  statement(
    sql`delete from book_changes where org_id = ${orgId} and kind = ${kind} and record_id = any(array(
          select record_id from book_changes where org_id = ${orgId} and kind = ${kind}
          order by noted_at, record_id limit ${maxTold}::int for update skip locked))
        returning record_id as id, number, amount, was_booked, is_gone, noted_at`,
    (rows: TakenChange[]) => rows,
  )

interface FoundChange extends WithdrawnRecord {
  readonly isGone: boolean
  readonly before: number
  /** Null where it is gone. */
  readonly after: number | null
  readonly currency: string | null
}

/**
 * What came back to the amount that the books have is not told. Nor is a payment without a number: its invoice is. Nor what is in no
 * books: somebody may have changed it since such were forgotten.
 */
const selectFound = ({ orgId }: Context, kind: ExportKind, taken: readonly TakenChange[]): Statement<FoundChange[]> =>
  statement(
    sql`select id, number, "isGone", before::float8 as before, after::float8 as after, currency from (
          select taken.id, coalesce(held.number, taken.number) as number, taken.is_gone as "isGone", noted_at,
            coalesce(held.amount, taken.amount) as before, record.amount as after, record.currency
          from jsonb_to_recordset(${JSON.stringify(taken)}::jsonb)
            as taken (id text, number text, amount numeric, was_booked boolean, is_gone boolean, noted_at timestamptz)
          left join (${recordsOf[kind](orgId)}) record on record.id = taken.id
          left join lateral (${heldRows(orgId, kind, raw('taken.id'))} order by held.export_id desc limit 1) held on true
          where taken.was_booked or held.is_held
        ) found where number is not null and ("isGone" or after <> before) order by noted_at desc, id`,
    (rows: FoundChange[]) => rows,
  )

const recordsOf: Readonly<Record<ExportKind, (orgId: string) => Sql>> = {
  invoices: (orgId) => sql`select id, total as amount, currency from invoices where org_id = ${orgId}`,
  payments: (orgId) => sql`select payments.id, payments.amount, invoices.currency
    from payments join invoices on invoices.org_id = ${orgId} and invoices.id = payments.invoice_id
    where payments.org_id = ${orgId}`,
}

/** From now on the books have what was told. */
const correctAmounts = ({ orgId }: Context, kind: ExportKind, changed: readonly ChangedRecord[]): Statement<void> =>
  statement(
    sql`update exported_records set amount = told.after
        from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as told (id text, after numeric)
        where org_id = ${orgId} and exported_records.kind = ${kind} and record_id = told.id and taken_out_at is null`,
    () => {},
  )

const takeOut = ({ orgId }: Context, kind: ExportKind, withdrawn: readonly WithdrawnRecord[]): Statement<void> =>
  statement(
    sql`update exported_records set taken_out_at = now()
        where org_id = ${orgId} and kind = ${kind} and record_id = any(${withdrawn.map(({ id }) => id)}) and taken_out_at is null`,
    () => {},
  )

/** What was told as gone before, and is in no books since. */
export const selectTakenOut = ({ orgId }: Context, kind: ExportKind): Statement<WithdrawnRecord[]> => ({
  sql: sql`
    select id, number from (
      select record_id as id, max(coalesce(record.number, invoice_number)) as number, max(taken_out_at) as taken_out_at
      from (select record_id, number, taken_out_at from exported_records
          where org_id = ${orgId} and kind = ${kind} and taken_out_at is not null) record
        left join invoices on invoices.org_id = ${orgId} and invoices.id = record.record_id
      where not exists (${heldRows(orgId, kind, raw('record.record_id'))} offset 0)
      group by record_id
    ) gone where number is not null order by taken_out_at desc, id limit ${maxTold}::int`,
  connection: 'slow',
  decode: (rows: WithdrawnRecord[]) => rows,
})
