// Gzip files with the SHA-256 of all their bytes at the end: what was flipped or cut off is noticed, and any gzip reads them.
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

/** A file that is not, or no longer, what was written. */
export class DamagedFile extends Error {}

const chunkSize = 256 * 1024
/** The lowest: pages of a database come to a quarter of their size with it, and a higher one takes several times as long. */
const level = 1

/** The name of a file that is being written: what bears its own name is whole. */
export const partOf = (file: string): string => `${file}.part`

/** For its owner alone to read. On the disk when this resolves. */
export async function writeSealedFile(
  file: string,
  content: AsyncIterable<Buffer>,
  signal?: AbortSignal,
): Promise<void> {
  const part = partOf(file)
  try {
    await rm(part, { force: true }) // of a run that was killed
    const output = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true })
    await pipeline(content, createGzip({ level, chunkSize }), seal, output, signal ? { signal } : {})
    await rename(part, file)
    await syncFolder(dirname(file)) // the new name, too, must survive a power cut
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path)
  await folder.sync()
}

async function* seal(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const chunk of source) {
    hash.update(chunk)
    yield chunk
  }
  yield sealOf(hash.digest('hex'))
}

const sealWord = 'jobwright sha256 '

/** A gzip member of its own that holds nothing: RFC 1952 lets a comment stand in its header, and members follow each other. */
function sealOf(digest: string): Buffer {
  const header = Buffer.from([0x1f, 0x8b, 8, 0x10, 0, 0, 0, 0, 0, 0xff])
  const nothing = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  return Buffer.concat([header, Buffer.from(`${sealWord}${digest}\0`, 'latin1'), nothing])
}
const sealBytes = sealOf('0'.repeat(64)).length

/** The content, in pieces. Whoever reads to the end without a `DamagedFile` has what was written. */
export async function* readSealedFile(file: string): AsyncGenerator<Buffer> {
  await using handle = await open(file)
  const { size } = await handle.stat()
  const found = Buffer.alloc(sealBytes)
  await handle.read(found, 0, sealBytes, Math.max(0, size - sealBytes))
  if (size <= sealBytes || !found.includes(sealWord)) {
    throw new DamagedFile(`${file} does not end as a backup ends: it was cut off, or is none`)
  }
  const hash = createHash('sha256')
  const hashed = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      hash.update(chunk)
      yield chunk
    }
  }
  const source = handle.createReadStream({ end: size - sealBytes - 1, autoClose: false, highWaterMark: chunkSize })
  const gunzip = createGunzip({ chunkSize })
  const finished = pipeline(source, hashed, gunzip)
  finished.catch(() => {}) // whoever reads hears of it below
  try {
    yield* gunzip
    await finished
  } catch (error) {
    throw new DamagedFile(`${file} is damaged`, { cause: error })
  } finally {
    gunzip.destroy()
  }
  if (!found.equals(sealOf(hash.digest('hex'))))
    throw new DamagedFile(`${file} is damaged: its checksum is another one`)
}
