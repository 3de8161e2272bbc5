// Inventory categories through HTTP: what becomes of the items when theirs is deleted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../../test/test-service.ts'

const { organisation } = await startTestService()

test('deleting one leaves its items without a category, and the others as they are', async () => {
  const shop = await organisation()
  const [gone, stays] = await Promise.all(
    ['Displays', 'Batteries'].map(async (name) => (await shop.post('/inventory-categories', { name })).body.data.id),
  )
  const [display, battery] = await Promise.all(
    [gone, stays].map(async (categoryId) => (await shop.post('/inventory', { name: 'A', categoryId })).body.data.id),
  )
  assert.equal((await shop.delete(`/inventory-categories/${gone}`)).status, 200)
  const { name, categoryId } = (await shop.get(`/inventory/${display}`)).body.data
  assert.deepEqual([name, categoryId], ['A', null])
  assert.equal((await shop.get(`/inventory/${battery}`)).body.data.categoryId, stays)
})

test('items made while their category is deleted are refused or left without it', async () => {
  const shop = await organisation()
  const { id: categoryId } = (await shop.post('/inventory-categories', { name: 'Displays' })).body.data
  const add = (n: number) => shop.post('/inventory', { name: `${n}`, categoryId })
  const replies = await Promise.all([
    ...Array.from({ length: 8 }, (_, n) => add(n)),
    shop.delete(`/inventory-categories/${categoryId}`),
    ...Array.from({ length: 8 }, (_, n) => add(n)),
  ])
  for (const { status, body } of replies)
    if (status >= 300) assert.deepEqual([status, body.error], [400, 'categoryId does not exist'])
  for (const item of (await shop.get('/inventory')).body.data.inventory) assert.equal(item.categoryId, null)
})
