// Who is calling, and may they come in at all: decided before a body is read, in the order written here.
import { isIPv4 } from 'node:net'
import type { Config } from '../config.ts'
import type { Credential, Credentials, Use } from '../identity/credentials.ts'
import { looksLikeKey } from '../identity/key-format.ts'
import { type ApiError, forbidden, tooManyRequests, unauthorised } from './errors.ts'
import type { Count, Limits } from './limits.ts'
import type { Caller } from './operation.ts'

/** What the guard looks at. */
export interface Arrival {
  readonly use: Use
  readonly address: string
  readonly apiKey: string | undefined
  readonly authorization: string | undefined
  /** The organisation in the path; undefined where a path names none. */
  readonly orgId: string | undefined
  /** Puts a header on the answer, whatever the answer will be. */
  header(name: string, value: string): void
}

/** A caller, and by what they were let in: a token can be given more scopes, a key cannot. */
export interface Admitted extends Caller {
  readonly kind: Credential['kind']
}

export type Guard = (arrival: Arrival) => Promise<Admitted>

export function guard(credentials: Credentials, limits: Limits, config: Config): Guard {
  return async (arrival) => {
    const credential = await authenticated(arrival)
    const count = await limits.request(credential.countedAs)
    show(arrival, count)
    credentials.used(credential, arrival)
    if (count.isOver)
      throw tooManyRequests('Too many requests; wait for the Retry-After seconds', secondsUntilReset(count))
    if (!credential.uses.has(arrival.use)) throw useNotAllowed(arrival.use)
    if (!mayComeFrom(credential, arrival.address)) {
      throw forbidden(`The API key may not be used from ${arrival.address}`, 'ip_not_allowed')
    }
    if (arrival.orgId !== undefined && arrival.orgId !== credential.orgId) {
      throw forbidden('The credential belongs to another organisation')
    }
    if (!credential.isEntitled()) throw forbidden('An active Pro subscription is required to use the API')
    if (!credential.isApproved) {
      throw forbidden(
        'The admin who approved this app is no longer an active admin of the organisation; approve it anew',
      )
    }
    const { orgId, id: credentialId, name, scopes, kind } = credential
    return { orgId, credentialId, name, scopes, kind }
  }

  async function authenticated(arrival: Arrival): Promise<Credential> {
    const secret = arrival.apiKey ?? bearer(arrival.authorization)
    if (secret === undefined)
      return refused(arrival, 'Send an API key in X-API-Key, or a token as Authorization: Bearer')
    const found = await credentials.find(secret)
    const credential = arrival.apiKey !== undefined && found?.kind === 'token' ? undefined : found // a token is no API key
    const refusal = credential ? credential.refusal() : unknownSecret(secret)
    if (refusal !== undefined) return refused(arrival, refusal)
    return credential!
  }

  /** Only those who fail are counted, so that nobody is shut out by a neighbour behind the same address. */
  async function refused(arrival: Arrival, reason: string): Promise<never> {
    const count = await limits.failedAuthentication(arrival.address)
    show(arrival, count)
    arrival.header('www-authenticate', challenge(arrival.use, config))
    if (count.isOver)
      throw tooManyRequests('Too many failed authentications from this address', secondsUntilReset(count))
    throw unauthorised(reason)
  }
}

const wellKnown = '/.well-known/oauth-protected-resource'

/** What stands in WWW-Authenticate where no credential works: the way to one that does. */
export function challenge(use: Use, { restOrigin, authUrl }: Config): string {
  if (use === 'rest') return `Bearer error="invalid_token", resource_metadata="${restOrigin}${wellKnown}/api/v1"`
  // Agents ask for what stands here. Whoever consents unticks what they do not want; deleting has to be asked for.
  return `Bearer error="invalid_token", scope="write", resource_metadata="${authUrl}${wellKnown}/mcp"`
}

/** What a tool's refusal for want of scopes carries: what a client has to ask for to go on. */
export const challengeFor = (scopes: readonly string[], description: string, { authUrl }: Config): string =>
  `Bearer error="insufficient_scope", scope="${scopes.join(' ')}", ` +
  `resource_metadata="${authUrl}${wellKnown}/mcp", error_description="${description.replaceAll('"', "'")}"`

export const bearer = (authorization: string | undefined): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]

const unknownSecret = (secret: string) =>
  looksLikeKey(secret)
    ? 'The API key is not valid; check that it was copied whole'
    : 'The token is not valid or has expired'

const useNotAllowed = (use: Use): ApiError =>
  forbidden(`The API key is not allowed for ${use === 'rest' ? 'REST' : 'MCP'}`, 'use_not_allowed')

/** `::ffff:10.0.0.7` is 10.0.0.7, however the connection was made. */
export const plainAddress = (address: string): string =>
  withoutPort(address).replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')

/** Some proxies write `192.0.2.1:5678` or `[2001:db8::1]:5678`. */
export const withoutPort = (address: string): string =>
  address.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$|^\[([^\]]+)\](?::\d+)?$/, '$1$2')

const mayComeFrom = ({ allowlist }: Credential, address: string) =>
  !allowlist || allowlist.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')

/** Every answer carries these; where nothing was counted, `rest.ts` puts them on. */
export function show({ header }: Pick<Arrival, 'header'>, count: Count): void {
  header('x-ratelimit-limit', String(count.limit))
  header('x-ratelimit-remaining', String(count.remaining))
  header('x-ratelimit-reset', String(Math.ceil((Date.now() + count.resetsInMs) / 1_000)))
}

export const secondsUntilReset = (count: Count) => Math.max(1, Math.ceil(count.resetsInMs / 1_000))
