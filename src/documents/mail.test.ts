// Letters as mail programs receive them: composed by nodemailer, read back by a MIME parser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createTransport } from 'nodemailer'
import { parse } from 'parse5'
import PostalMime from 'postal-mime'
import { elementsOf } from '../../test/markup.ts'
import { hostile, sheetOf, sheetSaying } from '../../test/sheets.ts'
import { type Letter, mailOf, type Wish } from './mail.ts'
import { oneLine } from './printable.ts'

const shareUrl = 'https://shop.example/s/0123456789abcdef0123456789abcdef'
const transport = createTransport({ streamTransport: true, buffer: true })

async function received(letter: Letter, fromName: string) {
  const { message } = await transport.sendMail({
    from: { name: oneLine(fromName), address: 'shop@shop.example' },
    to: { name: '', address: 'amira@example.com' },
    ...letter,
  })
  return new PostalMime().parse(message as Buffer)
}

test('a quote arrives with number, total, date, message, link and how to pay, in text and in HTML', async () => {
  const letter = mailOf(sheetOf(), { kind: 'document', shareUrl, message: 'As discussed.\nSee you on Monday.' })
  assert.equal(letter.subject, 'Quote Q-0007 from Harbour Street Repairs')
  const mail = await received(letter, 'Harbour Street Repairs')
  assert.equal(mail.subject, letter.subject)
  for (const part of [mail.text, mail.html])
    for (const fact of [
      'Hello Amira Osei,',
      'As discussed.',
      'Q-0007',
      '£315.60',
      '15 December 2026',
      shareUrl,
      '20-00-00',
    ])
      assert.ok(part?.includes(fact), fact)
  assert.ok(mail.text?.includes('As discussed.\nSee you on Monday.'))
})

test('subjects say what the letter is about', () => {
  const answer = { isAccepted: true, name: 'Amira Osei', reason: null }
  const cases: [Parameters<typeof sheetOf>[0], Wish, string][] = [
    [{ kind: 'invoice' }, { kind: 'document', shareUrl }, 'Invoice INV-0042 from Harbour Street Repairs'],
    [
      { kind: 'invoice' },
      { kind: 'reminder', shareUrl },
      'Reminder: invoice INV-0042 from Harbour Street Repairs is due on 29 November 2026',
    ],
    [
      { kind: 'invoice', isOverdue: true },
      { kind: 'reminder', shareUrl },
      'Reminder: invoice INV-0042 from Harbour Street Repairs is overdue since 29 November 2026',
    ],
    [{}, { kind: 'answer', shareUrl, answer }, 'Quote Q-0007 was accepted by Amira Osei'],
    [
      {},
      { kind: 'answer', shareUrl, answer: { ...answer, isAccepted: false } },
      'Quote Q-0007 was declined by Amira Osei',
    ],
    [{}, { kind: 'document', shareUrl, subject: ' Your\r\nquote ' }, 'Your quote'],
    [{}, { kind: 'document', shareUrl, subject: '\r\n' }, 'Quote Q-0007 from Harbour Street Repairs'],
  ]
  for (const [wish, letter, subject] of cases) assert.equal(mailOf(sheetOf(wish), letter).subject, subject)
})

test('a reminder asks for what is left, not for the total', () => {
  const { text } = mailOf(sheetOf({ kind: 'invoice', amountPaid: 100 }), { kind: 'reminder', shareUrl })
  assert.match(text, /Balance due: £215\.60/)
  assert.doesNotMatch(text, /315\.60/)
})

test('the shop reads who declined and why', () => {
  const answer = { isAccepted: false, name: 'Amira Osei', reason: 'Too dear' }
  const { text } = mailOf(sheetOf({ status: 'declined' }), { kind: 'answer', shareUrl, answer })
  assert.match(
    text,
    /^Hello Harbour Street Repairs,\n\nYour quote Q-0007 was declined by Amira Osei, with these words:\n\nToo dear\n/,
  )
  assert.doesNotMatch(text, /How to pay/)
})

test('a letter links to a web page only', () => {
  assert.throws(() => mailOf(sheetOf(), { kind: 'document', shareUrl: 'javascript:alert(1)' }), /web page/)
})

const texts = fc.oneof(
  fc.constantFrom(...hostile),
  fc.string({ unit: fc.constantFrom('<', '"', "'", '\r', '\n', ':', ',', ';', '@', 'a', ' ', '>') }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
)

test('whatever people typed, it is one letter to one person with no header more and no element more', async () => {
  const allowed = elementsOf(parse(mailOf(sheetSaying('text'), { kind: 'document', shareUrl, message: 'm' }).html))
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const sheet = sheetSaying(text)
      const letters = [
        mailOf(sheet, { kind: 'document', shareUrl, message: text, subject: text }),
        mailOf(sheetSaying(text, { kind: 'invoice' }), { kind: 'reminder', shareUrl, message: text }),
        mailOf(sheet, { kind: 'answer', shareUrl, answer: { isAccepted: false, name: text, reason: text } }),
      ]
      for (const letter of letters) {
        assert.doesNotMatch(letter.subject, /[\r\n]/)
        const mail = await received(letter, text)
        assert.deepEqual(
          mail.to?.map(({ address }) => address),
          ['amira@example.com'],
        )
        assert.equal(mail.from?.address, 'shop@shop.example')
        assert.deepEqual(mail.headers.map(({ key }) => key).sort(), [
          'content-type',
          'date',
          'from',
          'message-id',
          'mime-version',
          'subject',
          'to',
        ])
        assert.equal(mail.attachments.length, 0)
        assert.equal(mail.subject, letter.subject)
        for (const element of elementsOf(parse(letter.html))) assert.ok(allowed.has(element), element)
      }
    }),
    { numRuns: 60 },
  )
})

test('a letter asks nobody for a picture, a font or a style', () => {
  const { html } = mailOf(sheetOf(), { kind: 'document', shareUrl })
  assert.doesNotMatch(html, /<(img|link|script|iframe|style)|url\(|@import|src=/i)
})
