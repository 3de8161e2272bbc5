// An app that wants access, as one would be written: with oauth4webapi, a registration and a verifier.
import assert from 'node:assert/strict'
import * as oauth from 'oauth4webapi'
import type { ServiceHandle } from './test-service.ts'
import { type Fields, type Page, type Person, signInOn, Visitor } from './visitor.ts'

export const redirectUri = 'https://app.example/callback'
const insecure = { [oauth.allowInsecureRequests]: true } as const

/** For a service that tests ask more often than any app would. */
export const highLimits = {
  AUTHORIZE_PER_MINUTE: '100000',
  TOKEN_PER_MINUTE: '100000',
  REGISTER_PER_MINUTE: '100000',
  REGISTER_PER_DAY: '100000',
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
  readonly expires_in: number
  readonly organisation: string
}

export interface App {
  readonly server: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly authentication: oauth.ClientAuth
  readonly redirect: string
}

export async function discoverServer({ config }: ServiceHandle): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(config.authUrl)
  return oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
  )
}

/** Registers itself; public unless it wants a secret. */
export async function register(
  service: ServiceHandle,
  metadata: Partial<oauth.OmitSymbolProperties<oauth.Client>> & Record<string, unknown> = {},
): Promise<App> {
  const server = await discoverServer(service)
  const clientMetadata = {
    client_name: 'Bench Helper',
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
    ...metadata,
  }
  const response = await oauth.dynamicClientRegistrationRequest(server, clientMetadata as never, insecure)
  const client = await oauth.processDynamicClientRegistrationResponse(response)
  return appFrom(server, client as oauth.Client, (clientMetadata.redirect_uris as string[])[0]!)
}

export const appFrom = (server: oauth.AuthorizationServer, client: oauth.Client, redirect = redirectUri): App => ({
  server,
  client,
  authentication: client.client_secret ? oauth.ClientSecretPost(client.client_secret as string) : oauth.None(),
  redirect,
})

export interface AuthorizationRequest {
  readonly address: URL
  readonly verifier: string
  readonly state: string
}

export async function startAuthorization(
  { server, client, redirect }: App,
  parameters: Record<string, string | undefined> = {},
): Promise<AuthorizationRequest> {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const address = new URL(server.authorization_endpoint!)
  const all = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirect,
    scope: 'read',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  }
  for (const [name, value] of Object.entries(all)) if (value !== undefined) address.searchParams.set(name, value)
  return { address, verifier, state }
}

export interface AuthorizeOptions {
  readonly parameters?: Record<string, string | undefined>
  readonly consent?: Fields
  readonly visitor?: Visitor
}

/** From the app's link to the redirect that comes back: signs in where needed, and consents. */
export async function authorize(
  service: ServiceHandle,
  app: App,
  who: Person,
  options: AuthorizeOptions = {},
): Promise<AuthorizationRequest & { page: Page; visitor: Visitor }> {
  const { parameters = {}, consent = {}, visitor = new Visitor(service.config.authUrl) } = options
  const request = await startAuthorization(app, parameters)
  let page = await visitor.open(request.address.href)
  if (page.url.includes('/sign-in')) page = await signInOn(visitor, service, page, who)
  if (page.url.includes('/approve/') && page.status === 200) {
    page = await visitor.submit(page, '/approve/', { decision: 'allow', ...consent })
  }
  return { ...request, page, visitor }
}

export async function obtainCode(service: ServiceHandle, app: App, who: Person, options: AuthorizeOptions = {}) {
  const { page, state, verifier, visitor } = await authorize(service, app, who, options)
  assert.ok(page.url.startsWith(app.redirect), `${page.status} ${page.url} ${page.text.slice(0, 1_500)}`)
  // Checks state and iss, as every client should.
  const parameters = oauth.validateAuthResponse(app.server, app.client, new URL(page.url), state)
  return { parameters, verifier, visitor, code: parameters.get('code')! }
}

export async function obtainTokens(
  service: ServiceHandle,
  app: App,
  who: Person,
  options: AuthorizeOptions = {},
): Promise<Tokens & { visitor: Visitor }> {
  const { parameters, verifier, visitor } = await obtainCode(service, app, who, options)
  const response = await oauth.authorizationCodeGrantRequest(
    app.server,
    app.client,
    app.authentication,
    parameters,
    app.redirect,
    verifier,
    insecure,
  )
  const result = await oauth.processAuthorizationCodeResponse(app.server, app.client, response)
  return { ...(result as unknown as Tokens), visitor }
}

export interface OAuthReply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the server answers
  readonly body: any
}

/** A form to one of the authorization server's addresses, as it is. */
export async function postForm(
  service: ServiceHandle,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<OAuthReply> {
  const response = await fetch(service.origin + path, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers,
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) }
}

export const refresh = (
  service: ServiceHandle,
  { client }: App,
  refreshToken: string,
  extraFields: Record<string, string> = {},
) =>
  postForm(service, '/token', {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: client.client_id,
    ...(client.client_secret ? { client_secret: client.client_secret as string } : {}),
    ...extraFields,
  })

export const redeem = (
  service: ServiceHandle,
  app: App,
  { code, verifier }: { code: string; verifier: string },
  extraFields: Record<string, string> = {},
) =>
  postForm(service, '/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: app.redirect,
    code_verifier: verifier,
    client_id: app.client.client_id,
    ...(app.client.client_secret ? { client_secret: app.client.client_secret as string } : {}),
    ...extraFields,
  })

/** A read over REST with a token, from the process under test. */
export async function readWithToken(
  service: ServiceHandle,
  orgId: string,
  token: string,
  path = '/customers',
): Promise<OAuthReply> {
  const response = await fetch(`${service.origin}/api/v1/organisations/${orgId}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
