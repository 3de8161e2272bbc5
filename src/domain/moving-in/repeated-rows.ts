// Rows of a document that are alike in every cell: lines that repeat, or a file that holds an export twice.
import { tidyCell } from './cells.ts'
import { comesTo, type LineRow, netOf } from './document-rows.ts'
import type { RecordReader } from './reader.ts'

/**
 * The stated total decides: a row that stands there again counts once where the lines come to the total without it, and
 * not with it. Where nothing decides, all of them count, and that is told.
 */
export function takeOnce(reader: RecordReader, rows: readonly LineRow[], settledSoFar: number): readonly LineRow[] {
  const repeated = findRepeated(reader)
  const isRepeat = (row: LineRow) => repeated.has(row.row) && netOf(row) !== undefined
  const repeats = rows.filter(isRepeat)
  if (repeats.length === 0) return rows
  const [total, ...others] = new Set(rows.flatMap((row) => row.total ?? []))
  const stated = others.length > 0 ? undefined : total
  if (stated !== undefined && comesTo(rows, stated)) return rows
  const once = rows.filter((row) => !isRepeat(row))
  // Nobody pays or owes more than all of it: then the total that each row says is that of its line.
  const isTwice = stated !== undefined && settledSoFar <= stated && comesTo(once, stated)
  for (const { row } of repeats)
    reader.repairRow(
      row,
      isTwice
        ? 'it is like a row above in every cell, and its document comes to its total without it: it was taken once'
        : 'it is like a row above in every cell: both were taken',
    )
  return isTwice ? once : rows
}

function findRepeated({ rows }: RecordReader): ReadonlySet<number> {
  const seen = new Set<string>()
  return new Set(
    rows.flatMap(({ row, cells }) => {
      const key = JSON.stringify(cells.map((cell) => tidyCell(cell).value))
      if (seen.has(key)) return row
      seen.add(key)
      return []
    }),
  )
}
