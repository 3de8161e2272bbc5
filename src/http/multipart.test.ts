// Forms with files, however they are cut into pieces on the way; what is no such form is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readMultipart } from './multipart.ts'

/** As a browser writes it. */
async function sent(form: FormData): Promise<{ bytes: Buffer; type: string }> {
  const request = new Request('http://x.invalid', { method: 'POST', body: form })
  return { bytes: Buffer.from(await request.arrayBuffer()), type: request.headers.get('content-type')! }
}

async function read(pieces: readonly Buffer[], type: string, maxBytes = 1_048_576) {
  const files: { field: string; fileName: string; bytes: Buffer[] }[] = []
  const fields = await readMultipart(
    (async function* () {
      yield* pieces
    })(),
    type,
    async (part) => {
      const file = { ...part, bytes: [] as Buffer[] }
      files.push(file)
      return { write: async (bytes) => void file.bytes.push(Buffer.from(bytes)), end: async () => {} }
    },
    maxBytes,
  )
  return {
    fields: [...fields],
    files: files.map(({ bytes, ...file }) => ({ ...file, text: Buffer.concat(bytes).toString('latin1') })),
  }
}

const cut = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

test('what a browser sends is read the same however it is cut', async () => {
  const name = fc.stringMatching(/^[a-z]{1,8}$/)
  // Bytes that look like the beginning of a boundary are the ones that go wrong.
  const content = fc
    .array(fc.constantFrom('\r', '\n', '\r\n--', '-', 'x', '\u00ff', '------'), { maxLength: 30 })
    .map((all) => all.join(''))
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ name, text: fc.string() }), { maxLength: 4 }),
      fc.array(fc.record({ name, content }), { maxLength: 3 }),
      fc.array(fc.nat(), { maxLength: 12 }),
      async (texts, files, places) => {
        const form = new FormData()
        for (const one of texts) form.append(one.name, one.text)
        for (const one of files) form.append('files', new Blob([Buffer.from(one.content, 'latin1')]), `${one.name}.csv`)
        const { bytes, type } = await sent(form)
        assert.deepEqual(await read(cut(bytes, places), type), {
          // A form has lines as forms have them, whatever was typed.
          fields: texts.map((one) => [one.name, one.text.replaceAll(/\r\n|\r|\n/g, '\r\n').toWellFormed()]),
          files: files.map((one) => ({ field: 'files', fileName: `${one.name}.csv`, text: one.content })),
        })
      },
    ),
    { numRuns: 200 },
  )
})

test('what ends too soon, has no boundary, or is far too much, is refused in words', async () => {
  const form = new FormData()
  form.append('a', 'b')
  const { bytes, type } = await sent(form)
  await assert.rejects(read([bytes.subarray(0, -4)], type), /ended too soon/)
  await assert.rejects(read([bytes], 'multipart/form-data'), /no boundary/)
  await assert.rejects(
    read([Buffer.concat([bytes.subarray(0, 40), Buffer.alloc(20_000, 0x61)])], type),
    /cannot be read|ended too soon/,
  )
  const long = new FormData()
  long.append('a', 'x'.repeat(70_000))
  const longOne = await sent(long)
  await assert.rejects(read([longOne.bytes], longOne.type), /too long/)
  const many = new FormData()
  for (let n = 0; n <= 100; n++) many.append('a', '')
  const manyOnes = await sent(many)
  await assert.rejects(read([manyOnes.bytes], manyOnes.type), /at most 100 fields and files/)
})

test('every byte counts, of fields, of files that were not chosen and of what comes after the end, and nothing is read beyond', async () => {
  for (const parts of [{ a: 'x'.repeat(600) }, { a: new File(['x'.repeat(600)], '') }, {}]) {
    const form = new FormData()
    for (const [name, value] of Object.entries(parts)) form.append(name, value)
    const { bytes, type } = await sent(form)
    let isReadBeyond = false
    const pieces = (function* () {
      yield Buffer.concat([bytes, Buffer.alloc(600)])
      isReadBeyond = true
      yield Buffer.alloc(1)
    })()
    const body = { [Symbol.asyncIterator]: () => ({ next: async () => pieces.next() }) } as AsyncIterable<Buffer>
    await assert.rejects(
      readMultipart(body, type, () => assert.fail('there is no file'), 512),
      { status: 413 },
    )
    assert.equal(isReadBeyond, false)
  }
})

test('a file that breaks off, or cannot be written, is closed once', async () => {
  const form = new FormData()
  form.append('files', new File(['x'.repeat(600)], 'a.csv'))
  const { bytes, type } = await sent(form)
  for (const fault of ['cut', 'full', undefined]) {
    let ends = 0
    const pieces = [bytes.subarray(0, 300), ...(fault === 'cut' ? [] : [bytes.subarray(300)])]
    const reading = readMultipart(
      (async function* () {
        yield* pieces
        if (fault === 'cut') throw new Error('hung up')
      })(),
      type,
      async () => ({
        write: async () => {
          if (fault === 'full') throw new Error('no space')
        },
        end: async () => void ends++,
      }),
      1_048_576,
    )
    await (fault ? assert.rejects(reading, /hung up|no space/) : reading)
    assert.equal(ends, 1, fault)
  }
})
