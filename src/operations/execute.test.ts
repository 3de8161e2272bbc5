// Idempotency-Key: what a caller may rely on when a request is sent again because its answer never came. And whose turn it is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Client, type Reply, startTestService } from '../../test/test-service.ts'
import { createApp } from '../app.ts'
import { Database, sql } from '../db/database.ts'
import { noDependencies } from './context.ts'
import { createExecute } from './execute.ts'
import { operation, resource, statement } from './operation.ts'
import { t } from './schemas.ts'
import { createScopeCatalogue } from './scope-catalogue.ts'
import { entity } from './scopes.ts'

const here = await startTestService()
const second = await startTestService()

const once = (client: Client, key: string, body: unknown = { firstName: 'Amara' }, path = '/customers') =>
  client.post(path, body, { 'idempotency-key': key })
const isReplay = ({ headers }: Reply) => headers.get('idempotent-replayed') === 'true'
const customersOf = async (client: Client) => (await client.get('/customers?limit=100')).body.data.customers

test('answers a repeated request as the first time and does not carry it out again', async () => {
  const shop = await here.organisation()
  const first = await once(shop, 'order-1')
  assert.deepEqual([first.status, isReplay(first)], [201, false])
  for (let n = 0; n < 3; n++) {
    const again = await once(shop, 'order-1')
    assert.deepEqual([again.status, again.body, isReplay(again)], [201, first.body, true])
  }
  assert.equal((await customersOf(shop)).length, 1)
})

test('answers a repeated request as the first time even if the record has changed or gone since', async () => {
  const shop = await here.organisation()
  const first = await once(shop, 'order-1')
  await shop.put(`/customers/${first.body.data.id}`, { firstName: 'Changed' })
  assert.deepEqual((await once(shop, 'order-1')).body, first.body)
  await shop.delete(`/customers/${first.body.data.id}`)
  assert.deepEqual((await once(shop, 'order-1')).body, first.body)
  assert.deepEqual(await customersOf(shop), [])
})

test('carries out every request that has no key, or another one', async () => {
  const shop = await here.organisation()
  await shop.post('/customers', { firstName: 'Amara' })
  await shop.post('/customers', { firstName: 'Amara' })
  for (const key of ['a', 'b', 'A', '-', '_', 'x'.repeat(128)])
    assert.equal(isReplay(await once(shop, key)), false, key)
  assert.equal((await customersOf(shop)).length, 8)
})

test('refuses a key that comes again with another body', async () => {
  const shop = await here.organisation()
  await once(shop, 'order-1')
  const others = [
    await once(shop, 'order-1', { firstName: 'Bola' }),
    await once(shop, 'order-1', { firstName: 'Amara', phone: '1' }),
    await once(shop, 'order-1', { firstName: 'amara' }),
    await once(shop, 'order-1', { firstName: 'Amara', phone: null }),
  ]
  for (const reply of others) {
    assert.deepEqual([reply.status, reply.body.error], [400, 'Idempotency-Key was used with a different body'])
    assert.equal(reply.body.code, 'IDEMPOTENCY_KEY_REUSED')
    assert.equal(isReplay(reply), false)
  }
  assert.equal((await customersOf(shop)).length, 1)
  assert.equal(isReplay(await once(shop, 'order-1')), true)
})

test('refuses a key that is not 1 to 128 letters, digits, _ or -', async () => {
  const shop = await here.organisation()
  for (const key of ['', 'x'.repeat(129), 'a b', 'a.b', 'a,b', 'é', 'a/b', '"a"', 'x'.repeat(9_000)]) {
    const { status, body } = await once(shop, Buffer.from(key).toString('latin1'))
    assert.deepEqual([status, body.error.split(' ')[0]], [400, 'Idempotency-Key'], key.slice(0, 20))
  }
  assert.deepEqual(await customersOf(shop), [])
})

