// What was brought from another system is in its books already: files for the bookkeeper leave it out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Client, startTestService } from '../../../test/test-service.ts'
import { raw, sql } from '../../db/database.ts'
import { takeImportStep } from '../../worker/imports.ts'

const { database, organisation, origin } = await startTestService()

const period = { from: '2025-11-01', to: '2025-11-30' }
const dataOf = async (answer: Promise<{ status: number; body: { data: unknown; error?: string } }>) => {
  const { status, body } = await answer
  assert.ok(status < 300, body.error)
  // biome-ignore lint/suspicious/noExplicitAny: as it is answered
  return body.data as any
}

/** One invoice that was sent and paid in part, and a draft. */
async function bring(shop: Client): Promise<string> {
  const columns = ['Invoice number', 'Customer', 'Issue date', 'Status', 'Total', 'Amount paid', 'Paid at']
  const { id } = await dataOf(shop.post('/imports', { kind: 'invoices', columns }))
  const rows = [
    ['A-1', 'Amara', '2025-11-10', 'sent', '100', '40', '2025-11-12'],
    ['A-2', 'Bea', '2025-11-11', 'draft', '50', '', ''],
  ]
  await dataOf(shop.post(`/imports/${id}/rows`, { rows }))
  for (const act of ['judge', 'write']) {
    await dataOf(shop.post(`/imports/${id}/${act}`))
    while ((await takeImportStep(database, shop.orgId, { importId: id })) !== undefined);
  }
  assert.equal((await dataOf(shop.get(`/imports/${id}`))).created, 2)
  return id
}
const exported = async (shop: Client, kind: string, again = false) =>
  (await dataOf(shop.post('/exports', { kind, format: 'csv', ...period, again }))).count
const previewed = async (shop: Client, kind: string) => {
  const path = `${origin}/api/v1/organisations/${shop.orgId}/exports/${kind}?from=${period.from}&to=${period.to}`
  const answer = await fetch(path, { headers: { 'x-api-key': shop.key } })
  return (await answer.text()).trimEnd().split('\r\n').length - 1
}
const invoiceNumbered = async (shop: Client, number: string) =>
  (await dataOf(shop.get('/invoices'))).invoices.find(
    ({ invoiceNumber }: { invoiceNumber: string }) => invoiceNumber === number,
  )

test('what was brought is in no file by itself, is looked at as before, and comes when it is asked for again', async () => {
  const shop = await organisation()
  await bring(shop)
  assert.deepEqual([await previewed(shop, 'invoices'), await previewed(shop, 'payments')], [1, 1])
  assert.deepEqual([await exported(shop, 'invoices'), await exported(shop, 'payments')], [0, 0])
  assert.deepEqual([await exported(shop, 'invoices', true), await exported(shop, 'payments', true)], [1, 1])
})

test('what is done here with it is: a draft that is sent, and a further payment', async () => {
  const shop = await organisation()
  await bring(shop)
  const [sent, draft] = [await invoiceNumbered(shop, 'A-1'), await invoiceNumbered(shop, 'A-2')]
  await dataOf(shop.post('/payments', { invoiceId: sent.id, amount: 60, paidAt: '2025-11-20T12:00:00Z' }))
  await dataOf(shop.put(`/invoices/${draft.id}`, { status: 'sent' }))
  assert.deepEqual([await exported(shop, 'invoices'), await exported(shop, 'payments')], [1, 1])
  assert.deepEqual([await exported(shop, 'invoices'), await exported(shop, 'payments')], [0, 0])
})

test('an import that is undone leaves nothing of it', async () => {
  const shop = await organisation()
  const id = await bring(shop)
  await dataOf(shop.post(`/imports/${id}/undo`))
  while ((await takeImportStep(database, shop.orgId, { importId: id })) !== undefined);
  assert.equal(await exported(shop, 'invoices', true), 0)
  for (const table of ['invoices', 'payments', 'exported_records', 'book_changes']) {
    const left = await database.query(sql`select from ${raw(table)} where org_id = ${shop.orgId}`)
    assert.equal(left.length, 0, table)
  }
})

test('what was given out since, or has a link that somebody made, stays when the import is undone', async () => {
  const undo = async (shop: Client, id: string) => {
    await dataOf(shop.post(`/imports/${id}/undo`))
    while ((await takeImportStep(database, shop.orgId, { importId: id })) !== undefined);
    const { undo } = await dataOf(shop.get(`/imports/${id}`))
    return undo.keptRecords.map(({ reason }: { reason: string }) => reason)
  }
  const acts: readonly ((shop: Client) => Promise<unknown>)[] = [
    (shop) => exported(shop, 'invoices', true),
    (shop) => exported(shop, 'payments', true),
    async (shop) => dataOf(shop.post(`/invoices/${(await invoiceNumbered(shop, 'A-1')).id}/share-link`)),
  ]
  for (const act of acts) {
    const shop = await organisation()
    const id = await bring(shop)
    await act(shop)
    assert.deepEqual(await undo(shop, id), ['newer records refer to it'])
    assert.equal((await invoiceNumbered(shop, 'A-1')).amountPaid, 40)
  }
})
