// Invoices over HTTP: their dates, their life, the gate before them, and their reminders.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { blank, formWriter } from '../../../test/forms.ts'
import { startTestService } from '../../../test/test-service.ts'
import { sql } from '../../db/database.ts'
import { dayMs } from '../../domain/durations.ts'

const { organisation, database } = await startTestService()
const shop = await organisation()
const create = async (path: string, body: object = {}) => {
  const { status, body: answer } = await shop.post(path, body)
  assert.equal(status, 201, answer.error)
  return answer.data
}
const customer = await create('/customers', { firstName: 'Amara', email: 'amara@okafor.example' })
const createInvoice = (body: object = {}) =>
  create('/invoices', {
    customerName: 'Walk-in',
    lineItems: [{ name: 'Work', unitPrice: 120, taxRateId: null }],
    ...body,
  })
const outcomeOf = async (request: Promise<{ status: number; body: { error?: string } }>) => {
  const { status, body } = await request
  return [status, body.error]
}
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString()

describe('what an invoice says', () => {
  test('is issued now and due after the days of the organisation, unless told otherwise', async () => {
    await shop.put('', { paymentInstructions: 'Sort code 00-00-00' })
    const invoice = await createInvoice()
    assert.equal(Date.parse(invoice.dueAt) - Date.parse(invoice.issuedAt), 14 * dayMs)
    assert.equal(invoice.paymentInstructions, 'Sort code 00-00-00')
    assert.deepEqual(
      [invoice.status, invoice.paid, invoice.hasBalance, invoice.depositPaid, invoice.amountPaid, invoice.balance],
      ['draft', false, true, false, 0, 120],
    )
    const dated = await createInvoice({ issuedAt: '2026-01-01T00:00:00+01:00' })
    assert.deepEqual([dated.issuedAt, dated.dueAt], ['2025-12-31T23:00:00.000Z', '2026-01-14T23:00:00.000Z'])
    const late = shop.post('/invoices', { customerName: 'x', issuedAt: '9999-12-30T00:00:00Z' })
    assert.deepEqual(await outcomeOf(late), [400, 'dueAt must be before the end of the year 9999'])
    const wrong = shop.post('/invoices', { customerName: 'x', issuedAt: inDays(2), dueAt: inDays(1) })
    assert.deepEqual(await outcomeOf(wrong), [400, 'dueAt must not be before issuedAt'])
  })

  test('is overdue when it is sent, past its day and not paid', async () => {
    const { id } = await createInvoice({ issuedAt: '2026-01-01T00:00:00Z', status: 'sent' })
    assert.equal((await shop.get(`/invoices/${id}`)).body.data.isOverdue, true)
    await create('/payments', { invoiceId: id, amount: 120 })
    assert.equal((await shop.get(`/invoices/${id}`)).body.data.isOverdue, false)
  })

  test('whether it is paid is not for callers to say', async () => {
    const { id } = await createInvoice()
    const { status, body, headers } = await shop.put(`/invoices/${id}`, { paid: true, title: 'Oven' })
    assert.deepEqual([status, body.data.paid, headers.get('x-ignored-fields')], [200, false, 'paid'])
    assert.deepEqual(await outcomeOf(shop.put(`/invoices/${id}`, { paid: true })), [
      400,
      'At least one updatable field is required',
    ])
    assert.equal((await shop.get('/invoices?paid=1')).status, 400)
  })

  test('lists by customer, job and payment', async () => {
    const ticket = await create('/tickets', { customerId: customer.id })
    const { id } = await create('/invoices', { ticketId: ticket.id, lineItems: [{ name: 'x', unitPrice: 5 }] })
    const ids = async (query: string) =>
      (await shop.get(`/invoices?${query}`)).body.data.invoices.map((invoice: { id: string }) => invoice.id)
    assert.deepEqual(await ids(`ticketId=${ticket.id}&paid=false`), [id])
    await create('/payments', { invoiceId: id, amount: 5 })
    assert.deepEqual(await ids(`customerId=${customer.id}&paid=true`), [id])
    assert.deepEqual(await ids(`ticketId=${ticket.id}&paid=false`), [])
  })
})

