// What the books hold and became something else since: told with the next file of its kind, and once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bookedElsewhereIn, exportOf, invoiceOf, made, period } from '../../../test/exports.ts'
import { type Client, startTestService } from '../../../test/test-service.ts'
import { sql } from '../../db/database.ts'
import { toldWords } from '../../domain/books/told.ts'
import type { Context } from '../../operations/operation.ts'
import { takeBookChanges } from './book-changes.ts'

const { organisation, database, origin } = await startTestService()
const bookedElsewhere = bookedElsewhereIn(database)

const withdraw = async (shop: Client, { id }: { id: string }) =>
  assert.equal((await shop.put(`/invoices/${id}`, { status: 'void' })).status, 200)
const idOf = ({ id }: { id: string }) => id
const numberOf = ({ number }: { number: string }) => number
const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
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
  assert.deepEqual((await exportOf(shop)).withdrawn, [])
  assert.deepEqual((await exportOf(shop, { again: true })).withdrawn, [named(brought)])
})

test('is told by one file, however many are made at once', async () => {
  const shop = await organisation()
  const invoice = await invoiceOf(shop)
  await exportOf(shop)
  await withdraw(shop, invoice)
  const all = await Promise.all(Array.from({ length: 4 }, () => exportOf(shop)))
  assert.deepEqual(all.map(({ withdrawn }) => withdrawn.length).sort(), [0, 0, 0, 1])
})

const put = async (shop: Client, path: string, body: object) => {
  const { status, body: answer } = await shop.put(path, body)
  assert.equal(status, 200, JSON.stringify(answer))
}
const remove = async (shop: Client, path: string) => assert.equal((await shop.delete(path)).status, 200)
const costing = (unitPrice: number) => ({ lineItems: [{ name: 'Oven', unitPrice }] })
const previewed = async (shop: Client, more = '') => {
  const path = `${origin}/api/v1/organisations/${shop.orgId}/exports/invoices?from=${period.from}&to=${period.to}${more}`
  const answer = await fetch(path, { headers: { 'x-api-key': shop.key } })
  return (await answer.text()).trimEnd().split('\r\n').length - 1
}

test('one that is a draft again, or deleted, is told, too, and given out anew once it is sent again', async () => {
  const shop = await organisation()
  const [taken, gone, both] = [await invoiceOf(shop), await invoiceOf(shop), await invoiceOf(shop)]
  assert.equal((await exportOf(shop)).count, 3)
  await put(shop, `/invoices/${taken.id}`, { status: 'draft' })
  await remove(shop, `/invoices/${gone.id}`)
  await withdraw(shop, both)
  await remove(shop, `/invoices/${both.id}`)
  const told = await exportOf(shop)
  assert.deepEqual(told.withdrawn.map(idOf).sort(), [taken, gone, both].map(idOf).sort())
  assert.deepEqual(told.withdrawn.map(numberOf).sort(), [taken, gone, both].map((one) => one.invoiceNumber).sort())
  assert.deepEqual((await exportOf(shop)).withdrawn, [])
  await put(shop, `/invoices/${taken.id}`, { status: 'sent' })
  const anew = await exportOf(shop)
  assert.deepEqual([anew.count, anew.withdrawn], [1, []])
  assert.equal((await exportOf(shop)).count, 0)
  assert.deepEqual(
    (await exportOf(shop, { again: true })).withdrawn.map(idOf).sort(),
    [gone, both].map(idOf).sort(),
    'the books hold the other',
  )
  await withdraw(shop, taken)
  assert.deepEqual((await exportOf(shop)).withdrawn, [named(taken)])
})

test('one that was a draft in between is taken out and given out anew by the same file', async () => {
  const shop = await organisation()
  const invoice = await invoiceOf(shop)
  await exportOf(shop)
  assert.deepEqual([await previewed(shop), await previewed(shop, '&onlyNew=true')], [1, 0])
  await put(shop, `/invoices/${invoice.id}`, { status: 'draft' })
  await put(shop, `/invoices/${invoice.id}`, { status: 'sent', ...costing(999) })
  assert.equal(await previewed(shop, '&onlyNew=true'), 1, 'as it will be')
  const { count, withdrawn, changed } = await exportOf(shop)
  assert.deepEqual([count, withdrawn, changed], [1, [named(invoice)], []])
  const after = await exportOf(shop)
  assert.deepEqual([after.count, after.withdrawn], [0, []])
})

