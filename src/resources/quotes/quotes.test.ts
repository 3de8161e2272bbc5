// Quotes over HTTP: what they add up to, what may follow what, what is locked, and what becomes of them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { isWaitingForLock } from '../../../test/lock-waits.ts'
import { startTestService } from '../../../test/test-service.ts'
import { raw, sql } from '../../db/database.ts'
import { dayMs } from '../../domain/durations.ts'

const { organisation, database, client } = await startTestService()
const shop = await organisation()
const create = async (path: string, body: object, caller = shop) => {
  const { status, body: answer } = await caller.post(path, body)
  assert.equal(status, 201, answer.error)
  return answer.data
}
const vat = await create('/tax-rates', { name: 'VAT', rate: 20 })
const inclusive = await create('/tax-rates', { name: 'VAT incl.', rate: 20, isInclusive: true })
const customer = await create('/customers', { firstName: 'Amara', lastName: 'Okafor', email: 'amara@okafor.example' })
const createQuote = (body: object = {}) =>
  create('/quotes', { customerName: 'Walk-in', lineItems: [{ name: 'Work', unitPrice: 100 }], ...body })
const assertRefused = async (path: string, body: object, error: string) => {
  const { status, body: answer } = await shop.put(path, body)
  assert.deepEqual({ status, error: answer.error }, { status: 400, error })
}