describe('the life of an invoice', () => {
  for (const [from, to, may] of [
    ['draft', 'sent', true],
    ['draft', 'void', true],
    ['sent', 'draft', true],
    ['sent', 'void', true],
    ['void', 'draft', false],
    ['void', 'sent', false],
  ] as const) {
    test(`${may ? 'moves' : 'does not move'} from ${from} to ${to}`, async () => {
      const { id } = await createInvoice({ status: from })
      const { status, body } = await shop.put(`/invoices/${id}`, { status: to })
      if (may) assert.deepEqual([status, body.data.status], [200, to])
      else assert.deepEqual([status, body.error], [400, `status cannot change from ${from} to ${to}`])
    })
  }

  test('money on it keeps it from being voided or drafted', async () => {
    const { id } = await createInvoice({ status: 'sent' })
    const payment = await create('/payments', { invoiceId: id, amount: 20 })
    assert.deepEqual(await outcomeOf(shop.put(`/invoices/${id}`, { status: 'void' })), [
      400,
      'Refund the payments before voiding',
    ])
    await create('/payments', { invoiceId: id, amount: -20 })
    assert.deepEqual(await outcomeOf(shop.put(`/invoices/${id}`, { status: 'draft' })), [
      400,
      'An invoice with payments cannot go back to draft',
    ])
    const { body } = await shop.put(`/invoices/${id}`, { status: 'void' })
    assert.deepEqual([body.data.status, body.data.hasBalance, body.data.paid], ['void', false, false])
    assert.deepEqual(await outcomeOf(shop.post('/payments', { invoiceId: id, amount: 5 })), [
      400,
      'A void invoice takes no payments',
    ])
    assert.deepEqual(await outcomeOf(shop.put(`/payments/${payment.id}`, { amount: 5 })), [
      400,
      'The payments of a void invoice cannot be changed',
    ])
    assert.deepEqual(await outcomeOf(shop.put(`/invoices/${id}`, { lineItems: [] })), [
      400,
      'A void invoice cannot be changed',
    ])
    assert.equal((await shop.put(`/invoices/${id}`, { notes: 'written off' })).status, 200)
  })

  test('changes of the total change what is owed', async () => {
    const { id } = await createInvoice()
    await create('/payments', { invoiceId: id, amount: 100 })
    const less = (await shop.put(`/invoices/${id}`, { discount: { type: 'fixed', value: 20 } })).body.data
    assert.deepEqual([less.total, less.balance, less.paid, typeof less.paidAt], [100, 0, true, 'string'])
    const more = (await shop.put(`/invoices/${id}`, { discount: null })).body.data
    assert.deepEqual([more.total, more.balance, more.paid, more.paidAt], [120, 20, false, null])
  })

  test('what costs nothing is paid when it is sent', async () => {
    const { id, paid } = await createInvoice({ lineItems: [] })
    assert.equal(paid, false)
    assert.equal((await shop.put(`/invoices/${id}`, { status: 'sent' })).body.data.paid, true)
  })

  test('deleting it takes its payments and reminders along', async () => {
    const { id } = await createInvoice()
    const payment = await create('/payments', { invoiceId: id, amount: 20 })
    await create(`/invoices/${id}/reminders`, { remindAt: inDays(1) })
    assert.equal((await shop.delete(`/invoices/${id}`)).status, 200)
    assert.equal((await shop.get(`/payments/${payment.id}`)).status, 404)
    assert.equal((await shop.get(`/invoices/${id}/reminders`)).status, 404)
  })
})

