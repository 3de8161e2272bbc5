// Quotes and invoices at the desk: listed, read, changed, sent, shared, answered, converted, paid, reminded of and voided.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DeskUser, signIntoDesk } from '../../test/desk-user.ts'
import { formWriter } from '../../test/forms.ts'
import { type Client, startTestService } from '../../test/test-service.ts'
import type { Page } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import type { NewRule, NewTemplate } from '../resources/forms/authoring.ts'

const here = await startTestService()
const { database } = here

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever they are answered
type Made = any

const workAccepted: NewTemplate = {
  name: 'Work accepted',
  status: 'published',
  fields: [{ id: 'ok', label: 'All well', type: 'boolean', required: true }],
}
const acceptedRule: NewRule = { name: 'All jobs', template: 'Work accepted', gate: 'invoice' }

async function shop() {
  const client = await here.organisation()
  await database.query(
    sql`update organisations set time_zone = 'Europe/London', name = 'Harbour Repairs' where org_id = ${client.orgId}`,
  )
  const vat = (await client.post('/tax-rates', { name: 'VAT 20%', rate: 20, defaultEnabled: true })).body.data
  const manager = await signIntoDesk(here, client.orgId, 'manager')
  return { client, manager, vat }
}

async function make(client: Client, kind: 'quote' | 'invoice', more: object = {}): Promise<Made> {
  const made = await client.post(`/${kind}s`, {
    customerName: 'Ada Pemberton',
    customerEmail: 'ada@mail.example',
    lineItems: [
      { name: 'Diagnosis', unitPrice: 35 },
      { name: 'Repair work', quantity: 1.5, unitPrice: 58 },
    ],
    ...more,
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data
}
const get = async (client: Client, kind: string, id: string): Promise<Made> =>
  (await client.get(`/${kind}s/${id}`)).body.data

/** The fields of the form of a document, as a browser would send them. */
function typedIn({ text }: Page): Record<string, string[]> {
  const [, form = ''] = /<form[^>]*id="document"[^>]*>([\s\S]*?)<\/form>/.exec(text) ?? []
  const plain = (value: string) =>
    value
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
  const fields: Record<string, string[]> = {}
  const add = (name: string, value: string) => {
    fields[name] = [...(fields[name] ?? []), plain(value)]
  }
  for (const [, hidden, tag, attributes = hidden ?? '', inside = ''] of form.matchAll(
    /<input([^>]*)>|<(select|textarea)([^>]*)>([\s\S]*?)<\/\2>/g,
  )) {
    const [, name] = /name="([^"]*)"/.exec(attributes) ?? []
    if (!name || ['csrf', 'q', 'source'].includes(name)) continue
    if (tag === undefined) add(name, /value="([^"]*)"/.exec(attributes)?.[1] ?? '')
    else if (tag === 'textarea') add(name, inside)
    else add(name, /value="([^"]*)" selected/.exec(inside)?.[1] ?? /value="([^"]*)"/.exec(inside)?.[1] ?? '')
  }
  return fields
}

const audited = async (orgId: string) =>
  database.query<{ operation: string; name: string }>(
    sql`select detail ->> 'operation' as operation, detail ->> 'name' as name from audit_log
      where org_id = ${orgId} and detail ? 'operation' order by at, id`,
  )

