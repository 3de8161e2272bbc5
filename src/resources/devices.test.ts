// Devices through HTTP: their names, their place under a customer, their order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../../test/test-service.ts'

const { organisation } = await startTestService()

async function customer() {
  const shop = await organisation()
  const { id } = (await shop.post('/customers', { firstName: 'Ada' })).body.data
  return { shop, customerId: id, devices: `/customers/${id}/devices` }
}

test('a device nobody named is called by what is known of it', async () => {
  const { shop, devices } = await customer()
  const names: [object, string][] = [
    [{ brand: 'Apple', model: 'iPhone 15' }, 'Apple iPhone 15'],
    [{ brand: 'Volvo', make: 'Volvo', model: 'V60' }, 'Volvo V60'],
    [{ make: 'Vaillant', model: 'Vaillant', identifier: 'S1' }, 'Vaillant'],
    [{ model: 'ecoTEC', type: 'Boiler' }, 'ecoTEC'],
    [{ identifier: 'SN-1', type: 'Boiler' }, 'SN-1'],
    [{ type: 'Boiler' }, 'Boiler'],
    [{ name: 'The old one', brand: 'Apple' }, 'The old one'],
    [{ brand: 'B'.repeat(100), model: `x ${'y'.repeat(90)}` }, `${'B'.repeat(100)} x ${'y'.repeat(17)}`],
    [{ brand: 'B'.repeat(100), make: 'M'.repeat(18), model: 'y' }, `${'B'.repeat(100)} ${'M'.repeat(18)}`],
  ]
  for (const [given, name] of names) {
    const { status, body } = await shop.post(devices, given)
    assert.deepEqual([status, body.data.name], [201, name])
  }
})

test('the name follows the other fields until somebody sets it, and again once it is cleared', async () => {
  const { shop, devices } = await customer()
  const { id } = (await shop.post(devices, { brand: 'Apple' })).body.data
  const nameAfter = async (body: object) => (await shop.put(`${devices}/${id}`, body)).body.data.name
  assert.equal(await nameAfter({ model: 'iPad' }), 'Apple iPad')
  assert.equal(await nameAfter({ name: 'Kitchen' }), 'Kitchen')
  assert.equal(await nameAfter({ model: 'iPod' }), 'Kitchen')
  assert.equal(await nameAfter({ name: null }), 'Apple iPod')
})

test('a device about which nothing is known is refused, when it is made and when it is changed', async () => {
  const { shop, devices } = await customer()
  const { status, body } = await shop.post(devices, { brand: '' })
  assert.deepEqual(
    [status, body.error],
    [400, 'At least one of type, brand, make, model, identifier or name is required'],
  )
  const { id } = (await shop.post(devices, { brand: 'Apple' })).body.data
  assert.equal((await shop.put(`${devices}/${id}`, { brand: null })).status, 400)
  assert.equal((await shop.get(`${devices}/${id}`)).body.data.brand, 'Apple')
})

test('the newest comes first, also from page to page and past a deleted one', async () => {
  const { shop, devices } = await customer()
  const ids: string[] = []
  for (const model of ['1', '2', '3', '4']) ids.unshift((await shop.post(devices, { model })).body.data.id)
  const idsOf = async (query: string) =>
    (await shop.get(devices + query)).body.data.devices.map(({ id }: { id: string }) => id)
  assert.deepEqual(await idsOf(''), ids)
  assert.deepEqual(await idsOf(`?limit=2&startAfter=${ids[0]}`), ids.slice(1, 3))
  await shop.delete(`${devices}/${ids[1]}`)
  assert.deepEqual(await idsOf(`?startAfter=${ids[1]}`), ids.slice(2))
})

test('a device is found only under its own customer', async () => {
  const { shop, devices } = await customer()
  const { id } = (await shop.post(devices, { brand: 'Apple' })).body.data
  const other = (await shop.post('/customers', { firstName: 'Bea' })).body.data.id
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const reply = await shop.call(
      method,
      `/customers/${other}/devices/${id}`,
      method === 'PUT' ? { body: { brand: 'B' } } : {},
    )
    assert.deepEqual([reply.status, reply.body.error], [404, 'Device not found'], method)
  }
  assert.equal((await shop.get(`/customers/${other}/devices?startAfter=${id}`)).status, 400, 'nor is it a cursor there')
  assert.equal((await shop.post('/customers/nobody/devices', { brand: 'A' })).body.error, 'Customer not found')
  assert.equal((await shop.get('/customers/nobody/devices')).body.error, 'Customer not found')
})

test('a device cannot be moved to another customer', async () => {
  const { shop, devices, customerId } = await customer()
  const { id } = (await shop.post(devices, { brand: 'Apple' })).body.data
  const other = (await shop.post('/customers', { firstName: 'Bea' })).body.data.id
  const { headers, body } = await shop.put(`${devices}/${id}`, { brand: 'Pear', customerId: other })
  assert.equal(headers.get('x-ignored-fields'), 'customerId')
  assert.equal(body.data.customerId, customerId)
})

test('a device has an asset category that exists, which alone does not make it known', async () => {
  const { shop, devices } = await customer()
  const { id: categoryId } = (await shop.post('/asset-categories', { name: 'Phones' })).body.data
  const { id: inventoryCategoryId } = (await shop.post('/inventory-categories', { name: 'Phones' })).body.data
  const { data } = (await shop.post(devices, { brand: 'Apple', categoryId })).body
  assert.equal(data.categoryId, categoryId)
  for (const unknown of ['nope', inventoryCategoryId]) {
    for (const reply of [
      await shop.post(devices, { brand: 'Apple', categoryId: unknown }),
      await shop.put(`${devices}/${data.id}`, { categoryId: unknown }),
    ]) {
      assert.deepEqual([reply.status, reply.body.error], [400, 'categoryId does not exist'])
    }
  }
  assert.equal(
    (await shop.post(devices, { categoryId })).body.error,
    'At least one of type, brand, make, model, identifier or name is required',
  )
  assert.equal((await shop.put(`${devices}/${data.id}`, { categoryId: null })).body.data.categoryId, null)
})

test('sixteen devices added while their customer is deleted leave no device behind', async () => {
  const { shop, customerId, devices } = await customer()
  const replies = await Promise.all([
    ...Array.from({ length: 8 }, (_, n) => shop.post(devices, { model: `${n}` })),
    shop.delete(`/customers/${customerId}`),
    ...Array.from({ length: 8 }, (_, n) => shop.post(devices, { model: `${n}` })),
  ])
  for (const { status } of replies) assert.ok([200, 201, 404].includes(status), `${status}`)
  assert.equal((await shop.get(devices)).status, 404)
})
