// The rows of records that are wrong, as a file: mended there, it is brought again.
import { sql } from '../../db/database.ts'
import { guardFormula } from '../../domain/moving-in/cells.ts'
import { Attachment } from '../../operations/answers.ts'
import { notFound } from '../../operations/errors.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'

interface WrongFile {
  readonly columns: readonly string[]
  readonly rows: readonly { readonly cells: readonly string[]; readonly reason: string | null }[] | null
}

/** The rows of wrong records in their original columns, file after file, with why. */
export const wrongRows = ({ orgId }: Context, importId: string): Statement<Attachment> =>
  statement(
    sql`select f->'columns' as columns, (
          select json_agg(json_build_object('cells', cells, 'reason', reason) order by row) from (
            select import_rows.row, cells, (select string_agg(distinct coalesce("column" || ': ', '') || reason || '; ' || fix, ' | ')
              from import_problems where org_id = ${orgId} and import_problems.import_id = ${importId}
                and import_problems.position = record.position) as reason
            from import_records record join import_rows on import_rows.org_id = ${orgId} and import_rows.import_id = ${importId}
              and import_rows.file = record.file and import_rows.row = any(record.rows)
            where record.org_id = ${orgId} and record.import_id = ${importId} and record.file = n - 1 and record.verdict = 'wrong'
          ) its) as rows
        from imports, jsonb_array_elements(files) with ordinality as file (f, n)
        where imports.org_id = ${orgId} and imports.id = ${importId} order by n`,
    (files: WrongFile[]) => {
      if (files.length === 0) throw notFound('import')
      const lines = files
        .filter(({ rows }) => rows)
        .flatMap(({ columns, rows }) => [
          [...columns, 'Reason'],
          ...rows!.map(({ cells, reason }) => [...columns.map((_, index) => cells[index] ?? ''), reason ?? '']),
        ])
      const csv = lines.map((cells) => cells.map(csvCell).join(',')).join('\r\n')
      return new Attachment('problems.csv', 'text/csv', async () => Buffer.from(`\ufeff${csv}\r\n`))
    },
  )

const csvCell = (text: string): string => {
  const safe = guardFormula(text)
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
