// A file as rows of cells, whatever format it has. It is read from the beginning each time, and never held as a whole.
import { open } from 'node:fs/promises'
import { FileRefused } from '../domain/moving-in/recognise.ts'
import { openCsv } from './csv.ts'
import { type FileLimits, fileLimits } from './limits.ts'
import type { FileRows } from './rows.ts'
import { openVcards } from './vcards.ts'
import { openWorkbook } from './workbook.ts'

const signatures = [
  ['PK\u0003\u0004', 'workbook'],
  ['\u00d0\u00cf\u0011\u00e0', 'an old Excel file: open it and save it as .xlsx or as CSV'],
  ['%PDF', 'a PDF, from which no rows can be read: export it as CSV'],
  ['{\\rtf', 'a text document: export it as CSV'],
] as const

export async function openFile(path: string, limits: FileLimits = fileLimits): Promise<FileRows> {
  const start = await readStart(path)
  if (start.length === 0) throw new FileRefused('The file is empty')
  const latin = start.toString('latin1')
  const [, format] = signatures.find(([signature]) => latin.startsWith(signature)) ?? []
  if (format === 'workbook') return openWorkbook(path, limits)
  if (format !== undefined) throw new FileRefused(`It is ${format}`)
  return /^\s*(\u00ef\u00bb\u00bf)?BEGIN:VCARD/i.test(latin) ? openVcards(path, limits) : openCsv(path, start, limits)
}

const startBytes = 65_536

async function readStart(path: string): Promise<Buffer> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw Object.assign(new FileRefused(`It cannot be read: ${error.code ?? error.message}`), { cause: error })
  })
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(startBytes), 0, startBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
