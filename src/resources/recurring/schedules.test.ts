// Recurring schedules over HTTP: what they take, how they are paused, resumed, ended and deleted.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { untilWaiting } from '../../../test/lock-waits.ts'
import { agreement, inDays } from '../../../test/recurring.ts'
import { startTestService } from '../../../test/test-service.ts'
import { addMember, updateMember } from '../../identity/members.ts'
import { runRecurring } from '../../worker/recurring.ts'

const { organisation, database } = await startTestService()
const client = await organisation()
const vault = { encrypt: (text: string) => text, decrypt: (text: string) => text } as never

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
type Any = any
const statusesOf = (visits: Any[]) => visits.map(({ status }) => status)

describe('a new schedule', () => {
  it('takes the time zone of the organisation, an hour and thirty days, and generates nothing by itself', async () => {
    const created = await (await agreement(client, { timeZone: undefined })).get()
    assert.deepEqual(
      [
        created.timeZone,
        created.durationMinutes,
        created.horizonDays,
        created.status,
        created.generatedCount,
        created.generatedThrough,
      ],
      ['Europe/London', 60, 30, 'active', 0, null],
    )
    assert.equal(created.nextOccurrenceAt, created.startsAt)
    const { tickets } = (await client.get(`/tickets?customerId=${created.customerId}`)).body.data
    assert.deepEqual(tickets, [])
  })

  const refused: readonly [what: string, fields: object, status: number, error: string][] = [
    ['no customer', { customerId: undefined }, 400, 'customerId is required'],
    ['a customer there is not', { customerId: 'cus_none' }, 404, 'Customer not found'],
    ['no start', { startsAt: undefined }, 400, 'startsAt is required'],
    ['a start without an offset', { startsAt: '2027-01-01T09:00:00' }, 400, 'startsAt must be an ISO 8601 date-time'],
    ['no rule', { rrule: undefined }, 400, 'rrule is required'],
    ['no title', { serviceRequired: undefined }, 400, 'serviceRequired is required'],
    ['a rule beyond the subset', { rrule: 'FREQ=MONTHLY;BYSETPOS=1' }, 400, 'rrule uses an unsupported part: BYSETPOS'],
    ['no rule at all', { rrule: 'weekly' }, 400, 'rrule must be parts such as'],
    ['a zone there is not', { timeZone: 'Mars/One' }, 400, 'timeZone must be an IANA time zone'],
    ['a minute', { durationMinutes: 4 }, 400, 'durationMinutes must be at least 5'],
    ['a horizon of two years', { horizonDays: 366 }, 400, 'horizonDays must be at most 365'],
    ['a preset there is not', { presetId: 'pre_none' }, 400, 'presetId does not exist'],
    ['a device there is not', { deviceId: 'dev_none' }, 400, 'deviceId does not exist'],
    ['a station there is not', { stationId: 'stn_none' }, 400, 'stationId does not exist'],
    ['a member there is not', { assignedTechnician: 'mem_none' }, 400, 'assignedTechnician does not exist'],
    ['a line with an unknown key', { lineItems: [{ name: 'A', foo: 1 }] }, 400, 'lineItems[0].foo is not allowed'],
    ['a line without a name', { lineItems: [{ name: 'A' }, {}] }, 400, 'lineItems[1].name is required'],
    ['a line of nothing', { lineItems: [{ name: 'A', quantity: 0 }] }, 400, 'lineItems[0].quantity must be greater'],
    [
      'a line of a service there is not',
      { lineItems: [{ serviceId: 'x' }] },
      400,
      'lineItems[0].serviceId does not exist',
    ],
    [
      'a line with an unknown rate',
      { lineItems: [{ name: 'A', taxRateId: 'x' }] },
      400,
      'lineItems[0].taxRateId does not',
    ],
    ['51 lines', { lineItems: Array(51).fill({ name: 'A' }) }, 400, 'lineItems must have at most 50 entries'],
  ]
  for (const [what, fields, expected, error] of refused) {
    it(`refuses ${what}`, async () => {
      const { id: customerId } = (await client.post('/customers', { firstName: 'Amara' })).body.data
      const { status, body } = await client.post('/recurring-schedules', {
        ...{ customerId, startsAt: inDays(1), rrule: 'FREQ=WEEKLY', serviceRequired: 'Service' },
        ...fields,
      })
      assert.equal(status, expected, JSON.stringify(body))
      assert.ok(body.error.startsWith(error), body.error)
    })
  }

  it('refuses references into another organisation', async () => {
    const other = await organisation()
    const theirs = await agreement(other)
    const { id: deviceId } = (await other.post(`/customers/${theirs.customerId}/devices`, { brand: 'X' })).body.data
    const { id: serviceId } = (await other.post('/services', { name: 'Theirs' })).body.data
    const { id: presetId } = (await other.post('/recurring-presets', { name: 'Theirs' })).body.data
    const { id: customerId } = (await client.post('/customers', { firstName: 'Amara' })).body.data
    const base = { customerId, startsAt: inDays(1), rrule: 'FREQ=WEEKLY', serviceRequired: 'Service' }
    for (const [field, expected] of [
      [{ deviceId }, 400],
      [{ lineItems: [{ serviceId }] }, 400],
      [{ presetId }, 400],
      [{ customerId: theirs.customerId }, 404],
    ] as const) {
      assert.equal((await client.post('/recurring-schedules', { ...base, ...field })).status, expected)
    }
  })

  it('copies what a preset has and the body has not, without a link', async () => {
    const { id: presetId } = (
      await client.post('/recurring-presets', {
        name: 'Boiler',
        rrule: 'freq=yearly',
        durationMinutes: 90,
        serviceRequired: 'Boiler service',
        lineItems: [{ name: 'Labour', unitPrice: 80 }],
      })
    ).body.data
    const { id: customerId } = (await client.post('/customers', { firstName: 'Amara' })).body.data
    const created = (
      await client.post('/recurring-schedules', {
        customerId,
        startsAt: inDays(1),
        presetId,
        serviceRequired: 'Boiler',
      })
    ).body.data
    assert.deepEqual(
      [created.rrule, created.durationMinutes, created.horizonDays, created.serviceRequired, created.lineItems[0].name],
      ['FREQ=YEARLY', 90, 30, 'Boiler', 'Labour'],
    )
    await client.put(`/recurring-presets/${presetId}`, { durationMinutes: 30 })
    assert.equal((await client.get(`/recurring-schedules/${created.id}`)).body.data.durationMinutes, 90)
    assert.equal((await client.delete(`/recurring-presets/${presetId}`)).status, 200)
  })

  it('can be written back as it was read', async () => {
    const { id: serviceId } = (await client.post('/services', { name: 'Deep clean', price: 40 })).body.data
    const created = await agreement(client, { lineItems: [{ serviceId }, { name: 'Travel', taxRateId: null }] })
    await client.delete(`/services/${serviceId}`)
    const { status, body } = await created.put(await created.get())
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(body.data.lineItems, (await created.get()).lineItems)
  })
})

