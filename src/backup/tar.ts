// The tar format (ustar), as far as a backup needs it: files and folders with short names, written and read in a stream.
import { DamagedFile } from './sealed-file.ts'

const blockBytes = 512
const longestName = 100
const largestSize = 8 ** 11 - 1

interface TarHeader {
  readonly name: string
  readonly kind: 'file' | 'folder'
  readonly size: number
}

export interface TarEntry extends TarHeader {
  /** To be read before the next entry is asked for. */
  readonly content: AsyncIterable<Buffer>
}

/** Where each field begins and how long it is. */
const fields = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  time: [136, 12],
  sum: [148, 8],
  kind: [156, 1],
  magic: [257, 8],
} as const

export const tarFile = (name: string, size: number): Buffer => header({ name, kind: 'file', size })
export const tarFolder = (name: string): Buffer => header({ name, kind: 'folder', size: 0 })

/** What follows the content of a file. */
export const tarPadding = (size: number): Buffer => Buffer.alloc(-size & (blockBytes - 1))
export const tarEnd = Buffer.alloc(2 * blockBytes)

function header({ name, kind, size }: TarHeader): Buffer {
  const block = Buffer.alloc(blockBytes)
  const written = kind === 'folder' ? `${name}/` : name
  if (Buffer.byteLength(written) > longestName) throw new Error(`The name ${name} is too long for a backup.`)
  if (size > largestSize) throw new Error(`${name} is too large for a backup.`)
  const put = ([offset, length]: readonly [number, number], text: string) => block.write(text.slice(0, length), offset)
  const octal = (field: readonly [number, number], value: number) =>
    put(field, `${value.toString(8).padStart(field[1] - 1, '0')}\0`)
  put(fields.name, written)
  octal(fields.mode, kind === 'folder' ? 0o700 : 0o600)
  octal(fields.uid, 0)
  octal(fields.gid, 0)
  octal(fields.size, size)
  octal(fields.time, Math.floor(Date.now() / 1_000))
  put(fields.kind, kind === 'folder' ? '5' : '0')
  put(fields.magic, 'ustar\x0000')
  put(fields.sum, `${sumOf(block).toString(8).padStart(6, '0')}\0 `)
  return block
}

/** The sum of all bytes, those of the sum itself counted as spaces. */
function sumOf(block: Buffer): number {
  const [offset, length] = fields.sum
  const own = block.subarray(offset, offset + length).reduce((sum, byte) => sum + byte, 0)
  return block.reduce((sum, byte) => sum + byte, 0) - own + length * 0x20
}

/** Reads to the end of the source, also what follows the last entry. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const reader = createReader(source)
  try {
    for (;;) {
      const block = await reader.take(blockBytes)
      if (block.every((byte) => byte === 0)) break
      const { name, kind, size } = parseHeader(block)
      let left = size
      const content = async function* () {
        while (left > 0) {
          const piece = await reader.some(left)
          left -= piece.length
          yield piece
        }
      }
      yield { name, kind, size, content: content() }
      while (left > 0) left -= (await reader.some(left)).length
      await reader.take(tarPadding(size).length)
    }
    await reader.drain()
  } finally {
    await reader.close()
  }
}

function parseHeader(block: Buffer): TarHeader {
  const text = ([offset, length]: readonly [number, number]) =>
    block
      .subarray(offset, offset + length)
      .toString('utf8')
      .replace(/\0.*$/s, '')
  const size = Number.parseInt(text(fields.size), 8)
  if (Number.parseInt(text(fields.sum), 8) !== sumOf(block) || !(size >= 0)) {
    throw new DamagedFile('The backup is damaged: a header in it is wrong')
  }
  const kind = text(fields.kind) === '5' ? 'folder' : 'file'
  return { name: text(fields.name).replace(/\/$/, ''), kind, size }
}

/** Gives out a stream of chunks in pieces of the sizes that are asked for. */
function createReader(source: AsyncIterable<Buffer>) {
  const iterator = source[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  /** At least one byte, and at most so many. */
  const some = async (most: number): Promise<Buffer> => {
    while (rest.length === 0) {
      const { done, value } = await iterator.next()
      if (done) throw new DamagedFile('The backup ends in the middle')
      rest = value
    }
    const piece = rest.subarray(0, most)
    rest = rest.subarray(piece.length)
    return piece
  }
  return {
    some,
    async take(bytes: number): Promise<Buffer> {
      const pieces: Buffer[] = []
      for (let left = bytes; left > 0; left -= pieces.at(-1)!.length) pieces.push(await some(left))
      return Buffer.concat(pieces)
    },
    async drain(): Promise<void> {
      while (!(await iterator.next()).done);
    },
    async close(): Promise<void> {
      await iterator.return?.()
    },
  }
}
