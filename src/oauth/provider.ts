// The protocol: oidc-provider, configured as the specification's section on the authorization server requires.
import { generateKeyPairSync } from 'node:crypto'
import Provider, {
  type Configuration,
  errors,
  interactionPolicy,
  type JWK,
  type KoaContextWithOIDC,
} from 'oidc-provider'
import type { Config } from '../config/config.ts'
import { isWithinHosts } from '../config/networks.ts'
import { type Database, sql, Unavailable } from '../db/database.ts'
import { authMethods } from '../identity/clients.ts'
import { isRegisteredRedirect, redirectUrisProblem } from '../identity/redirect-uris.ts'
import type { Vault } from '../identity/secrets.ts'
import type { ScopeCatalogue } from '../operations/scope-catalogue.ts'
import { consumeToken, createAdapters } from './adapter.ts'
import { findMetadataError, isHostedClientId, matchesStoredSecret } from './client-validation.ts'
import { mcpResource, unknownScope } from './resource-indicators.ts'

const accessSeconds = 3_600
const refreshSeconds = 30 * 86_400
const codeSeconds = 60
/** How long a person may take to sign in and decide. */
const requestSeconds = 1_800

export interface ProviderDependencies {
  readonly config: Config
  readonly scopeCatalogue: ScopeCatalogue
  readonly database: Database
  readonly vault: Vault
  /** How documents that clients host are fetched. */
  readonly fetchDocument: typeof fetch
  /** What the library did not foresee. */
  onUnexpectedError(error: Error): void
}

export function createProvider(dependencies: ProviderDependencies): Provider {
  const { config, database, onUnexpectedError } = dependencies
  const provider = new Provider(config.authUrl, providerConfiguration(dependencies))
  // Safe, because `forwardToProvider` overwrites what a request says of host and scheme with what the settings say.
  provider.proxy = true
  Object.assign((provider.Client as unknown as { prototype: object }).prototype, {
    compareClientSecret(this: { clientSecret?: string }, given: string) {
      return matchesStoredSecret(given, this.clientSecret)
    },
    // The library takes any loopback port for apps that call themselves native only, and few do.
    redirectUriAllowed(this: { redirectUris: readonly string[] }, asked: string) {
      return isRegisteredRedirect(this.redirectUris, asked)
    },
  })
  // The library lets an app have web or native addresses; the specification lets it have both.
  const { Schema } = provider.Client as unknown as { Schema: { prototype: object } }
  Object.assign(Schema.prototype, {
    redirectUris(this: { redirect_uris: unknown; invalidate(message: string): void }) {
      const fault = redirectUrisProblem(this.redirect_uris)
      if (fault) this.invalidate(fault)
    },
  })
  const causes = new WeakMap<object, Error>()
  provider.use(async (ctx, next) => {
    await next()
    if (causes.get(ctx) instanceof Unavailable) answerUnavailable(ctx as KoaContextWithOIDC)
    await burnCode(database, ctx as KoaContextWithOIDC)
    await nameOrganisation(database, ctx as KoaContextWithOIDC)
    dropSessionCookie(ctx as KoaContextWithOIDC, provider.cookieName('session'))
  })
  provider.on('server_error', (ctx, error) => {
    causes.set(ctx, error)
    onUnexpectedError(error)
  })
  ;(provider as NodeJS.EventEmitter).on('error', onUnexpectedError)
  return provider
}

function providerConfiguration({ config, scopeCatalogue, database, vault, fetchDocument }: ProviderDependencies) {
  const resource = mcpResource(config)
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true } as const
  const isBlocked = (clientId: string) => isWithinHosts(config.clientMetadataBlockedHosts, new URL(clientId).hostname)
  return {
    adapter: createAdapters(database, config),
    routes: { authorization: '/authorize', token: '/token', revocation: '/revoke' },
    // Nothing is ever signed (there is no openid scope); without a key the library would bring one that everybody knows.
    jwks: { keys: [unusedKey()] },
    cookies: {
      keys: [...vault.keysFor('cookies')],
      names: { session: 'jobwright_as', interaction: 'jobwright_request', resume: 'jobwright_resume' },
      long: cookie,
      short: cookie,
    },
    responseTypes: ['code'],
    scopes: [],
    claims: {},
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    clientAuthMethods: [...authMethods],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
    },
    clientBasedCORS: () => true,
    ttl: {
      AccessToken: (ctx) => secondsLeft(ctx, accessSeconds),
      RefreshToken: (ctx) => secondsLeft(ctx, refreshSeconds),
      AuthorizationCode: codeSeconds,
      Interaction: requestSeconds,
      Session: requestSeconds,
      Grant: refreshSeconds,
    },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    revokeGrantPolicy: () => true,
    extraClientMetadata: {
      properties: ['source'],
      validator: (_ctx, _key, _value, metadata) => validateHostedClient(metadata as never),
    },
    // Runs after the redirect address is known to be right, so that its errors reach the app.
    extraParams: {
      code_challenge_shape: async (ctx: KoaContextWithOIDC) => {
        if (!/^[\w-]{43}$/.test(String(ctx.oidc.params?.code_challenge))) {
          throw new errors.InvalidRequest('code_challenge must be 43 characters of base64url')
        }
        if (ctx.oidc.params?.scope === unknownScope) throw new errors.InvalidScope('no such scope', 'scope')
      },
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      // Holding a token is enough to revoke it.
      revocation: { enabled: true, allowedPolicy: async () => true },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        // A page that names the app must not be a way to make us fetch from its host without limit.
        cacheDuration: { min: 60, max: 3_600 },
        allowFetch: async (_ctx: unknown, clientId: string) => !isBlocked(clientId),
        allowClient: async (_ctx: unknown, { clientId }: { clientId: string }) => !isBlocked(clientId),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => resource,
        useGrantedResource: async () => true,
        async getResourceServerInfo(_ctx, asked) {
          if (asked !== resource) throw new errors.InvalidTarget()
          return {
            scope: scopeCatalogue.scopes.join(' '),
            audience: resource,
            accessTokenTTL: accessSeconds,
            accessTokenFormat: 'opaque',
          }
        },
      },
    },
    interactions: { policy: interactionPrompts(), url: (_ctx, interaction) => `/approve/${interaction.uid}` },
    // What the person just approved, or approved before and asked to remember: `consent.ts` decided.
    async loadExistingGrant(ctx) {
      const id = ctx.oidc.result?.consent?.grantId
      if (id === undefined) return undefined
      const grant = await ctx.oidc.provider.Grant.find(id)
      if (!grant) throw new errors.AccessDenied('what was allowed has been revoked already')
      return grant
    },
    findAccount: async (_ctx, personId, token) =>
      (await isAccountActive(database, personId, (token as { grantId?: string } | undefined)?.grantId))
        ? { accountId: personId, claims: async () => ({ sub: personId }) }
        : undefined,
    renderError(ctx, { error, error_description }) {
      ctx.type = 'json'
      ctx.body = { error, error_description }
    },
    fetch: fetchDocument,
  } satisfies Configuration as Configuration
}