describe('a preset', () => {
  it('is listed by name, changed and deleted', async () => {
    const shop = await organisation()
    for (const name of ['beta', 'Alpha']) await shop.post('/recurring-presets', { name })
    const { recurringPresets } = (await shop.get('/recurring-presets')).body.data
    assert.deepEqual(
      recurringPresets.map(({ name }: Any) => name),
      ['Alpha', 'beta'],
    )
    const path = `/recurring-presets/${recurringPresets[0].id}`
    assert.equal((await shop.put(path, { rrule: 'FREQ=SECONDLY' })).status, 400)
    assert.equal((await shop.put(path, { rrule: 'FREQ=DAILY' })).body.data.rrule, 'FREQ=DAILY')
    assert.equal((await shop.post('/recurring-presets', {})).body.error, 'name is required')
    assert.equal(
      (await shop.put(path, { lineItems: [{ name: 'A', foo: 1 }] })).body.error,
      'lineItems[0].foo is not allowed',
    )
  })
})

describe('a list of schedules', () => {
  it('comes newest first and can be narrowed by customer and status', async () => {
    const shop = await organisation()
    const [first, second] = [await agreement(shop), await agreement(shop)]
    await first.act('pause')
    const ids = async (query: string) =>
      (await shop.get(`/recurring-schedules${query}`)).body.data.recurringSchedules.map(({ id }: Any) => id)
    assert.deepEqual(await ids(''), [second.id, first.id])
    assert.deepEqual(await ids(`?customerId=${first.customerId}`), [first.id])
    assert.deepEqual(await ids('?status=paused'), [first.id])
    assert.equal((await shop.get('/recurring-schedules?status=asleep')).status, 400)
  })
})

