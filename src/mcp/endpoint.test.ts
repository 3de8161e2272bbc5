// MCP over real HTTP: who is let in, what both generations of clients are shown, and how they are refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectAgent, generations, postMessage, rpc } from '../../test/agent.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { person } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import { importToken } from '../identity/grants.ts'
import type { Scope } from '../operations/scopes.ts'
import { scopeCatalogue } from '../resources/index.ts'
import { directTools } from '../resources/mcp-tools.ts'

const here = await startTestService({ PORT: await freePort(), CORS_ORIGINS: 'https://desk.example' })
/** Those of daily use, and the three that search, read and write. */
const everyTool = directTools.length + 3
interface Tool {
  readonly name: string
  readonly inputSchema: { readonly properties: Readonly<Record<string, unknown>> }
}
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

async function tokenFor(orgId: string, scopes: Scope[]) {
  const { memberId } = await person(here, orgId)
  const { accessToken } = await here.database.transaction('test', (transaction) =>
    importToken(
      transaction,
      orgId,
      {
        memberId,
        clientName: 'An app',
        scopes,
        scopeVersion: 2,
        audience: null,
        lifeSeconds: 3_600,
      },
      scopeCatalogue,
    ),
  )
  return accessToken
}

for (const generation of generations) {
  test(`a client of SDK ${generation} reads and writes what REST reads and writes`, async () => {
    const shop = await here.organisation()
    const { client, call } = await connectAgent(here, shop.key, { generation })
    assert.match(client.getServerVersion().name, /jobwright/)

    const made = await call('create_customer', { firstName: 'Amara', phone: '+44 7700 900123' })
    const { body } = await shop.get(`/customers/${made.data.id}`)
    assert.equal(body.data.firstName, 'Amara')
    assert.equal('lastName' in made.data, false, 'what has no value is left out')

    const listed = await call('list_customers', { search: 'amar' })
    assert.deepEqual(
      listed.data.customers.map(({ id }: { id: string }) => id),
      [made.data.id],
    )
    assert.equal(listed.data.pagination.limit, 25)

    const { tools } = await client.listTools()
    assert.equal(tools.length, everyTool)
    for (const { annotations, outputSchema, name } of tools) {
      assert.equal(Object.keys(annotations).length, 4, name)
      if (!name.endsWith('_operation')) assert.equal(outputSchema.type, 'object', name)
    }
    assert.equal((await client.readResource({ uri: 'jobwright://guide' })).contents[0].mimeType, 'text/markdown')
    const { messages } = await client.getPrompt({ name: 'chase_overdue', arguments: { days: '30' } })
    assert.match(messages[0].content.text, /at least 30 days/)
    await assert.rejects(client.getPrompt({ name: 'draft_quote', arguments: { customer: 'Khan' } }), /work is required/)
    await assert.rejects(client.readResource({ uri: 'jobwright://other' }))
    await assert.rejects(client.callTool({ name: 'fly' }), /Unknown tool/)
  })
}

test('the newest client speaks the newest revision, without a session', async () => {
  const { client } = await connectAgent(here, (await here.organisation()).key)
  assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28')
})

test('a tool is refused by the same rules as REST, in words that lead on', async () => {
  const shop = await here.organisation()
  const { call } = await connectAgent(here, shop.key)
  const { data: customer } = await call('create_customer', { firstName: 'Noor' })
  const { data: job } = await call('create_ticket', { customerId: customer.id, serviceRequired: 'Boiler service' })

  const missing = await call('create_customer', { lastName: 'Khan' })
  assert.equal(missing.text, '400: firstName is required. Correct the argument and call again.')
  const unknown = await call('get_ticket', { ticketId: 'tkt_nobody' })
  assert.match(unknown.text, /^404: \w+ not found\. Find the id with a list or lookup tool/)
  assert.match((await call('get_ticket')).text, /^400: ticketId is required/)
  assert.match((await call('get_ticket', { ticketId: '../x' })).text, /^400: ticketId must be an id/)

  const conflicted = await call('write_operation', {
    operation: 'delete_customer',
    arguments: { customerId: customer.id, cascade: false },
  })
  assert.equal(conflicted.isError, true)
  assert.match(conflicted.text, new RegExp(`^409 CUSTOMER_HAS_TICKETS: .* Details: {"ticketIds":\\["${job.id}"\\]}$`))

  const { client } = await connectAgent(here, shop.key)
  const odd = await client.callTool({ name: 'create_customer', arguments: { firstName: 'Ola', colour: 'red' } })
  assert.match(odd.content[1].text, /no such argument: colour/)
})

