// The records of a page from PostgreSQL's one text to the JSON of an answer, in one pass over its bytes: what row-codec.ts does
// for one record, without a string for each value (docs/decisions/database.md).
import { maxPageBytes, separators } from './row-format.ts'

/** How the value of a field becomes JSON: text is quoted, a moment is rewritten, anything else is JSON already. */
export type ValueKind = 'text' | 'moment' | 'other'

/**
 * The page that is read, and the bytes that are written. There is one place for each, since an answer is written without a pause:
 * bytes of its own for every answer would be freed by the collector of garbage, which takes longer than writing them.
 */
let page = Buffer.allocUnsafeSlow(65_536)
let bytes = Buffer.allocUnsafeSlow(65_536)
let length = 0
/** Room for a page as long as they get; what was needed once for one long record is not kept. */
const maxKept = 4_194_304

function readPage(text: string): number {
  const size = Buffer.byteLength(text)
  if (size > page.length) page = Buffer.allocUnsafeSlow(size)
  return page.write(text)
}

function reserve(more: number): void {
  if (length + more <= bytes.length) return
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * bytes.length, length + more))
  bytes.copy(larger, 0, 0, length)
  bytes = larger
}

function writeText(text: string): void {
  reserve(3 * text.length)
  length += bytes.write(text, length)
}

function finish(): string {
  const written = bytes.toString('utf8', 0, length)
  if (bytes.length > maxKept) bytes = Buffer.allocUnsafeSlow(65_536)
  if (page.length > maxKept) page = Buffer.allocUnsafeSlow(65_536)
  return written
}

/** Of a page: how many of its records stand in the answer, and what tells how it goes on. */
export interface WrittenRecords {
  readonly count: number
  /** Those that PostgreSQL sent whole. */
  readonly found: number
  readonly hasMore: boolean
  /** The id of the last record in the answer. */
  readonly lastId: string
}

export interface RecordWriter<Context> {
  /**
   * A JSON text with the records of a page, at most so many. What stands after them depends on how many there were. What was
   * cut off because the page is too long is left out.
   */
  writePage(
    page: string | null,
    most: number,
    context: Context,
    around: { readonly before: string; after(written: WrittenRecords): string },
  ): { readonly json: string; readonly isCut: boolean; readonly found: number; readonly bytes: number }
}

interface WrittenField<Context> {
  readonly name: string
  readonly kind: ValueKind
  /** Its JSON from its text, where that takes more than its kind tells. */
  readonly toJson: ((value: string, context: Context, id: string) => string) | undefined
}

/** More are copied at once, which takes longer for a few. */
const maxByteByByte = 64

const { unit, record: recordEnd, nothing, cut } = separators
const [quote, backslash, comma, zero, dot] = [0x22, 0x5c, 0x2c, 0x30, 0x2e]

