// The visits of a schedule over HTTP: their jobs, and how they are listed, skipped, moved and resized.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { blank, formWriter } from '../../../test/forms.ts'
import { type Agreement, agreement, inDays } from '../../../test/recurring.ts'
import { startTestService } from '../../../test/test-service.ts'
import { runRecurring } from '../../worker/recurring.ts'

const { organisation, database } = await startTestService()
const client = await organisation()
const pen = formWriter(database, client.orgId)

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
type Any = any
const fieldOf = (visits: Any[], field: string) => visits.map((visit) => visit[field])
const minutesLater = (moment: string, minutes: number) => new Date(Date.parse(moment) + minutes * 60_000).toISOString()

async function agreementWithJobs(fields: object = {}): Promise<Agreement> {
  const created = await agreement(client, fields)
  assert.equal((await created.act('generate')).status, 200)
  return created
}

describe('generation', () => {
  it('asks the jobs for their forms, which go with an untouched job', async () => {
    const shop = await organisation()
    const forms = formWriter(database, shop.orgId)
    const service = (await shop.post('/services', { name: 'Gas service' })).body.data
    await forms.import(
      [{ ...blank, name: 'Gas sheet' }],
      [{ name: 'Gas', template: 'Gas sheet', gate: 'completion', match: { serviceIds: [service.id] } }],
    )
    const created = await agreement(shop, { lineItems: [{ serviceId: service.id }] })
    await created.act('generate')
    const job = await created.job(0)
    assert.equal((await shop.get(`/tickets/${job.id}`)).body.data.openCompletionFormCount, 1)
    assert.equal((await created.visit(0, 'skip')).status, 200)
    const { formSubmissions } = (await shop.get(`/form-submissions?ticketId=${job.id}`)).body.data
    assert.deepEqual(formSubmissions, [])
  })

  it('makes one job with its event and lines for each visit up to the horizon, and the same ones again', async () => {
    const { id: serviceId } = (await client.post('/services', { name: 'Oven service', price: 50 })).body.data
    const { id: inventoryItemId } = (await client.post('/inventory', { name: 'Seal', price: 4, quantityOnHand: 100 }))
      .body.data
    const { id: stationId } = (await client.post('/stations', { name: 'Van' })).body.data
    const created = await agreement(client, {
      description: 'Ring twice',
      stationId,
      lineItems: [{ serviceId, quantity: 2 }, { inventoryItemId }, { name: 'Travel', unitPrice: 10 }],
    })
    const first = (await created.act('generate')).body.data
    assert.deepEqual(fieldOf(first.generated, 'index'), [0, 1, 2, 3, 4])
    const second = (await created.act('generate')).body.data
    assert.deepEqual(second.generated, first.generated)

    const job = await created.job(1)
    assert.deepEqual(
      [job.recurringScheduleId, job.occurrenceIndex, job.serviceRequired, job.description, job.stationId, job.status],
      [created.id, 1, 'Oven service', 'Ring twice', stationId, 'Open'],
    )
    assert.deepEqual([job.customerName, job.address], ['Amara', '12 Mill Lane'])
    assert.deepEqual([job.scheduledFrom, job.scheduledTo], [inDays(8), inDays(8, 60)])
    const event = (await client.get(`/calendar-events/${job.calendarEventId}`)).body.data
    assert.deepEqual(
      [event.ticketId, event.from, event.recurringScheduleId, event.occurrenceIndex],
      [job.id, job.scheduledFrom, created.id, 1],
    )
    const { services } = (await client.get(`/tickets/${job.id}/services`)).body.data
    assert.deepEqual(fieldOf(services, 'name'), ['Oven service', 'Travel'])
    assert.deepEqual(fieldOf(services, 'lineTotal'), [100, 10])
    const { inventory } = (await client.get(`/tickets/${job.id}/inventory`)).body.data
    assert.deepEqual(fieldOf(inventory, 'name'), ['Seal'])
    assert.equal((await client.get(`/inventory/${inventoryItemId}`)).body.data.quantityOnHand, 95)
    const { messages } = (await client.get(`/tickets/${job.id}/messages`)).body.data
    assert.deepEqual(fieldOf(messages, 'systemEvent'), ['jobCreated', 'scheduled'])
    assert.deepEqual(messages[0].systemData, { source: 'schedule' })
  })

  it('reaches as far as it is asked to, a year at most', async () => {
    const shop = await organisation()
    const created = await agreement(shop)
    const near = (await created.act('generate', { through: inDays(9) })).body.data
    assert.deepEqual([fieldOf(near.generated, 'index'), near.generatedThrough], [[0, 1], inDays(9)])
    const startedAt = performance.now()
    const { generated } = (await created.act('generate', { through: inDays(364) })).body.data
    // A busy machine may take longer than a caller waits: then the worker goes on with it.
    const isLate = performance.now() - startedAt > 2_000
    const now = new Date(Date.now() + 60_000)
    const later = isLate ? await runRecurring(database, { orgId: shop.orgId, now }) : { generated: 0 }
    assert.equal(generated.length + later.generated, 52)
    const { status, body } = await created.act('generate', { through: inDays(366) })
    assert.deepEqual([status, body.error], [400, 'through must be at most 365 days ahead'])
    assert.equal((await created.act('generate', { through: 'soon' })).status, 400)
  })

  it('leaves out what was past when the schedule was made, but not its numbers', async () => {
    const created = await agreementWithJobs({ startsAt: inDays(-15) })
    const visits = await created.occurrences()
    assert.deepEqual([visits[0].index, visits[0].from], [3, inDays(6)])
  })

  it('keeps the time on the wall when the clocks change', async () => {
    const year = new Date().getUTCFullYear() + 1
    const created = await agreement(client, { startsAt: `${year}-03-01T09:00:00Z`, timeZone: 'Europe/London' })
    const visits = await created.occurrences(`&from=${year}-03-15T00:00:00Z&to=${year}-04-20T00:00:00Z`)
    const times = fieldOf(visits, 'from').map((from: string) => from.slice(11, 16))
    assert.deepEqual([times[0], times.at(-1), times.length], ['09:00', '08:00', 6])
  })

  it('makes each job once, however many ask at once', async () => {
    const created = await agreement(client, { rrule: 'FREQ=DAILY' })
    const answers = await Promise.all(Array.from({ length: 8 }, () => created.act('generate')))
    assert.deepEqual(fieldOf(answers, 'status'), Array(8).fill(200))
    const ids = answers.map(({ body }) => fieldOf(body.data.generated, 'ticketId').slice(0, 29).join())
    assert.equal(new Set(ids).size, 1)
    const { tickets } = (await client.get(`/tickets?customerId=${created.customerId}&limit=100`)).body.data
    assert.equal(new Set(fieldOf(tickets, 'occurrenceIndex')).size, tickets.length)
    assert.equal(tickets.length, (await created.get()).generatedCount)
  })
})

