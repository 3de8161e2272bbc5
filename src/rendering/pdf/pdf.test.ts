// PDFs read back by a PDF reader: the text on every page, the heads and totals, and what fonts and strangers bring.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { XmlDocument } from 'libxml2-wasm'
import { getDocumentProxy } from 'unpdf'
import { hostileTexts, printDocument, printDocumentWithText, vat } from '../../../test/print-documents.ts'
import type { PrintDocument } from '../print-document.ts'
import { renderPdf } from './pdf.ts'
import { pdfFileName } from './pdf-file-name.ts'

interface Item {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly width: number
}

interface ReadPage {
  readonly width: number
  readonly height: number
  readonly items: readonly Item[]
  readonly text: string
}

async function read(bytes: Uint8Array) {
  const document = await getDocumentProxy(new Uint8Array(bytes))
  const info = (await document.getMetadata()).info as Readonly<Record<string, unknown>>
  const pages: ReadPage[] = []
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number)
    const [, , width, height] = page.view
    const { items } = await page.getTextContent()
    const texts = items.flatMap((item) => ('str' in item && item.str.trim() ? [item] : []))
    pages.push({
      width: width!,
      height: height!,
      items: texts.map(({ str, transform, width }) => ({ text: str.trim(), x: transform[4], y: transform[5], width })),
      text: texts
        .map(({ str }) => str.trim())
        .join(' ')
        .replace(/\s+/g, ' '),
    })
  }
  return { info, pages }
}

const renderAndRead = async (document: PrintDocument) => read(await renderPdf(document))

const manyLines = (count: number, description: string | null = null) =>
  Array.from({ length: count }, (_, index) => ({
    name: `Part ${index + 1}.`,
    description: description && `${description} (${index + 1})`,
    quantity: index + 1,
    unitPrice: 2.5,
    taxRate: vat,
  }))

test('a quote shows both parties, its lines and its totals on one A4 page', async () => {
  const { info, pages } = await renderAndRead(
    printDocument({ discount: { type: 'percent', value: 10 }, discountReason: 'Regular' }),
  )
  const [page] = pages
  assert.equal(pages.length, 1)
  assert.deepEqual([Math.round(page!.width), Math.round(page!.height)], [595, 842])
  for (const text of [
    'Harbour Street Repairs',
    'Tax number GB 123 4567 89',
    'Q-0007',
    'Amira Osei',
    '15 November 2026',
    'Valid until 15 December 2026',
    'Screen replacement, 6.1-inch OLED',
    'Serial number BX-55120-12x34',
    'Discount: Regular -£26.30',
    'VAT 20% on £236.70 £47.34',
    'Total £284.04',
    'Page 1 of 1',
  ])
    assert.ok(page!.text.includes(text), `${text} in ${page!.text}`)
  assert.equal(info.Title, 'Quote Q-0007, Harbour Street Repairs')
  assert.equal(info.Author, 'Harbour Street Repairs')
  assert.equal(info.Language, 'en-GB')
})

test('120 lines go over pages with the head on each, every line once, and the totals in one piece', async () => {
  const { pages } = await renderAndRead(
    printDocument({ kind: 'invoice', lines: manyLines(120, 'Removed, cleaned and fitted again') }),
  )
  assert.ok(pages.length >= 4)
  for (const [index, { text }] of pages.entries()) {
    assert.ok(text.includes('Description Quantity Unit price Tax Amount'), `head on page ${index + 1}`)
    assert.ok(text.includes(`Page ${index + 1} of ${pages.length}`))
    assert.ok(text.includes('INV-0042'))
  }
  const all = pages.map(({ text }) => text).join(' ')
  for (let line = 1; line <= 120; line++) assert.equal(all.split(`Part ${line}. `).length, 2, `Part ${line}`)
  const last = pages.at(-1)!.text
  assert.match(last, /Part 120\. .*Subtotal £18,150\.00 .*Total £21,780\.00/, 'the totals stand with the last line')
})

test('a head never stands without a row under it, and a document without lines has none', async () => {
  const { pages } = await renderAndRead(printDocumentWithText(hostileTexts.join('\n'), { kind: 'invoice' }))
  const heads = pages.flatMap(({ text }) => text.split('Description Quantity Unit price Tax Amount ').slice(1))
  assert.ok(heads.length > 0)
  for (const below of heads) assert.match(below, /^(?!.{0,200}Page \d+ of)/)
  const empty = await renderAndRead(printDocument({ lines: [] }))
  assert.doesNotMatch(empty.pages[0]!.text, /Quantity/)
  assert.match(empty.pages[0]!.text, /Total £0\.00/)
})