test('a call that is repeated with its key does nothing twice, whichever tool carries it out', async () => {
  const shop = await here.organisation()
  const { client, call } = await connectAgent(here, shop.key)
  const wanted = { firstName: 'Once', idempotencyKey: 'errand-1' }
  const create = () => call('create_customer', wanted)
  const byName = () => call('write_operation', { operation: 'create_customer', arguments: wanted })
  const ids = [await create(), await create(), await byName()].map(({ data }) => data.id)
  assert.equal(new Set(ids).size, 1)
  assert.equal((await shop.get('/customers')).body.data.customers.length, 1)
  assert.match((await call('create_customer', { ...wanted, firstName: 'Other' })).text, /IDEMPOTENCY_KEY_REUSED/)
  for (const idempotencyKey of [7, 'with a space'])
    assert.match((await call('create_customer', { ...wanted, idempotencyKey })).text, /^400: idempot/i)
  const { tools } = await client.listTools()
  const takers = tools.filter(({ inputSchema }: Tool) => inputSchema.properties.idempotencyKey)
  assert.ok(takers.length > 5)
  for (const { name } of takers) assert.match(name, /^(create|add|convert|send)_/)
})

test('lists and objects that a client sends as text are read', async () => {
  const { call } = await connectAgent(here, (await here.organisation()).key)
  const lineItems = JSON.stringify([{ name: 'Valve', unitPrice: 40, quantity: 2 }])
  const { data } = await call('create_quote', { customerName: 'Khan', lineItems })
  assert.equal(data.subtotal, 80)
  assert.match((await call('create_quote', { customerName: 'Khan', lineItems: '[{' })).text, /lineItems must be a list/)
})

test('an empty text empties a field, so that no argument of a daily tool is of two kinds', async () => {
  const { client, call } = await connectAgent(here, (await here.organisation()).key)
  const { data } = await call('create_customer', { firstName: 'Noor', phone: '07700 900555' })
  const { data: after } = await call('update_customer', { customerId: data.id, phone: '' })
  assert.deepEqual([after.firstName, after.phone], ['Noor', undefined])
  const electronicAddress = { scheme: '0208', value: '0123456789' }
  const change = async (given: object) => (await call('update_customer', { customerId: data.id, ...given })).data
  assert.deepEqual((await change({ electronicAddress })).electronicAddress, electronicAddress)
  assert.equal((await change({ electronicAddress: '' })).electronicAddress, undefined)
  const { tools } = await client.listTools()
  for (const { name, inputSchema } of tools) {
    for (const [argument, { type }] of Object.entries<{ type: unknown }>(inputSchema.properties)) {
      assert.equal(typeof type, 'string', `${name} ${argument}`)
    }
  }
})

test('a tool reaches no other organisation', async () => {
  const [mine, theirs] = [await here.organisation(), await here.organisation()]
  const { data } = (await theirs.post('/customers', { firstName: 'Hidden' })).body
  const { call } = await connectAgent(here, mine.key)
  assert.match((await call('update_customer', { customerId: data.id, firstName: 'Mine' })).text, /^404/)
  const read = await call('read_operation', { operation: 'get_customer', arguments: { customerId: data.id } })
  assert.match(read.text, /^404/)
  const named = await call('read_operation', {
    operation: 'get_customer',
    arguments: { customerId: data.id, orgId: theirs.orgId },
  })
  assert.match(named.text, /^404/, 'the credential says which organisation, not the caller')
})