describe('a list of visits', () => {
  it('shows generated and planned ones by number, in pages', async () => {
    const created = await agreementWithJobs()
    await created.visit(6, 'skip', { reason: 'Holiday' })
    const seen: Any[] = []
    let cursor = ''
    for (;;) {
      const { data } = (await client.get(`${created.path}/occurrences?limit=3&to=${inDays(60)}${cursor}`)).body
      seen.push(...data.occurrences)
      if (!data.pagination.hasMore) break
      cursor = `&startAfter=${data.pagination.nextCursor}`
    }
    assert.deepEqual(fieldOf(seen, 'index'), [0, 1, 2, 3, 4, 5, 6, 7, 8])
    const expected = [...Array(5).fill('generated'), 'planned', 'skipped', 'planned', 'planned']
    assert.deepEqual(fieldOf(seen, 'status'), expected)
    assert.equal(seen[6].skipReason, 'Holiday')
  })

  it('shows what overlaps a window of a year at most', async () => {
    const created = await agreementWithJobs()
    const indexes = async (query: string) => fieldOf(await created.occurrences(query), 'index')
    assert.deepEqual(await indexes(`&from=${inDays(8, 59)}&to=${inDays(15)}`), [1])
    assert.deepEqual(await indexes(`&from=${inDays(8, 60)}&to=${inDays(15, 1)}`), [2])
    assert.deepEqual(await indexes(`&from=${inDays(50)}&to=${inDays(57, 1)}`), [7, 8])
    for (const [query, error] of [
      [`?to=${inDays(367)}`, 'to must be at most 366 days after now'],
      [`?from=${inDays(10)}&to=${inDays(377)}`, 'to must be at most 366 days after from'],
      [`?from=${inDays(2)}&to=${inDays(1)}`, 'to must be after from'],
      ['?startAfter=abc', 'startAfter is not a known cursor'],
      ['?startAfter=1234567', 'startAfter is not a known cursor'],
    ]) {
      const { status, body } = await client.get(`${created.path}/occurrences${query}`)
      assert.deepEqual([status, body.error], [400, error])
    }
    assert.equal((await client.get('/recurring-schedules/rec_none/occurrences')).status, 404)
  })

  it('ends where the series ends', async () => {
    const created = await agreement(client, { rrule: 'FREQ=DAILY;COUNT=3' })
    assert.deepEqual(fieldOf(await created.occurrences(), 'index'), [0, 1, 2])
    assert.equal((await client.get(`${created.path}/occurrences?startAfter=3`)).status, 400)
  })
})

