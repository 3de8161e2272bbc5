// What is stored and read again: every flipped byte, every cut, and every piece that is missing is noticed.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { waitUntil } from '../../prove/wait-until.ts'
import { contentEntry } from './data-files.ts'
import { DamagedFile, readSealedFile, writeSealedFile } from './sealed-file.ts'
import { readTar, tarEnd, tarFile, tarFolder } from './tar.ts'
import { missingSegment, segmentAt, segmentNumber, segmentsBetween, startOfSegment } from './wal.ts'

const folder = await mkdtemp(join(tmpdir(), 'jobwright-sealed-'))
after(() => rm(folder, { recursive: true, force: true }))
const file = join(folder, 'file.gz')

async function* pieces(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text)
}
const read = async (path: string): Promise<string> =>
  Buffer.concat(await Array.fromAsync(readSealedFile(path))).toString('utf8')

describe('a sealed file', () => {
  it('is read as it was written, by any gzip too, and is its owner’s alone', async () => {
    await writeSealedFile(file, pieces('one ', 'two'))
    assert.equal(await read(file), 'one two')
    assert.equal(
      execFileSync('gzip', ['-dc', file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
      'one two',
    )
    assert.equal((await stat(file)).mode & 0o777, 0o600)
  })

  it('with any byte flipped is refused', async () => {
    const whole = await readFile(file)
    const damaged = join(folder, 'damaged.gz')
    for (let position = 0; position < whole.length; position++) {
      const bytes = Buffer.from(whole)
      bytes[position]! ^= 1 << (position % 8)
      await writeFile(damaged, bytes)
      await assert.rejects(read(damaged), DamagedFile, `byte ${position}`)
    }
  })

  it('with its end cut off, or something behind it, is refused', async () => {
    const whole = await readFile(file)
    const other = join(folder, 'other.gz')
    for (let length = 0; length < whole.length; length++) {
      await writeFile(other, whole.subarray(0, length))
      await assert.rejects(read(other), DamagedFile, `${length} bytes`)
    }
    await writeFile(other, Buffer.concat([whole, Buffer.alloc(1)]))
    await assert.rejects(read(other), DamagedFile)
  })

  it('has its name only when it is whole, and what failed leaves nothing', async () => {
    const target = join(folder, 'failed.gz')
    const names = async () => (await readdir(folder)).filter((name) => name.startsWith('failed'))
    async function* failing() {
      yield Buffer.from('half')
      await waitUntil(async () => (await names()).length > 0, 'the file', 10_000)
      assert.deepEqual(await names(), ['failed.gz.part'])
      throw new Error('the disk is full')
    }
    await assert.rejects(writeSealedFile(target, failing()), /the disk is full/)
    assert.deepEqual(await names(), [])
  })
})

describe('an archive', () => {
  async function* archive() {
    yield tarFolder('postgres')
    yield* contentEntry('postgres/empty', Buffer.alloc(0))
    yield* contentEntry('postgres/exact', Buffer.alloc(512, 'x'))
    yield* contentEntry('postgres/text', Buffer.from('hello'))
    yield tarEnd
  }
  const listed = async (source: AsyncIterable<Buffer>) => {
    const found: string[] = []
    for await (const { name, kind, size, content } of readTar(source)) {
      const bytes = Buffer.concat(await Array.fromAsync(content))
      found.push(`${kind} ${name} ${size} ${bytes.length} ${bytes.subarray(0, 5)}`)
    }
    return found
  }
  const expected = [
    'folder postgres 0 0 ',
    'file postgres/empty 0 0 ',
    'file postgres/exact 512 512 xxxxx',
    'file postgres/text 5 5 hello',
  ]

  it('is read as it was written, in whatever pieces it arrives, and by tar', async () => {
    const bytes = Buffer.concat(await Array.fromAsync(archive()))
    for (const size of [1, 7, 512, 100_000]) {
      const chunks = async function* () {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
      }
      assert.deepEqual(await listed(chunks()), expected, `pieces of ${size}`)
    }
    const names = execFileSync('tar', ['-tf', '-'], { input: bytes, encoding: 'utf8' })
    assert.equal(names, 'postgres/\npostgres/empty\npostgres/exact\npostgres/text\n')
  })

  it('is read on where an entry was passed over', async () => {
    const names: string[] = []
    for await (const { name } of readTar(archive())) names.push(name)
    assert.equal(names.length, expected.length)
  })

  it('that ends in the middle, or whose header is wrong, is refused', async () => {
    const bytes = Buffer.concat(await Array.fromAsync(archive()))
    const cut = async function* () {
      yield bytes.subarray(0, bytes.length - 1_100)
    }
    await assert.rejects(listed(cut()), DamagedFile)
    const wrong = async function* () {
      const header = tarFile('postgres/a', 0)
      header[3]! ^= 1
      yield header
      yield tarEnd
    }
    await assert.rejects(listed(wrong()), DamagedFile)
  })
})

it('segments of the log are named and counted as PostgreSQL does', () => {
  assert.equal(segmentNumber('000000010000000000000009'), 9)
  assert.equal(segmentNumber('000000030000000200000001'), 513)
  assert.equal(segmentAt('0/9000028'), 9)
  assert.equal(segmentAt('2/1000000'), 513)
  assert.equal(startOfSegment(513), '2/1000000')
  assert.deepEqual(segmentsBetween('0000000100000000000000FE', '000000010000000100000000'), [
    '0000000100000000000000FE',
    '0000000100000000000000FF',
    '000000010000000100000000',
  ])
  assert.equal(missingSegment(5, [5, 6, 8]), 7)
  assert.equal(missingSegment(5, [6]), 5)
  assert.equal(missingSegment(5, [5, 6]), undefined)
})
