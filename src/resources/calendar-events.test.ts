// The calendar through HTTP: one schedule with the job, at most one event for each, overlaps, whole days.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Client, type Reply, startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { dayMs, hourMs } from '../domain/durations.ts'
import { newId } from '../operations/ids.ts'

const { organisation, database } = await startTestService()

const create = async (client: Client, path: string, body: object) => {
  const { status, body: answer } = await client.post(path, body)
  assert.equal(status, 201, JSON.stringify(answer))
  return answer.data
}
const refusalOf = (reply: Reply) => [reply.status, reply.body.code ?? reply.body.error]
const nine = { from: '2026-11-16T09:00:00.000Z', to: '2026-11-16T10:00:00.000Z' }
const jobOf = async (shop: Client, id: string) => (await shop.get(`/tickets/${id}`)).body.data

test('an event of its own is kept as given', async () => {
  const shop = await organisation()
  const event = await create(shop, '/calendar-events', {
    title: 'Stocktaking',
    ...nine,
    location: 'Shop',
    notes: 'All hands',
  })
  assert.deepEqual(
    [event.from, event.to, event.allDay, event.ticketId, event.recurringScheduleId],
    [nine.from, nine.to, false, null, null],
  )
  const changed = (await shop.put(`/calendar-events/${event.id}`, { to: '2026-11-16T12:00:00+01:00', location: null }))
    .body.data
  assert.deepEqual([changed.to, changed.location, changed.notes], ['2026-11-16T11:00:00.000Z', null, 'All hands'])
  assert.equal((await shop.delete(`/calendar-events/${event.id}`)).status, 200)
  assert.equal((await shop.get(`/calendar-events/${event.id}`)).status, 404)
})

test('refuses by name', async () => {
  const shop = await organisation()
  const wrong: [object, number, string][] = [
    [nine, 400, 'title is required'],
    [{ title: 'A', from: nine.from }, 400, 'to is required'],
    [{ title: 'A', from: nine.from, to: nine.from }, 400, 'to must be after from'],
    [{ title: 'A', ...nine, assignedToId: 'none' }, 400, 'assignedToId does not exist'],
    [{ title: 'A', ...nine, ticketId: 'none' }, 404, 'Job not found'],
  ]
  for (const [body, status, error] of wrong)
    assert.deepEqual(refusalOf(await shop.post('/calendar-events', body)), [status, error])
  assert.equal((await shop.get('/calendar-events?from=2026-11-15')).status, 400)
})

test("an event of a job writes the job's schedule, and its end takes it away", async () => {
  const shop = await organisation()
  const job = await create(shop, '/tickets', { customerName: 'A', serviceRequired: 'Boiler' })
  const event = await create(shop, '/calendar-events', { ...nine, ticketId: job.id })
  assert.equal(event.title, '#1 Boiler')
  const booked = await jobOf(shop, job.id)
  assert.deepEqual([booked.scheduledFrom, booked.scheduledTo, booked.calendarEventId], [nine.from, nine.to, event.id])
  await shop.put(`/calendar-events/${event.id}`, { title: 'Our own', to: '2026-11-16T11:00:00Z' })
  assert.equal((await jobOf(shop, job.id)).scheduledTo, '2026-11-16T11:00:00.000Z')
  await shop.put(`/tickets/${job.id}`, { serviceRequired: 'Stove' })
  assert.equal((await shop.get(`/calendar-events/${event.id}`)).body.data.title, 'Our own')
  await shop.delete(`/calendar-events/${event.id}`)
  const free = await jobOf(shop, job.id)
  assert.deepEqual([free.scheduledFrom, free.scheduledTo, free.calendarEventId], [null, null, null])
})

