// Ends of the phases: what it came to is counted from the records themselves, and must add up before anybody is told.
import { sql } from '../../db/database.ts'
import type { Kind } from '../../domain/moving-in/kinds.ts'
import { verdicts } from '../../domain/moving-in/verdict.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { tableOf } from './candidates.ts'
import { countRecords, type StagedImport, updateImport } from './staged.ts'

/** For so long it can be undone, and what was brought is kept as it came. */
export const keptDays = 30
export const keptFor = sql`interval '30 days'`
export const untilForgotten = { phase: 'forgetting', due_at: sql`now() + ${keptFor}` } as const

export async function finishJudging(ctx: Context, staged: StagedImport): Promise<void> {
  const counts = await reckon(ctx, staged)
  if (counts) await ctx.query(updateImport(ctx, staged.id, { ...counts, status: 'judged', ...untilForgotten }))
}

export async function finishWriting(ctx: Context, staged: StagedImport): Promise<void> {
  const counts = await reckon(ctx, staged)
  if (!counts) return
  await ctx.query(
    updateImport(ctx, staged.id, { ...counts, status: 'written', written_at: sql`now()`, ...untilForgotten }),
  )
  await ctx.query(tellFinished(ctx, staged.id, await ctx.query(countCreated(ctx, staged.id))))
}

/** Every row belongs to one record, and every record has one verdict; where that is not so, it is said. */
async function reckon(ctx: Context, staged: StagedImport) {
  const { rows, unjudged, ...counts } = await ctx.query(countRecords(ctx, staged.id))
  const sum = verdicts.reduce((total, verdict) => total + counts[verdict], 0)
  if (rows === staged.rowCount && unjudged === 0 && sum === counts.records) return counts
  const failure = `It does not add up: ${staged.rowCount} rows came, ${rows} were judged in ${counts.records} records, and ${sum} of those have a verdict`
  await ctx.query(updateImport(ctx, staged.id, { ...counts, status: 'failed', failure, ...untilForgotten }))
  return undefined
}

const countCreated = ({ orgId }: Context, importId: string): Statement<Readonly<Record<string, number>>> =>
  statement(
    sql`select kind, count(*)::int as count from import_records
        where org_id = ${orgId} and import_id = ${importId} and verdict in ('created', 'filled') group by kind order by kind`,
    (rows: { kind: Kind; count: number }[]) =>
      Object.fromEntries(rows.map(({ kind, count }) => [tableOf[kind], count])),
  )

/** One event in place of one for each record. */
const tellFinished = (
  { orgId }: Context,
  importId: string,
  records: Readonly<Record<string, number>>,
): Statement<void> =>
  statement(
    sql`insert into event_inbox (org_id, source, operation, record_id, columns, actor)
        values (${orgId}, 'imports', 'signal', ${importId}, ${JSON.stringify({ name: 'finished', data: { records } })}::jsonb,
          current_setting('jobwright.actor', true))`,
    () => {},
  )