describe('the lists', () => {
  test('show what is in a state, how many there are, and what they come to', async () => {
    const { client, manager } = await shop()
    const draft = await make(client, 'invoice', { title: 'Still a draft' })
    const late = await make(client, 'invoice', {
      status: 'sent',
      issuedAt: '2026-01-01T00:00:00Z',
      dueAt: '2026-01-15T00:00:00Z',
      customerName: 'Late Larry',
    })
    const partly = await make(client, 'invoice', { status: 'sent', customerName: 'Partly Paula' })
    await client.post('/payments', { invoiceId: partly.id, amount: 46.4 })
    const paid = await make(client, 'invoice', { status: 'sent' })
    await client.post('/payments', { invoiceId: paid.id, amount: paid.total })
    const all = await manager.open('/invoices')
    assert.match(all.text, /4 invoices, what was billed without drafts and void ones<\/td>.*£439\.20/s)
    assert.match(all.text, />Total<\/th><\/tr><\/thead>/)
    const open = await manager.open('/invoices?state=open')
    assert.match(open.text, /Late Larry/)
    assert.match(open.text, />Still to be paid<\/th><\/tr><\/thead>/)
    assert.match(open.text, /Part paid/)
    assert.doesNotMatch(open.text, /Still a draft|Paid<\/span><\/td>/)
    assert.match(open.text, /2 invoices, still to be paid<\/td>.*£246\.40/s)
    for (const [state, count] of Object.entries({ draft: 1, overdue: 1, partlyPaid: 1, paid: 1, void: 0 }))
      assert.match(open.text, new RegExp(`state=${state}"[^>]*>[^<]*<span[^>]*>${count}<`), state)
    await make(client, 'quote', { status: 'sent', customerName: 'Waiting Wanda', validUntil: '2099-01-01T00:00:00Z' })
    await make(client, 'quote', { status: 'sent', customerName: 'Expired Edwin', validUntil: '2026-01-01T00:00:00Z' })
    const waiting = /id="list-quotes".*?<\/section>/s.exec((await manager.open('/today')).text)?.[0] ?? ''
    assert.match(waiting, /<span class="n">1<\/span>.*Waiting Wanda/s)
    assert.doesNotMatch(waiting, /Expired Edwin/, 'the list that it leads to does not show it either')
    const found = await manager.open('/invoices?q=larry%20late')
    assert.match(found.text, new RegExp(late.invoiceNumber))
    assert.doesNotMatch(found.text, new RegExp(`${draft.invoiceNumber}|Partly Paula`))
    assert.match((await manager.open('/invoices?q=nobody%25')).text, /Nothing found/)
  })

  test('have fifty on a page and lead on to the older ones', async () => {
    const { client, manager } = await shop()
    for (let n = 1; n <= 52; n++) await make(client, 'quote', { title: `Number ${n}.`, lineItems: [] })
    const first = await manager.open('/quotes?state=draft')
    assert.equal(first.text.match(/<tr class="go"/g)?.length, 50)
    const [, next] = /href="\/desk\/[^/"]+(\/quotes\?[^"]*after=[^"]*)"/.exec(first.text)!
    assert.match(next!, /state=draft/)
    const second = await manager.open(next!.replaceAll('&amp;', '&'))
    assert.deepEqual(
      [...second.text.matchAll(/Number (\d+)\./g)].map(([, n]) => n),
      ['2', '1'],
    )
    assert.match(second.text, /52 quotes/)
    assert.doesNotMatch(second.text, /after=/)
  })

  test('are closed to technicians, as is every page and act of a document', async () => {
    const { client } = await shop()
    const quote = await make(client, 'quote')
    const invoice = await make(client, 'invoice')
    const technician = await signIntoDesk(here, client.orgId, 'technician')
    for (const path of [
      '/quotes',
      '/invoices',
      `/quotes/${quote.id}`,
      `/quotes/${quote.id}/pdf`,
      `/quotes/${quote.id}/send`,
      `/quotes/${quote.id}/row`,
      `/invoices/${invoice.id}`,
      `/invoices/${invoice.id}/pdf`,
      `/invoices/${invoice.id}/void`,
    ])
      assert.equal((await technician.open(path)).status, 403, path)
    for (const path of [
      `/quotes/${quote.id}`,
      `/quotes/${quote.id}/send`,
      `/quotes/${quote.id}/share-link`,
      `/quotes/${quote.id}/status`,
      `/quotes/${quote.id}/convert`,
      `/invoices/${invoice.id}/payments`,
      `/invoices/${invoice.id}/reminders`,
      `/invoices/${invoice.id}/void`,
    ])
      assert.equal((await technician.post(path, { title: 'Mine', status: 'accepted', amount: '1' })).status, 403, path)
    assert.deepEqual(await get(client, 'quote', quote.id), quote)
  })
})

