// The calendar feed as a phone reads it: a real iCalendar parser, secret addresses, and who is shut out.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import ICAL from 'ical.js'
import { commandLine, settingsFor } from '../../test/command-line.ts'
import { agreement, inDays } from '../../test/recurring.ts'
import { startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { renderICalendar } from '../domain/icalendar.ts'
import { addMember, updateMember } from '../identity/members.ts'

const here = await startTestService({ LOG_LEVEL: 'debug' })
const run = commandLine(settingsFor(here))
const vault = { encrypt: (text: string) => text, decrypt: (text: string) => text } as never

const logged: string[] = []
const write = process.stderr.write.bind(process.stderr)
process.stderr.write = ((chunk: string, ...rest: []) => {
  if (!String(chunk).startsWith('{')) return write(chunk, ...rest)
  logged.push(String(chunk))
  return true
}) as typeof process.stderr.write

async function addStaff(orgId: string, firstName: string) {
  const email = `${firstName}-${orgId}@staff.example`.toLowerCase()
  return here.database.transaction('test', (transaction) => addMember(transaction, vault, orgId, { email, firstName }))
}

/** A feed's path on the server of this test: the address it is shown under is the public one. */
async function createFeed(orgId: string, ...words: string[]): Promise<{ id: string; path: string }> {
  const { json } = await run('calendar', 'feed', 'create', '--org', orgId, ...words, '--json')
  assert.match(json.url, /\/calendar\/[A-Za-z0-9_-]{32}\.ics$/)
  return { id: json.id, path: new URL(json.url).pathname }
}

const read = (path: string, headers: Record<string, string> = {}) => fetch(here.origin + path, { headers })

async function entries(path: string) {
  const response = await read(path)
  assert.equal(response.status, 200)
  return parseCalendar(await response.text())
}

function parseCalendar(text: string) {
  const calendar = new ICAL.Component(ICAL.parse(text))
  return calendar.getAllSubcomponents('vevent').map((one) => new ICAL.Event(one))
}

describe('a feed', () => {
  it('shows a member their own week: visits, whole days, where and for whom', async () => {
    const shop = await here.organisation({ name: 'Harbour; Repairs, Ltd' })
    const neighbour = await here.organisation()
    await neighbour.post('/calendar-events', { title: 'Somebody else’s', from: inDays(2), to: inDays(3) })
    const [ann, bob] = [await addStaff(shop.orgId, 'Ann'), await addStaff(shop.orgId, 'Bob')]
    const made = await agreement(shop, { assignedTechnician: ann.id })
    await made.act('generate', { through: inDays(9) })
    await shop.post('/calendar-events', { title: 'Bob only', from: inDays(2), to: inDays(3), assignedToId: bob.id })
    await shop.post('/calendar-events', { title: 'Nobody', from: inDays(2), to: inDays(3) })
    const day = { title: 'Trade fair', allDay: true, assignedToId: ann.id }
    const later = await shop.post('/calendar-events', { ...day, from: inDays(60), to: inDays(61) })
    await shop.post('/calendar-events', { ...day, title: 'Too far', from: inDays(200), to: inDays(201) })

    const { path } = await createFeed(shop.orgId, '--member', ann.id)
    const response = await read(path)
    assert.equal(response.headers.get('content-type'), 'text/calendar; charset=utf-8')
    assert.equal(response.headers.get('cache-control'), 'private, max-age=300')
    const text = await response.text()
    assert.ok(text.includes('\r\nX-WR-CALNAME:Ann\\, Harbour\\; Repairs\\, Ltd\r\n'))
    const mine = parseCalendar(text).filter(({ summary }) => !/Trade fair/.test(summary))
    const jobs = [await made.job(0), await made.job(1)]
    assert.deepEqual(
      mine.map(({ startDate, endDate }) => [startDate.toJSDate().toISOString(), endDate.toJSDate().toISOString()]),
      jobs.map(({ scheduledFrom, scheduledTo }) => [scheduledFrom, scheduledTo]),
    )
    assert.deepEqual(
      mine.map(({ uid }) => uid),
      jobs.map(({ calendarEventId }) => `${calendarEventId}@${shop.orgId}`),
    )
    assert.equal(mine[0]!.summary, '#1 Oven service')
    assert.equal(mine[0]!.location, '12 Mill Lane')
    assert.match(mine[0]!.description, /^Amara/)
    const fair = parseCalendar(text).find(({ summary }) => summary === 'Trade fair')!
    assert.equal(fair.startDate.isDate, true)
    const { from, to } = later.body.data
    const dayIn = (moment: string) =>
      new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London' }).format(new Date(moment))
    assert.deepEqual([fair.startDate.toString(), fair.endDate.toString()], [dayIn(from), dayIn(to)])

    const all = await entries((await createFeed(shop.orgId)).path)
    assert.ok(['Bob only', 'Nobody'].every((title) => all.some(({ summary }) => summary === title)))
    assert.ok(all.every(({ summary }) => summary !== 'Too far' && summary !== 'Somebody else’s'))
  })

  it('is told apart by its tag, which stays until something changes', async () => {
    const shop = await here.organisation()
    const { id } = (await shop.post('/calendar-events', { title: 'One', from: inDays(1), to: inDays(2) })).body.data
    const { path } = await createFeed(shop.orgId)
    const etag = (await read(path)).headers.get('etag')!
    const same = await read(path, { 'if-none-match': etag })
    assert.deepEqual([same.status, await same.text()], [304, ''])
    await shop.put(`/calendar-events/${id}`, { title: 'Two' })
    assert.equal((await read(path, { 'if-none-match': etag })).status, 200)
  })
})

describe('an address', () => {
  it('that is unknown, malformed, revoked or of a member who left is not found, always in the same words', async () => {
    const shop = await here.organisation()
    const ann = await addStaff(shop.orgId, 'Ann')
    const [own, everybodys] = [await createFeed(shop.orgId, '--member', ann.id), await createFeed(shop.orgId)]
    assert.equal((await read(own.path)).status, 200)
    await updateMember(here.database, shop.orgId, ann.id, { isActive: false, role: null })
    assert.equal((await read(everybodys.path)).status, 200)
    assert.equal((await run('calendar', 'feed', 'revoke', everybodys.id, '--org', shop.orgId)).code, 0)
    const paths = [own.path, everybodys.path, `/calendar/${'a'.repeat(32)}.ics`, '/calendar/x.ics', '/calendar/x']
    for (const path of [...paths, everybodys.path.replace('.ics', '')]) {
      const response = await read(path)
      assert.deepEqual([response.status, await response.json()], [404, { success: false, error: 'Calendar not found' }])
    }
    await updateMember(here.database, shop.orgId, ann.id, { isActive: true, role: null })
    assert.equal((await read(own.path)).status, 200)
  })

  it('is stored as a hash, listed without its secret, and never logged', async () => {
    const shop = await here.organisation()
    const { path, id } = await createFeed(shop.orgId)
    await read(path)
    const token = path.slice('/calendar/'.length, -'.ics'.length)
    const rows = await here.database.query(sql`select to_jsonb(f)::text as row from calendar_feeds f where id = ${id}`)
    assert.ok(!JSON.stringify(rows).includes(token))
    const { json } = await run('calendar', 'feed', 'list', '--org', shop.orgId, '--json')
    assert.deepEqual([json.feeds.length, json.feeds[0].id], [1, id])
    assert.ok(!JSON.stringify(json).includes(token))
    assert.ok(logged.some((line) => line.includes('/calendar/:file')))
    assert.ok(!logged.some((line) => line.includes(token)))
  })

  it('is made for members of the organisation only', async () => {
    const [shop, other] = [await here.organisation(), await here.organisation()]
    const stranger = await addStaff(other.orgId, 'Eve')
    const { code, stderr } = await run('calendar', 'feed', 'create', '--org', shop.orgId, '--member', stranger.id)
    assert.deepEqual([code, stderr.includes('There is no member')], [1, true])
    const foreign = await createFeed(other.orgId)
    assert.equal((await run('calendar', 'feed', 'revoke', foreign.id, '--org', shop.orgId)).code, 1)
    assert.equal((await read(foreign.path)).status, 200)
  })

  it('cannot be guessed at speed', async () => {
    const answers: number[] = []
    for (let turn = 0; turn < 70 && answers.at(-1) !== 429; turn++) {
      const response = await read(`/calendar/${String(turn).padStart(32, '0')}.ics`)
      answers.push(response.status)
      if (response.status === 429) assert.ok(Number(response.headers.get('retry-after')) >= 1)
    }
    assert.equal(answers.at(-1), 429)
  })
})

describe('iCalendar text', () => {
  it('comes back from a parser as it went in, whatever it holds, in lines of 75 octets', () => {
    const words = fc.string({ unit: 'grapheme', maxLength: 120 }).map((text) => text.replace(/\p{Cc}/gu, '').trim())
    const texts = fc.array(words, { maxLength: 4 }).map((lines) => lines.join('\n').trim())
    fc.assert(
      fc.property(texts, texts, texts, (title, location, description) => {
        const moment = new Date('2026-11-15T09:00:00Z')
        const text = renderICalendar('A calendar', [
          { uid: 'evt@org', title, from: moment, to: moment, days: null, location, description, changedAt: moment },
        ])
        assert.ok(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75 && !/[\r\n]/.test(line)))
        const [entry] = parseCalendar(text)
        assert.deepEqual(
          [entry!.summary ?? '', entry!.location ?? '', entry!.description ?? ''],
          [title, location, description],
        )
      }),
      { numRuns: 500 },
    )
  })
})
