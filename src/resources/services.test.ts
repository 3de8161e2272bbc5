// Services through HTTP: fields and their limits, order, search, tax rates and deletion.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Reply, startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'

const { organisation, database } = await startTestService()

const namesIn = ({ body }: Reply): string[] => body.data.services.map(({ name }: { name: string }) => name)

describe('creating and changing', () => {
  test('answers 201 with every field: defaults where there are any, null where there is no value', async () => {
    const shop = await organisation()
    const { status, body } = await shop.post('/services', { name: 'Screen replacement' })
    assert.equal(status, 201)
    const { id, createdAt, updatedAt, ...rest } = body.data
    assert.match(id, /^svc_[0-9a-hjkmnp-tv-z]{26}$/)
    assert.equal(updatedAt, createdAt)
    const empty = { description: null, cost: null, taxRateId: null, durationMinutes: null, warrantyTerms: null }
    const standard = { price: 0, isActive: true }
    const external = { externalId: null, externalSource: null, externalNumber: null }
    assert.deepEqual(rest, { name: 'Screen replacement', ...standard, ...empty, ...external, warrantyDays: null })
    assert.deepEqual((await shop.get(`/services/${id}`)).body.data, body.data)
  })

  test('what was read can be put back, to the last decimal place', async () => {
    const shop = await organisation()
    const given = {
      name: 'Boiler service',
      description: 'Yearly',
      price: 89.1234,
      cost: 0.1 + 0.2,
      durationMinutes: 10_080,
      warrantyDays: 0,
      warrantyTerms: 'Parts',
      isActive: false,
    }
    const { data } = (await shop.post('/services', given)).body
    assert.deepEqual({ ...data, ...given, cost: 0.3 }, data)
    const { status, headers, body } = await shop.put(`/services/${data.id}`, data)
    assert.equal(status, 200)
    assert.equal(headers.get('x-ignored-fields'), 'id,createdAt,updatedAt')
    assert.deepEqual({ ...body.data, updatedAt: null }, { ...data, updatedAt: null })
  })

  test('numbers carry no idle zeros', async () => {
    const shop = await organisation()
    const { id } = (await shop.post('/services', { name: 'A', price: 12.5, cost: 100_000_000 })).body.data
    const { text } = (
      await database.query<{ text: string }>(sql`select price::text as text from services where id = ${id}`)
    )[0]!
    assert.equal(text, '12.5000', 'which is how it is stored')
    const { price, cost } = (await shop.get(`/services/${id}`)).body.data
    assert.deepEqual([price, cost], [12.5, 100_000_000])
  })

  test('names the field and the reason when it refuses', async () => {
    const shop = await organisation()
    const refusals: [object, string][] = [
      [{}, 'name is required'],
      [{ name: ' ' }, 'name must not be empty'],
      [{ name: 'A'.repeat(201) }, 'name must be at most 200 characters'],
      [{ name: 'A', description: 'A'.repeat(10_001) }, 'description must be at most 10000 characters'],
      [{ name: 'A', price: -1 }, 'price must be at least 0'],
      [{ name: 'A', price: 1.23456 }, 'price must have at most 4 decimal places'],
      [{ name: 'A', price: 100_000_001 }, 'price must be at most 100000000'],
      [{ name: 'A', price: '5' }, 'price must be a number'],
      [{ name: 'A', price: null }, 'price must be a number'],
      [{ name: 'A', cost: -0.01 }, 'cost must be at least 0'],
      [{ name: 'A', cost: 0.00001 }, 'cost must have at most 4 decimal places'],
      [{ name: 'A', taxRateId: 'no id' }, 'taxRateId must be an id: 1 to 128 letters, digits, _ or -'],
      [{ name: 'A', taxRateId: 'nope' }, 'taxRateId does not exist'],
      [{ name: 'A', durationMinutes: 0 }, 'durationMinutes must be at least 1'],
      [{ name: 'A', durationMinutes: 10_081 }, 'durationMinutes must be at most 10080'],
      [{ name: 'A', warrantyDays: 1.5 }, 'warrantyDays must be an integer or null'],
      [{ name: 'A', warrantyDays: 3_651 }, 'warrantyDays must be at most 3650'],
      [{ name: 'A', warrantyTerms: 'A'.repeat(2_001) }, 'warrantyTerms must be at most 2000 characters'],
      [{ name: 'A', isActive: 'yes' }, 'isActive must be true or false'],
    ]
    for (const [given, reason] of refusals) {
      const { status, body } = await shop.post('/services', given)
      assert.deepEqual([status, body], [400, { success: false, error: reason }])
    }
    assert.equal((await shop.get('/services')).body.data.services.length, 0, 'nothing was stored')
  })

  test('a change leaves what is absent, clears what is null and needs something to change', async () => {
    const shop = await organisation()
    const { id } = (await shop.post('/services', { name: 'A', price: 5, cost: 2 })).body.data
    const { name, price, cost } = (await shop.put(`/services/${id}`, { cost: null, isActive: false })).body.data
    assert.deepEqual([name, price, cost], ['A', 5, null])
    const empty = await shop.put(`/services/${id}`, { id: 'svc_1' })
    assert.deepEqual([empty.status, empty.body.error], [400, 'At least one updatable field is required'])
    assert.equal((await shop.put(`/services/${id}`, { price: -1 })).body.error, 'price must be at least 0')
    assert.equal((await shop.put(`/services/${id}`, { taxRateId: 'nope' })).body.error, 'taxRateId does not exist')
  })

  test('keeps its tax rate until that is deleted', async () => {
    const shop = await organisation()
    const { id: taxRateId } = (await shop.post('/tax-rates', { name: 'VAT', rate: 20 })).body.data
    const { data } = (await shop.post('/services', { name: 'A', taxRateId })).body
    assert.equal(data.taxRateId, taxRateId)
    await shop.delete(`/tax-rates/${taxRateId}`)
    assert.equal((await shop.get(`/services/${data.id}`)).body.data.taxRateId, null)
  })

  test('answers 404 for a service that is not there, also once it was deleted', async () => {
    const shop = await organisation()
    const { id } = (await shop.post('/services', { name: 'A' })).body.data
    const { status, body } = await shop.delete(`/services/${id}`)
    assert.deepEqual([status, body.data], [200, { message: 'Service deleted', id }])
    for (const reply of [
      await shop.get(`/services/${id}`),
      await shop.put(`/services/${id}`, { name: 'A' }),
      await shop.delete(`/services/${id}`),
    ]) {
      assert.deepEqual([reply.status, reply.body], [404, { success: false, error: 'Service not found' }])
    }
  })
})

