// Races about jobs: their calendar events, statuses, forms, stations, series and customers.
import { setTimeout as delay } from 'node:timers/promises'
import { raw, sql } from '../../src/db/database.ts'
import { dayMs } from '../../src/domain/durations.ts'
import { blank, formWriter } from '../../test/forms.ts'
import {
  check,
  countOutcomes,
  expectOnly,
  expectOutcomes,
  type Race,
  type RaceContext,
  runConcurrently,
  times,
} from './context.ts'

const nine = { from: '2027-01-12T09:00:00Z', to: '2027-01-12T10:00:00Z' }
const createJob = async (context: RaceContext): Promise<string> =>
  (await context.create('/tickets', { customerName: 'Amara' })).id

async function countRows(context: RaceContext, table: 'calendar_events' | 'tickets', column: string, value: string) {
  const [row] = await context.fleet.database.query<{ count: number }>(sql`
    select count(*)::int as count from ${raw(table)} where org_id = ${context.shop.orgId} and ${raw(column)} = ${value}`)
  return row!.count
}

export const oneEvent: Race = {
  what: 'a job has at most one calendar event',
  async prepare(context) {
    return async (round) => {
      const id = await createJob(context)
      const createEvent = () => context.post('/calendar-events', { title: 'Visit', ...nine, ticketId: id })
      const schedule = () => context.put(`/tickets/${id}`, { scheduledFrom: nine.from, scheduledTo: nine.to })
      // Every other round the job's own times, which make an event too, come in between.
      const isMixed = round % 2 === 1
      const replies = await runConcurrently(times(16, (n) => (isMixed && n % 4 === 0 ? schedule : createEvent)))
      const events = await countRows(context, 'calendar_events', 'ticket_id', id)
      return [
        ...(isMixed
          ? expectOnly(['200', '201', '409 CALENDAR_EVENT_EXISTS'], replies)
          : expectOutcomes({ '201': 1, '409 CALENDAR_EVENT_EXISTS': 15 }, replies)),
        ...check(replies.filter(({ status }) => status === 201).length <= 1, 'events made', countOutcomes(replies)),
        ...check(events === 1, 'events of the job', events),
      ]
    }
  },
}

export const lastStatus: Race = {
  what: 'the last status is never lost',
  async prepare(context) {
    // Those that are built in cannot be deleted at all.
    await context.fleet.database.query(
      sql`update ticket_statuses set type = 'custom' where org_id = ${context.shop.orgId}`,
    )
    const list = async () => (await context.get('/ticket-statuses')).body.data.ticketStatuses
    return async (round) => {
      const { length } = await list()
      await runConcurrently(
        times(16 - length, (n) => () => context.post('/ticket-statuses', { name: `Round ${round} ${n}` })),
      )
      const ticketStatuses: { id: string }[] = await list()
      const replies = await runConcurrently(
        ticketStatuses.map(
          ({ id }: { id: string }) =>
            () =>
              context.delete(`/ticket-statuses/${id}`),
        ),
      )
      const left = await list()
      return [
        ...expectOutcomes({ '200': 15, '409 LAST_STATUS': 1 }, replies),
        ...check(left.length === 1, 'statuses left', left.length),
      ]
    }
  },
}

/** A move sent after a form was acknowledged as open is refused; a move that is refused had an open form. */
export const gates: Race = {
  what: 'a job does not move past an open form, and the counters agree with the forms',
  async prepare(context) {
    const writer = formWriter(context.fleet.database, context.shop.orgId)
    const { templates } = await writer.import([blank])
    return async () => {
      const id = await createJob(context)
      const move = () => context.put(`/tickets/${id}/status`, { status: 'In Progress' })
      const forms: { sentAt: number; answeredAt: number }[] = []
      const open = async () => {
        const sentAt = performance.now()
        await writer.add(id, templates[0]!, 'start')
        forms.push({ sentAt, answeredAt: performance.now() })
      }
      const moves = await runConcurrently(
        times(16, (n) => async () => {
          await delay(Math.random() * 15)
          return n < 4 ? void (await open()) : move()
        }),
      )
      const replies = moves.filter((reply) => reply !== undefined)
      const [first] = replies.filter(({ status }) => status === 200).sort((a, b) => a.answeredAt - b.answeredAt)
      const movesPastForm = replies.filter(
        ({ status, sentAt }) =>
          // Writing the status that a job has is no move.
          status === 200 &&
          forms.some(({ answeredAt }) => answeredAt < sentAt) &&
          !(first && first.answeredAt < sentAt),
      )
      const unfoundedRefusals = replies.filter(
        ({ status, answeredAt }) => status === 409 && !forms.some(({ sentAt }) => sentAt < answeredAt),
      )
      const miscounted = await writer.miscounted()
      return [
        ...expectOnly(['200', '409 FORM_GATE_TRANSITION'], replies),
        ...check(movesPastForm.length === 0, 'moves past a form', movesPastForm.length),
        ...check(unfoundedRefusals.length === 0, 'refusals without a form', unfoundedRefusals.length),
        ...check(miscounted.length === 0, 'counters', miscounted),
      ]
    }
  },
}