describe('a number', () => {
  it('must be whole and not negative, and one of the series', async () => {
    const created = await agreement(client, { rrule: 'FREQ=DAILY;COUNT=3' })
    for (const index of ['-1', 'one', '1a', '0x1']) {
      const { status, body } = await created.visit(index, 'skip')
      assert.deepEqual([status, body.error], [400, 'index must be a whole number from 0 on'])
    }
    assert.equal((await created.visit('1.5', 'skip')).status, 400)
    for (const index of ['3', '999999', '99999999999999999999']) {
      for (const [action, body] of [
        ['skip', {}],
        ['move', { from: inDays(1) }],
        ['resize', { durationMinutes: 30 }],
      ] as const) {
        assert.equal((await created.visit(index, action, body)).status, 404)
      }
    }
  })
})

describe('a skip', () => {
  it('takes a planned visit off the plan', async () => {
    const created = await agreement(client)
    const { status, body } = await created.visit(1, 'skip', { reason: 'Closed' })
    assert.deepEqual([status, body.data.status, body.data.skipReason], [200, 'skipped', 'Closed'])
    const { generated } = (await created.act('generate')).body.data
    assert.deepEqual(fieldOf(generated, 'index'), [0, 2, 3, 4])
    assert.equal((await created.visit(1, 'skip', { reason: 'Again' })).body.data.skipReason, 'Closed')
  })

  it('of the next visit shows in nextOccurrenceAt', async () => {
    const created = await agreement(client)
    await created.visit(0, 'skip')
    assert.equal((await created.get()).nextOccurrenceAt, inDays(8))
  })

  it('deletes a job that nobody has begun, with its event, and parts go back', async () => {
    const { id: inventoryItemId } = (await client.post('/inventory', { name: 'Filter', quantityOnHand: 10 })).body.data
    const created = await agreementWithJobs({ lineItems: [{ inventoryItemId }] })
    const job = await created.job(0)
    assert.equal((await created.visit(0, 'skip')).body.data.ticketId, null)
    assert.equal((await client.get(`/tickets/${job.id}`)).status, 404)
    assert.equal((await client.get(`/calendar-events/${job.calendarEventId}`)).status, 404)
    assert.equal((await client.get(`/inventory/${inventoryItemId}`)).body.data.quantityOnHand, 6)
    assert.deepEqual(fieldOf((await created.act('generate')).body.data.generated, 'index'), [1, 2, 3, 4])
  })

  const waysToWork: Readonly<Record<string, (job: string) => Promise<unknown>>> = {
    'a message': (job) => client.post(`${job}/messages`, { text: 'Called ahead' }),
    'another status': (job) => client.put(`${job}/status`, { status: 'In Progress' }),
    'another status and back': async (job) => {
      await client.put(`${job}/status`, { status: 'In Progress' })
      await client.put(`${job}/status`, { status: 'Open' })
    },
    'a line more': (job) => client.post(`${job}/services`, { name: 'Extra' }),
    'a part more': (job) => client.post(`${job}/inventory`, { name: 'Extra' }),
    'a line changed': async (job) => client.put(`${job}/services/${await lineOf(job)}`, { quantity: 2 }),
    'a line less': async (job) => client.delete(`${job}/services/${await lineOf(job)}`),
    'a discount': (job) => client.put(`${job}/discount`, { type: 'percent', value: 10 }),
    'a line more and less': async (job) => {
      const { id } = (await client.post(`${job}/services`, { name: 'Extra' })).body.data
      await client.delete(`${job}/services/${id}`)
    },
    'a part more and less': async (job) => {
      const { id } = (await client.post(`${job}/inventory`, { name: 'Extra' })).body.data
      await client.delete(`${job}/inventory/${id}`)
    },
    'a discount and none': async (job) => {
      await client.put(`${job}/discount`, { type: 'percent', value: 10 })
      assert.equal((await client.delete(`${job}/discount`)).status, 200)
    },
    'a signature': (job) => client.put(`${job}/signature`, { signature: 'x' }),
    'a quote': (job) => client.post('/quotes', { ticketId: job.split('/').at(-1) }),
    'an invoice': (job) => client.post('/invoices', { ticketId: job.split('/').at(-1) }),
    'a form that was begun': async (job) => {
      const { templates } = await pen.import([{ ...blank, name: 'Service sheet' }])
      await pen.start((await pen.add(job.split('/').at(-1)!, templates[0]!, 'none')).id)
    },
  }
  const lineOf = async (job: string) => (await client.get(`${job}/services`)).body.data.services[0].id
  for (const [what, work] of Object.entries(waysToWork)) {
    it(`is refused once the job has ${what}`, async () => {
      const created = await agreementWithJobs({ lineItems: [{ name: 'Labour' }] })
      const { id } = await created.job(2)
      await work(`/tickets/${id}`)
      const { status, body } = await created.visit(2, 'skip')
      assert.deepEqual([status, body.code], [409, 'OCCURRENCE_WORKED'])
      assert.equal((await client.get(`/tickets/${id}`)).status, 200)
      assert.equal((await created.visit(3, 'skip')).status, 200, 'the others can be skipped')
    })
  }

  it('puts a moved visit back to where the series has it', async () => {
    const created = await agreementWithJobs()
    await created.visit(1, 'move', { from: inDays(9) })
    const { data } = (await created.visit(1, 'skip')).body
    assert.deepEqual([data.status, data.from, data.to, data.isMoved], ['skipped', inDays(8), inDays(8, 60), false])
  })

  it('of a number whose slot a visit of an earlier shape has finds nothing', async () => {
    const created = await agreementWithJobs()
    const { id } = await created.job(1)
    await client.post(`/tickets/${id}/messages`, { text: 'Parts ordered' })
    await created.put({ durationMinutes: 30 }, '?resync=thisAndFuture')
    const visits = await created.occurrences()
    const next = visits.filter(({ index }: Any) => index > 4)
    assert.deepEqual(fieldOf(next.slice(0, 2), 'index'), [5, 7])
    assert.equal((await created.visit(6, 'skip')).status, 404)
    assert.equal((await created.visit(7, 'skip')).status, 200)
  })

  it('is not work: another technician, a description, a note of the service', async () => {
    const created = await agreementWithJobs()
    const { id } = await created.job(0)
    await client.put(`/tickets/${id}`, { description: 'Side door', priority: 'high' })
    assert.equal((await created.visit(0, 'skip')).status, 200)
  })

  it('and a message at the same moment: one of them is refused', async () => {
    const created = await agreementWithJobs({ rrule: 'FREQ=DAILY;COUNT=12' })
    for (let index = 0; index < 12; index++) {
      const { id } = await created.job(index)
      const [skip, message] = await Promise.all([
        created.visit(index, 'skip'),
        client.post(`/tickets/${id}/messages`, { text: 'On my way' }),
      ])
      const isKept = (await client.get(`/tickets/${id}`)).status === 200
      assert.deepEqual([skip.status, message.status], isKept ? [409, 201] : [200, 404])
    }
  })
})

