// The MCP protocol, in both of its eras: what each request of an authenticated caller is answered with.
import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Config } from '../config/config.ts'
import type { EventStreams } from '../events/streams.ts'
import { createPace } from '../http/pacing.ts'
import type { Caller } from '../operations/caller.ts'
import type { ApiError } from '../operations/errors.ts'
import type { Execute } from '../operations/execute.ts'
import type { Operation } from '../operations/operation.ts'
import type { AuthenticatedCaller } from '../rest/guard.ts'
import { type Card, cardSession, createCardResources, showsCards } from './cards.ts'
import { firstMessages } from './first-messages.ts'
import { createRecordResources, followRecords } from './records.ts'
import { errorResult, refusalResult, type ToolResult, toToolResult } from './results.ts'
import { createOperationSearch, type SearchGuidance } from './search.ts'
import { createToolSelector, createTools, isVisible, type Tool, toOperationRequest } from './tools.ts'

export interface Prompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[]
  render(given: Readonly<Record<string, string>>): string
}

export interface Guidance extends SearchGuidance {
  /** The names of the operations that are tools of their own, in order. */
  readonly directTools: readonly string[]
  readonly instructions: string
  /** How to use the service, for a model that asks. */
  readonly guide: string
  readonly prompts: readonly Prompt[]
}

export interface McpServerDependencies {
  readonly config: Config
  readonly operations: readonly Operation[]
  readonly execute: Execute
  readonly guidance: Guidance
  readonly streams: EventStreams
  readonly cards: readonly Card[]
  /** Logs unexpected errors for the operator, and returns the error for the caller. */
  reportError(error: unknown, requestId: string): ApiError
}

/** One request: by which caller, and for which tools. */
export interface McpCall {
  readonly caller: AuthenticatedCaller
  readonly toolsets: string | undefined
  readonly requestId: string
  /** The caller as the credential stands now; undefined once it may not be used any more. */
  checkCaller(): Promise<Caller | undefined>
}

interface AnsweredCall extends McpCall {
  /** Whether the host shows cards. */
  readonly hasCards: boolean
}

const guideUri = 'jobwright://guide'

