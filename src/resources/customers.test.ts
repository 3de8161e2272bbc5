// Customers through HTTP: fields, order, search, look-up, paging and deletion.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Client, type Reply, startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'

const { organisation, database } = await startTestService()

const createCustomers = async (client: Client, ...names: string[]) => {
  const ids: Record<string, string> = {}
  for (const firstName of names) ids[firstName] = (await client.post('/customers', { firstName })).body.data.id
  return ids
}
const namesIn = ({ body }: Reply): string[] =>
  body.data.customers.map(({ firstName }: { firstName: string }) => firstName)

describe('creating and changing', () => {
  test('answers 201 with every field, null where there is no value', async () => {
    const shop = await organisation()
    const { status, body } = await shop.post('/customers', { firstName: 'Amara', email: 'amara@bakery.example' })
    assert.equal(status, 201)
    assert.equal(body.success, true)
    const { id, createdAt, updatedAt, ...rest } = body.data
    assert.match(id, /^cus_[0-9a-hjkmnp-tv-z]{26}$/)
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(updatedAt, createdAt)
    const empty = { lastName: null, phone: null, businessName: null, address: null, notes: null }
    const trading = { countryCode: null, vatId: null, electronicAddress: null, buyerReference: null }
    const external = { externalId: null, externalSource: null, externalNumber: null }
    assert.deepEqual(rest, { firstName: 'Amara', email: 'amara@bakery.example', ...empty, ...trading, ...external })
    assert.deepEqual((await shop.get(`/customers/${id}`)).body.data, body.data)
  })

  test('names the field and the reason when it refuses', async () => {
    const shop = await organisation()
    const refusals: [object, string][] = [
      [{}, 'firstName is required'],
      [{ firstName: '' }, 'firstName must not be empty'],
      [{ firstName: '   ' }, 'firstName must not be empty'],
      [{ firstName: null }, 'firstName must be a string'],
      [{ firstName: 7 }, 'firstName must be a string'],
      [{ firstName: 'A'.repeat(101) }, 'firstName must be at most 100 characters'],
      [{ firstName: '👍'.repeat(51) }, 'firstName must be at most 100 characters'],
      [{ firstName: 'A', email: 'a@' }, 'email must be a valid email address'],
      [{ firstName: 'A', email: 'a@b.co, c@d.co' }, 'email must be a valid email address'],
      [{ firstName: 'A', email: 'a@b.co\nBcc: c@d.co' }, 'email must be a valid email address'],
      [{ firstName: 'A', phone: 5 }, 'phone must be a string or null'],
      [{ firstName: 'A\u0000' }, 'firstName has characters that are not allowed'],
    ]
    for (const [given, reason] of refusals) {
      const { status, body } = await shop.post('/customers', given)
      assert.deepEqual([status, body], [400, { success: false, error: reason }])
    }
    assert.equal((await shop.get('/customers')).body.data.customers.length, 0, 'nothing was stored')
  })

  test('trims text and reads an empty optional text as none', async () => {
    const shop = await organisation()
    const { body } = await shop.post('/customers', { firstName: '  Ada ', lastName: '  ', notes: ' two\n lines ' })
    assert.deepEqual([body.data.firstName, body.data.lastName, body.data.notes], ['Ada', null, 'two\n lines'])
  })

  test('a change leaves what is absent and clears what is null', async () => {
    const shop = await organisation()
    const { id } = (await shop.post('/customers', { firstName: 'Ada', lastName: 'L', phone: '1' })).body.data
    const { status, body } = await shop.put(`/customers/${id}`, { phone: null, businessName: 'Engines' })
    assert.equal(status, 200)
    const { firstName, lastName, phone, businessName } = body.data
    assert.deepEqual([firstName, lastName, phone, businessName], ['Ada', 'L', null, 'Engines'])
    assert.equal((await shop.put(`/customers/${id}`, { firstName: null })).body.error, 'firstName must be a string')
  })

  test('a change without a field that can be changed is refused', async () => {
    const shop = await organisation()
    const { id } = (await shop.post('/customers', { firstName: 'Ada' })).body.data
    for (const body of [{}, { id: 'cus_1', createdAt: 'now', orgId: 'other' }]) {
      const reply = await shop.put(`/customers/${id}`, body)
      assert.deepEqual([reply.status, reply.body.error], [400, 'At least one updatable field is required'])
    }
  })

  test('what was read can be put back, and what only the server writes is named as ignored', async () => {
    const shop = await organisation()
    const { data } = (await shop.post('/customers', { firstName: 'Ada', lastName: 'L' })).body
    const { status, headers, body } = await shop.put(`/customers/${data.id}`, data)
    assert.equal(status, 200)
    assert.equal(headers.get('x-ignored-fields'), 'id,createdAt,updatedAt')
    assert.deepEqual({ ...body.data, updatedAt: null }, { ...data, updatedAt: null })
  })

  test('answers 404 for a customer that is not there', async () => {
    const shop = await organisation()
    for (const reply of [
      await shop.get('/customers/nobody'),
      await shop.put('/customers/nobody', { firstName: 'A' }),
      await shop.delete('/customers/nobody'),
    ]) {
      assert.deepEqual([reply.status, reply.body], [404, { success: false, error: 'Customer not found' }])
    }
  })
})

