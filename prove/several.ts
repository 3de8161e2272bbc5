// Several processes as one service: in one arrangement each does everything, in the other each does its part.
import { readConfig } from '../src/config.ts'
import { importToken } from '../src/identity/grants.ts'
import { createKey } from '../src/identity/keys.ts'
import { type App, register, tokens } from '../test/oauth-app.ts'
import { freePort, type Served } from '../test/programs.ts'
import { type Person, person } from '../test/visitor.ts'
import type { Site } from '../test/world.ts'
import type { Answer, Caller } from './caller.ts'
import type { Fleet } from './fleet.ts'

export interface Several {
  readonly fleet: Fleet
  /** As a sentence begins that says what was measured where. */
  readonly name: string
  /** What every process is started with. */
  readonly settings: Readonly<Record<string, string>>
  /** REST through the proxy. */
  readonly front: string
  /** The authorization server through the proxy, for apps. */
  readonly site: Site
  readonly rest: readonly Served[]
  /** Those that serve MCP, past the proxy. */
  readonly auth: readonly Served[]
}

const perMinute = 100
const failuresPerMinute = 10
export const limits = { perMinute, failuresPerMinute }

function settingsOf(fleet: Fleet, redisUrl: string, restPort: string, authPort: string) {
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
export async function alike(fleet: Fleet, redisUrl: string): Promise<Several> {
  const port = await freePort()
  const settings = settingsOf(fleet, redisUrl, port, port)
  const both = await Promise.all([fleet.instance(settings), fleet.instance(settings)])
  const { origin } = await fleet.proxy(both, port)
  return { fleet, name: 'two alike', settings, front: origin, site: siteOf(fleet, settings), rest: both, auth: both }
}

/** Two for REST, one for the authorization server. */
export async function apart(fleet: Fleet, redisUrl: string): Promise<Several> {
  const [restPort, authPort, ownPort] = [await freePort(), await freePort(), await freePort()]
  const settings = settingsOf(fleet, redisUrl, restPort, authPort)
  const rest = { ...settings, ROLE: 'rest' }
  const [one, two, auth] = await Promise.all([
    fleet.instance(rest),
    fleet.instance(rest),
    fleet.instance({ ...settings, ROLE: 'auth', PORT: ownPort }),
  ])
  const { origin } = await fleet.proxy([one, two], restPort)
  await fleet.proxy([auth], authPort)
  return {
    fleet,
    name: 'each its part',
    settings,
    front: origin,
    site: siteOf(fleet, settings),
    rest: [one, two],
    auth: [auth],
  }
}

const siteOf = ({ database }: Fleet, settings: Readonly<Record<string, string>>): Site => ({
  origin: settings.AUTH_URL!,
  config: readConfig({ ...settings, PORT: '0' }),
  database,
})

/** An app that somebody of the organisation has just allowed everything. */
export async function approved(
  { site }: Several,
  orgId: string,
): Promise<{ app: App; admin: Person; token: string; grantId: string }> {
  const admin = await person(site, orgId)
  const app = await register(site)
  const { access_token } = await tokens(site, app, admin, { parameters: { scope: 'full' } })
  const [grant] = await site.database.query<{ id: string }>({
    text: 'select id from grants where org_id = $1 and client_id = $2',
    values: [orgId, app.client.client_id],
  })
  return { app, admin, token: access_token, grantId: grant!.id }
}

/** A token that no process has heard of yet, made without the authorization server. */
export async function unseenToken({ site }: Several, orgId: string, memberId: string): Promise<string> {
  const { accessToken } = await site.database.transaction((transaction) =>
    importToken(transaction, orgId, {
      memberId,
      clientName: 'Earlier app',
      scopes: ['full'],
      scopeVersion: 2,
      audience: null,
      lifeSeconds: 3_600,
    }),
  )
  return accessToken
}

export const withKey = (key: string) => ({ 'x-api-key': key })
export const withToken = (token: string) => ({ authorization: `Bearer ${token}` })
export const customersOf = (orgId: string) => `/api/v1/organisations/${orgId}/customers`

/** Calls a shop through the proxy with as many keys as it takes to stay under their limit. */
export function unhindered({ fleet, front }: Several, orgId: string, program: Caller) {
  let left = 0
  let key: Promise<{ key: string }>
  return async (method: string, path: string, body?: object): Promise<Answer['body']> => {
    if (left-- === 0) {
      left = perMinute - 1
      key = createKey(fleet.database, orgId, { scopes: ['full'] })
    }
    const headers = withKey((await key).key)
    const asked = { at: front, headers, ...(body && { body }) }
    const answer = await program.call(method, `/api/v1/organisations/${orgId}${path}`, asked)
    if (answer.status !== 200 && answer.status !== 201)
      throw new Error(`${method} ${path}: ${answer.failure ?? JSON.stringify(answer.body)}`)
    return answer.body.data
  }
}
