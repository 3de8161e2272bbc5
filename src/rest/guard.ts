// Authentication of every request to REST and MCP, before a body is read: credential, rate limit, use, address, organisation.
import { isIPv4 } from 'node:net'
import type { Config } from '../config/config.ts'
import { secondsUntilReset, setRateLimitHeaders } from '../http/rate-limit-headers.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { bearer } from '../http/request.ts'
import type { Credential, CredentialStore, Use } from '../identity/credentials.ts'
import { looksLikeKey } from '../identity/key-format.ts'
import type { Caller } from '../operations/caller.ts'
import {
  ApiError,
  forbidden,
  organisationMismatch,
  subscriptionRequired,
  tooManyRequests,
  unauthorised,
} from '../operations/errors.ts'

/** What the guard looks at. */
export interface PresentedCredentials {
  readonly use: Use
  readonly address: string
  readonly apiKey: string | undefined
  readonly authorization: string | undefined
  /** The organisation in the path; undefined where a path names none. */
  readonly orgId: string | undefined
  /** Puts a header on the answer, whatever the answer will be. */
  setHeader(name: string, value: string): void
}

/** An app can be granted more scopes, a key cannot. */
export interface AuthenticatedCaller extends Caller {
  readonly kind: 'key' | 'app'
}

export type Authenticate = (presented: PresentedCredentials) => Promise<AuthenticatedCaller>

/** The same caller later on, while an answer goes on; undefined once the credential may not be used any more. */
export type CheckCaller = (presented: PresentedCredentials) => Promise<AuthenticatedCaller | undefined>

export function createCheckCaller(credentials: CredentialStore): CheckCaller {
  return async (presented) => {
    const credential = await findPresented(credentials, presented)
    if (!credential || credential.invalidReason() !== undefined) return undefined
    try {
      return toCaller(credential, presented)
    } catch (error) {
      if (error instanceof ApiError) return undefined
      throw error
    }
  }
}

export function createAuthenticate(credentials: CredentialStore, limits: RateLimits, config: Config): Authenticate {
  return async (presented) => {
    const credential = await findCredential(presented)
    const count = await limits.request(credential.rateLimitKey)
    setRateLimitHeaders(presented, count)
    credentials.recordUse(credential, presented)
    if (count.isOver)
      throw tooManyRequests('Too many requests; wait for the Retry-After seconds', secondsUntilReset(count))
    return toCaller(credential, presented)
  }

  async function findCredential(presented: PresentedCredentials): Promise<Credential> {
    const secret = secretIn(presented)
    if (secret === undefined)
      return refuse(presented, 'Send an API key in X-API-Key, or a token as Authorization: Bearer')
    const credential = await findPresented(credentials, presented)
    const reason = credential ? credential.invalidReason() : unknownSecretMessage(secret)
    if (reason !== undefined) return refuse(presented, reason)
    return credential!
  }

  /** Only those who fail are counted, so that nobody is shut out by a neighbour behind the same address. */
  async function refuse(presented: PresentedCredentials, reason: string): Promise<never> {
    const count = await limits.failedAuthentication(presented.address)
    setRateLimitHeaders(presented, count)
    presented.setHeader('www-authenticate', challenge(presented.use, config))
    if (count.isOver)
      throw tooManyRequests('Too many failed authentications from this address', secondsUntilReset(count))
    throw unauthorised(reason)
  }
}

const secretIn = ({ apiKey, authorization }: PresentedCredentials) => apiKey ?? bearer(authorization)

async function findPresented(
  credentials: CredentialStore,
  presented: PresentedCredentials,
): Promise<Credential | undefined> {
  const secret = secretIn(presented)
  const found = secret === undefined ? undefined : await credentials.find(secret)
  return presented.apiKey !== undefined && found?.kind === 'token' ? undefined : found // a token is no API key
}

/** Who a credential stands for, if it may be used like this. */
function toCaller(credential: Credential, presented: PresentedCredentials): AuthenticatedCaller {
  if (!credential.uses.has(presented.use)) throw useNotAllowed(presented.use)
  if (!isAllowedFrom(credential, presented.address)) {
    throw forbidden(`The API key may not be used from ${presented.address}`, 'ip_not_allowed')
  }
  if (presented.orgId !== undefined && presented.orgId !== credential.orgId) {
    throw organisationMismatch()
  }
  if (!credential.isEntitled()) throw subscriptionRequired()
  if (!credential.isApproved) {
    throw forbidden(
      'The admin who approved this app is no longer an active admin of the organisation; approve it anew',
      'approver_not_admin',
    )
  }
  const { orgId, id: credentialId, name, scopes, kind } = credential
  return { orgId, kind: kind === 'token' ? 'app' : 'key', credentialId, name, scopes }
}

const wellKnown = '/.well-known/oauth-protected-resource'

/** What stands in WWW-Authenticate where no credential works: the way to one that does. */
export function challenge(use: Use, { restOrigin, authUrl }: Config): string {
  if (use === 'rest') return `Bearer error="invalid_token", resource_metadata="${restOrigin}${wellKnown}/api/v1"`
  // Agents request what stands here. Whoever consents unticks what they do not want; deleting has to be requested.
  return `Bearer error="invalid_token", scope="write", resource_metadata="${authUrl}${wellKnown}/mcp"`
}

/** What a tool's refusal for want of scopes carries: what a client has to ask for to go on. */
export const scopeChallenge = (scopes: readonly string[], description: string, { authUrl }: Config): string =>
  `Bearer error="insufficient_scope", scope="${scopes.join(' ')}", ` +
  `resource_metadata="${authUrl}${wellKnown}/mcp", error_description="${description.replaceAll('"', "'")}"`

const unknownSecretMessage = (secret: string) =>
  looksLikeKey(secret)
    ? 'The API key is not valid; check that it was copied whole'
    : 'The token is not valid or has expired'

const useNotAllowed = (use: Use): ApiError =>
  forbidden(`The API key is not allowed for ${use === 'rest' ? 'REST' : 'MCP'}`, 'use_not_allowed')

const isAllowedFrom = ({ allowlist }: Credential, address: string) =>
  !allowlist || allowlist.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
