// What records are called in other systems: written, found, and never given to two of a kind.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../../test/test-service.ts'

const { organisation } = await startTestService()
const shop = await organisation()
const { id: customerId } = (await shop.post('/customers', { firstName: 'Amara' })).body.data

const kinds = [
  { path: '/customers', key: 'customers', body: { firstName: 'Bea' } },
  { path: `/customers/${customerId}/devices`, key: 'devices', body: { type: 'Phone' } },
  { path: '/services', key: 'services', body: { name: 'Screen' } },
  { path: '/inventory', key: 'inventory', body: { name: 'Display' } },
  { path: '/tickets', key: 'tickets', body: { customerId } },
  { path: '/quotes', key: 'quotes', body: { customerId } },
  { path: '/invoices', key: 'invoices', body: { customerId } },
]

for (const { path, key, body } of kinds) {
  test(`${key} keep what they are called elsewhere, are found by it, and no two have the same`, async () => {
    const names = { externalId: '4711', externalSource: 'jobber', externalNumber: '1042' }
    const race = await Promise.all(Array.from({ length: 4 }, () => shop.post(path, { ...body, ...names })))
    assert.deepEqual(race.map(({ status }) => status).sort(), [201, 409, 409, 409])
    assert.ok(race.every(({ status, body: answer }) => status === 201 || answer.code === 'EXTERNAL_ID_TAKEN'))
    const record = race.find(({ status }) => status === 201)!.body.data
    assert.deepEqual([record.externalId, record.externalSource, record.externalNumber], ['4711', 'jobber', '1042'])

    const other = (await shop.post(path, { ...body, ...names, externalSource: 'square' })).body.data
    const unnamed = (await shop.post(path, { ...body, externalId: '4711' })).body.data
    assert.equal((await shop.post(path, { ...body, externalId: '4711' })).status, 409, 'no source is a source, too')
    const ids = async (query: string) =>
      (await shop.get(`${path}?${query}`)).body.data[key].map((one: { id: string }) => one.id).sort()
    assert.deepEqual(await ids('externalId=4711&externalSource=jobber'), [record.id])
    assert.deepEqual(await ids('externalSource=square'), [other.id])
    assert.deepEqual(await ids('externalId=4711'), [record.id, other.id, unnamed.id].sort())

    const { status, body: refusal } = await shop.put(`${path}/${other.id}`, { externalSource: 'jobber' })
    assert.deepEqual([status, refusal.code], [409, 'EXTERNAL_ID_TAKEN'])
    const renamed = (await shop.put(`${path}/${other.id}`, { externalId: '9', externalNumber: null })).body.data
    assert.deepEqual([renamed.externalId, renamed.externalSource, renamed.externalNumber], ['9', 'square', null])
    assert.equal((await shop.put(`${path}/${other.id}`, { externalId: 'x'.repeat(121) })).status, 400)
  })
}

test('a device is not named by what it is called elsewhere', async () => {
  assert.equal((await shop.post(`/customers/${customerId}/devices`, { externalId: 'only' })).status, 400)
})

test('an invoice that a quote became has no name elsewhere yet', async () => {
  const quote = (await shop.post('/quotes', { customerId, externalId: 'q1', externalSource: 'xero' })).body.data
  const invoice = (await shop.post(`/quotes/${quote.id}/convert`)).body.data
  assert.deepEqual([invoice.externalId, invoice.externalSource], [null, null])
})
