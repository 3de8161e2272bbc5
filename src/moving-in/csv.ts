// Comma-separated values, with whatever separates them.
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { FileRefused } from '../domain/moving-in/recognise.ts'
import { decodeFile, detectEncoding } from './encoding.ts'
import type { FileLimits } from './limits.ts'
import type { FileRows } from './rows.ts'

/** What is longer than a row may be has an opening quote somewhere that nobody closed. */
export async function openCsv(path: string, start: Buffer, { maxRowCharacters }: FileLimits): Promise<FileRows> {
  const encoding = await detectEncoding(path, start)
  const delimiter = detectDelimiter(new TextDecoder(encoding).decode(start))
  return {
    encoding,
    delimiter,
    async *rows() {
      const parser = Readable.from(decodeFile(path, encoding)).pipe(
        parse({ delimiter, relax_column_count: true, relax_quotes: true, max_record_size: maxRowCharacters }),
      )
      let row = 0
      try {
        for await (const cells of parser) yield [++row, cells as string[]]
      } catch (error) {
        if (!(error instanceof CsvError)) throw error
        throw new FileRefused(`Row ${row + 1} cannot be read (${error.message}); look for a quote that is not closed`)
      }
    },
  }
}

const delimiters = [',', ';', '\t', '|']

/** The one that most lines have, and as often in each: quoted text does not count, and a point never separates. */
function detectDelimiter(text: string): string {
  const lines = text
    .replaceAll(/"(?:[^"]|"")*"/g, '""')
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== '')
    .slice(0, 50)
  const scores = delimiters.map((delimiter) => {
    const counts = lines.map((line) => line.split(delimiter).length - 1)
    const usual = Math.max(0, ...counts)
    const agreeing = counts.filter((count) => count === usual).length
    return { delimiter, score: usual === 0 ? 0 : agreeing * usual + counts.filter((count) => count > 0).length }
  })
  return scores.reduce((best, one) => (one.score > best.score ? one : best)).delimiter
}
