// Operations become routes under /api/v1/organisations/:orgId: who may come in, what is read, and how it is answered.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isSameAnswer, parseEntityTags } from '../domain/entity-tags.ts'
import type { EventStreams } from '../events/streams.ts'
import { sendError } from '../http/envelope.ts'
import { sendFile } from '../http/file-reply.ts'
import { uncountedHeaders } from '../http/rate-limit-headers.ts'
import {
  bodyLimit,
  clientAddress,
  firstHeader,
  methodsWithBody,
  parseJsonBody,
  refuseUnreadableBody,
} from '../http/request.ts'
import { fileKindOf, type Subscription, streamType } from '../operations/answers.ts'
import { basePath } from '../operations/base-path.ts'
import type { Caller } from '../operations/caller.ts'
import * as errors from '../operations/errors.ts'
import { type Execute, refuseMalformedIds, refuseUnlessAllowed } from '../operations/execute.ts'
import { idsIn, type Operation } from '../operations/operation.ts'
import { type Entity, type Scope, scopeFor } from '../operations/scopes.ts'
import { identityTokenRoutes } from '../sign-in/identity-token.ts'
import type { Authenticate, CheckCaller, PresentedCredentials } from './guard.ts'
import { type KeyRotationDependencies, keyRotation } from './key-rotation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who the guard let in. */
    caller: Caller
  }
}

interface RestDependencies extends KeyRotationDependencies {
  readonly operations: readonly Operation[]
  readonly execute: Execute
  readonly authenticate: Authenticate
  readonly checkCaller: CheckCaller
  readonly streams: EventStreams
}

/** A plugin: mount it with `prefix: basePath`. */
export async function rest(app: FastifyInstance, dependencies: RestDependencies): Promise<void> {
  const { operations, execute, authenticate, config } = dependencies
  app.decorateRequest('caller')
  const presentedBy = (
    request: FastifyRequest,
    reply: FastifyReply,
    orgId: string | undefined,
  ): PresentedCredentials => ({
    use: 'rest',
    address: clientAddress(request),
    apiKey: firstHeader(request.headers['x-api-key']),
    authorization: request.headers.authorization,
    orgId,
    setHeader: (name, value) => void reply.header(name, value),
  })
  const authenticateRequest = async (request: FastifyRequest, reply: FastifyReply, orgId: string | undefined) => {
    const caller = await authenticate(presentedBy(request, reply, orgId))
    request.caller = caller
    return caller
  }

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, async (request: FastifyRequest, body: Buffer) =>
    methodsWithBody.has(request.method) ? parseJsonBody(body) : undefined,
  )
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    if (!reply.hasHeader('x-ratelimit-limit')) reply.headers(uncountedHeaders(config))
    return sendError(error, request, reply, config)
  })

  for (const operation of operations) {
    const ids = idsIn(operation.path)
    const isChange = operation.method === 'PUT' || operation.method === 'DELETE'
    const isStream = fileKindOf(operation.returns)?.mediaTypes.includes(streamType) ?? false
    app.route<{ Params: Record<string, string>; Body: unknown }>({
      method: operation.method === 'PUT' ? ['PUT', 'PATCH'] : operation.method,
      url: `/organisations/:orgId${operation.path === '/' ? '' : operation.path}`,
      config: { operation: operation.name },
      async onRequest(request, reply) {
        const caller = await authenticateRequest(request, reply, request.params.orgId)
        refuseUnlessAllowed(operation, caller)
        refuseMalformedIds(request.params)
        refuseUnreadableBody(request)
      },
      async handler(request, reply) {
        const params: Record<string, string> = {}
        for (const id of ids) params[id] = request.params[id]!
        const result = await execute(
          {
            operation,
            params,
            query: isStream ? withLastEventId(request) : request.query,
            body: request.body,
            idempotencyKey: operation.method === 'POST' ? firstHeader(request.headers['idempotency-key']) : undefined,
            ifMatch: isChange ? request.headers['if-match'] : undefined,
          },
          request.caller,
        )
        if (result.ignored.length > 0) reply.header('x-ignored-fields', headerList(result.ignored))
        if (result.replayed) reply.header('idempotent-replayed', 'true')
        if (result.etag !== undefined) reply.header('etag', result.etag)
        if (operation.method === 'GET' && isKnownAnswer(request, result.etag)) return reply.code(304).send()
        if (result.attachment) return sendFile(reply, result.attachment)
        if (result.subscription) return sendStream(operation, result.subscription, request, reply)
        return reply
          .code(result.status)
          .type('application/json; charset=utf-8')
          .send(`{"success":true,"data":${result.data}}`)
      },
    })
  }

  function sendStream(
    { needs }: Operation,
    subscription: Subscription,
    request: FastifyRequest<{ Params: Record<string, string> }>,
    reply: FastifyReply,
  ): FastifyReply {
    reply.type(`${streamType}; charset=utf-8`).header('x-accel-buffering', 'no') // a proxy must not hold events back
    if (request.method === 'HEAD') return reply.send('')
    const presented = presentedBy(request, reply, request.params.orgId)
    const stream = dependencies.streams.open({
      caller: request.caller,
      subscription,
      async checkCaller() {
        const caller = await dependencies.checkCaller(presented)
        return needs.every((scope) => caller?.scopes.has(scope)) ? caller : undefined
      },
    })
    return reply.send(stream)
  }

  // Whatever matches no operation is refused the same way, by the resource it seems to ask for.
  const entityAt = createEntityFinder(operations)
  app.setNotFoundHandler(() => {
    throw errors.routeNotFound()
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
    // What takes no body does not ask for its type either.
    if (!methodsWithBody.has(request.method)) delete request.headers['content-type']
    if (request.is404) refuseUnknownRoute(request, reply).catch(done)
    else done()
  })
  await app.register(keyRotation, { ...dependencies, prefix: '' })
  await app.register(identityTokenRoutes, { ...dependencies, prefix: '' })

  async function refuseUnknownRoute(request: FastifyRequest, reply: FastifyReply): Promise<never> {
    const { orgId, segments } = splitPath(request.url)
    const caller = await authenticateRequest(request, reply, orgId)
    if (orgId === undefined) throw errors.routeNotFound()
    const entity = entityAt(segments)
    if (!entity) throw errors.unknownResource()
    const needed = scopeFor(entity, request.method)
    // Nobody can be given a scope that does not exist: to ask for it would send people looking for it.
    if (isHoldable(entity, needed) && !caller.scopes.has(needed)) throw errors.insufficientScope([needed])
    throw errors.routeNotFound()
  }
}

