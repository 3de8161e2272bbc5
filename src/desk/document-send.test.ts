// Before a quote or an invoice goes out: the mail and the PDF as they will be; and drafts that go away instead.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { extractText, getDocumentProxy } from 'unpdf'
import { type DeskVisitor, deskVisitor } from '../../test/desk.ts'
import { type Client, startTestService } from '../../test/test-service.ts'
import type { Page } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import { createVault } from '../identity/secrets.ts'
import { decryptBody } from '../resources/outbox.ts'
import { flashOf } from './flash.ts'
import { noMailServerNote } from './mail-words.ts'

const here = await startTestService()
const { database, config } = here
const vault = await createVault(config)

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever they are answered
type Made = any

async function shop(): Promise<{ client: Client; manager: DeskVisitor }> {
  const client = await here.organisation({ name: 'Harbour & Sons' })
  return { client, manager: await deskVisitor(here, client.orgId, 'manager') }
}

async function make(client: Client, kind: 'quote' | 'invoice', more: object = {}): Promise<Made> {
  const made = await client.post(`/${kind}s`, {
    customerName: 'Ada Pemberton',
    customerEmail: 'ada@mail.example',
    lineItems: [{ name: 'Diagnosis', unitPrice: 35 }],
    ...more,
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data
}

const submit = ({ visitor, orgId }: DeskVisitor, page: Page, path: string, fields: Record<string, string> = {}) =>
  visitor.submit(page, `/desk/${orgId}${path}`, fields)

const plain = (markup: string) =>
  markup
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** The mail that a page shows. */
function shownMail({ text }: Page) {
  const [, to, subject, words] =
    /<dt>To<\/dt><dd>(.*?)<\/dd><dt>Subject<\/dt><dd[^>]*>(.*?)<\/dd><\/dl><div class="words pre">(.*?)<\/div>/s.exec(
      text,
    ) ?? []
  return { to: plain(to ?? ''), subject: plain(subject ?? ''), text: plain(words ?? '') }
}

/** The mail that went out last. */
async function sentMail(orgId: string) {
  const [mail] = await database.query<{ to: string; subject: string; encryptedBody: string }>(
    sql`select to_address as "to", subject, sealed_body as "encryptedBody" from outbox where org_id = ${orgId}
      order by created_at desc, id desc limit 1`,
  )
  const { to, subject, encryptedBody } = mail!
  return { to, subject, text: decryptBody({ encryptedBody }, vault).text }
}
const mailCount = async (orgId: string) =>
  (await database.query(sql`select 1 from outbox where org_id = ${orgId}`)).length

describe('sending', () => {
  const overdue = { issuedAt: '2026-01-01T00:00:00Z', dueAt: '2026-01-15T00:00:00Z' }
  const cases: readonly (readonly [string, 'quote' | 'invoice', object])[] = [
    ['a draft quote', 'quote', { title: 'Oven <cold>' }],
    ['a quote that is with the customer', 'quote', { status: 'sent' }],
    ['a draft that is late once it is sent', 'invoice', { ...overdue, paymentInstructions: 'IBAN 12' }],
    ['a draft on which nothing is owed', 'invoice', { lineItems: [], paymentInstructions: 'IBAN 12' }],
    ['a draft that was paid before', 'invoice', { paymentInstructions: 'IBAN 12' }],
  ]
  for (const [name, kind, fields] of cases)
    test(`shows before what arrives after: ${name}`, async () => {
      const { client, manager } = await shop()
      const document = await make(client, kind, fields)
      if (name.includes('paid')) await client.post('/payments', { invoiceId: document.id, amount: 35 })
      if (document.status === 'sent') await client.post(`/${kind}s/${document.id}/share-link`, {})
      const path = `/${kind}s/${document.id}/send`
      const asked = await manager.open(path)
      assert.match(asked.text, /No mail server is set: mail is only written to a file, and nobody gets it/)
      assert.match(asked.text, /<iframe src="[^"]*\/pdf\?preview=yes#[^"]*" title="[^"]+ as a PDF"/)
      assert.equal(shownMail(asked).to, 'ada@mail.example')
      const typed = { to: 'ada@work.example', subject: 'Your oven', message: 'As "promised"\n& soon' }
      const looked = await submit(manager, asked, path, { ...typed, look: 'yes' })
      assert.equal(looked.status, 200)
      assert.equal(await mailCount(client.orgId), 0, 'to look is not to send')
      const shown = shownMail(looked)
      const sent = await submit(manager, looked, path, { message: typed.message })
      assert.match(sent.text, /No mail server is set: the mail was written to a file, and nobody gets it/)
      assert.doesNotMatch(sent.text, /on its way|Mailed to/)
      const mail = await sentMail(client.orgId)
      const url = (await client.get(`/${kind}s/${document.id}`)).body.data.shareLink.url
      const address = document.status === 'sent' ? url : `(the address of the ${kind}, which is made when you send it)`
      assert.deepEqual(shown, { ...mail, text: mail.text.replace(url, address) })
    })

  test('says that it is on its way only where a mail server takes it', () => {
    const href = (path: string) => path
    const said = (hasMailServer: boolean, done: string) => String(flashOf({ href, hasMailServer }, done))
    assert.match(said(true, 'mailed'), /It is on its way to the customer/)
    assert.match(said(false, 'mailed'), /nobody gets it.*href="\/settings\/mail"/)
    assert.match(said(true, 'scheduled'), /The customer will be reminded/)
    assert.match(said(false, 'scheduled'), /the reminder will be written to a file, and nobody gets it/)
    assert.match(said(false, 'saved'), /Saved/)
    assert.equal(noMailServerNote({ href, hasMailServer: true }), false)
  })

  test('a script is given the mail alone, while it is written', async () => {
    const { client, manager } = await shop()
    const { id } = await make(client, 'quote')
    const { said } = await manager.send(`/quotes/${id}/send`, { look: 'part', message: 'Hello there' })
    assert.match(said, /^<dl.*Hello there/s)
    assert.equal(await mailCount(client.orgId), 0)
  })

  test('sends nothing that was changed since it was shown, and of many sendings of one page one', async () => {
    const { client, manager } = await shop()
    const { id } = await make(client, 'quote')
    const path = `/quotes/${id}/send`
    const asked = await manager.open(path)
    await client.put(`/quotes/${id}`, { title: 'Now an oven' })
    const stale = await submit(manager, asked, path, { message: 'Typed and kept' })
    assert.equal(stale.status, 412)
    assert.match(stale.text, /role="alert">The quote has changed since you looked at it\. Look again, then send it\./)
    assert.match(stale.text, /Typed and kept<\/textarea>/)
    assert.match(shownMail(stale).text, /Now an oven/)
    assert.equal(await mailCount(client.orgId), 0)
    const answers = await Promise.all([1, 2, 3, 4].map(() => submit(manager, stale, path)))
    assert.ok(answers.every(({ status }) => status === 200))
    assert.equal(await mailCount(client.orgId), 1)
  })

  test('the PDF beside the mail is the one that goes along, and stands in pages of ours alone', async () => {
    const { client, manager } = await shop()
    const { id } = await make(client, 'quote')
    const open = async (query: string) => {
      const reply = await fetch(`${config.authUrl}/desk/${client.orgId}/quotes/${id}/pdf${query}`, {
        headers: { cookie: `jobwright_session=${manager.session}` },
      })
      const { text } = await extractText(await getDocumentProxy(new Uint8Array(await reply.arrayBuffer())))
      return { headers: reply.headers, isStamped: text.join(' ').includes('Draft') }
    }
    const [stamped, preview] = [await open(''), await open('?preview=yes')]
    assert.deepEqual([stamped.isStamped, preview.isStamped], [true, false])
    assert.equal(preview.headers.get('x-frame-options'), 'SAMEORIGIN')
    assert.match(preview.headers.get('content-security-policy')!, /frame-ancestors 'self'/)
    const page = await manager.open(`/quotes/${id}/send`)
    assert.match(page.headers.get('content-security-policy')!, /frame-src 'self'.*frame-ancestors 'none'/)
    assert.equal(page.headers.get('x-frame-options'), 'DENY')
  })
})

describe('deleting', () => {
  test('a draft goes after a question, with what it takes along said before', async () => {
    const { client, manager } = await shop()
    const quote = await make(client, 'quote')
    const path = `/quotes/${quote.id}/delete`
    assert.match((await manager.open(`/quotes/${quote.id}`)).text, /Delete the quote/)
    const asked = await manager.open(path)
    assert.match(asked.text, /cannot be taken back/)
    const gone = await submit(manager, asked, path)
    assert.match(gone.url, /\/quotes\?done=deleted$/)
    assert.equal((await client.get(`/quotes/${quote.id}`)).status, 404)
    const [line] = await database.query<Made>(
      sql`select action, detail ->> 'name' as name from audit_log where org_id = ${client.orgId} and subject = ${quote.id}
        order by at desc limit 1`,
    )
    assert.deepEqual(line, { action: 'record.deleted', name: `quote ${quote.quoteNumber}` })

    const accepted = await make(client, 'quote', { status: 'accepted' })
    const invoice = (await client.post(`/quotes/${accepted.id}/convert`)).body.data
    await client.post('/payments', { invoiceId: invoice.id, amount: 5 })
    const question = await manager.open(`/invoices/${invoice.id}/delete`)
    assert.match(question.text, /With it goes 1 payment recorded on it\./)
    assert.match(question.text, new RegExp(`Quote ${accepted.quoteNumber} is open to be invoiced again`))
    await submit(manager, question, `/invoices/${invoice.id}/delete`)
    assert.equal((await client.get(`/invoices/${invoice.id}`)).status, 404)
    assert.equal((await client.post(`/quotes/${accepted.id}/convert`)).status, 201)
  })

  test('what a customer has stays, and the page says what is done instead', async () => {
    const { client, manager } = await shop()
    const shared = await make(client, 'invoice')
    await client.post(`/invoices/${shared.id}/share-link`, {})
    const kept: readonly (readonly ['quote' | 'invoice', Made, RegExp])[] = [
      ['invoice', await make(client, 'invoice', { status: 'sent' }), /Void it instead/],
      ['quote', await make(client, 'quote', { status: 'sent' }), /Mark it as declined instead/],
      ['invoice', shared, /End the address first/],
    ]
    for (const [kind, { id }, words] of kept) {
      const path = `/${kind}s/${id}/delete`
      assert.doesNotMatch((await manager.open(`/${kind}s/${id}`)).text, /Delete the/)
      const page = await manager.open(path)
      assert.match(page.text, words)
      assert.doesNotMatch(page.text, /<button[^>]*>Delete/)
      assert.equal((await manager.send(path, {})).status, 409)
      assert.equal((await client.get(`/${kind}s/${id}`)).status, 200)
    }
  })

  test('what was sent while somebody was asked stays, and what others keep the books of is refused in words', async () => {
    const { client, manager } = await shop()
    const invoice = await make(client, 'invoice')
    const path = `/invoices/${invoice.id}/delete`
    const asked = await manager.open(path)
    await client.put(`/invoices/${invoice.id}`, { title: 'Changed meanwhile' })
    const stale = await submit(manager, asked, path)
    assert.equal(stale.status, 412)
    assert.match(stale.text, /The invoice has changed since you looked at it\. Look again, then delete it\./)
    await client.post('/payments', { invoiceId: invoice.id, amount: 5 })
    await database.query(
      sql`update payments set source = 'accounting' where org_id = ${client.orgId} and invoice_id = ${invoice.id}`,
    )
    const refused = await submit(manager, await manager.open(path), path)
    assert.equal(refused.status, 409)
    assert.match(refused.text, /role="alert">The payment is managed by a payment processor or accounting system/)
    assert.equal((await client.get(`/invoices/${invoice.id}`)).status, 200)
  })
})
