// What is measured: each target is a program of its own on its own port, with its own way to put an errand into HTTP.
import { fileURLToPath } from 'node:url'
import type { Connection } from '../src/database.ts'
import { freePort, type Served, startProgram, startService, urlOf } from '../test/programs.ts'
import type { Customer } from './customers.ts'
import type { Organisation } from './data.ts'
import { type Errand, pageSize, type Work } from './errands.ts'
import type { HttpRequest } from './wire.ts'

export interface Target {
  readonly name: string
  /** The works it can be asked for; all of them unless told. */
  readonly works?: readonly Work[]
  /** Comes back when it takes requests. */
  start(database: Connection, organisations: readonly Organisation[]): Promise<Served>
  request(errand: Errand): HttpRequest
  /** The customers in an answer, where it has another form than ours. */
  customers?(answer: unknown): readonly Customer[]
}

/** The service as it is started by `npm start`; only what would end the measurement is set. */
export const ours: Target = {
  name: 'ours',
  start: (database) =>
    startService({
      DATABASE_URL: urlOf(database),
      SECRETS_KEY: Buffer.alloc(32).toString('base64'),
      RATE_LIMIT_STORE: 'memory',
      RATE_LIMIT_PER_MINUTE: '100000000',
    }),
  request: (errand) => restRequest(errand, { 'X-API-Key': errand.organisation.key }),
}

export const bare: Target = {
  name: 'bare',
  async start(database) {
    const port = await freePort()
    const file = fileURLToPath(new URL('bare.ts', import.meta.url))
    const program = await startProgram(process.execPath, {
      words: [file, urlOf(database), port],
      ready: /^ready /m,
    })
    return { ...program, port: Number(port), origin: `http://127.0.0.1:${port}` }
  },
  request: (errand) => restRequest(errand, {}),
}

/** An errand as the service's REST interface takes it. */
export function restRequest(errand: Errand, headers: HttpRequest['headers']): HttpRequest {
  const organisation = `/api/v1/organisations/${errand.organisation.id}`
  const path = `${organisation}/customers`
  switch (errand.work) {
    case 'read':
      return { method: 'GET', path: `${path}/${errand.customerId}`, headers }
    case 'list':
      return { method: 'GET', path: `${path}?limit=${pageSize}`, headers }
    case 'search':
      return { method: 'GET', path: `${path}?limit=${pageSize}&search=${encodeURIComponent(errand.term)}`, headers }
    case 'create':
      return {
        method: 'POST',
        path,
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(errand.customer),
      }
    case 'jobs':
      return { method: 'GET', path: `${organisation}/tickets?limit=${pageSize}&status=Open`, headers }
    case 'job':
      return { method: 'GET', path: `${organisation}/tickets/${errand.ticketId}?include=customer,lines`, headers }
    case 'openJob':
      return {
        method: 'POST',
        path: `${organisation}/tickets`,
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify({ customerId: errand.customerId, serviceRequired: 'Screen is cracked' }),
      }
  }
}
