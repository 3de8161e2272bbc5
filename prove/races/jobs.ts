// Races about jobs: their calendar events, statuses, forms, stations, series and customers.
import { setTimeout as delay } from 'node:timers/promises'
import { raw, sql } from '../../src/database.ts'
import { blank, hands } from '../../test/forms.ts'
import { exactly, expect, onlySome, type Race, type Ring, tally, times, together } from './ring.ts'

const nine = { from: '2027-01-12T09:00:00Z', to: '2027-01-12T10:00:00Z' }
const newJob = async (ring: Ring): Promise<string> => (await ring.made('/tickets', { customerName: 'Amara' })).id

async function count(ring: Ring, table: 'calendar_events' | 'tickets', column: string, value: string) {
  const [row] = await ring.fleet.database.query<{ count: number }>(sql`
    select count(*)::int as count from ${raw(table)} where org_id = ${ring.shop.orgId} and ${raw(column)} = ${value}`)
  return row!.count
}

export const oneEvent: Race = {
  what: 'a job has at most one calendar event',
  async begin(ring) {
    return async (round) => {
      const id = await newJob(ring)
      const book = () => ring.post('/calendar-events', { title: 'Visit', ...nine, ticketId: id })
      const schedule = () => ring.put(`/tickets/${id}`, { scheduledFrom: nine.from, scheduledTo: nine.to })
      // Every other round the job's own times, which make an event too, come in between.
      const isMixed = round % 2 === 1
      const replies = await together(times(16, (n) => (isMixed && n % 4 === 0 ? schedule : book)))
      const events = await count(ring, 'calendar_events', 'ticket_id', id)
      return [
        ...(isMixed
          ? onlySome(['200', '201', '409 CALENDAR_EVENT_EXISTS'], replies)
          : exactly({ '201': 1, '409 CALENDAR_EVENT_EXISTS': 15 }, replies)),
        ...expect(replies.filter(({ status }) => status === 201).length <= 1, 'events made', tally(replies)),
        ...expect(events === 1, 'events of the job', events),
      ]
    }
  },
}

export const lastStatus: Race = {
  what: 'the last status is never lost',
  async begin(ring) {
    // Those that are built in cannot be deleted at all.
    await ring.fleet.database.query(sql`update ticket_statuses set type = 'custom' where org_id = ${ring.shop.orgId}`)
    const list = async () => (await ring.get('/ticket-statuses')).body.data.ticketStatuses
    return async (round) => {
      const { length } = await list()
      await together(times(16 - length, (n) => () => ring.post('/ticket-statuses', { name: `Round ${round} ${n}` })))
      const ticketStatuses: { id: string }[] = await list()
      const replies = await together(
        ticketStatuses.map(
          ({ id }: { id: string }) =>
            () =>
              ring.delete(`/ticket-statuses/${id}`),
        ),
      )
      const left = await list()
      return [
        ...exactly({ '200': 15, '409 LAST_STATUS': 1 }, replies),
        ...expect(left.length === 1, 'statuses left', left.length),
      ]
    }
  },
}

/** Who was told that a form is open before a move was sent sees it refused; who is refused had a form to fear. */
export const gates: Race = {
  what: 'a job does not move past an open form, and the counters agree with the forms',
  async begin(ring) {
    const pen = hands(ring.fleet.database, ring.shop.orgId)
    const { templates } = await pen.import([blank])
    return async () => {
      const id = await newJob(ring)
      const move = () => ring.put(`/tickets/${id}/status`, { status: 'In Progress' })
      const forms: { sentAt: number; answeredAt: number }[] = []
      const open = async () => {
        const sentAt = performance.now()
        await pen.add(id, templates[0]!, 'start')
        forms.push({ sentAt, answeredAt: performance.now() })
      }
      const moves = await together(
        times(16, (n) => async () => {
          await delay(Math.random() * 15)
          return n < 4 ? void (await open()) : move()
        }),
      )
      const replies = moves.filter((reply) => reply !== undefined)
      const [first] = replies.filter(({ status }) => status === 200).sort((a, b) => a.answeredAt - b.answeredAt)
      const past = replies.filter(
        ({ status, sentAt }) =>
          // Writing the status that a job has is no move.
          status === 200 &&
          forms.some(({ answeredAt }) => answeredAt < sentAt) &&
          !(first && first.answeredAt < sentAt),
      )
      const baseless = replies.filter(
        ({ status, answeredAt }) => status === 409 && !forms.some(({ sentAt }) => sentAt < answeredAt),
      )
      const miscounted = await pen.miscounted()
      return [
        ...onlySome(['200', '409 FORM_GATE_TRANSITION'], replies),
        ...expect(past.length === 0, 'moves past a form', past.length),
        ...expect(baseless.length === 0, 'refusals without a form', baseless.length),
        ...expect(miscounted.length === 0, 'counters', miscounted),
      ]
    }
  },
}

