// The authorization server's addresses: limits first, then what the specification adds is settled, then the protocol.
import { Readable } from 'node:stream'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import type { Config } from '../config/config.ts'
import { type Database, Unavailable } from '../db/database.ts'
import { isStorableText } from '../http/forms.ts'
import { logError } from '../http/log-error.ts'
import type { RateLimitState, RateLimits } from '../http/rate-limits.ts'
import { clientAddress } from '../http/request.ts'
import { addDynamicClient } from '../identity/clients.ts'
import { revokeByToken } from '../identity/grants.ts'
import { ApiError } from '../operations/errors.ts'
import type { ScopeCatalogue } from '../operations/scope-catalogue.ts'
import { parseRegistration } from './client-validation.ts'
import { addPreflightRoute, allowAnyOrigin } from './metadata.ts'
import type { Protocol } from './protocol.ts'
import {
  acceptedAudiences,
  mcpResource,
  requestedScopes,
  requestsNoScope,
  unknownScope,
} from './resource-indicators.ts'

interface EndpointDependencies {
  readonly config: Config
  readonly database: Database
  readonly limits: RateLimits
  readonly protocol: Protocol
  readonly scopeCatalogue: ScopeCatalogue
}

/** The body of an error as OAuth 2 words it. */
const oauthError = (error: string, error_description: string) => ({ error, error_description })

const bodyLimit = 56 * 1_024
/** They mean something to OpenID only, and the protocol refuses them without it; some clients send them all the same. */
const openidOnlyParameters = ['acr_values', 'claims', 'claims_locales', 'id_token_hint', 'max_age', 'nonce']

