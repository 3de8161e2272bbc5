// The shared page as a customer meets it: what it shows, what it keeps to itself, and how a quote is answered on it.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { accessibilityFindings, desktop, noBrowser, openBrowser, openPage, phone } from '../../test/browser.ts'
import { startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'

const { organisation, client, database, origin } = await startTestService()
const shop = await organisation({ name: 'Harbour Repairs' })
await shop.put('', { email: 'hello@harbour.example', paymentInstructions: 'Sort code 00-00-00' })
const create = async (path: string, body: object = {}) => {
  const { status, body: answer } = await shop.post(path, body)
  assert.ok(status === 201 || status === 200, answer.error)
  return answer.data
}
const customer = await create('/customers', { firstName: 'Amara', email: 'amara@okafor.example', notes: 'SECRET-NOTE' })

const createShared = async (kind: 'quotes' | 'invoices', body: object = {}, link: object = {}) => {
  const ticket = await create('/tickets', { customerId: customer.id })
  const document = await create(`/${kind}`, {
    ticketId: ticket.id,
    lineItems: [{ name: 'Oven repair', unitPrice: 120, taxRateId: null }],
    notes: 'SECRET-NOTE',
    ...body,
  })
  const { token, url } = await create(`/${kind}/${document.id}/share-link`, link)
  return { id: document.id as string, ticketId: ticket.id as string, token: token as string, url: url as string }
}
const page = (token: string, init: RequestInit = {}) => fetch(`${origin}/s/${token}`, { redirect: 'manual', ...init })
const postAnswer = (token: string, fields: Readonly<Record<string, string>>) =>
  page(token, { method: 'POST', body: new URLSearchParams(fields) })
const csrfTokenOn = async (token: string) => /name="csrf" value="([^"]+)"/.exec(await (await page(token)).text())![1]!
const quoteAt = async (id: string) => (await shop.get(`/quotes/${id}`)).body.data
const eventsOf = async (ticketId: string) =>
  (await shop.get(`/tickets/${ticketId}/messages`)).body.data.messages.map(
    (one: { systemEvent: string }) => one.systemEvent,
  )

describe('the address', () => {
  test('is 192 random bits, stays until it is rotated, and is told again to who may read the document', async () => {
    const { id, token, url } = await createShared('quotes')
    assert.match(token, /^[A-Za-z0-9_-]{32}$/)
    assert.ok(url.endsWith(`/s/${token}`))
    const again = await shop.post(`/quotes/${id}/share-link`)
    assert.deepEqual([again.status, again.body.data.token], [200, token])
    assert.equal((await quoteAt(id)).shareLink.url, url)
    const rotated = await shop.post(`/quotes/${id}/share-link`, { rotate: true })
    assert.equal(rotated.status, 201)
    assert.notEqual(rotated.body.data.token, token)
    assert.equal((await page(token)).status, 404)
    assert.equal((await page(rotated.body.data.token)).status, 200)
  })

  test('never was, was removed, has expired, or its document is gone: the same answer to all', async () => {
    const removed = await createShared('quotes')
    const expired = await createShared('quotes', {}, { expiresAt: new Date(Date.now() + 60_000) })
    const deleted = await createShared('invoices')
    await shop.delete(`/quotes/${removed.id}/share-link`)
    assert.equal((await shop.delete(`/quotes/${removed.id}/share-link`)).status, 200, 'removing it again is no error')
    await database.query(
      sql`update share_links set expires_at = now() - interval '1 second' where quote_id = ${expired.id}`,
    )
    await shop.delete(`/invoices/${deleted.id}`)
    const answers = []
    for (const token of [
      removed.token,
      expired.token,
      deleted.token,
      'A'.repeat(32),
      'short',
      `${'A'.repeat(32)}%00`,
    ]) {
      for (const path of [token, `${token}/pdf`]) {
        const { status, headers } = await page(path)
        answers.push([status, await (await page(path)).text(), headers.get('content-type')])
      }
    }
    for (const answer of answers) assert.deepEqual(answer, answers[0])
    assert.equal(answers[0]![0], 404)
    assert.equal((await quoteAt(expired.id)).shareLink, null)
    const past = await shop.post(`/quotes/${removed.id}/share-link`, { expiresAt: '2020-01-01T00:00:00Z' })
    assert.deepEqual([past.status, past.body.error], [400, 'expiresAt must be in the future'])
  })

  test('is not told to who may only read, because whoever has it can answer', async () => {
    const { id } = await createShared('quotes')
    const reader = await client(shop.orgId, { scopes: ['quotes:read'] })
    const { shareLink } = (await reader.get(`/quotes/${id}`)).body.data
    assert.deepEqual([shareLink.url, shareLink.viewCount], [null, 0])
  })

  test('cannot be told any more when its key is lost, and is made anew when it is sent', async () => {
    const { id, token } = await createShared('quotes')
    await database.query(sql`update share_links set sealed_token = 'bG9zdA==' where quote_id = ${id}`)
    assert.equal((await quoteAt(id)).shareLink.url, null)
    assert.equal((await page(token)).status, 200, 'it still works')
    const { status, body } = await shop.post(`/quotes/${id}/send`, { to: 'a@b.example' })
    assert.equal(status, 200)
    assert.notEqual(body.data.shareLink.url.split('/').at(-1), token)
  })

  test('many who ask at once are given one address', async () => {
    const { id } = await create('/quotes', { customerName: 'x' })
    const answers = await Promise.all(Array.from({ length: 16 }, () => shop.post(`/quotes/${id}/share-link`)))
    assert.equal(new Set(answers.map(({ body }) => body.data.token)).size, 1)
    assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  })
})