test('a job has one event at most, also when sixteen ask at once', async () => {
  const shop = await organisation()
  const job = await create(shop, '/tickets', { customerName: 'A' })
  const replies = await Promise.all(
    Array.from({ length: 16 }, () => shop.post('/calendar-events', { title: 'A', ...nine, ticketId: job.id })),
  )
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, ...Array(15).fill(409)])
  for (const reply of replies.filter(({ status }) => status === 409))
    assert.equal(reply.body.code, 'CALENDAR_EVENT_EXISTS')
})

test('an event can move to a job that has none, and the job it leaves is free', async () => {
  const shop = await organisation()
  const [first, second, third] = [
    await create(shop, '/tickets', { customerName: 'A' }),
    await create(shop, '/tickets', { customerName: 'B' }),
    await create(shop, '/tickets', { customerName: 'C' }),
  ]
  const event = await create(shop, '/calendar-events', { ...nine, ticketId: first.id })
  await create(shop, '/calendar-events', { ...nine, ticketId: third.id })
  assert.equal((await shop.put(`/calendar-events/${event.id}`, { ticketId: second.id })).status, 200)
  assert.deepEqual(
    [(await jobOf(shop, first.id)).calendarEventId, (await jobOf(shop, second.id)).calendarEventId],
    [null, event.id],
  )
  assert.deepEqual(refusalOf(await shop.put(`/calendar-events/${event.id}`, { ticketId: third.id })), [
    409,
    'CALENDAR_EVENT_EXISTS',
  ])
  assert.equal((await jobOf(shop, second.id)).calendarEventId, event.id, 'nothing changed')
})

test('the window finds what overlaps it, by member and by job', async () => {
  const shop = await organisation()
  const job = await create(shop, '/tickets', { customerName: 'A' })
  const early = await create(shop, '/calendar-events', {
    title: 'Early',
    from: '2026-11-16T06:00:00Z',
    to: '2026-11-16T09:00:00Z',
  })
  const middle = await create(shop, '/calendar-events', { ...nine, ticketId: job.id })
  const late = await create(shop, '/calendar-events', {
    title: 'Late',
    from: '2026-11-16T10:00:00Z',
    to: '2026-11-16T12:00:00Z',
  })
  const idsFound = async (query: string) =>
    (await shop.get(`/calendar-events${query}`)).body.data.calendarEvents.map(({ id }: { id: string }) => id)
  assert.deepEqual(await idsFound(''), [early.id, middle.id, late.id])
  assert.deepEqual(await idsFound('?from=2026-11-16T09:00:00Z&to=2026-11-16T10:00:00Z'), [middle.id])
  assert.deepEqual(await idsFound('?from=2026-11-16T09:30:00Z'), [middle.id, late.id])
  assert.deepEqual(await idsFound('?to=2026-11-16T09:30:00Z'), [early.id, middle.id])
  assert.deepEqual(await idsFound(`?ticketId=${job.id}`), [middle.id])
  assert.deepEqual(refusalOf(await shop.get('/calendar-events?from=2026-11-16T00:00:00Z&to=2026-11-09T00:00:00Z')), [
    400,
    'to must be after from',
  ])
  assert.deepEqual(await idsFound(`?limit=1&startAfter=${early.id}`), [middle.id])
})

test('whole days are whole where the shop is, also when the clocks change', async () => {
  const shop = await organisation()
  const day = await create(shop, '/calendar-events', {
    title: 'Fair',
    from: '2027-03-28T10:00:00Z',
    to: '2027-03-28T12:00:00Z',
    allDay: true,
  })
  assert.deepEqual([day.from, day.to], ['2027-03-28T00:00:00.000Z', '2027-03-28T23:00:00.000Z'])
})

test('a visit of a series is moved through its schedule, but may be renamed', async () => {
  const shop = await organisation()
  const event = await create(shop, '/calendar-events', { title: 'Visit', ...nine })
  await database.query(
    sql`update calendar_events set recurring_schedule_id = 'rec_1', occurrence_index = 0 where org_id = ${shop.orgId}`,
  )
  assert.deepEqual(refusalOf(await shop.put(`/calendar-events/${event.id}`, { from: '2026-11-16T08:00:00Z' })), [
    409,
    'RECURRING_VISIT',
  ])
  assert.deepEqual(refusalOf(await shop.delete(`/calendar-events/${event.id}`)), [409, 'RECURRING_VISIT'])
  assert.equal((await shop.put(`/calendar-events/${event.id}`, { title: 'Renamed', ...nine })).status, 200)
})

