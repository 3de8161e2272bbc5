// What is measured: each target is a program of its own on its own port, with its own way to put an errand into HTTP.
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Connection } from '../src/database.ts'
import { type Errand, pageSize } from './errands.ts'

export interface Target {
  readonly name: string
  /** Comes back when it takes requests. */
  start(database: Connection): Promise<Running>
  request(errand: Errand): HttpRequest
}

export interface Running {
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** The service as it is started by `npm start`; only what would end the measurement is set. */
export const ours: Target = {
  name: 'ours',
  start: (database) =>
    run('src/main.ts', (port) => ({
      environment: {
        PORT: String(port),
        DATABASE_URL: urlOf(database),
        SECRETS_KEY: Buffer.alloc(32).toString('base64'),
        RATE_LIMIT_STORE: 'memory',
        RATE_LIMIT_PER_MINUTE: '100000000',
        LOG_LEVEL: 'warn',
      },
    })),
  request: (errand) => restRequest(errand, { 'X-API-Key': errand.organisation.key }),
}

export const bare: Target = {
  name: 'bare',
  start: (database) => run('bench/bare.ts', (port) => ({ words: [urlOf(database), String(port)] })),
  request: (errand) => restRequest(errand, {}),
}

function restRequest(errand: Errand, headers: HttpRequest['headers']): HttpRequest {
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

/** `localhost` only fills the place of a host in the URL; the socket's folder is what counts. */
const urlOf = (database: Connection) =>
  'connectionString' in database
    ? database.connectionString
    : `postgres://${database.user}@localhost/${database.database}?host=${encodeURIComponent(database.host)}&port=${database.port}`

const startLimitMs = 20_000
const stopLimitMs = 10_000

interface Invocation {
  readonly words?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

/** Starts a program of this repository and waits for the line in which it says that it is ready. */
async function run(file: string, invocation: (port: number) => Invocation): Promise<Running> {
  const port = await freePort()
  const { words = [], environment = {} } = invocation(port)
  const child = spawn(process.execPath, [fileURLToPath(new URL(`../${file}`, import.meta.url)), ...words], {
    cwd: tmpdir(), // away from a developer's .env
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = () => stopped(child)
  try {
    await ready(child, file)
    return { port, pid: child.pid!, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function ready(child: ChildProcess, file: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let said = ''
  child.stdout!.on('data', (text) => {
    said = (said + text).slice(-1_000)
    if (/^ready /m.test(said)) resolve()
  })
  child.once('error', reject).once('exit', () => reject(new Error(`${file} ended before it was ready; see above`)))
  const limit = setTimeout(
    () => reject(new Error(`${file} was not ready within ${startLimitMs / 1_000} s`)),
    startLimitMs,
  )
  return promise.finally(() => clearTimeout(limit))
}

function stopped(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  const { promise, resolve } = Promise.withResolvers<void>()
  const limit = setTimeout(() => child.kill('SIGKILL'), stopLimitMs)
  child.once('exit', () => {
    clearTimeout(limit)
    resolve()
  })
  child.kill('SIGTERM')
  return promise
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