describe('the page', () => {
  test('shows the document to whoever has its address, and nothing of the shop’s own', async () => {
    const { id, ticketId, token } = await createShared('invoices', { status: 'sent' })
    await create(`/tickets/${ticketId}/messages`, { text: 'INTERNAL-TEXT' })
    await create(`/tickets/${ticketId}/messages`, { text: 'Ready on Friday', visibility: 'customer' })
    await create('/payments', { invoiceId: id, amount: 20, notes: 'SECRET-NOTE' })
    const response = await page(token)
    const text = await response.text()
    for (const shown of [
      'Harbour Repairs',
      'Oven repair',
      '£120.00',
      '£100.00',
      'Sort code 00-00-00',
      'Ready on Friday',
    ]) {
      assert.ok(text.includes(shown), shown)
    }
    for (const secret of ['SECRET-NOTE', 'INTERNAL-TEXT', shop.orgId, id, ticketId, 'Test key']) {
      assert.ok(!text.includes(secret), secret)
    }
    const header = (name: string) => response.headers.get(name)
    assert.match(header('content-security-policy')!, /default-src 'none'.*frame-ancestors 'none'/)
    assert.deepEqual(
      [header('cache-control'), header('referrer-policy'), header('x-content-type-options')],
      ['no-store', 'no-referrer', 'nosniff'],
    )
    assert.match(header('x-robots-tag')!, /noindex/)
    const style = /href="(\/assets\/[^"]+\.css)"/.exec(text)![1]!
    assert.match((await fetch(origin + style)).headers.get('cache-control')!, /immutable/)
  })

  test('is counted when it is opened, the first time also on the job', async () => {
    const { id, ticketId, token } = await createShared('quotes')
    await page(token, { method: 'HEAD' })
    assert.equal((await quoteAt(id)).viewedAt, null)
    await Promise.all([page(token), page(token), page(token)])
    const quote = await quoteAt(id)
    assert.deepEqual([quote.shareLink.viewCount, typeof quote.viewedAt, quote.status], [3, 'string', 'draft'])
    assert.equal((await eventsOf(ticketId)).filter((event: string) => event === 'quoteViewed').length, 1)
  })

  test('gives the PDF, as the interface does with the read scope', async () => {
    const { id, token } = await createShared('quotes')
    const forCustomer = await page(`${token}/pdf`)
    assert.deepEqual([forCustomer.status, forCustomer.headers.get('content-type')], [200, 'application/pdf'])
    const forShop = await fetch(`${origin}/api/v1/organisations/${shop.orgId}/quotes/${id}/pdf`, {
      headers: { 'x-api-key': shop.key },
    })
    assert.equal(
      forShop.headers.get('content-disposition'),
      `inline; filename="${(await quoteAt(id)).quoteNumber}.pdf"`,
    )
    assert.ok(
      Buffer.from(await forShop.arrayBuffer())
        .toString('latin1')
        .startsWith('%PDF-'),
    )
  })
})

