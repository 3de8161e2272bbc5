// Several processes as one service: in one arrangement each does everything, in the other each does its part.
import { readConfig } from '../src/config/config.ts'
import { importToken } from '../src/identity/grants.ts'
import { createKey } from '../src/identity/keys.ts'
import { scopeCatalogue } from '../src/resources/index.ts'
import { type App, obtainTokens, register } from '../test/oauth-app.ts'
import { freePort, type ServerProcess } from '../test/programs.ts'
import type { ServiceHandle } from '../test/test-service.ts'
import { type Person, person } from '../test/visitor.ts'
import type { Fleet } from './fleet.ts'
import type { HttpClient, HttpResponse } from './http-client.ts'

export interface Deployment {
  readonly fleet: Fleet
  /** As a sentence begins that says what was measured where. */
  readonly name: string
  /** What every process is started with. */
  readonly settings: Readonly<Record<string, string>>
  /** REST through the proxy. */
  readonly proxyOrigin: string
  /** The authorization server through the proxy, for apps. */
  readonly authService: ServiceHandle
  readonly rest: readonly ServerProcess[]
  /** Those that serve MCP, past the proxy. */
  readonly auth: readonly ServerProcess[]
}

const perMinute = 100
const failuresPerMinute = 10
export const limits = { perMinute, failuresPerMinute }

function deploymentSettings(fleet: Fleet, redisUrl: string, restPort: string, authPort: string) {
  return {
    ...fleet.settings,
    RATE_LIMIT_STORE: 'redis',
    REDIS_URL: redisUrl,
    RATE_LIMIT_PER_MINUTE: String(perMinute),
    FAILED_AUTH_PER_MINUTE: String(failuresPerMinute),
    AUTHORIZE_PER_MINUTE: '1000000',
    TOKEN_PER_MINUTE: '1000000',
    REGISTER_PER_MINUTE: '1000000',
    REGISTER_PER_DAY: '1000000',
    REST_ORIGIN: `http://127.0.0.1:${restPort}`,
    AUTH_URL: `http://127.0.0.1:${authPort}`,
    TRUST_PROXY: '127.0.0.1/32',
  }
}

/** Two that do everything. */
export async function startReplicas(fleet: Fleet, redisUrl: string): Promise<Deployment> {
  const port = await freePort()
  const settings = deploymentSettings(fleet, redisUrl, port, port)
  const replicas = await Promise.all([fleet.startInstance(settings), fleet.startInstance(settings)])
  const { origin } = await fleet.startProxy(replicas, port)
  return {
    fleet,
    name: 'two replicas',
    settings,
    proxyOrigin: origin,
    authService: authServiceHandle(fleet, settings),
    rest: replicas,
    auth: replicas,
  }
}

/** Two for REST, one for the authorization server. */
export async function startByRole(fleet: Fleet, redisUrl: string): Promise<Deployment> {
  const [restPort, authPort, ownPort] = [await freePort(), await freePort(), await freePort()]
  const settings = deploymentSettings(fleet, redisUrl, restPort, authPort)
  const rest = { ...settings, ROLE: 'rest' }
  const [one, two, auth] = await Promise.all([
    fleet.startInstance(rest),
    fleet.startInstance(rest),
    fleet.startInstance({ ...settings, ROLE: 'auth', PORT: ownPort }),
  ])
  const { origin } = await fleet.startProxy([one, two], restPort)
  await fleet.startProxy([auth], authPort)
  return {
    fleet,
    name: 'one role each',
    settings,
    proxyOrigin: origin,
    authService: authServiceHandle(fleet, settings),
    rest: [one, two],
    auth: [auth],
  }
}

const authServiceHandle = ({ database }: Fleet, settings: Readonly<Record<string, string>>): ServiceHandle => ({
  origin: settings.AUTH_URL!,
  config: readConfig({ ...settings, PORT: '0' }),
  database,
})

/** An app that somebody of the organisation has just allowed everything. */
export async function approveApp(
  { authService }: Deployment,
  orgId: string,
): Promise<{ app: App; admin: Person; token: string; grantId: string }> {
  const admin = await person(authService, orgId)
  const app = await register(authService)
  const { access_token } = await obtainTokens(authService, app, admin, { parameters: { scope: 'full' } })
  const [grant] = await authService.database.query<{ id: string }>({
    text: 'select id from grants where org_id = $1 and client_id = $2',
    values: [orgId, app.client.client_id],
  })
  return { app, admin, token: access_token, grantId: grant!.id }
}

/** A token that no process has cached yet, created without the authorization server. */
export async function importUnseenToken({ authService }: Deployment, orgId: string, memberId: string): Promise<string> {
  const { accessToken } = await authService.database.transaction('proof', (transaction) =>
    importToken(
      transaction,
      orgId,
      {
        memberId,
        clientName: 'Earlier app',
        scopes: ['full'],
        scopeVersion: 2,
        audience: null,
        lifeSeconds: 3_600,
      },
      scopeCatalogue,
    ),
  )
  return accessToken
}

export const keyHeader = (key: string) => ({ 'x-api-key': key })
export const tokenHeader = (token: string) => ({ authorization: `Bearer ${token}` })
export const customersPath = (orgId: string) => `/api/v1/organisations/${orgId}/customers`

/** Calls a shop through the proxy with as many keys as it takes to stay under their limit. */
export function unlimitedClient({ fleet, proxyOrigin }: Deployment, orgId: string, client: HttpClient) {
  let requestsLeft = 0
  let key: Promise<{ key: string }>
  return async (method: string, path: string, body?: object): Promise<HttpResponse['body']> => {
    if (requestsLeft-- === 0) {
      requestsLeft = perMinute - 1
      key = createKey(fleet.database, orgId, { scopes: ['full'] }, scopeCatalogue)
    }
    const headers = keyHeader((await key).key)
    const options = { at: proxyOrigin, headers, ...(body && { body }) }
    const answer = await client.call(method, `/api/v1/organisations/${orgId}${path}`, options)
    if (answer.status !== 200 && answer.status !== 201)
      throw new Error(`${method} ${path}: ${answer.failure ?? JSON.stringify(answer.body)}`)
    return answer.body.data
  }
}
