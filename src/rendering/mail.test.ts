// Mail as mail programs receive it: composed by nodemailer, read back by a MIME parser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createTransport } from 'nodemailer'
import { parse } from 'parse5'
import PostalMime from 'postal-mime'
import { elementsOf } from '../../test/markup.ts'
import { hostileTexts, printDocument, printDocumentWithText } from '../../test/print-documents.ts'
import { type MailOptions, type RenderedMail, renderMail } from './mail.ts'
import { oneLine } from './sanitize-text.ts'

const shareUrl = 'https://shop.example/s/0123456789abcdef0123456789abcdef'
const transport = createTransport({ streamTransport: true, buffer: true })

async function deliver(rendered: RenderedMail, fromName: string) {
  const { message } = await transport.sendMail({
    from: { name: oneLine(fromName), address: 'shop@shop.example' },
    to: { name: '', address: 'amira@example.com' },
    ...rendered,
  })
  return new PostalMime().parse(message as Buffer)
}

test('a quote arrives with number, total, date, message, link and how to pay, in text and in HTML', async () => {
  const rendered = renderMail(printDocument(), {
    kind: 'document',
    shareUrl,
    message: 'As discussed.\nSee you on Monday.',
  })
  assert.equal(rendered.subject, 'Quote Q-0007 from Harbour Street Repairs')
  const mail = await deliver(rendered, 'Harbour Street Repairs')
  assert.equal(mail.subject, rendered.subject)
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
  const cases: [Parameters<typeof printDocument>[0], MailOptions, string][] = [
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
  for (const [wish, letter, subject] of cases) assert.equal(renderMail(printDocument(wish), letter).subject, subject)
})

test('a reminder asks for what is left, not for the total', () => {
  const { text } = renderMail(printDocument({ kind: 'invoice', amountPaid: 100 }), { kind: 'reminder', shareUrl })
  assert.match(text, /Balance due: £215\.60/)
  assert.doesNotMatch(text, /315\.60/)
})

test('the shop reads who declined and why', () => {
  const answer = { isAccepted: false, name: 'Amira Osei', reason: 'Too dear' }
  const { text } = renderMail(printDocument({ status: 'declined' }), { kind: 'answer', shareUrl, answer })
  assert.match(
    text,
    /^Hello Harbour Street Repairs,\n\nYour quote Q-0007 was declined by Amira Osei, with these words:\n\nToo dear\n/,
  )
  assert.doesNotMatch(text, /How to pay/)
})

test('a letter links to a web page only', () => {
  assert.throws(() => renderMail(printDocument(), { kind: 'document', shareUrl: 'javascript:alert(1)' }), /web page/)
})

const texts = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: fc.constantFrom('<', '"', "'", '\r', '\n', ':', ',', ';', '@', 'a', ' ', '>') }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
)

test('whatever people typed, it is one letter to one person with no header more and no element more', async () => {
  const allowed = elementsOf(
    parse(renderMail(printDocumentWithText('text'), { kind: 'document', shareUrl, message: 'm' }).html),
  )
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const document = printDocumentWithText(text)
      const mails = [
        renderMail(document, { kind: 'document', shareUrl, message: text, subject: text }),
        renderMail(printDocumentWithText(text, { kind: 'invoice' }), { kind: 'reminder', shareUrl, message: text }),
        renderMail(document, { kind: 'answer', shareUrl, answer: { isAccepted: false, name: text, reason: text } }),
      ]
      for (const letter of mails) {
        assert.doesNotMatch(letter.subject, /[\r\n]/)
        const mail = await deliver(letter, text)
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
  const { html } = renderMail(printDocument(), { kind: 'document', shareUrl })
  assert.doesNotMatch(html, /<(img|link|script|iframe|style)|url\(|@import|src=/i)
})