test('operations beyond the tools are found by words and carried out by the executor that fits', async () => {
  const { call } = await connectAgent(here, (await here.organisation()).key)
  const found = await call('find_operations', { query: 'job statuses', limit: 3 })
  assert.equal(found.data.operations.length, 3)
  const list = found.data.operations.find(({ name }: { name: string }) => name === 'list_ticket_statuses')
  assert.equal(list.runWith, 'read_operation')
  const { data } = await call('read_operation', { operation: 'list_ticket_statuses' })
  assert.ok(data.ticketStatuses.length > 0)

  const station = await call('write_operation', { operation: 'createStation', arguments: '{"name":"Bench 9"}' })
  assert.equal(station.data.name, 'Bench 9')
  assert.match((await call('read_operation', { operation: 'create_station' })).text, /with write_operation/)
  assert.match((await call('write_operation', { operation: 'list_stations' })).text, /with read_operation/)
  assert.match((await call('read_operation', { operation: 'list_job_states' })).text, /There is no operation .*mean/)
  assert.match((await call('delete_station')).text, /call write_operation with/)
  assert.match((await call('find_operations', { query: 'zeppelin' })).data.hint, /customers/)
  const pdfs = await call('find_operations', { query: 'invoice pdf', limit: 20 })
  assert.equal(
    pdfs.data.operations.some(({ name }: { name: string }) => name.endsWith('_pdf')),
    false,
  )
})

test('a text longer than a question is read as far as a question goes, however long it is', async () => {
  const { key } = await here.organisation()
  const { call } = await connectAgent(here, key)
  const padding = 'nothing '.repeat(30)
  const found = async (query: string) => (await call('find_operations', { query })).data.operations.length
  assert.equal(await found(`${padding}delete payment`), 0)
  assert.equal(await found(`delete payment ${padding}`), 5)
  const { text } = await call('read_operation', { operation: `${padding}delete_payment` })
  assert.match(text, /call find_operations/)
})

test('arguments nested deeper than anybody needs are refused like other wrong ones', async () => {
  const { key } = await here.organisation()
  const call = JSON.stringify(rpc('tools/call', { name: 'create_customer', arguments: { firstName: 'DEEP' } }))
  const { body } = await postMessage(here, call.replace('"DEEP"', '['.repeat(5_000) + ']'.repeat(5_000)), bearer(key))
  assert.equal(body.result.isError, true)
  assert.match(body.result.content[0].text, /^400: firstName must be/)
})

test('a key is shown the tools that its scopes allow', async () => {
  const { orgId } = await here.organisation()
  const reader = await here.client(orgId, { scopes: ['customers:read', 'stations:read'] })
  const { tools, call } = await connectAgent(here, reader.key)
  assert.deepEqual(await tools(), ['list_customers', 'lookup_customers', 'find_operations', 'read_operation'])
  const found = await call('find_operations', { query: 'delete customer station', limit: 20 })
  const names: string[] = found.data.operations.map(({ name }: { name: string }) => name)
  assert.ok(names.includes('list_stations'))
  assert.ok(!names.includes('delete_customer'))

  const refused = await call('create_customer', { firstName: 'Amara' })
  assert.match(refused.text, /^403 insufficient_scope: .* The API key lacks customers:write/)
  assert.deepEqual(refused.meta['mcp/www_authenticate'], [
    `Bearer error="insufficient_scope", scope="customers:write", ` +
      `resource_metadata="${here.config.authUrl}/.well-known/oauth-protected-resource/mcp", ` +
      `error_description="This needs the scope customers:write."`,
  ])
})

test('a token is shown every tool, because its user can allow more', async () => {
  const { orgId } = await here.organisation()
  const { tools, call } = await connectAgent(here, await tokenFor(orgId, ['customers:read']))
  assert.equal((await tools()).length, everyTool)
  const refused = await call('convert_quote', { quoteId: 'quo_1' })
  assert.match(refused.text, /has not allowed quotes:write and invoices:write: ask them to connect again/)
  assert.match(String(refused.meta['mcp/www_authenticate']), /scope="quotes:write invoices:write"/)
})

