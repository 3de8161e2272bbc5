// Agreements over HTTP: the next ten visits before saving, what is saved, what happens to a series and to one of its visits.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DeskUser, signIntoDesk } from '../../test/desk-user.ts'
import { freePort } from '../../test/programs.ts'
import { agreement, inDays } from '../../test/recurring.ts'
import { startTestService } from '../../test/test-service.ts'
import { formsIn, type Page } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import { addDays, wallOf } from '../domain/wall-clock.ts'

const here = await startTestService({ PORT: await freePort() })
const { database } = here
const zone = 'Europe/London'

const shop = await here.organisation({ name: 'Harbour Repairs' })
await shop.put('', { timeZone: zone })
const { orgId } = shop
const [manager, technician] = [
  await signIntoDesk(here, orgId, 'manager'),
  await signIntoDesk(here, orgId, 'technician'),
]
const customer = (
  await shop.post('/customers', { firstName: 'Amara', lastName: 'Okafor', businessName: 'Okafor Bakery' })
).body.data
const oven = (await shop.post('/services', { name: 'Oven service', price: 80 })).body.data

const today = wallOf(new Date(), zone).day
const nextYear = Number(today.slice(0, 4)) + 1
/** A Monday well ahead. */
const monday = (() => {
  let day = `${nextYear}-03-01`
  while (new Date(`${day}T00:00:00Z`).getUTCDay() !== 1) day = addDays(day, 1)
  return day
})()

const rule = {
  customerId: customer.id,
  serviceRequired: 'Oven service',
  unit: 'weeks',
  every: '2',
  weekDays: ['0', '3'],
  day: monday,
  time: '09:00',
  durationMinutes: '90',
  horizonDays: '30',
  ends: 'never',
}
const previewOf = ({ text }: Page) => /id="preview"[^>]*>(.*?)<\/div>/s.exec(text)?.[1] ?? 'no preview'
const visitsIn = (page: Page) => [...previewOf(page).matchAll(/<li><span class="grow">([^<]+)</g)].map(([, day]) => day)
// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
const schedules = async (): Promise<any[]> =>
  (await shop.get('/recurring-schedules?limit=100')).body.data.recurringSchedules
const read = async (id: string) => (await shop.get(`/recurring-schedules/${id}`)).body.data
const fieldsOf = (page: Page, action: string) =>
  formsIn(page).find((form) => form.action === `/desk/${orgId}${action}`)!.fields
/** A form as a browser sends it: choices as they are chosen, and what is typed over them. */
async function edit(who: DeskUser, page: Page, action: string, changes: Record<string, string | readonly string[]>) {
  const fields: Record<string, string | readonly string[]> = {}
  for (const [name, value] of fieldsOf(page, action))
    fields[name] = name in fields ? [fields[name]!, value].flat() : value
  for (const [, name, options] of page.text.matchAll(/<select[^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/gs)) {
    const chosen = /value="([^"]*)" selected/.exec(options!)
    if (chosen && name! in fields && !Array.isArray(fields[name!])) fields[name!] = chosen[1]!
  }
  const radio = /name="visits" value="(\w+)" checked/.exec(page.text)?.[1]
  return who.post(action, { ...fields, ...(radio && { visits: radio }), ...changes })
}
const lastAudit = async () => {
  const [line] = await database.query<{ detail: { operation: string; name: string } }>(
    sql`select detail from audit_log where org_id = ${orgId} order by at desc, id desc limit 1`,
  )
  return line?.detail
}