test('makes one record of twenty requests with one key at once, on two instances', async () => {
  const shop = await here.organisation()
  for (let round = 0; round < 5; round++) {
    const request = {
      headers: { 'x-api-key': shop.key, 'idempotency-key': `order-${round}` },
      body: { firstName: 'Amara' },
    }
    const path = `/api/v1/organisations/${shop.orgId}/customers`
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => [here, second][n % 2]!.request('POST', path, request)),
    )
    const created = replies.filter(({ status }) => status === 201)
    assert.equal(created.filter((reply) => !isReplay(reply)).length, 1)
    assert.equal(new Set(created.map(({ body }) => body.data.id)).size, 1)
    for (const reply of replies.filter(({ status }) => status !== 201))
      assert.deepEqual([reply.status, reply.body.code], [409, 'IDEMPOTENCY_IN_PROGRESS'])
    assert.equal((await customersOf(shop)).length, round + 1)
  }
})

test('answers 409 IDEMPOTENCY_IN_PROGRESS while the first request still runs, and its answer afterwards', async () => {
  const shop = await here.organisation()
  const { id } = (await shop.post('/customers', { firstName: 'Amara' })).body.data
  const add = () => once(shop, 'order-1', { model: '5' }, `/customers/${id}/devices`)
  const running = await here.database.transaction('test', async (transaction) => {
    // Whoever adds a device must wait for whoever holds its customer.
    await transaction.query(sql`select from customers where org_id = ${shop.orgId} and id = ${id} for update`)
    const first = add()
    await delay(300)
    const early = await add()
    assert.deepEqual([early.status, early.body.code], [409, 'IDEMPOTENCY_IN_PROGRESS'])
    assert.equal(typeof early.body.error, 'string')
    return { first }
  })
  const first = await running.first
  assert.deepEqual([first.status, isReplay(first)], [201, false])
  const late = await add()
  assert.deepEqual([late.status, late.body, isReplay(late)], [201, first.body, true])
})

test('repeats a refusal by a rule, with its status and words', async () => {
  const shop = await here.organisation()
  const { id } = (await shop.post('/customers', { firstName: 'Amara' })).body.data
  for (const [key, path, body, status, error] of [
    ['rule-1', '/customers/missing/devices', { model: '5' }, 404, 'Customer not found'],
    ['rule-2', `/customers/${id}/devices`, {}, 400, /^At least one of type, brand/],
  ] as const) {
    const first = await once(shop, key, body, path)
    assert.deepEqual([first.status, isReplay(first)], [status, false])
    assert.match(first.body.error, new RegExp(error))
    const again = await once(shop, key, body, path)
    assert.deepEqual([again.status, again.body, isReplay(again)], [status, first.body, true])
  }
})

test('keeps no refusal of a request that was malformed: mended, it is carried out under the same key', async () => {
  const shop = await here.organisation()
  for (const body of [{}, { firstName: 5 }, '{broken', '[]'])
    assert.equal((await once(shop, 'order-1', body)).status, 400, JSON.stringify(body))
  const mended = await once(shop, 'order-1')
  assert.deepEqual([mended.status, isReplay(mended)], [201, false])
})

test('keeps no answer for a caller who was not allowed to ask', async () => {
  const shop = await here.organisation()
  const reader = await here.client(shop.orgId, { scopes: ['customers:read'] })
  assert.equal((await once(reader, 'order-1')).status, 403)
  await here.database.query(
    sql`update api_keys set scopes = '{customers:write}' where org_id = ${shop.orgId} and id = ${reader.keyId}`,
  )
  let allowed = await once(reader, 'order-1')
  for (let n = 0; n < 50 && allowed.status === 403; n++) allowed = await delay(20).then(() => once(reader, 'order-1'))
  assert.deepEqual([allowed.status, isReplay(allowed)], [201, false])
})

