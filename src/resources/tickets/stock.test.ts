// What a line took from stock is what goes back, whatever becomes of `trackStock` in between.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Client, startTestService } from '../../../test/test-service.ts'
import { sql } from '../../db/database.ts'
import { dayMs } from '../../domain/durations.ts'

const { organisation, database } = await startTestService()

const create = async (client: Client, path: string, body: object) => {
  const { status, body: answer } = await client.post(path, body)
  assert.equal(status, 201, JSON.stringify(answer))
  return answer.data
}
const change = async (client: Client, path: string, body: object) => {
  const { status, body: answer } = await client.put(path, body)
  assert.equal(status, 200, JSON.stringify(answer))
}
const remove = async (client: Client, path: string) => assert.equal((await client.delete(path)).status, 200)
const onHand = async (client: Client, itemId: string): Promise<number> =>
  (await client.get(`/inventory/${itemId}`)).body.data.quantityOnHand

async function shopWithPart() {
  const shop = await organisation()
  const { id: itemId } = await create(shop, '/inventory', { name: 'Screen', quantityOnHand: 10 })
  const { id: ticketId } = await create(shop, '/tickets', { customerName: 'Ada' })
  const lines = `/tickets/${ticketId}/inventory`
  const use = async (quantity: number): Promise<string> =>
    (await create(shop, lines, { inventoryItemId: itemId, quantity })).id
  const track = (trackStock: boolean) => change(shop, `/inventory/${itemId}`, { trackStock })
  return { shop, itemId, ticketId, lines, use, track }
}

describe('parts on a job', () => {
  test('that were not counted off are not given back once the item is tracked', async () => {
    const { shop, itemId, lines, use, track } = await shopWithPart()
    await track(false)
    const line = await use(4)
    await track(true)
    await change(shop, `${lines}/${line}`, { quantity: 3 })
    await remove(shop, `${lines}/${line}`)
    assert.equal(await onHand(shop, itemId), 10)
  })

  test('that were counted off go back though the item is tracked no longer', async () => {
    const { shop, itemId, ticketId, lines, use, track } = await shopWithPart()
    const [line] = [await use(4), await use(2)]
    await track(false)
    await change(shop, `${lines}/${line}`, { quantity: 1 })
    assert.equal(await onHand(shop, itemId), 7)
    await remove(shop, `${lines}/${line}`)
    await remove(shop, `/tickets/${ticketId}`)
    assert.equal(await onHand(shop, itemId), 10)
  })

  test('are judged anew when a line is given another item', async () => {
    const { shop, itemId, lines, use, track } = await shopWithPart()
    const { id: otherId } = await create(shop, '/inventory', { name: 'Glue', quantityOnHand: 5, trackStock: false })
    const line = await use(4)
    await change(shop, `${lines}/${line}`, { inventoryItemId: otherId })
    assert.deepEqual([await onHand(shop, itemId), await onHand(shop, otherId)], [10, 5])
    await track(false)
    await change(shop, `${lines}/${line}`, { inventoryItemId: itemId })
    await remove(shop, `${lines}/${line}`)
    assert.deepEqual([await onHand(shop, itemId), await onHand(shop, otherId)], [10, 5])
  })

  test('that a schedule wrote go back when it writes them anew, or their jobs and their customer go', async () => {
    const { shop, itemId, track } = await shopWithPart()
    const { id: customerId } = await create(shop, '/customers', { firstName: 'Ada' })
    const { id: scheduleId } = await create(shop, '/recurring-schedules', {
      customerId,
      startsAt: new Date(Date.now() + dayMs).toISOString(),
      rrule: 'FREQ=WEEKLY;COUNT=3',
      serviceRequired: 'Filters',
      lineItems: [{ kind: 'inventory', inventoryItemId: itemId, quantity: 2 }],
    })
    const schedule = `/recurring-schedules/${scheduleId}`
    await shop.post(`${schedule}/generate`)
    const { tickets } = (await shop.get('/tickets?limit=100')).body.data
    const jobs = tickets.filter((one: { recurringScheduleId: string | null }) => one.recurringScheduleId === scheduleId)
    assert.ok(jobs.length > 0)
    assert.equal(await onHand(shop, itemId), 10 - 2 * jobs.length)
    await track(false)
    assert.equal((await shop.post(`${schedule}/resync`)).status, 200)
    assert.equal(await onHand(shop, itemId), 10, 'what is written anew is not counted any more')
    await track(true)
    await remove(shop, `/tickets/${jobs[0].id}`)
    await remove(shop, `/customers/${customerId}`)
    assert.equal(await onHand(shop, itemId), 10)
  })

  test('that are used, given back and tracked or not at the same moment leave a stock that agrees with the lines', async () => {
    const { shop, itemId, lines, use, track } = await shopWithPart()
    const before = await Promise.all(Array.from({ length: 6 }, () => use(1)))
    await Promise.all([
      ...Array.from({ length: 6 }, (_, index) => track(index % 2 === 0)),
      ...Array.from({ length: 6 }, () => use(2)),
      ...before.map((line) => remove(shop, `${lines}/${line}`)),
    ])
    const [held] = await database.query<{ quantity: number }>(sql`
      select coalesce(sum(quantity), 0)::int as quantity from inventory_lines
      where org_id = ${shop.orgId} and inventory_item_id = ${itemId} and is_from_stock`)
    assert.equal(await onHand(shop, itemId), 10 - held!.quantity)
    for (const { id } of (await shop.get(lines)).body.data.inventory) await remove(shop, `${lines}/${id}`)
    assert.equal(await onHand(shop, itemId), 10)
  })
})

