// The tools of MCP, with arguments generated from what each says it takes, and messages that are hardly any.
import fc from 'fast-check'
import { type Body, bodiesOf, bytesOf } from './bodies.ts'
import { campaign, type Outcome, type Subject } from './campaign.ts'
import type { Schema } from './document.ts'
import { canary, type Fault } from './judgement.ts'
import type { Chosen } from './pool.ts'
import { type Answer, sender, shown } from './sending.ts'
import type { Shops } from './shops.ts'
import { spoilings, spoilt } from './spoiling.ts'
import { valuesOf } from './values.ts'

interface Tool {
  readonly name: string
  readonly inputSchema: Schema
}

const lanes = 8
const newest = '2026-07-28'
const meta = {
  'io.modelcontextprotocol/protocolVersion': newest,
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
  { seed, requests, say }: { readonly seed: number; readonly requests: number; say(text: string): void },
): Promise<Outcome> {
  const { own: pool, foreign: others } = pools
  const { send, close } = sender(service.port, lanes)
  const usual = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'x-api-key': own.key,
  }
  const post = (headers: Record<string, string>, body: Buffer) =>
    send({ method: 'POST', path: '/mcp', headers: { ...usual, ...headers }, body })
  const list = await post({ 'x-mcp-toolsets': 'all' }, Buffer.from(JSON.stringify(rpc('tools/list', {}))))
  const { tools } = JSON.parse(list.body.toString()).result as { tools: Tool[] }
  const { valuesFor } = valuesOf(document, pool.knows)
  const idOf = ({ name, at, of }: Chosen) =>
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
        ...(isNew && { 'mcp-protocol-version': newest, 'mcp-method': method, ...(name && { 'mcp-name': name }) }),
      }
      const bytes = bytesOf(body, idOf)
      const answer = await post(headers, bytes)
      const request = { method: 'POST', path: '/mcp', headers, body: bytes, way: {}, isStraying: true }
      return { faults: faultsOf(answer), shown: () => shown(request) }
    }
  const called = (name: string, values: fc.Arbitrary<unknown>, toolset: string | undefined): Subject<Message> => ({
    name: `tool ${name}`,
    cases: fc.record({
      isNew: fc.boolean(),
      toolset: fc.constantFrom(toolset, toolset, toolset, 'read', 'customers,tickets', 'x'),
      body: bodiesOf(
        fc.oneof(
          { weight: 4, arbitrary: values.map((args) => rpc('tools/call', { name, arguments: args, _meta: meta })) },
          {
            weight: 4,
            arbitrary: fc.tuple(values, spoilings).map(([args, spoiling]) => {
              const given = spoilt(args, spoiling)
              return rpc('tools/call', { name, arguments: typeof given === 'symbol' ? {} : given, _meta: meta })
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
  const messages: Subject<Message> = {
    name: 'messages',
    cases: fc.record({
      isNew: fc.boolean(),
      toolset: fc.constantFrom(undefined, 'all', 'nothing', ''),
      body: bodiesOf(
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
  const subjects = [
    ...tools.map(({ name, inputSchema }) => called(name, valuesFor(inputSchema, name), 'all')),
    called('read_operation', wrapped, undefined),
    called('write_operation', wrapped, undefined),
    called('find_operations', fc.record({ query: fc.string({ unit: 'grapheme' }) }), undefined),
    called('__proto__', wrapped, undefined),
    messages,
  ]
  const outcome = await campaign(subjects as unknown as Subject<never>[], { seed, lanes, say })
  close()
  return outcome
}

const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params })

/** Never 5xx, never what JSON-RPC calls an internal error, and never words for what nobody foresaw. */
function faultsOf({ status, headers, body }: Answer): Fault[] {
  const text = body.toString()
  const fault = (kind: string): Fault[] => [{ kind, told: `${status} ${text.slice(0, 600)}` }]
  if (status === 0) return fault('no answer')
  if (status >= 500) return fault(`status ${status}`)
  if (text.includes(canary)) return fault('a record of the other organisation')
  if (status === 202 && text === '') return []
  if (String(headers['content-type']).startsWith('text/event-stream'))
    return text.includes('-32603') ? fault('an internal error') : []
  try {
    const { jsonrpc, error, result } = JSON.parse(text)
    if (jsonrpc !== '2.0' || (error === undefined) === (result === undefined)) return fault('no JSON-RPC')
    if (error?.code === -32_603) return fault('an internal error')
    return /Unexpected error|quote the requestId|temporarily unavailable/.test(JSON.stringify(result?.content ?? ''))
      ? fault('an unexpected error')
      : []
  } catch {
    return fault('no JSON')
  }
}