describe('listing', () => {
  test('goes by first name without regard to case or accents, then by id', async () => {
    const shop = await organisation()
    await createCustomers(shop, 'zoe', 'Bea', 'ada', 'Élodie', 'Eve', 'Zoe')
    assert.deepEqual(namesIn(await shop.get('/customers')), ['ada', 'Bea', 'Élodie', 'Eve', 'zoe', 'Zoe'])
  })

  test('pages through everything once, fifty at a time unless told', async () => {
    const shop = await organisation()
    const rows = Array.from({ length: 120 }, (_, n) => `('${shop.orgId}', 'cus_${n}', 'Name ${n % 7}')`)
    await database.query({
      text: `insert into customers (org_id, id, first_name) values ${rows.join(', ')}`,
      values: [],
    } as never)
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { customers, pagination } = (await shop.get(`/customers${cursor && `?startAfter=${cursor}`}`)).body.data
      assert.equal(pagination.limit, 50)
      seen.push(...customers.map(({ id }: { id: string }) => id))
      assert.equal(pagination.nextCursor, pagination.hasMore ? seen.at(-1) : null)
      if (!pagination.hasMore) break
      cursor = pagination.nextCursor
    }
    assert.equal(seen.length, 120)
    assert.equal(new Set(seen).size, 120)
  })

  test('says there is no more when a page is exactly full', async () => {
    const shop = await organisation()
    await createCustomers(shop, 'A', 'B')
    assert.deepEqual((await shop.get('/customers?limit=2')).body.data.pagination, {
      limit: 2,
      hasMore: false,
      nextCursor: null,
    })
  })

  test('goes on after a record that was deleted meanwhile, even when it has left the list for good', async () => {
    const shop = await organisation()
    const ids = await createCustomers(shop, 'A', 'B', 'C', 'D')
    await shop.delete(`/customers/${ids.B}`)
    assert.deepEqual(namesIn(await shop.get(`/customers?startAfter=${ids.B}`)), ['C', 'D'])
    const unknown = await shop.get('/customers?startAfter=cus_never')
    assert.deepEqual([unknown.status, unknown.body.error], [400, 'startAfter is not a known cursor'])
  })
})