test('one that was brought with its books and was a draft since is in the next file, and is taken out as it was', async () => {
  const shop = await organisation()
  const invoice = await invoiceOf(shop)
  await bookedElsewhere(shop, 'invoices', invoice)
  await put(shop, `/invoices/${invoice.id}`, { status: 'draft' })
  await put(shop, `/invoices/${invoice.id}`, { status: 'sent', ...costing(999) })
  const { count, withdrawn } = await exportOf(shop)
  assert.deepEqual([count, withdrawn], [1, [named(invoice)]])
  const after = await exportOf(shop)
  assert.deepEqual([after.count, after.withdrawn], [0, []])
})

test('one whose total changed is told with both, once, and with what was told last', async () => {
  const shop = await organisation()
  const [held, brought, never] = [await invoiceOf(shop), await invoiceOf(shop), await invoiceOf(shop)]
  await bookedElsewhere(shop, 'invoices', brought)
  await put(shop, `/invoices/${never.id}`, costing(50))
  assert.deepEqual((await exportOf(shop)).changed, [])
  for (const { id } of [held, brought]) {
    await put(shop, `/invoices/${id}`, costing(500))
    await put(shop, `/invoices/${id}`, costing(999))
  }
  const changedTo = (invoice: Parameters<typeof named>[0], before: number, after: number) => ({
    ...named(invoice),
    ...{ before, after, currency: 'GBP' },
  })
  const told = await exportOf(shop)
  assert.deepEqual([told.count, told.withdrawn], [0, []])
  assert.deepEqual(told.changed.toSorted(byId), [changedTo(held, 100, 999), changedTo(brought, 100, 999)].sort(byId))
  assert.deepEqual((await shop.get(`/exports/${told.id}`)).body.data.changed, told.changed)
  assert.deepEqual((await exportOf(shop)).changed, [])
  await put(shop, `/invoices/${held.id}`, costing(1))
  await put(shop, `/invoices/${held.id}`, costing(999))
  assert.deepEqual((await exportOf(shop)).changed, [], 'it is what the books have')
  await put(shop, `/invoices/${held.id}`, costing(10))
  assert.deepEqual((await exportOf(shop)).changed, [changedTo(held, 999, 10)])
})

test('what a file given out again says is what the books have then', async () => {
  const shop = await organisation()
  const invoice = await invoiceOf(shop)
  await exportOf(shop)
  await put(shop, `/invoices/${invoice.id}`, costing(200))
  assert.equal((await exportOf(shop, { again: true })).changed[0].before, 100)
  await put(shop, `/invoices/${invoice.id}`, costing(300))
  assert.equal((await exportOf(shop)).changed[0].before, 200)
})

test('payments are told with files of payments', async () => {
  const shop = await organisation()
  const invoice = await invoiceOf(shop)
  const payments = []
  for (const amount of [10, 20, 30])
    payments.push(await made(shop, '/payments', { invoiceId: invoice.id, amount, paidAt: '2026-11-11T12:00:00Z' }))
  const [changed, gone, last] = payments
  await bookedElsewhere(shop, 'payments', changed)
  assert.equal((await exportOf(shop, { kind: 'payments' })).count, 2)
  await put(shop, `/payments/${changed.id}`, { amount: 15 })
  await remove(shop, `/payments/${gone.id}`)
  assert.deepEqual((await exportOf(shop)).withdrawn, [])
  const told = await exportOf(shop, { kind: 'payments' })
  const number = invoice.invoiceNumber
  assert.deepEqual(told.withdrawn, [{ id: gone.id, number }])
  assert.deepEqual(told.changed, [{ id: changed.id, number, before: 10, after: 15, currency: 'GBP' }])
  await remove(shop, `/invoices/${invoice.id}`)
  assert.deepEqual((await exportOf(shop, { kind: 'payments' })).withdrawn, [{ id: last.id, number }])
  assert.deepEqual((await exportOf(shop)).withdrawn, [named(invoice)])
})

test('what changes while a file is made is told by the next one', async () => {
  const shop = await organisation()
  const invoice = await invoiceOf(shop)
  const answers = await Promise.all([
    exportOf(shop),
    put(shop, `/invoices/${invoice.id}`, costing(500)),
    exportOf(shop),
  ])
  const last = await exportOf(shop)
  const file = await fetch(answers.find((one) => one?.count === 1).fileUrl, { headers: { 'x-api-key': shop.key } })
  const isOld = /,100\.00,/.test(await file.text())
  const changed = [answers[0], answers[2], last].flatMap((one) => one.changed)
  assert.equal(changed.length, isOld ? 1 : 0)
})