describe('what a quote says', () => {
  test('takes its number, its totals, its validity and its terms from where they come', async () => {
    const other = await organisation()
    await other.put('', { quoteNumberPrefix: 'OFFER/', quoteValidDays: 10, documentTerms: 'Half in advance.' })
    const first = await create('/quotes', { customerName: 'Walk-in' }, other)
    const second = await create('/quotes', { customerName: 'Walk-in', terms: null }, other)
    assert.deepEqual([first.quoteNumber, second.quoteNumber], ['OFFER/0001', 'OFFER/0002'])
    assert.deepEqual([first.terms, second.terms], ['Half in advance.', null])
    assert.equal(Date.parse(first.validUntil) - Date.parse(first.createdAt), 10 * dayMs)
    assert.deepEqual(
      [first.status, first.accepted, first.total, first.lineItems, first.shareLink, first.delivery, first.isExpired],
      ['draft', false, 0, [], null, null, false],
    )
  })

  test('passes over a number that an earlier prefix spelt', async () => {
    const other = await organisation()
    for (const [kind, prefix] of [
      ['quote', 'Q-'],
      ['invoice', 'INV-'],
    ] as const) {
      const next = (number: number) =>
        database.query(sql`
          update counters set ${raw(`next_${kind}_number`)} = ${number}::int where org_id = ${other.orgId}`)
      await next(10_007)
      const first = await create(`/${kind}s`, { customerName: 'Walk-in' }, other)
      await other.put('', { [`${kind}NumberPrefix`]: `${prefix}1` })
      await next(7)
      const second = await create(`/${kind}s`, { customerName: 'Walk-in' }, other)
      const numbers = [first, second].map((one) => one[`${kind}Number`])
      assert.deepEqual(numbers, [`${prefix}10007`, `${prefix}10008`])
    }
  })

  test('copies the customer at that moment', async () => {
    const quote = await create('/quotes', { customerId: customer.id })
    assert.deepEqual([quote.customerName, quote.customerEmail], ['Amara Okafor', 'amara@okafor.example'])
  })

  test('copies the lines and the discount of its job unless it is given lines', async () => {
    const ticket = await create('/tickets', { customerId: customer.id })
    await create(`/tickets/${ticket.id}/services`, { name: 'Repair', unitPrice: 80, taxRateId: vat.id })
    await create(`/tickets/${ticket.id}/inventory`, {
      name: 'Valve',
      quantity: 2,
      unitPrice: 12.5,
      taxRateId: vat.id,
      serialNumber: 'S1',
    })
    await shop.put(`/tickets/${ticket.id}/discount`, { type: 'percent', value: 10 })
    const copy = await create('/quotes', { ticketId: ticket.id })
    assert.equal(copy.customerName, 'Amara Okafor')
    assert.deepEqual(
      copy.lineItems.map((line: { kind: string; name: string; lineTotal: number }) => [
        line.kind,
        line.name,
        line.lineTotal,
      ]),
      [
        ['service', 'Repair', 80],
        ['inventory', 'Valve', 25],
      ],
    )
    assert.deepEqual([copy.subtotal, copy.discountTotal, copy.taxTotal, copy.total], [105, 10.5, 18.9, 113.4])
    const own = await create('/quotes', { ticketId: ticket.id, lineItems: [] })
    assert.deepEqual([own.lineItems, own.discount], [[], null])
    const { body } = await shop.get(`/tickets/${ticket.id}/messages`)
    assert.deepEqual(body.data.messages.at(-1).systemEvent, 'quoteCreated')
  })

  test('adds up to the cent, inclusive and exclusive, with a discount and a deposit', async () => {
    const quote = await createQuote({
      lineItems: [
        { name: 'A', unitPrice: 100, taxRateId: vat.id },
        { name: 'B', unitPrice: 60, taxRateId: inclusive.id },
        { name: 'C', unitPrice: 50, taxRateId: null },
      ],
      discount: { type: 'percent', value: 10 },
      deposit: { type: 'percent', value: 30 },
    })
    assert.deepEqual(
      [quote.subtotal, quote.discountTotal, quote.netTotal, quote.taxTotal, quote.total, quote.depositAmount],
      [210, 21, 180, 27, 207, 62.1],
    )
    const read = await shop.get(`/quotes/${quote.id}`)
    assert.deepEqual(read.body.data, quote, 'what is read is what was answered')
  })

  for (const [currency, line, total, discountValue] of [
    ['JPY', { quantity: 3, unitPrice: 333.5 }, 1_101, 5.5],
    ['KWD', { quantity: 3, unitPrice: 0.3335 }, 1.101, 5.5555],
  ] as const) {
    test(`counts ${currency} in its own smallest part`, async () => {
      const other = await organisation()
      await other.put('', { currency })
      const rate = await create('/tax-rates', { name: 'Tax', rate: 10 }, other)
      const lineItems = [{ name: 'Part', ...line, taxRateId: rate.id }]
      const quote = await create('/quotes', { customerName: 'Walk-in', lineItems }, other)
      assert.deepEqual([quote.currency, quote.total], [currency, total])
      const { status, body } = await other.put(`/quotes/${quote.id}`, {
        discount: { type: 'fixed', value: discountValue },
      })
      assert.equal(status, 400)
      assert.match(body.error, /^discount\.value must have at most \d decimal places$/)
    })
  }

  test('refuses what makes no sense, by name', async () => {
    const post = async (body: object) => {
      const { status, body: answer } = await shop.post('/quotes', body)
      return [status, answer.error]
    }
    const line = (extra: object) => ({
      customerName: 'Walk-in',
      lineItems: [{ name: 'ok' }, { name: 'Work', ...extra }],
    })
    assert.deepEqual(await post({}), [400, 'customerId, ticketId or customerName is required'])
    assert.deepEqual(await post({ customerId: 'nope' }), [404, 'Customer not found'])
    assert.deepEqual(await post({ ticketId: 'nope' }), [404, 'Job not found'])
    assert.deepEqual(await post(line({ foo: 1 })), [400, 'lineItems[1].foo is not allowed'])
    assert.deepEqual(await post(line({ quantity: 0 })), [400, 'lineItems[1].quantity must be greater than 0'])
    assert.deepEqual(await post(line({ unitPrice: 1.23456 })), [
      400,
      'lineItems[1].unitPrice must have at most 4 decimal places',
    ])
    assert.deepEqual(await post(line({ unitPrice: -1 })), [400, 'lineItems[1].unitPrice must be at least 0'])
    assert.deepEqual(await post(line({ taxRateId: 'nope' })), [400, 'lineItems[1].taxRateId does not exist'])
    assert.deepEqual(await post(line({ serviceId: 'nope' })), [400, 'lineItems[1].serviceId does not exist'])
    assert.deepEqual(await post({ customerName: 'x', lineItems: [{}] }), [
      400,
      'lineItems[0].name is required unless a source is given',
    ])
    assert.deepEqual(await post({ customerName: 'x', lineItems: Array(201).fill({ name: 'x' }) }), [
      400,
      'lineItems must have at most 200 entries',
    ])
    assert.deepEqual(await post({ customerName: 'x', discount: { type: 'percent', value: 120 } }), [
      400,
      'discount.value must be between 0 and 100',
    ])
    assert.deepEqual(await post({ customerName: 'x', discount: { type: 'percent', value: 1, code: 'X' } }), [
      400,
      'discount.code is not allowed',
    ])
    assert.deepEqual(await post({ customerName: 'x', deposit: { type: 'fixed', value: 1.005 } }), [
      400,
      'deposit.value must have at most 2 decimal places',
    ])
    assert.deepEqual(await post({ customerName: 'x', status: 'declined', accepted: true }), [
      400,
      'accepted does not agree with status',
    ])
    assert.deepEqual(await post({ customerName: 'x', status: 'invoiced' }), [
      400,
      'status cannot change from draft to invoiced',
    ])
  })

  test('names what a line does not have, however much that is, and refuses a long list for its length', async () => {
    const strange = Object.fromEntries(Array.from({ length: 12 }, (_, place) => [`k${place}`, 1]))
    const many = await shop.post('/quotes', { customerName: 'x', lineItems: [{ name: 'x', ...strange }] })
    assert.deepEqual([many.status, many.body.error], [400, 'lineItems[0].k0 is not allowed'])
    const long = await shop.post('/quotes', { customerName: 'x', lineItems: Array(300_000).fill({}) })
    assert.deepEqual([long.status, long.body.error], [400, 'lineItems must have at most 200 entries'])
    const wordy = Array(200).fill({ name: 'x', description: 'y'.repeat(2_000) })
    const heavy = await shop.post('/quotes', { customerName: 'x', lineItems: wordy })
    assert.deepEqual([heavy.status, heavy.body.error], [400, 'lineItems must have at most 150000 characters together'])
    const dear = Array(9).fill({ name: 'x', quantity: 1_000_000, unitPrice: 100_000_000, taxRateId: null })
    const rich = await shop.post('/quotes', { customerName: 'x', lineItems: dear })
    assert.deepEqual(
      [rich.status, rich.body.error],
      [400, 'The lines come to more than can be counted to the last cent'],
    )
  })

  test('copies a job that was written in another currency', async () => {
    const other = await organisation()
    const ticket = await create('/tickets', { customerName: 'x' }, other)
    await create(`/tickets/${ticket.id}/services`, { name: 'x', unitPrice: 333.5 }, other)
    await other.put(`/tickets/${ticket.id}/discount`, { type: 'fixed', value: 1.55 })
    await other.put('', { currency: 'JPY' })
    const quote = await create('/quotes', { ticketId: ticket.id }, other)
    assert.deepEqual(
      [quote.lineItems[0].lineTotal, quote.subtotal, quote.discountTotal, quote.total],
      [334, 334, 2, 332],
    )
  })

  test('a line keeps its tax and its sku when it moves to another place', async () => {
    const rate = await create('/tax-rates', { name: 'Moving', rate: 20 })
    const item = await create('/inventory', { name: 'Valve', price: 10, sku: 'V-1', taxRateId: rate.id })
    const quote = await createQuote({ lineItems: [{ name: 'First', unitPrice: 1 }, { inventoryItemId: item.id }] })
    await shop.put(`/tax-rates/${rate.id}`, { rate: 25 })
    await shop.put(`/inventory/${item.id}`, { sku: 'V-2' })
    const { body } = await shop.put(`/quotes/${quote.id}`, { lineItems: [quote.lineItems[1]] })
    assert.deepEqual(
      [body.data.lineItems[0].taxRate.rate, body.data.lineItems[0].sku, body.data.total],
      [20, 'V-1', 12],
    )
    await shop.put(`/quotes/${quote.id}`, { accepted: true })
    const accepted = (await shop.get(`/quotes/${quote.id}`)).body.data
    assert.equal((await shop.put(`/quotes/${quote.id}`, accepted)).status, 200)
    const fresh = await shop.put(`/quotes/${quote.id}`, { status: 'draft', lineItems: [{ inventoryItemId: item.id }] })
    assert.equal(fresh.body.data.lineItems[0].taxRate.rate, 25, 'a new line has the rate of today')
  })

  test('a refused quote takes no number', async () => {
    const other = await organisation()
    await other.post('/quotes', { customerId: 'nope' })
    await other.post('/quotes', { customerName: 'x', lineItems: [{ name: 'x', taxRateId: 'nope' }] })
    assert.equal((await create('/quotes', { customerName: 'x' }, other)).quoteNumber, 'Q-0001')
  })

  test('a line keeps the tax it was sold at when it is sent back, also when the rate is gone', async () => {
    const rate = await create('/tax-rates', { name: 'Old', rate: 10 })
    const service = await create('/services', { name: 'Check', price: 50, taxRateId: rate.id, warrantyDays: 30 })
    const quote = await createQuote({ lineItems: [{ serviceId: service.id }] })
    assert.deepEqual(
      [quote.total, quote.lineItems[0].name, quote.lineItems[0].kind, quote.lineItems[0].warrantyDays],
      [55, 'Check', 'service', 30],
    )
    await shop.delete(`/tax-rates/${rate.id}`)
    await shop.delete(`/services/${service.id}`)
    const { status, body, headers } = await shop.put(`/quotes/${quote.id}`, quote)
    assert.equal(status, 200, body.error)
    assert.deepEqual(body.data.lineItems, quote.lineItems)
    assert.equal(body.data.total, 55)
    assert.match(headers.get('x-ignored-fields')!, /quoteNumber/)
  })
})