describe('the page of a document', () => {
  test('shows it as the service has it, and its number leads there', async () => {
    const { client, manager } = await shop()
    const job = (await client.post('/tickets', { customerName: 'Ada Pemberton', serviceRequired: 'Oven is cold' })).body
      .data
    const invoice = await make(client, 'invoice', { ticketId: job.id, discount: { type: 'percent', value: 10 } })
    await client.post('/payments', {
      invoiceId: invoice.id,
      amount: 20,
      paymentMethod: 'cash',
      notes: 'At the counter',
    })
    const page = await manager.open(`/invoices/${invoice.invoiceNumber}`)
    assert.equal(page.status, 200, page.text)
    assert.ok(page.url.endsWith(`/invoices/${invoice.id}`), page.url)
    assert.equal(page.text.match(/<h1/g)?.length, 1)
    for (const words of [
      'Invoice for Ada Pemberton',
      'Repair work',
      '£87.00',
      '-£12.20',
      'VAT 20%',
      '£131.76',
      '£111.76',
      'Cash',
      'At the counter',
      `#${job.ticketNumber} Oven is cold`,
      'ada@mail.example',
      'Written',
    ])
      assert.ok(page.text.includes(words), `${words} in ${page.text}`)
    assert.match(page.text, /name="amount"[^>]*value="111\.76"/, 'what is owed is filled in')
    for (const path of ['/invoices/INV-9999', '/invoices/inv_nobody', `/quotes/${invoice.id}`])
      assert.equal((await manager.open(path)).status, 404, path)
  })

  test('takes at most eight statements, and its PDF is the one of the service', async () => {
    const { client, manager } = await shop()
    const quote = await make(client, 'quote')
    const count = () => database.metrics().counters.reduce((sum, [, { completed }]) => sum + completed, 0)
    await manager.open(`/quotes/${quote.id}`)
    const before = count()
    await manager.open(`/quotes/${quote.id}`)
    assert.ok(count() - before <= 8, `${count() - before} statements`)
    const pdf = await manager.open(`/quotes/${quote.id}/pdf`)
    assert.equal(pdf.status, 200)
    assert.equal(pdf.headers.get('content-type'), 'application/pdf')
    assert.match(pdf.text, /^%PDF/)
  })

  test('of another shop is not there', async () => {
    const { client } = await shop()
    const quote = await make(client, 'quote')
    const { manager: stranger } = await shop()
    assert.equal((await stranger.open(`/quotes/${quote.id}`)).status, 404)
    assert.equal((await stranger.open(`/quotes/${quote.id}/pdf`)).status, 404)
    assert.equal((await stranger.post(`/quotes/${quote.id}/status`, { status: 'accepted' })).status, 404)
    assert.equal((await get(client, 'quote', quote.id)).status, 'draft')
  })
})