test('keeps the keys of other credentials, organisations and paths apart', async () => {
  const shop = await here.organisation()
  const first = await once(shop, 'order-1')
  const reader = await here.client(shop.orgId, { scopes: ['read'] })
  const stranger = await here.organisation()
  const { id } = first.body.data
  const bola = (await shop.post('/customers', { firstName: 'Bola' })).body.data
  const others = [
    await once(await here.client(shop.orgId, { scopes: ['full'] }), 'order-1'),
    await once(stranger, 'order-1'),
    await once(shop, 'order-1', { model: '5' }, `/customers/${id}/devices`),
    await once(shop, 'order-1', { model: '5' }, `/customers/${bola.id}/devices`),
  ]
  for (const reply of others) assert.deepEqual([reply.status, isReplay(reply)], [201, false])
  assert.equal((await once(reader, 'order-1')).status, 403, 'a reader is given nothing of a writer')
  assert.deepEqual(
    (await customersOf(stranger)).map((customer: { id: string }) => customer.id),
    [others[1]!.body.data.id],
  )
})

test('remembers answers when the service is started anew', async () => {
  const shop = await here.organisation()
  const database = new Database(here.connection)
  const { app, prepare, close } = await createApp(here.config, database, { strict: true })
  await prepare()
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const response = await fetch(`${origin}/api/v1/organisations/${shop.orgId}/customers`, {
    method: 'POST',
    headers: { 'x-api-key': shop.key, 'content-type': 'application/json', 'idempotency-key': 'order-1' },
    body: JSON.stringify({ firstName: 'Amara' }),
  })
  const first = await response.json()
  await close()
  await database.close()
  const again = await once(shop, 'order-1')
  assert.deepEqual([again.status, again.body, isReplay(again)], [201, first, true])
})

test('forgets an answer after 24 hours, not before', async () => {
  const shop = await here.organisation()
  const first = await once(shop, 'order-1')
  const age = (hours: string) =>
    here.database.query(
      sql`update idempotency_keys set created_at = now() - ${hours}::interval where org_id = ${shop.orgId}`,
    )
  await age('23 hours 59 minutes')
  assert.equal(isReplay(await once(shop, 'order-1')), true)
  await age('24 hours 1 second')
  const later = await once(shop, 'order-1', { firstName: 'Bola' })
  assert.deepEqual([later.status, isReplay(later)], [201, false])
  assert.notEqual(later.body.data.id, first.body.data.id)
  const again = await once(shop, 'order-1', { firstName: 'Bola' })
  assert.deepEqual([again.body, isReplay(again)], [later.body, true])
})

test('heeds a key on POST alone: other methods may be repeated as they are', async () => {
  const shop = await here.organisation()
  const { id } = (await once(shop, 'order-1')).body.data
  const headers = { 'idempotency-key': 'order-1' }
  const put = (firstName: string) => shop.call('PUT', `/customers/${id}`, { body: { firstName }, headers })
  assert.equal((await put('Bola')).status, 200)
  assert.equal((await put('Chidi')).body.data.firstName, 'Chidi')
  assert.equal((await shop.call('GET', `/customers/${id}`, { headers })).body.data.firstName, 'Chidi')
})

test('names ignored fields on the repeated answer as on the first', async () => {
  const shop = await here.organisation()
  for (let n = 0; n < 2; n++) {
    const { headers } = await once(shop, 'order-1', { firstName: 'Amara', colour: 'red' })
    assert.equal(headers.get('x-ignored-fields'), 'colour')
  }
})

test('the people of a shop do not wait behind all that its programs ask for', async () => {
  const bikes = entity('bikes', { title: 'Bikes', description: 'What is ridden.', scopeObject: 'bikes' })
  const begun: string[] = []
  const { operations } = resource({ entity: bikes, tables: [] }, [
    operation('GET /bikes', {
      name: 'listBikes',
      summary: 'List bikes',
      returns: t.Object({}),
      run(_, { caller }) {
        begun.push(caller.name)
        return statement(sql`select 1`, () => ({}))
      },
    }),
  ])
  const execute = createExecute(here.database, operations, noDependencies)
  const scopes = new Set(createScopeCatalogue([bikes]).scopes)
  const ask = (name: string) =>
    execute(
      { operation: operations[0]!, params: {}, query: {}, body: undefined },
      { kind: 'key', orgId: 'org_1', credentialId: name, name, scopes },
    )
  await Promise.all([...Array.from({ length: 60 }, () => ask('program')), ask('counter')])
  assert.ok(begun.indexOf('counter') < 20, `${begun.indexOf('counter')} before it`)
})
