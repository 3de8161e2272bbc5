// The HTTP server: limits on slow and malformed traffic, request ids, health, and the surfaces mounted on it.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { isIP, isIPv4, type Socket } from 'node:net'
import cors from '@fastify/cors'
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify'
import { ApiError, badRequest, routeNotFound } from './api/errors.ts'
import { type Guard, plainAddress } from './api/guard.ts'
import { newId } from './api/ids.ts'
import { mcp } from './api/mcp.ts'
import type { Guidance } from './api/mcp-server.ts'
import { openapi } from './api/openapi.ts'
import type { Operation } from './api/operation.ts'
import type { Perform } from './api/perform.ts'
import { basePath, fail, failure, rest } from './api/rest.ts'
import { type Config, networks } from './config.ts'
import { docs } from './docs.ts'
import { restMetadata } from './oauth/metadata.ts'
import { type AuthParts, oauth } from './oauth/oauth.ts'
import { portalElsewhere } from './portal/elsewhere.ts'

interface Parts extends AuthParts {
  readonly operations: readonly Operation[]
  readonly perform: Perform
  readonly admit: Guard
  readonly guidance: Guidance
  /** Whether requests can be served at the moment. */
  isReady(): Promise<boolean>
  /** Mounts the pages. */
  readonly pages: FastifyPluginAsync
}

const maxHeaderBytes = 32_768

/** The headers that scripts of an allowed origin may read. */
const exposedHeaders = [
  'X-Request-Id',
  'X-Ignored-Fields',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'WWW-Authenticate',
  'Idempotent-Replayed',
]

/**
 * One line for each request, at `debug`: the path without its query, the outcome, and never a header. Outside REST a path
 * may hold what only one browser should know, so there it is the route that is told.
 */
class AccessLog extends LogController {
  override incomingRequest(): void {}
  override requestCompleted(_error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    if (request.log.level !== 'debug' && request.log.level !== 'trace') return
    const path = request.url.startsWith(basePath) ? request.url.split('?')[0] : (request.routeOptions.url ?? 'unknown')
    request.log.debug(
      {
        requestId: request.id,
        method: request.method,
        path,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    )
  }
}

/** A proxy between us and the caller may write the address of another one with its port. */
function isTrusted({ trustProxy }: Config): (address: string) => boolean {
  const trusted = networks(trustProxy)
  return (given) => {
    const address = plainAddress(given)
    return isIP(address) !== 0 && trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
  }
}

export async function server(parts: Parts): Promise<FastifyInstance> {
  const { config } = parts
  const exchanges = new WeakMap<Socket, Exchange>()
  const app = fastify({
    logger: { level: config.logLevel, stream: process.stderr },
    logController: new AccessLog(),
    // A logger for each request would cost more than it tells: whoever logs a request names its id.
    childLoggerFactory: (logger) => logger,
    trustProxy: config.trustProxy.length > 0 ? isTrusted(config) : false,
    genReqId: () => newId('req'),
    bodyLimit: 1_048_576,
    // A request that is sent slowly on purpose is cut, so that it cannot hold a connection or a shutdown.
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    http: {
      headersTimeout: 10_000,
      connectionsCheckingInterval: 5_000,
      requireHostHeader: false,
      maxHeaderSize: maxHeaderBytes,
    },
    // Ids are checked by us, with a sentence; the router must let the long ones through to that check.
    routerOptions: { maxParamLength: maxHeaderBytes },
    clientErrorHandler: (error, socket) => refuseFraming(error, socket, exchanges.get(socket)),
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id)
      fail(
        badRequest(error.code === 'FST_ERR_BAD_URL' ? 'The address is not a valid URL' : error.message),
        request,
        reply,
        config,
      )
    },
  })

  app.server.on('request', (request, response) => exchanges.set(request.socket, { request, response }))
  app.server.on('checkExpectation', (_request, response: ServerResponse) => {
    const id = newId('req')
    response.writeHead(417, { 'content-type': 'application/json; charset=utf-8', 'x-request-id': id })
    response.end(failure(new ApiError(417, 'The Expect header asks for something we do not do'), id))
  })

  let draining = false
  app.addHook('preClose', async () => {
    draining = true
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    if (draining) reply.header('connection', 'close')
    const isHostless = request.headers.host === undefined && request.raw.httpVersion === '1.1'
    done(isHostless ? badRequest('The Host header is missing') : undefined)
  })
  app.setErrorHandler<FastifyError>((error, request, reply) => fail(error, request, reply, config))
  app.setNotFoundHandler(() => {
    throw routeNotFound()
  })

  app.get('/health/live', async () => ({ status: 'live' }))
  app.get('/health/ready', async (_request, reply) => {
    const ready = !draining && (await parts.isReady())
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' })
  })
  if (config.role.includes('auth')) await app.register(oauth, parts)
  else if (config.authUrl !== config.restOrigin) await app.register(portalElsewhere, { config })
  if (config.role.includes('rest')) {
    await app.register(docs, { document: openapi(parts.operations, config) })
    await app.register(restMetadata, { config })
    await app.register(parts.pages)
  }
  await app.register(async (open) => {
    if (config.corsOrigins.length > 0) await open.register(cors, corsFor(config))
    if (config.role.includes('rest')) await open.register(rest, { prefix: basePath, ...parts })
    if (config.role.includes('auth')) await open.register(mcp, parts)
  })
  return app
}

const corsFor = ({ corsOrigins }: Config) => ({
  origin: [...corsOrigins],
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposedHeaders,
  strictPreflight: false,
})

const framingStatus: Readonly<Record<string, [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The request headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** What is not HTTP never reaches a route; it is still answered in the envelope, unless its answer is out already. */
function refuseFraming(error: Error & { code?: string }, socket: Socket, last: Exchange | undefined): void {
  const isAnswered = last && !last.request.complete && last.response.headersSent
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswered) return void socket.destroy()
  const [status, message] = framingStatus[error.code ?? ''] ?? [400, 'The request is not valid HTTP']
  const id = newId('req')
  const body = failure(new ApiError(status, message), id)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n${body}`,
  )
}
