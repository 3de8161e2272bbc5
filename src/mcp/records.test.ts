// Records as MCP resources: read by address, and told of when they change, to who may read them and nobody else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectAgent, generations, rpc } from '../../test/agent.ts'
import { numberAll, testSequencer } from '../../test/events.ts'
import { type Client, startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'

const here = await startTestService()
const sequencer = await testSequencer(here)

async function* listen(key: string, uris: readonly string[]): AsyncGenerator<string> {
  const response = await fetch(`${here.origin}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify(
      rpc('subscriptions/listen', {
        notifications: { resourceSubscriptions: uris },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      }),
    ),
  })
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return yield await response.text()
  let text = ''
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    text += part
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1]
      text = text.slice(end + 2)
      if (data) yield data
    }
  }
}

const createJob = async (shop: Client): Promise<string> =>
  (await shop.post('/tickets', { customerName: 'Amara Okafor', serviceRequired: 'Boiler is noisy' })).body.data.id
const next = async (messages: AsyncGenerator<string>) => JSON.parse((await messages.next()).value)

for (const generation of generations) {
  test(`a client of SDK ${generation} reads a record by its address, with the rights of GET`, async () => {
    const [shop, stranger] = [await here.organisation(), await here.organisation()]
    const id = await createJob(shop)
    const { client } = await connectAgent(here, shop.key, { generation })
    const { resourceTemplates } = await client.listResourceTemplates()
    assert.ok(
      resourceTemplates.some(
        ({ uriTemplate }: { uriTemplate: string }) => uriTemplate === 'jobwright://tickets/{ticketId}',
      ),
    )
    const { contents } = await client.readResource({ uri: `jobwright://tickets/${id}` })
    assert.deepEqual(JSON.parse(contents[0].text), (await shop.get(`/tickets/${id}`)).body.data)

    const other = await connectAgent(here, stranger.key, { generation })
    await assert.rejects(other.client.readResource({ uri: `jobwright://tickets/${id}` }), /not found/i)
    const narrow = await connectAgent(here, (await here.client(shop.orgId, { scopes: ['customers:read'] })).key, {
      generation,
    })
    await assert.rejects(narrow.client.readResource({ uri: `jobwright://tickets/${id}` }), /tickets:read/)
    const shown = (await narrow.client.listResourceTemplates()).resourceTemplates
    assert.deepEqual(
      shown.map(({ name }: { name: string }) => name),
      ['customers'],
    )
  })
}

test('whoever asks is told of the records that were named, and of their parts, from now on', async () => {
  const [shop, stranger] = [await here.organisation(), await here.organisation()]
  const [id, other] = [await createJob(shop), await createJob(shop)]
  const foreign = await createJob(stranger)
  await numberAll(sequencer, shop.orgId)
  const uri = `jobwright://tickets/${id}`
  const messages = listen(shop.key, [uri, `jobwright://tickets/${foreign}`])
  assert.match((await next(messages)).method, /subscriptions\/acknowledged/)
  await shop.put(`/tickets/${other}`, { priority: 'urgent' })
  await stranger.put(`/tickets/${foreign}`, { priority: 'urgent' })
  await shop.post(`/tickets/${id}/messages`, { text: 'It rattles' })
  await numberAll(sequencer, stranger.orgId)
  await numberAll(sequencer, shop.orgId)
  const { method, params } = await next(messages)
  assert.deepEqual([method, params.uri], ['notifications/resources/updated', uri])
  await shop.delete(`/tickets/${id}`)
  await numberAll(sequencer, shop.orgId)
  assert.equal((await next(messages)).params.uri, uri)
  await messages.return(undefined)
})

test('it ends with the credential, needs the right to events, and tells nothing that may not be read', async () => {
  const shop = await here.organisation()
  const id = await createJob(shop)
  const uri = `jobwright://tickets/${id}`
  const refused = await here.client(shop.orgId, { scopes: ['tickets:read'] })
  assert.match((await listen(refused.key, [uri]).next()).value!, /events:read/)
  const narrow = await here.client(shop.orgId, { scopes: ['events:read', 'customers:read'] })
  const messages = listen(narrow.key, [uri])
  await next(messages)
  await shop.put(`/tickets/${id}`, { priority: 'urgent' })
  await numberAll(sequencer, shop.orgId)
  await here.database.query(
    sql`update api_keys set revoked_at = now() where org_id = ${shop.orgId} and id = ${narrow.keyId}`,
  )
  const rest = []
  for await (const message of messages) rest.push(JSON.parse(message))
  assert.deepEqual(
    rest.map(({ method, result }) => method ?? result.resultType),
    ['complete'],
  )
})
