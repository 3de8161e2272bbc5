// The records of an import as they wait to be judged, and what was decided about them, in the database.
import { sql } from '../../db/database.ts'
import type { Problem } from '../../domain/moving-in/draft.ts'
import { charactersPerStep, maxRecordCharacters, maxRowsPerRecord } from '../../domain/moving-in/limits.ts'
import type { Verdict } from '../../domain/moving-in/verdict.ts'
import { newId } from '../../operations/ids.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import type { Plan, ShopFacts } from './plan.ts'

/** Few enough that requests hardly wait for the process meanwhile: some three milliseconds of its work. */
const recordsPerStep = 30
/** It may name what a cell holds. */
const longestReason = 300

interface Unjudged {
  readonly position: number
  readonly file: number
  readonly rows: readonly (readonly [row: number, cells: readonly string[]])[]
  readonly rowCount: number
  readonly characters: number
}

export interface Judged {
  readonly position: number
  readonly kind: string
  readonly verdict: Verdict
  readonly targetId: string | null
  readonly plan: Plan | null
  readonly problems: readonly Problem[]
  /** What was decided without asking. */
  readonly note?: string | undefined
  /** For the records after it. */
  readonly keys: readonly string[]
}

export const selectShopFacts = ({ orgId }: Context): Statement<ShopFacts> =>
  statement(
    sql`select time_zone as "timeZone", currency, (select coalesce(json_agg(json_build_object('name', name, 'stage', stage)
          order by index, id), '[]') from ticket_statuses where org_id = ${orgId}) as statuses
        from organisations where org_id = ${orgId}`,
    ([facts]: ShopFacts[]) => facts!,
  )

/** The next ones of one file, with their rows. */
export const selectUnjudged = ({ orgId }: Context, importId: string): Statement<Unjudged[]> =>
  statement(
    sql`select position::float8 as position, file, cardinality(rows) as "rowCount", characters,
          (select json_agg(json_build_array(row, cells) order by row) from (
            select row, cells from import_rows where org_id = ${orgId} and import_id = ${importId}
              and import_rows.file = record.file and row = any(record.rows)
              order by row limit case when record.characters > ${maxRecordCharacters}::int then 1 else ${maxRowsPerRecord}::int end
          ) its) as rows
        from (
          select *, sum(characters) over (order by position) - characters as before from (
            select position, file, rows, characters from import_records
            where org_id = ${orgId} and import_id = ${importId} and verdict is null
            order by import_records.position limit ${recordsPerStep}::int) next
        ) record where before <= ${charactersPerStep}::int order by record.position`,
    (rows: Unjudged[]) => rows.filter(({ file }) => file === rows[0]!.file),
  )

export const storeJudged = ({ orgId }: Context, importId: string, judged: readonly Judged[]): Statement<void> =>
  statement(
    sql`update import_records set kind = one.kind, verdict = one.verdict, target_id = one.target_id, plan = one.plan
        from jsonb_to_recordset(${JSON.stringify(
          judged.map(({ position, kind, verdict, targetId, plan }) => ({
            position,
            kind,
            verdict,
            target_id: targetId,
            plan,
          })),
        )}::jsonb) as one (position bigint, kind text, verdict text, target_id text, plan jsonb)
        where import_records.org_id = ${orgId} and import_id = ${importId} and import_records.position = one.position`,
    () => {},
  )

export const storeKeys = ({ orgId }: Context, importId: string, judged: readonly Judged[]): Statement<void> => {
  const pairs = judged.flatMap(({ targetId, keys }) => keys.map((key) => [key, targetId]))
  return statement(
    sql`insert into import_keys (org_id, import_id, key, target_id)
        select ${orgId}, ${importId}, pair->>0, pair->>1 from jsonb_array_elements(${JSON.stringify(pairs)}::jsonb) pair
        on conflict do nothing`,
    () => {},
  )
}

export const storeProblems = (
  { orgId }: Context,
  importId: string,
  fileName: string,
  judged: readonly Pick<Judged, 'position' | 'problems'>[],
): Statement<void> => {
  const rows = judged.flatMap(({ position, problems }) =>
    problems.map((problem) => ({
      id: newId('prb'),
      position,
      file: fileName,
      ...problem,
      value: problem.value?.slice(0, 500) ?? null,
      reason: problem.reason.slice(0, longestReason),
    })),
  )
  return statement(
    sql`insert into import_problems (org_id, import_id, id, position, file, row, "column", value, reason, fix)
        select ${orgId}, ${importId}, one.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as one (id text, position bigint, file text, row int, "column" text, value text, reason text, fix text)`,
    () => {},
  )
}
