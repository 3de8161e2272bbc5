// Undoing: what nobody has worked on since goes, the newest first; what somebody has stays, and is named with the reason.
import { captureNothing } from '../../db/actor.ts'
import { raw, type Sql, sql } from '../../db/database.ts'
import type { Kind } from '../../domain/moving-in/kinds.ts'
import type { Change, Values } from '../../domain/moving-in/verdict.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { toCamelCase } from '../../operations/string-case.ts'
import { untilForgotten } from './account.ts'
import { tableOf } from './candidates.ts'
import { type Part, removeUnusedPart } from './parts.ts'
import { type StagedImport, updateImport } from './staged.ts'
import { attempt } from './write.ts'
import { changeRecord } from './write-record.ts'

const recordsPerStep = 50
const maxNamed = 1_000

interface Written {
  readonly position: number
  readonly kind: Kind
  readonly verdict: 'created' | 'filled'
  readonly targetId: string
  readonly changes: Readonly<Record<string, Change>> | null
  readonly writtenAt: Date
  /** Whether this import made the record that it filled. */
  readonly isOwn: boolean
}

type Outcome = { readonly undone: 'reversed' | 'kept' | 'failed'; readonly reason: string | null }

export async function undoRecords(ctx: Context, staged: StagedImport): Promise<void> {
  const batch = await ctx.query(selectWritten(ctx, staged.id))
  if (batch.length === 0) return finishUndoing(ctx, staged)
  await ctx.query(statement(captureNothing, () => {}))
  const outcomes: (Outcome & { position: number })[] = []
  for (const record of batch) {
    let outcome: Outcome = { undone: 'failed', reason: null }
    const error = await attempt(ctx, async () => {
      outcome = record.verdict === 'created' ? await remove(ctx, staged.id, record) : await restore(ctx, record)
    })
    outcomes.push({ position: record.position, ...(error ? { undone: 'failed', reason: error.message } : outcome) })
  }
  await ctx.query(storeOutcomes(ctx, staged.id, outcomes))
  await ctx.query(updateImport(ctx, staged.id, { done: staged.done + batch.length }))
}

const kept = (reason: string): Outcome => ({ undone: 'kept', reason })
const reversed: Outcome = { undone: 'reversed', reason: null }

/** As it was when it was written, and nothing leads to it: then it goes, with its parts. */
async function remove(ctx: Context, importId: string, { kind, targetId }: Written): Promise<Outcome> {
  const state = await ctx.query(selectState(ctx, importId, kind, targetId))
  if (!state) return reversed // somebody has deleted it
  if (state.isChanged) return kept('it was changed since')
  if (state.isUsed) return kept('newer records refer to it')
  const payments = kind === 'invoices' ? await ctx.query(removePayments(ctx, targetId)) : []
  await ctx.query(
    statement(sql`delete from ${raw(tableOf[kind])} where org_id = ${ctx.orgId} and id = ${targetId}`, () => {}),
  )
  if (kind === 'invoices') await ctx.query(forgetBookChanges(ctx, [targetId, ...payments]))
  return reversed
}

const removePayments = ({ orgId }: Context, invoiceId: string): Statement<string[]> =>
  statement(
    sql`delete from payments where org_id = ${orgId} and invoice_id = ${invoiceId} returning id`,
    (rows: { id: string }[]) => rows.map(({ id }) => id),
  )

/** The books have them from where they were brought: that they are not here is no news to them. */
const forgetBookChanges = ({ orgId }: Context, ids: readonly string[]): Statement<void> =>
  statement(
    sql`delete from book_changes where org_id = ${orgId} and kind in ('invoices', 'payments') and record_id = any(${ids}::text[])`,
    () => {},
  )

/** Each field by itself: what is still as it was filled becomes what it was before. */
async function restore(ctx: Context, { kind, targetId, changes, isOwn }: Written): Promise<Outcome> {
  if (isOwn) return reversed // it goes, or stays, with the record
  const now = await ctx.query(selectRecord(ctx, kind, targetId))
  if (!now) return reversed
  const entries = Object.entries(changes ?? {})
  const untouched = entries.filter(([field, { after }]) => JSON.stringify(now[field] ?? null) === JSON.stringify(after))
  if (untouched.length > 0) {
    const values = Object.fromEntries(untouched.map(([field, { before }]) => [field, before]))
    await changeRecord(ctx, kind, targetId, values)
  }
  const touched = entries.filter((entry) => !untouched.includes(entry)).map(([field]) => field)
  return touched.length > 0 ? kept(`${touched.join(', ')} changed since`) : reversed
}

async function finishUndoing(ctx: Context, staged: StagedImport): Promise<void> {
  for (const part of staged.parts) await ctx.query(removeUnusedPart(ctx, part as Part))
  const undo = await ctx.query(countUndone(ctx, staged.id))
  await ctx.query(updateImport(ctx, staged.id, { undo, status: 'undone', ...untilForgotten }))
}

