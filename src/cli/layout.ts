// How results and errors look in a terminal: fields, tables, dates, and lines of a width that can be read.
import { styleText } from 'node:util'

const width = 100

export type Cell = string | null

/** `Label  value` lines, the values below each other. */
export function fields(values: Readonly<Record<string, Cell>>): string {
  const labels = Object.keys(values)
  const widest = Math.max(...labels.map(lengthOf))
  return labels.map((label) => `  ${dim(pad(label, widest))}  ${stripControlCharacters(values[label]!)}`).join('\n')
}

export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = rows.map((row) => row.map(stripControlCharacters))
  const widths = headings.map((heading, column) =>
    Math.max(lengthOf(heading), ...cells.map((row) => lengthOf(row[column]!))),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => pad(cell, widths[column]!))
      .join('  ')
      .trimEnd()
  return [dim(line(headings)), ...cells.map(line)].join('\n')
}

/** Two columns, the right one wrapped under itself. */
export function twoColumns(rows: readonly (readonly [name: string, meaning: string])[]): string {
  const widest = Math.max(...rows.map(([name]) => lengthOf(name)))
  const indent = ' '.repeat(widest + 4)
  return rows
    .map(([name, meaning]) => `  ${pad(name, widest)}  ${wrap(meaning, indent).trimStart()}`.trimEnd())
    .join('\n')
}

export function wrap(text: string, indent = ''): string {
  const lines: string[] = []
  let line = indent
  for (const word of text.split(' ')) {
    if (lengthOf(line) + lengthOf(word) > width && line !== indent) {
      lines.push(line)
      line = indent
    }
    line += line === indent ? word : ` ${word}`
  }
  return [...lines, line].join('\n')
}

export const bold = (text: string) => styleText('bold', text)
export const dim = (text: string) => styleText('dim', text)

export const day = (moment: Date | null, fallback: string) => moment?.toISOString().slice(0, 10) ?? fallback
export const minute = (moment: Date | null, fallback: string) =>
  moment ? `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC` : fallback

/** An error with what lies at the bottom of it: `The database is not available: connect ECONNREFUSED …`. */
export function errorSentence(error: unknown): string {
  const { message } = error as Error
  let bottom = error as NodeJS.ErrnoException
  while (bottom.cause instanceof Error) bottom = bottom.cause
  const reason = bottom.message || bottom.code // a host with several addresses fails without a message
  return reason === message || !reason ? message : `${message}: ${reason}`
}

/** What people stored must stay in its line and must not steer the terminal. */
const stripControlCharacters = (cell: Cell) => (cell ?? '–').replace(/\p{Cc}/gu, ' ')

const lengthOf = (text: string) => [...text].length
const pad = (text: string, length: number) => text + ' '.repeat(Math.max(0, length - lengthOf(text)))