describe('the life of a quote', () => {
  const moves: readonly [string, string, boolean][] = [
    ['draft', 'sent', true],
    ['draft', 'accepted', true],
    ['draft', 'declined', true],
    ['sent', 'draft', true],
    ['sent', 'accepted', true],
    ['sent', 'declined', true],
    ['accepted', 'draft', true],
    ['declined', 'draft', true],
    ['accepted', 'declined', false],
    ['accepted', 'sent', false],
    ['declined', 'accepted', false],
    ['declined', 'sent', false],
    ['draft', 'invoiced', false],
  ]
  for (const [from, to, may] of moves) {
    test(`${may ? 'moves' : 'does not move'} from ${from} to ${to}`, async () => {
      const { id } = await createQuote({ status: from })
      if (!may) return assertRefused(`/quotes/${id}`, { status: to }, `status cannot change from ${from} to ${to}`)
      const { status, body } = await shop.put(`/quotes/${id}`, { status: to })
      assert.equal(status, 200, body.error)
      assert.deepEqual([body.data.status, body.data.accepted], [to, to === 'accepted'])
    })
  }

  test('accepting by the shorthand dates it, and going back clears that', async () => {
    const { id } = await createQuote()
    const accepted = (await shop.put(`/quotes/${id}`, { accepted: true })).body.data
    assert.deepEqual([accepted.status, accepted.accepted, typeof accepted.acceptedAt], ['accepted', true, 'string'])
    await assertRefused(
      `/quotes/${id}`,
      { lineItems: [] },
      'An accepted quote cannot be changed; set status to draft first',
    )
    await assertRefused(
      `/quotes/${id}`,
      { validUntil: null },
      'An accepted quote cannot be changed; set status to draft first',
    )
    assert.equal((await shop.put(`/quotes/${id}`, { notes: 'Ring first' })).status, 200)
    assert.equal((await shop.put(`/quotes/${id}`, accepted)).status, 200, 'what is sent back unchanged is no change')
    const draft = (await shop.put(`/quotes/${id}`, { accepted: false, lineItems: [] })).body.data
    assert.deepEqual([draft.status, draft.accepted, draft.acceptedAt, draft.total], ['draft', false, null, 0])
  })

  test('is expired only while nobody answered', async () => {
    const { id } = await createQuote({ validUntil: '2020-01-01T00:00:00Z' })
    assert.equal((await shop.get(`/quotes/${id}`)).body.data.isExpired, true)
    assert.equal((await shop.put(`/quotes/${id}`, { accepted: true })).body.data.isExpired, false)
  })

  test('lists by customer, job and acceptance', async () => {
    const ticket = await create('/tickets', { customerId: customer.id })
    const { id } = await create('/quotes', { ticketId: ticket.id, accepted: true })
    const ids = async (query: string) =>
      (await shop.get(`/quotes?${query}`)).body.data.quotes.map((quote: { id: string }) => quote.id)
    assert.deepEqual(await ids(`ticketId=${ticket.id}`), [id])
    assert.deepEqual(await ids(`ticketId=${ticket.id}&accepted=false`), [])
    assert.ok((await ids(`customerId=${customer.id}&accepted=true`)).includes(id))
    assert.equal((await shop.get('/quotes?accepted=yes')).status, 400)
  })
})

