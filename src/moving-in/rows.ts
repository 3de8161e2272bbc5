// What every format comes to: rows of cells, with the numbers that a spreadsheet gives them.

export type NumberedRow = readonly [row: number, cells: readonly string[]]

export interface FileRows {
  readonly encoding: string | null
  readonly delimiter: string | null
  /** From the first row on, titles and names of columns included; as a spreadsheet counts them. */
  rows(): AsyncGenerator<NumberedRow>
}