describe('the answer to a quote', () => {
  test('is an acceptance with a name and a signature, told to the shop', async () => {
    const { id, ticketId, token } = await createShared('quotes', { status: 'sent' })
    const signature = 'data:image/png;base64,iVBORw0KGgo='
    const { status, headers } = await postAnswer(token, {
      csrf: await csrfTokenOn(token),
      answer: 'accept',
      name: ' Amara Okafor ',
      signature,
    })
    assert.deepEqual([status, headers.get('location')], [303, `/s/${token}`])
    const quote = await quoteAt(id)
    assert.deepEqual([quote.status, quote.accepted, quote.acceptedByName], ['accepted', true, 'Amara Okafor'])
    assert.equal((await eventsOf(ticketId)).at(-1), 'quoteAccepted')
    const [kept] = await database.query<{ signature: string; hash: string }>(sql`
      select signature, address_hash as hash from quote_answers where quote_id = ${id}`)
    assert.equal(kept!.signature, signature)
    assert.ok(!kept!.hash.includes('127.0.0.1'))
    const mails = await database.query<{ to: string; subject: string }>(sql`
      select to_address as to, subject from outbox where org_id = ${shop.orgId} order by created_at desc limit 1`)
    assert.deepEqual(mails, [
      { to: 'hello@harbour.example', subject: `Quote ${quote.quoteNumber} was accepted by Amara Okafor` },
    ])
    const ticket = (await shop.get(`/tickets/${ticketId}`)).body.data
    assert.equal(ticket.status, 'Open', 'the job is left where it is')
    assert.equal(quote.invoiceId, null, 'and nothing is invoiced')
  })

  test('is a refusal with its reason, in lines as browsers send them', async () => {
    const { id, token } = await createShared('quotes')
    await postAnswer(token, { csrf: await csrfTokenOn(token), answer: 'decline', reason: 'Too dear\r\nfor us' })
    const quote = await quoteAt(id)
    assert.deepEqual([quote.status, quote.accepted, quote.declineReason], ['declined', false, 'Too dear\nfor us'])
  })

  test('is not given by looking, without the form, or without a name', async () => {
    const { id, token } = await createShared('quotes')
    const csrf = await csrfTokenOn(token)
    await page(`${token}?answer=accept&name=Scanner&csrf=${csrf}`)
    assert.equal((await postAnswer(token, { answer: 'accept', name: 'Amara' })).status, 400)
    assert.equal(
      (
        await postAnswer(token, {
          csrf: csrf.replace(/./, (first) => (first === '_' ? '-' : '_')),
          answer: 'accept',
          name: 'Amara',
        })
      ).status,
      400,
    )
    const nameless = await postAnswer(token, { csrf, answer: 'accept', name: ' ', reason: 'kept <b>' })
    assert.equal(nameless.status, 400)
    assert.match(await nameless.text(), /Please tell us your name[\s\S]*kept &lt;b&gt;/)
    assert.equal(
      (await postAnswer(token, { csrf, answer: 'accept', name: 'A', signature: 'data:text/html,<script>' })).status,
      400,
    )
    assert.equal((await postAnswer(token, { csrf, answer: 'maybe', name: 'A' })).status, 400)
    assert.equal((await postAnswer(token, { csrf: 'é'.repeat(csrf.length), answer: 'accept', name: 'A' })).status, 400)
    assert.equal(
      (await page(token, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })).status,
      415,
    )
    const unread = await page(token, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
    assert.deepEqual([unread.status, unread.headers.get('content-type')], [415, 'text/html; charset=utf-8'])
    assert.equal((await quoteAt(id)).status, 'draft')
  })

  test('is not taken through a link that is removed while it is on its way', async () => {
    const { id, token } = await createShared('quotes')
    const csrf = await csrfTokenOn(token)
    let answer: Promise<Response> | undefined
    await database.transaction('test', async (removing) => {
      await removing.query(sql`select 1 from quotes where org_id = ${shop.orgId} and id = ${id} for update`)
      answer = postAnswer(token, { csrf, answer: 'accept', name: 'Amara' })
      await new Promise((resolve) => setTimeout(resolve, 200))
      await removing.query(sql`delete from share_links where org_id = ${shop.orgId} and quote_id = ${id}`)
    })
    assert.equal((await answer!).status, 404)
    const quote = await quoteAt(id)
    assert.deepEqual([quote.status, quote.shareLink], ['draft', null])
  })

  test('is taken once: the same again changes nothing, another comes too late', async () => {
    const { id, token } = await createShared('quotes')
    const csrf = await csrfTokenOn(token)
    const accept = { csrf, answer: 'accept', name: 'Amara' }
    assert.equal((await postAnswer(token, accept)).status, 303)
    const first = await quoteAt(id)
    assert.equal((await postAnswer(token, { ...accept, name: 'Somebody else' })).status, 303)
    assert.equal((await postAnswer(token, { csrf, answer: 'decline' })).status, 409)
    const { shareLink: _, ...quote } = await quoteAt(id)
    const { shareLink: __, ...before } = first
    assert.deepEqual(quote, before)
  })

  test('comes too late when the quote has expired or was invoiced', async () => {
    const expired = await createShared('quotes')
    const csrf = await csrfTokenOn(expired.token)
    await shop.put(`/quotes/${expired.id}`, { validUntil: '2020-01-01T00:00:00Z' })
    const late = await postAnswer(expired.token, { csrf, answer: 'accept', name: 'Amara' })
    assert.equal(late.status, 409)
    assert.match(await late.text(), /expired/)
    assert.equal((await quoteAt(expired.id)).status, 'draft')

    const invoiced = await createShared('quotes')
    const token = await csrfTokenOn(invoiced.token)
    await create(`/quotes/${invoiced.id}/convert`)
    assert.equal((await postAnswer(invoiced.token, { csrf: token, answer: 'decline' })).status, 409)
    assert.equal((await quoteAt(invoiced.id)).status, 'invoiced')
  })

  test('of many at once is one: nobody accepts what another declined', async () => {
    const { id, token, ticketId } = await createShared('quotes')
    const csrf = await csrfTokenOn(token)
    await Promise.all(
      Array.from({ length: 16 }, (_, place) =>
        postAnswer(token, { csrf, answer: place % 2 ? 'accept' : 'decline', name: `C${place}` }),
      ),
    )
    const quote = await quoteAt(id)
    const answers = (await eventsOf(ticketId)).filter((event: string) => /quote(Accepted|Declined)/.test(event))
    assert.deepEqual(answers, [quote.status === 'accepted' ? 'quoteAccepted' : 'quoteDeclined'])
  })

  test('is not asked for on an invoice', async () => {
    const { token } = await createShared('invoices')
    assert.ok(!(await (await page(token)).text()).includes('name="csrf"'))
    assert.equal((await postAnswer(token, { csrf: 'x', answer: 'accept', name: 'x' })).status, 404)
  })
})