test('the totals never stand on a page without a line', async () => {
  for (let count = 9; count <= 20; count++) {
    const { pages } = await renderAndRead(printDocument({ kind: 'invoice', lines: manyLines(count) }))
    const withTotal = pages.find(({ text }) => /VAT 20% on .* Total £/.test(text))
    assert.ok(withTotal?.text.includes(`Part ${count}. `), `${count} lines`)
  }
})

test('nothing is printed outside the margins, and no two lines of print overlap the foot', async () => {
  for (const count of [1, 9, 10, 11, 12, 13, 14, 30, 31, 32]) {
    const { pages } = await renderAndRead(
      printDocument({ kind: 'invoice', lines: manyLines(count), terms: 'Terms. '.repeat(600) }),
    )
    for (const { items, width } of pages)
      for (const { text, x, y, width: itemWidth } of items) {
        assert.ok(x >= 49 && x + itemWidth <= width - 49, `${text} at ${x}`)
        assert.ok(y >= 62 || /^Page |Harbour Street Repairs/.test(text), `${text} at ${y} of ${count}`)
      }
  }
})

test('figures stand in columns: ones are as wide as eights, and sums end at the same place', async () => {
  const sums = [11.11, 88.88].map((unitPrice) => ({ name: 'a', quantity: 1, unitPrice }))
  const widthOf = (items: readonly Item[], sum: string) => items.find(({ text }) => text === sum)!.width.toFixed(3)
  const { items } = (await renderAndRead(printDocument({ lines: sums }))).pages[0]!
  assert.equal(widthOf(items, '£11.11'), widthOf(items, '£88.88'))

  const { pages } = await renderAndRead(printDocument({ lines: manyLines(20) }))
  const amounts = pages[0]!.items.filter(({ text, x }) => /^£[\d.]+$/.test(text) && x > 480)
  assert.ok(amounts.length > 10)
  const ends = new Set(amounts.map(({ x, width }) => Math.round(x + width)))
  assert.equal(ends.size, 1)
})

test('a description of sixty lines goes on over pages, whole', async () => {
  const words = Array.from({ length: 60 }, (_, index) => `word${index}`)
  const { pages } = await renderAndRead(
    printDocument({
      lines: [{ name: 'Long', description: words.join('\n'), quantity: 1, unitPrice: 10 }],
      terms: null,
    }),
  )
  assert.ok(pages.length > 1)
  const all = ` ${pages.map(({ text }) => text).join(' ')} `
  for (const word of words) assert.ok(all.includes(` ${word} `), word)
})

describe('the length of a document is bounded', () => {
  const letters = 'ابتثجحخدذرزسشصضطظعغفقكلمنهوي'
  const arabic = (length: number) => Array.from({ length }, (_, at) => letters[(at * at * 7 + at * 3) % 28]).join('')
  const full = (description: string) =>
    Array.from({ length: 200 }, (_, index) => ({ name: `Part ${index + 1}.`, description, quantity: 1, unitPrice: 1 }))

  test('a description is cut after sixty lines, and blank lines are one', async () => {
    const description = `first\n\n \n\n\nsecond\n${'a\n'.repeat(900)}last`
    const { pages } = await renderAndRead(
      printDocument({ lines: [{ name: 'Long', description, quantity: 1, unitPrice: 1 }] }),
    )
    const lines = pages.flatMap(({ items }) => items)
    const [first, second] = ['first', 'second'].map((word) => lines.find(({ text }) => text === word)!)
    assert.equal(Math.round((first!.y - second!.y) / 12.325), 2)
    // First, blank and second are three of the sixty, and the sign is one.
    assert.equal(lines.filter(({ text }) => text === 'a').length, 56)
    assert.ok(lines.some(({ text }) => text === '…'))
    assert.ok(!lines.some(({ text }) => text === 'last'))
  })

  for (const [what, description] of [
    ['of one letter', 'a\n'.repeat(1_000)],
    ['of Arabic letters without a space', arabic(2_000)],
  ] as const)
    test(`two hundred long descriptions ${what} end with the totals and say how much is missing`, async () => {
      const { pages } = await renderAndRead(printDocument({ kind: 'invoice', lines: full(description) }))
      assert.ok(pages.length > 60 && pages.length <= 75, `${pages.length} pages`)
      const all = pages.map(({ text }) => text).join(' ')
      const shown = all.match(/Part \d+\. /g)!.length
      assert.ok(all.includes(`${200 - shown} more lines are in the online document.`), `${shown} shown`)
      assert.match(pages.at(-1)!.text, /Total £200\.00/)
    })

  test('terms, instructions, taxes and payments of the greatest length stay below a hundred pages with it', async () => {
    const taxed = full('a\n'.repeat(1_000)).map((line, rate) => ({
      ...line,
      taxRate: { name: `${rate} ${'tax '.repeat(30)}`, rate: rate / 10, isInclusive: false },
    }))
    const payments = Array.from({ length: 100 }, () => ({
      paidAt: '2026-11-16T09:00:00.000Z',
      amount: 1,
      paymentMethod: 'm'.repeat(50),
    }))
    const long = 'b\n'.repeat(2_500)
    const { pages } = await renderAndRead(
      printDocument({ kind: 'invoice', lines: taxed, payments, terms: long, paymentInstructions: long }),
    )
    assert.ok(pages.length > 75 && pages.length <= 100, `${pages.length} pages`)
    for (const { items, height } of pages)
      for (const { text, y } of items) assert.ok(y > 30 && y < height - 30, `${text} at ${y}`)
  })

  test('payments before the newest are one sum', async () => {
    const { pages } = await renderAndRead(
      printDocument({
        kind: 'invoice',
        payments: [{ paidAt: '2026-11-16T09:00:00.000Z', amount: -5, paymentMethod: 'cash' }],
        earlierPayments: { count: 4_900, amount: 49_000 },
      }),
    )
    assert.match(pages[0]!.text, /Payments 4,900 earlier payments £49,000\.00 16 November 2026 Refund \(Cash\) -£5\.00/)
  })
})

