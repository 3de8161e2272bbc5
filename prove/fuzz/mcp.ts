// The tools of MCP, with arguments generated from what each says it takes, and messages that are hardly any.
import fc from 'fast-check'
import { type Body, bodyArbitrary, encodeBody } from './bodies.ts'
import { type FuzzOutcome, type FuzzTarget, runCampaign } from './campaign.ts'
import { corrupt, corruptions } from './corruptions.ts'
import { createSender, type FuzzResponse, formatRequest } from './http-sender.ts'
import type { Schema } from './openapi-document.ts'
import type { RecordRef } from './record-pool.ts'
import { canary, type Violation } from './response-checks.ts'
import type { Shops } from './shops.ts'
import { valuesOf } from './values.ts'

interface Tool {
  readonly name: string
  readonly inputSchema: Schema
}

const lanes = 8
const newestRevision = '2026-07-28'
const meta = {
  'io.modelcontextprotocol/protocolVersion': newestRevision,
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const methods = [
  ...[
    'initialize',
    'ping',
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/read',
    'resources/templates/list',
    'prompts/list',
  ],
  ...[
    'prompts/get',
    'server/discover',
    'logging/setLevel',
    'completion/complete',
    'notifications/initialized',
    'tasks/list',
    'x',
    '',
  ],
]

export async function fuzzMcp(
  { service, own, document, pools }: Shops,
  { seed, requests, log }: { readonly seed: number; readonly requests: number; log(text: string): void },
): Promise<FuzzOutcome> {
  const { own: pool, foreign: others } = pools
  const { send, close } = createSender(service.port, lanes)
  const baseHeaders = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'x-api-key': own.key,
  }
  const post = (headers: Record<string, string>, body: Buffer) =>
    send({ method: 'POST', path: '/mcp', headers: { ...baseHeaders, ...headers }, body })
  const list = await post({ 'x-mcp-toolsets': 'all' }, Buffer.from(JSON.stringify(rpc('tools/list', {}))))
  const { tools } = JSON.parse(list.body.toString()).result as { tools: Tool[] }
  const { valuesFor } = valuesOf(document, pool.knows)
  const idOf = ({ name, at, of }: RecordRef) =>
    of === 'other kind' ? pool.anyId(at) : (of === 'own' ? pool : others).idFor(name, at, { template: '' })

  interface Message {
    readonly body: Body
    readonly isNew: boolean
    readonly toolset: string | undefined
  }
  const attempt =
    (method: string, name: string) =>
    async ({ body, isNew, toolset }: Message) => {
      const headers = {
        ...(toolset !== undefined && { 'x-mcp-toolsets': toolset }),
        ...(isNew && {
          'mcp-protocol-version': newestRevision,
          'mcp-method': method,
          ...(name && { 'mcp-name': name }),
        }),
      }
      const bytes = encodeBody(body, idOf)
      const answer = await post(headers, bytes)
      const request = { method: 'POST', path: '/mcp', headers, body: bytes, pathIds: {}, mayReroute: true }
      return { violations: violationsOf(answer), reproduction: () => formatRequest(request) }
    }
  const toolTarget = (
    name: string,
    values: fc.Arbitrary<unknown>,
    toolset: string | undefined,
  ): FuzzTarget<Message> => ({
    name: `tool ${name}`,
    cases: fc.record({
      isNew: fc.boolean(),
      toolset: fc.constantFrom(toolset, toolset, toolset, 'read', 'customers,tickets', 'x'),
      body: bodyArbitrary(
        fc.oneof(
          { weight: 4, arbitrary: values.map((args) => rpc('tools/call', { name, arguments: args, _meta: meta })) },
          {
            weight: 4,
            arbitrary: fc.tuple(values, corruptions).map(([args, corruption]) => {
              const corrupted = corrupt(args, corruption)
              return rpc('tools/call', { name, arguments: typeof corrupted === 'symbol' ? {} : corrupted, _meta: meta })
            }),
          },
        ),
      ),
    }),
    runs: Math.ceil(requests / (tools.length + 10)),
    attempt: attempt('tools/call', name),
  })
  const wrapped = fc.oneof(
    ...tools.map(({ name, inputSchema }) =>
      valuesFor(inputSchema, name).map((args) => ({ operation: name, arguments: args })),
    ),
  )
  const messages: FuzzTarget<Message> = {
    name: 'messages',
    cases: fc.record({
      isNew: fc.boolean(),
      toolset: fc.constantFrom(undefined, 'all', 'nothing', ''),
      body: bodyArbitrary(
        fc.record({
          jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0', 2),
          id: fc.constantFrom<unknown>(1, 'a', null, -1, 1.5, {}, [], 2 ** 60, 'x'.repeat(1_000)),
          method: fc.constantFrom<unknown>(...methods, ...methods, 5, null),
          params: fc.constantFrom<unknown>(
            {},
            { _meta: meta },
            { cursor: 'x' },
            { name: 'x' },
            { uri: 'jobwright://guide' },
            [],
            null,
            'x',
            { name: '__proto__' },
            { protocolVersion: 'x', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
          ),
        }),
      ),
    }),
    runs: Math.ceil((requests / (tools.length + 10)) * 5),
    attempt: attempt('tools/list', ''),
  }
  const targets = [
    ...tools.map(({ name, inputSchema }) => toolTarget(name, valuesFor(inputSchema, name), 'all')),
    toolTarget('read_operation', wrapped, undefined),
    toolTarget('write_operation', wrapped, undefined),
    toolTarget('find_operations', fc.record({ query: fc.string({ unit: 'grapheme' }) }), undefined),
    toolTarget('__proto__', wrapped, undefined),
    messages,
  ]
  const outcome = await runCampaign(targets as unknown as FuzzTarget<never>[], { seed, lanes, log })
  close()
  return outcome
}

const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params })

/** Never 5xx, never what JSON-RPC calls an internal error, and never words for what nobody foresaw. */
function violationsOf({ status, headers, body }: FuzzResponse): Violation[] {
  const text = body.toString()
  const violation = (kind: string): Violation[] => [{ kind, detail: `${status} ${text.slice(0, 600)}` }]
  if (status === 0) return violation('no answer')
  if (status >= 500) return violation(`status ${status}`)
  if (text.includes(canary)) return violation('a record of the other organisation')
  if (status === 202 && text === '') return []
  if (String(headers['content-type']).startsWith('text/event-stream'))
    return text.includes('-32603') ? violation('an internal error') : []
  try {
    const { jsonrpc, error, result } = JSON.parse(text)
    if (jsonrpc !== '2.0' || (error === undefined) === (result === undefined)) return violation('no JSON-RPC')
    if (error?.code === -32_603) return violation('an internal error')
    return /Unexpected error|quote the requestId|temporarily unavailable/.test(JSON.stringify(result?.content ?? ''))
      ? violation('an unexpected error')
      : []
  } catch {
    return violation('no JSON')
  }
}
