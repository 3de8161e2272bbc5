// The client follows what changes, over connections that break, and takes only what the service has signed.
import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { Jobwright, type JobwrightEvent, NotFoundError, WebhookError } from '../../client/src/index.ts'
import { createDestinations } from '../../src/http/safe-fetch.ts'
import { postEvent } from '../../src/webhooks/send.ts'
import { newWebhookSecret, signatureHeaders } from '../../src/webhooks/signature.ts'
import { numberAll, teller, testSequencer } from '../events.ts'
import { startTestService } from '../test-service.ts'
import { startWebhookReceiver } from '../webhook-receiver.ts'

const here = await startTestService()
const sequencer = await testSequencer(here)

/** What lies between the client and the service: all connections can be cut. */
async function startProxy() {
  const sockets = new Set<Socket>()
  const { hostname, port } = new URL(here.origin)
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => {}).on('close', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  after(() => {
    cut()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as { port: number }).port}`, cut }
}

async function shop() {
  const client = await here.organisation()
  const { newest } = teller(here, client)
  await newest()
  const proxy = await startProxy()
  const asked = Promise.withResolvers<void>()
  const throughProxy: typeof fetch = async (url, init) => {
    const response = await fetch(String(url).replace(here.origin, proxy.origin), init)
    if (String(url).includes('startAfter=latest')) asked.resolve()
    return response
  }
  const jobwright = new Jobwright({
    baseUrl: `${here.origin}/api/v1`,
    organisation: client.orgId,
    apiKey: client.key,
    fetch: throughProxy,
  })
  const add = async (firstName: string) => {
    await client.post('/customers', { firstName })
    await numberAll(sequencer, client.orgId)
  }
  return { jobwright, add, newest, cut: proxy.cut, asked: asked.promise }
}

const nameOf = (event: JobwrightEvent) => (event.type === 'customer.created' ? event.data?.firstName : event.type)

test('events are followed from now, without gaps, over connections that break', async () => {
  const { jobwright, add, cut, asked } = await shop()
  await add('Before')
  const following = jobwright.events.follow({ type: 'customer.*' })[Symbol.asyncIterator]()
  const first = following.next()
  await asked // what now is
  cut()
  await add('A')
  assert.equal(nameOf((await first).value!), 'A')
  cut()
  await add('B')
  await add('C')
  for (const name of ['B', 'C']) assert.equal(nameOf((await following.next()).value!), name)
  await following.return!(undefined)
})

test('events are followed from a position, itself included, and of one kind', async () => {
  const { jobwright, add, newest } = await shop()
  await add('A')
  const from = await newest()
  await add('B')
  const seen: JobwrightEvent[] = []
  for await (const event of jobwright.events.follow({ from, type: ['customer.created', 'ticket.*'] })) {
    seen.push(event)
    if (seen.length === 2) break
  }
  assert.deepEqual(seen.map(nameOf), ['A', 'B'])
  assert.equal(seen[0]!.position, from)
})

test('following ends when the service refuses it, or the caller does', async () => {
  const { jobwright } = await shop()
  const refused = jobwright.events.follow({ type: 'customer.craeted' })[Symbol.asyncIterator]()
  await assert.rejects(refused.next(), { status: 400 })
  const stopping = new AbortController()
  const reason = new Error('enough')
  setTimeout(() => stopping.abort(reason), 100)
  await assert.rejects(async () => {
    for await (const _ of jobwright.events.follow({ from: 1 }, { signal: stopping.signal }));
  }, reason)
  await assert.rejects(jobwright.events.get('chg_none'), NotFoundError)
})

test('a webhook is taken as the service signs it, and nothing else is', async () => {
  const receiver = await startWebhookReceiver()
  const [secret, other] = [newWebhookSecret(), newWebhookSecret()]
  const event = { id: 'chg_1', type: 'ticket.created', data: { title: 'Ümlaut' } }
  const sent = { url: receiver.url, eventId: 'chg_1', body: JSON.stringify(event) }
  await postEvent(createDestinations(['127.0.0.0/8']), { ...sent, secrets: [other, secret] })
  const { text, headers } = receiver.received[0]!
  assert.deepEqual(await Jobwright.verifyWebhook(text, headers, secret), event)
  assert.deepEqual(await Jobwright.verifyWebhook(new TextEncoder().encode(text), headers, other), event)
  assert.deepEqual(await Jobwright.verifyWebhook(text, new Headers(headers as Record<string, string>), secret), event)
  const now = Date.now()
  const signed = (at: number) => signatureHeaders([secret], { id: 'chg_1', body: text, now: at })
  const wrong: [string, Record<string, string | string[] | undefined>, string][] = [
    [text, headers, newWebhookSecret()],
    [`${text} `, headers, secret],
    [text, { ...headers, 'webhook-id': 'chg_2' }, secret],
    [text, { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1) }, secret],
    [text, { ...headers, 'webhook-signature': 'v1,ü' }, secret],
    [text, { ...headers, 'webhook-signature': undefined }, secret],
    [text, { ...headers, 'webhook-timestamp': 'now' }, secret],
    [text, signed(now - 301_000), secret],
    [text, signed(now + 302_000), secret],
  ]
  for (const [index, given] of wrong.entries())
    await assert.rejects(Jobwright.verifyWebhook(...given), WebhookError, `case ${index}`)
  assert.deepEqual(await Jobwright.verifyWebhook(text, signed(now - 200_000), secret), event)
})