describe('listing', () => {
  test('goes by name without regard to case or accents, page by page, past a deleted one', async () => {
    const shop = await organisation()
    const ids: Record<string, string> = {}
    for (const name of ['zip', 'Écran', 'battery', 'Easy', 'Audit'])
      ids[name] = (await shop.post('/services', { name })).body.data.id
    assert.deepEqual(namesIn(await shop.get('/services')), ['Audit', 'battery', 'Easy', 'Écran', 'zip'])
    const first = await shop.get('/services?limit=2')
    assert.deepEqual(first.body.data.pagination, { limit: 2, hasMore: true, nextCursor: ids.battery })
    await shop.delete(`/services/${ids.battery}`)
    assert.deepEqual(namesIn(await shop.get(`/services?limit=2&startAfter=${ids.battery}`)), ['Easy', 'Écran'])
    assert.equal((await shop.get('/services?startAfter=never')).body.error, 'startAfter is not a known cursor')
  })

  test('search finds parts of name and description without regard to case or accents, and pages', async () => {
    const shop = await organisation()
    await shop.post('/services', { name: 'Écran A', description: 'Glass 100%' })
    await shop.post('/services', { name: 'Écran B' })
    await shop.post('/services', { name: 'Battery', warrantyTerms: 'ecran' })
    const found = async (query: string) => namesIn(await shop.get(`/services?${query}`))
    assert.deepEqual(await found('search=ECRAN'), ['Écran A', 'Écran B'])
    assert.deepEqual(await found('search=lass%20100%25'), ['Écran A'])
    assert.deepEqual(await found('search=%25'), ['Écran A'])
    assert.deepEqual(await found('search=_'), [])
    assert.deepEqual(await found('search=%20'), ['Battery', 'Écran A', 'Écran B'])
    const { pagination } = (await shop.get('/services?search=ecran&limit=1')).body.data
    assert.deepEqual(await found(`search=ecran&limit=1&startAfter=${pagination.nextCursor}`), ['Écran B'])
    const { status, body } = await shop.get(`/services?search=${'a'.repeat(101)}`)
    assert.deepEqual([status, body.error], [400, 'search must be at most 100 characters'])
  })
})