export const deletionGate: Race = {
  what: 'a job is deleted, or keeps the forms that are opened on it',
  async begin(ring) {
    const pen = hands(ring.fleet.database, ring.shop.orgId)
    const { templates } = await pen.import([blank])
    return async () => {
      const id = await newJob(ring)
      let opened = 0
      const open = async () => {
        await pen.add(id, templates[0]!, 'completion').then(
          () => opened++,
          () => {}, // the job is gone
        )
      }
      const deletions = await together(
        times(16, (n) => async () => (n % 4 === 0 ? void (await open()) : ring.delete(`/tickets/${id}`))),
      )
      const replies = deletions.filter((reply) => reply !== undefined)
      const [{ forms } = { forms: 0 }] = await ring.fleet.database.query<{ forms: number }>(sql`
        select count(*)::int as forms from form_submissions where org_id = ${ring.shop.orgId} and ticket_id = ${id}`)
      const isGone = replies.some(({ status }) => status === 200)
      return [
        ...(isGone
          ? [
              ...onlySome(['200', '404'], replies),
              ...expect(opened + forms === 0, 'forms of a job that is gone', { opened, forms }),
            ]
          : [...exactly({ '409 FORM_GATE_DELETE': 12 }, replies), ...expect(forms === 4, 'forms', forms)]),
      ]
    }
  },
}

export const stations: Race = {
  what: 'a station is deleted, or keeps the jobs that are given to it',
  async begin(ring) {
    const jobs: string[] = []
    for (const _ of times(8, (n) => n)) jobs.push(await newJob(ring))
    return async () => {
      const { id } = await ring.made('/stations', { name: 'Bench' })
      const replies = await together([
        ...jobs.map((job) => () => ring.put(`/tickets/${job}`, { stationId: id })),
        ...times(8, () => () => ring.delete(`/stations/${id}`)),
      ])
      const [assigned, deleted] = [replies.slice(0, 8), replies.slice(8)]
      const jobsThere = await count(ring, 'tickets', 'station_id', id)
      const isGone = deleted.some(({ status }) => status === 200)
      if (!isGone) await Promise.all(jobs.map((job) => ring.put(`/tickets/${job}`, { stationId: null })))
      return isGone
        ? [
            ...onlySome(['200', '404'], deleted),
            ...exactly({ '400': 8 }, assigned),
            ...expect(jobsThere === 0, 'jobs at a station that is gone', jobsThere),
          ]
        : [
            ...exactly({ '409 STATION_IN_USE': 8 }, deleted),
            ...exactly({ '200': 8 }, assigned),
            ...expect(jobsThere === 8, 'jobs at the station', jobsThere),
          ]
    }
  },
}

export const schedules: Race = {
  what: 'a schedule is deleted, or has each of its visits once',
  async begin(ring) {
    const { id: customerId } = await ring.made('/customers', { firstName: 'Amara' })
    const startsAt = new Date(Date.now() + 86_400_000).toISOString()
    const agreement = { customerId, startsAt, timeZone: 'UTC', rrule: 'FREQ=DAILY;COUNT=3', serviceRequired: 'Oven' }
    return async () => {
      const { id } = await ring.made('/recurring-schedules', agreement)
      const replies = await together(
        times(
          16,
          (n) => () =>
            n % 2 === 0 ? ring.post(`/recurring-schedules/${id}/generate`) : ring.delete(`/recurring-schedules/${id}`),
        ),
      )
      const [generated, deleted] = [0, 1].map((rest) => replies.filter((_, n) => n % 2 === rest))
      const visits = await count(ring, 'tickets', 'recurring_schedule_id', id)
      const isGone = deleted!.some(({ status }) => status === 200)
      return isGone
        ? [
            ...onlySome(['200', '404'], deleted!),
            ...exactly({ '404': 8 }, generated!),
            ...expect(visits === 0, 'visits of a schedule that is gone', visits),
          ]
        : [
            ...exactly({ '409 SCHEDULE_IN_USE': 8 }, deleted!),
            ...exactly({ '200': 8 }, generated!),
            ...expect(visits === 3, 'visits', visits),
          ]
    }
  },
}

export const cascade: Race = {
  what: 'a customer who is deleted leaves no job and no device behind',
  async begin(ring) {
    return async () => {
      const { id } = await ring.made('/customers', { firstName: 'Amara' })
      const replies = await together(
        times(
          16,
          (n) => () =>
            n % 4 === 3
              ? ring.delete(`/customers/${id}?cascade=true`)
              : n % 2 === 0
                ? ring.post('/tickets', { customerId: id })
                : ring.post(`/customers/${id}/devices`, { name: 'Oven' }),
        ),
      )
      const deleted = replies.filter((_, n) => n % 4 === 3)
      const created = replies.filter((_, n) => n % 4 !== 3)
      const ids = created.filter(({ status }) => status === 201).map(({ body }) => body.data.id as string)
      const left = await ring.fleet.database.query(sql`
        select id from tickets where org_id = ${ring.shop.orgId} and id = any(${ids})
        union all select id from devices where org_id = ${ring.shop.orgId} and id = any(${ids})`)
      return [
        ...exactly({ '200': 1, '404': 3 }, deleted),
        ...onlySome(['201', '404'], created),
        ...expect(left.length === 0, 'records left', left),
      ]
    }
  },
}
