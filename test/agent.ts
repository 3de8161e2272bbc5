// Programs that speak MCP, as they come: clients of both generations of the SDK, and one message as it is.
import { after } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as EarlierClient } from 'mcp-sdk-1/client/index.js'
import { StreamableHTTPClientTransport as EarlierTransport } from 'mcp-sdk-1/client/streamableHttp.js'
import type { TestService } from './test-service.ts'

export interface ToolResult {
  readonly isError: boolean
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
  readonly data: any
  readonly meta: Readonly<Record<string, unknown>>
}

export interface Agent {
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
  readonly client: any
  tools(): Promise<string[]>
  call(name: string, args?: Record<string, unknown>): Promise<ToolResult>
}

export const generations = ['2.x', '1.32'] as const
export type Generation = (typeof generations)[number]

/** A connected client; it is closed when the tests of the file are over. */
export async function connectAgent(
  { origin }: Pick<TestService, 'origin'>,
  secret: string,
  { generation = '2.x' as Generation, headers = {} as Record<string, string> } = {},
): Promise<Agent> {
  const clientInfo = { name: 'test-agent', version: '1.0.0' }
  const init = { requestInit: { headers: { authorization: `Bearer ${secret}`, ...headers } } }
  const address = new URL(`${origin}/mcp`)
  const client =
    generation === '2.x'
      ? new Client(clientInfo, { versionNegotiation: { mode: 'auto' } })
      : new EarlierClient(clientInfo)
  const transport =
    generation === '2.x' ? new StreamableHTTPClientTransport(address, init) : new EarlierTransport(address, init)
  await client.connect(transport as never)
  after(() => client.close())
  return {
    client,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args = {}) {
      // biome-ignore lint/suspicious/noExplicitAny: the two generations type their results differently
      const result: any = await client.callTool({ name, arguments: args })
      const text: string = result.content[0].text
      const isError = result.isError === true
      return { isError, text, data: isError ? undefined : JSON.parse(text), meta: result._meta ?? {} }
    },
  }
}

export interface RpcReply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
  readonly body: any
}

/** One POST to /mcp, with headers as a client of 2025 sends them. */
export async function postMessage(
  { origin }: Pick<TestService, 'origin'>,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<RpcReply> {
  const response = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: text && JSON.parse(text) }
}

export const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
