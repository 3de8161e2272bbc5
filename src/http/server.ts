// The HTTP server without its surfaces: limits on slow and malformed traffic, request ids, metrics and health.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { isIP, isIPv4, type Socket } from 'node:net'
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify'
import type { Config } from '../config/config.ts'
import { createBlockList, isLoopback } from '../config/networks.ts'
import { isSameSecret } from '../identity/secrets.ts'
import { type CallMetrics, metricsContentType } from '../metrics/prometheus.ts'
import { basePath } from '../operations/base-path.ts'
import { ApiError, badRequest, routeNotFound, unauthorised } from '../operations/errors.ts'
import { newId } from '../operations/ids.ts'
import { errorBody, sendError } from './envelope.ts'
import { uncountedHeaders } from './rate-limit-headers.ts'
import { bearer, bodyLimit, normalizeAddress } from './request.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The name under which operators see what a route does. */
    operation?: string
  }
}

interface ServerDependencies {
  readonly config: Config
  /** Whether requests can be served at the moment. */
  isReady(): Promise<boolean>
  /** Where every answered request is counted. */
  readonly requestMetrics: CallMetrics
  /** All metrics, as text. */
  renderMetrics(): Promise<string>
  readonly shutdown: Shutdown
  /** Stands in every line of the log, where several processes write to it. */
  readonly processName?: string | undefined
}

/** The end of the service, which is announced before it comes. */
export interface Shutdown {
  isAnnounced: boolean
  /** When somebody last came although it is near; by the clock of `performance`. Health checks do not count. */
  lastRequestAt: number
}

const maxHeaderBytes = 32_768
const jsonContentType = 'application/json; charset=utf-8'

/**
 * One line for each request, at `debug`: the path without its query, the outcome, and never a header. Outside REST a path
 * may hold what only one browser should know, so there it is the route that is logged.
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
function trustedProxyCheck({ trustProxy }: Config): (address: string) => boolean {
  const trusted = createBlockList(trustProxy)
  return (given) => {
    const address = normalizeAddress(given)
    return isIP(address) !== 0 && trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
  }
}

export async function createServer(dependencies: ServerDependencies): Promise<FastifyInstance> {
  const { config, processName } = dependencies
  const exchanges = new WeakMap<Socket, Exchange>()
  const app = fastify({
    logger: { level: config.logLevel, stream: process.stderr, ...(processName && { name: processName }) },
    logController: new AccessLog(),
    // A logger for each request would cost more than it tells: whoever logs a request names its id.
    childLoggerFactory: (logger) => logger,
    trustProxy: config.trustProxy.length > 0 ? trustedProxyCheck(config) : false,
    genReqId: () => newId('req'),
    bodyLimit,
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
    clientErrorHandler: (error, socket) => answerMalformedRequest(error, socket, exchanges.get(socket), config),
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id)
      if (request.raw.url?.startsWith(basePath)) reply.headers(uncountedHeaders(config))
      sendError(
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
    response.writeHead(417, { 'content-type': jsonContentType, 'x-request-id': id, ...uncountedHeaders(config) })
    response.end(errorBody(new ApiError(417, 'The Expect header asks for something we do not do'), id))
  })

  const { shutdown } = dependencies
  app.addHook('preClose', async () => {
    shutdown.isAnnounced = true
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    if (shutdown.isAnnounced) {
      // Whoever keeps the connection learns here that the next request needs another: none is cut in the middle.
      reply.header('connection', 'close')
      if (!request.url.startsWith('/health/')) shutdown.lastRequestAt = performance.now()
    }
    const isHostless = request.headers.host === undefined && request.raw.httpVersion === '1.1'
    done(isHostless ? badRequest('The Host header is missing') : undefined)
  })
  app.setErrorHandler<FastifyError>((error, request, reply) => sendError(error, request, reply, config))
  app.setNotFoundHandler(() => {
    throw routeNotFound()
  })

  observeRequests(app, dependencies.requestMetrics)
  app.get('/metrics', async (request, reply) => {
    if (!mayReadMetrics(request, config)) {
      reply.header('www-authenticate', 'Bearer')
      throw unauthorised('Metrics are read from this machine itself, or with METRICS_TOKEN as Authorization: Bearer')
    }
    return reply.type(metricsContentType).send(await dependencies.renderMetrics())
  })
  app.get('/', async (_request, reply) => reply.redirect('/desk', 303))
  app.get('/health/live', async () => ({ status: 'live' }))
  app.get('/health/ready', async (_request, reply) => {
    const ready = !shutdown.isAnnounced && (await dependencies.isReady())
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' })
  })
  return app
}

/** Each route knows its name; what matches none has one name together. */
function observeRequests(app: FastifyInstance, { observe }: CallMetrics): void {
  app.addHook('onRoute', (route) => {
    const name = route.config?.operation ?? `${route.method} ${route.url}`
    const existing = route.onResponse ? [route.onResponse].flat() : []
    route.onResponse = [
      ...existing,
      (_request, reply, done) => {
        observe(name, reply.statusCode, reply.elapsedTime)
        done()
      },
    ]
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (request.is404) observe('unmatched', reply.statusCode, reply.elapsedTime)
    done()
  })
}

const proxyHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']

/** What a proxy on this machine brings comes from elsewhere, and says so in one of these headers. */
function mayReadMetrics({ headers, socket }: FastifyRequest, { metricsToken }: Config): boolean {
  const token = Buffer.from(bearer(headers.authorization) ?? '')
  const expected = Buffer.from(metricsToken ?? '')
  if (metricsToken !== null && isSameSecret(token, expected)) return true
  const address = normalizeAddress(socket.remoteAddress ?? '')
  const isLocal = isIP(address) !== 0 && isLoopback(address)
  return isLocal && proxyHeaders.every((name) => headers[name] === undefined)
}

const parserErrorStatus: Readonly<Record<string, [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The request headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** What is not HTTP never reaches a route; it is still answered in the envelope, unless its answer is out already. */
function answerMalformedRequest(
  error: Error & { code?: string },
  socket: Socket,
  lastExchange: Exchange | undefined,
  config: Config,
): void {
  const isAnswered =
    lastExchange?.response.headersSent && !(lastExchange.request.complete && lastExchange.response.writableEnded)
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswered) return void socket.destroy()
  const [status, message] = parserErrorStatus[error.code ?? ''] ?? [400, 'The request is not valid HTTP']
  const id = newId('req')
  const body = errorBody(new ApiError(status, message), id)
  const headers = {
    'content-type': jsonContentType,
    'content-length': Buffer.byteLength(body),
    'x-request-id': id,
    ...uncountedHeaders(config), // it may have been meant for REST
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
}