function unusedKey(): JWK {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' } as JWK
}

/** No token outlives what it was issued for. */
function secondsLeft(ctx: KoaContextWithOIDC, most: number): number {
  const ends = ctx.oidc.entities.Grant?.exp
  return ends === undefined ? most : Math.max(1, Math.min(most, ends - Math.floor(Date.now() / 1_000)))
}

/** `consent.ts` prompts for sign-in and consent in one go. */
function interactionPrompts() {
  const policy = interactionPolicy.base()
  policy.get('consent')!.checks.remove('native_client_prompt')
  return policy
}

const allowedMetadata = [
  'client_id',
  'client_name',
  'client_uri',
  'logo_uri',
  'redirect_uris',
  'token_endpoint_auth_method',
]

/** Runs on stored and on hosted clients; a hosted document has no say beyond the members that registration keeps. */
function validateHostedClient(metadata: Record<string, unknown> & { client_id: string }): void {
  if (!isHostedClientId(metadata.client_id)) return
  for (const member of Object.keys(metadata)) if (!allowedMetadata.includes(member)) delete metadata[member]
  metadata.source = 'hosted'
  // A document that names a method with a secret was refused before; here it is the default for those that name none.
  if (String(metadata.token_endpoint_auth_method).startsWith('client_secret'))
    metadata.token_endpoint_auth_method = 'none'
  const fault = findMetadataError(metadata)
  if (fault) throw new errors.InvalidClientMetadata(fault.error_description)
}

/** At sign-in: whether the person exists. With a token: whether they are still an admin where they approved it. */
async function isAccountActive(database: Database, personId: string, grantId: string | undefined): Promise<boolean> {
  const found = grantId
    ? await database.query(sql`
        select from grants join members using (org_id, person_id)
        where grants.id = ${grantId} and grants.person_id = ${personId} and revoked_at is null and is_active
          and role = 'admin'`)
    : await database.query(sql`select from people where id = ${personId}`)
  return found.length > 0
}

/** A code presented with a wrong verifier or redirect address has been seen by the wrong eyes. */
async function burnCode(database: Database, { oidc, status, body }: KoaContextWithOIDC): Promise<void> {
  if (oidc?.route !== 'token' || status !== 400 || (body as { error?: string })?.error !== 'invalid_grant') return
  if (oidc.params?.grant_type === 'authorization_code') await consumeToken(database, 'code', String(oidc.params.code))
}

/** A token works in one organisation, and only the person who approved it knows which: the app is told with the token. */
async function nameOrganisation(database: Database, { oidc, status, body }: KoaContextWithOIDC): Promise<void> {
  const grantId = oidc?.entities?.Grant?.jti
  if (oidc?.route !== 'token' || status !== 200 || grantId === undefined) return
  const [grant] = await database.query<{ org_id: string }>(sql`select org_id from grants where id = ${grantId}`)
  if (grant) Object.assign(body as object, { organisation: grant.org_id })
}

function answerUnavailable(ctx: KoaContextWithOIDC): void {
  ctx.status = 503
  ctx.body = { error: 'temporarily_unavailable', error_description: 'try again shortly' }
}

function dropSessionCookie(ctx: KoaContextWithOIDC, name: string): void {
  const cookies = ctx.response.headers['set-cookie']
  if (!Array.isArray(cookies)) return
  const remainingCookies = cookies.filter(
    (cookie: string) => !cookie.startsWith(`${name}=`) && !cookie.startsWith(`${name}.sig=`),
  )
  if (remainingCookies.length > 0) ctx.set('set-cookie', remainingCookies)
  else ctx.remove('set-cookie')
}
