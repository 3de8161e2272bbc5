// The protocol: what each MCP request is answered with, in both of its eras, for a caller who has been let in.
import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Config } from '../config.ts'
import type { ApiError } from './errors.ts'
import type { Admitted } from './guard.ts'
import { type Result, refusal, result, told } from './mcp-answers.ts'
import { catalogueOf } from './mcp-catalogue.ts'
import { type Advice, isShown, requestFor, type Tool, toolsets, toolsFrom } from './mcp-tools.ts'
import type { Operation } from './operation.ts'
import type { Perform } from './perform.ts'

export interface Prompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[]
  words(given: Readonly<Record<string, string>>): string
}

export interface Guidance extends Advice {
  readonly instructions: string
  /** How to use the service, for a model that asks. */
  readonly guide: string
  readonly prompts: readonly Prompt[]
}

export interface ProtocolParts {
  readonly config: Config
  readonly operations: readonly Operation[]
  readonly perform: Perform
  readonly guidance: Guidance
  /** Says to the operator what nobody foresaw; gives back what the caller is told. */
  refusalFor(error: unknown, requestId: string): ApiError
}

/** One request, by whom and with which wish. */
export interface Asking {
  readonly caller: Admitted
  readonly toolsets: string | undefined
  readonly requestId: string
}

const guideAddress = 'jobwright://guide'

export function protocol({ config, operations, perform, guidance, refusalFor }: ProtocolParts) {
  const tools = toolsFrom(operations, guidance)
  const setFor = toolsets(tools, guidance)
  const catalogue = catalogueOf(tools)

  async function carriedOut(tool: Tool, given: Readonly<Record<string, unknown>>, isStructured: boolean, who: Asking) {
    return result(await perform(requestFor(tool, given), who.caller), tool.page, isStructured)
  }

  async function called(name: string, given: Readonly<Record<string, unknown>>, asking: Asking): Promise<Result> {
    const { tools: offered, isDirect } = setFor(asking.toolsets)
    const tool = offered.find((one) => one.name === name)
    if (tool) return carriedOut(tool, given, tool.isStructured, asking)
    if (isDirect && catalogue.isOne(name)) {
      if (name === 'find_operations') return catalogue.find(given, asking.caller)
      const target = catalogue.target(name, given, asking.caller)
      return carriedOut(target.tool, target.args, false, asking)
    }
    const other = catalogue.byName(name)
    if (!other) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 100)}`)
    if (!isDirect) return told(`${name} is not among the tools that X-MCP-Toolsets asked for.`)
    const executor = other.operation.method === 'GET' ? 'read_operation' : 'write_operation'
    return told(`${name} is no tool of its own: call ${executor} with {"operation":"${name}","arguments":{…}}.`)
  }

  const listed = ({ caller, toolsets }: Asking) => {
    const { tools: offered, isDirect } = setFor(toolsets)
    const shown = offered.filter(({ operation }) => isShown(operation, caller)).map(({ listing }) => listing)
    return isDirect ? [...shown, ...catalogue.listings(caller)] : shown
  }

  const prompts = guidance.prompts.map(({ words: _, ...prompt }) => ({ ...prompt, arguments: [...prompt.arguments] }))
  const resources = [
    { uri: guideAddress, name: 'guide', title: 'How to use Jobwright', mimeType: 'text/markdown' } as const,
  ]

  function serverFor({ authInfo }: { authInfo?: AuthInfo }): Server {
    const asking = authInfo!.extra as unknown as Asking
    const server = new Server(about, options)
    server.setRequestHandler('tools/list', () => ({ tools: listed(asking) as never }))
    server.setRequestHandler('tools/call', ({ params }) =>
      called(params.name, params.arguments ?? {}, asking).catch((error) => {
        if (error instanceof ProtocolError) throw error
        const { caller, requestId } = asking
        const namesRecords = hasIds(params.arguments) || hasIds(params.arguments?.arguments)
        return refusal(refusalFor(error, requestId), { caller, requestId, config, namesRecords })
      }),
    )
    server.setRequestHandler('resources/list', () => ({ resources }))
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))
    server.setRequestHandler('resources/read', ({ params: { uri } }) => {
      if (uri !== guideAddress) throw new ResourceNotFoundError(uri)
      return { contents: [{ uri, mimeType: 'text/markdown', text: guidance.guide }] }
    })
    server.setRequestHandler('prompts/list', () => ({ prompts }))
    server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }) => {
      const prompt = guidance.prompts.find((one) => one.name === name)
      if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${name.slice(0, 100)}`)
      const missing = prompt.arguments.find((argument) => argument.required && !given[argument.name])
      if (missing) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${missing.name} is required`)
      return {
        description: prompt.description,
        messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt.words(given) } }],
      }
    })
    return server
  }

  const about = { name: 'jobwright', title: 'Jobwright', version: '0.1.0', websiteUrl: config.restOrigin }
  const options = {
    capabilities: { tools: {}, resources: {}, prompts: {} },
    instructions: guidance.instructions,
    cacheHints: {
      'tools/list': { ttlMs: 300_000, cacheScope: 'private' as const },
      'server/discover': { ttlMs: 3_600_000, cacheScope: 'public' as const },
    },
  }
  // Nothing that is listed changes while the service runs: whoever subscribes is acknowledged, and hears nothing.
  const modern = createMcpHandler(serverFor, { legacy: 'reject', maxSubscriptions: 100 })

  /** Each request by itself, without a session, answered as JSON: nothing is said before the result. */
  async function legacy(request: Request, parsedBody: unknown, authInfo: AuthInfo): Promise<Response> {
    const server = serverFor({ authInfo })
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport)
    try {
      return await transport.handleRequest(request, { authInfo, parsedBody })
    } finally {
      await server.close()
    }
  }

  return {
    /** Refuses a wish for tools that do not exist. */
    refuseUnknownToolset: (header: string | undefined) => void setFor(header),
    async answer(request: Request, parsedBody: unknown, asking: Asking): Promise<Response> {
      const authInfo: AuthInfo = { token: '', clientId: asking.caller.credentialId, scopes: [], extra: { ...asking } }
      if (await isLegacyRequest(request, parsedBody)) return legacy(request, parsedBody, authInfo)
      return modern.fetch(request, { authInfo, parsedBody })
    },
    close: () => modern.close(),
  }
}

/** Looks no deeper than names stand: a caller decides how deep arguments go. */
const hasIds = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && Object.keys(given).some((name) => name.endsWith('Id'))