describe('the editor', () => {
  const open = async (manager: DeskUser, path: string) => typedIn(await manager.open(path))

  test('saves what was changed and nothing else, and answers with the sums of the service', async () => {
    const { client, manager } = await shop()
    const quote = await make(client, 'quote', { terms: 'Thirty days' })
    const path = `/quotes/${quote.id}`
    const form = await open(manager, path)
    const untouched = await manager.act(path, form)
    assert.deepEqual([untouched.status, untouched.said.ok], [200, true])
    assert.deepEqual(await get(client, 'quote', quote.id), quote, 'nothing was typed, nothing is written')
    const { status, said } = await manager.act(path, {
      ...form,
      title: 'Oven',
      quantity: ['1', '2,5'],
      'discount.value': '10',
      'discount.type': 'percent',
    })
    assert.equal(status, 200, JSON.stringify(said))
    const saved = await get(client, 'quote', quote.id)
    assert.deepEqual(
      [saved.title, saved.lineItems[1].quantity, saved.discount.value, saved.terms],
      ['Oven', 2.5, 10, 'Thirty days'],
    )
    assert.equal(saved.lineItems[1].taxRateId, quote.lineItems[1].taxRateId)
    assert.match(said.parts.totals, new RegExp(`£${saved.total.toFixed(2)}`))
    assert.match(said.parts['x-2'], /£145\.00/)
    assert.ok(said.version)
    assert.deepEqual((await audited(client.orgId)).at(-1), {
      operation: 'updateQuote',
      name: `quote ${quote.quoteNumber}`,
    })
  })

  test('says what is refused beside its line, in words, and keeps what was typed', async () => {
    const { client, manager } = await shop()
    const invoice = await make(client, 'invoice')
    const path = `/invoices/${invoice.id}`
    const form = await open(manager, path)
    const wrong = { ...form, title: 'Typed and kept', quantity: ['1', '0'] }
    const { status, said } = await manager.act(path, wrong)
    assert.equal(status, 400)
    assert.equal(said.error, 'Repair work: the quantity must be more than 0.')
    assert.deepEqual([said.data.key, said.data.field], ['2', 'quantity'])
    const page = await manager.post(path, wrong)
    assert.equal(page.status, 400)
    assert.match(page.text, /name="quantity" value="0"[^>]*aria-invalid="true" aria-describedby="w-2"/)
    assert.match(page.text, /id="w-2"[^>]*>Repair work: the quantity must be more than 0\./)
    assert.match(page.text, /value="Typed and kept"/)
    assert.doesNotMatch(page.text, /lineItems\[/)
    const discount = await manager.act(path, { ...form, 'discount.value': '101', 'discount.type': 'percent' })
    assert.equal(discount.said.error, 'Discount: the amount must be between 0 and 100.')
    const due = await manager.act(path, { ...form, dueAt: '2020-01-01' })
    assert.equal(due.said.error, 'The day it is due must not be before the date.')
    const word = await manager.act(path, { ...form, unitPrice: ['35.00', 'a lot'] })
    assert.match(word.said.error, /^Repair work: the price must be /)
    assert.deepEqual(await get(client, 'invoice', invoice.id), invoice)
  })

  test('a last day counts to its end, on the clock of the shop, and may be left out of a quote', async () => {
    const { client, manager } = await shop()
    const quote = await make(client, 'quote')
    const path = `/quotes/${quote.id}`
    const form = await open(manager, path)
    await manager.act(path, { ...form, validUntil: '2027-07-01' })
    assert.equal((await get(client, 'quote', quote.id)).validUntil, '2027-07-01T22:59:00.000Z')
    const again = await open(manager, path)
    assert.deepEqual(again.validUntil, ['2027-07-01'])
    await manager.act(path, { ...again, validUntil: '' })
    assert.equal((await get(client, 'quote', quote.id)).validUntil, null)
    const invoice = await make(client, 'invoice')
    const bill = await open(manager, `/invoices/${invoice.id}`)
    const { said } = await manager.act(`/invoices/${invoice.id}`, { ...bill, dueAt: '' })
    assert.match(said.error, /^The day it is due must be /)
  })

  test('takes lines from the catalogue and others, and gives them up', async () => {
    const { client, manager } = await shop()
    const service = (
      await client.post('/services', { name: 'Data transfer', price: 45, description: 'Old to new', warrantyDays: 30 })
    ).body.data
    const quote = await make(client, 'quote', { lineItems: [] })
    const path = `/quotes/${quote.id}`
    const row = await manager.open(`${path}/row?key=7&source=${encodeURIComponent(`service:${service.id}`)}&q=data`)
    assert.match(row.text, /data-row="7".*value="Data transfer".*Old to new · 30 days’ warranty.*value="45\.00"/s)
    assert.match(row.text, /selected>VAT 20%/)
    assert.equal((await manager.open(`${path}/row?source=service:svc_nobody`)).status, 404)

    const added = await manager.post(path, { ...(await open(manager, path)), q: 'data transfer', add: 'yes' })
    assert.equal(added.status, 200, added.text)
    const more = await manager.post(path, { ...typedIn(added), q: 'Parking in town', add: 'yes' })
    assert.deepEqual(
      (await get(client, 'quote', quote.id)).lineItems.map((line: Made) => [
        line.name,
        line.serviceId,
        line.unitPrice,
        line.warrantyDays,
      ]),
      [
        ['Data transfer', service.id, 45, 30],
        ['Parking in town', null, 0, null],
      ],
    )
    await manager.post(path, { ...typedIn(more), remove: '1' })
    assert.deepEqual(
      (await get(client, 'quote', quote.id)).lineItems.map(({ name }: Made) => name),
      ['Parking in town'],
    )
  })

  test('changes what the customer has only with the button that says so', async () => {
    const { client, manager } = await shop()
    const draft = await make(client, 'quote')
    const shared = await make(client, 'quote')
    await client.post(`/quotes/${shared.id}/share-link`, {})
    const sent = await make(client, 'quote', { status: 'sent' })
    assert.match((await manager.open(`/quotes/${draft.id}`)).text, /data-autosave/)
    for (const { id } of [shared, sent]) {
      const page = await manager.open(`/quotes/${id}`)
      assert.doesNotMatch(page.text, /data-autosave/)
      assert.match(
        page.text,
        /The customer has this quote: its address and its PDF show the change at once.*>Change what the customer has<\/button>/s,
      )
      const unsaved = await manager.post(`/quotes/${id}`, { ...typedIn(page), remove: '1' })
      assert.match(unsaved.text, /This is not saved yet/)
      assert.equal((await get(client, 'quote', id)).lineItems.length, 2)
      await manager.post(`/quotes/${id}`, typedIn(unsaved))
      assert.equal((await get(client, 'quote', id)).lineItems.length, 1)
    }
    const before = await open(manager, `/quotes/${sent.id}`)
    await client.put(`/quotes/${sent.id}`, { status: 'accepted' })
    const accepted = await manager.open(`/quotes/${sent.id}`)
    assert.doesNotMatch(accepted.text, /id="document"/)
    const refused = await manager.act(`/quotes/${sent.id}`, { ...before, quantity: ['3'] })
    assert.equal(refused.status, 400)
    assert.match(refused.said.error, /An accepted quote cannot be changed/)
  })

  test('keeps what was typed while the customer answered, and says so', async () => {
    const { client, manager } = await shop()
    for (const [status, words] of [
      ['accepted', 'The quote was accepted meanwhile'],
      ['declined', 'The quote was declined meanwhile'],
    ] as const) {
      const { id } = await make(client, 'quote', { status: 'sent' })
      const form = typedIn(await manager.open(`/quotes/${id}`))
      await client.put(`/quotes/${id}`, { status })
      const typed = { ...form, title: ['Typed <late>'], quantity: ['1', '4'], 'discount.value': ['10'] }
      // With the button, and with a line that is taken away without scripts.
      for (const more of [{}, { remove: '1' }]) {
        const { status: refused, text } = await manager.post(`/quotes/${id}`, { ...typed, ...more })
        assert.equal(refused, 400)
        assert.match(text, new RegExp(words))
        const [, kept = ''] = /id="kept">(.*?)<\/section>/s.exec(text) ?? []
        assert.match(kept, /<dt>Title<\/dt><dd class="pre">Typed &lt;late&gt;<\/dd>/)
        assert.match(kept, /<dt>Lines<\/dt>.*4 × Repair work, £58\.00/s)
        assert.match(kept, /<dt>Discount<\/dt><dd class="pre">10%/)
        assert.doesNotMatch(kept, /Valid until|Terms/, 'only what was changed')
        assert.equal((await get(client, 'quote', id)).title, null)
      }
      assert.doesNotMatch((await manager.open(`/quotes/${id}`)).text, /id="kept"/)
    }
  })

  test('shows both where two changed the same lines, and overwrites nobody unasked', async () => {
    const { client, manager } = await shop()
    const quote = await make(client, 'quote')
    const path = `/quotes/${quote.id}`
    const form = await open(manager, path)
    await client.put(path, { lineItems: [{ name: 'What Niamh wrote', unitPrice: 9 }] })
    const mine = { ...form, quantity: ['1', '4'], title: 'Typed besides' }
    const { status, said } = await manager.act(path, mine)
    assert.deepEqual([status, said.code], [412, 'PRECONDITION_FAILED'])
    const both = await manager.post(path, mine)
    assert.equal(both.status, 412)
    assert.match(both.text, /1 × What Niamh wrote, £9\.00/)
    assert.match(both.text, /4 × Repair work, £58\.00/)
    assert.equal((await get(client, 'quote', quote.id)).lineItems.length, 1)
    const saved = await manager.submit(both, path)
    assert.equal(saved.status, 200, saved.text)
    const { title, lineItems } = await get(client, 'quote', quote.id)
    assert.deepEqual([title, lineItems[1].quantity], ['Typed besides', 4], 'nothing that was typed is lost')
  })

  test('does not take a change of somebody else for seen because another field was saved beside it', async () => {
    const { client, manager } = await shop()
    const quote = await make(client, 'quote', { notes: 'As it was' })
    const path = `/quotes/${quote.id}`
    const form = await open(manager, path)
    await client.put(path, { notes: 'What Niamh wrote' })
    const { said } = await manager.act(path, { ...form, title: 'Mine' })
    assert.equal(said.ok, true)
    assert.equal(said.version, undefined, 'the page has not seen the other change')
    const later = {
      ...form,
      title: 'Mine',
      'was.title': 'Mine',
      version: said.version ?? form.version!,
      notes: 'What I wrote',
    }
    const { status } = await manager.act(path, later)
    assert.equal(status, 412)
    const { title, notes } = await get(client, 'quote', quote.id)
    assert.deepEqual([title, notes], ['Mine', 'What Niamh wrote'])
  })

  test('of many who change the same lines at once one is saved, and the others are told', async () => {
    const { client, manager } = await shop()
    const quote = await make(client, 'quote')
    const path = `/quotes/${quote.id}`
    const form = await open(manager, path)
    const answers = await Promise.all(
      [2, 3, 4, 5, 6].map((n) => manager.act(path, { ...form, quantity: ['1', String(n)] })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412, 412, 412])
  })

  test('takes a document of two hundred long lines', async () => {
    const { client, manager } = await shop()
    const lineItems = Array.from({ length: 200 }, (_, n) => ({
      name: `Line ${n}`,
      description: 'é'.repeat(300),
      unitPrice: n,
    }))
    const quote = await make(client, 'quote', { lineItems })
    const path = `/quotes/${quote.id}`
    const form = await open(manager, path)
    const { status, said } = await manager.act(path, {
      ...form,
      unitPrice: form.unitPrice!.map((price, n) => (n === 199 ? '5' : price)),
    })
    assert.equal(status, 200, said.error)
    assert.equal((await get(client, 'quote', quote.id)).lineItems[199].unitPrice, 5)
  })
})

describe('acts', () => {
  test('lines that no page sent are refused in words', async () => {
    const { client, manager } = await shop()
    for (const kind of ['quote', 'invoice'] as const) {
      const { id } = await make(client, kind)
      for (const lineItems of ['[null]', 'null', '[[1]]', '[{}]', '7', 'y']) {
        const fields = { lineItems, 'was.lineItems': 'x' }
        const { status } = await manager.post(`/${kind}s/${id}`, fields)
        assert.ok([400, 412].includes(status), `${kind} ${lineItems} ${status}`)
      }
    }
  })

  test('the same form sent many times at once is one payment; the next page is another', async () => {
    const { client, manager } = await shop()
    const invoice = await make(client, 'invoice')
    const path = `/invoices/${invoice.id}`
    const once = async () =>
      /id="pay">(?:(?!<\/form>).)*?name="once" value="([^"]+)"/s.exec((await manager.open(path)).text)![1]!
    const pay = async (value: string, amount: string) =>
      (await manager.act(`${path}/payments`, { once: value, amount, direction: 'in', paymentMethod: 'cash' })).status
    const page = await once()
    const many = await Promise.all(Array.from({ length: 8 }, () => pay(page, '1')))
    assert.deepEqual(new Set(many), new Set([200]))
    const paid = async () => (await get(client, 'invoice', invoice.id)).amountPaid
    assert.equal(await paid(), 1)
    await pay(page, '2') // other words are another payment
    await pay(await once(), '1')
    assert.equal(await paid(), 4)
  })

  test('forms that make something carry what makes them count once', async () => {
    const { client, manager } = await shop()
    const customer = (await client.post('/customers', { firstName: 'Bea', email: 'bea@x.example' })).body.data
    const job = (await client.post('/tickets', { customerId: customer.id, serviceRequired: 'Oven' })).body.data
    const item = (await client.post('/inventory', { name: 'Fan', price: 2, quantityOnHand: 3 })).body.data
    const [quote, invoice] = [await make(client, 'quote'), await make(client, 'invoice')]
    for (const [page, action] of [
      ['/customers/new', '/customers'],
      [`/customers/${customer.id}`, `/customers/${customer.id}/devices`],
      ['/quotes/new', '/quotes/new'],
      ['/invoices/new', '/invoices/new'],
      ['/stock/new', '/stock'],
      ['/services/new', '/services'],
      ['/stock', `/stock/${item.id}/corrections`],
      [`/stock/${item.id}`, `/stock/${item.id}/corrections`],
      [`/jobs/${job.id}`, `/jobs/${job.id}/notes`],
      [`/quotes/${quote.id}`, `/quotes/${quote.id}/convert`],
      [`/quotes/${quote.id}/send`, `/quotes/${quote.id}/send`],
      [`/invoices/${invoice.id}/send`, `/invoices/${invoice.id}/send`],
      ['/calendar/new', '/calendar'],
    ] as const) {
      const { text } = await manager.open(page)
      const [, inside] = text.split(`action="/desk/${client.orgId}${action}"`)
      assert.match(inside?.split('</form>')[0] ?? '', /name="once" value="[\w-]{22}"/, `${page} ${action}`)
    }
  })

  test('sending asks first, then puts the mail in the outbox', async () => {
    const { client, manager } = await shop()
    const quote = await make(client, 'quote')
    const path = `/quotes/${quote.id}`
    const asked = await manager.open(`${path}/send`)
    assert.match(asked.text, /value="ada@mail\.example"/)
    assert.match(asked.text, new RegExp(`value="Quote ${quote.quoteNumber} from Harbour Repairs"`))
    const wrong = await manager.submit(asked, `${path}/send`, { to: 'nobody', message: 'As promised' })
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, /The address must be/)
    assert.match(wrong.text, /As promised<\/textarea>/)
    assert.equal((await get(client, 'quote', quote.id)).status, 'draft')
    const sent = await manager.submit(asked, `${path}/send`, { to: 'ada@work.example', subject: 'Your oven' })
    assert.match(sent.text, /the mail was written to a file, and nobody gets it/)
    const [mail] = await database.query<Made>(
      sql`select to_address as "to", subject from outbox where org_id = ${client.orgId}`,
    )
    assert.deepEqual(mail, { to: 'ada@work.example', subject: 'Your oven' })
    assert.equal((await get(client, 'quote', quote.id)).status, 'sent')
    assert.match(sent.text, /Written for ada@work\.example/)
    assert.deepEqual((await audited(client.orgId)).at(-1), {
      operation: 'sendQuote',
      name: `quote ${quote.quoteNumber} to ada@work.example`,
    })
  })

  test('the address for the customer is made, shown and ended', async () => {
    const { client, manager } = await shop()
    const invoice = await make(client, 'invoice')
    const path = `/invoices/${invoice.id}`
    const linked = await manager.submit(await manager.open(path), `${path}/share-link`)
    const [, url] = /id="share-url"[^>]*value="([^"]+)"/.exec(linked.text)!
    assert.equal((await fetch(url!)).status, 200)
    assert.match((await manager.open(path)).text, /<span class="tick on"><\/span><span class="">Seen/)
    await manager.post(`${path}/share-link`, { end: 'yes' })
    assert.equal((await fetch(url!)).status, 404)
  })

  test('a quote is accepted, opened again and converted once', async () => {
    const { client, manager } = await shop()
    const quote = await make(client, 'quote')
    const path = `/quotes/${quote.id}`
    await manager.post(`${path}/status`, { status: 'accepted' })
    assert.equal((await get(client, 'quote', quote.id)).status, 'accepted')
    await manager.post(`${path}/status`, { status: 'declined' })
    assert.equal((await get(client, 'quote', quote.id)).status, 'accepted', 'refused')
    await manager.post(`${path}/status`, { status: 'draft' })
    assert.equal((await get(client, 'quote', quote.id)).status, 'draft')
    const converted = await manager.post(`${path}/convert`)
    const { invoiceId, status } = await get(client, 'quote', quote.id)
    assert.equal(status, 'invoiced')
    assert.ok(converted.url.includes(`/invoices/${invoiceId}`), converted.url)
    assert.match((await manager.open(path)).text, new RegExp(`/invoices/${invoiceId}">To invoice`))
    const again = await manager.post(`${path}/convert`)
    assert.equal(again.status, 409)
    assert.match(again.text, /is already invoiced<\/h1>.*was made of it/s)
    const other = await manager.submit(again, `${path}/convert`, { force: 'yes' })
    assert.match(other.url, /\/invoices\/inv_/)
    assert.notEqual((await get(client, 'quote', quote.id)).invoiceId, invoiceId)
  })

  test('a form that stands before an invoice is named, with the way to it', async () => {
    const { client, manager } = await shop()
    await formWriter(database, client.orgId).import([workAccepted], [acceptedRule])
    const job = (await client.post('/tickets', { customerName: 'Ada', serviceRequired: 'Oven' })).body.data
    await client.post(`/tickets/${job.id}/services`, { name: 'Call-out', unitPrice: 45 })
    const quote = await make(client, 'quote', { ticketId: job.id })
    for (const path of [`/quotes/${quote.id}/convert`, `/jobs/${job.id}/invoice`]) {
      const refused = await manager.post(path)
      assert.equal(refused.status, 409, path)
      assert.match(refused.text, /The job cannot be invoiced yet: Work accepted is still open\./)
      assert.match(refused.text, /href="[^"]*\/forms\/[^"]*">Open the form/)
    }
  })

  test('payments and refunds are recorded, refused in words and removed', async () => {
    const { client, manager } = await shop()
    const invoice = await make(client, 'invoice', { status: 'sent' })
    const path = `/invoices/${invoice.id}`
    const page = await manager.open(path)
    const wrong = await manager.submit(page, `${path}/payments`, { amount: '10.001', notes: 'In coins' })
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, /The amount must have at most 2 decimal places/)
    assert.match(wrong.text, /value="In coins"/)
    const paid = await manager.submit(page, `${path}/payments`, { paymentMethod: 'cash', paidAt: '2026-11-02' })
    assert.match(paid.text, /The payment is recorded/)
    const [payment] = (await client.get(`/payments?invoiceId=${invoice.id}`)).body.data.payments
    assert.deepEqual(
      [payment.amount, payment.paymentMethod, payment.paidAt],
      [invoice.total, 'cash', '2026-11-02T12:00:00.000Z'],
    )
    assert.equal((await get(client, 'invoice', invoice.id)).paid, true)
    await manager.submit(paid, `${path}/payments`, { direction: 'out', amount: '6.40' })
    assert.equal((await get(client, 'invoice', invoice.id)).balance, 6.4)
    const asked = await manager.open(`${path}/payments/${payment.id}/remove`)
    const removed = await manager.submit(asked, `${path}/payments/${payment.id}/remove`)
    assert.equal(removed.status, 200)
    assert.equal((await get(client, 'invoice', invoice.id)).amountPaid, -6.4)
    assert.deepEqual(
      (await audited(client.orgId)).map(({ operation, name }) => `${operation} ${name}`),
      [
        `createPayment payment on invoice ${invoice.invoiceNumber}`,
        `createPayment refund on invoice ${invoice.invoiceNumber}`,
        `deletePayment payment on invoice ${invoice.invoiceNumber}`,
      ],
    )
  })

  test('reminders are planned in the time of the shop, refused in words and removed', async () => {
    const { client, manager } = await shop()
    const invoice = await make(client, 'invoice', { status: 'sent' })
    const path = `/invoices/${invoice.id}`
    const past = await manager.post(`${path}/reminders`, { day: '2020-01-01', time: '09:00', message: 'Kindly' })
    assert.equal(past.status, 400)
    assert.match(past.text, /The day must be in the future/)
    assert.match(past.text, /Kindly<\/textarea>/)
    const year = new Date().getFullYear() + 1
    const planned = await manager.post(`${path}/reminders`, { day: `${year}-07-01`, time: '09:00' })
    assert.match(planned.text, /the reminder will be written to a file, and nobody gets it/)
    const [reminder] = (await client.get(`${path}/reminders`)).body.data.reminders
    assert.equal(reminder.remindAt, `${year}-07-01T08:00:00.000Z`)
    await manager.submit(planned, `${path}/reminders/${reminder.id}/remove`)
    assert.equal((await client.get(`${path}/reminders`)).body.data.reminders.length, 0)
  })

  test('voiding asks first, and needs that nothing was paid', async () => {
    const { client, manager } = await shop()
    const invoice = await make(client, 'invoice', { status: 'sent' })
    const path = `/invoices/${invoice.id}`
    const { body } = await client.post('/payments', { invoiceId: invoice.id, amount: 5 })
    const asked = await manager.open(`${path}/void`)
    const refused = await manager.submit(asked, `${path}/void`)
    assert.equal(refused.status, 400)
    assert.match(refused.text, /Refund the payments before voiding/)
    await client.delete(`/payments/${body.data.id}`)
    assert.equal((await manager.post(`${path}/status`, { status: 'void' })).status, 404, 'there is a page that asks')
    const done = await manager.submit(asked, `${path}/void`)
    assert.match(done.text, /The invoice is void/)
    assert.doesNotMatch(done.text, /id="document"|Record a payment|Send again/)
    assert.equal((await get(client, 'invoice', invoice.id)).status, 'void')
  })
})