/** What else leads to a record; what was brought with it is undone before it. */
const usesOf: Readonly<Record<Kind, readonly (readonly [table: string, column: string])[]>> = {
  customers: [
    ...(['devices', 'tickets', 'quotes', 'invoices', 'recurring_schedules'] as const).map(
      (table) => [table, 'customer_id'] as const,
    ),
  ],
  devices: [['tickets', 'device_id']],
  services: [['service_lines', 'service_id']],
  inventory: [['inventory_lines', 'inventory_item_id']],
  jobs: [
    ...(['service_lines', 'inventory_lines', 'quotes', 'invoices', 'ticket_signatures'] as const).map(
      (table) => [table, 'ticket_id'] as const,
    ),
  ],
  quotes: [['invoices', 'quote_id']],
  invoices: [
    ['reminders', 'invoice_id'],
    ['share_links', 'invoice_id'],
    ['exported_records', 'record_id'],
  ],
}

/** What is added to a record without changing it. */
const addedTo: Partial<Record<Kind, (orgId: string, id: string) => Sql>> = {
  jobs: (orgId, id) => sql`or exists (select from messages where messages.org_id = ${orgId} and ticket_id = ${id}
    and not is_system and messages.created_at > last.written_at)`,
  invoices: (orgId, id) => sql`or exists (select from payments where payments.org_id = ${orgId} and invoice_id = ${id}
    and (payments.created_at > last.written_at or exists (select from exported_records given
      where given.org_id = ${orgId} and given.record_id = payments.id)))`,
}

/** Locked, so that what is judged stays true. Moments are kept to the millisecond. */
function selectState(
  { orgId }: Context,
  importId: string,
  kind: Kind,
  id: string,
): Statement<{ isChanged: boolean; isUsed: boolean } | undefined> {
  const uses = usesOf[kind].map(
    ([table, column]) =>
      sql`exists (select from ${raw(table)} where ${raw(`${table}.org_id`)} = ${orgId} and ${raw(`${table}.${column}`)} = ${id})`,
  )
  const [first, ...rest] = uses as [Sql, ...Sql[]]
  const isUsed = rest.reduce((all, one) => sql`${all} or ${one}`, first)
  return statement(
    sql`select one.updated_at > last.written_at as "isChanged", (${isUsed} ${addedTo[kind]?.(orgId, id) ?? sql``}) as "isUsed"
        from ${raw(tableOf[kind])} one cross join (
          select max(written_at) as written_at from import_records where org_id = ${orgId} and import_id = ${importId}
            and target_id = ${id}) last
        where one.org_id = ${orgId} and one.id = ${id} for update of one`,
    ([state]: { isChanged: boolean; isUsed: boolean }[]) => state,
  )
}

const selectRecord = ({ orgId }: Context, kind: Kind, id: string): Statement<Values | undefined> =>
  statement(
    sql`select to_jsonb(one) as record from ${raw(tableOf[kind])} one where org_id = ${orgId} and id = ${id} for update`,
    ([row]: { record: Readonly<Record<string, unknown>> }[]) => {
      if (!row) return undefined
      const values = Object.fromEntries(
        Object.entries(row.record).map(([column, value]) => [toCamelCase(column), value]),
      )
      return 'givenName' in values ? { ...values, name: values.givenName } : values
    },
  )

const selectWritten = ({ orgId }: Context, importId: string): Statement<Written[]> =>
  statement(
    sql`select position::float8 as position, kind, verdict, target_id as "targetId", plan->'changes' as changes, written_at as "writtenAt",
          exists (select from import_records made where made.org_id = ${orgId} and made.import_id = ${importId}
            and made.target_id = record.target_id and made.verdict = 'created') as "isOwn"
        from import_records record where org_id = ${orgId} and import_id = ${importId}
          and written_at is not null and undone is null order by record.position desc limit ${recordsPerStep}::int`,
    (rows: Written[]) => rows,
  )

const storeOutcomes = ({ orgId }: Context, importId: string, outcomes: readonly object[]): Statement<void> =>
  statement(
    sql`update import_records set undone = one.undone, undo_reason = one.reason
        from jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb) as one (position bigint, undone text, reason text)
        where import_records.org_id = ${orgId} and import_id = ${importId} and import_records.position = one.position`,
    () => {},
  )

const countUndone = ({ orgId }: Context, importId: string): Statement<object> =>
  statement(
    sql`select count(*) filter (where undone = 'reversed')::int as reversed, count(*) filter (where undone = 'kept')::int as kept,
          count(*) filter (where undone = 'failed')::int as failed,
          (select coalesce(json_agg(json_build_object('id', target_id, 'reason', undo_reason)), '[]') from (
            select target_id, coalesce(undo_reason, 'it could not be undone') as undo_reason from import_records
            where org_id = ${orgId} and import_id = ${importId} and undone in ('kept', 'failed') order by import_records.position limit ${maxNamed}::int
          ) named) as "keptRecords"
        from import_records where org_id = ${orgId} and import_id = ${importId}`,
    ([undo]: object[]) => undo!,
  )
