// Tax rates through HTTP: their fields, their order, and the one that is the default.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Client, startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'

const { organisation, database } = await startTestService()

const rate = async (shop: Client, body: object = {}): Promise<string> =>
  (await shop.post('/tax-rates', { name: 'VAT', rate: 20, ...body })).body.data.id
const listRates = async (shop: Client): Promise<{ id: string; name: string; defaultEnabled: boolean }[]> =>
  (await shop.get('/tax-rates')).body.data.taxRates
const defaults = async (shop: Client) =>
  (await listRates(shop)).filter(({ defaultEnabled }) => defaultEnabled).map(({ id }) => id)

describe('creating and changing', () => {
  test('answers 201 with every field', async () => {
    const shop = await organisation()
    const { status, body } = await shop.post('/tax-rates', { name: 'GST + QST', rate: 14.975 })
    const { id, createdAt, updatedAt, ...rest } = body.data
    assert.equal(status, 201)
    assert.match(id, /^tax_/)
    assert.equal(updatedAt, createdAt)
    const vat = { vatCategory: 'S', exemptionReason: null }
    assert.deepEqual(rest, { name: 'GST + QST', rate: 14.975, isInclusive: false, defaultEnabled: false, ...vat })
    assert.deepEqual((await shop.get(`/tax-rates/${id}`)).body.data, body.data)
  })

  test('a rate is a percentage with up to four decimal places', async () => {
    const shop = await organisation()
    for (const percent of [0, 100, 7.875, 0.0001]) {
      assert.equal((await shop.post('/tax-rates', { name: 'R', rate: percent })).body.data.rate, percent)
    }
    const id = await rate(shop)
    assert.equal((await shop.put(`/tax-rates/${id}`, { rate: 5.5 })).body.data.rate, 5.5)
  })

  test('names the field and the reason when it refuses', async () => {
    const shop = await organisation()
    const refusals: [object, string][] = [
      [{ rate: 20 }, 'name is required'],
      [{ name: 'A'.repeat(81), rate: 20 }, 'name must be at most 80 characters'],
      [{ name: 'A' }, 'rate is required'],
      [{ name: 'A', rate: 120 }, 'rate must be at most 100'],
      [{ name: 'A', rate: -1 }, 'rate must be at least 0'],
      [{ name: 'A', rate: '20' }, 'rate must be a number'],
      [{ name: 'A', rate: 1.23456 }, 'rate must have at most 4 decimal places'],
      [{ name: 'A', rate: 20, isInclusive: 'yes' }, 'isInclusive must be true or false'],
      [{ name: 'A', rate: 20, defaultEnabled: null }, 'defaultEnabled must be true or false'],
    ]
    for (const [given, reason] of refusals) {
      const { status, body } = await shop.post('/tax-rates', given)
      assert.deepEqual([status, body], [400, { success: false, error: reason }])
    }
    assert.deepEqual(await listRates(shop), [], 'nothing was stored')
  })

  test('the list goes by name, whatever its case', async () => {
    const shop = await organisation()
    for (const name of ['Zero', 'reduced', 'Élevé', 'Standard']) await rate(shop, { name })
    assert.deepEqual(
      (await listRates(shop)).map(({ name }) => name),
      ['Élevé', 'reduced', 'Standard', 'Zero'],
    )
  })

  test('the five hundred and first is refused, and the default stays what it was', async () => {
    const shop = await organisation()
    await database.query(sql`
      insert into tax_rates (org_id, id, name, rate, default_enabled)
      select ${shop.orgId}, 'tax_' || n, 'VAT', 20, n = 1 from generate_series(1, 500) n`)
    const { status, body } = await shop.post('/tax-rates', { name: 'One more', rate: 1, defaultEnabled: true })
    assert.deepEqual([status, body.error], [400, 'There can be at most 500 tax rates'])
    assert.deepEqual(await defaults(shop), ['tax_1'])
  })
})

describe('the default', () => {
  test('is the one that was last made or changed to be it', async () => {
    const shop = await organisation()
    const other = await organisation()
    const elsewhere = await rate(other, { defaultEnabled: true })
    const first = await rate(shop, { defaultEnabled: true })
    assert.deepEqual(await defaults(shop), [first])
    const second = await rate(shop, { defaultEnabled: true })
    assert.deepEqual(await defaults(shop), [second])
    await rate(shop)
    assert.deepEqual(await defaults(shop), [second])
    assert.equal((await shop.put(`/tax-rates/${first}`, { defaultEnabled: true })).body.data.defaultEnabled, true)
    assert.deepEqual(await defaults(shop), [first])
    await shop.put(`/tax-rates/${first}`, { defaultEnabled: true, name: 'Still' })
    assert.deepEqual(await defaults(shop), [first])
    assert.deepEqual(await defaults(other), [elsewhere], 'another organisation keeps its own')
  })

  test('may be none', async () => {
    const shop = await organisation()
    const id = await rate(shop, { defaultEnabled: true })
    await shop.put(`/tax-rates/${id}`, { defaultEnabled: false })
    assert.deepEqual(await defaults(shop), [])
  })

  test('stays when a rate that does not exist is to be it', async () => {
    const shop = await organisation()
    const id = await rate(shop, { defaultEnabled: true })
    const { status, body } = await shop.put('/tax-rates/tax_none', { defaultEnabled: true })
    assert.deepEqual([status, body.error], [404, 'Tax rate not found'])
    assert.deepEqual(await defaults(shop), [id])
  })

  test('is exactly one after sixteen set it at the same time', async () => {
    const shop = await organisation()
    const ids = await Promise.all(Array.from({ length: 8 }, () => rate(shop)))
    const replies = await Promise.all([
      ...ids.map((id) => shop.put(`/tax-rates/${id}`, { defaultEnabled: true })),
      ...ids.map(() => shop.post('/tax-rates', { name: 'New', rate: 5, defaultEnabled: true })),
    ])
    for (const { status } of replies) assert.ok([200, 201].includes(status), `${status}`)
    assert.equal((await defaults(shop)).length, 1)
  })
})

test('a rate that services use can be deleted, and they lose it', async () => {
  const shop = await organisation()
  const id = await rate(shop)
  await database.query(sql`
    insert into services (org_id, id, name, tax_rate_id) values (${shop.orgId}, 'ser_1', 'Repair', ${id})`)
  const { status, body } = await shop.delete(`/tax-rates/${id}`)
  assert.deepEqual([status, body.data], [200, { message: 'Tax rate deleted', id }])
  assert.equal((await shop.get(`/tax-rates/${id}`)).status, 404)
  const [service] = await database.query<{ tax_rate_id: string | null }>(
    sql`select tax_rate_id from services where org_id = ${shop.orgId} and id = 'ser_1'`,
  )
  assert.equal(service!.tax_rate_id, null)
})
