// An import as the engine sees it: its files and what is decided about them, and the rows that wait in the database.
import { join, raw, Sql, sql } from '../../db/database.ts'
import type { DateFacts, DateOrder } from '../../domain/moving-in/dates.ts'
import type { Repair } from '../../domain/moving-in/draft.ts'
import type { Kind, Source } from '../../domain/moving-in/kinds.ts'
import type { UpdateMode, Verdict } from '../../domain/moving-in/verdict.ts'
import { notFound } from '../../operations/errors.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'

export interface StagedFile {
  readonly name: string
  readonly source: Source
  readonly kind: Kind
  /** What the other system is called on the records. */
  readonly externalSource: string
  readonly encoding: string | null
  readonly delimiter: string | null
  readonly rows: number
  readonly columns: readonly string[]
  readonly targets: readonly (string | null)[]
}

export interface ImportOptions {
  readonly dateOrder?: DateOrder | null
  readonly update?: UpdateMode
  readonly map?: Readonly<Record<string, string | null>>
}

/** Of a file: what each column of days has shown, by its place, and which columns have a comma before the decimals. */
export interface FileFacts {
  readonly dates: Readonly<Record<number, DateFacts>>
  readonly commas: readonly number[]
}

/** What the rows have shown so far, and how far they were looked at. */
export interface Facts {
  readonly files?: Readonly<Record<number, FileFacts>>
  readonly cursor?: readonly [file: number, row: number]
  readonly lastKey?: string | undefined
  /** What was judged before is in the way. */
  readonly isStale?: boolean
  /** The order of days was asked for, and answered. */
  readonly isAnswered?: boolean
}

export type Phase = 'sorting' | 'judging' | 'writing' | 'undoing' | 'forgetting'

export interface StagedImport {
  readonly id: string
  readonly status: string
  readonly phase: Phase | null
  readonly files: readonly StagedFile[]
  readonly options: ImportOptions
  readonly facts: Facts
  readonly repairs: readonly StoredRepair[]
  readonly parts: readonly { readonly table: string; readonly id: string }[]
  readonly done: number
  readonly total: number
  readonly rowCount: number
  readonly characters: number
  readonly writtenAt: Date | null
  readonly isDryRun: boolean
  readonly namesCustomers: boolean
  readonly maker: { readonly kind: string; readonly id: string; readonly name: string }
}

export interface StoredRepair extends Repair {
  readonly file: string
  readonly count: number
}

const columns = sql`id, status, phase, files, options, facts, repairs, parts, done, total, row_count as "rowCount", characters,
  written_at as "writtenAt", maker, is_dry_run as "isDryRun", names_customers as "namesCustomers"`

const one = ([found]: StagedImport[]): StagedImport => {
  if (!found) throw notFound('import')
  return found
}

/** Whoever changes an import locks it: requests and the worker take turns. */
export const lockImport = ({ orgId }: Context, importId: string): Statement<StagedImport> =>
  statement(sql`select ${columns} from imports where org_id = ${orgId} and id = ${importId} for update`, one)

/** The import that is due first, and that nobody else is at. */
export const lockDueImport = ({ orgId }: Context, importId: string | null): Statement<StagedImport | undefined> =>
  statement(
    sql`select ${columns} from imports where org_id = ${orgId} and due_at <= now()
        and (${importId}::text is null or id = ${importId}) order by due_at, id limit 1 for update skip locked`,
    ([found]: StagedImport[]) => found,
  )

type ImportColumn =
  | ('status' | 'phase' | 'due_at' | 'files' | 'options' | 'facts' | 'questions' | 'done' | 'total')
  | (
      | 'row_count'
      | 'characters'
      | 'judging_since'
      | 'maker'
      | 'names_customers'
      | 'repairs'
      | 'parts'
      | 'undo'
      | 'failure'
      | 'written_at'
      | 'records'
      | Verdict
    )

export function updateImport(
  { orgId }: Context,
  importId: string,
  values: Readonly<Partial<Record<ImportColumn, Sql | string | number | boolean | object | null>>>,
): Statement<void> {
  const assignments = Object.entries(values).map(([column, value]) => {
    const isJson = value !== null && typeof value === 'object' && !(value instanceof Sql)
    return sql`${raw(column)} = ${isJson ? sql`${JSON.stringify(value)}::jsonb` : value}`
  })
  return statement(
    sql`update imports set updated_at = now(), attempts = 0, ${join(assignments)} where org_id = ${orgId} and id = ${importId}`,
    () => {},
  )
}

export type NumberedRow = readonly [row: number, cells: readonly string[]]

/** As JSON has them: also a cell without a character takes memory. In bytes it is up to three times as much. */
export const charactersOf = (cells: readonly string[]): number => cells.reduce((sum, cell) => sum + cell.length + 3, 0)

/** Rows as they came; a row that is sent again stays as it is. */
export const insertRows = (
  { orgId }: Context,
  importId: string,
  file: number,
  rows: readonly NumberedRow[],
): Statement<void> =>
  statement(
    sql`insert into import_rows (org_id, import_id, file, row, cells, characters)
        select ${orgId}, ${importId}, ${file}::int, (one->>0)::int, one->1, (one->>2)::int
        from jsonb_array_elements(${JSON.stringify(rows.map(([row, cells]) => [row, cells, charactersOf(cells)]))}::jsonb) one
        on conflict do nothing`,
    () => {},
  )

export type Counts = Record<Verdict, number>

/** What the records came to: the truth behind the counters. */
export const countRecords = (
  { orgId }: Context,
  importId: string,
): Statement<Counts & { records: number; rows: number; unjudged: number }> =>
  statement(
    sql`select count(*)::int as records, coalesce(sum(cardinality(rows)), 0)::int as rows,
        count(*) filter (where verdict is null)::int as unjudged,
        count(*) filter (where verdict = 'created')::int as created, count(*) filter (where verdict = 'filled')::int as filled,
        count(*) filter (where verdict = 'same')::int as same, count(*) filter (where verdict = 'skipped')::int as skipped,
        count(*) filter (where verdict = 'wrong')::int as wrong
        from import_records where org_id = ${orgId} and import_id = ${importId}`,
    ([counts]: (Counts & { records: number; rows: number; unjudged: number })[]) => counts!,
  )

const maxRepairs = 200

/** Repairs of one kind in one column are told once, with how many there were. */
export function addRepairs(known: readonly StoredRepair[], file: string, repairs: readonly Repair[]): StoredRepair[] {
  const all = new Map(known.map((one) => [keyOf(one), one]))
  for (const repair of repairs) {
    const key = keyOf({ ...repair, file })
    const before = all.get(key)
    if (before) all.set(key, { ...before, count: before.count + 1 })
    else if (all.size < maxRepairs)
      all.set(key, { ...repair, file, value: repair.value?.slice(0, 200) ?? null, count: 1 })
    else {
      const rest = { ...repair, file, column: null, value: null, reason: 'and more, which are not listed' }
      all.set(keyOf(rest), { ...rest, count: (all.get(keyOf(rest))?.count ?? 0) + 1 })
    }
  }
  return [...all.values()]
}
const keyOf = ({ file, column, reason }: Pick<StoredRepair, 'file' | 'column' | 'reason'>) =>
  JSON.stringify([file, column, reason])
