// Recurring schedules for tests: a customer with an agreement, and what one does with it.
import assert from 'node:assert/strict'
import { dayMs, minuteMs } from '../src/domain/durations.ts'
import type { Client, Reply } from './test-service.ts'

const now = Math.floor(Date.now() / minuteMs) * minuteMs
/** So many days from when the test began, on the minute. */
export const inDays = (days: number, minutes = 0): string =>
  new Date(now + days * dayMs + minutes * minuteMs).toISOString()

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
type Any = any

export interface Agreement {
  readonly id: string
  readonly path: string
  readonly customerId: string
  get(): Promise<Any>
  put(body: object, query?: string): Promise<Reply>
  act(action: string, body?: object): Promise<Reply>
  /** Carries an action out on a visit. */
  visit(index: number | string, action: string, body?: object): Promise<Reply>
  occurrences(query?: string): Promise<Any[]>
  /** The job of a visit. */
  job(index: number): Promise<Any>
}

/** An agreement of a new customer: weekly from tomorrow, where clocks never change, unless given otherwise. */
export async function agreement(client: Client, fields: object = {}): Promise<Agreement> {
  const { id: customerId } = (await client.post('/customers', { firstName: 'Amara', address: '12 Mill Lane' })).body
    .data
  const { status, body } = await client.post('/recurring-schedules', {
    customerId,
    startsAt: inDays(1),
    timeZone: 'UTC',
    rrule: 'FREQ=WEEKLY',
    serviceRequired: 'Oven service',
    ...fields,
  })
  assert.equal(status, 201, JSON.stringify(body))
  const { id } = body.data
  const path = `/recurring-schedules/${id}`
  const occurrences = async (query = '') => {
    const { body } = await client.get(`${path}/occurrences?limit=100${query}`)
    return body.data.occurrences
  }
  return {
    id,
    path,
    customerId,
    get: async () => (await client.get(path)).body.data,
    put: (body, query = '') => client.put(path + query, body),
    act: (action, body) => client.post(`${path}/${action}`, body),
    visit: (index, action, body) => client.post(`${path}/occurrences/${index}/${action}`, body),
    occurrences,
    async job(index) {
      const { ticketId } = (await occurrences()).find((one: Any) => one.index === index)
      return (await client.get(`/tickets/${ticketId}`)).body.data
    },
  }
}
