// Inventory through HTTP: fields and their limits, SKUs, categories, stock that many change at once, filters.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { teller, typesOf } from '../../test/events.ts'
import { type Client, type Reply, startTestService } from '../../test/test-service.ts'

const here = await startTestService()
const { organisation } = here

const namesIn = ({ body }: Reply): string[] => body.data.inventory.map(({ name }: { name: string }) => name)
const create = async (client: Client, path: string, body: object) => (await client.post(path, body)).body.data

describe('creating and changing', () => {
  test('answers 201 with every field: defaults where there are any, null where there is no value', async () => {
    const shop = await organisation()
    const { status, body } = await shop.post('/inventory', { name: 'Display', sku: '' })
    assert.equal(status, 201)
    const { id, createdAt, updatedAt, ...rest } = body.data
    assert.match(id, /^itm_[0-9a-hjkmnp-tv-z]{26}$/)
    assert.equal(updatedAt, createdAt)
    assert.deepEqual(rest, {
      name: 'Display',
      sku: null,
      barcode: null,
      description: null,
      categoryId: null,
      price: 0,
      cost: null,
      taxRateId: null,
      trackStock: true,
      quantityOnHand: 0,
      reorderLevel: null,
      supplier: null,
      warrantyDays: null,
      externalId: null,
      externalSource: null,
      externalNumber: null,
      isLowStock: false,
    })
    assert.deepEqual((await shop.get(`/inventory/${id}`)).body.data, body.data)
  })

  test('what was read can be put back, and what only the server writes is named as ignored', async () => {
    const shop = await organisation()
    const { id: categoryId } = await create(shop, '/inventory-categories', { name: 'Displays' })
    const { id: taxRateId } = await create(shop, '/tax-rates', { name: 'VAT', rate: 20 })
    const given = {
      name: 'Display',
      sku: 'FP5',
      barcode: '871932',
      description: 'Glass',
      categoryId,
      price: 99.9501,
      cost: 61.2,
      taxRateId,
      trackStock: false,
      quantityOnHand: -2.5,
      reorderLevel: 0,
      supplier: 'Fairphone',
      warrantyDays: 365,
    }
    const data = await create(shop, '/inventory', given)
    assert.deepEqual({ ...data, ...given }, data)
    const { status, headers, body } = await shop.put(`/inventory/${data.id}`, { ...data, isLowStock: true })
    assert.equal(status, 200)
    assert.equal(headers.get('x-ignored-fields'), 'id,isLowStock,createdAt,updatedAt')
    assert.deepEqual({ ...body.data, updatedAt: null }, { ...data, updatedAt: null })
  })

  test('names the field and the reason when it refuses', async () => {
    const shop = await organisation()
    const { id: assetCategoryId } = await create(shop, '/asset-categories', { name: 'Phones' })
    const refusals: [object, string][] = [
      [{}, 'name is required'],
      [{ name: 'A'.repeat(201) }, 'name must be at most 200 characters'],
      [{ name: 'A', sku: 'A'.repeat(81) }, 'sku must be at most 80 characters'],
      [{ name: 'A', barcode: 'A'.repeat(81) }, 'barcode must be at most 80 characters'],
      [{ name: 'A', categoryId: 'nope' }, 'categoryId does not exist'],
      [{ name: 'A', categoryId: assetCategoryId }, 'categoryId does not exist'],
      [{ name: 'A', taxRateId: 'nope' }, 'taxRateId does not exist'],
      [{ name: 'A', price: -1 }, 'price must be at least 0'],
      [{ name: 'A', price: 1.23456 }, 'price must have at most 4 decimal places'],
      [{ name: 'A', trackStock: null }, 'trackStock must be true or false'],
      [{ name: 'A', quantityOnHand: '3' }, 'quantityOnHand must be a number'],
      [{ name: 'A', quantityOnHand: 0.00001 }, 'quantityOnHand must have at most 4 decimal places'],
      [{ name: 'A', quantityOnHand: 1e9 + 1 }, 'quantityOnHand must be at most 1000000000'],
      [{ name: 'A', reorderLevel: -1 }, 'reorderLevel must be at least 0'],
      [{ name: 'A', supplier: 'A'.repeat(121) }, 'supplier must be at most 120 characters'],
      [{ name: 'A', warrantyDays: -1 }, 'warrantyDays must be at least 0'],
    ]
    for (const [given, reason] of refusals) {
      const { status, body } = await shop.post('/inventory', given)
      assert.deepEqual([status, body], [400, { success: false, error: reason }])
    }
    assert.equal((await shop.get('/inventory')).body.data.inventory.length, 0, 'nothing was stored')
  })

  test('a change leaves what is absent, clears what is null and checks what it points to', async () => {
    const shop = await organisation()
    const { id } = await create(shop, '/inventory', { name: 'A', sku: 'S', supplier: 'X' })
    const { name, sku, supplier } = (await shop.put(`/inventory/${id}`, { sku: null })).body.data
    assert.deepEqual([name, sku, supplier], ['A', null, 'X'])
    const refused = async (body: object) => (await shop.put(`/inventory/${id}`, body)).body.error
    assert.equal(await refused({}), 'At least one updatable field is required')
    assert.equal(await refused({ categoryId: 'nope' }), 'categoryId does not exist')
    assert.equal(await refused({ taxRateId: 'nope' }), 'taxRateId does not exist')
  })

  test('answers 404 for an item that is not there, also once it was deleted', async () => {
    const shop = await organisation()
    const { id } = await create(shop, '/inventory', { name: 'A' })
    const { status, body } = await shop.delete(`/inventory/${id}`)
    assert.deepEqual([status, body.data], [200, { message: 'Inventory item deleted', id }])
    for (const reply of [
      await shop.get(`/inventory/${id}`),
      await shop.put(`/inventory/${id}`, { name: 'A' }),
      await shop.put(`/inventory/${id}`, { quantityDelta: 1 }),
      await shop.delete(`/inventory/${id}`),
    ]) {
      assert.deepEqual([reply.status, reply.body], [404, { success: false, error: 'Inventory item not found' }])
    }
  })
})