describe('a pause', () => {
  it('stops generation, keeps what is there, and is a no-op when repeated', async () => {
    const created = await agreement(client)
    await created.act('generate')
    const { body } = await created.act('pause')
    assert.equal(body.data.status, 'paused')
    const again = await created.act('pause', { until: inDays(3) })
    assert.deepEqual([again.status, again.body.data.resumesAt], [200, null])
    const refusal = await created.act('generate')
    assert.deepEqual([refusal.status, refusal.body.error], [400, 'The schedule is paused'])
    assert.equal((await created.get()).generatedCount, 5)
  })

  it('that begins while somebody generates is waited for, and nothing is generated', async () => {
    const shop = await organisation()
    const created = await agreement(shop)
    const pausing = await database.connect()
    await pausing.query(`begin; update recurring_schedules set status = 'paused', paused_at = now()
      where org_id = '${shop.orgId}' and id = '${created.id}'`)
    const generating = created.act('generate')
    await untilWaiting(database, '%recurring_schedules%', generating)
    await pausing.query('commit')
    await pausing.end()
    const { status, body } = await generating
    assert.deepEqual([status, body.error], [400, 'The schedule is paused'])
    assert.equal((await created.get()).generatedCount, 0)
  })

  it('must not end in the past', async () => {
    const { status, body } = await (await agreement(client)).act('pause', { until: inDays(-1) })
    assert.deepEqual([status, body.error], [400, 'until must be in the future'])
  })

  it('makes visits that pass meanwhile skipped, by itself when its time comes', async () => {
    const created = await agreement(client, { rrule: 'FREQ=DAILY', horizonDays: 2 })
    await created.act('pause', { until: inDays(3, 5) })
    assert.equal((await runRecurring(database, { orgId: client.orgId, now: new Date(inDays(2)) })).resumed, 0)
    const run = await runRecurring(database, { orgId: client.orgId, now: new Date(inDays(4)) })
    assert.equal(run.resumed, 1)
    const visits = (await created.occurrences()).slice(0, 8)
    assert.deepEqual(statusesOf(visits), [
      ...Array(3).fill('skipped'),
      ...Array(3).fill('generated'),
      'planned',
      'planned',
    ])
    assert.equal(visits[0].skipReason, 'paused')
    const now = await created.get()
    assert.deepEqual([now.status, now.pausedAt, now.resumesAt], ['active', null, null])
  })

  it('ends when somebody resumes it, and resuming again changes nothing', async () => {
    const created = await agreement(client)
    await created.act('pause')
    assert.equal((await created.act('resume')).body.data.status, 'active')
    assert.equal((await created.act('resume')).status, 200)
    assert.deepEqual(statusesOf((await created.occurrences()).slice(0, 2)), ['planned', 'planned'])
  })
})

describe('an end', () => {
  it('deletes the jobs that nobody has begun, keeps the others, and is final', async () => {
    const created = await agreement(client)
    await created.act('generate')
    const started = await created.job(1)
    await client.post(`/tickets/${started.id}/messages`, { text: 'Parts ordered' })
    assert.deepEqual((await created.act('end')).body.data, { removed: 4, kept: 1 })
    const now = await created.get()
    assert.deepEqual([now.status, now.generatedCount, now.nextOccurrenceAt], ['ended', 1, started.scheduledFrom])
    assert.deepEqual(statusesOf(await created.occurrences()), [
      'cancelled',
      'generated',
      'cancelled',
      'cancelled',
      'cancelled',
    ])
    assert.equal((await client.get(`/tickets/${started.id}`)).status, 200)
    assert.equal((await client.get(`/tickets?customerId=${created.customerId}`)).body.data.tickets.length, 1)
    assert.deepEqual((await created.act('end')).body.data, { removed: 0, kept: 0 })
    for (const action of ['pause', 'resume', 'generate', 'resync']) {
      const { status, body } = await created.act(action)
      assert.deepEqual([action, status, body.error], [action, 400, 'The schedule has ended'])
      assert.equal(body.code, 'SCHEDULE_ENDED')
    }
    const shape = await created.put({ rrule: 'FREQ=DAILY' }, '?resync=thisAndFuture')
    assert.deepEqual([shape.status, shape.body.error], [400, 'The schedule has ended'])
    assert.equal((await created.put({ name: 'Over' })).status, 200)
  })

  it('in the future keeps every visit until then', async () => {
    const created = await agreement(client, { horizonDays: 1 })
    const { body } = await created.act('end', { endsAt: inDays(16) })
    assert.deepEqual(body.data, { removed: 0, kept: 0 })
    assert.deepEqual(statusesOf(await created.occurrences()), ['generated', 'generated', 'generated'])
    assert.equal((await (await agreement(client)).act('end', { endsAt: inDays(400) })).status, 400)
  })

  it('of a paused schedule leaves nothing planned, of an earlier shape either', async () => {
    const created = await agreement(client, { horizonDays: 1 })
    await created.act('generate', { through: inDays(2) })
    await created.put({ startsAt: inDays(20), rrule: 'FREQ=DAILY' }, '?resync=thisAndFuture')
    await created.act('pause')
    assert.equal((await created.act('end', { endsAt: inDays(16) })).status, 200)
    assert.deepEqual(statusesOf(await created.occurrences()), ['generated', 'cancelled', 'cancelled'])
  })

  it('comes by itself once the last visit is over, not before', async () => {
    const created = await agreement(client, { rrule: 'FREQ=WEEKLY;COUNT=2' })
    const run = (days: number) => runRecurring(database, { orgId: client.orgId, now: new Date(inDays(days)) })
    await run(0)
    assert.deepEqual([(await created.get()).status, (await created.get()).generatedCount], ['active', 2])
    await run(8)
    assert.equal((await created.get()).status, 'active', 'the last visit is under way')
    await run(9)
    assert.equal((await created.get()).status, 'ended')
    assert.equal((await created.get()).generatedCount, 2)
  })
})

