// Payments over HTTP, and what they come to on their invoice, step by step, at random and all at once.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'

const { organisation, database } = await startTestService()
const shop = await organisation()
const create = async (path: string, body: object = {}) => {
  const { status, body: answer } = await shop.post(path, body)
  assert.equal(status, 201, answer.error)
  return answer.data
}
const createInvoice = (body: object = {}) =>
  create('/invoices', {
    customerName: 'Walk-in',
    lineItems: [{ name: 'Work', unitPrice: 120, taxRateId: null }],
    deposit: { type: 'percent', value: 30 },
    ...body,
  })
const invoiceAt = async (id: string) => (await shop.get(`/invoices/${id}`)).body.data
const balanceOf = async (id: string) => {
  const { amountPaid, balance, depositPaid, paid, hasBalance } = await invoiceAt(id)
  return [amountPaid, balance, depositPaid, paid, hasBalance]
}
const pay = (invoiceId: string, amount: number, more: object = {}) =>
  create('/payments', { invoiceId, amount, ...more })

test('the flags follow the payments, step by step', async () => {
  const { id } = await createInvoice()
  assert.deepEqual(await balanceOf(id), [0, 120, false, false, true])
  await pay(id, 36)
  assert.deepEqual(await balanceOf(id), [36, 84, true, false, true])
  const second = await pay(id, 84)
  assert.deepEqual(await balanceOf(id), [120, 0, true, true, false])
  await pay(id, -20)
  assert.deepEqual(await balanceOf(id), [100, 20, true, false, true])
  await shop.delete(`/payments/${second.id}`)
  assert.deepEqual(await balanceOf(id), [16, 104, false, false, true])
  await pay(id, 150)
  assert.deepEqual(await balanceOf(id), [166, -46, true, true, false])
})

describe('a payment', () => {
  test('says where it belongs and how it was paid', async () => {
    const customer = await create('/customers', { firstName: 'Amara' })
    const ticket = await create('/tickets', { customerId: customer.id })
    const { id } = await create('/invoices', { ticketId: ticket.id, lineItems: [{ name: 'x', unitPrice: 10 }] })
    const payment = await pay(id, 10, {
      paymentMethod: 'card',
      notes: 'over the counter',
      paidAt: '2026-11-01T10:00:00+01:00',
    })
    assert.deepEqual(
      [payment.customerId, payment.ticketId, payment.paymentMethod, payment.paidAt, payment.source, payment.isManaged],
      [customer.id, ticket.id, 'card', '2026-11-01T09:00:00.000Z', 'manual', false],
    )
    assert.equal((await pay(id, -2)).paymentMethod, 'other')
    const { body } = await shop.get(`/tickets/${ticket.id}/messages`)
    const events = body.data.messages.map((one: { systemEvent: string }) => one.systemEvent)
    assert.deepEqual(events, [
      'jobCreated',
      'invoiceCreated',
      'paymentRecorded',
      'invoicePaid',
      'paymentRefunded',
      'invoiceReopened',
    ])
    assert.equal(
      body.data.messages[2].text,
      `10.00 GBP was paid on invoice ${body.data.messages[1].systemData.invoiceNumber}`,
    )
  })

  test('is listed newest first, by its invoice', async () => {
    const { id } = await createInvoice()
    const first = await pay(id, 1)
    const second = await pay(id, 2)
    const { body } = await shop.get(`/payments?invoiceId=${id}`)
    assert.deepEqual(
      body.data.payments.map((one: { id: string }) => one.id),
      [second.id, first.id],
    )
  })

  test('refuses what is no payment, by name', async () => {
    const { id } = await createInvoice()
    const post = async (body: object) => {
      const { status, body: answer } = await shop.post('/payments', body)
      return [status, answer.error]
    }
    assert.deepEqual(await post({ invoiceId: id }), [400, 'amount is required'])
    assert.deepEqual(await post({ amount: 5 }), [400, 'invoiceId is required'])
    assert.deepEqual(await post({ invoiceId: id, amount: 0 }), [400, 'amount must not be 0'])
    assert.deepEqual(await post({ invoiceId: id, amount: 10.005 }), [400, 'amount must have at most 2 decimal places'])
    assert.deepEqual(await post({ invoiceId: id, amount: '5' }), [400, 'amount must be a number'])
    assert.deepEqual(await post({ invoiceId: id, amount: 100_000_001 }), [400, 'amount must be at most 100000000'])
    assert.deepEqual(await post({ invoiceId: 'nope', amount: 5 }), [404, 'Invoice not found'])
    assert.deepEqual(await balanceOf(id), [0, 120, false, false, true])
  })

  test('stays on its invoice', async () => {
    const [first, second] = [await createInvoice(), await createInvoice()]
    const payment = await pay(first.id, 5)
    const moved = await shop.put(`/payments/${payment.id}`, { invoiceId: second.id })
    assert.deepEqual([moved.status, moved.body.error], [400, 'invoiceId cannot be changed'])
    assert.equal((await shop.put(`/payments/${payment.id}`, payment)).status, 200, 'sent back as it is')
    assert.equal((await shop.put(`/payments/${payment.id}`, { amount: 7.5 })).body.data.amount, 7.5)
    assert.equal((await invoiceAt(first.id)).amountPaid, 7.5)
  })

  for (const source of ['processor', 'accounting']) {
    test(`of a ${source} is not changed here, and neither is its invoice`, async () => {
      const { id } = await createInvoice()
      const payment = await pay(id, 50)
      await database.query(sql`update payments set source = ${source} where id = ${payment.id}`)
      const before = await invoiceAt(id)
      for (const answer of [
        await shop.put(`/payments/${payment.id}`, { amount: 1 }),
        await shop.delete(`/payments/${payment.id}`),
        await shop.delete(`/invoices/${id}`),
      ]) {
        assert.deepEqual([answer.status, answer.body.code], [409, 'PAYMENT_ACCOUNTING_MANAGED'])
      }
      assert.deepEqual(await invoiceAt(id), before)
      const { isManaged, amount } = (await shop.get(`/payments/${payment.id}`)).body.data
      assert.deepEqual([isManaged, amount], [true, 50])
    })
  }
})

