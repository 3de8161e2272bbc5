// The public page as a parser reads it: every state says what it should, and nothing anybody typed becomes markup.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'parse5'
import { attributesOf, elementsOf, textOf } from '../../test/markup.ts'
import { hostileTexts, printDocument, printDocumentWithText } from '../../test/print-documents.ts'
import { pageHeaders, renderAnsweredPage, renderMessagePage, renderNotFoundPage, renderPage } from './page.ts'

const options = { token: 'tOkEn_0123456789abcdefghijklmnop', csrf: 'c5rf' }
const read = (page: string) => {
  const document = parse(page)
  return { document, text: textOf(document).replace(/\s+/g, ' ') }
}

test('an open quote shows the total, the lines, the taxes and a form that asks for a name', () => {
  const { document, text } = read(renderPage(printDocument({ deposit: { type: 'percent', value: 30 } }), options))
  for (const expected of [
    'Quote Q-0007',
    '£315.60',
    'Valid until 15 December 2026',
    'VAT 20% on £263.00',
    '£94.68',
    'Your name',
  ])
    assert.ok(text.includes(expected), expected)
  const names = attributesOf(document, 'name').filter(
    (name) => !/viewport|robots|color-scheme|format-detection/.test(name),
  )
  assert.deepEqual(names, ['csrf', 'name', 'signature', 'answer', 'reason', 'answer'])
  assert.deepEqual(attributesOf(document, 'action'), [`/s/${options.token}`])
  assert.ok(attributesOf(document, 'href').includes(`/s/${options.token}/pdf`))
})

test('each state says where the document stands, and only an open quote has a form', () => {
  const cases: [Parameters<typeof printDocument>[0], string, boolean][] = [
    [{}, 'Valid until 15 December 2026', true],
    [
      { status: 'accepted', acceptedByName: 'Amira', acceptedAt: '2026-11-20T10:00:00Z' },
      'Accepted by Amira on 20 November 2026',
      false,
    ],
    [{ status: 'declined', declinedAt: '2026-11-20T10:00:00Z' }, 'Declined on 20 November 2026', false],
    [{ isExpired: true }, 'This quote expired on 15 December 2026', false],
    [{ status: 'invoiced' }, 'An invoice has been made from this quote', false],
    [{ status: 'void' }, 'This quote has been withdrawn', false],
    [{ kind: 'invoice' }, 'Due on 29 November 2026', false],
    [{ kind: 'invoice', isOverdue: true }, 'It was due on 29 November 2026', false],
    [{ kind: 'invoice', amountPaid: 315.6 }, 'Paid in full', false],
    [{ kind: 'invoice', status: 'void' }, 'Nothing is owed on this invoice', false],
  ]
  for (const [wish, sentence, hasForm] of cases) {
    const page = renderPage(printDocument(wish), options)
    assert.ok(read(page).text.includes(sentence), sentence)
    assert.equal(page.includes('<form'), hasForm, sentence)
    assert.equal(page.includes('<script'), hasForm, sentence)
  }
})

test('an answered quote no longer says how long it was valid, but when it was answered', () => {
  const answered = { acceptedAt: '2026-11-20T10:00:00Z', declinedAt: '2026-11-21T10:00:00Z' }
  for (const [status, day] of [
    ['accepted', 'Accepted on 20 November 2026'],
    ['declined', 'Declined on 21 November 2026'],
    ['invoiced', 'Accepted20 November 2026'],
  ] as const) {
    const { text } = read(renderPage(printDocument({ ...answered, status }), options))
    assert.ok(text.includes(day), `${day} in ${text}`)
    assert.ok(!text.includes('Valid until'), status)
  }
})

test('payments before the newest are one row with their sum', () => {
  const payments = [{ paidAt: '2026-11-16T09:00:00Z', amount: 5, paymentMethod: 'card' }]
  const messages = (count: number) =>
    read(renderPage(printDocument({ kind: 'invoice', payments, earlierPayments: { count, amount: 7.5 } }), options))
      .text
  assert.match(messages(4_900), /4,900 earlier payments ?£7\.50 ?16 November 2026/)
  assert.match(messages(1), /One earlier payment ?£7\.50/)
  assert.doesNotMatch(messages(0), /earlier/)
})

test('an answer that comes too late is told so, beside the document as it stands', () => {
  const { text } = read(renderAnsweredPage(printDocument({ status: 'declined' }), options))
  assert.ok(text.includes('already declined. Nothing has been changed.'))
  assert.ok(text.includes('Screen replacement'))
  assert.ok(
    read(renderAnsweredPage(printDocument({ isExpired: true }), options)).text.includes('can no longer be answered'),
  )
})

