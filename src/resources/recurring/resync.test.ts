// What a new shape or a new template does to visits there are: nothing worked on is lost, nothing is visited twice.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { blank, formWriter } from '../../../test/forms.ts'
import { type Agreement, agreement, inDays } from '../../../test/recurring.ts'
import { type Client, startTestService } from '../../../test/test-service.ts'
import { sql } from '../../db/database.ts'
import { runRecurring } from '../../worker/recurring.ts'

const { organisation, database } = await startTestService()
const client = await organisation()

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
type Any = any
const fieldOf = (visits: Any[], field: string) => visits.map((visit) => visit[field])

describe('a new shape', () => {
  it('needs resync=thisAndFuture, whether or not anything is generated', async () => {
    const created = await agreement(client)
    const changes = [
      { rrule: 'FREQ=DAILY' },
      { startsAt: inDays(2) },
      { timeZone: 'Europe/Paris' },
      { durationMinutes: 30 },
    ]
    for (const isGenerated of [false, true]) {
      if (isGenerated) await created.act('generate')
      for (const change of changes) {
        const { status, body } = await created.put(change)
        assert.deepEqual([status, body.code], [409, 'SERIES_SHAPE_CHANGE'])
      }
    }
    assert.equal((await created.put({ rrule: 'FREQ=DAILY' }, '?resync=all')).status, 400)
    const same = { rrule: 'freq=weekly', startsAt: inDays(1), timeZone: 'UTC', durationMinutes: 60, name: 'Ovens' }
    assert.equal((await created.put(same)).status, 200, 'the same shape is no change of it')
  })

  it('replaces what nobody touched, keeps the rest, and never uses a number again', async () => {
    const created = await agreement(client)
    await created.act('generate')
    const before = await created.occurrences(`&to=${inDays(30)}`)
    await created.visit(0, 'move', { from: inDays(1, 30) })
    await created.visit(1, 'resize', { durationMinutes: 90 })
    await created.visit(2, 'skip')
    await client.post(`/tickets/${before[3].ticketId}/messages`, { text: 'Parts ordered' })
    const { status } = await created.put({ rrule: 'FREQ=WEEKLY;INTERVAL=2' }, '?resync=thisAndFuture')
    assert.equal(status, 200)
    const after = await created.occurrences(`&to=${inDays(50)}`)
    assert.deepEqual(fieldOf(after.slice(0, 5), 'status'), [
      'generated',
      'generated',
      'skipped',
      'generated',
      'cancelled',
    ])
    assert.deepEqual(fieldOf(after.slice(0, 2), 'ticketId'), fieldOf(before.slice(0, 2), 'ticketId'))
    assert.equal(after[3].ticketId, before[3].ticketId)
    assert.equal((await client.get(`/tickets/${before[4].ticketId}`)).status, 404)
    // Every second week is day 1, 15, 29 and 43: the first two have a visit already, moved or skipped.
    const rest = after.slice(5)
    assert.ok(rest.every(({ index }: Any) => index > 4))
    assert.deepEqual(fieldOf(rest, 'from'), [inDays(29), inDays(43)])
    assert.deepEqual(fieldOf(rest, 'status'), ['generated', 'planned'])
  })

  it('leaves past visits alone', async () => {
    const created = await agreement(client, { rrule: 'FREQ=DAILY' })
    await created.act('generate', { through: inDays(3) })
    // Written as they are: Citus does not reckon with moments in an update.
    for (const { index, from, to } of (await created.occurrences()).slice(0, 2)) {
      const [start, end] = [from, to].map((at: string) => new Date(Date.parse(at) - 9 * 86_400_000))
      await database.query(sql`update recurring_occurrences set starts_at = ${start}, ends_at = ${end}, original_from = ${start}
        where schedule_id = ${created.id} and index = ${index}`)
    }
    const past = (await created.occurrences()).slice(0, 2)
    await created.put({ rrule: 'FREQ=WEEKLY' }, '?resync=thisAndFuture')
    assert.deepEqual((await created.occurrences()).slice(0, 2), past)
    assert.equal((await client.get(`/tickets/${past[0].ticketId}`)).status, 200)
  })

  it('that begins later keeps the visits until then, planned ones too', async () => {
    const created = await agreement(client)
    await created.act('generate', { through: inDays(10) })
    await created.put({ startsAt: inDays(25), rrule: 'FREQ=DAILY' }, '?resync=thisAndFuture')
    const visits = await created.occurrences(`&to=${inDays(28)}`)
    assert.deepEqual(
      fieldOf(visits, 'from'),
      [1, 8, 15, 22, 25, 26, 27].map((days) => inDays(days)),
    )
    assert.deepEqual(fieldOf(visits, 'status'), ['generated', 'generated', ...Array(5).fill('planned')])
    assert.equal((await created.get()).nextOccurrenceAt, inDays(1))
    await created.act('generate', { through: inDays(26) })
    const later = await created.occurrences(`&to=${inDays(28)}`)
    assert.deepEqual(fieldOf(later, 'status'), [...Array(6).fill('generated'), 'planned'])
    assert.deepEqual(fieldOf(later, 'index'), fieldOf(visits, 'index'))
  })

  it('that begins later than anything has begun leaves nothing of the old one', async () => {
    const created = await agreement(client)
    await created.put({ startsAt: inDays(16), rrule: 'FREQ=DAILY;COUNT=2' }, '?resync=thisAndFuture')
    const visits = await created.occurrences()
    assert.deepEqual(
      visits.map(({ index, from }: Any) => [index, from]),
      [
        [0, inDays(16)],
        [1, inDays(17)],
      ],
    )
  })

  it('counts COUNT from its own beginning', async () => {
    const created = await agreement(client, { startsAt: inDays(-13), rrule: 'FREQ=WEEKLY;COUNT=4' })
    assert.deepEqual(fieldOf(await created.occurrences(), 'index'), [2, 3])
    await created.put({ rrule: 'FREQ=WEEKLY;COUNT=5' }, '?resync=thisAndFuture')
    const visits = await created.occurrences()
    assert.deepEqual(fieldOf(visits, 'from'), [inDays(1), inDays(8), inDays(15)])
    assert.equal(visits[0].index, 2)
  })

  it('of a paused schedule generates nothing', async () => {
    const created = await agreement(client)
    await created.act('generate')
    await created.act('pause')
    await created.put({ rrule: 'FREQ=DAILY' }, '?resync=thisAndFuture')
    assert.equal((await created.get()).generatedCount, 0)
    await created.act('resume')
    assert.equal((await created.act('generate')).status, 200)
  })
})

