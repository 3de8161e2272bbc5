// What the next file says of records whose days are past and that no file held.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bookedElsewhereIn, exportOf, invoiceOf, made } from '../../../test/exports.ts'
import { type Client, startTestService } from '../../../test/test-service.ts'

const { organisation, database } = await startTestService()
const bookedElsewhere = bookedElsewhereIn(database)

test('invoices that were sent after the file of their days was made are counted, and those of before the first file are not', async () => {
  const shop = await organisation()
  await invoiceOf(shop, '2026-09-10T12:00:00Z')
  assert.equal((await exportOf(shop)).earlier, null)
  assert.equal((await exportOf(shop)).earlier, null)
  await invoiceOf(shop, '2026-10-20T12:00:00Z')
  const brought = await invoiceOf(shop, '2026-10-19T12:00:00Z')
  await bookedElsewhere(shop, 'invoices', brought)
  await invoiceOf(shop, '2026-10-21T12:00:00Z')
  await invoiceOf(shop)
  const told = await exportOf(shop)
  assert.deepEqual([told.count, told.earlier], [1, { count: 2, from: '2026-10-20' }])
  assert.equal((await exportOf(shop, { from: '2026-10-20', to: '2026-10-31' })).count, 2)
  assert.equal((await exportOf(shop)).earlier, null)
})

const paid = (shop: Client, { id }: { id: string }, paidAt: string) =>
  made(shop, '/payments', { invoiceId: id, amount: 10, paidAt: `${paidAt}T12:00:00Z` })
const ofPayments = { kind: 'payments' }

test('payments that were recorded after the file of their days was made are counted, and those of before the first file are not', async () => {
  const shop = await organisation()
  const invoice = await invoiceOf(shop)
  await paid(shop, invoice, '2026-09-10')
  await exportOf(shop)
  assert.equal((await exportOf(shop, ofPayments)).earlier, null)
  assert.equal((await exportOf(shop, ofPayments)).earlier, null)
  await paid(shop, invoice, '2026-10-30')
  await paid(shop, invoice, '2026-10-31')
  await paid(shop, invoice, '2026-11-02')
  await bookedElsewhere(shop, 'payments', await paid(shop, invoice, '2026-10-29'))
  const told = await exportOf(shop, ofPayments)
  assert.deepEqual([told.count, told.earlier], [1, { count: 2, from: '2026-10-30' }])
  assert.deepEqual((await shop.get(`/exports/${told.id}`)).body.data.earlier, told.earlier)
  assert.equal((await exportOf(shop)).earlier, null, 'they are no invoices')
  const october = { from: '2026-10-30', to: '2026-10-31' }
  assert.deepEqual((await exportOf(shop, { ...ofPayments, ...october })).count, 2)
  assert.equal((await exportOf(shop, ofPayments)).earlier, null)
})

test('payments whose invoice was sent after the file of their days was made are counted, and none of a draft', async () => {
  const shop = await organisation()
  const draft = { customerName: 'Amara', lineItems: [{ name: 'Oven', unitPrice: 100 }] }
  const [sent, unsent] = [await made(shop, '/invoices', draft), await made(shop, '/invoices', draft)]
  const [deposit] = [await paid(shop, sent, '2026-10-20'), await paid(shop, unsent, '2026-10-21')]
  await exportOf(shop, ofPayments)
  await paid(shop, unsent, '2026-10-23')
  assert.equal((await exportOf(shop, ofPayments)).earlier, null)
  assert.equal((await shop.put(`/invoices/${sent.id}`, { status: 'sent' })).status, 200)
  await paid(shop, sent, '2026-10-24')
  const { earlier } = await exportOf(shop, ofPayments)
  assert.deepEqual(earlier, { count: 2, from: deposit.paidAt.slice(0, 10) })
})
