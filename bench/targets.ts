// What is measured: each target is a program of its own on its own port, with its own mapping of requests to HTTP.
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ConnectionOptions } from '../src/db/database.ts'
import { databaseUrl, freePort, type ServerProcess, startProgram, startService } from '../test/programs.ts'
import type { Customer } from './customers.ts'
import type { Organisation } from './data.ts'
import type { HttpRequest } from './raw-http.ts'
import { pageSize, type RequestSpec, type Workload } from './workloads.ts'

export interface Target {
  readonly name: string
  /** The workloads it supports; all of them unless given. */
  readonly workloads?: readonly Workload[]
  /** Comes back when it takes requests. */
  start(database: ConnectionOptions, organisations: readonly Organisation[]): Promise<ServerProcess>
  request(spec: RequestSpec): HttpRequest
  /** A release before this one, which may answer fewer fields. */
  readonly isEarlier?: boolean
  /** The customers in an answer, where it has another form than ours. */
  customers?(answer: unknown): readonly Customer[]
}

/** The service as it is started by `npm start`; only what would end the measurement is set. */
const service = (name: string, root?: URL, settings: Readonly<Record<string, string>> = {}): Target => ({
  name,
  start: (database) =>
    startService(
      {
        DATABASE_URL: databaseUrl(database),
        SECRETS_KEY: Buffer.alloc(32).toString('base64'),
        RATE_LIMIT_STORE: 'memory',
        RATE_LIMIT_PER_MINUTE: '100000000',
        ...settings,
      },
      root && { root },
    ),
  request: (spec) => restRequest(spec, { 'X-API-Key': spec.organisation.key }),
})

export const ours = service('ours')

/** The same with several processes. */
export const withProcesses = (count: string): Target => service(`${count} processes`, undefined, { PROCESSES: count })

/** Another version of the service, in a checkout with its dependencies installed. */
export const checkoutIn = (folder: string): Target => ({
  ...service('before', pathToFileURL(`${resolve(folder)}/`)),
  isEarlier: true,
})

export const bare: Target = {
  name: 'bare',
  async start(database) {
    const port = await freePort()
    const file = fileURLToPath(new URL('bare.ts', import.meta.url))
    const program = await startProgram(process.execPath, {
      args: [file, databaseUrl(database), port],
      ready: /^ready /m,
    })
    return { ...program, port: Number(port), origin: `http://127.0.0.1:${port}` }
  },
  request: (spec) => restRequest(spec, {}),
}

/** A request as the service's REST interface takes it. */
export function restRequest(spec: RequestSpec, headers: HttpRequest['headers']): HttpRequest {
  const organisation = `/api/v1/organisations/${spec.organisation.id}`
  const path = `${organisation}/customers`
  switch (spec.workload) {
    case 'read':
      return { method: 'GET', path: `${path}/${spec.customerId}`, headers }
    case 'list':
      return { method: 'GET', path: `${path}?limit=${pageSize}`, headers }
    case 'page':
      return { method: 'GET', path: `${path}?limit=${pageSize}&startAfter=${spec.startAfter}`, headers }
    case 'search':
      return { method: 'GET', path: `${path}?limit=${pageSize}&search=${encodeURIComponent(spec.term)}`, headers }
    case 'create':
      return {
        method: 'POST',
        path,
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(spec.customer),
      }
    case 'jobs':
      return { method: 'GET', path: `${organisation}/tickets?limit=${pageSize}&status=Open`, headers }
    case 'job':
      return { method: 'GET', path: `${organisation}/tickets/${spec.ticketId}?include=customer,lines`, headers }
    case 'openJob':
      return {
        method: 'POST',
        path: `${organisation}/tickets`,
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify({ customerId: spec.customerId, serviceRequired: 'Screen is cracked' }),
      }
  }
}