describe('a resync', () => {
  it('writes the template into jobs that nobody touched, and into no others', async () => {
    const created = await agreement(client, { lineItems: [{ name: 'Labour', unitPrice: 50 }] })
    await created.act('generate')
    await created.visit(1, 'move', { from: inDays(9) })
    const jobs = await Promise.all([0, 1, 2].map((index) => created.job(index)))
    await client.put(`/tickets/${jobs[2].id}/status`, { status: 'In Progress' })
    await created.put({ serviceRequired: 'Deep clean', lineItems: [{ name: 'Clean', unitPrice: 70 }, { name: 'Wax' }] })
    assert.equal((await created.job(0)).serviceRequired, 'Oven service', 'a template is for later visits')
    assert.deepEqual((await created.act('resync')).body.data, { updated: 3, created: 0, removed: 0, kept: 2 })
    const first = await created.job(0)
    assert.deepEqual([first.id, first.serviceRequired], [jobs[0].id, 'Deep clean'])
    const { services } = (await client.get(`/tickets/${first.id}/services`)).body.data
    assert.deepEqual(fieldOf(services, 'name'), ['Clean', 'Wax'])
    assert.equal((await created.job(1)).serviceRequired, 'Oven service')
    assert.equal((await created.job(2)).serviceRequired, 'Oven service')
    assert.equal((await created.visit(0, 'skip')).status, 200, 'what the schedule wrote is nobody’s work')
    assert.deepEqual((await created.act('resync', { from: inDays(20) })).body.data, {
      updated: 2,
      created: 0,
      removed: 0,
      kept: 0,
    })
  })

  it('comes with a change of the template when asked for', async () => {
    const created = await agreement(client)
    await created.act('generate')
    await created.put({ description: 'Side door' }, '?resync=thisAndFuture')
    assert.equal((await created.job(0)).description, 'Side door')
    assert.equal((await created.get()).generatedCount, 5)
  })

  it('leaves the forms a job still needs as they are, and takes back what it no longer needs', async () => {
    const shop = await organisation()
    const forms = formWriter(database, shop.orgId)
    const { id: serviceId } = (await shop.post('/services', { name: 'Gas service' })).body.data
    await forms.import(
      [{ ...blank, name: 'Gas sheet' }],
      [{ name: 'Gas', template: 'Gas sheet', gate: 'completion', match: { serviceIds: [serviceId] } }],
    )
    const created = await agreement(shop, { lineItems: [{ serviceId }, { name: 'Travel' }] })
    await created.act('generate')
    const { id } = await created.job(0)
    const submissions = async () =>
      (await shop.get(`/form-submissions?ticketId=${id}`)).body.data.formSubmissions.map((form: Any) => [
        form.id,
        form.status,
      ])
    const [[first]] = await submissions()
    await created.put({ lineItems: [{ name: 'Parking' }, { serviceId, quantity: 2 }] }, '?resync=thisAndFuture')
    assert.deepEqual(await submissions(), [[first, 'open']])
    await created.put({ lineItems: [] }, '?resync=thisAndFuture')
    assert.deepEqual(await submissions(), [[first, 'voided']])
    assert.deepEqual(await forms.miscounted(), [])
  })

  it('keeps a job that somebody gave to another customer', async () => {
    const created = await agreement(client)
    await created.act('generate')
    const { id } = await created.job(1)
    const { id: customerId } = (await client.post('/customers', { firstName: 'Bela' })).body.data
    await client.put(`/tickets/${id}`, { customerId })
    const { id: deviceId } = (await client.post(`/customers/${created.customerId}/devices`, { brand: 'X' })).body.data
    await created.put({ deviceId })
    assert.deepEqual((await created.act('resync')).body.data, { updated: 4, created: 0, removed: 0, kept: 1 })
    assert.deepEqual([(await created.job(0)).deviceId, (await created.job(1)).deviceId], [deviceId, null])
  })

  it('leaves visits of the earlier shape where a new one begins only later', async () => {
    const created = await agreement(client)
    await created.act('generate')
    await created.put({ startsAt: inDays(20), rrule: 'FREQ=DAILY' }, '?resync=thisAndFuture')
    await created.put({ description: 'Side door' })
    const { body } = await created.act('resync')
    assert.deepEqual([body.data.removed, body.data.kept], [0, 0])
    const visits = (await created.occurrences(`&to=${inDays(21)}`)).filter(({ status }: Any) => status === 'generated')
    assert.deepEqual(
      fieldOf(visits, 'from'),
      [1, 8, 15, 20].map((days) => inDays(days)),
    )
    assert.equal((await created.job(1)).description, 'Side door')
  })

  it('takes back a visit of an earlier shape once there is no work on it, and fills its slot', async () => {
    const created = await agreement(client)
    await created.act('generate')
    const { id } = await created.job(1)
    const { id: messageId } = (await client.post(`/tickets/${id}/messages`, { text: 'Wait' })).body.data
    await created.put({ durationMinutes: 120 }, '?resync=thisAndFuture')
    await client.delete(`/tickets/${id}/messages/${messageId}`)
    assert.deepEqual((await created.act('resync')).body.data, { updated: 4, created: 1, removed: 1, kept: 0 })
    const live = (await created.occurrences(`&to=${inDays(30)}`)).filter(({ status }: Any) => status === 'generated')
    assert.deepEqual(
      fieldOf(live, 'to').toSorted(),
      [1, 8, 15, 22, 29].map((days) => inDays(days, 120)),
    )
  })
})

