// POST /mcp: the same guard as REST in front of the protocol, and every refusal in the form that MCP clients read.
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { ApiError, badRequest, forbidden, unexpected } from './errors.ts'
import type { Admitted, Guard } from './guard.ts'
import { inPlainWords } from './mcp-answers.ts'
import { type Guidance, protocol } from './mcp-server.ts'
import type { Operation } from './operation.ts'
import type { Perform } from './perform.ts'
import { addressOf, bodyLimit, only, parsed, refuseUnreadableBody } from './request.ts'
import { asRefusal, logged } from './rest.ts'

export const mcpPath = '/mcp'

interface Parts {
  readonly config: Config
  readonly operations: readonly Operation[]
  readonly perform: Perform
  readonly admit: Guard
  readonly guidance: Guidance
}

/** A plugin: mount it without a prefix. */
export async function mcp(app: FastifyInstance, parts: Parts): Promise<void> {
  const { admit, config } = parts
  const mayAsk = new Set([...config.corsOrigins, new URL(config.authUrl).origin, config.restOrigin])
  const callers = new WeakMap<FastifyRequest, Admitted>()
  const refusalFor = (error: unknown, requestId: string): ApiError => {
    const refusal = asRefusal(error)
    if (refusal.status >= 500) logged(error, { log: app.log, id: requestId }, refusal.message)
    return refusal
  }
  const { answer, refuseUnknownToolset, close } = protocol({ ...parts, refusalFor })
  app.addHook('preClose', close)

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, async (_request: FastifyRequest, body: Buffer) => {
    try {
      return parsed(body)
    } catch (error) {
      throw Object.assign(error as Error, { rpcCode: -32_700 })
    }
  })
  app.setErrorHandler<FastifyError & { rpcCode?: number }>((error, request, reply) => {
    const refusal = refusalFor(error, request.id)
    return reply
      .code(refusal.status)
      .headers(refusal.headers)
      .type('application/json; charset=utf-8')
      .send(rpcFailure(refusal, error.rpcCode ?? rpcCodeOf(refusal), request.id))
  })

  app.route({
    method: ['POST', 'GET', 'DELETE'],
    url: mcpPath,
    config: { operation: 'mcp' },
    async onRequest(request, reply) {
      reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
      const { origin } = request.headers
      // A page of somebody else's must not reach a service on its visitor's own machine.
      if (origin !== undefined && !mayAsk.has(origin)) throw forbidden('The Origin is not among CORS_ORIGINS')
      const caller = await admit({
        use: 'mcp',
        address: addressOf(request),
        apiKey: only(request.headers['x-api-key']),
        authorization: request.headers.authorization,
        orgId: undefined,
        header: (name, value) => void reply.header(name, value),
      })
      callers.set(request, caller)
      refuseUnreadableBody(request)
      refuseUnknownToolset(only(request.headers['x-mcp-toolsets']))
    },
    async handler(request, reply) {
      if (request.method !== 'POST')
        throw new ApiError(405, 'There is no stream to open or to end', {}, { allow: 'POST' })
      // Each message is counted against the limit, so each comes by itself.
      if (Array.isArray(request.body)) throw badRequest('Send one message at a time, not a batch')
      const gone = new AbortController()
      reply.raw.on('close', () => gone.abort())
      const response = await answer(webRequest(request, config, gone.signal), request.body, {
        caller: callers.get(request)!,
        toolsets: only(request.headers['x-mcp-toolsets']),
        requestId: request.id,
      })
      for (const [name, value] of response.headers) reply.header(name, value)
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      return reply
        .code(response.status)
        .send(isStream ? Readable.fromWeb(response.body as ReadableStream) : inPlainWords(await response.text()))
    },
  })
}

/** The headers that the protocol looks at. */
const protocolHeaders = ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id']

/** The body goes along as it was read, so the request itself carries none. */
function webRequest({ method, headers }: FastifyRequest, { authUrl }: Config, signal: AbortSignal): Request {
  const told: Record<string, string> = {}
  for (const name of protocolHeaders) {
    const value = only(headers[name])
    if (value !== undefined) told[name] = value
  }
  return new Request(authUrl + mcpPath, { method, headers: told, signal })
}

const rpcCodeOf = ({ status }: ApiError): number => {
  if (status === unexpected().status) return -32_603
  return status === 400 ? -32_600 : -32_000
}

/** `data` is what REST would have answered. */
const rpcFailure = ({ status, message, details }: ApiError, code: number, requestId: string): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: null,
    error: { code, message, data: { success: false, error: message, ...details, ...(status >= 500 && { requestId }) } },
  })
