// The rows of records that are wrong, as a file: mended there, it is brought again.
import { sql } from '../../db/database.ts'
import { guardFormula } from '../../domain/moving-in/cells.ts'
import { Attachment } from '../../operations/answers.ts'
import { badRequest, notFound } from '../../operations/errors.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'

interface WrongRecords {
  readonly files: readonly { readonly name: string; readonly columns: readonly string[] }[]
  readonly records: readonly {
    readonly position: number
    readonly file: number
    readonly reason: string | null
    readonly rows: readonly (readonly string[])[]
  }[]
  /** Whether there are more behind them. */
  readonly hasMore: boolean
}

/** Made in one go, for which requests wait. A file with more of them is mended as a whole. */
export const maxWrongCharacters = 3_000_000

/** The rows of wrong records of one file in its original columns, with why. */
export const wrongRows = (ctx: Context, importId: string, file?: number): Statement<Attachment> => {
  const { sql: query, decode } = selectWrong(ctx, importId, { file })
  return {
    sql: query,
    connection: 'slow',
    decode(rows) {
      const { files, records, hasMore } = decode(rows)
      if (hasMore) {
        throw badRequest(
          `format=csv takes wrong rows of ${maxWrongCharacters} characters, and there are more; mend the file itself, or have "bring problems" write them`,
        )
      }
      const found = [...new Set(records.map((record) => record.file))]
      if (found.length > 1) {
        const names = found.map((place) => `${place} (${files[place]!.name})`).join(', ')
        throw badRequest(`file is needed: wrong rows are in several files, which have columns of their own: ${names}`)
      }
      const chosen = files[file ?? found[0] ?? 0]
      if (!chosen) throw badRequest(`file must be less than ${files.length}, the number of its files`)
      const csv = records.length === 0 ? csvLine(headerOf(chosen)) : csvOf(files, records, undefined)
      return new Attachment('problems.csv', 'text/csv', async () => Buffer.from(`\ufeff${csv}`))
    },
  }
}

/** The same piece by piece, however many there are. */
export async function* wrongRowsInPieces(ctx: Context, importId: string, file: number): AsyncGenerator<string> {
  yield '\ufeff'
  let last: WrongRecords['records'][number] | undefined
  for (;;) {
    const { files, records, hasMore } = await ctx.query(selectWrong(ctx, importId, { file, after: last?.position }))
    yield csvOf(files, records, last?.file)
    last = records.at(-1)
    if (!hasMore) return
  }
}

/** Of a record that alone has more, the first row. */
const selectWrong = (
  { orgId }: Context,
  importId: string,
  { file, after = -1 }: { readonly file: number | undefined; readonly after?: number | undefined },
): Statement<WrongRecords> =>
  statement(
    sql`select files, wrong.* from imports cross join lateral (
          select count(*) filter (where not fits) > 0 as "hasMore",
            coalesce(json_agg(json_build_object('position', record.position::float8, 'file', file,
              'reason', (select string_agg(distinct coalesce("column" || ': ', '') || reason || '; ' || fix, ' | ')
                from import_problems problem where problem.org_id = ${orgId} and problem.import_id = ${importId}
                  and problem.position = record.position),
              'rows', (select json_agg(cells order by row) from import_rows
                where import_rows.org_id = ${orgId} and import_rows.import_id = ${importId}
                  and import_rows.file = record.file and import_rows.row = any(record.rows))
              ) order by record.position) filter (where fits), '[]') as records
          from (
            select import_records.position, file,
              case when characters > ${maxWrongCharacters}::int then rows[1:1] else rows end as rows,
              sum(characters) over so_far <= ${maxWrongCharacters}::int or row_number() over so_far = 1 as fits
            from import_records where import_records.org_id = ${orgId} and import_records.import_id = ${importId}
              and verdict = 'wrong' and import_records.position > ${after}::bigint
              and (${file ?? null}::int is null or file = ${file ?? null}::int)
            window so_far as (order by import_records.position)
          ) record
        ) wrong
        where imports.org_id = ${orgId} and imports.id = ${importId}`,
    ([found]: WrongRecords[]) => {
      if (!found) throw notFound('import')
      return found
    },
  )

/** The places of the files that wrong records are in. */
export const selectFilesWithWrong = ({ orgId }: Pick<Context, 'orgId'>, importId: string): Statement<number[]> =>
  statement(
    sql`select distinct file from import_records
        where org_id = ${orgId} and import_id = ${importId} and verdict = 'wrong' order by 1`,
    (rows: { file: number }[]) => rows.map(({ file }) => file),
  )

/** A file begins with the names of its columns. */
function csvOf(files: WrongRecords['files'], records: WrongRecords['records'], lastFile: number | undefined) {
  let file = lastFile
  const lines = records.flatMap((record) => {
    const { columns } = files[record.file]!
    const head = record.file === file ? [] : [headerOf(files[record.file]!)]
    file = record.file
    return [
      ...head,
      ...record.rows.map((cells) => [...columns.map((_, index) => cells[index] ?? ''), record.reason ?? '']),
    ]
  })
  return lines.map(csvLine).join('')
}

const headerOf = ({ columns }: WrongRecords['files'][number]): string[] => [...columns, 'Reason']
const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

const csvCell = (text: string): string => {
  const safe = guardFormula(text)
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