describe('converting', () => {
  test('carries everything over, once', async () => {
    const ticket = await create('/tickets', { customerId: customer.id })
    const quote = await create('/quotes', {
      ticketId: ticket.id,
      title: 'Oven',
      notes: 'internal',
      terms: 'Net 7',
      lineItems: [{ name: 'Work', quantity: 1.5, unitPrice: 33.33, taxRateId: vat.id, warrantyDays: 30 }],
      discount: { type: 'fixed', value: 1.5, reason: 'Loyal' },
      deposit: { type: 'percent', value: 30 },
      accepted: true,
    })
    const invoice = await create(`/quotes/${quote.id}/convert`, {})
    for (const field of [
      'customerId',
      'ticketId',
      'customerName',
      'customerEmail',
      'title',
      'notes',
      'terms',
      'lineItems',
    ]) {
      assert.deepEqual(invoice[field], quote[field], field)
    }
    for (const field of ['discount', 'deposit', 'currency', 'subtotal', 'taxes', 'total', 'depositAmount']) {
      assert.deepEqual(invoice[field], quote[field], field)
    }
    assert.deepEqual([invoice.quoteId, invoice.status, invoice.invoiceNumber], [quote.id, 'draft', 'INV-0001'])
    const after = (await shop.get(`/quotes/${quote.id}`)).body.data
    assert.deepEqual([after.status, after.accepted, after.invoiceId], ['invoiced', true, invoice.id])
    const again = await shop.post(`/quotes/${quote.id}/convert`)
    assert.deepEqual([again.status, again.body.code], [409, 'QUOTE_ALREADY_INVOICED'])
    await assertRefused(`/quotes/${quote.id}`, { lineItems: [] }, 'An invoiced quote cannot be changed')
    await assertRefused(`/quotes/${quote.id}`, { status: 'draft' }, 'status cannot change from invoiced to draft')

    const forced = await create(`/quotes/${quote.id}/convert?force=true`, {})
    assert.equal((await shop.get(`/quotes/${quote.id}`)).body.data.invoiceId, forced.id)
    await shop.delete(`/invoices/${forced.id}`)
    const kept = (await shop.get(`/quotes/${quote.id}`)).body.data
    assert.deepEqual([kept.status, kept.invoiceId], ['invoiced', invoice.id], 'the first invoice still exists')
    const refused = await shop.post(`/quotes/${quote.id}/convert`)
    assert.deepEqual([refused.status, refused.body.code], [409, 'QUOTE_ALREADY_INVOICED'])
    await shop.delete(`/invoices/${invoice.id}`)
    const reopened = (await shop.get(`/quotes/${quote.id}`)).body.data
    assert.deepEqual([reopened.status, reopened.invoiceId], ['accepted', null])
    assert.equal((await shop.post(`/quotes/${quote.id}/convert`)).status, 201, 'converts again without force')
    const events = (await shop.get(`/tickets/${ticket.id}/messages`)).body.data.messages.map(
      (one: { systemEvent: string }) => one.systemEvent,
    )
    assert.equal(events.filter((event: string) => event === 'quoteConverted').length, 3)
  })

  for (const [status, back] of [
    ['sent', 'sent'],
    ['draft', 'draft'],
  ] as const) {
    test(`a ${status} quote is ${back} again when its invoice is deleted`, async () => {
      const quote = await createQuote({ status })
      const invoice = await create(`/quotes/${quote.id}/convert`, {})
      await shop.delete(`/invoices/${invoice.id}`)
      assert.equal((await shop.get(`/quotes/${quote.id}`)).body.data.status, back)
    })
  }

  test('is refused as long as any invoice of the quote exists, also where the quote does not know of it', async () => {
    const quote = await createQuote({ status: 'accepted' })
    const invoice = await create(`/quotes/${quote.id}/convert`, {})
    await database.query(sql`update quotes set status = 'accepted', invoice_id = null where id = ${quote.id}`)
    assert.equal((await shop.post(`/quotes/${quote.id}/convert`)).body.code, 'QUOTE_ALREADY_INVOICED')
    await shop.put(`/invoices/${invoice.id}`, { status: 'void' })
    assert.equal((await shop.post(`/quotes/${quote.id}/convert`)).body.code, 'QUOTE_ALREADY_INVOICED', 'void or not')
    await shop.delete(`/invoices/${invoice.id}`)
    assert.equal((await shop.post(`/quotes/${quote.id}/convert`)).status, 201)
  })

  test('the quote follows its invoices when they are made and deleted at the same moment', async () => {
    const stateOf = async (id: string) => {
      const { status, invoiceId } = (await shop.get(`/quotes/${id}`)).body.data
      return [status, invoiceId]
    }
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const quote = await createQuote({ status: 'accepted' })
        const first = await create(`/quotes/${quote.id}/convert`, {})
        const [second] = await Promise.all([
          create(`/quotes/${quote.id}/convert?force=true`, {}),
          shop.delete(`/invoices/${first.id}`),
        ])
        assert.deepEqual(await stateOf(quote.id), ['invoiced', second.id])
        const third = await create(`/quotes/${quote.id}/convert?force=true`, {})
        await Promise.all([second, third].map(({ id }) => shop.delete(`/invoices/${id}`)))
        assert.deepEqual(await stateOf(quote.id), ['accepted', null])
      }),
    )
  })

  test('refuses a declined quote, and one whose job has open invoice forms, also with force', async () => {
    const declined = await createQuote({ status: 'declined' })
    const { status, body } = await shop.post(`/quotes/${declined.id}/convert`)
    assert.deepEqual([status, body.error], [400, 'A declined quote cannot be converted'])

    const ticket = await create('/tickets', { customerId: customer.id })
    const quote = await create('/quotes', { ticketId: ticket.id })
    await database.query(sql`update tickets set open_invoice_form_count = 1 where id = ${ticket.id}`)
    const blocked = await shop.post(`/quotes/${quote.id}/convert?force=true`)
    assert.deepEqual(
      [blocked.status, blocked.body.code, blocked.body.data],
      [409, 'FORM_GATE_INVOICE', { outstanding: 1 }],
    )
  })

  test('needs both scopes', async () => {
    const { id } = await createQuote()
    const half = await client(shop.orgId, { scopes: ['quotes:write'] })
    const { status, body } = await half.post(`/quotes/${id}/convert`)
    assert.deepEqual([status, body.requiredScopes], [403, ['quotes:write', 'invoices:write']])
  })

  test('sixteen at once make one invoice', async () => {
    const other = await organisation()
    const quote = await create('/quotes', { customerName: 'x', lineItems: [{ name: 'x', unitPrice: 1 }] }, other)
    const answers = await Promise.all(Array.from({ length: 16 }, () => other.post(`/quotes/${quote.id}/convert`)))
    assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    assert.equal(answers.filter(({ body }) => body.code === 'QUOTE_ALREADY_INVOICED').length, 15)
    const { body } = await other.get('/invoices')
    assert.deepEqual(
      body.data.invoices.map((one: { invoiceNumber: string }) => one.invoiceNumber),
      ['INV-0001'],
    )
  })

  test('waits for whoever changes the quote at the same moment, and goes by what they leave', async () => {
    const { id } = await createQuote()
    const other = await database.connect()
    try {
      await other.query('begin')
      await other.query("update quotes set status = 'invoiced' where id = $1", [id])
      const converting = shop.post(`/quotes/${id}/convert`)
      while (!(await isWaitingForLock(database, '%quotes%'))) await delay(10)
      await other.query('commit')
      assert.equal((await converting).body.code, 'QUOTE_ALREADY_INVOICED')
    } finally {
      await other.end()
    }
  })

  test('sixteen forced at once have sixteen numbers without a gap', async () => {
    const other = await organisation()
    const quote = await create('/quotes', { customerName: 'x' }, other)
    await Promise.all(Array.from({ length: 16 }, () => other.post(`/quotes/${quote.id}/convert?force=true`)))
    const { body } = await other.get('/invoices')
    const numbers = body.data.invoices.map((one: { invoiceNumber: string }) => one.invoiceNumber).sort()
    assert.deepEqual(
      numbers,
      Array.from({ length: 16 }, (_, place) => `INV-${String(place + 1).padStart(4, '0')}`),
    )
  })
})