describe('the gate of invoicing', () => {
  const setOpenForms = async (count: number) => {
    const ticket = await create('/tickets', { customerId: customer.id })
    await database.query(sql`update tickets set open_invoice_form_count = ${count}::int where id = ${ticket.id}`)
    return ticket.id as string
  }

  test('a job with open invoice forms is not invoiced', async () => {
    const ticketId = await setOpenForms(2)
    const { status, body } = await shop.post('/invoices', { ticketId })
    assert.deepEqual([status, body.code, body.data], [409, 'FORM_GATE_INVOICE', { outstanding: 2 }])
    assert.equal((await shop.get(`/invoices?ticketId=${ticketId}`)).body.data.invoices.length, 0)
  })

  test('nor is its invoice changed or voided, before or after it is named', async () => {
    const ticketId = await setOpenForms(0)
    const { id } = await create('/invoices', { ticketId })
    await database.query(sql`update tickets set open_invoice_form_count = 1 where id = ${ticketId}`)
    const other = await createInvoice()
    assert.equal((await shop.put(`/invoices/${id}`, { title: 'x' })).body.code, 'FORM_GATE_INVOICE')
    assert.equal((await shop.put(`/invoices/${id}`, { ticketId: null })).body.code, 'FORM_GATE_INVOICE')
    assert.equal((await shop.put(`/invoices/${other.id}`, { ticketId })).body.code, 'FORM_GATE_INVOICE')
    assert.equal((await shop.post(`/invoices/${id}/share-link`)).status, 201)
    assert.equal((await create('/payments', { invoiceId: other.id, amount: 1 })).amount, 1)
    assert.equal((await shop.put(`/invoices/${id}`, { status: 'void' })).body.code, 'FORM_GATE_INVOICE')
    assert.equal((await shop.get(`/invoices/${id}`)).body.data.status, 'draft')
    await database.query(sql`update tickets set open_invoice_form_count = 0 where id = ${ticketId}`)
    assert.equal((await shop.put(`/invoices/${id}`, { status: 'void' })).status, 200)
    await database.query(sql`update tickets set open_invoice_form_count = 1 where id = ${ticketId}`)
    assert.equal((await shop.put(`/invoices/${id}`, { notes: 'x' })).body.code, 'FORM_GATE_INVOICE', 'nor a void one')
    assert.equal((await shop.delete(`/invoices/${id}`)).status, 200)
  })

  test('a real form holds the invoice up until it is submitted', async () => {
    const pen = formWriter(database, shop.orgId)
    const { templates } = await pen.import([{ ...blank, name: 'Handover' }])
    const ticket = await create('/tickets', { customerId: customer.id })
    const quote = await create('/quotes', { ticketId: ticket.id })
    const form = await pen.add(ticket.id, templates[0]!, 'invoice')
    assert.deepEqual((await shop.post('/invoices', { ticketId: ticket.id })).body.data, { outstanding: 1 })
    assert.deepEqual((await shop.post(`/quotes/${quote.id}/convert`)).body.data, { outstanding: 1 })
    await pen.submit(form.id)
    assert.equal((await shop.post(`/quotes/${quote.id}/convert`)).status, 201)
    assert.equal((await shop.post('/invoices', { ticketId: ticket.id })).status, 201)
  })

  test('an invoice waits for a form that is being counted', async () => {
    const ticketId = await setOpenForms(0)
    let answer: Promise<{ status: number; body: { code?: string } }> | undefined
    await database.transaction('test', async (counting) => {
      await counting.query(sql`update tickets set open_invoice_form_count = 1 where id = ${ticketId}`)
      answer = shop.post('/invoices', { ticketId })
      await new Promise((resolve) => setTimeout(resolve, 100))
    })
    assert.equal((await answer!).body.code, 'FORM_GATE_INVOICE')
  })
})

describe('reminders', () => {
  test('are for the future, at most twenty, and changed only while scheduled', async () => {
    const { id } = await createInvoice()
    const path = `/invoices/${id}/reminders`
    assert.deepEqual(await outcomeOf(shop.post(path, { remindAt: inDays(-1) })), [
      400,
      'remindAt must be in the future',
    ])
    assert.deepEqual(await outcomeOf(shop.post(path, { remindAt: inDays(800) })), [
      400,
      'remindAt must be at most 2 years ahead',
    ])
    assert.equal((await shop.post(path, { remindAt: '2026-01-01' })).status, 400)
    const later = await create(path, { remindAt: inDays(2), to: 'accounts@okafor.example', message: 'Please pay' })
    const sooner = await create(path, { remindAt: inDays(1) })
    assert.deepEqual(
      [later.status, later.to, sooner.to, sooner.sentAt],
      ['scheduled', 'accounts@okafor.example', null, null],
    )
    const listed = (await shop.get(path)).body.data.reminders
    assert.deepEqual(
      listed.map((one: { id: string }) => one.id),
      [sooner.id, later.id],
    )
    assert.deepEqual(await outcomeOf(shop.put(`${path}/${later.id}`, { remindAt: inDays(-1) })), [
      400,
      'remindAt must be in the future',
    ])
    assert.equal((await shop.put(`${path}/${later.id}`, { remindAt: inDays(3) })).status, 200)
    await database.query(sql`update reminders set status = 'sent' where id = ${later.id}`)
    assert.deepEqual(await outcomeOf(shop.put(`${path}/${later.id}`, { message: 'x' })), [
      400,
      'Only a scheduled reminder can be changed',
    ])
    const other = await createInvoice()
    assert.equal((await shop.get(`/invoices/${other.id}/reminders/${later.id}`)).status, 404)
    assert.equal((await shop.delete(`${path}/${sooner.id}`)).status, 200)
  })

  test('there are never more than twenty, however many are asked for at once', async () => {
    const { id } = await createInvoice()
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => shop.post(`/invoices/${id}/reminders`, { remindAt: inDays(1) })),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 20)
    assert.ok(
      answers.every(({ status, body }) => status === 201 || body.error === 'An invoice can have at most 20 reminders'),
    )
  })
})