type Edit = readonly [kind: string, pick: number]
const edits = fc.array(
  fc.tuple(
    fc.constantFrom(
      'generate',
      'move',
      'resize',
      'skip',
      'work',
      'shape',
      'template',
      'resync',
      'delete',
      'pause',
      'resume',
      'worker',
    ),
    fc.nat({ max: 1_000 }),
  ),
  { minLength: 4, maxLength: 14 },
)
const rules = [
  'FREQ=DAILY',
  'FREQ=WEEKLY',
  'FREQ=WEEKLY;BYDAY=MO,WE,FR',
  'FREQ=DAILY;INTERVAL=3',
  'FREQ=DAILY;COUNT=20',
]

/** Carries an edit out and says which job somebody worked on or deleted by it. */
async function edit(
  shop: Client,
  created: Agreement,
  [kind, pick]: Edit,
): Promise<{ worked?: string; deleted?: string }> {
  const live = (await created.occurrences()).filter(({ ticketId }: Any) => ticketId)
  const visit = live[pick % Math.max(1, live.length)]
  const all = await created.occurrences()
  const any = all[pick % Math.max(1, all.length)]
  if (kind === 'generate') await created.act('generate', { through: inDays(3 + (pick % 20)) })
  if (kind === 'move' && visit) await created.visit(visit.index, 'move', { from: inDays(1 + (pick % 25), 15) })
  if (kind === 'resize' && visit) await created.visit(visit.index, 'resize', { durationMinutes: 5 + (pick % 90) })
  if (kind === 'skip' && any) await created.visit(any.index, 'skip')
  if (kind === 'shape') {
    const startsAt = inDays((pick % 9) - 3, pick % 2 ? 0 : 30)
    await created.put({ rrule: rules[pick % rules.length], startsAt }, '?resync=thisAndFuture')
  }
  if (kind === 'template') await created.put({ description: `Number ${pick}` }, pick % 2 ? '' : '?resync=thisAndFuture')
  if (kind === 'resync' || kind === 'pause' || kind === 'resume') await created.act(kind)
  if (kind === 'worker') await runRecurring(database, { orgId: shop.orgId, now: new Date(inDays(pick % 3)) })
  if (kind === 'delete' && visit) {
    if ((await shop.delete(`/tickets/${visit.ticketId}`)).status === 200) return { deleted: visit.ticketId }
  }
  if (kind === 'work' && visit) {
    const works = [
      () => shop.post(`/tickets/${visit.ticketId}/messages`, { text: 'Worked' }),
      () => shop.put(`/tickets/${visit.ticketId}/status`, { status: 'Closed' }),
      () => shop.post(`/tickets/${visit.ticketId}/services`, { name: 'Extra' }),
    ]
    await works[pick % works.length]!()
    return { worked: visit.ticketId }
  }
  return {}
}