interface Line {
  readonly id: string
  readonly job: number
  item: number
  quantity: number
  isFromStock: boolean
}

test('whatever is done to lines, jobs, customers and items, the stock is what it began with without what lines took', async () => {
  const act = fc.record({
    what: fc.constantFrom(
      ...(['use', 'use', 'quantity', 'item', 'return', 'track', 'count', 'job', 'customer'] as const),
    ),
    job: fc.nat(1),
    item: fc.nat(1),
    pick: fc.nat(9),
    quantity: fc.integer({ min: 1, max: 40 }).map((quarters) => quarters / 4),
  })
  const shop = await organisation()
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 25 }), async (acts) => {
      const items = await Promise.all(
        [true, false].map(async (trackStock) => {
          const { id } = await create(shop, '/inventory', { name: 'Part', quantityOnHand: 10, trackStock })
          return { id: id as string, isTracked: trackStock, counted: 10 }
        }),
      )
      const newJob = async () => {
        const { id: customerId } = await create(shop, '/customers', { firstName: 'Ada' })
        const { id } = await create(shop, '/tickets', { customerId })
        return { id: id as string, customerId: customerId as string }
      }
      const jobs = [await newJob(), await newJob()]
      let lines: Line[] = []
      for (const { what, job, item: place, pick, quantity } of acts) {
        const item = items[place]!
        const line = lines[pick % Math.max(1, lines.length)]
        const path = line && `/tickets/${jobs[line.job]!.id}/inventory/${line.id}`
        if (what === 'use') {
          const body = { inventoryItemId: item.id, quantity }
          const { id } = await create(shop, `/tickets/${jobs[job]!.id}/inventory`, body)
          lines.push({ id, job, item: place, quantity, isFromStock: item.isTracked })
        } else if (what === 'track') {
          item.isTracked = !item.isTracked
          await change(shop, `/inventory/${item.id}`, { trackStock: item.isTracked })
        } else if (what === 'count') {
          item.counted += quantity
          await change(shop, `/inventory/${item.id}`, { quantityDelta: quantity })
        } else if (what === 'job' || what === 'customer') {
          const { id, customerId } = jobs[job]!
          await remove(shop, what === 'job' ? `/tickets/${id}` : `/customers/${customerId}?cascade=true`)
          lines = lines.filter((one) => one.job !== job)
          jobs[job] = await newJob()
        } else if (!line || !path) continue
        else if (what === 'quantity') {
          line.quantity = quantity
          await change(shop, path, { quantity })
        } else if (what === 'item') {
          if (line.item !== place) line.isFromStock = item.isTracked
          line.item = place
          await change(shop, path, { inventoryItemId: item.id })
        } else {
          await remove(shop, path)
          lines = lines.filter((one) => one !== line)
        }
        for (const [index, { id, counted }] of items.entries()) {
          const taken = lines.filter((one) => one.item === index && one.isFromStock)
          const expected = counted - taken.reduce((sum, one) => sum + one.quantity, 0)
          assert.equal(await onHand(shop, id), expected, what)
        }
      }
    }),
    { numRuns: 15, endOnFailure: true },
  )
})
