// POST /mcp: the same guard as REST in front of the protocol, and every refusal in the form that MCP clients read.
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import type { EventStreams } from '../events/streams.ts'
import { toApiError } from '../http/envelope.ts'
import { loadInPieces } from '../http/load-in-pieces.ts'
import { logError } from '../http/log-error.ts'
import { bodyLimit, clientAddress, firstHeader, parseJsonBody, refuseUnreadableBody } from '../http/request.ts'
import { ApiError, badRequest, forbidden, unexpected } from '../operations/errors.ts'
import type { Execute } from '../operations/execute.ts'
import type { Operation } from '../operations/operation.ts'
import type { Authenticate, AuthenticatedCaller, CheckCaller, PresentedCredentials } from '../rest/guard.ts'
import type { Card } from './cards.ts'
import { simplifyValidationErrors } from './results.ts'
import type { createMcpServer, Guidance } from './server.ts'

export const mcpPath = '/mcp'

interface McpDependencies {
  readonly config: Config
  readonly operations: readonly Operation[]
  readonly execute: Execute
  readonly authenticate: Authenticate
  readonly guidance: Guidance
  readonly streams: EventStreams
  readonly cards: readonly Card[]
  readonly checkCaller: CheckCaller
}

/** A plugin: mount it without a prefix. */
export async function mcp(app: FastifyInstance, dependencies: McpDependencies): Promise<void> {
  const { authenticate, checkCaller, config } = dependencies
  const allowedOrigins = new Set([...config.corsOrigins, new URL(config.authUrl).origin, config.restOrigin])
  const callers = new WeakMap<FastifyRequest, AuthenticatedCaller>()
  const reportError = (error: unknown, requestId: string): ApiError => {
    const apiError = toApiError(error)
    if (apiError.status >= 500) logError(error, { log: app.log, id: requestId }, apiError.message)
    return apiError
  }
  // Loaded with the first request: a shop without agents does without it, and it takes a tenth of the memory and of a start.
  // In pieces, so that only that request waits for it.
  let loading: ReturnType<typeof createMcpServer> | undefined
  const loadServer = () => {
    loading ??= loadInPieces(import.meta.resolve('@modelcontextprotocol/server'))
      .then(() => import('./server.ts'))
      .then((server) => server.createMcpServer({ ...dependencies, reportError }))
    return loading
  }
  app.addHook('preClose', async () => (await loading)?.close())

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, async (_request: FastifyRequest, body: Buffer) => {
    try {
      return parseJsonBody(body)
    } catch (error) {
      throw Object.assign(error as Error, { rpcCode: -32_700 })
    }
  })
  app.setErrorHandler<FastifyError & { rpcCode?: number }>((error, request, reply) => {
    const apiError = reportError(error, request.id)
    return reply
      .code(apiError.status)
      .headers(apiError.headers)
      .type('application/json; charset=utf-8')
      .send(rpcErrorBody(apiError, error.rpcCode ?? rpcCodeOf(apiError), request.id))
  })

  app.route({
    method: ['POST', 'GET', 'DELETE'],
    url: mcpPath,
    config: { operation: 'mcp' },
    async onRequest(request, reply) {
      reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
      const { origin } = request.headers
      // A page of another origin must not reach a service on its visitor's own computer (DNS rebinding).
      if (origin !== undefined && !allowedOrigins.has(origin)) {
        throw forbidden('The Origin is not among CORS_ORIGINS', 'origin_not_allowed')
      }
      callers.set(request, await authenticate(presentedBy(request, reply)))
      refuseUnreadableBody(request)
      const { refuseUnknownToolset } = await loadServer()
      refuseUnknownToolset(firstHeader(request.headers['x-mcp-toolsets']))
    },
    async handler(request, reply) {
      if (request.method !== 'POST')
        throw new ApiError(405, 'There is no stream to open or to end', {}, { allow: 'POST' })
      // Each message is counted against the limit, so each comes by itself.
      if (Array.isArray(request.body)) throw badRequest('Send one message at a time, not a batch')
      const { handle } = await loadServer()
      const aborted = new AbortController()
      reply.raw.on('close', () => aborted.abort())
      const response = await handle(webRequest(request, config, aborted.signal), request.body, {
        caller: callers.get(request)!,
        toolsets: firstHeader(request.headers['x-mcp-toolsets']),
        requestId: request.id,
        checkCaller: () => checkCaller(presentedBy(request, reply)),
      })
      for (const [name, value] of response.headers) reply.header(name, value)
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      return reply
        .code(response.status)
        .send(
          isStream
            ? Readable.fromWeb(response.body as ReadableStream)
            : simplifyValidationErrors(await response.text()),
        )
    },
  })
}

const presentedBy = (request: FastifyRequest, reply: FastifyReply): PresentedCredentials => ({
  use: 'mcp',
  address: clientAddress(request),
  apiKey: firstHeader(request.headers['x-api-key']),
  authorization: request.headers.authorization,
  orgId: undefined,
  setHeader: (name, value) => void (reply.sent || reply.header(name, value)),
})

/** The headers that the protocol looks at. */
const protocolHeaders = ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id']

/** The body goes along as it was read, so the request itself carries none. */
function webRequest({ method, headers }: FastifyRequest, { authUrl }: Config, signal: AbortSignal): Request {
  const forwarded: Record<string, string> = {}
  for (const name of protocolHeaders) {
    const value = firstHeader(headers[name])
    if (value !== undefined) forwarded[name] = value
  }
  return new Request(authUrl + mcpPath, { method, headers: forwarded, signal })
}

const rpcCodeOf = ({ status }: ApiError): number => {
  if (status === unexpected().status) return -32_603
  return status === 400 ? -32_600 : -32_000
}

/** `data` is what REST would have answered. */
const rpcErrorBody = ({ status, message, details }: ApiError, code: number, requestId: string): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: null,
    error: { code, message, data: { success: false, error: message, ...details, ...(status >= 500 && { requestId }) } },
  })