describe('the SKU', () => {
  test('is one item’s alone, to the letter; items without one are not alike', async () => {
    const shop = await organisation()
    const { id } = await create(shop, '/inventory', { name: 'A', sku: 'AB' })
    const again = await shop.post('/inventory', { name: 'B', sku: ' AB ' })
    assert.deepEqual([again.status, again.body.error], [400, 'sku is already used'])
    const other = await create(shop, '/inventory', { name: 'C', sku: 'ab' })
    assert.equal((await shop.put(`/inventory/${other.id}`, { sku: 'AB' })).body.error, 'sku is already used')
    assert.equal((await shop.put(`/inventory/${id}`, { sku: 'AB' })).status, 200, 'an item keeps its own')
    for (const name of ['D', 'E']) assert.equal((await shop.post('/inventory', { name })).status, 201)
    assert.equal((await (await organisation()).post('/inventory', { name: 'A', sku: 'AB' })).status, 201)
  })

  test('goes to exactly one of sixteen items made at once', async () => {
    const shop = await organisation()
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, n) => shop.post('/inventory', { name: `Item ${n}`, sku: 'ONE' })),
    )
    assert.equal(replies.filter(({ status }) => status === 201).length, 1)
    for (const { status, body } of replies)
      if (status !== 201) assert.deepEqual([status, body.error], [400, 'sku is already used'])
    assert.equal((await shop.get('/inventory?sku=ONE')).body.data.inventory.length, 1)
  })
})

