// The HTTP server: limits on slow and malformed traffic, request ids, health, and the surfaces mounted on it.
import { timingSafeEqual } from 'node:crypto'
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
import { ApiError, badRequest, routeNotFound, unauthorised } from './api/errors.ts'
import { bearer, type Guard, plainAddress } from './api/guard.ts'
import { newId } from './api/ids.ts'
import { mcp } from './api/mcp.ts'
import type { Guidance } from './api/mcp-server.ts'
import { openapi } from './api/openapi.ts'
import type { Operation } from './api/operation.ts'
import type { Perform } from './api/perform.ts'
import { asRefusal, basePath, fail, failure, rest, uncounted } from './api/rest.ts'
import { type Config, networks } from './config.ts'
import { docs } from './docs.ts'
import { type Answers, metricsType } from './metrics.ts'
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
  /** Where every answer, and every tool that an agent calls, is noted. */
  readonly answered: Answers
  readonly toolCalls: Answers
  /** All figures, as text. */
  metrics(): Promise<string>
  readonly ending: Ending
  /** Mounts the pages. */
  readonly pages: FastifyPluginAsync
}

/** The end of the service, which is announced before it comes. */
export interface Ending {
  isNear: boolean
  /** When somebody last came although it is near; by the clock of `performance`. Questions after health do not count. */
  lastArrival: number
}

const maxHeaderBytes = 32_768
const jsonType = 'application/json; charset=utf-8'

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
    clientErrorHandler: (error, socket) => refuseFraming(error, socket, exchanges.get(socket), config),
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id)
      if (request.raw.url?.startsWith(basePath)) reply.headers(uncounted(config))
      fail(
        badRequest(error.code === 'FST_ERR_BAD_URL' ? 'The address is not a valid URL' : error.message),
        request,
        reply,
        config,
      )
    },
  })

  app.server.on('request', (request, response) => exchanges.set(request.socket, { request, response }))
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    exchanges.set(request.socket, { request, response })
    const id = newId('req')
    response.writeHead(417, { 'content-type': jsonType, 'x-request-id': id, ...uncounted(config) })
    response.end(failure(new ApiError(417, 'The Expect header asks for something we do not do'), id))
  })

  const { ending } = parts
  app.addHook('preClose', async () => {
    ending.isNear = true
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    if (ending.isNear) {
      // Whoever keeps the connection learns here that the next request needs another: none is cut in the middle.
      reply.header('connection', 'close')
      if (!request.url.startsWith('/health/')) ending.lastArrival = performance.now()
    }
    const isHostless = request.headers.host === undefined && request.raw.httpVersion === '1.1'
    done(isHostless ? badRequest('The Host header is missing') : undefined)
  })
  app.setErrorHandler<FastifyError>((error, request, reply) => fail(error, request, reply, config))
  app.setNotFoundHandler(() => {
    throw routeNotFound()
  })

  noteAnswers(app, parts.answered)
  app.get('/metrics', async (request, reply) => {
    if (!mayReadMetrics(request, config)) {
      reply.header('www-authenticate', 'Bearer')
      throw unauthorised('Metrics are read from this machine itself, or with METRICS_TOKEN as Authorization: Bearer')
    }
    return reply.type(metricsType).send(await parts.metrics())
  })
  app.get('/health/live', async () => ({ status: 'live' }))
  app.get('/health/ready', async (_request, reply) => {
    const ready = !ending.isNear && (await parts.isReady())
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
    if (config.role.includes('auth'))
      await open.register(mcp, { ...parts, perform: noted(parts.perform, parts.toolCalls) })
  })
  return app
}

/** Each route knows its name; what matches none has one name together. */
function noteAnswers(app: FastifyInstance, { note }: Answers): void {
  app.addHook('onRoute', (route) => {
    const name = route.config?.operation ?? `${route.method} ${route.url}`
    const before = route.onResponse ? [route.onResponse].flat() : []
    route.onResponse = [
      ...before,
      (_request, reply, done) => {
        note(name, reply.statusCode, reply.elapsedTime)
        done()
      },
    ]
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (request.is404) note('unmatched', reply.statusCode, reply.elapsedTime)
    done()
  })
}

/** Agents come by one address, so what they do there is noted where it is done. */
const noted =
  (perform: Perform, { note }: Answers): Perform =>
  async (request, caller) => {
    const begin = performance.now()
    let status = 200
    try {
      const answer = await perform(request, caller)
      status = answer.status
      return answer
    } catch (error) {
      status = asRefusal(error).status
      throw error
    } finally {
      note(request.operation.name, status, performance.now() - begin)
    }
  }

const ownMachine = networks(['127.0.0.0/8', '::1/128'])
const forwarding = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']

/** What a proxy on this machine brings comes from elsewhere, and says so in one of these headers. */
function mayReadMetrics({ headers, socket }: FastifyRequest, { metricsToken }: Config): boolean {
  const token = Buffer.from(bearer(headers.authorization) ?? '')
  const expected = Buffer.from(metricsToken ?? '')
  if (metricsToken !== null && token.length === expected.length && timingSafeEqual(token, expected)) return true
  const address = plainAddress(socket.remoteAddress ?? '')
  const isOwn = isIP(address) !== 0 && ownMachine.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return isOwn && forwarding.every((name) => headers[name] === undefined)
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
function refuseFraming(
  error: Error & { code?: string },
  socket: Socket,
  last: Exchange | undefined,
  config: Config,
): void {
  const isAnswered = last?.response.headersSent && !(last.request.complete && last.response.writableEnded)
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswered) return void socket.destroy()
  const [status, message] = framingStatus[error.code ?? ''] ?? [400, 'The request is not valid HTTP']
  const id = newId('req')
  const body = failure(new ApiError(status, message), id)
  const headers = {
    'content-type': jsonType,
    'content-length': Buffer.byteLength(body),
    'x-request-id': id,
    ...uncounted(config), // it may have been meant for REST
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
}