describe('what lies too far ahead', () => {
  /** As many days as a rule can name, each of them twice, on every day of eight thousand years. */
  const everyDay = `FREQ=DAILY;BYMONTHDAY=${Array.from({ length: 31 }, (_, day) => day + 1)},-1`
  const years = (count: number) => inDays(Math.round(count * 365.25))

  it('is neither listed nor a visit to skip, and does not spoil the numbers', async () => {
    const created = await agreementWithJobs({ rrule: everyDay, horizonDays: 3 })
    const { status, body } = await client.get(`${created.path}/occurrences?from=9998-01-01T00:00:00Z&limit=1`)
    assert.deepEqual([status, body.error], [400, 'from must be at most 10 years ahead'])
    assert.equal((await client.get(`${created.path}/occurrences?from=${years(9.9)}&limit=1`)).status, 200)
    assert.equal((await client.get(`${created.path}/occurrences?startAfter=999999`)).status, 400)
    for (const index of [999_999, 3_660]) assert.equal((await created.visit(index, 'skip')).status, 404)
    assert.equal((await created.visit(3_600, 'skip')).status, 200)
    await created.put({ durationMinutes: 30 }, '?resync=thisAndFuture')
    const live = (await created.occurrences()).filter(({ status }: Any) => status === 'generated')
    assert.deepEqual(fieldOf(live, 'index'), [3_601, 3_602, 3_603])
  })

  it('is refused as an end that no calendar has', async () => {
    const created = await agreementWithJobs({ durationMinutes: 600 })
    const moved = await created.visit(0, 'move', { from: '9999-12-30T20:00:00Z' })
    assert.deepEqual([moved.status, moved.body.error], [400, 'from lets the visit end after 9999-12-30'])
    assert.equal((await created.visit(0, 'move', { from: '9999-12-30T10:00:00Z' })).status, 200)
    const resized = await created.visit(0, 'resize', { durationMinutes: 900 })
    assert.deepEqual([resized.status, resized.body.error], [400, 'durationMinutes lets the visit end after 9999-12-30'])
  })

  it('can be agreed upon, up to the end of the calendar', async () => {
    const week = { durationMinutes: 10_080, timeZone: 'Etc/GMT+12' }
    for (const day of ['20', '22', '30']) {
      const created = await agreement(client, { ...week, rrule: 'FREQ=DAILY', startsAt: `9999-12-${day}T23:00:00Z` })
      assert.deepEqual(await created.occurrences(), [])
      assert.equal((await created.visit(0, 'skip')).status, 404)
    }
  })
})

