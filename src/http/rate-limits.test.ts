// Counting in Redis: exact over several processes, and 503 instead of loose counting whenever Redis is not there.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort, type ServerProcess, skipUnlessInstalled, startRedis } from '../../test/programs.ts'
import { type Client, type Reply, startTestService, type TestService } from '../../test/test-service.ts'
import { readConfig } from '../config/config.ts'
import { sql } from '../db/database.ts'
import { newKey } from '../identity/key-format.ts'
import { revokeKey } from '../identity/keys.ts'
import { openRateLimitStore } from './rate-limit-store.ts'
import { createRateLimits } from './rate-limits.ts'

const withRedis = { skip: skipUnlessInstalled('redis-server'), timeout: 60_000 }

let redis: ServerProcess | undefined
async function redisAt(port: string): Promise<void> {
  redis = await await startRedis(port)
}

async function stopRedis(): Promise<void> {
  redis?.signal('SIGKILL')
  await redis?.exited
}
after(stopRedis)

function freeze(t: TestContext): void {
  t.after(thaw)
  redis!.signal('SIGSTOP')
}

function thaw(): void {
  redis!.signal('SIGCONT')
}

async function sendCommand(port: string, command: string): Promise<void> {
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`${command}\r\n`)
  await once(socket, 'data')
  socket.destroy()
}

const here = await startTestService({ RATE_LIMIT_STORE: 'redis', LOG_LEVEL: 'silent' })

const port = await freePort()
const shared = { RATE_LIMIT_STORE: 'redis', REDIS_URL: `redis://127.0.0.1:${port}`, LOG_LEVEL: 'silent' }

function assertUnavailable(reply: Reply): void {
  assert.equal(reply.status, 503)
  const { success, error, requestId, ...more } = reply.body
  const text = 'The service is temporarily unavailable; try again shortly'
  assert.deepEqual([success, error, more], [false, text, {}])
  assert.equal(requestId, reply.headers.get('x-request-id'))
  assert.equal(reply.headers.has('retry-after'), false)
  for (const name of ['limit', 'remaining', 'reset'])
    assert.match(reply.headers.get(`x-ratelimit-${name}`) ?? '', /^\d+$/)
}

const listCustomers = ({ request }: TestService, { orgId, key }: Client) =>
  request('GET', `/api/v1/organisations/${orgId}/customers`, { headers: { 'x-api-key': key } })
const stranger = ({ request }: TestService) =>
  request('GET', '/api/v1/organisations/x', { headers: { 'x-api-key': newKey() } })

async function timed<T>(work: Promise<T>): Promise<{ result: T; ms: number }> {
  const started = performance.now()
  return { result: await work, ms: performance.now() - started }
}

async function waitUntilServing(there: TestService, client: Client): Promise<void> {
  for (const end = performance.now() + 15_000; performance.now() < end; await delay(100))
    if ((await listCustomers(there, client)).status === 200) return
  assert.fail('does not serve again')
}

test('keeps a bounded number of counts in memory, whoever comes from however many addresses', async () => {
  const config = readConfig({ RATE_LIMIT_STORE: 'memory', FAILED_AUTH_PER_MINUTE: '1' })
  const limits = createRateLimits(config, await openRateLimitStore(config))
  let shared = 0
  // Among 65,536 counts five thousand addresses cannot each have one to themselves.
  for (let n = 0; n < 5_000; n++) {
    const { isOver } = await limits.failedAuthentication(`10.0.${n >> 8}.${n & 255}`)
    if (isOver) shared++
  }
  assert.ok(shared > 0)
})

test('answers 503 and does nothing when it should count in Redis but has none', async () => {
  const shop = await here.organisation()
  for (let n = 0; n < 3; n++) {
    assertUnavailable(await shop.get('/customers'))
    assertUnavailable(await shop.post('/customers', { firstName: 'Uncounted' }))
    assertUnavailable(await shop.get('/nothing'))
    assertUnavailable(await stranger(here))
    assertUnavailable(await here.request('GET', '/api/v1/organisations/x'))
  }
  const ready = await here.request('GET', '/health/ready')
  assert.deepEqual([ready.status, (await here.request('GET', '/health/live')).status], [503, 200])
  const rows = await here.database.query(sql`select from customers where org_id = ${shop.orgId}`)
  assert.equal(rows.length, 0)
})

test('starts without Redis, answers 503, and serves when Redis comes', withRedis, async () => {
  const late = await startTestService(shared)
  const shop = await late.organisation()
  assertUnavailable(await listCustomers(late, shop))
  assertUnavailable(await stranger(late))
  assert.equal((await late.request('GET', '/health/ready')).status, 503)
  await redisAt(port)
  await waitUntilServing(late, shop)
  assert.equal((await stranger(late)).status, 401)
  assert.equal((await late.request('GET', '/health/ready')).status, 200)
})

