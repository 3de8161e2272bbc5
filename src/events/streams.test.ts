// The stream: told as it happens, taken up where it broke off, for as long as the credential may be used.
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { numberAll, readFeed, type Told, teller, testSequencer } from '../../test/events.ts'
import { type Client, startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'

const here = await startTestService()
const { database } = here
const sequencer = await testSequencer(here)

/** A reader of a stream: what it has been told so far, and how to wait for more. */
async function follow(client: Client, query = '', headers: Record<string, string> = {}) {
  const stopping = new AbortController()
  after(() => stopping.abort())
  const url = `${here.origin}/api/v1/organisations/${client.orgId}/events/stream?${query}`
  const response = await fetch(url, { headers: { 'x-api-key': client.key, ...headers }, signal: stopping.signal })
  const messages: { id: string; event: Told }[] = []
  let [isEnded, wake] = [false, () => {}]
  const reading = async () => {
    let text = ''
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      text += piece
      const parts = text.split('\n\n')
      text = parts.pop()!
      for (const part of parts) {
        const [, id, data] = /^id: (\S+)\ndata: (.*)$/.exec(part) ?? []
        if (id !== undefined) messages.push({ id, event: JSON.parse(data!) })
      }
      wake()
    }
  }
  const ended = (response.ok ? reading() : Promise.resolve())
    .catch(() => {})
    .finally(() => {
      isEnded = true
      wake()
    })
  return {
    response,
    messages,
    ended,
    names: () => messages.map(({ event }) => event.data?.firstName),
    async until(count: number): Promise<void> {
      while (messages.length < count && !isEnded)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      assert.ok(messages.length >= count, `the stream ended after ${messages.length}`)
    },
    async stop(): Promise<void> {
      stopping.abort()
      await ended
    },
  }
}

async function shop() {
  const client = await here.organisation()
  await teller(here, client).newest()
  const add = async (firstName: string): Promise<string> => {
    const { id } = (await client.post('/customers', { firstName })).body.data
    await numberAll(sequencer, client.orgId)
    return id
  }
  return { client, add }
}

it('tells what is there and what comes, as the feed has it, and goes on after Last-Event-ID', async () => {
  const { client, add } = await shop()
  await add('A')
  const stream = await follow(client, 'type=customer.*')
  assert.equal(stream.response.status, 200)
  assert.equal(stream.response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  await stream.until(1)
  for (const name of ['B', 'C']) await add(name)
  await stream.until(3)
  assert.deepEqual(stream.names(), ['A', 'B', 'C'])
  const feed = await readFeed(client, '&type=customer.*')
  assert.deepEqual(
    stream.messages.map(({ event }) => event),
    feed,
  )
  assert.deepEqual(
    stream.messages.map(({ id }) => id),
    feed.map(({ id }) => id),
  )
  await stream.stop()
  await add('D')
  const again = await follow(client, 'type=customer.*&startAfter=latest', { 'last-event-id': stream.messages[1]!.id })
  await again.until(2)
  assert.deepEqual(again.names(), ['C', 'D'], 'the header counts, not the address')
  await again.stop()
})

it('begins after an event or now, where it is told so, and refuses what it does not know', async () => {
  const { client, add } = await shop()
  await add('A')
  const now = await follow(client, 'startAfter=latest')
  const [first] = await readFeed(client)
  const later = await follow(client, `startAfter=${first!.id}&type=customer.created`)
  await later.until(1)
  await add('B')
  await Promise.all([now.until(1), later.until(2)])
  assert.deepEqual([now.names(), later.names()], [['B'], ['A', 'B']])
  assert.equal((await follow(client, 'startAfter=never_seen')).response.status, 400)
  assert.equal((await follow(client, '', { 'last-event-id': 'never_seen' })).response.status, 400)
  await Promise.all([now.stop(), later.stop()])
})

it('tells a reader only what it may read', async () => {
  const { client, add } = await shop()
  const reader = await here.client(client.orgId, { scopes: ['events:read', 'stations:read'] })
  const stream = await follow(reader, 'startAfter=latest')
  await add('Hidden')
  await client.post('/stations', { name: 'Bench' })
  await numberAll(sequencer, client.orgId)
  await stream.until(1)
  assert.deepEqual(
    stream.messages.map(({ event }) => event.type),
    ['station.created'],
  )
  const stranger = await here.client(client.orgId, { scopes: ['stations:read'] })
  assert.equal((await follow(stranger)).response.status, 403)
  await stream.stop()
})

it('ends when its key is revoked, paused or loses the scope, and is refused from then on', async () => {
  const { client } = await shop()
  const endings = [
    sql`revoked_at = now()`,
    sql`paused_at = now()`,
    sql`scopes = '{tickets:read}'`,
    sql`expires_at = now() - interval '1 second'`,
  ]
  for (const ending of endings) {
    const reader = await here.client(client.orgId)
    const stream = await follow(reader, 'startAfter=latest')
    await database.query(sql`update api_keys set ${ending} where org_id = ${client.orgId} and id = ${reader.keyId}`)
    await stream.ended
    assert.ok([401, 403].includes((await follow(reader)).response.status))
  }
})

it('follows what the credential may read by now', async () => {
  const { client, add } = await shop()
  const reader = await here.client(client.orgId)
  const stream = await follow(reader, 'startAfter=latest')
  await add('Seen')
  await stream.until(1)
  await database.query(sql`
    update api_keys set scopes = '{events:read,stations:read}' where org_id = ${client.orgId} and id = ${reader.keyId}`)
  while ((await reader.get('/customers')).status !== 403);
  const isTold = (name: string) =>
    stream.messages.some(({ event }) => [event.data.name, event.data.firstName].includes(name))
  const tell = async (round: string) => {
    await add(`Hidden ${round}`)
    await client.post('/stations', { name: `Bench ${round}` })
    await numberAll(sequencer, client.orgId)
    while (!isTold(`Bench ${round}`)) await stream.until(stream.messages.length + 1)
    return isTold(`Hidden ${round}`)
  }
  // Within a second the stream knows it, too; and from then on for certain.
  for (let round = 0; await tell(String(round)); round++);
  assert.equal(await tell('last'), false)
  await stream.stop()
})

it('a credential has five at once; the sixth is refused until one ends, and others are not', async () => {
  const { client } = await shop()
  const reader = await here.client(client.orgId)
  const streams = await Promise.all([1, 2, 3, 4, 5].map(() => follow(reader, 'startAfter=latest')))
  for (const { response } of streams) assert.equal(response.status, 200)
  const sixth = await follow(reader, 'startAfter=latest')
  assert.equal(sixth.response.status, 429)
  assert.ok(Number(sixth.response.headers.get('retry-after')) >= 1)
  assert.equal((await follow(client, 'startAfter=latest')).response.status, 200)
  await streams[0]!.stop()
  for (;;) {
    const next = await follow(reader, 'startAfter=latest')
    await next.stop()
    if (next.response.status === 200) break
  }
  await Promise.all(streams.map((stream) => stream.stop()))
})

it('shows only what it would be to whoever asks with HEAD', async () => {
  const { client } = await shop()
  const reply = await client.call('HEAD', '/events/stream')
  assert.deepEqual([reply.status, reply.headers.get('content-type')], [200, 'text/event-stream; charset=utf-8'])
})
