// Comma-separated values as RFC 4180 has them, safe to open in a spreadsheet.

/** A number as it is to be written, such as 12.50. */
export interface Figure {
  readonly figure: string
}
export const figure = (text: string): Figure => ({ figure: text })

export type CsvCell = string | number | Figure | null

/** A text that a spreadsheet would take for a formula is led by an apostrophe; numbers stay what they are. */
const isFormula = (text: string): boolean => /^[=+\-@\t\r]/.test(text)

function cellText(cell: CsvCell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  if (typeof cell === 'object') return cell.figure
  const text = isFormula(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvText = (rows: readonly (readonly CsvCell[])[]): string =>
  rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('')
