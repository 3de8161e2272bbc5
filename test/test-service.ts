// A running service for tests: real PostgreSQL, real HTTP, a fresh organisation for each test.
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { type AppOptions, createApp } from '../src/app.ts'
import { type Config, readConfig } from '../src/config/config.ts'
import { type ConnectionOptions, Database } from '../src/db/database.ts'
import { createKey, type NewKey } from '../src/identity/keys.ts'
import { createOrganisation, type Entitlement } from '../src/identity/organisations.ts'
import type { ScopeVersion } from '../src/operations/scopes.ts'
import { scopeCatalogue } from '../src/resources/index.ts'
import { freePort } from './programs.ts'
import { createOwnDatabase, databaseFor } from './test-database.ts'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
  readonly body: any
}

export interface Call {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Calls the service as one key; paths are relative to the organisation. */
export interface Client {
  readonly orgId: string
  readonly key: string
  readonly keyId: string
  call(method: string, path: string, call?: Call): Promise<Reply>
  get(path: string): Promise<Reply>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  put(path: string, body?: unknown): Promise<Reply>
  delete(path: string): Promise<Reply>
}

export interface TestService {
  readonly database: Database
  readonly connection: ConnectionOptions
  readonly config: Config
  readonly origin: string
  /** A new organisation, and a client that may do everything in it. */
  organisation(options?: { entitlement?: Entitlement; name?: string }): Promise<Client>
  /** A client with a key of its own in an organisation. */
  client(orgId: string, key?: NewKey & { scopeVersion?: ScopeVersion }): Promise<Client>
  /** Stops the service and starts it anew on the same database and port. */
  restart(): Promise<void>
  /** Any request at all. */
  request(method: string, path: string, call?: Call): Promise<Reply>
  /** The same without a socket: for loops over so many requests that HTTP itself would take most of the time. */
  inject(method: string, path: string, call?: Call): Promise<Reply>
}

/** A service wherever it runs: what apps and visitors have to know of it. */
export type ServiceHandle = Pick<TestService, 'origin' | 'config' | 'database'>

/** Instances of one service share it. */
const secretsKey = randomBytes(32).toString('base64')

/** From now on those who want a service as it comes share one: for test files that run in one process. */
export function shareService(): void {
  sharedService = startService(manySignIns)
}
/** The visitors of many files come from one address. */
const manySignIns = { AUTHORIZE_PER_MINUTE: '1000000', TOKEN_PER_MINUTE: '1000000', REGISTER_PER_MINUTE: '1000000' }
let sharedService: Promise<TestService> | undefined

/** Starts a service that stops by itself when the tests of the file are over. */
export function startTestService(
  settings?: Readonly<Record<string, string>>,
  options?: AppOptions,
  at?: ConnectionOptions,
): Promise<TestService> {
  return settings || options || at || !sharedService ? startService(settings, options, at) : sharedService
}

/** The same with a database of its own: for files whose worker, sweeps or statistics go over all organisations. */
export const startOwnTestService = async (
  settings: Readonly<Record<string, string>> = {},
  options: AppOptions = {},
): Promise<TestService> => startService(settings, options, await createOwnDatabase())

async function startService(
  settings: Readonly<Record<string, string>> = {},
  options: AppOptions = {},
  at?: ConnectionOptions,
): Promise<TestService> {
  const connection = at ?? (await databaseFor(settings))
  const database = new Database(connection)

  const config = readConfig({
    PORT: await freePort(), // pages and tokens name their own address
    RATE_LIMIT_PER_MINUTE: '1000000',
    FAILED_AUTH_PER_MINUTE: '1000000',
    LOG_LEVEL: 'error',
    ROLE: 'rest,auth',
    SECRETS_KEY: secretsKey,
    ...settings,
  })
  const start = async (port: number) => {
    const { app, prepare, close } = await createApp(config, database, { strict: true, ...options })
    await prepare()
    return { app, close, origin: await app.listen({ host: '127.0.0.1', port }) }
  }
  let running = await start(config.port)
  const { origin } = running
  after(async () => {
    await running.close()
    await database.close()
  })

  const request = async (method: string, path: string, call?: Call): Promise<Reply> => {
    const response = await fetch(origin + path, { method, ...requestParts(method, call) })
    return {
      status: response.status,
      headers: response.headers,
      body: parsedBody(await response.text(), response.headers.get('content-type')),
    }
  }
  const inject = async (method: string, path: string, call?: Call): Promise<Reply> => {
    const { headers, body } = requestParts(method, call)
    const response = await running.app.inject({
      method: method as 'GET',
      url: path,
      headers: { host: new URL(origin).host, ...headers },
      ...(body !== undefined && { payload: body }),
    })
    const replyHeaders = new Headers(response.headers as Record<string, string>)
    return {
      status: response.statusCode,
      headers: replyHeaders,
      body: parsedBody(response.payload, replyHeaders.get('content-type')),
    }
  }
  const client = async (orgId: string, wanted: NewKey = { scopes: ['full'] }): Promise<Client> => {
    const { key, id } = await createKey(database, orgId, wanted, scopeCatalogue)
    const call: Client['call'] = (method, path, { body, headers } = {}) =>
      request(method, `/api/v1/organisations/${orgId}${path}`, { body, headers: { 'x-api-key': key, ...headers } })
    return {
      orgId,
      key,
      keyId: id,
      call,
      get: (path) => call('GET', path),
      post: (path, body, headers) => call('POST', path, { body, ...(headers && { headers }) }),
      put: (path, body) => call('PUT', path, { body }),
      delete: (path) => call('DELETE', path),
    }
  }
  return {
    database,
    connection,
    config,
    origin,
    request,
    inject,
    client,
    async restart() {
      await running.close()
      running = await start(Number(new URL(origin).port))
    },
    async organisation({ entitlement = 'pro', name = 'Test Repairs' } = {}) {
      return client((await createOrganisation(database, { name, entitlement })).id)
    },
  }
}

/** A file, such as a table, is the text that it is. */
const parsedBody = (text: string, type: string | null) => (text && type?.includes('json') ? JSON.parse(text) : text)

/** A body as JSON unless it is bytes or text already; what writes always has one. */
function requestParts(method: string, { body, headers = {} }: Call = {}): RequestParts {
  if (body === undefined && !['POST', 'PUT', 'PATCH'].includes(method)) return { headers }
  return {
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body ?? {}),
  }
}
interface RequestParts {
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}
