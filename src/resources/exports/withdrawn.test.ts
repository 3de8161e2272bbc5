// Invoices that the books hold and that are void since: told with the next file of invoices, and once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Client, startTestService } from '../../../test/test-service.ts'
import { sql } from '../../db/database.ts'
import { withdrawnWords } from '../../domain/books/withdrawn.ts'

const { organisation, database } = await startTestService()

const period = { from: '2026-11-01', to: '2026-11-30' }
const made = async (shop: Client, path: string, body: object) => {
  const { status, body: answer } = await shop.post(path, body)
  assert.equal(status, 201, JSON.stringify(answer))
  return answer.data
}
const invoiceOf = (shop: Client, issuedAt = '2026-11-10T12:00:00Z') =>
  made(shop, '/invoices', {
    customerName: 'Amara',
    issuedAt,
    status: 'sent',
    lineItems: [{ name: 'Oven', unitPrice: 100 }],
  })
const withdraw = async (shop: Client, { id }: { id: string }) =>
  assert.equal((await shop.put(`/invoices/${id}`, { status: 'void' })).status, 200)
const exportOf = (shop: Client, more: object = {}) => made(shop, '/exports', { format: 'csv', ...period, ...more })
const named = ({ id, invoiceNumber }: { id: string; invoiceNumber: string }) => ({ id, number: invoiceNumber })

test('an invoice that a file held and that is void since is told with the next file, and once', async () => {
  const shop = await organisation()
  const [first, second, never] = [await invoiceOf(shop), await invoiceOf(shop), await invoiceOf(shop)]
  await withdraw(shop, never)
  assert.deepEqual((await exportOf(shop)).withdrawn, [])
  await withdraw(shop, first)
  // Whatever the days are: the books hold it.
  const told = await exportOf(shop, { from: '2026-12-01', to: '2026-12-31' })
  assert.deepEqual([told.count, told.withdrawn], [0, [named(first)]])
  assert.deepEqual((await shop.get(`/exports/${told.id}`)).body.data, told)
  await withdraw(shop, second)
  assert.deepEqual((await exportOf(shop, { kind: 'payments' })).withdrawn, [])
  assert.deepEqual((await exportOf(shop)).withdrawn, [named(second)])
  assert.deepEqual((await exportOf(shop)).withdrawn, [])
})

test('a file that is asked for again tells all of them, and what it told is told', async () => {
  const shop = await organisation()
  const [first, second] = [await invoiceOf(shop), await invoiceOf(shop)]
  await exportOf(shop, { again: true })
  await withdraw(shop, first)
  await exportOf(shop)
  await withdraw(shop, second)
  assert.deepEqual((await exportOf(shop, { again: true })).withdrawn, [named(second), named(first)])
  assert.deepEqual((await exportOf(shop)).withdrawn, [])
})

test('what was brought with its books and is void since is told, too', async () => {
  const shop = await organisation()
  const [brought, other] = [await invoiceOf(shop), await invoiceOf(shop)]
  await database.query(
    sql`update invoices set booked_elsewhere = true where org_id = ${shop.orgId} and id = ${brought.id}`,
  )
  await withdraw(shop, brought)
  await withdraw(shop, other)
  assert.deepEqual((await exportOf(shop)).withdrawn, [named(brought)])
})

test('is told by one file, however many are made at once', async () => {
  const shop = await organisation()
  const invoice = await invoiceOf(shop)
  await exportOf(shop)
  await withdraw(shop, invoice)
  const all = await Promise.all(Array.from({ length: 4 }, () => exportOf(shop)))
  assert.deepEqual(all.map(({ withdrawn }) => withdrawn.length).sort(), [0, 0, 0, 1])
})

test('is said in words, by number as far as a sentence can hold them', () => {
  const invoices = Array.from({ length: 22 }, (_, place) => ({ id: `inv_${place}`, number: `INV-${place + 1}` }))
  assert.equal(
    withdrawnWords(invoices.slice(0, 1)),
    '1 invoice that was booked before is void now: INV-1: take it out of the books.',
  )
  assert.match(
    withdrawnWords(invoices.slice(0, 2)),
    /^2 invoices that were .* are void now: INV-1, INV-2: take them out/,
  )
  assert.match(withdrawnWords(invoices), /^22 invoices .* INV-19, INV-20 and 2 more: take/)
})
