// The workshop at work: it keeps nobody else waiting, and neither a crowd nor a document that is too much brings it down.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { printDocument } from '../../../test/print-documents.ts'
import { sessionPriority, threadPriorities } from '../../../test/priorities.ts'
import type { PrintDocument } from '../print-document.ts'
import { renderPdf } from './pdf.ts'
import { createPdfQueue } from './pdf-queue.ts'
import { createPdfRenderer, PdfUnavailable } from './pdf-renderer.ts'

const orgId = 'org_one'
const heavy = printDocument({
  lines: Array.from({ length: 100 }, () => ({
    name: 'a',
    description: 'word '.repeat(400),
    quantity: 1,
    unitPrice: 1,
  })),
})

const openQueue = () => {
  const pdfs = createPdfQueue()
  after(() => pdfs.close())
  return pdfs
}
const isPdf = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1').startsWith('%PDF-')

test('a PDF from the queue is the one that is rendered without it', async () => {
  assert.deepEqual(
    Buffer.from(await openQueue().render(printDocument(), { orgId })),
    Buffer.from(await renderPdf(printDocument())),
  )
})

test('everything else goes on while a long PDF is made', async () => {
  const pdfs = openQueue()
  await pdfs.render(printDocument(), { orgId })
  let ticks = 0
  const timer = setInterval(() => ticks++, 10)
  const bytes = await pdfs.render(heavy, { orgId, timeoutMs: 60_000 })
  clearInterval(timer)
  assert.ok(isPdf(bytes))
  assert.ok(ticks >= 20, `${ticks} times`)
})

test('PDFs asked for at once are all made, each its own', async () => {
  const pdfs = openQueue()
  const documents = Array.from({ length: 10 }, (_, index) => printDocument({ number: `Q-${index}`, kind: 'quote' }))
  const made = await Promise.all(documents.map((document) => pdfs.render(document, { orgId })))
  for (const [index, document] of documents.entries())
    assert.deepEqual(Buffer.from(made[index]!), Buffer.from(await renderPdf(document)), document.number)
})

test('in the background the next of an organisation rests as long as the last one took, and nobody else does', async () => {
  const pdfs = openQueue()
  await pdfs.render(printDocument(), { orgId })
  const startedAt = performance.now()
  await pdfs.render(heavy, { orgId, isBackground: true, timeoutMs: 60_000 })
  const tookMs = performance.now() - startedAt
  const next = pdfs.render(printDocument(), { orgId, isBackground: true })
  let isNextMade = false
  next.then(() => {
    isNextMade = true
  })
  await pdfs.render(printDocument(), { orgId })
  await pdfs.render(printDocument(), { orgId: 'org_other', isBackground: true })
  assert.equal(isNextMade, false)
  await next
  assert.ok(performance.now() - startedAt >= 2 * tookMs, 'a rest as long as the work')
})

test('after a long PDF an organisation rests before its next', async () => {
  const pdfs = openQueue()
  await pdfs.render(printDocument(), { orgId })
  const long = pdfs.render(heavy, { orgId, timeoutMs: 60_000 })
  const next = pdfs.render(printDocument(), { orgId })
  await long
  const restsFrom = performance.now()
  await next
  const restedMs = performance.now() - restsFrom
  assert.ok(restedMs >= 490, `${restedMs} ms`)
})

test('where twenty wait, the next is refused at once, and the twenty are made', async () => {
  const pdfs = openQueue()
  const settled: string[] = []
  const requests = Array.from({ length: 22 }, (_, index) =>
    pdfs.render(printDocument(), { orgId }).then(
      () => settled.push('made'),
      (error: unknown) => {
        assert.ok(error instanceof PdfUnavailable)
        settled.push(`refused ${index}`)
      },
    ),
  )
  await Promise.all(requests)
  assert.deepEqual(settled, ['refused 21', ...Array(21).fill('made')])
})

test('an organisation with many long PDFs does not delay the PDF of another', async () => {
  const pdfs = openQueue()
  // Both processes have their fonts, and whoever was first to use them may rest.
  await Promise.all(['org_first', 'org_second'].map((each) => pdfs.render(printDocument(), { orgId: each })))
  const settled: string[] = []
  const render = (document: PrintDocument, of: string) =>
    pdfs.render(document, { orgId: of, timeoutMs: 60_000 }).then(() => settled.push(of))
  await Promise.all([...Array.from({ length: 3 }, () => render(heavy, orgId)), render(printDocument(), 'org_other')])
  assert.deepEqual(settled, ['org_other', orgId, orgId, orgId])
})

test('a full queue takes the PDF of an organisation that has none in it', async () => {
  const pdfs = openQueue()
  const many = Array.from({ length: 21 }, () => pdfs.render(printDocument(), { orgId }))
  const two = ['org_second', 'org_third'].map((each) => pdfs.render(printDocument(), { orgId: each }))
  const outcomes = await Promise.allSettled([...many, ...two])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    [...Array(20).fill('fulfilled'), 'rejected', 'fulfilled', 'fulfilled'],
  )
})

