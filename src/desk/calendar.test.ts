// The calendar over HTTP: what a week and a day show, how visits are moved, made and taken off, and who may.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DeskVisitor, deskVisitor } from '../../test/desk.ts'
import { agreement } from '../../test/recurring.ts'
import { type Client, startTestService } from '../../test/test-service.ts'
import type { Page } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import { addDays, startOfWeek, wallOf } from '../domain/wall-clock.ts'

const here = await startTestService()
const { database } = here
const zone = 'Europe/London'

async function newShop() {
  const shop = await here.organisation()
  await shop.put('/', { timeZone: zone })
  const [manager, technician, other] = await Promise.all([
    deskVisitor(here, shop.orgId, 'manager'),
    deskVisitor(here, shop.orgId, 'technician'),
    deskVisitor(here, shop.orgId, 'technician'),
  ])
  return { shop, manager, technician, other }
}
const { shop, manager, technician, other } = await newShop()

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
async function book(fields: object, client: Client = shop): Promise<any> {
  const { status, body } = await client.post('/calendar-events', { title: 'Stock-taking', ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}
const newJob = async (fields: object = {}) =>
  (await shop.post('/tickets', { customerName: 'Amara', serviceRequired: 'Kettle trips the fuse', ...fields })).body
    .data
const event = async (id: string) => (await shop.get(`/calendar-events/${id}`)).body.data
const timesOf = async (id: string) => {
  const { from, to } = await event(id)
  return [from, to]
}
const day = (who: DeskVisitor, date: string) => who.open(`/calendar?view=day&date=${date}`)
const week = (who: DeskVisitor, date: string) => who.open(`/calendar?view=week&date=${date}`)
const daysIn = ({ text }: Page) => [...text.matchAll(/<section id="day-([\d-]+)"/g)].map(([, one]) => one)
const cell = ({ text }: Page, who: string, date: string) =>
  new RegExp(`<ol[^>]*id="cell-${who}-${date}"[^>]*>(.*?)</ol>`, 's').exec(text)?.[1] ?? 'no such cell'
const lane = ({ text }: Page, who: string) =>
  new RegExp(`<ol[^>]*id="track-${who}"[^>]*>(.*?)</ol>`, 's').exec(text)?.[1] ?? 'no such lane'
const card = ({ text }: Page, id: string, date: string) =>
  new RegExp(`<li class="([^"]*)" id="v-${id}-${date}"[^>]*>.*?</li>`, 's').exec(text)?.[0] ?? 'no such card'
const lastAudit = async (orgId = shop.orgId) => {
  const [line] = await database.query<{ detail: { operation: string; name: string } }>(
    sql`select detail from audit_log where org_id = ${orgId} order by at desc, id desc limit 1`,
  )
  return line?.detail
}

describe('a week', () => {
  test('shows Monday to Friday always, and of the rest every day that has something', async () => {
    assert.deepEqual(
      daysIn(await week(manager, '2027-02-03')),
      [1, 2, 3, 4, 5].map((one) => `2027-02-0${one}`),
    )
    const { id } = await book({ from: '2027-02-07T10:00:00Z', to: '2027-02-07T11:00:00Z' })
    const page = await week(manager, '2027-02-03')
    assert.deepEqual(
      daysIn(page),
      [1, 2, 3, 4, 5, 7].map((one) => `2027-02-0${one}`),
    )
    assert.match(cell(page, 'nobody', '2027-02-07'), new RegExp(id), 'what nobody has is in a lane of its own')
    assert.match(page.text, /1 Feb – 7 Feb 2027/)
  })

  test('shows what goes on over midnight on both days, to be picked up on the first', async () => {
    const { id } = await book({
      from: '2027-02-09T22:00:00Z',
      to: '2027-02-10T02:00:00Z',
      assignedToId: technician.memberId,
    })
    const page = await week(manager, '2027-02-10')
    assert.match(card(page, id, '2027-02-09'), /data-movable.*22:00–02:00/s)
    assert.match(card(page, id, '2027-02-10'), /Until 02:00/)
    assert.doesNotMatch(card(page, id, '2027-02-10'), /data-movable/)
  })

  test('leads to a new job of that day and person from each cell', async () => {
    const cellText = cell(await week(manager, '2027-02-10'), technician.memberId, '2027-02-10')
    assert.ok(cellText.includes(`/jobs/new?day=2027-02-10&amp;who=${technician.memberId}`), cellText)
  })

  test('shows 200 visits, and costs as many statements as an empty one', async () => {
    const full = await here.organisation()
    const owner = await deskVisitor(here, full.orgId, 'manager')
    const statements = async () => {
      const count = () => database.metrics().counters.reduce((sum, [, { completed }]) => sum + completed, 0)
      const before = count()
      const page = await week(owner, '2027-03-03')
      return { page, count: count() - before }
    }
    await statements()
    const empty = await statements()
    await database.query(sql`
      insert into calendar_events (org_id, id, title, starts_at, ends_at)
      select ${full.orgId}, 'evt_' || number, 'Visit ' || number, moment, moment + interval '1 hour'
      from (select number, timestamptz '2027-03-01 08:00Z' + interval '1 hour' * (number % 10) + interval '1 day' * (number % 5) as moment
        from generate_series(1, 200) number) visits`)
    const { page, count } = await statements()
    assert.equal(page.text.match(/<li class="visit/g)?.length, 200)
    assert.ok(count <= 8, `${count} statements`)
    assert.equal(count, empty.count)
  })
})

describe('a day', () => {
  test('has a lane for each of twelve technicians, and one for nobody', async () => {
    const large = await here.organisation()
    const owner = await deskVisitor(here, large.orgId, 'manager')
    for (let index = 0; index < 12; index++) await deskVisitor(here, large.orgId, 'technician')
    const { text } = await day(owner, '2027-02-10')
    assert.equal(text.match(/class="lane"/g)?.length, 13)
    assert.match((await week(owner, '2027-02-10')).text, /class="card week rows13"/)
  })

  test('is widened for what lies before seven or goes on over midnight, on both days', async () => {
    const early = await book({ from: '2027-02-16T05:30:00Z', to: '2027-02-16T06:15:00Z' })
    const late = await book({ from: '2027-02-16T22:00:00Z', to: '2027-02-17T02:00:00Z' })
    const first = await day(manager, '2027-02-16')
    assert.match(first.text, /class="track h19"[^>]*data-first="20" data-quarters="76"/, 'from 05:00 to midnight')
    assert.match(card(first, early.id, '2027-02-16'), /class="visit plain c2 w3"/)
    assert.match(card(first, late.id, '2027-02-16'), /class="visit plain c68 w8"/)
    const second = await day(manager, '2027-02-17')
    assert.match(second.text, /class="track h19"[^>]*data-first="0" data-quarters="76"/, 'from midnight to seven')
    assert.match(card(second, late.id, '2027-02-17'), /class="visit plain c0 w8"/)
  })

  test('is right when clocks change: places are those of clocks on the wall', async () => {
    const spring = await book({ from: '2027-03-28T08:00:00Z', to: '2027-03-28T09:00:00Z' })
    assert.match(card(await day(manager, '2027-03-28'), spring.id, '2027-03-28'), /c8 w4.*09:00–10:00/s)
    const autumn = await book({ from: '2027-10-31T00:30:00Z', to: '2027-10-31T02:30:00Z' })
    const page = await day(manager, '2027-10-31')
    assert.match(card(page, autumn.id, '2027-10-31'), /c2 w4.*01:30–02:30/s, 'two hours, of which one comes twice')
    const evening = await book({ from: '2027-10-31T23:00:00Z', to: '2027-11-01T00:00:00Z' })
    assert.match(card(await day(manager, '2027-10-31'), evening.id, '2027-10-31'), /23:00–00:00/)
    assert.match(card(await day(manager, '2027-11-01'), evening.id, '2027-11-01'), /no such card/)
  })

  test('offers jobs without a time, those that matter first, until they have one', async () => {
    const plain = await newJob()
    const urgent = await newJob({ priority: 'urgent' })
    const closed = await newJob({ status: 'Closed' })
    const { text } = await day(manager, '2027-02-10')
    assert.ok(text.indexOf(`id="p-${urgent.id}"`) < text.indexOf(`id="p-${plain.id}"`))
    assert.ok(text.includes(`id="p-${urgent.id}"`))
    assert.ok(!text.includes(`id="p-${closed.id}"`))
    const { said } = await manager.send('/calendar', { job: plain.id, day: '2027-02-10', time: '14:00' })
    assert.equal(said.ok, true, said.error)
    assert.ok(!(await day(manager, '2027-02-10')).text.includes(`id="p-${plain.id}"`))
  })
})

describe('a visit that is moved', () => {
  test('to a day beyond a clock change stays at its time on the wall', async () => {
    for (const [from, to, date, expected] of [
      ['2027-03-26T09:00:00Z', '2027-03-26T10:30:00Z', '2027-03-29', '2027-03-29T08:00:00.000Z'],
      ['2027-10-29T08:00:00Z', '2027-10-29T09:30:00Z', '2027-11-02', '2027-11-02T09:00:00.000Z'],
    ] as const) {
      const { id } = await book({ from, to })
      assert.equal((await manager.send(`/calendar/${id}/move`, { day: date, who: '' })).status, 200)
      const [begin, end] = await timesOf(id)
      assert.equal(begin, expected)
      assert.equal(Date.parse(end) - Date.parse(begin), 90 * 60_000)
    }
  })

  test('goes to another time and person at once, and back to the very moments it was at', async () => {
    const job = await newJob({ scheduledFrom: '2027-02-10T09:00:00.123Z', scheduledTo: '2027-02-10T10:00:00.123Z' })
    const { said } = await manager.send(`/calendar/${job.calendarEventId}/move`, {
      day: '2027-02-11',
      time: '13:15',
      who: technician.memberId,
    })
    assert.equal(said.ok, true, said.error)
    assert.equal(said.words, 'Thursday 11 February, 13:15–14:15')
    const moved = (await shop.get(`/tickets/${job.id}`)).body.data
    assert.deepEqual(
      [moved.scheduledFrom, moved.assignedTechnician],
      ['2027-02-11T13:15:00.000Z', technician.memberId],
      'its job follows',
    )
    assert.deepEqual(
      [(await lastAudit())?.operation, (await lastAudit())?.name],
      ['updateCalendarEvent', `visit of job #${job.ticketNumber}`],
    )
    assert.equal((await manager.send(`/calendar/${job.calendarEventId}/move`, said.was)).status, 200)
    const back = await event(job.calendarEventId)
    assert.deepEqual(
      [back.from, back.to, back.assignedToId],
      ['2027-02-10T09:00:00.123Z', '2027-02-10T10:00:00.123Z', null],
    )
  })

  test('ends where its edge was let go, at midnight and after it, too', async () => {
    const { id } = await book({ from: '2027-02-18T20:00:00Z', to: '2027-02-18T21:00:00Z' })
    await manager.send(`/calendar/${id}/move`, { until: '22:45' })
    assert.deepEqual(await timesOf(id), ['2027-02-18T20:00:00.000Z', '2027-02-18T22:45:00.000Z'])
    await manager.send(`/calendar/${id}/move`, { until: '00:00' })
    assert.deepEqual(await timesOf(id), ['2027-02-18T20:00:00.000Z', '2027-02-19T00:00:00.000Z'])
  })

  test('stays whole days if it was, and one that is let go where it was changes nothing', async () => {
    const { id } = await book({ from: '2027-03-26T00:00:00Z', to: '2027-03-27T00:00:00Z', allDay: true })
    await manager.send(`/calendar/${id}/move`, { day: '2027-03-28', time: '11:00' })
    assert.deepEqual(await timesOf(id), ['2027-03-28T00:00:00.000Z', '2027-03-28T23:00:00.000Z'])
    const lines = () => database.query(sql`select from audit_log where org_id = ${shop.orgId}`)
    const before = await lines()
    const { said } = await manager.send(`/calendar/${id}/move`, { day: '2027-03-28', who: '' })
    assert.deepEqual([said.ok, said.isChanged, (await lines()).length], [true, false, before.length])
  })

  test('is refused in words, and a form keeps what was typed', async () => {
    const { id } = await book({ from: '2027-02-18T09:00:00Z', to: '2027-02-18T10:00:00Z' })
    const page = await manager.open(`/calendar/${id}`)
    const path = `/desk/${shop.orgId}/calendar/${id}/move`
    const wrong = await manager.visitor.submit(page, path, { untilDay: '2027-02-17', who: technician.memberId })
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, /Ends: it must end after it begins\./)
    assert.match(wrong.text, /name="untilDay" value="2027-02-17"/)
    assert.match(wrong.text, new RegExp(`value="${technician.memberId}" selected`))
    assert.match(
      (await manager.visitor.submit(page, path, { day: '2027-02-30' })).text,
      /Begins: there is no such day\./,
    )
    const [from] = await timesOf(id)
    assert.equal(from, '2027-02-18T09:00:00.000Z')
    const done = await manager.visitor.submit(page, path, { time: '08:30', who: '' })
    assert.match(done.url, /view=day&date=2027-02-18&done=saved/)
    assert.deepEqual(await timesOf(id), ['2027-02-18T08:30:00.000Z', '2027-02-18T10:00:00.000Z'])
  })

  test('by somebody else meanwhile shows what it is now, keeps what was typed, and takes it the second time', async () => {
    const { id } = await book({ from: '2027-02-22T09:00:00Z', to: '2027-02-22T10:00:00Z', notes: 'Ring twice' })
    const page = await manager.open(`/calendar/${id}`)
    await shop.put(`/calendar-events/${id}`, {
      from: '2027-02-23T11:00:00Z',
      to: '2027-02-23T12:00:00Z',
      notes: 'Side door',
    })
    const path = `/desk/${shop.orgId}/calendar/${id}`
    const stale = await manager.visitor.submit(page, `${path}/move`, { time: '08:00', who: '' })
    assert.equal(stale.status, 412)
    assert.match(stale.text, /Somebody changed this visit.*Now it is: Tuesday 23 February, 11:00–12:00, nobody/s)
    assert.match(stale.text, /name="time" value="08:00"/)
    const details = await manager.visitor.submit(
      { ...page, text: page.text.replace(/<form[^>]*move.*?<\/form>/s, '') },
      path,
      { notes: 'Back door' },
    )
    assert.equal(details.status, 412)
    assert.match(details.text, /Now it is: Side door/)
    assert.match(details.text, />Back door<\/textarea>/)
    assert.equal((await event(id)).notes, 'Side door')
    const again = await manager.visitor.submit(stale, `${path}/move`, { who: '' })
    assert.equal(again.status, 200, again.text.slice(0, 400))
    assert.deepEqual(await timesOf(id), ['2027-02-22T08:00:00.000Z', '2027-02-22T10:00:00.000Z'])
  })
})

test('days at the end of all calendars are taken for today', async () => {
  for (const path of [
    '/calendar?date=9999-12-30',
    '/calendar?date=9999-12-31',
    '/calendar?date=0000-01-01',
    '/calendar?view=day&date=9999-12-31',
    '/calendar/new?day=9999-12-31',
  ])
    assert.equal((await manager.open(path)).status, 200, path)
})

test('of several who save the same form at once exactly one is taken', async () => {
  const { id } = await book({ from: '2027-06-01T08:00:00Z', to: '2027-06-01T09:00:00Z' })
  const version = await shop.call('GET', `/calendar-events/${id}`).then(({ headers }) => headers.get('etag')!)
  const answers = await Promise.all(
    ['10:00', '11:00', '12:00', '13:00', '14:00', '15:00'].map((time) =>
      manager.send(`/calendar/${id}/move`, { time, version }),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412, 412, 412, 412])
})

describe('a visit that is made', () => {
  test('by a form or by hand, for what is no job and for a job by its number', async () => {
    const page = await manager.open('/calendar/new?day=2027-02-24')
    const made = await manager.visitor.submit(page, `/desk/${shop.orgId}/calendar`, {
      title: 'Supplier call',
      time: '14:00',
      until: '14:30',
      who: technician.memberId,
    })
    assert.match(lane(made, technician.memberId), /14:00–14:30.*Supplier call/s)
    const job = await newJob()
    const { said } = await manager.send('/calendar', {
      title: `#${job.ticketNumber}`,
      day: '2027-02-24',
      time: '23:00',
      until: '01:00',
      who: '',
    })
    assert.equal(said.ok, true, said.error)
    assert.deepEqual(await timesOf(said.id), ['2027-02-24T23:00:00.000Z', '2027-02-25T01:00:00.000Z'])
    const again = await manager.send('/calendar', { job: job.id, day: '2027-02-24' })
    assert.deepEqual([again.status, again.said.code], [409, 'CALENDAR_EVENT_EXISTS'])
    assert.equal((await manager.send(`/calendar/${said.id}/unplan`, said.was)).status, 200)
    assert.equal((await shop.get(`/tickets/${job.id}`)).body.data.scheduledFrom, null, 'Undo: to be planned again')
  })

  test('is refused in words, and the form keeps what was typed', async () => {
    const page = await manager.open('/calendar/new?day=2027-02-24')
    const wrong = await manager.visitor.submit(page, `/desk/${shop.orgId}/calendar`, {
      title: '#987654',
      notes: 'Bring a ladder',
    })
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, /there is no job #987654/)
    assert.match(wrong.text, /value="#987654"/)
    assert.match(wrong.text, />Bring a ladder<\/textarea>/)
    assert.match((await manager.send('/calendar', { title: 'Call', day: 'someday' })).said.error, /Begins/)
  })

  test('is described, and taken off only after a question', async () => {
    const { id } = await book({ from: '2027-02-25T09:00:00Z', to: '2027-02-25T10:00:00Z' })
    const page = await manager.open(`/calendar/${id}`)
    const path = `/desk/${shop.orgId}/calendar/${id}`
    const details = { ...page, text: page.text.replace(/<form[^>]*move.*?<\/form>/s, '') }
    await manager.visitor.submit(details, path, { title: 'Counting', location: 'Shed', notes: '' })
    const { title, location } = await event(id)
    assert.deepEqual([title, location], ['Counting', 'Shed'])
    const asking = await manager.open(`/calendar/${id}/delete`)
    assert.match(asking.text, /Take this visit off the calendar\?/)
    assert.equal((await shop.get(`/calendar-events/${id}`)).status, 200)
    await manager.visitor.submit(asking, `${path}/delete`)
    assert.equal((await shop.get(`/calendar-events/${id}`)).status, 404)
  })
})

describe('visits of an agreement', () => {
  const monday = startOfWeek(addDays(wallOf(new Date(), zone).day, 14))
  const daily = async (fields: object = {}) =>
    agreement(shop, {
      startsAt: `${monday}T13:00:00Z`,
      timeZone: zone,
      rrule: 'FREQ=DAILY',
      durationMinutes: 60,
      horizonDays: 1,
      assignedTechnician: technician.memberId,
      ...fields,
    })

  test('that are only planned are shown without being stored, until they are generated or skipped', async () => {
    const created = await daily()
    await created.visit(1, 'skip')
    const stored = () =>
      database.query(
        sql`select from recurring_occurrences where org_id = ${shop.orgId} and schedule_id = ${created.id}`,
      )
    assert.equal((await stored()).length, 1)
    const page = await week(manager, monday)
    const planned = card(page, `${created.id}-0`, monday)
    assert.match(planned, /class="visit planned/)
    assert.ok(planned.includes(`/recurring/${created.id}`))
    assert.doesNotMatch(planned, /data-movable/)
    assert.equal(card(page, `${created.id}-1`, addDays(monday, 1)), 'no such card')
    assert.match(card(page, `${created.id}-2`, addDays(monday, 2)), /planned/)
    assert.equal((await stored()).length, 1, 'looking stores nothing')
    await created.act('generate', { through: `${addDays(monday, 0)}T23:00:00Z` })
    const later = await week(manager, monday)
    assert.equal(card(later, `${created.id}-0`, monday), 'no such card')
    const job = await created.job(0)
    assert.match(card(later, job.calendarEventId, monday), /of an agreement/)
    assert.match(card(later, `${created.id}-2`, addDays(monday, 2)), /planned/)
    const { manager: stranger } = await newShop()
    assert.doesNotMatch((await week(stranger, monday)).text, /visit planned/, 'another shop sees none of it')
    await created.act('pause')
    assert.equal(card(await week(manager, monday), `${created.id}-2`, addDays(monday, 2)), 'no such card')
  })

  test('are moved, made longer and skipped through it', async () => {
    const created = await daily()
    await created.act('generate', { through: `${addDays(monday, 2)}T23:00:00Z` })
    const { calendarEventId: id } = await created.job(0)
    const moved = await manager.send(`/calendar/${id}/move`, { day: addDays(monday, 1), time: '09:00' })
    assert.equal(moved.said.ok, true, moved.said.error)
    assert.equal((await lastAudit())?.operation, 'moveOccurrence')
    assert.equal((await manager.send(`/calendar/${id}/move`, { until: '11:00' })).status, 200)
    assert.equal((await lastAudit())?.operation, 'resizeOccurrence')
    const [visit] = await created.occurrences()
    assert.deepEqual([visit.isMoved, visit.isResized], [true, true])
    assert.equal(Date.parse(visit.to) - Date.parse(visit.from), 120 * 60_000)
    assert.equal((await manager.send(`/calendar/${id}/move`, moved.said.was)).status, 200)
    assert.equal((await created.occurrences())[0].from, visit.originalFrom)
    const both = await manager.send(`/calendar/${id}/move`, { day: addDays(monday, 2), who: other.memberId })
    assert.equal(both.said.ok, true, both.said.error)
    assert.equal((await created.job(0)).assignedTechnician, other.memberId)
    const asking = await manager.open(`/calendar/${id}/delete`)
    assert.match(asking.text, /Skip this visit\?/)
    await manager.visitor.submit(asking, `/desk/${shop.orgId}/calendar/${id}/delete`, { reason: 'On holiday' })
    const [skipped] = await created.occurrences()
    assert.deepEqual([skipped.status, skipped.skipReason], ['skipped', 'On holiday'])
  })

  test('are moved by the technician who has them, through their job', async () => {
    const created = await daily()
    await created.act('generate', { through: `${monday}T23:00:00Z` })
    const { calendarEventId: id } = await created.job(0)
    const { said } = await technician.send(`/calendar/${id}/move`, { time: '08:00' })
    assert.equal(said.ok, true, said.error)
    assert.equal((await created.occurrences())[0].isMoved, true)
    assert.equal((await other.send(`/calendar/${id}/move`, { time: '09:00' })).status, 403)
  })
})

describe('technicians', () => {
  test("see everything, move their own and nobody's, and hand nothing to others", async () => {
    const at = { from: '2027-04-06T09:00:00Z', to: '2027-04-06T10:00:00Z' }
    const [own, free, foreign] = await Promise.all([
      book({ ...at, assignedToId: technician.memberId }),
      book(at),
      book({ ...at, assignedToId: other.memberId }),
    ])
    const page = await day(technician, '2027-04-06')
    for (const [{ id }, isMovable] of [
      [own, true],
      [free, true],
      [foreign, false],
    ] as const)
      assert.equal(card(page, id, '2027-04-06').includes('data-movable'), isMovable)
    assert.equal((await technician.send(`/calendar/${own.id}/move`, { time: '12:00' })).status, 200)
    assert.equal((await technician.send(`/calendar/${free.id}/move`, { who: technician.memberId })).status, 200)
    const handed = await technician.send(`/calendar/${own.id}/move`, { who: other.memberId })
    assert.equal(handed.status, 403)
    assert.match(handed.said.error, /ask a manager/)
    assert.equal((await technician.send(`/calendar/${foreign.id}/move`, { time: '12:00' })).status, 403)
    assert.doesNotMatch((await technician.open(`/calendar/${foreign.id}`)).text, /name="day"/)
    assert.doesNotMatch((await technician.open(`/calendar/${own.id}`)).text, new RegExp(other.memberId))
    assert.equal((await technician.open(`/calendar/${own.id}/delete`)).status, 403)
    assert.equal((await technician.send(`/calendar/${own.id}/delete`, {})).status, 403)
  })

  test('plan a job that nobody has, and can take that back', async () => {
    const job = await newJob()
    const { said } = await technician.send('/calendar', { job: job.id, day: '2027-04-07', who: technician.memberId })
    assert.deepEqual([said.ok, said.mayUndo], [true, true])
    assert.equal((await technician.send(`/calendar/${said.id}/unplan`, said.was)).status, 200)
    const back = (await shop.get(`/tickets/${job.id}`)).body.data
    assert.deepEqual([back.scheduledFrom, back.assignedTechnician], [null, null])
  })
})

test('a visit of another shop is nowhere', async () => {
  const { shop: foreign, manager: stranger } = await newShop()
  const { id } = await book({ from: '2027-04-06T09:00:00Z', to: '2027-04-06T10:00:00Z', title: 'Secret meeting' })
  assert.equal((await stranger.open(`/calendar/${id}`)).status, 404)
  for (const act of ['move', 'delete', 'unplan'])
    assert.equal((await stranger.send(`/calendar/${id}/${act}`, { time: '12:00' })).status, 404)
  assert.doesNotMatch((await day(stranger, '2027-04-06')).text, /Secret meeting/)
  const ours = await newJob()
  assert.equal((await stranger.send('/calendar', { job: ours.id, day: '2027-04-06' })).status, 400)
  assert.equal((await foreign.get('/calendar-events')).body.data.calendarEvents?.length ?? 0, 0)
})