describe('a new agreement', () => {
  test('shows its rule in words and the next ten visits before anything is saved', async () => {
    const before = (await schedules()).length
    const shown = await manager.post('/recurring/new', { ...rule, show: 'yes' })
    assert.equal(shown.status, 200)
    assert.match(previewOf(shown), /Every 2 weeks on Monday and Thursday at 09:00, from/)
    assert.equal(visitsIn(shown).length, 10)
    assert.match(visitsIn(shown)[0]!, new RegExp(`^Monday .*${nextYear}$`))
    assert.match(visitsIn(shown)[1]!, /^Thursday /)
    assert.equal((await schedules()).length, before, 'nothing is saved')
    const part = await manager.open(
      `/recurring/preview?${new URLSearchParams({ ...rule, weekDays: '4', unit: 'weeks', every: '1', ends: 'count', count: '3' })}`,
    )
    assert.equal(part.text.match(/<li>/g)?.length, 3)
    assert.match(part.text, /Every week on Friday at 09:00, from .*, 3 times/)
    const elsewhere = new URLSearchParams({
      unit: 'days',
      every: '1',
      day: monday,
      time: '09:00',
      durationMinutes: '60',
    })
    for (const timeZone of ['Asia/Tokyo', 'Mars/Olympus', '']) {
      elsewhere.set('timeZone', timeZone)
      assert.match((await manager.open(`/recurring/preview?${elsewhere}`)).text, /Every day at 09:00/, timeZone)
    }
  })

  test('keeps what it shows: the visits of the service are those of the preview', async () => {
    const shown = visitsIn(await manager.post('/recurring/new', { ...rule, show: 'yes' }))
    const made = await manager.post('/recurring/new', { ...rule, name: 'Bakery ovens' })
    const id = /rec_\w+/.exec(made.url)![0]
    assert.match(made.text, /Saved\./)
    assert.match(made.text, /Every 2 weeks on Monday and Thursday at 09:00/)
    const { occurrences } = (await shop.get(`/recurring-schedules/${id}/occurrences?limit=10&from=${monday}T00:00:00Z`))
      .body.data
    const days = occurrences.map(({ from }: { from: string }) => {
      const moment = new Date(from)
      const name = new Intl.DateTimeFormat('en-GB', { timeZone: zone, weekday: 'long', day: 'numeric', month: 'long' })
      return `${name.format(moment).replace(',', '')} ${wallOf(moment, zone).day.slice(0, 4)}`
    })
    assert.deepEqual(days, shown)
    assert.deepEqual(await lastAudit(), {
      name: 'agreement Bakery ovens',
      operation: 'createRecurringSchedule',
      what: 'Create a recurring schedule; its jobs are made as their time comes near',
    })
    const list = await manager.open('/recurring?q=okafor')
    assert.ok(list.text.includes(`/recurring/${id}`) && list.text.includes('Okafor Bakery'))
    for (const query of ['state=paused', 'q=boiler'])
      assert.ok(!(await manager.open(`/recurring?${query}`)).text.includes(id), query)
    assert.ok((await manager.open(`/customers/${customer.id}`)).text.includes(`/recurring/${id}`))
  })

  test('is one, however often its page is sent', async () => {
    const before = (await schedules()).length
    const sent = await Promise.all(
      Array.from({ length: 4 }, () => manager.post('/recurring/new', { ...rule, once: 'same-page' })),
    )
    assert.equal(new Set(sent.map(({ url }) => url)).size, 1)
    assert.equal((await schedules()).length, before + 1)
  })

  test('says beside the field what is wrong, and keeps what was typed', async () => {
    for (const [change, words] of [
      [{ every: '0' }, /How often must be a whole number from 1 to 365/],
      [{ day: 'soon' }, /The first visit must have a day and a time/],
      [{ day: '1912-04-10' }, /The first visit must have a day and a time/],
      [{ durationMinutes: '3' }, /How long it takes must be from 5 to 10080 minutes/],
      [{ ends: 'until', until: '' }, /The last day must be a day/],
      [{ unit: 'text', ruleText: 'FREQ=HOURLY' }, /The rule FREQ must be one of/],
      [{ serviceRequired: '' }, /What is done is required/],
      [{ horizonDays: '900' }, /How far ahead jobs are made must be/],
      [{ assignedTechnician: 'mem_nobody' }, /The technician /],
    ] as const) {
      const refused = await manager.post('/recurring/new', { ...rule, description: 'Ring first', ...change })
      assert.equal(refused.status, 400, JSON.stringify(change))
      assert.match(refused.text, words)
      assert.match(refused.text, /Ring first/)
    }
    assert.equal((await manager.post('/recurring/new', { ...rule, customerId: 'cus_nobody' })).status, 404)
    assert.equal((await technician.post('/recurring/new', rule)).status, 403)
  })

  test('takes lines from the catalogue without scripts, at the price of the day unless one is typed', async () => {
    const added = await manager.post('/recurring/new', { ...rule, rows: 'yes', q: 'oven service', add: 'yes' })
    assert.match(added.text, new RegExp(`&quot;serviceId&quot;:&quot;${oven.id}&quot;`))
    const line = JSON.stringify({ kind: 'service', serviceId: oven.id, name: 'Oven service', quantity: 1 })
    const lines = {
      rows: 'yes',
      key: ['1', '2'],
      line: [line, '{}'],
      lineName: ['Oven service', 'Filter'],
      quantity: ['2', '1,5'],
      unitPrice: ['', '12.50'],
      taxRateId: ['', 'none'],
    }
    const removed = await manager.post('/recurring/new', { ...rule, ...lines, remove: '2' })
    assert.doesNotMatch(removed.text, /value="Filter"/)
    const made = await manager.post('/recurring/new', { ...rule, ...lines })
    const { lineItems } = await read(/rec_\w+/.exec(made.url)![0])
    assert.deepEqual(
      lineItems.map((one: Record<string, unknown>) => [one.name, one.quantity, one.unitPrice, one.taxRateId]),
      [
        ['Oven service', 2, undefined, undefined],
        ['Filter', 1.5, 12.5, null],
      ],
    )
    assert.match(made.text, /of the day/)
    const wrong = await manager.post('/recurring/new', { ...rule, ...lines, quantity: ['0', '1'] })
    assert.match(wrong.text, /quantity must be/)
  })

  test('begins with a preset that was kept from another', async () => {
    const made = await manager.post('/recurring/new', { ...rule, every: '3', description: 'With the long ladder' })
    const id = /rec_\w+/.exec(made.url)![0]
    assert.match((await manager.post(`/recurring/${id}/preset`, { name: 'Ladder round' })).text, /kept as a preset/)
    const list = await manager.open('/recurring/presets')
    const presetId = /pre_\w+/.exec(list.text)![0]
    const form = await manager.open(`/recurring/new?customer=${customer.id}&preset=${presetId}`)
    assert.match(form.text, /With the long ladder/)
    assert.match(previewOf(form), /Every 3 weeks on Monday and Thursday/)
    const page = await manager.open(`/recurring/presets/${presetId}`)
    assert.match((await manager.submit(page, `/recurring/presets/${presetId}`, { name: 'Round' })).text, />Round</)
    const stale = await manager.submit(page, `/recurring/presets/${presetId}`, { name: 'Mine' })
    assert.equal(stale.status, 412)
    const fresh = await manager.open(`/recurring/presets/${presetId}`)
    await manager.submit(fresh, `/recurring/presets/${presetId}/delete`)
    assert.match((await manager.open('/recurring/presets')).text, /No presets yet/)
  })
})