describe('a move', () => {
  it('takes the job and its event along, keeps the length, and leaves the others alone', async () => {
    const created = await agreementWithJobs()
    const before = await created.occurrences(`&to=${inDays(30)}`)
    const { status, body } = await created.visit(1, 'move', { from: inDays(9, 30) })
    assert.equal(status, 200)
    assert.deepEqual(body.data, {
      ...before[1],
      from: inDays(9, 30),
      to: inDays(9, 90),
      isMoved: true,
    })
    const job = await created.job(1)
    assert.deepEqual([job.scheduledFrom, job.scheduledTo], [inDays(9, 30), inDays(9, 90)])
    const event = (await client.get(`/calendar-events/${job.calendarEventId}`)).body.data
    assert.deepEqual([event.from, event.to], [job.scheduledFrom, job.scheduledTo])
    const { messages } = (await client.get(`/tickets/${job.id}/messages`)).body.data
    assert.equal(messages.at(-1).systemEvent, 'occurrenceMoved')
    const after = await created.occurrences(`&to=${inDays(30)}`)
    assert.deepEqual(after.toSpliced(1, 1), before.toSpliced(1, 1))
  })

  it('to another length resizes too', async () => {
    const created = await agreementWithJobs()
    const { data } = (await created.visit(0, 'move', { from: inDays(2), to: inDays(2, 15) })).body
    assert.deepEqual([data.isMoved, data.isResized, data.to], [true, true, inDays(2, 15)])
    const { status, body } = await created.visit(0, 'move', { from: inDays(2), to: inDays(2) })
    assert.deepEqual([status, body.error], [400, 'to must be after from'])
    assert.equal((await created.visit(0, 'move', {})).body.error, 'from is required')
  })

  it('is refused while there is no job, planned or skipped', async () => {
    const created = await agreement(client)
    await created.visit(1, 'skip')
    for (const index of [0, 1]) {
      for (const [action, body] of [
        ['move', { from: inDays(5) }],
        ['resize', { durationMinutes: 30 }],
      ] as const) {
        const answer = await created.visit(index, action, body)
        assert.deepEqual([answer.status, answer.body.code], [409, 'OCCURRENCE_NOT_GENERATED'])
      }
    }
  })

  it('is what a change of the job’s times is', async () => {
    const created = await agreementWithJobs()
    const { id } = await created.job(2)
    await client.put(`/tickets/${id}`, { scheduledFrom: inDays(16), scheduledTo: inDays(16, 60) })
    const moved = (await created.occurrences())[2]
    assert.deepEqual([moved.from, moved.isMoved, moved.isResized], [inDays(16), true, false])
    await client.put(`/tickets/${id}`, { scheduledTo: inDays(16, 90) })
    const resized = (await created.occurrences())[2]
    assert.deepEqual([resized.to, resized.isResized], [inDays(16, 90), true])
    const { status, body } = await client.put(`/tickets/${id}`, { scheduledFrom: null, scheduledTo: null })
    assert.equal(status, 400)
    assert.match(body.error, /skip the visit instead/)
    const { messages } = (await client.get(`/tickets/${id}/messages`)).body.data
    assert.deepEqual(fieldOf(messages, 'systemEvent').slice(2), ['occurrenceMoved', 'occurrenceResized'])
  })
})

