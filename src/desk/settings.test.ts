// Settings over HTTP: the organisation and the short lists, changed by those who may, refused in words, kept apart where two write.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { signIntoDesk } from '../../test/desk-user.ts'
import { untilWaiting } from '../../test/lock-waits.ts'
import { freePort } from '../../test/programs.ts'
import { unseenLocks } from '../../test/test-database.ts'
import { startTestService } from '../../test/test-service.ts'
import type { Page } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import { settingsKinds } from './settings-kinds.ts'

const here = await startTestService({ PORT: await freePort() })
const { database } = here

const shop = await here.organisation({ name: 'Harbour Repairs' })
const { orgId } = shop
const [admin, manager, technician] = [
  await signIntoDesk(here, orgId),
  await signIntoDesk(here, orgId, 'manager'),
  await signIntoDesk(here, orgId, 'technician'),
]
const lastAudit = async () => {
  const [line] = await database.query<{ detail: { operation: string; name: string } }>(
    sql`select detail from audit_log where org_id = ${orgId} order by at desc, id desc limit 1`,
  )
  return [line?.detail.operation, line?.detail.name]
}

describe('the way in', () => {
  test('leads each to the first page they have, and shows them no other', async () => {
    assert.match((await admin.open('/settings')).url, /\/settings\/organisation$/)
    const first = await manager.open('/settings')
    assert.match(first.url, /\/settings\/statuses$/)
    assert.doesNotMatch(first.text, /settings\/(organisation|members)"/)
    assert.match(first.text, /href="[^"]*\/settings"/, 'and stands in the rail')
    assert.doesNotMatch((await technician.open('/more')).text, /\/settings"/)
    for (const path of ['/settings/organisation', '/settings/members', '/settings/invitations/x/renew']) {
      assert.equal((await manager.post(path, { name: 'Ours' })).status, 403, path)
    }
    for (const { path } of settingsKinds)
      assert.equal((await technician.post(`/settings/${path}`, {})).status, 403, path)
    for (const path of ['/settings/mail/test', '/settings/calendars', '/settings/forms', '/settings/forms/rules'])
      assert.equal((await technician.post(path, {})).status, 403, path)
  })
})

describe('the organisation', () => {
  /** Text areas and choices as a browser sends them untouched. */
  const kept = {
    address: '3 Quay Street',
    documentTerms: '90 days',
    paymentInstructions: '',
    secondFactor: 'everybody',
  }

  test('is changed field by field, with a line in the audit log', async () => {
    const page = await admin.open('/settings/organisation')
    const saved = await admin.submit(page, '/settings/organisation', {
      taxNumber: 'GB123456789',
      address: '3 Quay Street',
      invoiceNumberPrefix: '',
      quoteValidDays: '21',
      secondFactor: 'everybody',
      currency: 'GBP',
      timeZone: 'Europe/London',
      documentTerms: '90 days',
      paymentInstructions: '',
      locale: 'en-GB',
    })
    assert.match(saved.text, /Saved\./)
    const { taxNumber, address, invoiceNumberPrefix, quoteValidDays, secondFactor } = (await shop.get('')).body.data
    assert.deepEqual(
      [taxNumber, address, invoiceNumberPrefix, quoteValidDays, secondFactor],
      ['GB123456789', '3 Quay Street', '', 21, 'everybody'],
    )
    assert.deepEqual(await lastAudit(), ['updateOrganisation', 'organisation Harbour Repairs'])
  })

  test('says in words beside the field what is refused, and keeps what was typed', async () => {
    await shop.post('/quotes', { customerName: 'Ada' })
    for (const [change, words] of [
      [{ currency: 'EUR' }, /id="currency-wrong"[^>]*>Currency cannot change after documents exist/],
      [{ currency: 'XXL' }, /id="currency-wrong"/],
      [{ timeZone: 'Mars/Olympus' }, /id="timeZone-wrong"[^>]*>Time zone must be/],
      [{ quoteValidDays: 'soon' }, /id="quoteValidDays-wrong"/],
      [{ logoUrl: 'http://plain.example/logo.png' }, /id="logoUrl-wrong"/],
      [{ invoiceNumberPrefix: 'a b' }, /id="invoiceNumberPrefix-wrong"/],
      [{ name: '' }, /id="name-wrong"/],
    ] as const) {
      const refused = await admin.submit(await admin.open('/settings/organisation'), '/settings/organisation', {
        phone: '020 7946 0001',
        ...change,
      })
      assert.equal(refused.status, 400, JSON.stringify(change))
      assert.match(refused.text, words)
      assert.match(refused.text, /value="020 7946 0001"/)
    }
    assert.equal((await shop.get('')).body.data.phone, null)
  })

  test('changed by two at once is shown in both versions; what only one changed stays', async () => {
    const page = await admin.open('/settings/organisation')
    await shop.put('', { email: 'theirs@mail.example', website: 'https://theirs.example' })
    const stale = await admin.submit(page, '/settings/organisation', {
      ...kept,
      email: 'mine@mail.example',
      phone: '020 7946 0002',
    })
    assert.equal(stale.status, 412)
    assert.match(stale.text, /theirs@mail\.example.*mine@mail\.example/s)
    await admin.submit(stale, '/settings/organisation', { email: 'mine@mail.example' })
    const { email, phone, website } = (await shop.get('')).body.data
    assert.deepEqual([email, phone, website], ['mine@mail.example', '020 7946 0002', 'https://theirs.example'])
  })
})

describe('each short list', () => {
  const samples: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    statuses: { name: 'Waiting for parts', color: '#ff9800', stage: 'inProgress' },
    stations: { name: 'Bench 1', capacity: '' },
    taxes: { name: 'VAT', rate: '20', isInclusive: 'no', defaultEnabled: 'yes' },
    'categories/inventory': { name: 'Displays', color: '' },
    'categories/assets': { name: 'Phones', color: '#2196f3' },
  }
  const readers: Readonly<Record<string, string>> = {
    statuses: '/ticket-statuses',
    stations: '/stations',
    taxes: '/tax-rates',
    'categories/inventory': '/inventory-categories',
    'categories/assets': '/asset-categories',
  }
  for (const kind of settingsKinds) {
    const path = `/settings/${kind.path}`
    const list = async () => (await shop.get(readers[kind.path]!)).body.data[kind.listKey]

    test(`${kind.path}: one is made, changed, kept apart where two write, and deleted`, async () => {
      const sample = samples[kind.path]!
      const made = await manager.submit(await manager.open(`${path}/new`), path, sample)
      assert.match(made.text, /It is added\./)
      const record = (await list()).find(({ name }: { name: string }) => name === sample.name)
      assert.ok(record)
      assert.deepEqual(await lastAudit(), [kind.operations.create, `${kind.noun} ${sample.name}`])
      const page = await manager.open(`${path}/${record.id}`)
      const renamed = await manager.submit(page, `${path}/${record.id}`, { ...sample, name: 'Renamed' })
      assert.match(renamed.text, /Saved\..*Renamed/s)
      assert.deepEqual(await lastAudit(), [kind.operations.update, `${kind.noun} ${sample.name}`])
      const stale = await manager.submit(page, `${path}/${record.id}`, { ...sample, name: 'Mine' })
      assert.equal(stale.status, 412)
      assert.match(stale.text, /Renamed.*Mine/s)
      const empty = await manager.post(path, { ...sample, name: '' })
      assert.equal(empty.status, 400)
      assert.match(empty.text, /Name is required/)
      const asked = await manager.open(`${path}/${record.id}/delete`)
      assert.ok(asked.text.includes('Delete Renamed?'))
      await shop.put(`${readers[kind.path]}/${record.id}`, { name: 'Changed again' })
      assert.equal((await manager.submit(asked, `${path}/${record.id}/delete`)).status, 412, 'another version')
      const fresh = await manager.open(`${path}/${record.id}/delete`)
      assert.match((await manager.submit(fresh, `${path}/${record.id}/delete`)).text, /It is deleted\./)
      assert.equal((await list()).filter(({ id }: { id: string }) => id === record.id).length, 0)
      assert.equal((await manager.open(`${path}/${record.id}`)).status, 404)
    })

    if (!kind.orderedDone) continue
    test(`${kind.path}: they are put in order by buttons and by drag, unless somebody was quicker`, async () => {
      for (const name of ['Alpha', 'Beta', 'Gamma']) await manager.post(path, { ...samples[kind.path], name })
      const ids = async () => (await list()).map(({ id }: { id: string }) => id) as string[]
      const before = await ids()
      const last = before.at(-1)!
      const page = await manager.open(`/settings/${kind.section}`)
      const moved = await manager.post(`${path}/order`, { seen: before.join(' '), move: last, up: 'yes' })
      assert.match(moved.text, /The order is changed/)
      assert.equal(/On the board it counts within each stage/.test(moved.text), kind.path === 'statuses')
      const expected = [...before.slice(0, -2), last, before.at(-2)!]
      assert.deepEqual(await ids(), expected)
      assert.match(page.text, new RegExp(`value="${before.join(' ')}"`))
      const stale = await manager.post(`${path}/order`, { seen: before.join(' '), move: last, up: 'yes' })
      assert.equal(stale.status, 412)
      assert.match(stale.text, /Somebody changed this list meanwhile/)
      const turned = expected.toReversed()
      const { status, said } = await manager.act(`${path}/order`, { seen: expected.join(' '), order: turned.join(' ') })
      assert.deepEqual([status, said.order], [200, turned.join(' ')])
      assert.deepEqual(await ids(), turned)
      const wrong = await manager.act(`${path}/order`, { seen: turned.join(' '), order: turned.slice(1).join(' ') })
      assert.equal(wrong.status, 412)
      assert.deepEqual(await ids(), turned)
    })
  }

  test('of two who put one list in order at once, the later one is right altogether', {
    skip: unseenLocks,
  }, async () => {
    const own = await here.organisation()
    const owner = await signIntoDesk(here, own.orgId, 'manager')
    for (const name of ['A', 'B', 'C', 'D', 'E']) await own.post('/stations', { name })
    const list = async (): Promise<Station[]> => (await own.get('/stations')).body.data.stations
    const ids = (await list()).map(({ id }) => id)
    const [first = '', second = '', third = '', fourth = '', fifth = ''] = ids
    const send = (order: readonly string[]) =>
      owner.act('/settings/stations/order', { seen: ids.join(' '), order: order.join(' ') })
    let sent: Promise<{ status: number }>[] = []
    await database.transaction('test', async (transaction) => {
      await transaction.query(sql`select from stations where org_id = ${own.orgId} and id = ${first} for update`)
      const turned = send(ids.toReversed())
      await untilWaiting(database, '%stations%', turned)
      // It has seen the list as it was; what it is behind of has not happened yet.
      const swapped = send([first, second, fourth, third, fifth])
      sent = [turned, swapped]
      await untilWaitingTwice('%stations%', swapped)
    })
    assert.deepEqual(
      (await Promise.all(sent)).map(({ status }) => status),
      [200, 200],
    )
    const after = await list()
    assert.deepEqual(
      after.map(({ index }) => index),
      [0, 1, 2, 3, 4],
    )
    const orders = [ids.toReversed(), [first, second, fourth, third, fifth]].map((order) => order.join(' '))
    assert.ok(orders.includes(after.map(({ id }) => id).join(' ')))
  })

  test('a status keeps what is built in, and one that a job has cannot go', async () => {
    const [open] = (await shop.get('/ticket-statuses')).body.data.ticketStatuses.filter(
      ({ type }: { type: string }) => type === 'default',
    )
    const path = `/settings/statuses/${open.id}`
    const page = await manager.open(path)
    const refused = await manager.submit(page, path, { name: 'Fresh', stage: open.stage })
    assert.equal(refused.status, 400)
    assert.match(refused.text, /Name of a built-in status cannot be changed|name of a built-in status/)
    const coloured = await manager.submit(page, path, { color: '#123456', stage: open.stage })
    assert.match(coloured.text, /Saved\./)
    assert.equal((await shop.get(`/ticket-statuses/${open.id}`)).body.data.color, 0xff123456)
    await shop.post('/ticket-statuses', { name: 'In use' })
    const used = (await shop.get('/ticket-statuses')).body.data.ticketStatuses.find(
      ({ name }: { name: string }) => name === 'In use',
    )
    await shop.post('/tickets', { customerName: 'Ada', status: 'In use' })
    const asked = await manager.open(`/settings/statuses/${used.id}/delete`)
    const kept = await manager.submit(asked, `/settings/statuses/${used.id}/delete`)
    assert.equal(kept.status, 409)
    assert.match(kept.text, /A job still has this status/)
  })

  test('one tax rate is the default, and a wrong one is refused beside its field', async () => {
    await manager.post('/settings/taxes', { name: 'Reduced', rate: '5', defaultEnabled: 'yes' })
    await manager.post('/settings/taxes', { name: 'Standard', rate: '20', defaultEnabled: 'yes' })
    const { taxRates } = (await shop.get('/tax-rates')).body.data
    assert.deepEqual(
      taxRates
        .filter(({ defaultEnabled }: { defaultEnabled: boolean }) => defaultEnabled)
        .map(({ name }: Named) => name),
      ['Standard'],
    )
    for (const rate of ['120', 'a fifth']) {
      const refused: Page = await manager.post('/settings/taxes', { name: 'Wrong', rate })
      assert.equal(refused.status, 400)
      assert.match(refused.text, /id="rate-wrong"[^>]*>Percent must be/)
    }
  })
})

/** Until a second one waits too, or is over without. */
async function untilWaitingTwice(pattern: string, work: Promise<unknown>): Promise<void> {
  let isOver = false
  work.finally(() => {
    isOver = true
  })
  const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and query ilike ${pattern} and query not like '%stat_activity%'`
  while (!isOver && (await database.query(waiting)).length < 2) await new Promise((resolve) => setTimeout(resolve, 10))
}

interface Station {
  readonly id: string
  readonly index: number
}

interface Named {
  readonly name: string
}

test('what belongs to another shop is none of ours', async () => {
  const stranger = await here.organisation()
  const station = (await stranger.post('/stations', { name: 'Theirs' })).body.data
  for (const path of [`/settings/stations/${station.id}`, `/settings/stations/${station.id}/delete`]) {
    assert.equal((await manager.open(path)).status, 404)
    assert.equal((await manager.post(path, { name: 'Ours' })).status, 404)
  }
  const order = await manager.post('/settings/stations/order', { seen: station.id, order: station.id })
  assert.equal(order.status, 412)
})
