// Stations through HTTP: their order, what fits on them, and when one can be deleted.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { isWaitingForLock } from '../../test/lock-waits.ts'
import { type Client, type Reply, startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'

const { organisation, database } = await startTestService()

const station = async (shop: Client, body: object = {}): Promise<string> =>
  (await shop.post('/stations', { name: 'Bench', ...body })).body.data.id
const namesIn = ({ body }: Reply): string[] => body.data.stations.map(({ name }: { name: string }) => name)

let jobs = 0
/** A job in the built-in status of that name. */
async function job({ orgId }: Client, stationId: string | null, status: string): Promise<string> {
  const id = `tic_${++jobs}`
  await database.query(sql`
    insert into tickets (org_id, id, ticket_number, status_id, station_id)
    select org_id, ${id}, ${jobs}, id, ${stationId} from ticket_statuses where org_id = ${orgId} and name = ${status}`)
  return id
}
const stationOf = async ({ orgId }: Client, jobId: string) => {
  const [found] = await database.query<{ station_id: string | null }>(
    sql`select station_id from tickets where org_id = ${orgId} and id = ${jobId}`,
  )
  return found!.station_id
}

describe('creating and changing', () => {
  test('answers 201 with every field', async () => {
    const shop = await organisation()
    const { status, body } = await shop.post('/stations', { name: ' Bench 1 ', activeJobCount: 7 })
    const { id, createdAt, updatedAt, ...rest } = body.data
    assert.equal(status, 201)
    assert.match(id, /^sta_/)
    assert.equal(updatedAt, createdAt)
    assert.deepEqual(rest, { name: 'Bench 1', index: 0, capacity: 1, activeJobCount: 0, isOverCapacity: false })
    assert.deepEqual((await shop.get(`/stations/${id}`)).body.data, body.data)
  })

  test('one holds one job unless it is told otherwise, and null is any number', async () => {
    const shop = await organisation()
    const capacityOf = async (body: object) =>
      (await shop.post('/stations', { name: 'Bay', ...body })).body.data.capacity
    assert.deepEqual(
      [await capacityOf({}), await capacityOf({ capacity: 3 }), await capacityOf({ capacity: null })],
      [1, 3, null],
    )
    const id = await station(shop, { capacity: 4 })
    assert.equal((await shop.put(`/stations/${id}`, { name: 'Van' })).body.data.capacity, 4)
    assert.equal((await shop.put(`/stations/${id}`, { capacity: null })).body.data.capacity, null)
  })

  test('names the field and the reason when it refuses', async () => {
    const shop = await organisation()
    const refusals: [object, string][] = [
      [{}, 'name is required'],
      [{ name: 'A'.repeat(121) }, 'name must be at most 120 characters'],
      [{ name: 'A', capacity: 0 }, 'capacity must be at least 1'],
      [{ name: 'A', capacity: 1.5 }, 'capacity must be an integer or null'],
      [{ name: 'A', capacity: 2 ** 31 }, 'capacity must be at most 2147483647'],
      [{ name: 'A', index: -1 }, 'index must be at least 0'],
      [{ name: 'A', index: '1' }, 'index must be an integer'],
      [{ name: 'A', index: null }, 'index must be an integer'],
    ]
    for (const [given, reason] of refusals) {
      const { status, body } = await shop.post('/stations', given)
      assert.deepEqual([status, body], [400, { success: false, error: reason }])
    }
    assert.deepEqual(namesIn(await shop.get('/stations')), [], 'nothing was stored')
  })

  test('the five hundred and first is refused', async () => {
    const shop = await organisation()
    await database.query(sql`
      insert into stations (org_id, id, name, index)
      select ${shop.orgId}, 'sta_' || n, 'Bench', n from generate_series(1, 499) n`)
    const last = await station(shop)
    const { status, body } = await shop.post('/stations', { name: 'One more' })
    assert.deepEqual([status, body.error], [400, 'There can be at most 500 stations'])
    const list = (await shop.get('/stations')).body.data
    assert.equal(list.stations.length, 500)
    assert.deepEqual(list.pagination, { limit: 500, hasMore: false, nextCursor: null })
    await shop.delete(`/stations/${last}`)
    assert.equal((await shop.post('/stations', { name: 'One more' })).status, 201)
    assert.equal((await (await organisation()).post('/stations', { name: 'Elsewhere' })).status, 201)
  })
})

describe('their order', () => {
  test('goes by index, and a new one comes last', async () => {
    const shop = await organisation()
    await station(shop, { name: 'C', index: 7 })
    await station(shop, { name: 'A', index: 0 })
    await station(shop, { name: 'B', index: 0 })
    assert.equal((await shop.post('/stations', { name: 'D' })).body.data.index, 8)
    assert.deepEqual(namesIn(await shop.get('/stations')), ['A', 'B', 'C', 'D'])
  })

  test('has a last place that others can share', async () => {
    const shop = await organisation()
    await station(shop, { index: 2_147_483_647 })
    assert.equal((await shop.post('/stations', { name: 'After' })).body.data.index, 2_147_483_647)
  })
})

test('counts the jobs that are not closed and says when they are too many', async () => {
  const shop = await organisation()
  const id = await station(shop, { capacity: 1 })
  const load = async () => {
    const { activeJobCount, isOverCapacity } = (await shop.get(`/stations/${id}`)).body.data
    return [activeJobCount, isOverCapacity]
  }
  await job(shop, id, 'Closed')
  await job(shop, null, 'Open')
  await job(shop, await station(shop), 'Open')
  assert.deepEqual(await load(), [0, false])
  await job(shop, id, 'Open')
  assert.deepEqual(await load(), [1, false])
  await job(shop, id, 'In Progress')
  assert.deepEqual(await load(), [2, true])
  const [listed] = (await shop.get('/stations')).body.data.stations
  assert.deepEqual([listed.activeJobCount, listed.isOverCapacity], [2, true])
  assert.equal((await shop.put(`/stations/${id}`, { capacity: 2 })).body.data.isOverCapacity, false)
  assert.equal((await shop.put(`/stations/${id}`, { capacity: null })).body.data.isOverCapacity, false)
})

describe('deleting', () => {
  test('is refused while an active job is assigned', async () => {
    const shop = await organisation()
    for (const status of ['Open', 'In Progress']) {
      const id = await station(shop)
      const jobId = await job(shop, id, status)
      const { status: code, body } = await shop.delete(`/stations/${id}`)
      assert.deepEqual([code, body.code], [409, 'STATION_IN_USE'])
      assert.equal(await stationOf(shop, jobId), id)
    }
  })

  test('takes the station off closed jobs', async () => {
    const shop = await organisation()
    const id = await station(shop)
    const jobId = await job(shop, id, 'Closed')
    const { status, body } = await shop.delete(`/stations/${id}`)
    assert.deepEqual([status, body.data], [200, { message: 'Station deleted', id }])
    assert.equal(await stationOf(shop, jobId), null)
    assert.equal((await shop.get(`/stations/${id}`)).body.error, 'Station not found')
    assert.equal((await shop.delete(`/stations/${id}`)).status, 404)
  })

  test('waits for an assignment that is under way, and is then refused', async () => {
    const shop = await organisation()
    const id = await station(shop)
    const jobId = await job(shop, null, 'Open')
    const deletion = await database.transaction('test', async (transaction) => {
      await transaction.query(sql`update tickets set station_id = ${id} where org_id = ${shop.orgId} and id = ${jobId}`)
      const pending = shop.delete(`/stations/${id}`)
      await someoneWaits()
      return { pending }
    })
    assert.equal((await deletion.pending).body.code, 'STATION_IN_USE')
    assert.equal(await stationOf(shop, jobId), id)
  })
})

/** Until a statement waits for a lock on a station. */
async function someoneWaits(): Promise<void> {
  while (!(await isWaitingForLock(database, '%from%stations%'))) await delay(10)
}
