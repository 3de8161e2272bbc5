// Quotes and invoices by what they are at the moment, and by words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOnCitus } from '../../../test/test-database.ts'
import { type Client, startTestService } from '../../../test/test-service.ts'
import { sql } from '../../db/database.ts'

const { organisation, database } = await startTestService()

const lineItems = [{ name: 'Work', unitPrice: 100 }]
const listed = async (shop: Client, kind: 'quotes' | 'invoices', query: string): Promise<string[]> => {
  const { status, body } = await shop.get(`/${kind}?${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data[kind].map(({ title }: { title: string }) => title).sort()
}

test('a quote is in one state, which changes with it and with the time', async () => {
  const shop = await organisation()
  const newQuote = async (title: string, more: object = {}) =>
    (await shop.post('/quotes', { customerName: 'Ada', title, lineItems, ...more })).body.data.id
  await newQuote('draft')
  await newQuote('sent', { status: 'sent' })
  await newQuote('accepted', { status: 'accepted' })
  await newQuote('declined', { status: 'declined' })
  await newQuote('without end', { status: 'sent', validUntil: null })
  await shop.post(`/quotes/${await newQuote('invoiced', { status: 'accepted' })}/convert`)
  const validUntil = '2020-01-01T00:00:00Z'
  const late = await newQuote('expired draft', { validUntil })
  await newQuote('expired', { validUntil, status: 'sent' })
  await newQuote('late but accepted', { validUntil, status: 'accepted' })
  const states = {
    draft: ['draft'],
    sent: ['sent', 'without end'],
    accepted: ['accepted', 'late but accepted'],
    declined: ['declined'],
    invoiced: ['invoiced'],
    expired: ['expired', 'expired draft'],
  }
  for (const [state, titles] of Object.entries(states))
    assert.deepEqual(await listed(shop, 'quotes', `state=${state}`), titles, state)
  assert.equal(Object.values(states).flat().length, (await listed(shop, 'quotes', '')).length)
  await shop.put(`/quotes/${late}`, { validUntil: null })
  assert.deepEqual(await listed(shop, 'quotes', 'state=expired'), ['expired'])
  assert.equal((await shop.get('/quotes?state=open')).status, 400)
})

test('an invoice is open until it is settled; overdue and partly paid ones are so, too', async () => {
  const shop = await organisation()
  const newInvoice = async (title: string, more: object = {}) =>
    (await shop.post('/invoices', { customerName: 'Ada', title, lineItems, ...more })).body.data.id
  const pay = (invoiceId: string, amount: number) => shop.post('/payments', { invoiceId, amount })
  await newInvoice('draft')
  await newInvoice('open', { status: 'sent' })
  await pay(await newInvoice('partly', { status: 'sent' }), 40)
  await pay(await newInvoice('paid', { status: 'sent' }), 100)
  await newInvoice('void', { status: 'void' })
  const past = { issuedAt: '2020-01-01T00:00:00Z', dueAt: '2020-01-15T00:00:00Z' }
  await newInvoice('overdue', { status: 'sent', ...past })
  await newInvoice('late draft', past)
  await pay(await newInvoice('paid late', { status: 'sent', ...past }), 100)
  const states = {
    draft: ['draft', 'late draft'],
    open: ['open', 'overdue', 'partly'],
    overdue: ['overdue'],
    partlyPaid: ['partly'],
    paid: ['paid', 'paid late'],
    void: ['void'],
  }
  for (const [state, titles] of Object.entries(states))
    assert.deepEqual(await listed(shop, 'invoices', `state=${state}`), titles, state)
})

test('both are found by number, customer and title', async () => {
  const shop = await organisation()
  const { id: customerId } = (await shop.post('/customers', { firstName: 'Zoë', lastName: 'Okafor' })).body.data
  for (const [kind, number] of [
    ['quotes', 'quoteNumber'],
    ['invoices', 'invoiceNumber'],
  ] as const) {
    const { data } = (await shop.post(`/${kind}`, { customerId, title: 'Boiler', lineItems })).body
    await shop.post(`/${kind}`, { customerName: 'Ada', title: 'Oven', lineItems })
    for (const search of ['okafor', 'ZOE boil', data[number], data[number].toLowerCase()])
      assert.deepEqual(await listed(shop, kind, `search=${search}`), ['Boiler'], search)
    assert.deepEqual(await listed(shop, kind, 'search=okafor+oven'), [])
    assert.deepEqual(await listed(shop, kind, `search=okafor&customerId=${customerId}&state=draft`), ['Boiler'])
  }
})

test('pages of the rare among many documents are read off an index', { skip: isOnCitus }, async () => {
  const { orgId } = await organisation()
  await database.longTransaction('read write', async (transaction) => {
    await transaction.query(sql`
      insert into quotes (org_id, id, quote_number, currency, status, created_at)
      select ${orgId}, 'quo_' || n, 'Q-' || n, 'GBP', case when n % 500 = 0 then 'sent' else 'invoiced' end,
        now() + n * interval '1 second' from generate_series(1, 10000) n`)
    await transaction.query(sql`
      insert into invoices (org_id, id, invoice_number, currency, status, total, due_at, created_at)
      select ${orgId}, 'inv_' || n, 'INV-' || n, 'GBP', 'sent', case when n % 500 = 0 then 10 else 0 end, now(),
        now() + n * interval '1 second' from generate_series(1, 10000) n`)
  })
  const client = await database.connect()
  try {
    await client.query('analyze quotes, invoices')
    const plan = async (table: string, condition: string) => {
      const { rows } =
        await client.query(`explain (generic_plan) select id from ${table} where org_id = $1 and ${condition}
        order by created_at desc, id desc limit 51`)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }
    const { quoteList } = await import('../quotes/record.ts')
    const { invoiceList } = await import('../invoices/record.ts')
    assert.match(await plan('quotes', quoteList.states.sent!), /Scan using quotes_(by_status|unanswered)/)
    assert.match(await plan('quotes', quoteList.states.expired!), /Scan using quotes_unanswered/)
    assert.match(await plan('invoices', invoiceList.states.open!), /Scan using invoices_unsettled/)
    assert.match(await plan('invoices', invoiceList.states.void!), /Scan using invoices_by_status/)
    for (const state of Object.values({ ...quoteList.states })) assert.doesNotMatch(await plan('quotes', state), /Sort/)
    for (const state of Object.values(invoiceList.states)) assert.doesNotMatch(await plan('invoices', state), /Sort/)
  } finally {
    await client.end()
  }
})
