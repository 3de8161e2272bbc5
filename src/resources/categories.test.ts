// What both kinds of category promise, through HTTP: fields, order, names, and how many there can be.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startTestService } from '../../test/test-service.ts'
import { raw, sql } from '../db/database.ts'

const { organisation, database } = await startTestService()

const kinds = [
  {
    path: '/inventory-categories',
    key: 'inventoryCategories',
    table: 'inventory_categories',
    noun: 'Inventory category',
  },
  { path: '/asset-categories', key: 'assetCategories', table: 'asset_categories', noun: 'Asset category' },
]

for (const { path, key, table, noun } of kinds) {
  describe(path, () => {
    test('answers 201 with every field', async () => {
      const shop = await organisation()
      const { status, body } = await shop.post(path, { name: ' Phones ' })
      assert.equal(status, 201)
      const { id, createdAt, updatedAt, ...rest } = body.data
      assert.equal(updatedAt, createdAt)
      assert.deepEqual(rest, { name: 'Phones', index: 0, color: null })
      assert.deepEqual((await shop.get(`${path}/${id}`)).body.data, body.data)
    })

    test('names the field and the reason when it refuses', async () => {
      const shop = await organisation()
      const refusals: [object, string][] = [
        [{}, 'name is required'],
        [{ name: '' }, 'name must not be empty'],
        [{ name: 'A'.repeat(81) }, 'name must be at most 80 characters'],
        [{ name: 'A', index: -1 }, 'index must be at least 0'],
        [{ name: 'A', index: 1.5 }, 'index must be an integer'],
        [{ name: 'A', index: 2_147_483_648 }, 'index must be at most 2147483647'],
        [{ name: 'A', color: -1 }, 'color must be at least 0'],
        [{ name: 'A', color: 4_294_967_296 }, 'color must be at most 4294967295'],
        [{ name: 'A', color: '#fff' }, 'color must be an integer or null'],
      ]
      for (const [given, reason] of refusals) {
        const { status, body } = await shop.post(path, given)
        assert.deepEqual([status, body], [400, { success: false, error: reason }])
      }
      assert.deepEqual((await shop.get(path)).body.data[key], [], 'nothing was stored')
    })

    test('lists all by index, then name; a new one goes to the end, and the last place is the last', async () => {
      const shop = await organisation()
      for (const body of [{ name: 'Ring' }, { name: 'zip', index: 7 }, { name: 'Écran', index: 7 }, { name: 'End' }])
        assert.equal((await shop.post(path, body)).status, 201)
      await shop.post(path, { name: 'Last', index: 2_147_483_647 })
      await shop.post(path, { name: 'After' })
      const { data } = (await shop.get(path)).body
      assert.deepEqual(
        data[key].map(({ name, index }: { name: string; index: number }) => [name, index]),
        [
          ['Ring', 0],
          ['Écran', 7],
          ['zip', 7],
          ['End', 8],
          ['After', 2_147_483_647],
          ['Last', 2_147_483_647],
        ],
      )
      assert.deepEqual(data.pagination, { limit: 500, hasMore: false, nextCursor: null })
    })

    test('a change leaves what is absent and clears what is null', async () => {
      const shop = await organisation()
      const { id } = (await shop.post(path, { name: 'A', index: 4, color: 4_294_967_295 })).body.data
      const moved = (await shop.put(`${path}/${id}`, { index: 2 })).body.data
      assert.deepEqual([moved.name, moved.index, moved.color], ['A', 2, 4_294_967_295])
      assert.equal((await shop.put(`${path}/${id}`, { color: null })).body.data.color, null)
      assert.equal((await shop.put(`${path}/${id}`, { index: null })).body.error, 'index must be an integer')
      assert.equal((await shop.put(`${path}/${id}`, {})).body.error, 'At least one updatable field is required')
    })

    test('a name is used once, without regard to case', async () => {
      const shop = await organisation()
      const { id } = (await shop.post(path, { name: 'Phones' })).body.data
      const other = (await shop.post(path, { name: 'Tablets' })).body.data
      for (const reply of [
        await shop.post(path, { name: 'PHONES' }),
        await shop.put(`${path}/${other.id}`, { name: 'phones' }),
      ]) {
        assert.deepEqual([reply.status, reply.body.error], [400, 'name is already used'])
      }
      assert.equal((await shop.put(`${path}/${id}`, { name: 'phoneS' })).body.data.name, 'phoneS')
    })

    test('a name goes to exactly one of sixteen made at once', async () => {
      const shop = await organisation()
      const replies = await Promise.all(Array.from({ length: 16 }, () => shop.post(path, { name: 'One' })))
      const refused = replies.filter(({ status }) => status !== 201)
      assert.equal(refused.length, 15)
      for (const { status, body } of refused) assert.deepEqual([status, body.error], [400, 'name is already used'])
    })

    test('there are five hundred at most, and room again when one goes', async () => {
      const shop = await organisation()
      await database.query(sql`insert into ${raw(table)} (org_id, id, name, index)
        select ${shop.orgId}, 'cat_' || n, 'Name ' || n, n from generate_series(1, 499) n`)
      assert.equal((await shop.post(path, { name: 'The last' })).status, 201)
      const { status, body } = await shop.post(path, { name: 'One more' })
      assert.deepEqual([status, body.error], [400, `There can be at most 500 ${table.replace('_', ' ')}`])
      assert.equal((await shop.get(path)).body.data[key].length, 500)
      await shop.delete(`${path}/cat_1`)
      assert.equal((await shop.post(path, { name: 'One more' })).status, 201)
      assert.equal((await (await organisation()).post(path, { name: 'Elsewhere' })).status, 201)
    })

    test('answers 404 for one that is not there, also once it was deleted', async () => {
      const shop = await organisation()
      const { id } = (await shop.post(path, { name: 'A' })).body.data
      const { status, body } = await shop.delete(`${path}/${id}`)
      assert.deepEqual([status, body.data], [200, { message: `${noun} deleted`, id }])
      for (const reply of [
        await shop.get(`${path}/${id}`),
        await shop.put(`${path}/${id}`, { name: 'A' }),
        await shop.delete(`${path}/${id}`),
      ]) {
        assert.deepEqual([reply.status, reply.body], [404, { success: false, error: `${noun} not found` }])
      }
    })
  })
}

test('the kinds know nothing of each other: neither lists, names nor ids', async () => {
  const shop = await organisation()
  const [items, assets] = kinds as [(typeof kinds)[0], (typeof kinds)[0]]
  const item = (await shop.post(items.path, { name: 'Phones' })).body.data
  const asset = (await shop.post(assets.path, { name: 'Phones' })).body.data
  assert.deepEqual((await shop.get(items.path)).body.data[items.key], [item])
  assert.deepEqual((await shop.get(assets.path)).body.data[assets.key], [asset])
  assert.equal((await shop.get(`${items.path}/${asset.id}`)).status, 404)
  assert.equal((await shop.delete(`${assets.path}/${item.id}`)).status, 404)
})
