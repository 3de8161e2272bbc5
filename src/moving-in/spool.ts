// Rows on their way from a file into the database: written down one by one as they are parsed, and read again as they are staged.
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { isBlank } from '../domain/moving-in/cells.ts'
import { FileRefused, headerSearchRows } from '../domain/moving-in/recognise.ts'
import { openFile } from './file-rows.ts'
import { type FileLimits, fileLimits } from './limits.ts'
import type { FileRows, NumberedRow } from './rows.ts'

export type FileShape = Pick<FileRows, 'encoding' | 'delimiter'>

const writeCharacters = 65_536

/** Blank rows are left out, and so is what PostgreSQL cannot store. */
export async function spoolRows(path: string, to: string, limits: FileLimits = fileLimits): Promise<FileShape> {
  const { encoding, delimiter, rows } = await openFile(path, limits)
  const spool = await open(to, 'wx', 0o600)
  try {
    await writeRows(rows(), spool, limits)
  } finally {
    await spool.close()
  }
  return { encoding, delimiter }
}

async function writeRows(rows: AsyncGenerator<NumberedRow>, spool: FileHandle, limits: FileLimits): Promise<void> {
  let [seen, full, characters] = [0, 0, 0]
  let lines = ''
  for await (const [row, cells] of rows) {
    if (++seen > limits.maxSheetRows)
      throw new FileRefused(`It has more than ${limits.maxSheetRows} rows, blank ones included; delete those`)
    if (isBlank(cells)) continue
    if (++full > limits.maxRows + headerSearchRows)
      throw new FileRefused(`It has more than ${limits.maxRows} rows; bring it in parts`)
    const line = JSON.stringify([row, withinLimits(row, cells, limits)])
    characters += line.length
    if (characters > limits.maxCharacters)
      throw new FileRefused(`Its rows hold more than ${limits.maxCharacters} characters; bring it in parts`)
    lines += `${line}\n`
    if (lines.length < writeCharacters) continue
    await spool.write(lines)
    lines = ''
  }
  await spool.write(lines)
}

function withinLimits(row: number, cells: readonly string[], limits: FileLimits): string[] {
  const width = cells.findLastIndex((cell) => cell.trim() !== '') + 1
  if (width > limits.maxColumns)
    throw new FileRefused(
      `Row ${row} has ${width} columns, and at most ${limits.maxColumns} can be brought; look for a line break that is missing`,
    )
  const characters = cells.reduce((sum, cell) => sum + cell.length, 0)
  if (characters > limits.maxRowCharacters)
    throw new FileRefused(`Row ${row} holds more than ${limits.maxRowCharacters} characters; shorten it`)
  return cells.slice(0, limits.maxColumns).map((cell) => cell.replaceAll('\0', '').toWellFormed())
}

/** Lines end with \n alone: what else ends lines may stand in a cell. */
export async function* spooledRows(path: string): AsyncGenerator<NumberedRow> {
  let rest = ''
  for await (const piece of createReadStream(path, 'utf8')) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop()!
    for (const line of lines) yield JSON.parse(line) as NumberedRow
  }
}
