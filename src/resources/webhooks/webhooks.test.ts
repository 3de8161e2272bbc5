// Webhooks over REST: what they may be, who made them, and what can be done to them and to their deliveries.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startTestService } from '../../../test/test-service.ts'
import { placeEvents, tellEvents } from '../../../test/told-events.ts'
import { sql } from '../../db/database.ts'
import { hourMs } from '../../domain/durations.ts'
import { revokeKey } from '../../identity/keys.ts'

const here = await startTestService({ WEBHOOK_PRIVATE_NETWORKS: '10.1.0.0/16, 127.0.0.0/8' })
const { database } = here
const strict = await startTestService({ PORT: '0' })
const url = 'https://shop.example/hooks'
const create = async (client: Awaited<ReturnType<typeof here.organisation>>, body: object = {}) =>
  (await client.post('/webhooks', { url, ...body })).body.data

describe('a webhook', () => {
  test('has these fields, and a secret in one answer only', async () => {
    const shop = await here.organisation()
    const { status, body } = await shop.post('/webhooks', { url, types: ['ticket.*', 'customer.created'] })
    assert.equal(status, 201)
    const { secret, id, createdAt, updatedAt, ...rest } = body.data
    assert.match(id, /^whk_/)
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.deepEqual(rest, {
      url,
      types: ['ticket.*', 'customer.created'],
      description: null,
      isPaused: false,
      pausedReason: null,
      createdBy: { kind: 'key', id: shop.keyId, name: 'API key' },
      failingSince: null,
      lastDeliveredAt: null,
    })
    const known = { id, createdAt, updatedAt, ...rest }
    assert.deepEqual((await shop.get(`/webhooks/${id}`)).body.data, known)
    assert.deepEqual((await shop.get('/webhooks')).body.data.webhooks, [known])
    const changed = await shop.put(`/webhooks/${id}`, { types: ['*'], description: 'All of it' })
    assert.deepEqual(
      [changed.status, changed.body.data.types, changed.body.data.description],
      [200, ['*'], 'All of it'],
    )
    assert.equal('secret' in changed.body.data, false)
    const [stored] = await database.query<{ row: object }>(
      sql`select to_jsonb(webhooks) as row from webhooks where id = ${id}`,
    )
    assert.ok(!JSON.stringify(stored).includes(secret.slice(6)), 'it is encrypted where it is kept')
    assert.equal((await shop.delete(`/webhooks/${id}`)).status, 200)
    assert.equal((await shop.get(`/webhooks/${id}`)).status, 404)
  })

  test('is told everything unless it says otherwise, and only of what there is', async () => {
    const shop = await here.organisation()
    assert.deepEqual((await create(shop)).types, ['*'])
    for (const [types, message] of [
      [[], /types/],
      [['tickets.created'], /types\[0\] is no type of event/],
      [['*', 'ticket.exploded'], /types\[1\] is no type of event/],
      [['Ticket.*'], /types\[0\]/],
    ] as const) {
      const { status, body } = await shop.post('/webhooks', { url, types })
      assert.deepEqual([status, message.test(body.error)], [400, true], body.error)
    }
  })

  test('leads to a public https address, or to a network that the operator named', async () => {
    const shop = await here.organisation()
    const accepted = [
      url,
      'https://shop.example:8443/hooks?token=1',
      'https://198.41.0.4/hooks',
      'https://[2606:4700::1111]/hooks',
      'http://10.1.2.3:81/hooks',
      'https://10.1.2.3/hooks',
      'http://127.0.0.1:4000/hooks',
      'http://localhost:4000/hooks',
      'http://intranet.example/hooks', // judged when its name is looked up
    ]
    for (const one of accepted) assert.equal((await shop.post('/webhooks', { url: one })).status, 201, one)
    const refused = [
      'shop.example/hooks',
      'ftp://shop.example/hooks',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'https://user:secret@shop.example/hooks',
      'https://user@shop.example/hooks',
      'http://198.41.0.4/hooks',
      'https://198.41.0.4:25/hooks',
      'https://10.2.0.1/hooks',
      'http://192.168.1.1/hooks',
      'https://169.254.169.254/latest/meta-data',
      'https://[::1]/hooks',
      'https://[fd12::1]/hooks',
      'https://[::ffff:192.168.1.1]/hooks',
    ]
    for (const one of refused) {
      const { status, body } = await shop.post('/webhooks', { url: one })
      assert.deepEqual([status, body.error.startsWith('url ')], [400, true], `${one}: ${body.error}`)
    }
    const { id } = await create(shop)
    assert.equal((await shop.put(`/webhooks/${id}`, { url: refused[8] })).status, 400, 'a change is judged as well')
  })

  test('leads to public https addresses alone where nobody named a network', async () => {
    const shop = await strict.organisation()
    for (const one of [
      'http://shop.example/hooks',
      'https://localhost/hooks',
      'https://hooks.localhost./',
      'https://127.0.0.1/hooks',
      'https://2130706433/hooks',
      'https://0x7f000001/hooks',
      'https://0177.0.0.1/hooks',
      'https://[::ffff:127.0.0.1]/hooks',
      'https://[::ffff:7f00:1]/hooks',
      'https://shop.example:22/hooks',
    ])
      assert.equal((await shop.post('/webhooks', { url: one })).status, 400, one)
    assert.equal((await shop.post('/webhooks', { url })).status, 201)
  })

  test('can have nineteen others beside it, whoever comes at the same time', async () => {
    const shop = await here.organisation()
    const replies = await Promise.all(Array.from({ length: 30 }, () => shop.post('/webhooks', { url })))
    const statuses = replies.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [...Array(20).fill(201), ...Array(10).fill(409)])
    const refused = replies.find(({ status }) => status === 409)!
    assert.equal(refused.body.code, 'WEBHOOK_LIMIT')
    const [first] = (await shop.get('/webhooks')).body.data.webhooks
    await shop.delete(`/webhooks/${first.id}`)
    assert.equal((await shop.post('/webhooks', { url })).status, 201, 'there is a place again')
    const full = database.write(
      shop.orgId,
      sql`
      insert into webhooks (org_id, id, slot, url, types, maker_kind, maker_name, sealed_secret)
      values (${shop.orgId}, 'whk_x', 21, ${url}, '["*"]', 'operator', 'x', 'x')`,
    )
    await assert.rejects(full, { constraint: 'webhook_limit' }, 'the database knows the limit, too')
  })

  test('is paused and resumed, and keeps its maker whoever changes it', async () => {
    const shop = await here.organisation()
    const { id, createdBy } = await create(shop, { isPaused: true })
    const other = await here.client(shop.orgId)
    const read = async () => (await shop.get(`/webhooks/${id}`)).body.data
    assert.deepEqual([(await read()).isPaused, (await read()).pausedReason], [true, 'manual'])
    const resumed = await other.put(`/webhooks/${id}`, { isPaused: false })
    assert.deepEqual([resumed.body.data.isPaused, resumed.body.data.pausedReason], [false, null])
    assert.deepEqual((await read()).createdBy, createdBy)
    await database.query(sql`update webhooks set is_paused = true, paused_reason = 'gone' where id = ${id}`)
    await other.put(`/webhooks/${id}`, { isPaused: true })
    assert.equal((await read()).pausedReason, 'gone', 'why it is paused stays')
  })

  test('leads elsewhere only by the word of somebody who may read what it tells', async () => {
    const shop = await here.organisation()
    const limited = await here.client(shop.orgId, { scopes: ['webhooks:write', 'customers:read'] })
    const { id } = await create(shop)
    const { id: own } = await create(limited)
    const elsewhere = { url: 'https://elsewhere.example/' }
    const { status, body } = await limited.put(`/webhooks/${id}`, elsewhere)
    assert.deepEqual([status, body.code], [403, 'insufficient_scope'])
    assert.ok(body.requiredScopes.includes('tickets:read') && !body.requiredScopes.includes('customers:read'))
    assert.equal((await limited.put(`/webhooks/${id}`, { url, description: 'The same' })).status, 200)
    assert.equal((await limited.put(`/webhooks/${own}`, elsewhere)).status, 200)
    assert.equal((await shop.put(`/webhooks/${own}`, { url })).status, 200)
  })

  test('ends with the key that made it', async () => {
    const shop = await here.organisation()
    const maker = await here.client(shop.orgId, { scopes: ['full'] })
    const { id } = await create(maker)
    const { id: own } = await create(shop)
    await revokeKey(database, shop.orgId, maker.keyId)
    const { isPaused, pausedReason } = (await shop.get(`/webhooks/${id}`)).body.data
    assert.deepEqual([isPaused, pausedReason], [true, 'maker_revoked'])
    assert.equal((await shop.get(`/webhooks/${own}`)).body.data.isPaused, false, 'and no other does')
    const resumed = await shop.put(`/webhooks/${id}`, { isPaused: false })
    assert.deepEqual([resumed.status, resumed.body.code], [409, 'WEBHOOK_MAKER_ENDED'])
  })
})

