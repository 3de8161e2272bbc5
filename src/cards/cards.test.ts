// Cards over MCP: who is told of them, and what a card is made of. How they look is in `cards.browser.test.ts`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { connectAgent, generations, postMessage, rpc } from '../../test/agent.ts'
import { startTestService } from '../../test/test-service.ts'
import { cards } from './cards.ts'

const here = await startTestService()
const ui = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }

interface Listed {
  readonly name: string
  readonly _meta?: { readonly ui?: { readonly resourceUri: string } }
}
const cardsOf = (tools: readonly Listed[]) => {
  const withCards = tools.filter(({ _meta }) => _meta?.ui !== undefined)
  return Object.fromEntries(withCards.map(({ name, _meta }) => [name, _meta!.ui!.resourceUri]))
}
const offered = {
  get_ticket: 'ui://jobwright/job',
  create_ticket: 'ui://jobwright/job',
  update_ticket: 'ui://jobwright/job',
  set_ticket_status: 'ui://jobwright/job',
  list_calendar_events: 'ui://jobwright/day',
  create_quote: 'ui://jobwright/quote',
}

test('a host of the newest revision that shows cards is told which tools have one, and reads it', async () => {
  const { key } = await here.organisation()
  const client = new ModernClient(
    { name: 'host', version: '1' },
    { capabilities: ui, versionNegotiation: { mode: 'auto' } },
  )
  const init = { requestInit: { headers: { authorization: `Bearer ${key}` } } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${here.origin}/mcp`), init) as never)
  try {
    const { tools } = await client.listTools()
    assert.deepEqual(cardsOf(tools as Listed[]), offered)
    // A model is not told of cards, but a host counts what it is sent.
    assert.ok(Buffer.byteLength(JSON.stringify(tools)) <= 48_000)
    const { resources } = await client.listResources()
    assert.deepEqual(
      resources.filter(({ uri }) => uri.startsWith('ui:')).map(({ uri, mimeType }) => [uri, mimeType]),
      cards.map(({ uri }) => [uri, 'text/html;profile=mcp-app']),
    )
    for (const { uri } of cards) {
      const [content] = (await client.readResource({ uri })).contents
      assert.deepEqual([content!.uri, content!.mimeType], [uri, 'text/html;profile=mcp-app'])
      assert.deepEqual(content!._meta, {
        ui: {
          csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
          prefersBorder: false,
        },
      })
    }
  } finally {
    await client.close()
  }
})

test('a host of an earlier revision says it once, when it begins', async () => {
  const { key } = await here.organisation()
  const headers = { authorization: `Bearer ${key}` }
  const begin = (capabilities: object) =>
    postMessage(
      here,
      rpc('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'host', version: '1' } }),
      headers,
    )
  const listed = async (session: Record<string, string>) =>
    cardsOf((await postMessage(here, rpc('tools/list'), { ...headers, ...session })).body.result.tools)
  const session = (await begin(ui)).headers.get('mcp-session-id')!
  assert.match(session, /^cards-[\da-f-]{36}$/)
  assert.deepEqual(await listed({ 'mcp-session-id': session }), offered)
  assert.deepEqual(await listed({}), {})
  const otherTypes = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/uri-list'] } } }
  for (const capabilities of [{}, otherTypes])
    assert.equal((await begin(capabilities)).headers.get('mcp-session-id'), null)
})

for (const generation of generations)
  test(`a client of SDK ${generation} that shows none sees nothing of them`, async () => {
    const { key } = await here.organisation()
    const { client } = await connectAgent(here, key, { generation })
    assert.deepEqual(cardsOf((await client.listTools()).tools), {})
    const { resources } = await client.listResources()
    assert.deepEqual(
      resources.map(({ uri }: { uri: string }) => uri),
      ['jobwright://guide'],
    )
  })

test('a card loads nothing, and holds one script and one style that its policy names', async () => {
  for (const { name, read } of cards) {
    const text = await read()
    assert.match(
      text,
      /content="default-src 'none'; script-src 'sha256-[^ ]+'; style-src 'sha256-[^ ]+'; base-uri 'none'; form-action 'none'"/,
      name,
    )
    assert.deepEqual(text.match(/\bsrc=|url\(|@import|https?:|fetch\(|XMLHttpRequest|import\(/g), null, name)
    assert.equal(text.match(/<script/g)!.length, 1, name)
    assert.ok(Buffer.byteLength(text) < 50_000, name)
  }
})
