// Asset categories through HTTP: what becomes of the devices when theirs is deleted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../../test/test-service.ts'

const { organisation } = await startTestService()

test('deleting one leaves its devices without a category, and the others as they are', async () => {
  const shop = await organisation()
  const { id: customerId } = (await shop.post('/customers', { firstName: 'Ada' })).body.data
  const devices = `/customers/${customerId}/devices`
  const [gone, stays] = await Promise.all(
    ['Phones', 'Boilers'].map(async (name) => (await shop.post('/asset-categories', { name })).body.data.id),
  )
  const [phone, boiler] = await Promise.all(
    [gone, stays].map(async (categoryId) => (await shop.post(devices, { brand: 'A', categoryId })).body.data.id),
  )
  assert.equal((await shop.delete(`/asset-categories/${gone}`)).status, 200)
  const { name, categoryId } = (await shop.get(`${devices}/${phone}`)).body.data
  assert.deepEqual([name, categoryId], ['A', null])
  assert.equal((await shop.get(`${devices}/${boiler}`)).body.data.categoryId, stays)
})