describe('searching', () => {
  test('finds parts of names, email and business name without regard to case or accents', async () => {
    const shop = await organisation()
    await shop.post('/customers', {
      firstName: 'Zoë',
      lastName: 'Müller',
      email: 'office@kiln.example',
      businessName: 'Töpferei 100%',
    })
    await shop.post('/customers', { firstName: 'Ann', lastName: 'Other' })
    for (const search of ['zoe', 'MULLER', 'oë mü', 'kiln', 'topfer', '100%', 'z', 'Zo']) {
      assert.deepEqual(namesIn(await shop.get(`/customers?search=${encodeURIComponent(search)}`)), ['Zoë'], search)
    }
    for (const search of ['%', '_', 'x%y', '\\', '＿', '％％', 'nobody']) {
      const found = namesIn(await shop.get(`/customers?search=${encodeURIComponent(search)}`))
      assert.deepEqual(found, search === '%' ? ['Zoë'] : [], search)
    }
  })

  test('a blank search is none, and one over 100 characters is refused', async () => {
    const shop = await organisation()
    await createCustomers(shop, 'A')
    assert.deepEqual(namesIn(await shop.get('/customers?search=%20')), ['A'])
    assert.equal(
      (await shop.get(`/customers?search=${'a'.repeat(101)}`)).body.error,
      'search must be at most 100 characters',
    )
  })

  test('pages like any list', async () => {
    const shop = await organisation()
    await createCustomers(shop, 'Ann 1', 'Ann 2', 'Ann 3', 'Bob')
    const first = await shop.get('/customers?search=ann&limit=2')
    const second = await shop.get(`/customers?search=ann&limit=2&startAfter=${first.body.data.pagination.nextCursor}`)
    assert.deepEqual([...namesIn(first), ...namesIn(second)], ['Ann 1', 'Ann 2', 'Ann 3'])
  })
})

describe('looking up', () => {
  test('matches the phone exactly and the email without regard to case, phone matches first, each customer once', async () => {
    const shop = await organisation()
    await shop.post('/customers', { firstName: 'Both', phone: '+447700900123', email: 'Both@shop.example' })
    await shop.post('/customers', { firstName: 'Afterwards', email: 'both@shop.example' })
    const { status, body } = await shop.get('/customers/lookup?phone=%2B447700900123&email=BOTH@shop.example')
    assert.equal(status, 200)
    assert.deepEqual(
      body.data.matches.map(({ firstName }: { firstName: string }) => firstName),
      ['Both', 'Afterwards'],
    )
    assert.equal(body.data.count, 2)
    assert.equal(
      (await shop.get('/customers/lookup?phone=+447700900123')).body.data.count,
      1,
      'a plus that was not encoded',
    )
    assert.equal((await shop.get('/customers/lookup?phone=447700900123')).status, 404)
  })

  test('gives at most ten for each identifier', async () => {
    const shop = await organisation()
    for (let n = 0; n < 12; n++)
      await shop.post('/customers', { firstName: `P${n}`, phone: '5', email: n < 11 ? 'five@shop.example' : null })
    assert.equal((await shop.get('/customers/lookup?phone=5')).body.data.count, 10)
    assert.ok((await shop.get('/customers/lookup?phone=5&email=five@shop.example')).body.data.count <= 20)
  })

  test('needs one of the two, well formed', async () => {
    const shop = await organisation()
    const wrong: [string, string][] = [
      ['', 'phone or email is required'],
      ['?phone=', 'phone or email is required'],
      ['?email=nobody', 'email must be a valid email address'],
    ]
    for (const [query, reason] of wrong) {
      const { status, body } = await shop.get(`/customers/lookup${query}`)
      assert.deepEqual([status, body.error], [400, reason])
    }
    assert.equal((await shop.get('/customers/lookup?email=nobody@x.example')).status, 404)
  })
})

describe('deleting', () => {
  test('takes the devices along', async () => {
    const shop = await organisation()
    const { A } = await createCustomers(shop, 'A')
    const { id } = (await shop.post(`/customers/${A}/devices`, { brand: 'X' })).body.data
    const { status, body } = await shop.delete(`/customers/${A}`)
    assert.deepEqual([status, body.data], [200, { message: 'Customer deleted', id: A }])
    assert.equal((await shop.get(`/customers/${A}`)).status, 404)
    assert.equal((await shop.get(`/customers/${A}/devices/${id}`)).status, 404)
    assert.equal((await shop.get(`/customers/${A}/devices`)).status, 404)
    assert.equal((await database.query(sql`select from devices where org_id = ${shop.orgId}`)).length, 0)
  })

  test('takes only true or false for cascade', async () => {
    const shop = await organisation()
    const { A } = await createCustomers(shop, 'A')
    assert.deepEqual((await shop.delete(`/customers/${A}?cascade=maybe`)).body.error, 'cascade must be true or false')
    assert.equal((await shop.delete(`/customers/${A}?cascade=false`)).status, 200)
  })
})
