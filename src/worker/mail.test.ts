// Mail from the request to a real mail server: what arrives, how often, and what a server that is slow, dead or refusing
// means for those who sent it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import PostalMime from 'postal-mime'
import { commandLine } from '../../test/command-line.ts'
import { mailServer } from '../../test/mail-server.ts'
import { isOnCitus } from '../../test/test-database.ts'
import { startOwnTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { createVault } from '../identity/secrets.ts'
import { noDependencies } from '../operations/context.ts'
import { createPdfQueue } from '../rendering/pdf/pdf-queue.ts'
import { deliverMail } from './mail.ts'
import { createMailTransport } from './mail-transport.ts'
import { sendDueReminders } from './reminders.ts'

const dataDir = await mkdtemp(join(tmpdir(), 'jobwright-mail-'))
after(() => rm(dataDir, { recursive: true, force: true }))
const server = await mailServer()
// The outbox is the database's: what is sent here must be of this file.
const here = await startOwnTestService({ SMTP_URL: server.url, MAIL_FROM: 'office@jobs.example', DATA_DIR: dataDir })
const { database, config } = here
const shop = await here.organisation({ name: 'Harbour Repairs' })
await shop.put('', { email: 'hello@harbour.example', paymentInstructions: 'Sort code 00-00-00' })
const vault = await createVault(config)
const pdfs = createPdfQueue()
after(() => pdfs.close())
const dependencies = { ...noDependencies, restOrigin: config.restOrigin, vault, pdf: pdfs.render }
const mailDependencies = (settings = config) => ({
  ...dependencies,
  database,
  transport: createMailTransport(settings),
  mailFrom: settings.mailFrom,
})
const deliver = (options = {}) => deliverMail(mailDependencies(), options)
const sendable = async (kind: 'quotes' | 'invoices', body: object = {}) => {
  const { body: answer } = await shop.post(`/${kind}`, {
    customerName: 'Amara Okafor',
    customerEmail: 'amara@okafor.example',
    lineItems: [{ name: 'Work', unitPrice: 120, taxRateId: null }],
    ...body,
  })
  return answer.data
}
const deliveryOf = async (kind: string, id: string) => (await shop.get(`/${kind}/${id}`)).body.data.delivery

beforeEach(async () => {
  server.behaviour = 'takes'
  ;(server.received as unknown[]).length = 0
  await database.query(sql`delete from outbox`)
})

describe('what arrives', () => {
  test('a quote, as text and as a page, with its link and its PDF', async () => {
    const quote = await sendable('quotes')
    const { status, body } = await shop.post(`/quotes/${quote.id}/send`, {
      cc: ['boss@okafor.example'],
      message: 'As we said on the phone.',
    })
    assert.equal(status, 200)
    assert.deepEqual(
      [body.data.status, body.data.delivery.status, body.data.delivery.to, typeof body.data.sentAt],
      ['sent', 'queued', 'amara@okafor.example', 'string'],
    )
    assert.deepEqual(await deliver(), { sent: 1, failed: 0, waiting: 0 })
    const [{ mail, recipients }] = server.received as [(typeof server.received)[0]]
    assert.deepEqual([...recipients].sort(), ['amara@okafor.example', 'boss@okafor.example'])
    assert.equal(mail.subject, `Quote ${quote.quoteNumber} from Harbour Repairs`)
    assert.deepEqual(mail.from, { name: 'Harbour Repairs', address: 'office@jobs.example' })
    assert.equal(mail.replyTo?.[0]?.address, 'hello@harbour.example')
    const url = body.data.shareLink.url
    for (const form of [mail.text!, mail.html!]) {
      assert.ok(form.includes(url) && form.includes('As we said on the phone.') && form.includes('£120.00'))
    }
    assert.equal(mail.attachments[0]?.filename, `${quote.quoteNumber}.pdf`)
    assert.ok(
      Buffer.from(mail.attachments[0]!.content as ArrayBuffer)
        .toString('latin1')
        .startsWith('%PDF-'),
    )
    const delivery = await deliveryOf('quotes', quote.id)
    assert.deepEqual([delivery.status, delivery.failureReason, typeof delivery.sentAt], ['sent', null, 'string'])
  })

  test('an invoice without its PDF, to whom it is told', async () => {
    const invoice = await sendable('invoices', { customerEmail: null })
    const nobody = await shop.post(`/invoices/${invoice.id}/send`)
    assert.deepEqual([nobody.status, nobody.body.error], [400, 'No recipient: set to or customerEmail'])
    await shop.post(`/invoices/${invoice.id}/send`, {
      to: 'pay@okafor.example',
      subject: 'Your bill',
      attachPdf: false,
    })
    await deliver()
    const [{ mail }] = server.received as [(typeof server.received)[0]]
    assert.deepEqual(
      [mail.subject, mail.to?.[0]?.address, mail.attachments.length],
      ['Your bill', 'pay@okafor.example', 0],
    )
    assert.ok(mail.text!.includes('Sort code 00-00-00'))
  })

  test('an invoice with its e-invoice, where the shop wants it, and a note where that cannot be written', async () => {
    const tax = (await shop.post('/tax-rates', { name: 'VAT', rate: 20 })).body.data.id
    const lineItems = [{ name: 'Work', unitPrice: 120, taxRateId: tax }]
    const customer = {
      firstName: 'Amara',
      countryCode: 'BE',
      buyerReference: 'PO 7',
      electronicAddress: { scheme: '0208', value: '0123456749' },
    }
    const customerId = (await shop.post('/customers', customer)).body.data.id
    const address = { scheme: '0088', value: '7300010000001' }
    const send = async (change: object) => {
      ;(server.received as unknown[]).length = 0
      assert.equal((await shop.put('', change)).status, 200)
      const { id } = await sendable('invoices', { lineItems, customerId })
      await shop.post(`/invoices/${id}/send`)
      await deliver()
      const [{ mail }] = server.received as [(typeof server.received)[0]]
      const files = mail.attachments.map(
        ({ filename, content }) => [filename!.split('.').at(-1), Buffer.from(content as ArrayBuffer)] as const,
      )
      return { files: Object.fromEntries(files), note: (await deliveryOf('invoices', id)).failureReason }
    }
    const beside = await send({
      countryCode: 'GB',
      vatId: 'GB123456789',
      electronicAddress: address,
      eInvoiceFormat: 'ubl',
    })
    assert.deepEqual([Object.keys(beside.files), beside.note], [['pdf', 'xml'], null])
    assert.match(beside.files.xml!.toString(), /<cbc:PayableAmount currencyID="GBP">144\.00</)
    const inside = await send({ eInvoiceFormat: 'factur-x' })
    assert.deepEqual([Object.keys(inside.files), inside.note], [['pdf'], null])
    assert.ok(inside.files.pdf!.includes('factur-x.xml'))
    const lacking = await send({ countryCode: null })
    assert.deepEqual(Object.keys(lacking.files), ['pdf'])
    assert.equal(lacking.note, 'Sent without its e-invoice: organisation.countryCode is missing')
    const none = await send({ eInvoiceFormat: null, vatId: null, electronicAddress: null })
    assert.deepEqual([Object.keys(none.files), none.note], [['pdf'], null])
    assert.ok(!none.files.pdf!.includes('factur-x.xml'))
  })

  test('hostile names and texts make no header, no recipient and no markup', async () => {
    const hostile = 'X"\r\nBcc: victim@evil.example\r\n\r\n<script>alert(1)</script>, a@b.example'
    const tidy = hostile.replaceAll('\r', '') // carriage returns do not pass the interface at all
    assert.equal((await shop.post('/quotes', { customerName: hostile })).status, 400)
    const quote = await sendable('quotes', { customerName: tidy, title: tidy, terms: tidy })
    await shop.put('', { name: tidy.slice(0, 110) })
    const { status } = await shop.post(`/quotes/${quote.id}/send`, { subject: tidy, message: tidy })
    assert.equal(status, 200)
    await deliver()
    await shop.put('', { name: 'Harbour Repairs' })
    const [{ mail, recipients }] = server.received as [(typeof server.received)[0]]
    assert.deepEqual(recipients, ['amara@okafor.example'])
    assert.deepEqual(mail.bcc ?? [], [])
    assert.equal(mail.headers.filter(({ key }) => key === 'bcc').length, 0)
    assert.ok(!mail.html!.includes('<script>'))
  })

  test('an address with a line break or a comma is refused', async () => {
    const quote = await sendable('quotes')
    for (const to of ['a@b.example, c@d.example', 'a@b.example\nBcc: c@d.example', 'a@b.example>', '"a b"@c.example']) {
      assert.equal((await shop.post(`/quotes/${quote.id}/send`, { to })).status, 400, to)
    }
    assert.equal((await shop.post(`/quotes/${quote.id}/send`, { cc: Array(6).fill('a@b.example') })).status, 400)
  })

  test('what cannot be sent is said so', async () => {
    const declined = await sendable('quotes', { status: 'declined' })
    const voided = await sendable('invoices', { status: 'void' })
    assert.equal((await shop.post(`/quotes/${declined.id}/send`, { to: 'a@b.example' })).status, 400)
    assert.equal(
      (await shop.post(`/invoices/${voided.id}/send`, { to: 'a@b.example' })).body.error,
      'A void invoice cannot be sent',
    )
  })
})

describe('a mail server that is not well', () => {
  test('is busy: the mail waits and arrives once', async () => {
    server.behaviour = 'busy'
    const quote = await sendable('quotes')
    assert.equal((await shop.post(`/quotes/${quote.id}/send`)).status, 200)
    assert.deepEqual(await deliver(), { sent: 0, failed: 0, waiting: 1 })
    const waiting = await deliveryOf('quotes', quote.id)
    assert.equal(waiting.status, 'queued')
    assert.match(waiting.failureReason, /Try again later/)
    assert.deepEqual(await deliver(), { sent: 0, failed: 0, waiting: 0 }, 'not before its time')
    server.behaviour = 'takes'
    assert.deepEqual(await deliver({ all: true }), { sent: 1, failed: 0, waiting: 0 })
    assert.equal(server.received.length, 1)
  })

  test('refuses: the mail has failed, with its reason', async () => {
    server.behaviour = 'refuses'
    const quote = await sendable('quotes')
    await shop.post(`/quotes/${quote.id}/send`)
    assert.deepEqual(await deliver(), { sent: 0, failed: 1, waiting: 0 })
    const delivery = await deliveryOf('quotes', quote.id)
    assert.equal(delivery.status, 'failed')
    assert.match(delivery.failureReason, /No such user here/)
  })

  test('answers with what is no text: the reason is kept as one line', async () => {
    const invoice = await sendable('invoices', { status: 'sent' })
    const path = `/invoices/${invoice.id}/reminders`
    await shop.post(path, { remindAt: new Date(Date.now() + 60_000) })
    await sendDueReminders(database, dependencies, { now: new Date(Date.now() + 120_000) })
    const transport = {
      send: () => Promise.reject(Object.assign(new Error('No\x00thing\x1f here\r\n'), { responseCode: 550 })),
      close() {},
    }
    assert.deepEqual(await deliverMail({ ...mailDependencies(), transport }), { sent: 0, failed: 1, waiting: 0 })
    const { status, body } = await shop.get(path)
    assert.deepEqual([status, body.data.reminders[0].failureReason], [200, 'No thing here '])
  })

  test('is dead: requests do not notice, and in the end the mail has failed', async () => {
    const dead = { ...config, smtpUrl: 'smtp://127.0.0.1:1' }
    const quote = await sendable('quotes')
    assert.equal((await shop.post(`/quotes/${quote.id}/send`)).status, 200)
    for (let attempt = 1; attempt < 10; attempt++) {
      assert.deepEqual(
        await deliverMail(mailDependencies(dead), { all: true }),
        { sent: 0, failed: 0, waiting: 1 },
        `attempt ${attempt}`,
      )
    }
    assert.deepEqual(await deliverMail(mailDependencies(dead), { all: true }), { sent: 0, failed: 1, waiting: 0 })
    assert.match((await deliveryOf('quotes', quote.id)).failureReason, /ECONNREFUSED/)
  })

  test('hangs: requests do not notice, and when the process is killed the mail arrives once, later', async () => {
    server.behaviour = 'hangs'
    const quote = await sendable('quotes')
    const arrival = server.arrival()
    assert.equal((await shop.post(`/quotes/${quote.id}/send`)).status, 200)
    const sender = sendingProcess()
    await arrival
    assert.equal((await shop.post(`/quotes/${quote.id}/send`, { to: 'second@okafor.example' })).status, 200)
    sender.kill('SIGKILL')
    await new Promise((resolve) => sender.once('exit', resolve))
    server.behaviour = 'takes'
    for (;;) {
      const { sent } = await deliver({ all: true })
      if (sent > 0) break
      await new Promise((resolve) => setTimeout(resolve, 50)) // until PostgreSQL has seen that the killed one is gone
    }
    await deliver({ all: true })
    assert.deepEqual(server.received.map(({ recipients }) => recipients[0]).sort(), [
      'amara@okafor.example',
      'second@okafor.example',
    ])
  })
})

test('a PDF that cannot be made now is no reason to send the mail without it: it is tried again later', async () => {
  const away = createPdfQueue()
  await away.close()
  const quote = await sendable('quotes')
  await shop.post(`/quotes/${quote.id}/send`)
  assert.deepEqual(await deliverMail({ ...mailDependencies(), pdf: away.render }), { sent: 0, failed: 0, waiting: 1 })
  assert.equal((await deliveryOf('quotes', quote.id)).status, 'queued')
  assert.deepEqual(await deliver({ all: true }), { sent: 1, failed: 0, waiting: 0 })
  assert.equal(server.received[0]!.mail.attachments[0]?.filename, `${quote.quoteNumber}.pdf`)
})

test('a mail whose PDF cannot be made twice leaves without it, and says where the document is', async () => {
  const away = createPdfQueue()
  await away.close()
  const quote = await sendable('quotes')
  const { body } = await shop.post(`/quotes/${quote.id}/send`)
  const withoutPdf = { ...mailDependencies(), pdf: away.render }
  assert.deepEqual(await deliverMail(withoutPdf), { sent: 0, failed: 0, waiting: 1 })
  assert.deepEqual(await deliverMail(withoutPdf, { all: true }), { sent: 1, failed: 0, waiting: 0 })
  const [{ mail }] = server.received as [(typeof server.received)[0]]
  assert.equal(mail.attachments.length, 0)
  for (const form of [mail.text!, mail.html!]) {
    assert.ok(form.includes(body.data.shareLink.url))
    assert.match(form, /could not be attached/)
  }
  const { status, failureReason } = await deliveryOf('quotes', quote.id)
  assert.equal(status, 'sent')
  assert.match(failureReason, /^Sent without its PDF/)
})

test('a mail server that was busy does not count as a PDF that could not be made', async () => {
  const away = createPdfQueue()
  await away.close()
  const quote = await sendable('quotes')
  await shop.post(`/quotes/${quote.id}/send`)
  server.behaviour = 'busy'
  assert.deepEqual(await deliver(), { sent: 0, failed: 0, waiting: 1 })
  server.behaviour = 'takes'
  assert.deepEqual(await deliverMail({ ...mailDependencies(), pdf: away.render }, { all: true }), {
    sent: 0,
    failed: 0,
    waiting: 1,
  })
})

test('much mail of one organisation does not delay the mail of another, and has two of the carriers, of all processes together', async () => {
  const [busy, quiet] = [await here.organisation({ name: 'Busy' }), await here.organisation({ name: 'Quiet' })]
  const sendTo = async (client: typeof shop, to: string) => {
    const { body } = await client.post('/quotes', { customerName: 'Amara', lineItems: [{ name: 'Work' }] })
    await client.post(`/quotes/${body.data.id}/send`, { to, attachPdf: false })
  }
  for (let n = 0; n < 30; n++) await sendTo(busy, `c${n}@busy.example`)
  await sendTo(quiet, 'only@quiet.example')
  const { transport, ...others } = mailDependencies()
  const order: string[] = []
  const onTheirWay = { Busy: 0, Quiet: 0 }
  let most = 0
  const counting = {
    ...transport,
    async send(mail: Parameters<typeof transport.send>[0]) {
      const { name } = mail.from as { name: keyof typeof onTheirWay }
      order.push(name)
      most = Math.max(most, ++onTheirWay[name])
      await transport.send(mail)
      onTheirWay[name]--
    },
  }
  assert.deepEqual(await deliverMail({ ...others, transport: counting }), { sent: 31, failed: 0, waiting: 0 })
  assert.ok(order.indexOf('Quiet') < 4, `it came as number ${order.indexOf('Quiet')}`)
  assert.equal(most, 2)
  for (let n = 0; n < 20; n++) await sendTo(busy, `c${n}@busy.example`)
  const both = await Promise.all([1, 2].map(() => deliverMail({ ...others, transport: counting })))
  assert.deepEqual([both[0]!.sent + both[1]!.sent, most], [20, 2])
})

// An advisory lock that a trigger takes is one of the row's own machine.
const onOneMachine = { skip: isOnCitus && 'needs all rows on one machine' }
test(
  'a mail whose row somebody locks for an instant after it was claimed is sent all the same',
  onOneMachine,
  async () => {
    const quote = await sendable('quotes')
    await shop.post(`/quotes/${quote.id}/send`, { attachPdf: false })
    const [claimHolder, rowHolder] = [await database.connect(), await database.connect()]
    await database.query(sql`
    create function hold_claim() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(14); return null; end $$`)
    await database.query(sql`
    create trigger hold_claim after update on outbox for each row when (new.attempts > old.attempts)
    execute function hold_claim()`)
    const watcher = await database.connect()
    const waitFor = async (condition: string) => {
      for (;;) {
        const { rows } = await watcher.query(
          `select 1 from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and ${condition}`,
        )
        if (rows.length > 0) return
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }
    try {
      // The claim waits before it commits; behind it somebody waits for the row, and has it as soon as the claim is done.
      await claimHolder.query('select pg_advisory_lock(14)')
      const delivery = deliver()
      // Not the first attempt, which gives up soon and is made again on a connection of its own.
      await waitFor("wait_event = 'advisory' and clock_timestamp() - query_start > interval '100 ms'")
      await rowHolder.query('begin')
      const holding = rowHolder.query('/* holder */ select 1 from outbox for update')
      await waitFor("query like '/* holder */%'")
      await claimHolder.query('select pg_advisory_unlock(14)')
      await holding
      await Promise.race([delivery, waitFor("query like '%from outbox%' and query not like '/* holder */%'")])
      await rowHolder.query('rollback')
      assert.deepEqual(await delivery, { sent: 1, failed: 0, waiting: 0 })
    } finally {
      await Promise.all([claimHolder, rowHolder, watcher].map((each) => each.end()))
      await database.query(sql`drop trigger hold_claim on outbox`)
    }
  },
)

test('many workers send each mail once', async () => {
  const quote = await sendable('quotes')
  await Promise.all(
    Array.from({ length: 30 }, (_, place) =>
      shop.post(`/quotes/${quote.id}/send`, { to: `c${place}@okafor.example`, attachPdf: false }),
    ),
  )
  const counts = await Promise.all([deliver(), deliver({ all: true }), deliver()])
  assert.equal(
    counts.reduce((sum, { sent }) => sum + sent, 0),
    30,
  )
  assert.equal(new Set(server.received.map(({ recipients }) => recipients[0])).size, 30)
  assert.equal(server.received.length, 30)
})

test('mail that never comes to an end is given up', async () => {
  const quote = await sendable('quotes')
  await shop.post(`/quotes/${quote.id}/send`)
  await database.query(sql`update outbox set attempts = 10`)
  assert.deepEqual(await deliver(), { sent: 0, failed: 1, waiting: 0 })
  assert.equal(server.received.length, 0)
})

test('mail about a document that is gone is not sent', async () => {
  const quote = await sendable('quotes')
  await shop.post(`/quotes/${quote.id}/send`)
  await shop.delete(`/quotes/${quote.id}`)
  assert.deepEqual(await deliver(), { sent: 0, failed: 1, waiting: 0 })
})

test('without a mail server, mail is a file that mail programs open', async () => {
  const quote = await sendable('quotes')
  await shop.post(`/quotes/${quote.id}/send`)
  assert.deepEqual(await deliverMail(mailDependencies({ ...config, smtpUrl: null })), {
    sent: 1,
    failed: 0,
    waiting: 0,
  })
  const [file] = await readdir(join(dataDir, 'outbox'))
  const mail = await PostalMime.parse(await readFile(join(dataDir, 'outbox', file!)))
  assert.equal(mail.subject, `Quote ${quote.quoteNumber} from Harbour Repairs`)
})

test('neither the database nor its dump holds the address of a share link', async () => {
  const quote = await sendable('quotes')
  const { body } = await shop.post(`/quotes/${quote.id}/send`, {}, { 'idempotency-key': 'send-1' })
  const token = body.data.shareLink.url.split('/').at(-1)
  const again = await shop.post(`/quotes/${quote.id}/send`, {}, { 'idempotency-key': 'send-1' })
  assert.deepEqual(again.body, body, 'who repeats the request is told it again')
  const [found] = await database.query<{ rows: string }>(sql`
    select string_agg(line, '') as rows from (
      select to_jsonb(o)::text as line from outbox o union all select to_jsonb(s)::text from share_links s
      union all select to_jsonb(q)::text from quotes q union all select to_jsonb(k)::text from idempotency_keys k) everything`)
  assert.ok(!found!.rows.includes(token))
})

describe('reminders', () => {
  const soon = new Date(Date.now() + 3_600_000)
  const later = new Date(Date.now() + 7_200_000)
  const reminded = async (invoice: { id: string }, body: object = {}) =>
    (await shop.post(`/invoices/${invoice.id}/reminders`, { remindAt: soon, ...body })).body.data
  const statusOf = async (invoice: { id: string }, reminder: { id: string }) =>
    (await shop.get(`/invoices/${invoice.id}/reminders/${reminder.id}`)).body.data

  test('go out when they are due, to whoever still owes something on what was sent', async () => {
    const owing = await sendable('invoices', { status: 'sent' })
    const paid = await sendable('invoices', { status: 'sent' })
    const draft = await sendable('invoices')
    await shop.post('/payments', { invoiceId: paid.id, amount: 120 })
    const [first, second, third] = [
      await reminded(owing, { message: 'Please pay.' }),
      await reminded(paid),
      await reminded(draft),
    ]
    assert.deepEqual(await sendDueReminders(database, dependencies), { sent: 0, skipped: 0 }, 'not before their time')
    assert.deepEqual(await sendDueReminders(database, dependencies, { now: later }), { sent: 1, skipped: 2 })
    assert.deepEqual(
      await sendDueReminders(database, dependencies, { now: later }),
      { sent: 0, skipped: 0 },
      'and not again',
    )
    await deliver()
    assert.equal(server.received.length, 1)
    const [{ mail }] = server.received as [(typeof server.received)[0]]
    assert.match(mail.subject!, new RegExp(`^Reminder: invoice ${owing.invoiceNumber} from Harbour Repairs`))
    assert.ok(mail.text!.includes('Please pay.') && mail.text!.includes('£120.00'))
    assert.deepEqual(
      [
        (await statusOf(owing, first)).status,
        (await statusOf(paid, second)).status,
        (await statusOf(draft, third)).status,
      ],
      ['sent', 'skipped', 'skipped'],
    )
    assert.equal((await shop.get(`/invoices/${owing.id}`)).body.data.delivery, null, 'a reminder is not the invoice')
  })

  test('of organisations go out in turn: many of one do not delay the one of another', async () => {
    const [busy, quiet] = [await here.organisation(), await here.organisation()]
    const remind = async (client: typeof shop, remindAt: Date) => {
      const { body } = await client.post('/invoices', {
        customerName: 'Amara',
        lineItems: [{ name: 'Work', unitPrice: 1 }],
        status: 'sent',
      })
      await client.post(`/invoices/${body.data.id}/reminders`, { remindAt, to: 'amara@okafor.example' })
    }
    for (let n = 0; n < 25; n++) await remind(busy, soon)
    await remind(quiet, new Date(+soon + 60_000))
    await sendDueReminders(database, dependencies, { now: later })
    const order = await database.query<{ orgId: string }>(sql`
      select org_id as "orgId" from outbox where org_id in (${busy.orgId}, ${quiet.orgId}) order by created_at`)
    assert.equal(order.length, 26)
    const place = order.findIndex(({ orgId }) => orgId === quiet.orgId)
    assert.ok(place <= 10, `it came as number ${place}`)
  })

  test('go out once, however many workers there are', async () => {
    const invoice = await sendable('invoices', { status: 'sent' })
    await reminded(invoice)
    const counts = await Promise.all(
      Array.from({ length: 6 }, () => sendDueReminders(database, dependencies, { now: later })),
    )
    assert.equal(
      counts.reduce((sum, { sent }) => sum + sent, 0),
      1,
    )
  })

  test('that cannot be prepared have failed, and do not hold up the others', async () => {
    const other = await here.organisation()
    const { data: broken } = (
      await other.post('/invoices', {
        customerName: 'x',
        customerEmail: 'x@y.example',
        status: 'sent',
        lineItems: [{ name: 'x', unitPrice: 1 }],
      })
    ).body
    const { data: first } = (await other.post(`/invoices/${broken.id}/reminders`, { remindAt: soon })).body
    const well = await sendable('invoices', { status: 'sent' })
    const second = await reminded(well)
    await database.query(sql`update invoices set currency = 'none' where id = ${broken.id}`)
    const failures: unknown[] = []
    const count = await sendDueReminders(database, dependencies, {
      now: later,
      onFailure: (error) => failures.push(error),
    })
    assert.deepEqual([count.sent, failures.length, (await statusOf(well, second)).status], [1, 1, 'sent'])
    const { body } = await other.get(`/invoices/${broken.id}/reminders/${first.id}`)
    assert.deepEqual([body.data.status, body.data.failureReason], ['failed', 'It could not be prepared'])
  })

  test('that a mail server refuses have failed', async () => {
    const invoice = await sendable('invoices', { status: 'sent' })
    const reminder = await reminded(invoice, { to: 'gone@okafor.example' })
    await sendDueReminders(database, dependencies, { now: later })
    server.behaviour = 'refuses'
    await deliver()
    const { status, failureReason } = await statusOf(invoice, reminder)
    assert.equal(status, 'failed')
    assert.match(failureReason, /No such user here/)
  })
})

describe('the command line', () => {
  const databaseUrl = () => {
    const {
      host,
      port,
      user,
      database: name,
    } = here.connection as { host: string; port: number; user: string; database: string }
    return `postgres://${user}@/${name}?host=${host}&port=${port}`
  }
  const jobwright = commandLine({
    DATABASE_URL: databaseUrl(),
    SECRETS_KEY: config.secretsKey![0]!.toString('base64'),
    RATE_LIMIT_STORE: 'memory',
    SMTP_URL: server.url,
    MAIL_FROM: 'office@jobs.example',
  })

  test('lists, flushes and reminds', async () => {
    const invoice = await sendable('invoices')
    await shop.post(`/invoices/${invoice.id}/send`)
    const listed = await jobwright('mail', 'list', '--org', shop.orgId, '--json')
    assert.equal(listed.json.messages[0].to, 'amara@okafor.example')
    assert.match(listed.json.messages[0].text, /\/s\/[A-Za-z0-9_-]{32}/)
    assert.deepEqual((await jobwright('mail', 'flush', '--json')).json, { sent: 1, failed: 0, waiting: 0 })
    await shop.post(`/invoices/${invoice.id}/reminders`, { remindAt: new Date(Date.now() + 60_000) })
    const run = await jobwright('reminders', 'run', '--now', new Date(Date.now() + 120_000).toISOString(), '--json')
    assert.deepEqual(run.json, { sent: 1, skipped: 0 })
    assert.equal(server.received.length, 2)
    assert.match((await jobwright('mail', 'list', '--org', shop.orgId)).stdout, /Reminder: invoice/)
  })

  test('takes over a payment that is managed elsewhere, once', async () => {
    const invoice = await sendable('invoices')
    const words = [
      'payment',
      'import',
      '--org',
      shop.orgId,
      '--invoice',
      invoice.id,
      '--source',
      'processor',
      '--external-id',
      'ch_1',
    ]
    const { json } = await jobwright(...words, '--amount', '50', '--json')
    assert.deepEqual([json.amount, json.source, json.isManaged, json.externalId], [50, 'processor', true, 'ch_1'])
    assert.equal((await shop.get(`/invoices/${invoice.id}`)).body.data.amountPaid, 50)
    const again = await jobwright(...words, '--amount', '50')
    assert.deepEqual([again.code, again.stderr.trim()], [1, 'externalId is already used'])
    assert.equal((await shop.delete(`/payments/${json.id}`)).body.code, 'PAYMENT_ACCOUNTING_MANAGED')
    assert.equal((await jobwright(...words.slice(0, -2), '--amount', '-5', '--json')).json.amount, -5)
  })
})

/** Another process that sends what is due, until it is killed. */
function sendingProcess() {
  const program = `
    const { Database } = await import('${new URL('../db/database.ts', import.meta.url)}')
    const { readConfig } = await import('${new URL('../config/config.ts', import.meta.url)}')
    const { createVault } = await import('${new URL('../identity/secrets.ts', import.meta.url)}')
    const { deliverMail } = await import('${new URL('./mail.ts', import.meta.url)}')
    const { createPdfQueue } = await import('${new URL('../rendering/pdf/pdf-queue.ts', import.meta.url)}')
    const { createMailTransport } = await import('${new URL('./mail-transport.ts', import.meta.url)}')
    const config = readConfig(process.env)
    const database = new Database(${JSON.stringify(here.connection)})
    await deliverMail({ database, vault: await createVault(config), restOrigin: config.restOrigin, mailFrom: config.mailFrom,
      transport: createMailTransport(config), pdf: createPdfQueue().render })`
  return spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      PATH: process.env.PATH,
      SMTP_URL: server.url,
      MAIL_FROM: config.mailFrom,
      SECRETS_KEY: config.secretsKey![0]!.toString('base64'),
    },
  })
}

test('mail that is written down is announced to the workers of all processes', async () => {
  const client = await database.connect()
  const heard: string[] = []
  client.on('notification', ({ channel }) => heard.push(channel))
  await client.query('listen outbox')
  const quote = await sendable('quotes')
  assert.equal((await shop.post(`/quotes/${quote.id}/send`, { attachPdf: false })).status, 200)
  await client.query('select 1') // whatever was sent to this connection comes before its answer
  await client.end()
  assert.deepEqual(heard, ['outbox'])
})