test('too many pages from one address are refused for a while', async () => {
  const other = await startTestService()
  const answers = await Promise.all(
    Array.from({ length: 130 }, () =>
      fetch(`${other.origin}/s/${'A'.repeat(32)}`).then(({ status, headers }) => [status, headers.get('retry-after')]),
    ),
  )
  assert.equal(answers.filter(([status]) => status === 404).length, 120)
  assert.ok(answers.filter(([status]) => status === 429).every(([, seconds]) => Number(seconds) >= 1))
})

describe('a PDF that takes long', () => {
  const pdfOf = (token: string) => page(`${token}/pdf`)
  const lineItems = Array.from({ length: 60 }, () => ({
    name: 'Part',
    description: 'كلمة '.repeat(399), // shaping takes its time
    unitPrice: 1,
    taxRateId: null,
  }))

  test('keeps nobody waiting who asks for something else', async () => {
    const { token } = await createShared('quotes', { lineItems })
    const light = await createShared('quotes')
    let isMade = false
    const making = pdfOf(token).then(({ status }) => {
      isMade = true
      return status
    })
    let answered = 0
    while (!isMade) {
      assert.equal((await page(light.token)).status, 200)
      if (!isMade) answered++
      if (answered === 10) break
    }
    assert.equal(answered, 10)
    assert.equal(await making, 200)
  })

  test('and many more are refused at once, over the interface and on the page', async () => {
    const heavy = await createShared('quotes', { lineItems })
    const light = await createShared('quotes')
    const requestPdf = (id: string) =>
      fetch(`${origin}/api/v1/organisations/${shop.orgId}/quotes/${id}/pdf`, { headers: { 'x-api-key': shop.key } })
    const first = requestPdf(heavy.id)
    const others = Array.from({ length: 26 }, () => requestPdf(light.id))
    const refused = await Promise.any(
      others.map(async (other) => {
        const answer = await other
        return answer.status === 503 ? answer : Promise.reject(answer.status)
      }),
    )
    const onPage = await pdfOf(light.token)
    assert.equal(onPage.status, 503)
    assert.match(await onPage.text(), /Please try again in a moment/)
    assert.deepEqual(
      [((await refused.json()) as { error: string }).error, refused.headers.get('content-type')],
      ['The service is temporarily unavailable; try again shortly', 'application/json; charset=utf-8'],
    )
    const statuses = (await Promise.all([first, ...others])).map(({ status }) => status)
    assert.ok(statuses.every((status) => status === 200 || status === 503))
    assert.equal(statuses[0], 200)
    assert.equal((await requestPdf(light.id)).status, 200, 'and afterwards all is well')
  })
})