describe('a resize', () => {
  it('takes an end or a length, and exactly one of them', async () => {
    const created = await agreementWithJobs()
    const { from } = (await created.occurrences())[0]
    const longer = (await created.visit(0, 'resize', { durationMinutes: 95 })).body.data
    assert.deepEqual([longer.to, longer.isResized, longer.isMoved], [minutesLater(from, 95), true, false])
    const shorter = (await created.visit(0, 'resize', { to: minutesLater(from, 20) })).body.data
    assert.equal(shorter.to, minutesLater(from, 20))
    for (const body of [{}, { to: minutesLater(from, 20), durationMinutes: 20 }]) {
      const answer = await created.visit(0, 'resize', body)
      assert.deepEqual([answer.status, answer.body.error], [400, 'Give exactly one of to and durationMinutes'])
    }
    assert.equal((await created.visit(0, 'resize', { to: from })).body.error, 'to must be after from')
    assert.equal((await created.visit(0, 'resize', { durationMinutes: 4 })).status, 400)
  })
})

describe('the calendar', () => {
  it('cannot move, relink or delete a visit, but can call it something else', async () => {
    const created = await agreementWithJobs()
    const { calendarEventId } = await created.job(0)
    const path = `/calendar-events/${calendarEventId}`
    for (const body of [{ from: inDays(0, 90) }, { to: inDays(3) }, { allDay: true }, { ticketId: null }]) {
      const answer = await client.put(path, body)
      assert.deepEqual([answer.status, answer.body.code], [409, 'RECURRING_VISIT'])
    }
    assert.equal((await client.delete(path)).body.code, 'RECURRING_VISIT')
    assert.equal((await client.put(path, { title: 'Ovens' })).body.data.title, 'Ovens')
    assert.equal((await created.occurrences())[0].isMoved, false)
  })
})

describe('the job of a visit', () => {
  it('when deleted, leaves a skipped visit that does not come back', async () => {
    const created = await agreementWithJobs()
    const { id } = await created.job(1)
    assert.equal((await client.delete(`/tickets/${id}`)).status, 200)
    const visit = (await created.occurrences())[1]
    assert.deepEqual([visit.status, visit.skipReason, visit.ticketId], ['skipped', 'job deleted', null])
    assert.deepEqual(fieldOf((await created.act('generate')).body.data.generated, 'index'), [0, 2, 3, 4])
  })
})