test('job and calendar written at once from both sides agree in the end', async () => {
  const shop = await organisation()
  const job = await create(shop, '/tickets', { customerName: 'A', scheduledFrom: nine.from, scheduledTo: nine.to })
  const hour = (n: number) => new Date(Date.parse(nine.from) + n * hourMs).toISOString()
  const replies = await Promise.all(
    Array.from({ length: 16 }, (_, n) =>
      n % 2 === 0
        ? shop.put(`/tickets/${job.id}`, { scheduledFrom: hour(n), scheduledTo: hour(n + 1) })
        : shop.put(`/calendar-events/${job.calendarEventId}`, { from: hour(n), to: hour(n + 1) }),
    ),
  )
  for (const { status } of replies) assert.equal(status, 200)
  const event = (await shop.get(`/calendar-events/${job.calendarEventId}`)).body.data
  const { scheduledFrom, scheduledTo } = await jobOf(shop, job.id)
  assert.deepEqual([scheduledFrom, scheduledTo], [event.from, event.to])
})

test('a technician who is given a job through the calendar is noted on it', async () => {
  const shop = await organisation()
  const members = await Promise.all(
    ['Tess', 'Uma'].map(async (name) => {
      const [member] = await database.query<{ id: string }>(sql`
        with person as (insert into people (id, email) values (${newId('per')}, ${`${newId('x')}@staff.example`}) returning id)
        insert into members (org_id, id, person_id, first_name, role)
        select ${shop.orgId}, ${newId('mem')}, person.id, ${name}, 'technician' from person returning id`)
      return member!.id
    }),
  )
  const { id: ticketId } = await create(shop, '/tickets', { customerName: 'A' })
  const event = await create(shop, '/calendar-events', { ticketId, ...nine, assignedToId: members[0] })
  await shop.put(`/calendar-events/${event.id}`, { assignedToId: members[1] })
  await shop.put(`/calendar-events/${event.id}`, { title: 'Only renamed' })
  const { messages } = (await shop.get(`/tickets/${ticketId}/messages`)).body.data
  assert.deepEqual(
    messages
      .filter((one: { systemEvent: string }) => one.systemEvent === 'assigneeChanged')
      .map(({ systemData }: { systemData: object }) => systemData),
    [
      { from: null, to: 'Tess' },
      { from: 'Tess', to: 'Uma' },
    ],
  )
})

test('devices are changed and deleted beside visits and customers without anybody waiting for nothing', async () => {
  const shop = await organisation()
  for (let round = 0; round < 2; round++) {
    const customer = await create(shop, '/customers', { firstName: 'Ada' })
    const device = await create(shop, `/customers/${customer.id}/devices`, { type: 'Oven' })
    const startsAt = new Date(Date.now() + dayMs).toISOString()
    const schedule = await create(shop, '/recurring-schedules', {
      customerId: customer.id,
      deviceId: device.id,
      startsAt,
      rrule: 'FREQ=DAILY',
      serviceRequired: 'Check',
    })
    await shop.post(`/recurring-schedules/${schedule.id}/generate`)
    const answers = await Promise.all([
      shop.post(`/recurring-schedules/${schedule.id}/resync`),
      shop.put(`/customers/${customer.id}/devices/${device.id}`, { type: 'Deck oven' }),
      shop.post(`/recurring-schedules/${schedule.id}/generate`),
      shop.delete(`/customers/${customer.id}/devices/${device.id}`),
      shop.delete(`/customers/${customer.id}`),
    ])
    assert.deepEqual(
      answers.filter(({ status }) => status >= 500),
      [],
    )
  }
})