describe('stock', () => {
  test('is set by quantityOnHand and moved by quantityDelta, below zero too, and never by both', async () => {
    const shop = await organisation()
    const { id } = await create(shop, '/inventory', { name: 'A', quantityOnHand: 1.5 })
    const put = async (body: object) => (await shop.put(`/inventory/${id}`, body)).body
    assert.equal((await put({ quantityDelta: -2 })).data.quantityOnHand, -0.5)
    assert.equal((await put({ quantityDelta: 0.1 + 0.2 })).data.quantityOnHand, -0.2)
    const { name, quantityOnHand } = (await put({ quantityDelta: 10, name: 'B' })).data
    assert.deepEqual([name, quantityOnHand], ['B', 9.8])
    assert.equal((await put({ quantityOnHand: 4 })).data.quantityOnHand, 4)
    const both = await shop.put(`/inventory/${id}`, { quantityOnHand: 4, quantityDelta: 1 })
    assert.deepEqual([both.status, both.body.error], [400, 'Give quantityOnHand or quantityDelta, not both'])
    assert.equal((await put({ quantityDelta: null })).error, 'quantityDelta must be a number')
    assert.equal((await put({ quantityDelta: 0.00001 })).error, 'quantityDelta must have at most 4 decimal places')
    assert.equal((await put({ quantityDelta: 1, categoryId: 'nope' })).error, 'categoryId does not exist')
    assert.equal((await shop.get(`/inventory/${id}`)).body.data.quantityOnHand, 4, 'what was refused moved nothing')
  })

  test('stays within what can be counted', async () => {
    const shop = await organisation()
    const { id } = await create(shop, '/inventory', { name: 'A', quantityOnHand: 1e9 })
    const { status, body } = await shop.put(`/inventory/${id}`, { quantityDelta: 1 })
    assert.deepEqual([status, body.error], [400, 'quantityOnHand must stay between -1000000000 and 1000000000'])
    assert.equal((await shop.get(`/inventory/${id}`)).body.data.quantityOnHand, 1e9)
  })

  test('has no delta when an item is made', async () => {
    const shop = await organisation()
    const { headers, body } = await shop.post('/inventory', { name: 'A', quantityDelta: 5 })
    assert.equal(headers.get('x-ignored-fields'), 'quantityDelta')
    assert.equal(body.data.quantityOnHand, 0)
  })

  test('loses none of sixteen changes made at once', async () => {
    const shop = await organisation()
    const { id } = await create(shop, '/inventory', { name: 'A', quantityOnHand: 100 })
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        shop.put(`/inventory/${id}`, { quantityDelta: n % 2 ? -1.25 : 3, ...(n % 4 === 0 && { supplier: `S${n}` }) }),
      ),
    )
    for (const { status } of replies) assert.equal(status, 200)
    assert.equal((await shop.get(`/inventory/${id}`)).body.data.quantityOnHand, 100 + 8 * 3 - 8 * 1.25)
  })

  test('is low at the reorder level or below it, if it is tracked and there is a level', async () => {
    const shop = await organisation()
    const { id } = await create(shop, '/inventory', { name: 'A', quantityOnHand: 3 })
    const isLow = async (body: object) => (await shop.put(`/inventory/${id}`, body)).body.data.isLowStock
    assert.equal(await isLow({ reorderLevel: 2 }), false)
    assert.equal(await isLow({ quantityDelta: -1 }), true)
    assert.equal(await isLow({ trackStock: false }), false)
    assert.equal(await isLow({ trackStock: true, quantityOnHand: -1 }), true)
    assert.equal(await isLow({ reorderLevel: null }), false)
  })
})

