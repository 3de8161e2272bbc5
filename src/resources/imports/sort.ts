// The first look at the rows: which of them are about one record, and what the columns show of days and decimals.
import { sql } from '../../db/database.ts'
import { showsDecimalComma } from '../../domain/moving-in/amounts.ts'
import { tidyCell } from '../../domain/moving-in/cells.ts'
import { type DateFacts, type DateOrder, decideOrder, lookAtDate, noDateFacts } from '../../domain/moving-in/dates.ts'
import { kinds, meaningOf } from '../../domain/moving-in/kinds.ts'
import { charactersPerStep } from '../../domain/moving-in/limits.ts'
import { groupKey } from '../../domain/moving-in/read-draft.ts'
import type { Row } from '../../domain/moving-in/reader.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { type FileFacts, type StagedFile, type StagedImport, updateImport } from './staged.ts'

const rowsPerStep = 200

interface FiledRow extends Row {
  readonly file: number
  readonly characters: number
}

/** Rows that are about one record. */
interface FoundRecord {
  readonly position: number
  readonly file: number
  readonly key: string
  readonly rows: readonly number[]
  readonly characters: number
}

/** One step; what comes after the last row is decided with it. */
export async function sortRows(ctx: Context, staged: StagedImport): Promise<void> {
  const { files, facts } = staged
  const rows = await ctx.query(selectRows(ctx, staged))
  if (rows.length === 0) return finishSorting(ctx, staged)
  const shown: Record<number, FileFacts> = { ...facts.files }
  const groups = new Map<string, FoundRecord>()
  let lastKey = facts.lastKey
  let lastFile = facts.cursor?.[0]
  for (const row of rows) {
    const file = files[row.file]!
    if (row.file !== lastFile) lastKey = undefined
    lastFile = row.file
    shown[row.file] = lookAtRow(file, row, shown[row.file])
    const key = groupKey(file, row, lastKey)
    lastKey = key
    const group = groups.get(`${row.file} ${key}`)
    const characters = (group?.characters ?? 0) + row.characters
    if (group) groups.set(`${row.file} ${key}`, { ...group, rows: [...group.rows, row.row], characters })
    else {
      const position = positionOf(file, row)
      groups.set(`${row.file} ${key}`, { position, file: row.file, key, rows: [row.row], characters })
    }
  }
  const last = rows.at(-1)!
  await ctx.query(insertRecords(ctx, staged.id, [...groups.values()]))
  await ctx.query(
    updateImport(ctx, staged.id, {
      facts: { ...facts, files: shown, cursor: [last.file, last.row], lastKey },
      done: staged.done + rows.length,
      total: staged.rowCount,
    }),
  )
}

/** What refers to others is judged and written after them. */
const positionOf = ({ kind }: StagedFile, { file, row }: FiledRow): number =>
  kinds.indexOf(kind) * 1e12 + file * 1e9 + row

function lookAtRow(file: StagedFile, { cells }: Row, before: FileFacts = { dates: {}, commas: [] }): FileFacts {
  let { dates, commas } = before
  for (const [index, target] of file.targets.entries()) {
    const type = target === null ? undefined : meaningOf(file.kind, target)?.type
    const isAmount = type === 'amount' || type === 'number' || type === 'dayOrAmount'
    const isDay = type === 'date' || type === 'dayOrAmount'
    if (!isAmount && !isDay) continue
    const { value } = tidyCell(cells[index] ?? '')
    if (value === '') continue
    if (isAmount && !commas.includes(index) && showsDecimalComma(value)) commas = [...commas, index]
    if (!isDay) continue
    const known = dates[index] ?? noDateFacts
    const now = lookAtDate(known, value)
    if (now !== known) dates = { ...dates, [index]: now }
  }
  return { dates, commas }
}

/** Where a column does not say which number is the day, it is asked for, and nothing is judged until it is answered. */
async function finishSorting(ctx: Context, staged: StagedImport): Promise<void> {
  const questions = staged.files.flatMap((file, index) =>
    Object.entries(staged.facts.files?.[index]?.dates ?? {}).flatMap(([place, facts]) =>
      orderOf(facts, staged) === undefined
        ? [{ file: file.name, column: file.columns[Number(place)]!, kind: 'dateOrder', samples: facts.samples }]
        : [],
    ),
  )
  const records = await ctx.query(selectRecordCount(ctx, staged.id))
  await ctx.query(
    updateImport(ctx, staged.id, {
      questions,
      records,
      done: 0,
      total: records,
      ...(questions.length > 0
        ? { status: 'asking', phase: 'forgetting', due_at: sql`now() + interval '30 days'` }
        : { phase: 'judging', due_at: sql`now()` }),
    }),
  )
}

/** Who says the order before anything was asked says it of all columns; an answer is of those that were asked about. */
const orderOf = (shown: DateFacts, { facts, options }: StagedImport): DateOrder | 'any' | undefined =>
  facts.isAnswered ? (decideOrder(shown) ?? options.dateOrder ?? undefined) : (options.dateOrder ?? decideOrder(shown))

/** Which number is the day, column by column. What nothing speaks against is read as our own days are written. */
export function dateOrdersOf(staged: StagedImport, file: number): Record<number, DateOrder> {
  const entries = Object.entries(staged.facts.files?.[file]?.dates ?? {}).map(([place, shown]) => {
    const decided = orderOf(shown, staged) ?? 'dmy'
    return [Number(place), decided === 'any' ? 'dmy' : decided] as const
  })
  return Object.fromEntries(entries)
}

const selectRows = ({ orgId }: Context, { id, facts: { cursor = [-1, 0] } }: StagedImport): Statement<FiledRow[]> =>
  statement(
    sql`select file, row, cells, characters from (
          select *, sum(characters) over (order by file, row) - characters as before from (
            select file, row, cells, characters from import_rows where org_id = ${orgId} and import_id = ${id}
              and (file, row) > (${cursor[0]}::int, ${cursor[1]}::int) order by file, row limit ${rowsPerStep}::int) next
        ) its where before <= ${charactersPerStep}::int order by file, row`,
    (rows: FiledRow[]) => rows,
  )

const insertRecords = ({ orgId }: Context, importId: string, records: readonly FoundRecord[]): Statement<void> =>
  statement(
    sql`insert into import_records (org_id, import_id, position, file, key, rows, characters)
        select ${orgId}, ${importId}, one.position, one.file, one.key, one.rows, one.characters
        from jsonb_to_recordset(${JSON.stringify(records)}::jsonb)
          as one (position bigint, file int, key text, rows int[], characters int)
        on conflict (org_id, import_id, file, key) do update set rows = import_records.rows || excluded.rows,
          characters = import_records.characters + excluded.characters`,
    () => {},
  )

const selectRecordCount = ({ orgId }: Context, importId: string): Statement<number> =>
  statement(
    sql`select count(*)::int as count from import_records where org_id = ${orgId} and import_id = ${importId}`,
    ([row]: { count: number }[]) => row!.count,
  )