/** Made in pieces: the schemas of all tools together hold up others for longer than they should wait. */
export async function createMcpServer(dependencies: McpServerDependencies) {
  const { config, operations, execute, guidance, reportError } = dependencies
  const records = createRecordResources(operations, execute)
  const cards = createCardResources(dependencies.cards)
  const pace = createPace()
  const tools: Tool[] = []
  for (const tool of createTools(operations)) {
    tools.push(tool)
    await pace()
  }
  const selectTools = createToolSelector(tools, guidance.directTools)
  const search = createOperationSearch(tools, guidance)
  await pace()

  async function runTool(tool: Tool, given: Readonly<Record<string, unknown>>, isStructured: boolean, call: McpCall) {
    return toToolResult(await execute(toOperationRequest(tool, given), call.caller), tool.listShape, isStructured)
  }

  async function callTool(name: string, given: Readonly<Record<string, unknown>>, call: McpCall): Promise<ToolResult> {
    const { tools: offered, isDirect } = selectTools(call.toolsets)
    const tool = offered.find((one) => one.name === name)
    if (tool) return runTool(tool, given, tool.isStructured, call)
    if (isDirect && search.isSearchTool(name)) {
      if (name === 'find_operations') return search.find(given, call.caller)
      const target = search.resolveTarget(name, given, call.caller)
      return runTool(target.tool, target.args, false, call)
    }
    const other = search.byName(name)
    if (!other) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 100)}`)
    if (!isDirect) return errorResult(`${name} is not among the tools that X-MCP-Toolsets asked for.`)
    const runner = other.operation.method === 'GET' ? 'read_operation' : 'write_operation'
    return errorResult(`${name} is no tool of its own: call ${runner} with {"operation":"${name}","arguments":{…}}.`)
  }

  const listTools = ({ caller, toolsets, hasCards }: AnsweredCall) => {
    const { tools: offered, isDirect } = selectTools(toolsets)
    const visible = offered
      .filter(({ operation }) => isVisible(operation, caller))
      .map(({ listing, operation }) => (hasCards ? { ...listing, ...cards.metaOf(operation.name) } : listing))
    return isDirect ? [...visible, ...search.tools(caller)] : visible
  }

  const prompts = guidance.prompts.map(({ render: _, ...prompt }) => ({ ...prompt, arguments: [...prompt.arguments] }))
  const resources = [
    { uri: guideUri, name: 'guide', title: 'How to use Jobwright', mimeType: 'text/markdown' } as const,
  ]

  function createServer({ authInfo }: { authInfo?: AuthInfo }): Server {
    const call = authInfo!.extra as unknown as AnsweredCall
    const server = new Server(about, options)
    server.setRequestHandler('tools/list', () => ({ tools: listTools(call) as never }))
    server.setRequestHandler('tools/call', ({ params }) =>
      callTool(params.name, params.arguments ?? {}, call).catch((error) => {
        if (error instanceof ProtocolError) throw error
        const { caller, requestId } = call
        const namesRecords = hasIds(params.arguments) || hasIds(params.arguments?.arguments)
        return refusalResult(reportError(error, requestId), { caller, requestId, config, namesRecords })
      }),
    )
    server.setRequestHandler('resources/list', () => ({
      resources: call.hasCards ? [...resources, ...cards.list] : resources,
    }))
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: records.templates(call.caller) }))
    server.setRequestHandler('resources/read', async ({ params: { uri } }) =>
      uri === guideUri
        ? { contents: [{ uri, mimeType: 'text/markdown', text: guidance.guide }] }
        : ((await cards.read(uri)) ??
          records.read(uri, call.caller).catch((error: unknown) => {
            if (error instanceof ProtocolError) throw error
            const { status, message, details } = reportError(error, call.requestId)
            throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { status, ...details })
          })),
    )
    server.setRequestHandler('prompts/list', () => ({ prompts }))
    server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }) => {
      const prompt = guidance.prompts.find((one) => one.name === name)
      if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${name.slice(0, 100)}`)
      const missing = prompt.arguments.find((argument) => argument.required && !given[argument.name])
      if (missing) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${missing.name} is required`)
      return {
        description: prompt.description,
        messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt.render(given) } }],
      }
    })
    return server
  }

  const about = { name: 'jobwright', title: 'Jobwright', version: '0.1.0', websiteUrl: config.restOrigin }
  const options = {
    capabilities: { tools: {}, resources: { subscribe: true }, prompts: {} },
    instructions: guidance.instructions,
    cacheHints: {
      'tools/list': { ttlMs: 300_000, cacheScope: 'private' as const },
      'server/discover': { ttlMs: 3_600_000, cacheScope: 'public' as const },
    },
  }
  // Nothing that is listed changes while the service runs: whoever subscribes to that is acknowledged, and not told of anything.
  const modern = createMcpHandler(createServer, { legacy: 'reject', maxSubscriptions: 100 })
  const listening = new Set<{ close(): Promise<void> }>()

  /** Whoever wants to be told of records follows the events of the organisation, for as long as the credential may. */
  async function handleListen(request: Request, parsedBody: unknown, authInfo: AuthInfo, call: McpCall) {
    const bus = await followRecords(dependencies, call.caller, () => call.checkCaller())
    const handler = createMcpHandler(createServer, { legacy: 'reject', bus })
    listening.add(handler)
    bus.stream.on('close', () => {
      listening.delete(handler)
      void handler.close()
    })
    bus.stream.on('end', () => bus.stream.destroy())
    try {
      const response = await handler.fetch(request, { authInfo, parsedBody })
      // What was refused, or wants nothing that can be told, has no use for it.
      if (!bus.isFollowed()) bus.stream.destroy()
      return response
    } catch (error) {
      bus.stream.destroy()
      throw error
    }
  }

  /** Each request by itself, without a session, answered as JSON: nothing is said before the result. */
  async function handleLegacy(request: Request, parsedBody: unknown, authInfo: AuthInfo): Promise<Response> {
    const server = createServer({ authInfo })
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport)
    try {
      const response = await transport.handleRequest(request, { authInfo, parsedBody })
      const session = cardSession(parsedBody)
      if (session !== undefined) response.headers.set('mcp-session-id', session)
      return response
    } finally {
      await server.close()
    }
  }

  async function answer(request: Request, parsedBody: unknown, authInfo: AuthInfo): Promise<Response> {
    if (await isLegacyRequest(request, parsedBody)) return handleLegacy(request, parsedBody, authInfo)
    return modern.fetch(request, { authInfo, parsedBody })
  }

  const nobody: AuthInfo = { token: '', clientId: '', scopes: [] }
  for (const { headers, body } of firstMessages) {
    const request = new Request(config.authUrl, { method: 'POST', headers })
    await pace()
    await (await answer(request, body, nobody)).text()
    await pace()
  }

  return {
    /** Refuses a wish for tools that do not exist. */
    refuseUnknownToolset: (header: string | undefined) => void selectTools(header),
    async handle(request: Request, parsedBody: unknown, call: McpCall): Promise<Response> {
      const hasCards = showsCards(parsedBody, request.headers)
      const extra = { ...call, hasCards }
      const authInfo: AuthInfo = { token: '', clientId: call.caller.credentialId, scopes: [], extra }
      const isListening = wantsRecords(parsedBody) && !(await isLegacyRequest(request, parsedBody))
      return isListening ? handleListen(request, parsedBody, authInfo, call) : answer(request, parsedBody, authInfo)
    },
    async close() {
      await Promise.all([modern, ...listening].map((handler) => handler.close()))
    },
  }
}

/** Looks no deeper than names stand: a caller decides how deep arguments go. */
const hasIds = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && Object.keys(given).some((name) => name.endsWith('Id'))

const wantsRecords = (message: unknown): boolean => {
  const { method, params } = (message ?? {}) as {
    method?: unknown
    params?: { notifications?: { resourceSubscriptions?: unknown } }
  }
  const wanted = params?.notifications?.resourceSubscriptions
  return method === 'subscriptions/listen' && Array.isArray(wanted) && wanted.length > 0
}