describe('a correction', () => {
  const correctionsOf = async (shop: Client, id: string) =>
    (await shop.get(`/inventory/${id}/corrections`)).body.data.corrections

  test('is kept with its reason and who made it, newest first, whether it adds or counts', async () => {
    const shop = await organisation()
    const { id } = await create(shop, '/inventory', { name: 'A', quantityOnHand: 1.5 })
    await shop.put(`/inventory/${id}`, { quantityDelta: -2, reason: 'Two were damaged' })
    await shop.put(`/inventory/${id}`, { quantityOnHand: 4, name: 'B' })
    const [counted, added, ...more] = await correctionsOf(shop, id)
    assert.equal(more.length, 0)
    const { id: correctionId, createdAt, updatedAt, ...rest } = added
    assert.match(correctionId, /^cor_/)
    assert.equal(updatedAt, createdAt)
    const madeBy = { kind: 'key', id: shop.keyId, name: rest.madeBy.name }
    assert.deepEqual(rest, { itemId: id, reason: 'Two were damaged', quantityDelta: -2, quantityAfter: -0.5, madeBy })
    assert.deepEqual([counted.quantityDelta, counted.quantityAfter, counted.reason], [4.5, 4, null])
    assert.deepEqual((await shop.get(`/inventory/${id}/corrections/${correctionId}`)).body.data, added)
    const page = await shop.get(`/inventory/${id}/corrections?limit=1&startAfter=${counted.id}`)
    assert.deepEqual(page.body.data.corrections, [added])
  })

  test('is none where nothing changes, and none is kept of what was refused', async () => {
    const shop = await organisation()
    const { id } = await create(shop, '/inventory', { name: 'A', quantityOnHand: 4 })
    await shop.put(`/inventory/${id}`, { quantityOnHand: 4, supplier: 'X' })
    await shop.put(`/inventory/${id}`, { quantityDelta: 0 })
    const refused = await shop.put(`/inventory/${id}`, { quantityDelta: 1, categoryId: 'nope', reason: 'Bought' })
    assert.equal(refused.status, 400)
    const alone = await shop.put(`/inventory/${id}`, { name: 'B', reason: 'Renamed' })
    assert.deepEqual(
      [alone.status, alone.body.error],
      [400, 'reason is kept with a correction: give quantityDelta or quantityOnHand, too'],
    )
    assert.equal((await shop.put(`/inventory/${id}`, { quantityDelta: 1, reason: 'x'.repeat(501) })).status, 400)
    assert.deepEqual(await correctionsOf(shop, id), [])
  })

  test('is not what a job uses, and goes with its item', async () => {
    const shop = await organisation()
    const { id } = await create(shop, '/inventory', { name: 'A', quantityOnHand: 4 })
    const { id: ticketId } = await create(shop, '/tickets', { customerName: 'Ada' })
    await create(shop, `/tickets/${ticketId}/inventory`, { inventoryItemId: id, quantity: 3 })
    assert.deepEqual(await correctionsOf(shop, id), [])
    await shop.put(`/inventory/${id}`, { quantityDelta: 1 })
    assert.equal((await shop.delete(`/inventory/${id}`)).status, 200)
    assert.equal((await shop.get(`/inventory/${id}/corrections`)).status, 404)
  })

  test('of sixteen made at once, adding and counting, each is kept, and all of them come to what is on hand', async () => {
    const shop = await organisation()
    const { id } = await create(shop, '/inventory', { name: 'A', quantityOnHand: 100 })
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        shop.put(`/inventory/${id}`, n % 4 === 3 ? { quantityOnHand: 1_000.25 * n } : { quantityDelta: n + 1 }),
      ),
    )
    for (const { status, body } of replies) assert.equal(status, 200, JSON.stringify(body))
    const kept: { quantityDelta: number }[] = await correctionsOf(shop, id)
    const sum = kept.reduce((all, { quantityDelta }) => all + quantityDelta, 0)
    assert.equal(kept.length, 16)
    assert.equal((await shop.get(`/inventory/${id}`)).body.data.quantityOnHand, 100 + sum)
  })

  test('is told as an event of its own, beside that of its item', async () => {
    const shop = await organisation()
    const { id } = await create(shop, '/inventory', { name: 'A' })
    const { told } = teller(here, shop)
    const events = await told(async () => {
      await shop.put(`/inventory/${id}`, { quantityDelta: 2, reason: 'Bought' })
    })
    assert.deepEqual(typesOf(events).sort(), ['inventory_item.updated', 'stock_correction.created'])
    const { resource, parentId, data } = events.find(({ type }) => type === 'stock_correction.created')!
    assert.deepEqual([resource, parentId, data!.reason], ['inventory/corrections', id, 'Bought'])
  })
})

