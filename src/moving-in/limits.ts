// How much a file may ask of whoever reads it. What a shop exports is far below; what is made to keep us busy is not.
import { maxCharacters, maxColumns, maxRows } from '../domain/moving-in/limits.ts'

export interface FileLimits {
  /** Of a workbook, all parts that are read together: a hundred thousand rows of twenty columns, all different, have up to 210 MB. */
  readonly maxUnpackedBytes: number
  /** So many times its size may a workbook unpack to; below `minSuspectBytes` nobody asks. */
  readonly maxRatio: number
  readonly minSuspectBytes: number
  /** Texts that the cells of a workbook share. */
  readonly maxTexts: number
  /** From one tag to the next, or from a quote to the one that closes it. */
  readonly maxRunCharacters: number
  /** Blank ones included; a spreadsheet has no more. */
  readonly maxSheetRows: number
  readonly maxRows: number
  readonly maxColumns: number
  readonly maxRowCharacters: number
  /** Of all rows together, as they are staged. */
  readonly maxCharacters: number
}

export const fileLimits: FileLimits = {
  maxUnpackedBytes: 250_000_000,
  maxRatio: 200,
  minSuspectBytes: 10_000_000,
  maxTexts: 2_500_000,
  maxRunCharacters: 1_000_000,
  maxSheetRows: 1_048_576,
  maxRows,
  maxColumns,
  maxRowCharacters: 1_000_000,
  maxCharacters,
}