test('an answered quote shows when it was answered instead of how long it was valid', async () => {
  const { pages } = await renderAndRead(printDocument({ status: 'accepted', acceptedAt: '2026-11-20T10:00:00Z' }))
  assert.match(pages[0]!.text, /Accepted 20 November 2026/)
  assert.doesNotMatch(pages[0]!.text, /Valid until/)
})

test('paper, money and days follow the locale', async () => {
  const american = await renderAndRead(printDocument({ currency: 'USD', organisation: { locale: 'en-US' } }))
  assert.deepEqual([american.pages[0]!.width, american.pages[0]!.height], [612, 792])
  assert.ok(american.pages[0]!.text.includes('November 15, 2026'))
  const german = await renderAndRead(
    printDocument({ currency: 'EUR', organisation: { locale: 'de-DE', name: 'Müller & Söhne' } }),
  )
  assert.match(german.pages[0]!.text, /Müller & Söhne.*15\. November 2026.*Total 315,60.€/)
  const kuwaiti = await renderAndRead(
    printDocument({ currency: 'KWD', lines: [{ name: 'a', quantity: 1, unitPrice: 1.5 }] }),
  )
  assert.match(kuwaiti.pages[0]!.text, /Total KWD.1\.500/)
})

test('Polish, Greek, Cyrillic, Turkish and Vietnamese are printed as written, in embedded fonts', async () => {
  const texts = ['Zażółć gęślą jaźń', 'Ελληνικά', 'Українська ґ', 'ğışİ ₺', 'Tiếng Việt']
  const { pages } = await renderAndRead(
    printDocument({ lines: texts.map((name) => ({ name, quantity: 1, unitPrice: 1 })) }),
  )
  for (const text of texts) assert.ok(pages[0]!.text.includes(text), text)
})

test('an Arabic document is mirrored, and its words can be read back in order', async () => {
  const { pages } = await renderAndRead(
    printDocument({ title: 'صيانة مكيف', currency: 'KWD', organisation: { locale: 'ar', name: 'ورشة الميناء' } }),
  )
  const [page] = pages
  assert.ok(page!.text.normalize('NFKC').includes('صيانة مكيف'), page!.text)
  const number = page!.items.find(({ text }) => text === 'Q-0007')!
  const description = page!.items.find(({ text }) => text === 'Description')!
  assert.ok(number.x < page!.width / 3, 'the number stands on the left')
  assert.ok(description.x > page!.width / 2, 'the table begins on the right')
})

test('what no font has is shown as missing, and a day it cannot write is written in figures', async () => {
  const { pages } = await renderAndRead(
    printDocument({
      currency: 'JPY',
      organisation: { locale: 'ja-JP', name: '港 Harbour 👩‍👩‍👧‍👦' },
      lines: [{ name: '画面', quantity: 1, unitPrice: 5 }],
    }),
  )
  assert.ok(pages[0]!.text.includes('□ Harbour □'))
  assert.ok(pages[0]!.text.includes('2026-11-15'))
  assert.ok(pages[0]!.text.includes('Total ¥5'))
})