test('an invoice of very many payments shows the newest, and the rest as one sum', async () => {
  const { id, token } = await createShared('invoices', { status: 'sent' })
  await database.query(sql`
    insert into payments (org_id, id, invoice_id, amount, payment_method, paid_at)
    select ${shop.orgId}, 'pay_' || ${id} || number, ${id}, case when number <= 20 then 0.1 else 0.25 end,
      'cash', '2026-01-01T12:00:00Z'::timestamptz + make_interval(hours => number)
    from generate_series(1, 120) number`)
  const text = (await (await page(token)).text()).replace(/<[^>]+>/g, ' ')
  assert.match(text, /20 earlier payments\s+£2\.00\s/)
  assert.equal(text.match(/£0\.25/g)!.length, 100)
  assert.ok(!text.includes('£0.10'))
  assert.equal((await page(`${token}/pdf`)).status, 200)
})

test('PDFs are made ten times a minute for one address; its pages are still shown', async () => {
  const other = await startTestService()
  const shopThere = await other.organisation()
  const { body: made } = await shopThere.post('/quotes', { customerName: 'Amara' })
  const { body: link } = await shopThere.post(`/quotes/${made.data.id}/share-link`)
  const at = (path: string) => fetch(`${other.origin}/s/${link.data.token}${path}`)
  const answers = await Promise.all(Array.from({ length: 13 }, () => at('/pdf')))
  assert.equal(answers.filter(({ status }) => status === 200).length, 10)
  for (const { status, headers } of answers)
    if (status !== 200) assert.deepEqual([status, Number(headers.get('retry-after')) >= 1], [429, true])
  assert.equal((await at('')).status, 200)
})

describe('in a browser', { skip: noBrowser }, () => {
  const hostile = `"><img src=x onerror=alert(1)><script>alert(1)</script>${'\u202e'}`
  for (const [name, viewport] of [
    ['a phone', phone],
    ['a desktop', desktop],
  ] as const) {
    test(`a quote is read, signed and accepted on ${name}`, async () => {
      const browser = await openBrowser()
      after(() => browser.close())
      const { id, token } = await createShared('quotes', {
        title: hostile,
        terms: hostile,
        lineItems: [{ name: hostile, description: hostile, unitPrice: 10 }],
      })
      const { page: tab, complaints, close } = await openPage(browser, `${origin}/s/${token}`, { viewport })
      assert.deepEqual(await accessibilityFindings(tab), [])
      await tab.getByLabel('Your name').fill('Amara Okafor')
      const box = (await tab.locator('canvas').boundingBox())!
      await tab.locator('canvas').scrollIntoViewIfNeeded()
      const place = (await tab.locator('canvas').boundingBox()) ?? box
      await tab.mouse.move(place.x + 20, place.y + 20)
      await tab.mouse.down()
      await tab.mouse.move(place.x + 120, place.y + 50, { steps: 5 })
      await tab.mouse.up()
      await tab.getByRole('button', { name: 'Accept', exact: true }).click()
      await tab
        .getByText(/accepted/i)
        .first()
        .waitFor()
      assert.deepEqual(await accessibilityFindings(tab), [])
      const quote = await quoteAt(id)
      assert.deepEqual([quote.status, quote.acceptedByName], ['accepted', 'Amara Okafor'])
      const [kept] = await database.query<{ signature: string }>(
        sql`select signature from quote_answers where quote_id = ${id}`,
      )
      assert.match(kept!.signature, /^data:image\/png;base64,.{100}/)
      assert.deepEqual(complaints, [])
      await close()
    })
  }

  test('a quote is declined without JavaScript', async () => {
    const browser = await openBrowser()
    after(() => browser.close())
    const { id, token } = await createShared('quotes')
    const { page: tab, close } = await openPage(browser, `${origin}/s/${token}`, {
      viewport: phone,
      javaScriptEnabled: false,
    })
    await tab.getByRole('button', { name: 'Decline' }).click()
    assert.equal((await quoteAt(id)).status, 'declined')
    await close()
  })
})