test('counts the requests of a key exactly over two instances', withRedis, async () => {
  const settings = { ...shared, RATE_LIMIT_PER_MINUTE: '10' }
  const [one, two] = [await startTestService(settings), await startTestService(settings)]
  const shop = await one.organisation()
  await Promise.all([one, two].map((there) => waitUntilServing(there, shop)))
  const replies = await Promise.all(Array.from({ length: 40 }, (_, n) => listCustomers(n % 2 ? one : two, shop)))
  const served = replies.filter(({ status }) => status === 200)
  const left = served.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
  assert.deepEqual(
    left.sort((a, b) => b - a),
    [7, 6, 5, 4, 3, 2, 1, 0],
    'two were spent on finding out that both serve',
  )
  for (const reply of replies.filter(({ status }) => status !== 200)) {
    assert.equal(reply.status, 429)
    assert.ok(Number(reply.headers.get('retry-after')) >= 1)
  }
})

test('counts failed authentications exactly over two instances', withRedis, async () => {
  const settings = { ...shared, FAILED_AUTH_PER_MINUTE: '3' }
  const [one, two] = [await startTestService(settings), await startTestService(settings)]
  const shop = await one.organisation()
  await Promise.all([one, two].map((there) => waitUntilServing(there, shop)))
  await sendCommand(port, 'FLUSHALL')
  const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => stranger(n % 2 ? one : two)))
  assert.equal(replies.filter(({ status }) => status === 401).length, 3)
  assert.equal(replies.filter(({ status }) => status === 429).length, 17)
  await sendCommand(port, 'FLUSHALL')
})

test('starts the count anew when Redis was emptied, while revocations hold', withRedis, async () => {
  const there = await startTestService({ ...shared, RATE_LIMIT_PER_MINUTE: '2' })
  const [shop, gone] = [await there.organisation(), await there.organisation()]
  await waitUntilServing(there, shop)
  assert.equal((await listCustomers(there, gone)).status, 200)
  await revokeKey(there.database, gone.orgId, gone.keyId)
  for (let n = 0; n < 3; n++) await listCustomers(there, shop)
  assert.equal((await listCustomers(there, shop)).status, 429)
  await sendCommand(port, 'FLUSHALL')
  assert.equal((await listCustomers(there, shop)).status, 200)
  assert.equal((await listCustomers(there, gone)).status, 401)
})

test(
  'answers 503 within about a second while Redis is frozen, and serves again when it thaws',
  withRedis,
  async (t) => {
    const there = await startTestService(shared)
    const shop = await there.organisation()
    await waitUntilServing(there, shop)
    freeze(t)
    const answers = await Promise.all(Array.from({ length: 10 }, () => timed(listCustomers(there, shop))))
    for (const { result, ms } of [...answers, await timed(stranger(there))]) {
      assertUnavailable(result)
      assert.ok(ms < 2_500, `${Math.round(ms)} ms`)
    }
    thaw()
    await waitUntilServing(there, shop)
  },
)

test('says that it is not ready while Redis is frozen', withRedis, async (t) => {
  const there = await startTestService(shared)
  await waitUntilServing(there, await there.organisation())
  freeze(t)
  const { result, ms } = await timed(there.request('GET', '/health/ready'))
  assert.equal(result.status, 503)
  assert.ok(ms < 2_500, `${Math.round(ms)} ms`)
})

test('answers 503 at once while Redis is dead, and serves again when it is back', withRedis, async () => {
  const there = await startTestService(shared)
  const shop = await there.organisation()
  await waitUntilServing(there, shop)
  await stopRedis()
  for (let n = 0; n < 5; n++) {
    const { result, ms } = await timed(listCustomers(there, shop))
    assertUnavailable(result)
    assert.ok(ms < 2_500, `${Math.round(ms)} ms`)
  }
  assert.equal((await there.request('GET', '/health/ready')).status, 503)
  await redisAt(port)
  await waitUntilServing(there, shop)
})

test('gives a connection that the network has forgotten up for a new one', withRedis, async (t) => {
  const shop = await here.organisation()
  let forgotten: readonly Socket[] = []
  const ends: Socket[] = []
  const relay = createServer((near) => {
    const far = connect(Number(port), '127.0.0.1')
    ends.push(near, far)
    far.pipe(near)
    // Only what was connected before is lost.
    const isOld = () => forgotten.includes(near)
    near.on('data', (bytes) => void (isOld() || far.write(bytes))).on('close', () => far.destroy())
    for (const end of [near, far]) end.on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  t.after(() => {
    relay.close()
    for (const end of ends) end.destroy()
  })
  const { port: relayed } = relay.address() as { port: number }
  const there = await startTestService({ ...shared, REDIS_URL: `redis://127.0.0.1:${relayed}` })
  await waitUntilServing(there, shop)
  forgotten = [...ends]
  assertUnavailable(await listCustomers(there, shop))
  await waitUntilServing(there, shop)
})