describe('a new document', () => {
  test('is for a customer who is there, or for a name, and asks where the words may mean somebody', async () => {
    const { client, manager } = await shop()
    const ada = (
      await client.post('/customers', { firstName: 'Ada', lastName: 'Pemberton', email: 'ada@mail.example' })
    ).body.data
    const list = await manager.open('/quotes')
    assert.match(list.text, /href="[^"]*\/quotes\/new"/)
    const made = await manager.post('/quotes/new', { customerId: ada.id, q: 'Ada' })
    assert.match(made.text, /Quote for Ada Pemberton/)
    const asked = await manager.post('/invoices/new', { q: 'pemb' })
    assert.match(asked.text, /Which one is meant\?.*Ada Pemberton/s)
    assert.equal((await client.get('/invoices')).body.data.invoices.length, 0)
    const named = await manager.submit(asked, '/invoices/new', { nameOnly: 'yes' })
    assert.match(named.text, /Invoice for pemb/)
    const nobody = await manager.post('/invoices/new', { q: ' ' })
    assert.equal(nobody.status, 400)
    assert.match(nobody.text, /Write for whom it is/)
    assert.deepEqual(
      (await audited(client.orgId)).map(({ operation }) => operation),
      ['createQuote', 'createInvoice'],
    )
  })
})
