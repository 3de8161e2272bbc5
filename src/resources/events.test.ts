// The feed: cursors that always lead on, filters, and nothing that its reader may not read.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { numberAll, readFeed, teller, testSequencer, typesOf } from '../../test/events.ts'
import { startOwnTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { firstIdAt } from '../operations/ids.ts'
import { sweep } from '../worker/sweep.ts'

// What is swept is swept in every organisation: the events of other tests are not for this one to take away.
const here = await startOwnTestService()
const { database } = here
const sequencer = await testSequencer(here)

async function shop() {
  const client = await here.organisation()
  const { told, newest } = teller(here, client)
  await newest()
  const add = async (firstName: string): Promise<string> => {
    const { id } = (await client.post('/customers', { firstName })).body.data
    await numberAll(sequencer, client.orgId)
    return id
  }
  const page = async (query: string) => {
    const { status, body } = await client.get(`/events?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data
  }
  return { client, told, newest, add, page }
}

describe('the feed', () => {
  it('goes on after the last event that was looked at, also when nothing is new', async () => {
    const { add, page } = await shop()
    for (const name of ['A', 'B', 'C']) await add(name)
    const first = await page('type=customer.created&limit=2')
    assert.deepEqual(
      first.events.map((event: { data: { firstName: string } }) => event.data.firstName),
      ['A', 'B'],
    )
    assert.deepEqual([first.pagination.hasMore, first.pagination.limit], [true, 2])
    const second = await page(`type=customer.created&startAfter=${first.pagination.nextCursor}`)
    assert.deepEqual([second.events.length, second.pagination.hasMore], [1, false])
    const third = await page(`startAfter=${second.pagination.nextCursor}`)
    assert.deepEqual([third.events, third.pagination.nextCursor], [[], second.pagination.nextCursor])
    await add('D')
    const fourth = await page(`startAfter=${third.pagination.nextCursor}`)
    assert.deepEqual(typesOf(fourth.events), ['customer.created'])
  })

  it('latest answers nothing but where to go on, and null where there is no event at all', async () => {
    const { client, add, page } = await shop()
    await add('A')
    const latest = await page('startAfter=latest')
    assert.deepEqual([latest.events, latest.pagination.hasMore], [[], false])
    await add('B')
    const next = await page(`startAfter=${latest.pagination.nextCursor}`)
    assert.deepEqual(
      next.events.map((event: { data: { firstName: string } }) => event.data.firstName),
      ['B'],
    )
    await database.query(sql`delete from events where org_id = ${client.orgId}`)
    await database.query(sql`delete from event_counters where org_id = ${client.orgId}`)
    assert.equal((await page('startAfter=latest')).pagination.nextCursor, null)
    assert.equal((await page('')).pagination.nextCursor, null)
  })

  it('takes types one by one, between commas and by their kind, a collection, a record and a moment', async () => {
    const { client, add, page, newest } = await shop()
    const id = await add('A')
    await client.put(`/customers/${id}`, { notes: 'x' })
    await client.post(`/customers/${id}/devices`, { brand: 'Aga' })
    await newest()
    const types = async (query: string) => typesOf((await page(query)).events)
    assert.deepEqual(await types('type=customer.created&type=device.created'), ['customer.created', 'device.created'])
    assert.deepEqual(await types('type=customer.created,customer.updated'), ['customer.created', 'customer.updated'])
    assert.deepEqual(await types('type=customer.*'), ['customer.created', 'customer.updated'])
    assert.deepEqual(await types('resource=customers/devices'), ['device.created'])
    assert.deepEqual(await types(`recordId=${id}`), ['customer.created', 'customer.updated'])
    assert.deepEqual(await types(`recordId=${id}&type=*.x`).catch(() => 'refused'), 'refused')
    const [, { at }] = (await page(`recordId=${id}`)).events
    assert.deepEqual(await types(`since=${at}`), ['customer.updated', 'device.created'])
    assert.deepEqual(await types(`since=${new Date(Date.parse(at) + 60_000).toISOString()}`), [])
    for (const wrong of ['type=customer', 'type=customer.craeted', 'since=yesterday', 'limit=0', 'resource=../x'])
      assert.equal((await client.get(`/events?${wrong}`)).status, 400, wrong)
  })

  it('begins at a position, itself included, and before it at a cursor', async () => {
    const { client, add } = await shop()
    for (const name of ['A', 'B', 'C']) await add(name)
    const all = await readFeed(client)
    const newest = all.at(-1)!
    const idsFrom = async (query: string) =>
      (await client.get(`/events?${query}`)).body.data.events.map(({ id }: { id: string }) => id)
    assert.deepEqual(await idsFrom(`from=${newest.position! - 1}`), [all.at(-2)!.id, newest.id])
    assert.deepEqual(await idsFrom(`from=${newest.position! + 1}`), [], 'what is not there yet')
    assert.deepEqual(await idsFrom(`from=1&startAfter=${all.at(-2)!.id}`), [newest.id], 'where a reader was before')
    for (const wrong of ['from=0', 'from=x']) assert.equal((await client.get(`/events?${wrong}`)).status, 400, wrong)
  })

  it('refuses a cursor that it does not know, and says of one that is no longer kept what the oldest is', async () => {
    const { client, add } = await shop()
    for (const name of ['A', 'B', 'C']) await add(name)
    const all = await readFeed(client)
    for (const unknown of ['never_seen', 'chg_zzzzzzzzzzzzzzzzzzzzzzzzzz', 'customers'])
      assert.deepEqual(
        [
          (await client.get(`/events?startAfter=${unknown}`)).status,
          (await client.get(`/events?startAfter=${unknown}`)).body.code,
        ],
        [400, undefined],
      )
    // As if the first ones had been numbered long ago.
    const old = all.slice(0, 3)
    for (const [index, { id }] of old.entries())
      await database.query(
        sql`update events set id = ${`${firstIdAt('chg', index + 1)}${'0'.repeat(16)}`} where org_id = ${client.orgId} and id = ${id}`,
      )
    const cursor = `${firstIdAt('chg', 2)}${'0'.repeat(16)}`
    assert.equal((await client.get(`/events?startAfter=${cursor}`)).status, 200)
    await sweep(database)
    const { status, body } = await client.get(`/events?startAfter=${cursor}`)
    assert.deepEqual([status, body.code, body.data], [400, 'EVENTS_GONE', { oldest: all[3]!.id }])
    assert.equal((await readFeed(client))[0]!.id, all[3]!.id, 'from the beginning means from the oldest')
    const gone = await client.get('/events?from=3')
    assert.deepEqual([gone.status, gone.body.code, gone.body.data], [400, 'EVENTS_GONE', { oldest: all[3]!.id }])
    assert.equal((await client.get('/events?from=4')).body.data.events[0].id, all[3]!.id)
    assert.equal((await client.get(`/events/${all[3]!.id}`)).status, 200)
  })

  it('the newest event stays, so that whoever has read it has missed nothing', async () => {
    const { client, add } = await shop()
    await add('A')
    const all = await readFeed(client)
    await sweep(database, { eventDays: -1 })
    const left = await readFeed(client)
    assert.deepEqual(left, [all.at(-1)])
    const { body } = await client.get(`/events?startAfter=${all.at(-1)!.id}`)
    assert.deepEqual(body.data.events, [])
    await add('B')
    assert.deepEqual(
      (await readFeed(client)).map(({ position }) => position),
      [all.length, all.length + 1],
    )
  })

  it('is bounded in bytes, and leads on', async () => {
    const { client, page, newest } = await shop()
    const lineItems = Array.from({ length: 50 }, (_, n) => ({
      name: `${n}`,
      description: 'y'.repeat(1_800),
      unitPrice: 1,
    }))
    for (let n = 0; n < 12; n++) {
      const { status, body } = await client.post('/quotes', { customerName: 'Amara', lineItems })
      assert.equal(status, 201, JSON.stringify(body))
    }
    await newest()
    const first = await page('type=quote.created&limit=100')
    assert.ok(first.events.length > 2 && first.events.length < 12, String(first.events.length))
    assert.equal(first.pagination.hasMore, true)
    assert.equal(first.pagination.nextCursor, first.events.at(-1).id)
    assert.equal((await readFeed(client, '&type=quote.created')).length, 12)
  })
})

describe('who may read what', () => {
  it('events need the scope of their record besides that of events; positions show that something was left out', async () => {
    const { client, add, newest } = await shop()
    const customerId = await add('A')
    await client.post('/tickets', { customerId })
    await newest()
    const reader = await here.client(client.orgId, { scopes: ['events:read', 'tickets:read'] })
    const seen = await readFeed(reader)
    assert.ok(seen.length > 0 && seen.every(({ resource }) => /^tickets/.test(resource)), typesOf(seen).join())
    const all = await readFeed(client)
    assert.deepEqual(
      seen.map(({ position }) => position),
      all.filter(({ resource }) => /^tickets(?!\/messages)/.test(resource)).map(({ position }) => position),
    )
    const customer = all.find(({ type }) => type === 'customer.created')!
    const { status, body } = await reader.get(`/events/${customer.id}`)
    assert.deepEqual(
      [status, body.code, body.requiredScopes],
      [403, 'insufficient_scope', ['events:read', 'customers:read']],
    )
    assert.deepEqual((await client.get(`/events/${customer.id}`)).body.data, customer)
    assert.equal((await client.get('/events/chg_absent')).status, 404)
    const last = await reader.get('/events?startAfter=latest')
    assert.equal(last.body.data.pagination.nextCursor, all.at(-1)!.id, 'a reader goes on also past what it may not see')
    const outsider = await here.client(client.orgId, { scopes: ['tickets:read'] })
    assert.equal((await outsider.get('/events')).status, 403)
  })

  it('an event of another organisation is not found, and no cursor', async () => {
    const [mine, other] = [await shop(), await shop()]
    await other.add('Other')
    const theirs = (await readFeed(other.client)).at(-1)!
    assert.equal((await mine.client.get(`/events/${theirs.id}`)).status, 404)
    assert.equal((await mine.client.get(`/events?startAfter=${theirs.id}`)).status, 400)
    assert.deepEqual((await mine.page(`recordId=${theirs.recordId}`)).events, [])
  })

  it('a share link is told without its address', async () => {
    const { client, told } = await shop()
    const { id } = (
      await client.post('/quotes', { customerName: 'Amara', lineItems: [{ name: 'Labour', unitPrice: 5 }] })
    ).body.data
    await client.post(`/quotes/${id}/share-link`)
    const [event] = await told(() => client.put(`/quotes/${id}`, { title: 'Oven' }))
    assert.equal(event!.data.shareLink.url, null)
    const { data } = (await client.get(`/quotes/${id}`)).body
    assert.deepEqual({ ...event!.data, shareLink: null }, { ...data, shareLink: null })
  })
})
