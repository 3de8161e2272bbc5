// Operations become routes under /api/v1/organisations/:orgId. The envelope is made here and nowhere else.
import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { Unavailable } from '../db/database.ts'
import {
  bodyLimit,
  clientAddress,
  firstHeader,
  methodsWithBody,
  parseJsonBody,
  refuseUnreadableBody,
} from '../http/request.ts'
import * as errors from '../operations/errors.ts'
import { ApiError } from '../operations/errors.ts'
import { type Execute, refuseMalformedIds, refuseUnlessAllowed } from '../operations/execute.ts'
import { type Attachment, type Caller, idsIn, type Operation } from '../operations/operation.ts'
import { type Entity, scopeFor } from '../operations/scopes.ts'
import type { Authenticate } from './guard.ts'
import { type KeyRotationDependencies, keyRotation } from './key-rotation.ts'

export const basePath = '/api/v1'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who the guard let in. */
    caller: Caller
  }
  interface FastifyContextConfig {
    /** The name under which operators see what a route does. */
    operation?: string
  }
}

interface RestDependencies extends KeyRotationDependencies {
  readonly operations: readonly Operation[]
  readonly execute: Execute
  readonly authenticate: Authenticate
}

/** A plugin: mount it with `prefix: basePath`. */
export async function rest(app: FastifyInstance, dependencies: RestDependencies): Promise<void> {
  const { operations, execute, authenticate, config } = dependencies
  app.decorateRequest('caller')
  const authenticateRequest = async (request: FastifyRequest, reply: FastifyReply, orgId: string | undefined) => {
    const caller = await authenticate({
      use: 'rest',
      address: clientAddress(request),
      apiKey: firstHeader(request.headers['x-api-key']),
      authorization: request.headers.authorization,
      orgId,
      setHeader: (name, value) => void reply.header(name, value),
    })
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
            query: request.query,
            body: request.body,
            idempotencyKey: operation.method === 'POST' ? firstHeader(request.headers['idempotency-key']) : undefined,
          },
          request.caller,
        )
        if (result.ignored.length > 0) reply.header('x-ignored-fields', headerList(result.ignored))
        if (result.replayed) reply.header('idempotent-replayed', 'true')
        if (result.attachment) return sendAttachment(reply, result.attachment)
        return reply
          .code(result.status)
          .type('application/json; charset=utf-8')
          .send(`{"success":true,"data":${result.data}}`)
      },
    })
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

  async function refuseUnknownRoute(request: FastifyRequest, reply: FastifyReply): Promise<never> {
    const { orgId, segments } = splitPath(request.url)
    const caller = await authenticateRequest(request, reply, orgId)
    if (orgId === undefined) throw errors.routeNotFound()
    const entity = entityAt(segments)
    if (!entity) throw errors.unknownResource()
    const needed = scopeFor(entity, request.method)
    if (!caller.scopes.has(needed)) throw errors.insufficientScope([needed])
    throw errors.routeNotFound()
  }
}

async function sendAttachment(reply: FastifyReply, { fileName, bytes }: Attachment): Promise<FastifyReply> {
  return reply
    .type('application/pdf')
    .header('content-disposition', `inline; filename="${fileName}"`)
    .send(Buffer.from(await bytes()))
}

/** What could not be counted promises nothing. */
export const uncountedHeaders = ({ rateLimitPerMinute }: Config) => ({
  'x-ratelimit-limit': String(rateLimitPerMinute),
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': String(Math.ceil(Date.now() / 1_000) + 1),
})

/** Answers any error in the envelope; what nobody foresaw is logged once, with the id the caller is given. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, config: Config) {
  const apiError = toApiError(error)
  if (apiError.status >= 500) logError(error, request, apiError.message)
  reply.headers(apiError.headers)
  if (apiError.details.code === 'insufficient_scope') {
    reply.header(
      'www-authenticate',
      `Bearer error="insufficient_scope", scope="${apiError.details.requiredScopes!.join(' ')}", ` +
        `resource_metadata="${config.restOrigin}/.well-known/oauth-protected-resource${basePath}"`,
    )
  }
  return reply.code(apiError.status).type('application/json; charset=utf-8').send(errorBody(apiError, request.id))
}

/** One line for the operator; never what a request carried. */
export function logError(
  error: unknown,
  { log, id }: { readonly log: FastifyBaseLogger; readonly id: string | undefined },
  message = errors.unexpected().message,
): void {
  log.error({ err: serializeError(error), requestId: id }, message)
}

/** What an operator needs to know of an error; PostgreSQL's details quote the records they are about. */
export function serializeError(error: unknown): object {
  const { message, stack, code, constraint, table, cause } = error as Error & Record<string, unknown>
  return { message, stack, code, constraint, table, ...(cause instanceof Error && { cause: serializeError(cause) }) }
}

/** The body of every error. */
export function errorBody({ status, message, details }: ApiError, requestId: string): string {
  return JSON.stringify({ success: false, error: message, ...details, ...(status >= 500 && { requestId }) })
}

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof Unavailable) return errors.unavailable()
  const { statusCode = 500, message } = error as FastifyError
  if (statusCode === 413) return errors.tooLarge()
  if (statusCode === 415) return errors.notJson()
  return statusCode < 500 ? new ApiError(statusCode, message) : errors.unexpected()
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
    if (literals.length < 2) bySegment.set(literals[0] ?? '', entity)
  }
  return (segments: readonly string[]): Entity | undefined =>
    segments.length === 0 ? bySegment.get('') : segments.map((segment) => bySegment.get(segment)).find(Boolean)
}

function splitPath(url: string): { orgId: string | undefined; segments: string[] } {
  const path = decodeURIComponent(url.split(/[?#]/)[0]!)
  const [collection, orgId, ...segments] = path.slice(basePath.length).split('/').filter(Boolean)
  return collection === 'organisations' ? { orgId, segments } : { orgId: undefined, segments: [] }
}
