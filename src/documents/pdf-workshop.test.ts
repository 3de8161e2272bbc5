// The workshop at work: it keeps nobody else waiting, and neither a crowd nor a document that is too much brings it down.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sheetOf } from '../../test/sheets.ts'
import { pdfOf } from './pdf.ts'
import { WorkshopAway, workshop } from './pdf-workshop.ts'
import type { Sheet } from './sheet.ts'

const heavy = sheetOf({
  lines: Array.from({ length: 200 }, () => ({
    name: 'a',
    description: 'word '.repeat(400),
    quantity: 1,
    unitPrice: 1,
  })),
})

const opened = () => {
  const pdfs = workshop()
  after(() => pdfs.close())
  return pdfs
}
const isPdf = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1').startsWith('%PDF-')

test('a PDF from the workshop is the one that is made without it', async () => {
  assert.deepEqual(Buffer.from(await opened().make(sheetOf())), Buffer.from(await pdfOf(sheetOf())))
})

test('everything else goes on while a long PDF is made', async () => {
  const pdfs = opened()
  await pdfs.make(sheetOf())
  let ticks = 0
  const timer = setInterval(() => ticks++, 10)
  const bytes = await pdfs.make(heavy)
  clearInterval(timer)
  assert.ok(isPdf(bytes))
  assert.ok(ticks >= 20, `${ticks} times`)
})

test('PDFs asked for at once are all made, each its own', async () => {
  const pdfs = opened()
  const sheets = Array.from({ length: 10 }, (_, index) => sheetOf({ number: `Q-${index}`, kind: 'quote' }))
  const made = await Promise.all(sheets.map((sheet) => pdfs.make(sheet)))
  for (const [index, sheet] of sheets.entries())
    assert.deepEqual(Buffer.from(made[index]!), Buffer.from(await pdfOf(sheet)), sheet.number)
})

test('where twenty wait, the next is refused at once, and the twenty are made', async () => {
  const pdfs = opened()
  const settled: string[] = []
  const asked = Array.from({ length: 22 }, (_, index) =>
    pdfs.make(sheetOf()).then(
      () => settled.push('made'),
      (error: unknown) => {
        assert.ok(error instanceof WorkshopAway)
        settled.push(`refused ${index}`)
      },
    ),
  )
  await Promise.all(asked)
  assert.deepEqual(settled, ['refused 21', ...Array(21).fill('made')])
})

test('a document that takes too long is given up in the middle, and the next is made', async () => {
  const pdfs = opened()
  await pdfs.make(sheetOf())
  const [late, next] = await Promise.allSettled([pdfs.make(heavy, 50), pdfs.make(sheetOf())])
  assert.ok(late.status === 'rejected' && late.reason instanceof WorkshopAway)
  assert.equal(late.reason.message, 'The PDF took too long to make')
  assert.ok(next.status === 'fulfilled' && isPdf(next.value))
})

test('a document that needs more memory than the thread has ends the thread only, and the next is made', async () => {
  const pdfs = opened()
  const [huge, next] = await Promise.allSettled([
    pdfs.make(sheetOf({ title: 'ab '.repeat(20_000_000) }), 60_000),
    pdfs.make(sheetOf()),
  ])
  assert.ok(huge.status === 'rejected' && huge.reason instanceof WorkshopAway)
  assert.equal(huge.reason.message, 'The PDF was not finished')
  assert.ok(next.status === 'fulfilled' && isPdf(next.value))
})

test('a document that cannot be made is told in one sentence, and the next is made', async () => {
  const pdfs = opened()
  const broken = { ...sheetOf(), lines: null } as unknown as Sheet
  await assert.rejects(pdfs.make(broken), (error: Error) => {
    assert.ok(!(error instanceof WorkshopAway))
    assert.equal(error.message, 'The PDF could not be made')
    return true
  })
  const notEvenSent = { ...sheetOf(), title: () => '' } as unknown as Sheet
  await assert.rejects(pdfs.make(notEvenSent), { message: 'The PDF could not be made' })
  assert.ok(isPdf(await pdfs.make(sheetOf())))
})

test('a workshop that closes lets go of what waits, and takes nothing more', async () => {
  const pdfs = workshop()
  const asked = Promise.allSettled([pdfs.make(heavy), pdfs.make(sheetOf())])
  await pdfs.close()
  for (const one of await asked) assert.ok(one.status === 'rejected' && one.reason instanceof WorkshopAway)
  await assert.rejects(pdfs.make(sheetOf()), WorkshopAway)
})