test('Today has the visits that nobody is assigned to with their day, and only those of the next days', async () => {
  const client = await here.organisation()
  const visitor = await signIntoDesk(here, client.orgId, 'manager')
  const one = await agreement(client, { startsAt: inDays(2), rrule: 'FREQ=DAILY;INTERVAL=10' })
  await client.post(`/recurring-schedules/${one.id}/generate`, { through: inDays(40) })
  const [near, ...far] = (await client.get('/tickets?limit=100')).body.data.tickets.sort(
    (a: { ticketNumber: number }, b: { ticketNumber: number }) => a.ticketNumber - b.ticketNumber,
  )
  assert.ok(far.length > 0)
  const list = /id="list-nobody".*?<\/section>/s.exec((await visitor.open('/today')).text)?.[0] ?? ''
  assert.match(
    list,
    new RegExp(`<span class="n">1</span>.*id="r-${near.id}".*<span class="chip[^"]*">[^<]*\\d\\d:\\d\\d<`, 's'),
  )
})

describe('an agreement', () => {
  test('what no page sent is refused in words', async () => {
    const { id } = await agreement(shop)
    for (const fields of [
      { lineItems: '[null]', 'was.lineItems': 'x' },
      { lineItems: 'null', rrule: 'x' },
      { lineItems: '[7]', edit: 'yes' },
      { startsAt: 'x', 'was.startsAt': 'y' },
    ]) {
      const { status } = await manager.post(`/recurring/${id}`, fields)
      assert.ok([200, 400, 412].includes(status), `${JSON.stringify(fields)} ${status}`)
    }
  })

  test('is paused, resumed, ended and deleted, each in words, and refused in words', async () => {
    const one = await agreement(shop, { name: 'Pause me' })
    const path = `/recurring/${one.id}`
    assert.match((await manager.post(`${path}/pause`, { until: '2020-01-01' })).text, /The day must be in the future/)
    const paused = await manager.submit(await manager.open(path), `${path}/pause`)
    assert.match(paused.text, /The agreement is paused.*Paused since/s)
    assert.match((await manager.post(`${path}/generate`)).text, /The schedule is paused/)
    assert.match((await manager.submit(paused, `${path}/resume`)).text, /The agreement goes on/)
    assert.match((await manager.post(`${path}/generate`, { through: addDays(today, 20) })).text, /The jobs are made/)
    assert.equal((await one.get()).generatedCount > 1, true)
    const kept = await manager.submit(await manager.open(`${path}/delete`), `${path}/delete`)
    assert.equal(kept.status, 409)
    assert.match(kept.text, /Its visits still have jobs. End it instead/)
    const question = await manager.open(`${path}/end`)
    assert.match(question.text, /visits have a job now/)
    assert.match((await manager.submit(question, `${path}/end`)).text, /The agreement is ended/)
    assert.equal((await one.get()).status, 'ended')
    const gone = await agreement(shop, { startsAt: inDays(200) })
    const asked = await manager.open(`/recurring/${gone.id}/delete`)
    assert.match((await manager.submit(asked, `/recurring/${gone.id}/delete`)).text, /It is deleted/)
    for (const act of ['pause', 'end', 'generate', 'preset'])
      assert.equal((await technician.post(`${path}/${act}`)).status, 403, act)
  })

  test('is changed field by field: what is left alone is not written, and a new shape is for visits to come', async () => {
    const one = await agreement(shop, {
      rrule: 'INTERVAL=1;FREQ=WEEKLY;UNTIL=20991231T120000Z',
      horizonDays: 20,
      timeZone: zone,
    })
    await one.act('generate')
    const before = await one.get()
    const path = `/recurring/${one.id}`
    const saved = await edit(manager, await manager.open(`${path}/edit`), path, { description: 'Ring first' })
    assert.match(saved.text, /Saved\./)
    const { rrule, startsAt, description } = await one.get()
    assert.deepEqual([rrule, startsAt, description], [before.rrule, before.startsAt, 'Ring first'])
    assert.equal((await one.job(0)).description, 'Ring first', 'jobs that nobody touched follow')

    const only = await edit(manager, await manager.open(`${path}/edit`), path, { description: 'Later', visits: 'new' })
    assert.match(only.text, /Saved\./)
    assert.equal((await one.job(0)).description, 'Ring first', 'those that are made stay')

    const asked = await edit(manager, await manager.open(`${path}/edit`), path, { every: '2', visits: 'new' })
    assert.equal(asked.status, 409)
    assert.match(asked.text, /This changes when visits take place/)
    assert.match(asked.text, /name="visits" value="later" checked/)
    const changed = await edit(manager, asked, path, {})
    assert.match(changed.text, /Every 2 weeks/)
    assert.match((await one.get()).rrule, /INTERVAL=2/)
  })

  test('changed by two at once is shown in both versions; what only one changed stays', async () => {
    const one = await agreement(shop, { name: 'Two at once' })
    const path = `/recurring/${one.id}`
    const page = await manager.open(`${path}/edit`)
    await one.put({ description: 'Theirs' })
    const beside = await edit(manager, page, path, { name: 'Two of us' })
    assert.match(beside.text, /Saved\./)
    assert.deepEqual([(await one.get()).name, (await one.get()).description], ['Two of us', 'Theirs'])
    const both = await edit(manager, page, path, { name: 'Two at once', description: 'Mine' })
    assert.equal(both.status, 412)
    assert.match(both.text, /There now.*Theirs.*Yours.*Mine/s)
    await manager.submit(both, path, { description: 'Mine' })
    assert.equal((await one.get()).description, 'Mine')
  })
})