test('what the reader typed is shown again beside the problem', () => {
  const typed = { name: '"Amira"', reason: '\n</textarea><b>x' }
  const { document, text } = read(
    renderPage(printDocument(), { ...options, problem: 'Please write your name.', typed }),
  )
  assert.ok(text.includes('Please write your name.'))
  assert.ok(attributesOf(document, 'value').includes('"Amira"'))
  assert.ok(textOf(document).includes('\n</textarea><b>x'))
})

test('messages for the customer are shown with who wrote them and when', () => {
  const messages = [{ text: 'It is on the bench.', at: '2026-11-16T09:00:00Z', from: 'Harbour Street' }]
  assert.match(
    read(renderPage(printDocument({ messages }), options)).text,
    /Harbour Street, 16 November 2026 It is on the bench\./,
  )
})

test('language and direction are those of the organisation', () => {
  const page = (locale: string) => renderPage(printDocument({ organisation: { locale } }), options)
  assert.match(page('de-DE'), /<html lang="de-DE" dir="ltr">/)
  assert.match(page('he-IL'), /<html lang="he-IL" dir="rtl">/)
})

test('no token opens the page that every dead link opens, and it names nobody', () => {
  assert.equal(renderNotFoundPage(), renderNotFoundPage())
  assert.ok(read(renderNotFoundPage()).text.includes('Page not found'))
  assert.doesNotMatch(renderMessagePage('<b>', '<i>'), /<b>|<i>/)
})

const texts = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '/', '=', ' ', 'a', '!', '-', '\n', '`', '\0') }),
  fc.string({ unit: 'binary', maxLength: 100 }),
)

test('whatever people typed, the page has no element and no attribute more', () => {
  const documents = (text: string) => [
    printDocumentWithText(text),
    printDocumentWithText(text, { status: 'accepted', acceptedAt: '2026-11-20T10:00:00Z' }),
    printDocumentWithText(text, { kind: 'invoice', amountPaid: 3 }),
  ]
  const pages = (text: string) =>
    documents(text).map((printDocument) =>
      renderPage(printDocument, { ...options, problem: text, typed: { name: text, reason: text } }),
    )
  const withLink = renderPage(printDocument(), options)
  const allowed = new Set([...pages('text'), withLink].flatMap((page) => [...elementsOf(parse(page))]))
  fc.assert(
    fc.property(texts, (text) => {
      for (const page of pages(text)) {
        const document = parse(page)
        for (const element of elementsOf(document)) assert.ok(allowed.has(element), `${element} from ${text}`)
        for (const address of [...attributesOf(document, 'href'), ...attributesOf(document, 'src')])
          assert.match(address, /^(\/|#|tel:|mailto:|https:\/\/|data:,)/)
      }
    }),
    { numRuns: 150 },
  )
})

test('a website that is no https address is text, not a link', () => {
  for (const website of ['javascript:alert(1)', 'http://shop.example', 'https://x y'])
    assert.ok(
      !attributesOf(parse(renderPage(printDocument({ organisation: { website } }), options)), 'href').includes(website),
    )
  const website = 'https://shop.example/?a="b'
  assert.ok(
    attributesOf(parse(renderPage(printDocument({ organisation: { website } }), options)), 'href').includes(website),
  )
})

test('a logo from elsewhere is not asked for', () => {
  const sources = (logo: string) =>
    attributesOf(parse(renderPage(printDocument(), { ...options, logo })), 'src').filter(
      (src) => !src.startsWith('/assets/'),
    )
  assert.deepEqual(sources('https://tracker.example/logo.png'), [])
  assert.deepEqual(sources('//tracker.example/logo.png'), [])
  assert.deepEqual(sources('data:text/html,x'), [])
  assert.deepEqual(sources('/logos/1.png'), ['/logos/1.png'])
  assert.deepEqual(sources('data:image/png;base64,AAAA'), ['data:image/png;base64,AAAA'])
})

test('the page is kept by nobody, found by nobody, framed by nobody and tells nobody where it was', () => {
  assert.equal(pageHeaders['cache-control'], 'no-store')
  assert.match(pageHeaders['x-robots-tag'], /noindex/)
  assert.equal(pageHeaders['referrer-policy'], 'no-referrer')
  assert.match(pageHeaders['content-security-policy'], /frame-ancestors 'none'/)
  assert.doesNotMatch(pageHeaders['content-security-policy'], /unsafe|\*|https:/)
})