export const deletionGate: Race = {
  what: 'a job is deleted, or keeps the forms that are opened on it',
  async prepare(context) {
    const writer = formWriter(context.fleet.database, context.shop.orgId)
    const { templates } = await writer.import([blank])
    return async () => {
      const id = await createJob(context)
      let opened = 0
      const open = async () => {
        await writer.add(id, templates[0]!, 'completion').then(
          () => opened++,
          () => {}, // the job is gone
        )
      }
      const deletions = await runConcurrently(
        times(16, (n) => async () => (n % 4 === 0 ? void (await open()) : context.delete(`/tickets/${id}`))),
      )
      const replies = deletions.filter((reply) => reply !== undefined)
      const [{ forms } = { forms: 0 }] = await context.fleet.database.query<{ forms: number }>(sql`
        select count(*)::int as forms from form_submissions where org_id = ${context.shop.orgId} and ticket_id = ${id}`)
      const isDeleted = replies.some(({ status }) => status === 200)
      return [
        ...(isDeleted
          ? [
              ...expectOnly(['200', '404'], replies),
              ...check(opened + forms === 0, 'forms of a job that is gone', { opened, forms }),
            ]
          : [...expectOutcomes({ '409 FORM_GATE_DELETE': 12 }, replies), ...check(forms === 4, 'forms', forms)]),
      ]
    }
  },
}

export const stations: Race = {
  what: 'a station is deleted, or keeps the jobs that are given to it',
  async prepare(context) {
    const jobs: string[] = []
    for (const _ of times(8, (n) => n)) jobs.push(await createJob(context))
    return async () => {
      const { id } = await context.create('/stations', { name: 'Bench' })
      const replies = await runConcurrently([
        ...jobs.map((job) => () => context.put(`/tickets/${job}`, { stationId: id })),
        ...times(8, () => () => context.delete(`/stations/${id}`)),
      ])
      const [assigned, deleted] = [replies.slice(0, 8), replies.slice(8)]
      const assignedJobs = await countRows(context, 'tickets', 'station_id', id)
      const isDeleted = deleted.some(({ status }) => status === 200)
      if (!isDeleted) await Promise.all(jobs.map((job) => context.put(`/tickets/${job}`, { stationId: null })))
      return isDeleted
        ? [
            ...expectOnly(['200', '404'], deleted),
            ...expectOutcomes({ '400': 8 }, assigned),
            ...check(assignedJobs === 0, 'jobs at a station that is gone', assignedJobs),
          ]
        : [
            ...expectOutcomes({ '409 STATION_IN_USE': 8 }, deleted),
            ...expectOutcomes({ '200': 8 }, assigned),
            ...check(assignedJobs === 8, 'jobs at the station', assignedJobs),
          ]
    }
  },
}

export const schedules: Race = {
  what: 'a schedule is deleted, or has each of its visits once',
  async prepare(context) {
    const { id: customerId } = await context.create('/customers', { firstName: 'Amara' })
    const startsAt = new Date(Date.now() + dayMs).toISOString()
    const agreement = { customerId, startsAt, timeZone: 'UTC', rrule: 'FREQ=DAILY;COUNT=3', serviceRequired: 'Oven' }
    return async () => {
      const { id } = await context.create('/recurring-schedules', agreement)
      const replies = await runConcurrently(
        times(
          16,
          (n) => () =>
            n % 2 === 0
              ? context.post(`/recurring-schedules/${id}/generate`)
              : context.delete(`/recurring-schedules/${id}`),
        ),
      )
      const [generated, deleted] = [0, 1].map((rest) => replies.filter((_, n) => n % 2 === rest))
      const visits = await countRows(context, 'tickets', 'recurring_schedule_id', id)
      const isDeleted = deleted!.some(({ status }) => status === 200)
      return isDeleted
        ? [
            ...expectOnly(['200', '404'], deleted!),
            ...expectOutcomes({ '404': 8 }, generated!),
            ...check(visits === 0, 'visits of a schedule that is gone', visits),
          ]
        : [
            ...expectOutcomes({ '409 SCHEDULE_IN_USE': 8 }, deleted!),
            ...expectOutcomes({ '200': 8 }, generated!),
            ...check(visits === 3, 'visits', visits),
          ]
    }
  },
}

export const cascade: Race = {
  what: 'a customer who is deleted leaves no job and no device behind',
  async prepare(context) {
    return async () => {
      const { id } = await context.create('/customers', { firstName: 'Amara' })
      const replies = await runConcurrently(
        times(
          16,
          (n) => () =>
            n % 4 === 3
              ? context.delete(`/customers/${id}?cascade=true`)
              : n % 2 === 0
                ? context.post('/tickets', { customerId: id })
                : context.post(`/customers/${id}/devices`, { name: 'Oven' }),
        ),
      )
      const deleted = replies.filter((_, n) => n % 4 === 3)
      const created = replies.filter((_, n) => n % 4 !== 3)
      const ids = created.filter(({ status }) => status === 201).map(({ body }) => body.data.id as string)
      const left = await context.fleet.database.query(sql`
        select id from tickets where org_id = ${context.shop.orgId} and id = any(${ids})
        union all select id from devices where org_id = ${context.shop.orgId} and id = any(${ids})`)
      return [
        ...expectOutcomes({ '200': 1, '404': 3 }, deleted),
        ...expectOnly(['201', '404'], created),
        ...check(left.length === 0, 'records left', left),
      ]
    }
  },
}