/** As a file is made, with what somebody else commits in the meantime. */
const takenAround = (shop: Client, meanwhile: () => Promise<unknown>) =>
  database.transaction('test', async (transaction) => {
    let hasForgotten = false
    const query: Context['query'] = async (statement) => {
      const found = statement.decode((await transaction.query(statement.sql)) as never[])
      if (!hasForgotten) await meanwhile()
      hasForgotten = true
      return found
    }
    return takeBookChanges({ orgId: shop.orgId, query } as Context, 'invoices')
  })

test('what no books hold is not told, though it changes while a file is made', async () => {
  const shop = await organisation()
  const [old, held] = [await invoiceOf(shop), await invoiceOf(shop)]
  await exportOf(shop)
  const [gone, other] = [await invoiceOf(shop), await invoiceOf(shop)]
  const brought = await invoiceOf(shop)
  await bookedElsewhere(shop, 'invoices', brought)
  // Of what was given out long ago the number is not known.
  await database.query(sql`update exported_records set number = null, amount = null
    where org_id = ${shop.orgId} and record_id = ${old.id}`)
  const { withdrawn, changed } = await takenAround(shop, async () => {
    for (const one of [old, gone, brought]) await withdraw(shop, one)
    for (const { id } of [held, other]) await put(shop, `/invoices/${id}`, costing(999))
  })
  assert.deepEqual(withdrawn.toSorted(byId), [named(old), named(brought)].sort(byId))
  assert.deepEqual(changed.map(idOf), [held.id])
})

test('what no books hold keeps nothing waiting, however much of it there is', async () => {
  const shop = await organisation()
  const invoice = await invoiceOf(shop)
  await exportOf(shop)
  await database.query(sql`
    insert into book_changes (org_id, kind, record_id, number, amount, was_booked, is_gone, noted_at)
    select ${shop.orgId}::text, 'invoices', 'inv_' || place, 'INV', 1, false, true, '2026-01-01'::timestamptz
    from generate_series(1, 1000) place`)
  await withdraw(shop, invoice)
  assert.deepEqual((await exportOf(shop)).withdrawn, [named(invoice)])
})

const words = (more: Partial<Parameters<typeof toldWords>[0]>) =>
  toldWords({ kind: 'invoices', withdrawn: [], changed: [], earlier: null, ...more })

test('is said in words, by number as far as a sentence can hold them', () => {
  const invoices = Array.from({ length: 22 }, (_, place) => ({ id: `inv_${place}`, number: `INV-${place + 1}` }))
  assert.deepEqual(words({}), [])
  assert.deepEqual(words({ withdrawn: invoices.slice(0, 1) }), [
    '1 invoice that was booked before was voided, deleted or set back to draft since: INV-1: take it out of the books.',
  ])
  assert.match(
    words({ withdrawn: invoices.slice(0, 2) })[0]!,
    /^2 invoices that were .* were .* INV-1, INV-2: take them/,
  )
  assert.match(words({ withdrawn: invoices })[0]!, /^22 invoices .* INV-19, INV-20 and 2 more: take/)
  assert.match(
    words({ kind: 'payments', withdrawn: invoices.slice(0, 1) })[0]!,
    /^1 payment .* deleted since: one of INV-1:/,
  )
  const changed = [
    { id: 'inv_1', number: 'INV-1', before: 100, after: 999, currency: 'GBP' },
    { id: 'inv_2', number: 'INV-2', before: 100, after: 99, currency: 'JPY' },
  ]
  assert.deepEqual(words({ changed, earlier: { count: 2, from: '2026-10-20' } }), [
    '2 invoices that were booked before have another amount: INV-1 was 100.00, is 999.00 now; INV-2 was 100, is 99 now: correct them in the books.',
    '2 invoices issued since 2026-10-20 were in no file: make one for those days.',
  ])
  assert.deepEqual(words({ kind: 'payments', earlier: { count: 1, from: '2026-10-30' } }), [
    '1 payment made since 2026-10-30 was in no file: make one for those days.',
  ])
})
