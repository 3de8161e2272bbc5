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
export const shownChecksum = (hash: Hash): string => `sha256:${hash.digest('hex')}`

/** More than the largest record, which is a form with photos, takes in its longest spelling. */
export const longestLineBytes = 16 * 1_048_576

export interface Line {
  readonly number: number
  /** With its end. */
  readonly bytes: Buffer
}

/** What is wrong with the file, and where. */
export class FileError extends Error {}

export const refuseLine = (number: number, why: string): never => {
  throw new FileError(`Line ${number}: ${why}`)
}

/** The lines of what arrives, as many as each piece completes. */
export async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  let number = 0
  let pieces: Buffer[] = []
  let held = 0
  const taken = (bytes: Buffer): Line => {
    number++
    const whole = pieces.length > 0 ? Buffer.concat([...pieces, bytes]) : bytes
    pieces = []
    held = 0
    if (whole.length > longestLineBytes) refuseLine(number, 'is too long')
    return { number, bytes: whole }
  }
  for await (const chunk of source) {
    const lines: Line[] = []
    let begin = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, begin)) {
      lines.push(taken(chunk.subarray(begin, end + 1)))
      begin = end + 1
    }
    if (begin < chunk.length) {
      pieces.push(chunk.subarray(begin))
      held += chunk.length - begin
      if (held > longestLineBytes) refuseLine(number + 1, 'is too long')
    }
    if (lines.length > 0) yield lines
  }
  if (held > 0) yield [taken(Buffer.alloc(0))]
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function objectIn({ number, bytes }: Line): { text: string; value: Record<string, unknown> } {
  try {
    const text = utf8.decode(bytes)
    const value = JSON.parse(text)
    if (isObject(value)) return { text, value }
  } catch {} // said below
  return refuseLine(number, 'is not a JSON object')
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