export function recordWriter<Context>(row: string, fields: readonly WrittenField<Context>[]): RecordWriter<Context> {
  const names = fields.map(({ name }, index) => Buffer.from(`${index === 0 ? '{' : ','}"${name}":`))
  const kinds = fields.map(({ kind }) => kind)
  const transforms = fields.map(({ toJson }) => toJson)
  const last = fields.length - 1
  /** What a record takes besides its values, each of which may be null, quoted or a moment. */
  const fixedBytes = names.reduce((sum, name) => sum + name.length, 0) + 8 * names.length + 2

  function writeRecord(source: Buffer, from: number, to: number, context: Context): void {
    reserve(6 * (to - from) + fixedBytes) // an escaped control character takes six
    let target = bytes
    let place = length
    let at = from
    for (let field = 0; ; field++) {
      const name = names[field]!
      for (let n = 0; n < name.length; n++) target[place++] = name[n]!
      if (at < to && source[at] === nothing && (at + 1 === to || source[at + 1] === unit)) {
        at++
        target[place++] = 0x6e // null
        target[place++] = 0x75
        target[place++] = 0x6c
        target[place++] = 0x6c
      } else if (transforms[field] !== undefined) {
        const end = endOfValue(source, at, to)
        const id = source.toString('utf8', from, endOfValue(source, from, to))
        length = place
        writeText(transforms[field]!(source.toString('utf8', at, end), context, id))
        reserve(6 * (to - end) + fixedBytes)
        target = bytes
        place = length
        at = end
      } else if (kinds[field] === 'text') {
        target[place++] = quote
        for (; at < to; at++) {
          const byte = source[at]!
          if (byte > backslash || (byte > quote && byte < backslash) || byte === 0x20 || byte === 0x21)
            target[place++] = byte
          else if (byte === unit) break
          else place = writeEscaped(target, place, byte)
        }
        target[place++] = quote
      } else if (kinds[field] === 'moment') {
        const end = endOfValue(source, at, to)
        place = writeMoment(target, place, source, at, end)
        at = end
      } else {
        const few = Math.min(to, at + maxByteByByte)
        for (; at < few && source[at] !== unit; at++) target[place++] = source[at]!
        if (at === few && at < to) {
          const unitAt = source.indexOf(unit, at)
          const end = unitAt < 0 || unitAt > to ? to : unitAt
          place += source.copy(target, place, at, end)
          at = end
        }
      }
      if (at === to && field === last) break
      if (at === to || field === last) throw new Error(`A record of ${row} holds a separator`)
      at++
    }
    target[place++] = 0x7d // }
    length = place
  }

  return {
    writePage(text, most, context, { before, after }) {
      length = 0
      writeText(before)
      const size = text === null ? 0 : readPage(text)
      const end = size > maxPageBytes ? endOfWhole(size, page[size - 1] === cut) : size
      const isCut = end < size
      let count = 0
      let lastStart = 0
      let start = 0
      if (text !== null)
        for (; start <= end && count < most; count++) {
          const stop = endOfRecord(start, end)
          if (count > 0) bytes[length++] = comma // reserved with the record before it
          writeRecord(page, start, stop, context)
          lastStart = start
          start = stop + 1
        }
      const found = text === null ? 0 : count + recordsBetween(start, end)
      const lastId = count === 0 ? '' : page.toString('utf8', lastStart, endOfValue(page, lastStart, end))
      writeText(after({ count, found, hasMore: isCut || found > count, lastId }))
      return { json: finish(), isCut, found, bytes: end }
    },
  }
}

function endOfRecord(start: number, end: number): number {
  const separator = page.indexOf(recordEnd, start)
  return separator < 0 || separator > end ? end : separator
}

function endOfValue(source: Buffer, from: number, to: number): number {
  let end = from
  while (end < to && source[end] !== unit && source[end] !== recordEnd) end++
  return end
}

/** How many begin after the one that was read last. */
function recordsBetween(start: number, end: number): number {
  let count = 0
  for (let at = start; at <= end; at = endOfRecord(at, end) + 1) count++
  return count
}

/** Where the records that a page has room for end: one at least. Of a text that was cut off the last one is not whole. */
function endOfWhole(size: number, isCutOff: boolean): number {
  let end = 0
  let total = 0
  for (let start = 0; ; start = end + 1) {
    const separator = endOfRecord(start, size)
    if (separator === size && isCutOff) return end
    total += separator - start
    if (start > 0 && total > maxPageBytes) return end
    end = separator
    if (separator === size) return end
  }
}

const shortEscapes: Readonly<Record<number, number>> = {
  8: 0x62,
  9: 0x74,
  10: 0x6e,
  12: 0x66,
  13: 0x72,
  34: quote,
  92: backslash,
}
const hexDigits = Buffer.from('0123456789abcdef')

/** As JSON.stringify has it. */
function writeEscaped(target: Buffer, from: number, byte: number): number {
  let place = from
  target[place++] = backslash
  const short = shortEscapes[byte]
  if (short !== undefined) {
    target[place++] = short
    return place
  }
  target[place++] = 0x75 // u
  target[place++] = zero
  target[place++] = zero
  target[place++] = hexDigits[byte >> 4]!
  target[place++] = hexDigits[byte & 15]!
  return place
}

/** `2026-11-15 03:35:16.21+00`, as PostgreSQL prints it in UTC, in our one way: with T, milliseconds and Z. */
function writeMoment(target: Buffer, from: number, source: Buffer, start: number, end: number): number {
  let place = from
  target[place++] = quote
  for (let at = start; at < start + 19; at++) target[place++] = source[at]!
  target[from + 11] = 0x54 // T
  // What PostgreSQL leaves out of milliseconds are zeros at their end.
  target[place++] = dot
  const zone = end - 3
  for (let at = start + 20; at < start + 23; at++) target[place++] = at < zone ? source[at]! : zero
  target[place++] = 0x5a // Z
  target[place++] = quote
  return place
}
