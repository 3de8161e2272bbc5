// After its month an import is forgotten: rows, judgements and keys, some at a time, and the import itself in the end.
import { raw, sql } from '../../db/database.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { type StagedImport, updateImport } from './staged.ts'

const rowsPerStep = 2_000

/** Each with what tells its rows apart. */
const belongings = [
  ['import_problems', 'id'],
  ['import_keys', 'key, target_id'],
  ['import_records', 'position'],
] as const
const everything = [...belongings, ['import_rows', 'file, row']] as const

export async function forgetImport(ctx: Context, { id }: StagedImport): Promise<void> {
  for (const [table, key] of everything) if ((await ctx.query(deleteSome(ctx, id, table, key))) > 0) return
  await ctx.query(statement(sql`delete from imports where org_id = ${ctx.orgId} and id = ${id}`, () => {}))
}

/** What was judged before is taken back, some at a time; then the rows are looked at anew. */
export async function resetJudgement(ctx: Context, { id, facts: { isAnswered } }: StagedImport): Promise<void> {
  for (const [table, key] of belongings) if ((await ctx.query(deleteSome(ctx, id, table, key))) > 0) return
  await ctx.query(updateImport(ctx, id, { facts: { isAnswered }, done: 0 }))
}

const deleteSome = ({ orgId }: Context, importId: string, table: string, key: string): Statement<number> =>
  statement(
    sql`delete from ${raw(table)} where org_id = ${orgId} and import_id = ${importId} and (${raw(key)}) in (
          select ${raw(key)} from ${raw(table)} where org_id = ${orgId} and import_id = ${importId} limit ${rowsPerStep}::int)
        returning 1`,
    (rows) => rows.length,
  )