describe('what stays when others go', () => {
  test('a quote outlives its customer and its job', async () => {
    const gone = await create('/customers', { firstName: 'Gone' })
    const ticket = await create('/tickets', { customerId: gone.id })
    const quote = await create('/quotes', {
      ticketId: ticket.id,
      lineItems: [{ name: 'x', unitPrice: 5, taxRateId: null }],
    })
    await shop.delete(`/customers/${gone.id}`)
    const { body } = await shop.get(`/quotes/${quote.id}`)
    assert.deepEqual([body.data.customerId, body.data.ticketId, body.data.customerName], [gone.id, ticket.id, 'Gone'])
    assert.equal((await shop.put(`/quotes/${quote.id}`, { accepted: true })).status, 200)
    assert.equal((await shop.post(`/quotes/${quote.id}/convert`)).status, 201)
  })

  test('the currency stays once there are documents', async () => {
    const other = await organisation()
    assert.equal((await other.put('', { currency: 'EUR' })).status, 200)
    await create('/quotes', { customerName: 'x' }, other)
    const { status, body } = await other.put('', { currency: 'GBP' })
    assert.deepEqual([status, body.error], [400, 'currency cannot change after documents exist'])
    assert.equal((await other.put('', { currency: 'EUR', name: 'Same' })).status, 200, 'the same one is no change')
  })
})
