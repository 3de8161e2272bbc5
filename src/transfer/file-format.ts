// The file a shop moves in: lines of JSON, a header first and a count with a checksum last, so that a cut one is noticed.
import { createHash, type Hash } from 'node:crypto'

export const format = 'jobwright-export'
export const version = 1

export interface Header {
  readonly format: typeof format
  readonly version: typeof version
  readonly organisation: string
  readonly exportedAt: string
  /** The release and the last migration of the server it comes from. */
  readonly release: string
  readonly migration: string
}

export interface Footer {
  readonly records: Readonly<Record<string, number>>
  /** Of every byte before this line. It tells of damage, not of who wrote the file. */
  readonly checksum: string
}

export const newChecksum = (): Hash => createHash('sha256')
export const formatChecksum = (hash: Hash): string => `sha256:${hash.digest('hex')}`

/** More than the largest record, which is a form with photos, takes in its longest spelling. */
export const maxLineBytes = 16 * 1_048_576

export interface FileLine {
  readonly number: number
  /** With its end. */
  readonly bytes: Buffer
}

/** What is wrong with the file, and where. */
export class FileError extends Error {}

export const rejectLine = (number: number, why: string): never => {
  throw new FileError(`Line ${number}: ${why}`)
}

/** The lines of what arrives, as many as each piece completes. */
export async function* readLines(source: AsyncIterable<Buffer>): AsyncGenerator<FileLine[]> {
  let number = 0
  let chunks: Buffer[] = []
  let bufferedBytes = 0
  const takeLine = (bytes: Buffer): FileLine => {
    number++
    const whole = chunks.length > 0 ? Buffer.concat([...chunks, bytes]) : bytes
    chunks = []
    bufferedBytes = 0
    if (whole.length > maxLineBytes) rejectLine(number, 'is too long')
    return { number, bytes: whole }
  }
  for await (const chunk of source) {
    const lines: FileLine[] = []
    let begin = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, begin)) {
      lines.push(takeLine(chunk.subarray(begin, end + 1)))
      begin = end + 1
    }
    if (begin < chunk.length) {
      chunks.push(chunk.subarray(begin))
      bufferedBytes += chunk.length - begin
      if (bufferedBytes > maxLineBytes) rejectLine(number + 1, 'is too long')
    }
    if (lines.length > 0) yield lines
  }
  if (bufferedBytes > 0) yield [takeLine(Buffer.alloc(0))]
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function parseLine({ number, bytes }: FileLine): { text: string; value: Record<string, unknown> } {
  try {
    const text = utf8.decode(bytes)
    const value = JSON.parse(text)
    if (isObject(value)) return { text, value }
  } catch {} // said below
  return rejectLine(number, 'is not a JSON object')
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