it('whatever is done to a schedule, nothing worked on is lost, no slot is visited twice, no number is used again', async () => {
  await fc.assert(
    fc.asyncProperty(edits, async (list) => {
      const shop = await organisation()
      const created = await agreement(shop, { rrule: 'FREQ=DAILY', lineItems: [{ name: 'Labour' }] })
      const worked = new Set<string>()
      const slots = new Map<number, string>()
      for (const one of list) {
        const before = await created.occurrences()
        const outcome = await edit(shop, created, one)
        if (outcome.worked) worked.add(outcome.worked)
        if (outcome.deleted) worked.delete(outcome.deleted)
        const visits = await created.occurrences()
        const kept = visits.filter(({ status }: Any) => status !== 'planned' && status !== 'cancelled')
        assert.equal(new Set(fieldOf(kept, 'originalFrom')).size, kept.length, 'a slot is visited twice')
        const notCancelled = visits.filter(({ status }: Any) => status !== 'cancelled')
        assert.equal(
          new Set(fieldOf(notCancelled, 'originalFrom')).size,
          notCancelled.length,
          'a slot is planned twice',
        )
        for (const { index, originalFrom, status } of visits) {
          if (status === 'planned') continue
          assert.equal(slots.get(index) ?? originalFrom, originalFrom, 'a number is used again')
          slots.set(index, originalFrom)
        }
        for (const { index, status, isMoved, isResized } of before) {
          if (one[0] === 'delete' || one[0] === 'skip') break
          const now = visits.find((visit: Any) => visit.index === index)
          if (status === 'skipped') assert.equal(now?.status, 'skipped', 'a skipped visit came back')
          if (isMoved || isResized) assert.equal(now?.status, status, 'a visit somebody moved is gone')
        }
        const { tickets } = (await shop.get('/tickets?limit=100')).body.data
        const ticketsById = new Map(tickets.map((ticket: Any) => [ticket.id, ticket]))
        for (const id of worked) assert.ok(ticketsById.has(id), 'a job that was worked on is gone')
        const generated = visits.filter(({ status }: Any) => status === 'generated')
        assert.equal(tickets.length, generated.length, 'each generated visit has its job, and there are no others')
        for (const { index, ticketId, from, to } of generated) {
          const job: Any = ticketsById.get(ticketId)
          assert.deepEqual([job?.occurrenceIndex, job?.scheduledFrom, job?.scheduledTo], [index, from, to])
        }
      }
    }),
    { numRuns: 8, endOnFailure: true },
  )
})