test('a host that wants more tools, or fewer, says so', async () => {
  const { orgId, key } = await here.organisation()
  const names = async (wanted: string) =>
    (await connectAgent(here, key, { headers: { 'x-mcp-toolsets': wanted } })).tools()
  const all = await names('all')
  assert.ok(all.includes('delete_customer') && all.length > 120)
  assert.ok(!all.some((name) => name.endsWith('_pdf')))
  assert.deepEqual(await names('stations'), [
    'list_stations',
    'create_station',
    'get_station',
    'update_station',
    'delete_station',
  ])
  const reading = await connectAgent(here, key, { headers: { 'x-mcp-toolsets': 'read' } })
  assert.ok((await reading.tools()).every((name) => /^(list|get|lookup)_/.test(name)))
  assert.match((await reading.call('create_customer', { firstName: 'A' })).text, /not among the tools/)
  const { body } = await here.request('GET', `/api/v1/organisations/${orgId}/customers`, { headers: bearer(key) })
  assert.equal(body.data.customers.length, 0)

  const refused = await postMessage(here, rpc('tools/list'), { ...bearer(key), 'x-mcp-toolsets': 'everything' })
  assert.equal(refused.status, 400)
  assert.match(refused.body.error.message, /X-MCP-Toolsets must be all, read, or a list of/)
})

test('who brings no credential that works is led to one', async () => {
  for (const headers of [{}, bearer('nonsense')]) {
    const { status, headers: responseHeaders, body } = await postMessage(here, rpc('tools/list'), headers)
    assert.equal(status, 401)
    assert.equal(body.jsonrpc, '2.0')
    assert.equal(body.error.data.success, false)
    assert.equal(
      responseHeaders.get('www-authenticate'),
      'Bearer error="invalid_token", scope="write", ' +
        `resource_metadata="${here.config.authUrl}/.well-known/oauth-protected-resource/mcp"`,
    )
    const metadata = await fetch(/resource_metadata="([^"]+)"/.exec(responseHeaders.get('www-authenticate')!)![1]!)
    assert.equal(((await metadata.json()) as { resource: string }).resource, `${here.config.authUrl}/mcp`)
  }
})

test('a key that is not for MCP is refused there, and a lapsed plan too', async () => {
  const { orgId, key } = await here.organisation()
  const restOnly = await here.client(orgId, { scopes: ['full'], uses: ['rest'] })
  const refused = await postMessage(here, rpc('tools/list'), bearer(restOnly.key))
  assert.equal(refused.status, 403)
  assert.equal(refused.body.error.data.code, 'use_not_allowed')
  const mcpOnly = await here.client(orgId, { scopes: ['full'], uses: ['mcp'] })
  assert.equal((await postMessage(here, rpc('tools/list'), bearer(mcpOnly.key))).status, 200)
  assert.equal((await mcpOnly.get('/customers')).body.code, 'use_not_allowed')

  await here.database.query(sql`update organisations set entitlement = 'none' where org_id = ${orgId}`)
  for (let tries = 0; ; tries++) {
    const { status, body } = await postMessage(here, rpc('tools/list'), bearer(key))
    if (status === 403) return assert.match(body.error.message, /Pro subscription/)
    assert.ok(tries < 50, 'refused once the plan has lapsed')
  }
})

test('every call counts against the limit of the credential, and a batch is refused', async () => {
  const small = await startTestService({ RATE_LIMIT_PER_MINUTE: '3' })
  const { key } = await small.organisation()
  const batch = await postMessage(small, [rpc('tools/list'), rpc('tools/list')], bearer(key))
  assert.equal(batch.status, 400)
  assert.equal(batch.body.error.code, -32_600)
  const reply = await postMessage(small, rpc('tools/list'), bearer(key))
  assert.equal(reply.headers.get('x-ratelimit-remaining'), '1')
  await postMessage(small, rpc('tools/list'), bearer(key))
  const over = await postMessage(small, rpc('tools/list'), bearer(key))
  assert.equal(over.status, 429)
  assert.ok(Number(over.headers.get('retry-after')) > 0)
  assert.match(over.body.error.message, /Too many requests/)
})