test('sixteen payments at once are all counted', async () => {
  const { id } = await createInvoice()
  const answers = await Promise.all(
    Array.from({ length: 16 }, () => shop.post('/payments', { invoiceId: id, amount: 7.5 })),
  )
  assert.ok(answers.every(({ status }) => status === 201))
  assert.deepEqual(await balanceOf(id), [120, 0, true, true, false])
})

test('payments, changes and deletions at once leave the invoice what its payments say', async () => {
  const { id } = await createInvoice({ status: 'sent' })
  const existing = await Promise.all(Array.from({ length: 8 }, () => pay(id, 10)))
  await Promise.all([
    ...existing.slice(0, 4).map(({ id: paymentId }) => shop.delete(`/payments/${paymentId}`)),
    ...existing
      .slice(2, 8)
      .map(({ id: paymentId }, place) => shop.put(`/payments/${paymentId}`, { amount: 20 + place })),
    ...Array.from({ length: 6 }, (_, place) =>
      shop.put(`/invoices/${id}`, { discount: { type: 'fixed', value: place } }),
    ),
    ...Array.from({ length: 4 }, () => shop.post('/payments', { invoiceId: id, amount: -3 })),
  ])
  await assertSettled(id)
})

type Step =
  | { readonly kind: 'pay'; readonly cents: number }
  | { readonly kind: 'change'; readonly which: number; readonly cents: number }
  | { readonly kind: 'delete'; readonly which: number }
  | { readonly kind: 'price'; readonly cents: number }
  | { readonly kind: 'deposit'; readonly percent: number }
  | { readonly kind: 'status'; readonly status: string }

const cents = fc.integer({ min: -20_000, max: 20_000 }).filter((value) => value !== 0)
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('pay' as const), cents }),
  fc.record({ kind: fc.constant('change' as const), which: fc.nat(9), cents }),
  fc.record({ kind: fc.constant('delete' as const), which: fc.nat(9) }),
  fc.record({ kind: fc.constant('price' as const), cents: fc.integer({ min: 0, max: 20_000 }) }),
  fc.record({ kind: fc.constant('deposit' as const), percent: fc.nat(100) }),
  fc.record({ kind: fc.constant('status' as const), status: fc.constantFrom('draft', 'sent', 'void') }),
)

test('after any sequence of payments, refunds, edits and deletions the flags equal a count from scratch', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 12 }), async (sequence) => {
      const { id } = await createInvoice()
      for (const step of sequence) {
        await takeStep(id, step)
        await assertSettled(id)
      }
    }),
    { numRuns: 25, endOnFailure: true },
  )
})

async function takeStep(invoiceId: string, step: Step): Promise<void> {
  const payments = (await shop.get(`/payments?invoiceId=${invoiceId}`)).body.data.payments
  const chosen = 'which' in step ? payments[step.which % Math.max(payments.length, 1)] : undefined
  if (step.kind === 'pay') await shop.post('/payments', { invoiceId, amount: step.cents / 100 })
  if (step.kind === 'change' && chosen) await shop.put(`/payments/${chosen.id}`, { amount: step.cents / 100 })
  if (step.kind === 'delete' && chosen) await shop.delete(`/payments/${chosen.id}`)
  if (step.kind === 'price')
    await shop.put(`/invoices/${invoiceId}`, {
      lineItems: [{ name: 'Work', unitPrice: step.cents / 100, taxRateId: null }],
    })
  if (step.kind === 'deposit')
    await shop.put(`/invoices/${invoiceId}`, { deposit: { type: 'percent', value: step.percent } })
  if (step.kind === 'status') await shop.put(`/invoices/${invoiceId}`, { status: step.status })
}

/** Counted anew from what the interface itself lists, in whole cents. */
async function assertSettled(invoiceId: string): Promise<void> {
  const invoice = await invoiceAt(invoiceId)
  const { payments } = (await shop.get(`/payments?invoiceId=${invoiceId}&limit=100`)).body.data
  const inCents = (amount: number) => Math.round(amount * 100)
  const paid = payments.reduce((sum: number, { amount }: { amount: number }) => sum + inCents(amount), 0)
  const total = inCents(invoice.total)
  const isPaid = invoice.status !== 'void' && (total > 0 ? paid >= total : invoice.status !== 'draft')
  assert.deepEqual(
    {
      amountPaid: inCents(invoice.amountPaid),
      balance: inCents(invoice.balance),
      hasBalance: invoice.hasBalance,
      depositPaid: invoice.depositPaid,
      paid: invoice.paid,
      isDated: invoice.paidAt !== null,
    },
    {
      amountPaid: paid,
      balance: total - paid,
      hasBalance: total - paid > 0 && invoice.status !== 'void',
      depositPaid: invoice.depositAmount > 0 && paid >= inCents(invoice.depositAmount),
      paid: isPaid,
      isDated: isPaid,
    },
  )
}