const isHoldable = ({ actions }: Entity, scope: Scope) => actions.some((action) => scope.endsWith(`:${action}`))

/** Whether the caller has this very answer already. What is no list of ETags is not known. */
function isKnownAnswer({ headers: { 'if-none-match': known } }: FastifyRequest, etag: string | undefined): boolean {
  if (known === undefined || etag === undefined) return false
  const tags = parseEntityTags(known)
  return tags !== undefined && isSameAnswer(tags, etag)
}

/** Where a stream broke off, as browsers say it when they connect again. */
function withLastEventId({ query, headers }: FastifyRequest): unknown {
  const lastEventId = firstHeader(headers['last-event-id'])
  return lastEventId === undefined ? query : { ...(query as object), startAfter: lastEventId }
}

/** Names come from the caller: they are made safe for a header and kept short. */
const headerList = (names: readonly string[]) =>
  names
    .slice(0, 20)
    .map((name) => encodeURIComponent(name.toWellFormed()).slice(0, 60))
    .join(',')

/**
 * The entity that a path seems to ask for: `/customers/:id/devices` belongs to devices, but it is `customers` that leads to
 * it. The path without segments is an operation, too.
 */
function createEntityFinder(operations: readonly Operation[]) {
  const bySegment = new Map<string, Entity>()
  for (const { path, entity } of operations) {
    const literals = path.split('/').filter((part) => part && !part.startsWith(':'))
    const [segment = ''] = literals
    if (literals.length < 2 || !bySegment.has(segment)) bySegment.set(segment, entity)
  }
  return (segments: readonly string[]): Entity | undefined =>
    segments.length === 0 ? bySegment.get('') : segments.map((segment) => bySegment.get(segment)).find(Boolean)
}

function splitPath(url: string): { orgId: string | undefined; segments: string[] } {
  const path = decodeURIComponent(url.split(/[?#]/)[0]!)
  const [collection, orgId, ...segments] = path.slice(basePath.length).split('/').filter(Boolean)
  return collection === 'organisations' ? { orgId, segments } : { orgId: undefined, segments: [] }
}