test('a page of a foreign origin is refused, one of an allowed origin is not', async () => {
  const { key } = await here.organisation()
  const from = (origin: string) => postMessage(here, rpc('tools/list'), { ...bearer(key), origin })
  const foreign = await from('https://evil.example')
  assert.equal(foreign.status, 403)
  assert.equal(foreign.body.jsonrpc, '2.0')
  assert.equal((await from('null')).status, 403)
  const allowed = await from('https://desk.example')
  assert.equal(allowed.status, 200)
  assert.equal(allowed.headers.get('access-control-allow-origin'), 'https://desk.example')
  assert.equal((await from(here.config.authUrl)).status, 200)
})

test('what is no message is refused as JSON-RPC refuses it', async () => {
  const { key } = await here.organisation()
  const broken = await postMessage(here, '{"jsonrpc":', bearer(key))
  assert.deepEqual([broken.status, broken.body.error.code, broken.body.id], [400, -32_700, null])
  const text = await postMessage(here, rpc('tools/list'), { ...bearer(key), 'content-type': 'text/plain' })
  assert.equal(text.status, 415)
  const large = await postMessage(here, JSON.stringify({ much: 'x'.repeat(1_100_000) }), bearer(key))
  assert.deepEqual([large.status, large.body.jsonrpc], [413, '2.0'])
  const unknown = await postMessage(here, rpc('tools/fly'), bearer(key))
  assert.equal(unknown.body.error.code, -32_601)
  const notice = await postMessage(here, { jsonrpc: '2.0', method: 'notifications/initialized' }, bearer(key))
  assert.deepEqual([notice.status, notice.text], [202, ''])
  for (const method of ['GET', 'DELETE']) {
    const response = await fetch(`${here.origin}/mcp`, { method, headers: bearer(key) })
    assert.equal(response.status, 405)
    assert.equal(response.headers.get('allow'), 'POST')
  }
})

test('a message that lacks what its method needs is told what, and that it is its own fault', async () => {
  const { key } = await here.organisation()
  const lacking: Record<string, [params: object, expected: RegExp]> = {
    initialize: [{}, /params\.protocolVersion expected string.*params\.capabilities expected object/],
    'tools/call': [{}, /params\.name expected string/],
    'prompts/get': [{ name: 5 }, /params\.name expected string, received number/],
    'resources/read': [{}, /params\.uri expected string/],
  }
  for (const [method, [params, expected]] of Object.entries(lacking)) {
    const { body } = await postMessage(here, { ...rpc(method), params }, bearer(key))
    assert.deepEqual([body.id, body.error.code], [1, -32_602], method)
    assert.match(body.error.message, expected, method)
  }
  const unknown = await postMessage(here, { ...rpc('tools/call'), params: { name: '[\n]' } }, bearer(key))
  assert.match(unknown.body.error.message, /^Unknown tool/)
})

test('a subscription is acknowledged, and does not hold up the end of the service', async () => {
  const other = await startTestService({ PORT: await freePort() })
  const { key } = await other.organisation()
  const response = await fetch(`${other.origin}/mcp`, {
    method: 'POST',
    headers: {
      ...bearer(key),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify(
      rpc('subscriptions/listen', {
        notifications: { toolsListChanged: true },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      }),
    ),
  })
  const frames = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  assert.match((await frames.read()).value!, /subscriptions\/acknowledged/)
  await other.restart()
  // A connection that had to be cut would fail here; one that was ended says so.
  while (!(await frames.read()).done) {}
})

test('MCP is served by the process that is the authorization server', async () => {
  const restOnly = await startTestService({ ROLE: 'rest', INTROSPECTION_SECRET: 'between two processes' })
  assert.equal((await postMessage(restOnly, rpc('ping'))).status, 404)
  const authOnly = await startTestService({ ROLE: 'auth' })
  const { key } = await authOnly.organisation()
  assert.equal((await postMessage(authOnly, rpc('tools/list'), bearer(key))).status, 200)
})