/** A plugin: mount it without a prefix. */
export async function endpoints(
  app: FastifyInstance,
  { config, database, limits, protocol, scopeCatalogue }: EndpointDependencies,
): Promise<void> {
  let handler: Promise<ReturnType<Provider['callback']>> | undefined
  const aliases = acceptedAudiences(config)
  const limitBy =
    (count: (address: string) => Promise<RateLimitState>) => async (request: FastifyRequest, reply: FastifyReply) => {
      allowAnyOrigin(reply).headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
      const { isOver, resetsInMs } = await count(clientAddress(request))
      if (!isOver) return
      reply.header('retry-after', String(Math.max(1, Math.ceil(resetsInMs / 1_000))))
      return reply
        .code(429)
        .send(oauthError('temporarily_unavailable', 'Too many requests; wait for the Retry-After seconds'))
    }

  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    { parseAs: 'string', bodyLimit },
    async (_request: FastifyRequest, body: string) => body,
  )
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const status =
      error instanceof ApiError ? error.status : error instanceof Unavailable ? 503 : (error.statusCode ?? 500)
    if (status >= 500) logError(error, request)
    const kind = status === 503 ? 'temporarily_unavailable' : status > 500 ? 'server_error' : 'invalid_request'
    return reply
      .code(status)
      .send(oauthError(status === 500 ? 'server_error' : kind, status >= 500 ? 'try again shortly' : error.message))
  })

  app.get('/authorize', { onRequest: limitBy(limits.authorize) }, (request, reply) => {
    const authorizeUrl = new URL(request.url, config.authUrl)
    refuseUnstorableText(authorizeUrl.searchParams)
    normalizeResource(authorizeUrl.searchParams)
    for (const name of openidOnlyParameters) authorizeUrl.searchParams.delete(name)
    authorizeUrl.searchParams.set('response_mode', 'query') // the only one there is
    if (authorizeUrl.searchParams.getAll('scope').length <= 1) {
      authorizeUrl.searchParams.set(
        'scope',
        requestedScopes(authorizeUrl.searchParams.get('scope'), scopeCatalogue)?.join(' ') ?? unknownScope,
      )
    }
    return forwardToProvider(request, reply, `/authorize${authorizeUrl.search}`)
  })
  // Only what is waiting is resumed: anything else under this name would reach the protocol past what is settled above.
  app.get<{ Params: { request: string } }>(
    '/authorize/:request',
    { onRequest: limitBy(limits.resume) },
    (request, reply) => {
      const { request: id } = request.params
      if (!isRequestId(id)) return reply.code(404).send(oauthError('invalid_request', 'there is no such request'))
      return forwardToProvider(request, reply, `/authorize/${id}`)
    },
  )

  app.post('/token', { onRequest: limitBy(limits.token) }, async (request, reply) => {
    const form = parseForm(request)
    if (form?.has('token') && !form.has('grant_type')) return revoke(request, reply, form) // how it was done before
    if (form) normalizeResource(form)
    const scopes = form?.getAll('scope') ?? []
    // Here, unlike at the beginning, nothing named is everything that was allowed.
    if (scopes.length === 1 && requestsNoScope(scopes[0]!)) form!.delete('scope')
    else if (scopes.length === 1)
      form!.set('scope', requestedScopes(scopes[0]!, scopeCatalogue)?.join(' ') ?? unknownScope)
    return forwardToProvider(request, reply, '/token', form)
  })
  app.post('/revoke', { onRequest: limitBy(limits.token) }, async (request, reply) =>
    revoke(request, reply, parseForm(request)),
  )

  app.post('/register', { onRequest: limitBy(limits.register) }, async (request, reply) => {
    const registration = parseRegistration(parseJson(request), config)
    if ('fault' in registration) return reply.code(400).send(registration.fault)
    const { metadata } = registration
    const { id, issued, expires, clientSecret } = await addDynamicClient(database, metadata)
    return reply.code(201).send({
      client_id: id,
      client_id_issued_at: issued,
      ...(clientSecret !== undefined && { client_secret: clientSecret, client_secret_expires_at: expires }),
      ...metadata,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    })
  })
  for (const method of ['GET', 'PUT', 'DELETE'] as const) {
    app.route({
      method,
      url: '/register/:client',
      handler: async (_request, reply) =>
        allowAnyOrigin(reply).code(501).send(oauthError('not_implemented', 'A registration cannot be read or changed')),
    })
  }
  for (const path of ['/token', '/revoke', '/register']) addPreflightRoute(app, path, 'POST')

  /** Whoever holds a token may end it. Who shows credentials all the same must have the right ones. */
  async function revoke(request: FastifyRequest, reply: FastifyReply, form: URLSearchParams | undefined) {
    const isAuthenticated = request.headers.authorization !== undefined || form?.has('client_secret')
    if (isAuthenticated) return forwardToProvider(request, reply, '/revoke', form)
    const tokens = form?.getAll('token') ?? []
    if (tokens.length !== 1 || tokens[0] === '') {
      return reply.code(400).send(oauthError('invalid_request', 'token is required, once, in a form'))
    }
    await revokeByToken(database, tokens[0]!)
    return reply.code(200).send('')
  }

  /** Every name of ours becomes the one that tokens carry; a foreign one stays, to be refused. */
  function normalizeResource(parameters: URLSearchParams): void {
    const resources = parameters.getAll('resource')
    if (resources.length > 0 && resources.every((name) => aliases.has(name)))
      parameters.set('resource', mcpResource(config))
  }

  /** Gives the request to the protocol, under the names that the settings give us and not those that a request gives. */
  async function forwardToProvider(
    request: FastifyRequest,
    reply: FastifyReply,
    url: string,
    form?: URLSearchParams,
  ): Promise<FastifyReply> {
    handler ??= protocol.load().then((provider) => provider.callback())
    const handleRequest = await handler
    const { host, protocol: scheme } = new URL(config.authUrl)
    const body = Buffer.from(form ? form.toString() : typeof request.body === 'string' ? request.body : '')
    const headers: Record<string, unknown> = { ...request.headers, host, 'x-forwarded-proto': scheme.slice(0, -1) }
    for (const name of ['x-forwarded-host', ':authority', 'transfer-encoding', 'content-length']) delete headers[name]
    if (request.method === 'POST') headers['content-length'] = String(body.length)
    const { socket, httpVersion, method } = request.raw
    const incoming = Object.assign(Readable.from([body], { objectMode: false }), {
      method,
      url,
      headers,
      socket,
      httpVersion,
    })
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value)
    reply.hijack()
    void handleRequest(incoming as unknown as typeof request.raw, reply.raw)
    return reply
  }
}

/** The library's ids of authorization requests that are pending a person's decision. */
const isRequestId = (text: string) => /^[\w-]{43}$/.test(text)

function parseForm({ body, headers }: FastifyRequest): URLSearchParams | undefined {
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '')
  if (!isForm || typeof body !== 'string') return undefined
  const form = new URLSearchParams(body)
  refuseUnstorableText(form)
  return form
}

function refuseUnstorableText(parameters: URLSearchParams): void {
  if (![...parameters].flat().every(isStorableText)) throw new ApiError(400, 'A parameter holds a NUL or broken text')
}

function parseJson({ body, headers }: FastifyRequest): unknown {
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) {
    throw new ApiError(400, 'Send a JSON object with Content-Type: application/json')
  }
  try {
    return JSON.parse(String(body))
  } catch {
    throw new ApiError(400, 'The body is not valid JSON')
  }
}