test('drafts and void documents are stamped on every page; paid ones say so', async () => {
  const textsByPage = async (wish: Parameters<typeof printDocument>[0]) =>
    (await renderAndRead(printDocument(wish))).pages.map(({ items }) => items.map(({ text }) => text))
  for (const texts of await textsByPage({ status: 'draft', lines: manyLines(60) })) assert.ok(texts.includes('Draft'))
  for (const texts of await textsByPage({ kind: 'invoice', status: 'void', lines: manyLines(60) }))
    assert.ok(texts.includes('Void'))
  const [paid] = await textsByPage({ kind: 'invoice', amountPaid: 315.6 })
  assert.ok(paid!.join(' ').includes('Paid in full'))
  assert.ok(!paid!.join(' ').includes('How to pay'))
})

test('the same sheet gives the same bytes, whatever was printed before', async () => {
  const document = printDocument({ organisation: { name: 'A\u0391\u0410 \u00a0x' } })
  const before = await renderPdf(document)
  await renderPdf(printDocumentWithText('\u0391\u0410A-\u2010\u2011 Ωåℵ'))
  assert.deepEqual(await renderPdf(document), before)
})

test('hostile text in every field gives a readable document', async () => {
  const texts = fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ unit: 'binary', maxLength: 200 }))
  await fc.assert(
    fc.asyncProperty(texts, fc.constantFrom('en-GB', 'ar-EG'), async (text, locale) => {
      const { pages } = await renderAndRead(printDocumentWithText(text, { organisation: { locale } }))
      assert.ok(pages.length >= 1)
      assert.ok(
        pages
          .map((page) => page.text)
          .join(' ')
          .includes('Description'),
      )
    }),
    { numRuns: 40 },
  )
})

test('an address of many lines is printed whole, and one of hundreds leaves room for the document', async () => {
  const twelve = Array.from({ length: 12 }, (_, index) => `Row ${index + 1}`)
  const documentWith = (address: string) =>
    printDocument({ organisation: { address }, customer: { name: 'a', email: null, address } })
  const { text } = (await renderAndRead(documentWith(twelve.join('\n')))).pages[0]!
  for (const row of twelve) assert.equal(text.split(new RegExp(`${row}\\b`)).length, 3, row)
  assert.ok((await renderAndRead(documentWith('x\n'.repeat(250)))).pages[0]!.text.includes('Description Quantity'))
})

test('a logo stands in the letterhead, and what is no picture gives way to the name', async () => {
  const pixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const withLogo = Buffer.from(await renderPdf(printDocument(), { logo: pixel })).toString('latin1')
  assert.match(withLogo, /\/Subtype \/Image/)
  const without = Buffer.from(await renderPdf(printDocument(), { logo: Buffer.from('not a picture') })).toString(
    'latin1',
  )
  assert.doesNotMatch(without, /\/Subtype \/Image/)
})

test('a PDF that carries an e-invoice says so as PDF/A-3 and Factur-X, with names that XML could not hold as they are', async () => {
  const xml = '<?xml version="1.0" encoding="UTF-8"?>\n<rsm:CrossIndustryInvoice/>\n'
  const bytes = await renderPdf(printDocument({ organisation: { name: 'Hafen & <Söhne>' } }), { facturX: xml })
  const text = Buffer.from(bytes).toString('utf8')
  const [packet = ''] = /<x:xmpmeta[\s\S]*<\/x:xmpmeta>/.exec(text) ?? []
  const metadata = XmlDocument.fromString(packet)
  const value = (name: string) => metadata.get(`//*[local-name()='${name}']`)?.content.trim()
  assert.deepEqual(['part', 'conformance', 'creator', 'DocumentFileName', 'ConformanceLevel'].map(value), [
    '3',
    'B',
    'Hafen & <Söhne>',
    'factur-x.xml',
    'EN 16931',
  ])
  metadata.dispose()
  assert.match(text, /\/AFRelationship \/Alternative/)
  const document = await getDocumentProxy(new Uint8Array(bytes))
  const files = (await document.getAttachments()) as Record<string, { content: Uint8Array }>
  assert.equal(Buffer.from(files['factur-x.xml']!.content).toString(), xml)
  assert.doesNotMatch(Buffer.from(await renderPdf(printDocument())).toString('latin1'), /factur-x|OutputIntent/)
})

test('a file’s name is made of letters that every system takes', () => {
  assert.equal(pdfFileName({ kind: 'invoice', number: 'INV-0042' }), 'INV-0042.pdf')
  assert.equal(pdfFileName({ kind: 'invoice', number: '2026/"\r\n../x' }), '2026-x.pdf')
  assert.equal(pdfFileName({ kind: 'quote', number: '' }), 'quote.pdf')
})