describe('a deletion', () => {
  it('is possible until a visit has a job', async () => {
    const created = await agreement(client)
    await created.visit(3, 'skip')
    assert.equal((await client.delete(created.path)).status, 200)
    assert.equal((await client.get(created.path)).status, 404)
    const used = await agreement(client)
    await used.act('generate')
    const { status, body } = await client.delete(used.path)
    assert.deepEqual([status, body.code], [409, 'SCHEDULE_IN_USE'])
    for (const { ticketId } of await used.occurrences(`&to=${inDays(30)}`)) await client.delete(`/tickets/${ticketId}`)
    assert.equal((await client.delete(used.path)).status, 200)
  })

  it('of the customer ends the schedule', async () => {
    const created = await agreement(client)
    await created.act('generate')
    assert.equal((await client.delete(`/customers/${created.customerId}`)).status, 200)
    const now = await created.get()
    assert.deepEqual([now.status, now.customerId, now.generatedCount, now.nextOccurrenceAt], ['ended', null, 0, null])
    assert.deepEqual(statusesOf(await created.occurrences()), Array(5).fill('cancelled'))
    assert.equal((await client.delete(created.path)).status, 200)
  })

  it('of the customer and generation at the same moment leave no job behind', async () => {
    for (let round = 0; round < 5; round++) {
      const created = await agreement(client, { rrule: 'FREQ=DAILY' })
      const [, deletion] = await Promise.all([
        created.act('generate'),
        client.delete(`/customers/${created.customerId}`),
        runRecurring(database, { orgId: client.orgId }),
      ])
      assert.equal(deletion.status, 200)
      const now = await created.get()
      assert.deepEqual([now.status, now.generatedCount], ['ended', 0])
    }
  })
})

describe('a template', () => {
  it('outlives those it names: a technician who left, a service that is sold no more', async () => {
    const shop = await organisation()
    const member = await database.transaction('test', (transaction) =>
      addMember(transaction, vault, shop.orgId, { email: `t${Date.now()}@staff.example`, firstName: 'Tomasz' }),
    )
    const { id: serviceId } = (await shop.post('/services', { name: 'Deep clean', price: 40 })).body.data
    const created = await agreement(shop, {
      assignedTechnician: member.id,
      lineItems: [{ serviceId, unitPrice: 35 }],
    })
    await created.act('generate', { through: inDays(2) })
    assert.equal((await created.job(0)).assignedTechnician, member.id)
    await updateMember(database, shop.orgId, member.id, { isActive: false, role: null })
    await shop.delete(`/services/${serviceId}`)
    await created.act('generate', { through: inDays(9) })
    const job = await created.job(1)
    assert.equal(job.assignedTechnician, null)
    const { services } = (await shop.get(`/tickets/${job.id}/services`)).body.data
    assert.deepEqual([services[0].name, services[0].unitPrice, services[0].serviceId], ['Deep clean', 35, null])
  })
})