describe('listing', () => {
  test('goes by name without regard to case or accents, page by page, past a deleted one', async () => {
    const shop = await organisation()
    const ids: Record<string, string> = {}
    for (const name of ['zip', 'Écran', 'battery', 'Easy']) ids[name] = (await create(shop, '/inventory', { name })).id
    assert.deepEqual(namesIn(await shop.get('/inventory')), ['battery', 'Easy', 'Écran', 'zip'])
    await shop.delete(`/inventory/${ids.Easy}`)
    assert.deepEqual(namesIn(await shop.get(`/inventory?limit=1&startAfter=${ids.Easy}`)), ['Écran'])
  })

  test('filters by category, exact SKU and search, in every combination', async () => {
    const shop = await organisation()
    const one = await create(shop, '/inventory-categories', { name: 'One' })
    const two = await create(shop, '/inventory-categories', { name: 'Two' })
    await create(shop, '/inventory', { name: 'Écran A', sku: 'AB', categoryId: one.id })
    await create(shop, '/inventory', { name: 'Écran B', sku: 'ab', categoryId: two.id })
    await create(shop, '/inventory', { name: 'Battery', barcode: '87193AB', categoryId: one.id, description: 'ecran' })
    const combinations: [string, string[]][] = [
      [`categoryId=${one.id}`, ['Battery', 'Écran A']],
      ['sku=AB', ['Écran A']],
      ['sku=A', []],
      ['search=ecran', ['Écran A', 'Écran B']],
      ['search=ab', ['Battery', 'Écran A', 'Écran B']],
      ['search=7193a', ['Battery']],
      ['barcode=87193AB', ['Battery']],
      ['barcode=87193A', []],
      [`categoryId=${two.id}&sku=AB`, []],
      [`categoryId=${one.id}&search=ecran`, ['Écran A']],
      ['sku=ab&search=ecran', ['Écran B']],
      [`categoryId=${one.id}&sku=AB&search=ecran`, ['Écran A']],
      [`categoryId=${one.id}&sku=AB&search=battery`, []],
      ['categoryId=never', []],
    ]
    for (const [query, names] of combinations)
      assert.deepEqual(namesIn(await shop.get(`/inventory?${query}`)), names, query)
    const { nextCursor } = (await shop.get(`/inventory?categoryId=${one.id}&limit=1`)).body.data.pagination
    const rest = await shop.get(`/inventory?categoryId=${one.id}&limit=1&startAfter=${nextCursor}`)
    assert.deepEqual(namesIn(rest), ['Écran A'])
  })

  test('refuses a filter that is not well formed', async () => {
    const shop = await organisation()
    const wrong: [string, string][] = [
      ['sku=', 'sku must not be empty'],
      [`sku=${'a'.repeat(81)}`, 'sku must be at most 80 characters'],
      ['categoryId=a%20b', 'categoryId must be an id: 1 to 128 letters, digits, _ or -'],
      [`search=${'a'.repeat(101)}`, 'search must be at most 100 characters'],
    ]
    for (const [query, reason] of wrong) {
      const { status, body } = await shop.get(`/inventory?${query}`)
      assert.deepEqual([status, body.error], [400, reason])
    }
  })
})

test('low stock: tracked items at their reorder level or below, or all the others', async () => {
  const shop = await organisation()
  const items: [name: string, body: object][] = [
    ['at its level', { quantityOnHand: 3, reorderLevel: 3 }],
    ['below', { quantityOnHand: -1, reorderLevel: 0 }],
    ['above', { quantityOnHand: 4, reorderLevel: 3 }],
    ['without a level', { quantityOnHand: 0 }],
    ['not tracked', { quantityOnHand: 0, reorderLevel: 3, trackStock: false }],
  ]
  for (const [name, body] of items) await shop.post('/inventory', { name, ...body })
  const named = async (query: string) =>
    (await shop.get(`/inventory?${query}`)).body.data.inventory.map(({ name }: { name: string }) => name)
  assert.deepEqual(await named('isLow=true'), ['at its level', 'below'])
  assert.deepEqual(await named('isLow=false'), ['above', 'not tracked', 'without a level'])
  assert.equal((await shop.get('/inventory?isLow=perhaps')).status, 400)
})