test('one process serves one organisation, two serve more; requests go before all their threads', {
  skip: process.platform !== 'linux' && 'only Linux tells who has which priority',
}, async () => {
  const pdfs = openQueue()
  const before = childProcesses().length
  await Promise.all(Array.from({ length: 3 }, () => pdfs.render(printDocument(), { orgId })))
  assert.equal(childProcesses().length - before, 1)
  await Promise.all([orgId, 'org_second', 'org_third'].map((each) => pdfs.render(printDocument(), { orgId: each })))
  assert.equal(childProcesses().length - before, 2)
  for (const child of childProcesses().slice(before)) {
    assert.deepEqual(threadPriorities(child), [10])
    // Linux lets nobody but root change those of several sessions at once.
    for (let looks = 0; sessionPriority(child) === 0 && looks < 200; looks++) await delay(10)
    assert.equal(sessionPriority(child), sessionPriority(process.pid) === undefined ? undefined : 10)
  }
  assert.notEqual(sessionPriority(process.pid), 10)
  assert.ok(!threadPriorities(process.pid).includes(10), 'those of this process keep their own')
  await pdfs.close()
  assert.equal(childProcesses().length, before)
})

test('it is told nothing of the environment, and outlives what is meant for the service', {
  skip: process.platform !== 'linux' && 'only Linux tells what a process was told',
}, async () => {
  const renderer = createPdfRenderer()
  after(() => renderer.close())
  await renderer.render({ document: printDocument() }, 60_000)
  const child = childProcesses().at(-1)!
  const names = readFileSync(`/proc/${child}/environ`, 'utf8')
    .split('\0')
    .map((line) => line.split('=')[0]!)
  assert.deepEqual(
    names.filter((name) => !/^(NODE_(COMPILE_CACHE|CHANNEL_.*))?$/.test(name)),
    [],
  )
  const made = renderer.render({ document: heavy }, 60_000)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.kill(Number(child), signal)
  assert.ok(isPdf(await made))
})

test('a process without work ends after a while, and the next document has another', {
  skip: process.platform !== 'linux' && 'only Linux lists the children of a process',
}, async () => {
  const renderer = createPdfRenderer(1)
  after(() => renderer.close())
  const before = childProcesses().length
  await renderer.render({ document: printDocument() }, 60_000)
  for (let looks = 0; childProcesses().length > before; looks++) {
    assert.ok(looks < 500, 'it is still there')
    await delay(10)
  }
  assert.ok(isPdf(await renderer.render({ document: printDocument() }, 60_000)))
})

const childProcesses = () => readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean)
test('a document that takes too long is given up in the middle, and the next is made', async () => {
  const pdfs = openQueue()
  await pdfs.render(printDocument(), { orgId })
  const [late, next] = await Promise.allSettled([
    pdfs.render(heavy, { orgId, timeoutMs: 50 }),
    pdfs.render(printDocument(), { orgId }),
  ])
  assert.ok(late.status === 'rejected' && late.reason instanceof PdfUnavailable)
  assert.equal(late.reason.message, 'The PDF took too long to make')
  assert.ok(next.status === 'fulfilled' && isPdf(next.value))
})

test('a document that needs more memory than its process has ends that process only, and the next is made', async () => {
  const pdfs = openQueue()
  const timeoutMs = 120_000 // until its memory is full takes long on a machine that is busy, and the next waits for it
  const [huge, next] = await Promise.allSettled([
    pdfs.render(printDocument({ title: 'ab '.repeat(20_000_000) }), { orgId, timeoutMs }),
    pdfs.render(printDocument(), { orgId, timeoutMs }),
  ])
  assert.ok(huge.status === 'rejected' && huge.reason instanceof PdfUnavailable)
  assert.equal(huge.reason.message, 'The PDF was not finished')
  assert.ok(next.status === 'fulfilled' && isPdf(next.value))
})

test('a document that cannot be made is told in one sentence, and the next is made', async () => {
  const pdfs = openQueue()
  const broken = { ...printDocument(), lines: null } as unknown as PrintDocument
  await assert.rejects(pdfs.render(broken, { orgId }), (error: Error) => {
    assert.ok(!(error instanceof PdfUnavailable))
    assert.equal(error.message, 'The PDF could not be made')
    return true
  })
  const notEvenSent = { ...printDocument(), title: () => '' } as unknown as PrintDocument
  await assert.rejects(pdfs.render(notEvenSent, { orgId }), { message: 'The PDF could not be made' })
  assert.ok(isPdf(await pdfs.render(printDocument(), { orgId })))
})

test('a workshop that closes lets go of what waits, and takes nothing more', async () => {
  const pdfs = createPdfQueue()
  const requests = Promise.allSettled([pdfs.render(heavy, { orgId }), pdfs.render(printDocument(), { orgId })])
  await pdfs.close()
  for (const one of await requests) assert.ok(one.status === 'rejected' && one.reason instanceof PdfUnavailable)
  await assert.rejects(pdfs.render(printDocument(), { orgId }), PdfUnavailable)
})
