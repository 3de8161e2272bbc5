// The limit: what PostgreSQL can do here, with the very statements of the service and the same values, from a loop that does
// nothing but send them.
import { fileURLToPath } from 'node:url'
import type { ConnectionOptions, Query } from '../src/db/database.ts'
import type { Context, Statement } from '../src/operations/operation.ts'
import { operations } from '../src/resources/index.ts'
import type { LimitLoad, PreparedRequest } from './limit-loop.ts'
import { type Contestant, connections, runLoad } from './rounds.ts'
import { pageSize, type RequestSpec, type Workload } from './workloads.ts'

/** Those that are one statement. */
export const limitWorkloads: readonly Workload[] = ['read', 'list', 'page', 'create', 'search', 'jobs', 'job']

const loop = fileURLToPath(new URL('limit-loop.ts', import.meta.url))

/** Statements under way: as many as requests with HTTP. */
interface Shape {
  readonly connections: number
  /** On each connection. */
  readonly depth: number
}

/** What pgbench does: as many connections as with HTTP, and the next statement when the last is answered. */
export const limitOf = (connection: ConnectionOptions): Contestant =>
  askPostgres('limit', connection, () => ({ connections, depth: 1 }))

/**
 * As the service sends them: PostgreSQL is woken less often. Reads are quickest over few connections that are never idle; commits
 * wait for the disk, which many connections share.
 */
export const pipelinedLimitOf = (connection: ConnectionOptions): Contestant =>
  askPostgres('pipelined', connection, (workload) =>
    workload === 'create' ? { connections: 16, depth: 2 } : { connections: 4, depth: 8 },
  )

const askPostgres = (
  name: string,
  connection: ConnectionOptions,
  shapeOf: (workload: Workload) => Shape,
): Contestant => ({
  name,
  workloads: limitWorkloads,
  measureRound(specs, durations) {
    const requests = specs.map((spec) => preparedRequest(spec))
    const load: LimitLoad = { connection, requests, ...shapeOf(specs[0]!.workload), ...durations }
    return runLoad(name, loop, load)
  },
})

/** The statement that the service runs for a request. */
export function statementOf(spec: RequestSpec): Statement<unknown> {
  const { name, params = {}, query = {}, body = {} } = callOf(spec)
  const operation = operations.find((one) => one.name === name)!
  const context = { orgId: spec.organisation.id, require() {} } as unknown as Context
  return operation.run({ params, query, body } as never, context) as Statement<unknown>
}

interface Call {
  readonly name: string
  readonly params?: object
  readonly query?: object
  readonly body?: object
}

function callOf(spec: RequestSpec): Call {
  const query = { limit: pageSize }
  switch (spec.workload) {
    case 'read':
      return { name: 'getCustomer', params: { customerId: spec.customerId } }
    case 'list':
      return { name: 'listCustomers', query }
    case 'page':
      return { name: 'listCustomers', query: { ...query, startAfter: spec.startAfter } }
    case 'search':
      return { name: 'listCustomers', query: { ...query, search: spec.term } }
    case 'create':
      return { name: 'createCustomer', body: spec.customer }
    case 'jobs':
      return { name: 'listTickets', query: { ...query, status: 'Open' } }
    case 'job':
      return { name: 'getTicket', params: { ticketId: spec.ticketId }, query: { include: 'customer,lines' } }
    case 'openJob':
      throw new Error('A new job is several statements')
  }
}

function preparedRequest(spec: RequestSpec): PreparedRequest {
  const { sql } = statementOf(spec)
  const { text, values }: Query = sql
  const whole = sql.returning ? `${text} returning ${sql.returning.expression}` : text
  // A record that is created again and again is a new one each time.
  const newIdAt = spec.workload === 'create' ? values.findIndex((value) => /^cus_/.test(String(value))) : undefined
  return { text: whole, values: values as unknown[], newIdAt }
}