test('a form is asked for on the visits of one agreement, from its page', async () => {
  const one = await agreement(shop, { horizonDays: 20 })
  const template = await manager.post('/settings/forms', {
    name: 'Oven check',
    status: 'published',
    rows: '1',
    'label.0': 'Clean',
    'type.0': 'boolean',
  })
  const templateId = /tem_\w+/.exec(template.url)![0]
  const page = await manager.open(`/recurring/${one.id}`)
  const [, way = ''] = /href="[^"]*(\/settings\/forms\/rules\/new\?agreement=\w+)"/.exec(page.text) ?? []
  const rulePage = await manager.open(way)
  assert.match(rulePage.text, new RegExp(`value="${one.id}" selected`))
  const rule = { name: 'Ovens', templateId, gate: 'completion', isActive: 'yes', recurringScheduleIds: one.id }
  assert.match((await manager.post('/settings/forms/rules', rule)).text, /Saved\./)
  assert.match((await manager.open(`/recurring/${one.id}`)).text, />Oven check</)
  await one.act('generate')
  const { formSubmissions } = (await shop.get(`/form-submissions?ticketId=${(await one.job(0)).id}`)).body.data
  assert.equal(formSubmissions[0].templateName, 'Oven check')
})

describe('a visit', () => {
  const weekly = async () => {
    const one = await agreement(shop, {
      timeZone: zone,
      startsAt: `${monday}T09:00:00Z`,
      rrule: 'FREQ=WEEKLY;BYDAY=MO,TH',
    })
    return { one, path: `/recurring/${one.id}` }
  }
  const times = async (one: Awaited<ReturnType<typeof weekly>>['one'], most = 4) =>
    (await one.occurrences(`&from=${monday}T00:00:00Z`))
      .filter(({ status }: { status: string }) => status === 'planned' || status === 'generated')
      .slice(0, most)
      .map(({ from }: { from: string }) => from.slice(0, 16))

  test('is moved alone once it has a job, and says so before', async () => {
    const one = await agreement(shop, { timeZone: zone, startsAt: inDays(3), rrule: 'FREQ=WEEKLY' })
    const path = `/recurring/${one.id}/visits/0`
    const [first] = await one.occurrences()
    const { day } = wallOf(new Date(first.from), zone)
    const refused = await manager.submit(await manager.open(path), path, { day: addDays(day, 1), which: 'this' })
    assert.equal(refused.status, 409)
    assert.match(refused.text, /This visit has no job yet, so it cannot be moved by itself/)
    await manager.submit(refused, `/recurring/${one.id}/generate`)
    const moved = await manager.submit(await manager.open(path), path, {
      day: addDays(day, 1),
      minutes: '120',
      which: 'this',
    })
    assert.match(moved.text, /The visit is changed.*Moved/s)
    const [after, second] = await one.occurrences()
    assert.deepEqual([wallOf(new Date(after.from), zone).day, after.isMoved], [addDays(day, 1), true])
    assert.equal(Date.parse(after.to) - Date.parse(after.from), 7_200_000)
    assert.equal(second.isMoved, false)
    const page = await manager.open(path)
    const longer = await manager.submit(page, path, { minutes: '150', which: 'this' })
    assert.match(longer.text, /The visit is changed/)
    assert.equal((await lastAudit())?.operation, 'resizeOccurrence')
    const stale = await manager.submit(page, path, { minutes: '180', which: 'this' })
    assert.equal(stale.status, 412)
    assert.match(stale.text, /Somebody moved this visit while you were writing/)
  })

  test('moves with all later ones: its day of the rule goes along, the others stay', async () => {
    const { one, path } = await weekly()
    const later = await manager.open(`${path}/visits/1`)
    const moved = await manager.submit(later, `${path}/visits/1`, {
      day: addDays(monday, 4),
      time: '14:30',
      which: 'later',
    })
    assert.match(moved.text, /Every week on Monday and Friday at 14:30/)
    assert.deepEqual(await times(one), [
      `${addDays(monday, 4)}T14:30`,
      `${addDays(monday, 7)}T14:30`,
      `${addDays(monday, 11)}T14:30`,
      `${addDays(monday, 14)}T14:30`,
    ])
    assert.equal((await lastAudit())?.operation, 'updateRecurringSchedule')
    const across = await manager.open(`${path}/visits/${(await one.occurrences(`&from=${monday}T00:00:00Z`))[0].index}`)
    const index = /visits\/(\d+)"/.exec(across.text)![1]
    const refused = await manager.submit(across, `${path}/visits/${index}`, { day: addDays(monday, 9), which: 'later' })
    assert.equal(refused.status, 400)
    assert.match(refused.text, /cannot be told which of them move along/)
  })

  test('that has begun leaves its old place when it moves on with all later ones', async () => {
    const one = await agreement(shop, { timeZone: 'UTC', startsAt: inDays(2), rrule: 'FREQ=WEEKLY', horizonDays: 20 })
    await one.act('generate')
    const path = `/recurring/${one.id}/visits/0`
    const old = (await one.occurrences())[0]
    const day = wallOf(new Date(old.from), 'UTC').day
    const moved = await manager.submit(await manager.open(path), path, { day: addDays(day, 2), which: 'later' })
    assert.match(moved.text, /The visit is changed/)
    const after = await one.occurrences()
    const first = after.find(({ index }: { index: number }) => index === old.index)
    assert.deepEqual([first.status, first.skipReason], ['skipped', 'Moved, with all later ones'])
    const open = after.filter(({ status }: { status: string }) => status === 'generated' || status === 'planned')
    assert.equal(wallOf(new Date(open[0].from), 'UTC').day, addDays(day, 2))
    assert.equal(new Set(open.map(({ from }: { from: string }) => from)).size, open.length)
  })

  test('of a series whose rule somebody changed meanwhile is not moved by the old one', async () => {
    const { one, path } = await weekly()
    const page = await manager.open(`${path}/visits/0`)
    await one.put({ rrule: 'FREQ=WEEKLY;BYDAY=MO,WE' }, '?resync=thisAndFuture')
    const stale = await manager.submit(page, `${path}/visits/0`, { time: '15:00', which: 'later' })
    assert.equal(stale.status, 412)
    assert.match((await one.get()).rrule, /MO,WE/)
  })

  test('is skipped with a reason, unless somebody has begun its job', async () => {
    const one = await agreement(shop, { startsAt: inDays(2), horizonDays: 20 })
    await one.act('generate')
    const job = await one.job(0)
    await shop.post(`/tickets/${job.id}/services`, { name: 'Begun' })
    const path = `/recurring/${one.id}/visits/0`
    const refused = await manager.submit(await manager.open(path), `${path}/skip`, { reason: 'Holiday' })
    assert.equal(refused.status, 409)
    assert.match(refused.text, /Somebody has begun its job/)
    const next = `/recurring/${one.id}/visits/1`
    const skipped = await manager.submit(await manager.open(next), `${next}/skip`, { reason: 'Holiday' })
    assert.match(skipped.text, /The visit is skipped.*Skipped: Holiday/s)
    assert.equal((await manager.open(`/recurring/${one.id}/visits/999999`)).status, 404)
    assert.equal((await manager.open(`/recurring/${one.id}/visits/x`)).status, 404)
  })
})

test('an agreement of another shop is none of ours', async () => {
  const stranger = await here.organisation()
  const theirs = await agreement(stranger)
  for (const path of ['', '/edit', '/end', '/delete', '/visits/0'])
    assert.equal((await manager.open(`/recurring/${theirs.id}${path}`)).status, 404, path)
  for (const path of ['', '/pause', '/end', '/visits/0', '/visits/0/skip'])
    assert.equal((await manager.post(`/recurring/${theirs.id}${path}`, rule)).status, 404, path)
  const { id } = (await stranger.post('/customers', { firstName: 'Zuri' })).body.data
  assert.equal((await manager.open(`/recurring/new?customer=${id}`)).status, 404)
  assert.equal((await manager.post('/recurring/new', { ...rule, customerId: id })).status, 404)
})