describe('the secret', () => {
  test('is rotated, and the one before stays for the overlap', async () => {
    const shop = await here.organisation()
    const { id, secret } = await create(shop)
    const { status, body } = await shop.post(`/webhooks/${id}/rotate-secret`)
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body.data).sort(), ['id', 'secret'])
    assert.notEqual(body.data.secret, secret)
    const [{ hours } = { hours: 0 }] = await database.query<{ hours: number }>(sql`
      select round(extract(epoch from previous_secret_until - updated_at) / 3600)::int as hours from webhooks where id = ${id}`)
    assert.equal(hours, 24, 'a day unless it is said otherwise')
    assert.equal((await shop.post(`/webhooks/${id}/rotate-secret`, { overlapHours: 73 })).status, 400)
    assert.equal((await shop.post(`/webhooks/whk_other/rotate-secret`, {})).status, 404)
  })
})

describe('deliveries', () => {
  test('are queued for unpaused webhooks that want the type, and whose maker may read the record', async () => {
    const shop = await here.organisation()
    const reader = await here.client(shop.orgId, { scopes: ['webhooks:write', 'customers:read'] })
    const ids = {
      all: (await create(shop)).id,
      jobs: (await create(shop, { types: ['ticket.*'] })).id,
      paused: (await create(shop, { isPaused: true })).id,
      reader: (await create(reader)).id,
    }
    await tellEvents(database, shop.orgId, [
      { type: 'customer.created' },
      { type: 'ticket.created', entity: 'tickets' },
      { type: 'ticket_status.created', entity: 'ticket-statuses' },
    ])
    const typesOf = async (id: string) =>
      (await shop.get(`/webhooks/${id}/deliveries`)).body.data.deliveries
        .map(({ eventType }: { eventType: string }) => eventType)
        .sort()
    assert.deepEqual(await typesOf(ids.all), ['customer.created', 'ticket.created', 'ticket_status.created'])
    assert.deepEqual(await typesOf(ids.jobs), ['ticket.created'])
    assert.deepEqual(await typesOf(ids.paused), [])
    assert.deepEqual(await typesOf(ids.reader), ['customer.created'])
    assert.deepEqual((await reader.post(`/webhooks/${ids.reader}/replay`, { from: 1, to: 3 })).body.data, { count: 1 })
  })

  test('wait in the order of their record: the first is due, the others behind it', async () => {
    const shop = await here.organisation()
    const { id } = await create(shop)
    const record = { recordId: 'cus_one' }
    await tellEvents(database, shop.orgId, [record, { ...record, type: 'customer.updated' }, { recordId: 'cus_two' }])
    await placeEvents(database, shop.orgId, id)
    await tellEvents(database, shop.orgId, [{ ...record, type: 'customer.deleted' }])
    await placeEvents(database, shop.orgId, id)
    const { deliveries } = (await shop.get(`/webhooks/${id}/deliveries`)).body.data
    const due = deliveries.filter(({ nextAttemptAt }: { nextAttemptAt: string | null }) => nextAttemptAt !== null)
    assert.deepEqual(
      due.map(({ eventType }: { eventType: string }) => eventType),
      ['customer.created', 'customer.created'],
    )
    assert.ok(deliveries.every(({ status }: { status: string }) => status === 'waiting'))
  })

  test('of a test have a type of their own, whatever the webhook is told', async () => {
    const shop = await here.organisation()
    const { id } = await create(shop, { types: ['ticket.created'] })
    const { status, body } = await shop.post(`/webhooks/${id}/test`)
    assert.equal(status, 201)
    assert.match(body.data.id, /^dlv_/)
    assert.match(body.data.eventId, /^chg_/)
    assert.deepEqual([body.data.eventType, body.data.status, body.data.attempts], ['webhook.test', 'waiting', []])
    assert.ok(Date.parse(body.data.nextAttemptAt) <= Date.now() + hourMs)
    assert.equal((await shop.post('/webhooks/whk_other/test')).status, 404)
  })

  test('are replayed by position, as far as the webhook wants them, and each has one row', async () => {
    const shop = await here.organisation()
    const { id } = await create(shop, { types: ['customer.*'], isPaused: true })
    await tellEvents(database, shop.orgId, [{}, { type: 'ticket.created', entity: 'tickets' }, {}, {}])
    const replay = (body: object) => shop.post(`/webhooks/${id}/replay`, body)
    const { status, body } = await replay({ from: 1, to: 3 })
    assert.deepEqual([status, body.data], [200, { count: 2 }])
    assert.deepEqual((await replay({ from: 3, to: 500 })).body.data, { count: 2 })
    assert.equal((await shop.get(`/webhooks/${id}/deliveries`)).body.data.deliveries.length, 3)
    assert.deepEqual((await replay({ failedOnly: true })).body.data, { count: 0 })
    await database.query(sql`
      update webhook_deliveries set status = 'failed', next_attempt_at = null where webhook_id = ${id} and position > 1`)
    assert.deepEqual((await replay({ failedOnly: true })).body.data, { count: 2 })
    for (const wrong of [
      {},
      { from: 1 },
      { to: 1 },
      { from: 2, to: 1 },
      { from: 0, to: 1 },
      { from: 1, to: 2, failedOnly: true },
    ])
      assert.equal((await replay(wrong)).status, 400, JSON.stringify(wrong))
    assert.equal((await shop.post('/webhooks/whk_other/replay', { failedOnly: true })).status, 404)
  })

  test('are retried at once, and what is about the same record waits behind', async () => {
    const shop = await here.organisation()
    const { id } = await create(shop)
    const record = { recordId: 'cus_one' }
    await tellEvents(database, shop.orgId, [record, record])
    await placeEvents(database, shop.orgId, id)
    await database.query(sql`
      update webhook_deliveries set status = 'failed', tries = 10, next_attempt_at = null
      where webhook_id = ${id} and next_attempt_at is not null`)
    await database.query(sql`update webhook_deliveries set next_attempt_at = now() + interval '5 hours'
      where webhook_id = ${id} and status = 'waiting'`)
    const list = async () => (await shop.get(`/webhooks/${id}/deliveries`)).body.data.deliveries
    const [later, failed] = await list()
    assert.deepEqual([later.status, failed.status], ['waiting', 'failed'])
    const { status, body } = await shop.post(`/webhooks/${id}/deliveries/${failed.id}/retry`)
    assert.deepEqual([status, body.data.id, body.data.status], [200, failed.id, 'waiting'])
    const [behind, due] = await list()
    assert.deepEqual([behind.nextAttemptAt, due.nextAttemptAt === null], [null, false])
    assert.equal((await shop.post(`/webhooks/${id}/deliveries/dlv_other/retry`)).status, 404)
    assert.equal((await shop.post(`/webhooks/whk_other/deliveries/${failed.id}/retry`)).status, 404)
  })

  test('are listed newest first, in pages, and by status', async () => {
    const shop = await here.organisation()
    const { id } = await create(shop)
    for (let count = 0; count < 5; count++) await tellEvents(database, shop.orgId, [{}])
    const path = `/webhooks/${id}/deliveries`
    const all = (await shop.get(path)).body.data.deliveries
    const first = (await shop.get(`${path}?limit=2`)).body.data
    assert.deepEqual(first.deliveries, all.slice(0, 2))
    const second = (await shop.get(`${path}?limit=2&startAfter=${first.pagination.nextCursor}`)).body.data
    assert.deepEqual(second.deliveries, all.slice(2, 4))
    assert.equal((await shop.get(`${path}?status=failed`)).body.data.deliveries.length, 0)
    assert.equal((await shop.get(`${path}?status=waiting`)).body.data.deliveries.length, 5)
    assert.equal((await shop.get(`${path}?status=lost`)).status, 400)
  })
})
