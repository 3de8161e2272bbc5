// The client against a server that fails: what is repeated, when, how often, and with the same key.
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { Jobwright, JobwrightError, RateLimitError, TimeoutError } from '../../client/src/index.ts'
import { retryDelayMs } from '../../client/src/retries.ts'

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown

const customer = { id: 'cus_1', firstName: 'Amara' }
const succeed: Answer = (response) => response.end(JSON.stringify({ success: true, data: customer }))
const refuse =
  (status: number, body: object = {}, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(JSON.stringify({ success: false, error: 'no', ...body }))
const breakOff: Answer = (response) => response.destroy()
const hang: Answer = () => {}

/** Answers requests in turn, and keeps what it was sent. */
async function startServer(answers: Answer[]) {
  const requests: { method: string; key: string | undefined }[] = []
  const server = createServer((request, response) => {
    const key = request.headers['idempotency-key'] as string | undefined
    requests.push({ method: request.method!, key })
    request.resume().on('end', () => (answers.shift() ?? succeed)(response, request))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
  const client = (options = {}) => new Jobwright({ baseUrl, organisation: 'org_1', apiKey: 'sk_live_1', ...options })
  return { requests, client }
}

const failure = (call: Promise<unknown>): Promise<JobwrightError> =>
  call.then(
    () => assert.fail('it succeeded'),
    (error) => error,
  )

test('what the service or the network fails at is repeated, a POST with one key', async () => {
  const attempt = async (fail: Answer) => {
    const { requests, client } = await startServer([fail, fail])
    assert.deepEqual(await client().customers.create({ firstName: 'Amara' }), customer)
    assert.equal(requests.length, 3)
    assert.match(requests[0]!.key!, /^[\w-]{20,}$/)
    assert.equal(new Set(requests.map(({ key }) => key)).size, 1, 'nothing is done twice')
  }
  await Promise.all([refuse(500), refuse(502), refuse(503), refuse(504), breakOff].map(attempt))
})

test('another call has another key, and one that is given is used', async () => {
  const { requests, client } = await startServer([])
  for (const options of [{}, {}, { idempotencyKey: 'mine' }])
    await client().customers.create({ firstName: 'A' }, options)
  assert.equal(new Set(requests.map(({ key }) => key)).size, 3)
  assert.equal(requests[2]!.key, 'mine')
  await client().customers.update('cus_1', {})
  assert.equal(requests[3]!.key, undefined, 'a change is the same when it is repeated')
})

test('what the caller did wrong is not repeated', async () => {
  for (const status of [400, 401, 403, 404, 409, 412, 413, 415, 501]) {
    const { requests, client } = await startServer([refuse(status, { code: 'X' })])
    assert.equal((await failure(client().customers.get('cus_1'))).status, status)
    assert.equal(requests.length, 1, String(status))
  }
})

test('429 waits as long as the answer says', async () => {
  const now = Date.UTC(2026, 10, 16)
  const wait = (headers: Record<string, string>) =>
    retryDelayMs(new JobwrightError(429, 'no'), new Headers(headers), 0, now)
  assert.equal(wait({ 'retry-after': '7', 'x-ratelimit-reset': '0' }), 7_000)
  assert.equal(wait({ 'retry-after': new Date(now + 9_000).toUTCString() }), 9_000)
  assert.equal(wait({ 'x-ratelimit-reset': String(now / 1_000 + 12) }), 12_000)
  assert.equal(wait({ 'x-ratelimit-reset': String(now / 1_000 - 1) }), 0)
  const { requests, client } = await startServer([refuse(429, {}, { 'retry-after': '1' })])
  await client().customers.get('cus_1')
  assert.equal(requests.length, 2)
})

test('who asks for a longer wait than is sensible, or refuses again and again, is given up', async () => {
  const long = await startServer([refuse(429, {}, { 'retry-after': '3600' })])
  assert.ok((await failure(long.client().customers.get('cus_1'))) instanceof RateLimitError)
  assert.equal(long.requests.length, 1)
  const stubborn = await startServer(Array.from({ length: 9 }, () => refuse(500)))
  assert.equal((await failure(stubborn.client({ maxRetries: 2 }).customers.get('cus_1'))).status, 500)
  assert.equal(stubborn.requests.length, 3)
  const none = await startServer([breakOff])
  assert.equal((await failure(none.client({ maxRetries: 0 }).customers.get('cus_1'))).status, 0)
  assert.equal(none.requests.length, 1)
})

test('an answer that is still being made is asked for once more', async () => {
  const inProgress = refuse(409, { code: 'IDEMPOTENCY_IN_PROGRESS' })
  const [once, stuck, broken] = await Promise.all(
    [[inProgress], [inProgress, inProgress, inProgress], [breakOff, inProgress]].map(startServer),
  )
  const create = ({ client }: Awaited<ReturnType<typeof startServer>>) => client().customers.create({ firstName: 'A' })
  const [made, refused, later] = await Promise.all([create(once!), failure(create(stuck!)), create(broken!)])
  assert.deepEqual([made, once!.requests.length], [customer, 2])
  assert.deepEqual([refused.code, stuck!.requests.length], ['IDEMPOTENCY_IN_PROGRESS', 2])
  assert.deepEqual([later, broken!.requests.length], [customer, 3], 'after a lost connection, too')
})

test('a call ends at its time limit, also while it is being answered, and is not repeated', async () => {
  const half: Answer = (response) => response.write('{"success":true,')
  for (const answer of [hang, half]) {
    const { requests, client } = await startServer([answer])
    assert.ok((await failure(client().customers.get('cus_1', { timeoutMs: 50 }))) instanceof TimeoutError)
    assert.equal(requests.length, 1)
  }
  const { client } = await startServer([hang])
  assert.ok((await failure(client({ timeoutMs: 50 }).customers.get('cus_1'))) instanceof TimeoutError)
})

test('a signal ends a call, before it, during it and while it waits', async () => {
  const reason = new Error('enough')
  for (const answer of [hang, refuse(429, {}, { 'retry-after': '60' })]) {
    const { client } = await startServer([answer])
    const stopping = new AbortController()
    const call = client().customers.get('cus_1', { signal: stopping.signal })
    setTimeout(() => stopping.abort(reason), 50)
    assert.equal(await failure(call), reason)
  }
  const { requests, client } = await startServer([])
  assert.equal(await failure(client().customers.get('cus_1', { signal: AbortSignal.abort(reason) })), reason)
  assert.equal(requests.length, 0)
})

test('pauses double up to a limit, and are never the same', () => {
  const delay = (attempt: number) => retryDelayMs(new JobwrightError(500, 'no'), undefined, attempt)!
  for (const [attempt, most] of [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000].entries())
    for (let tries = 0; tries < 20; tries++) assert.ok(delay(attempt) >= most / 2 && delay(attempt) <= most)
  assert.ok(new Set(Array.from({ length: 20 }, () => delay(0))).size > 1)
  const later = new Headers({ 'retry-after': '5' })
  assert.equal(retryDelayMs(new JobwrightError(503, 'no'), later, 0), 5_000, 'unless the answer says more')
  const inProgress = new JobwrightError(409, 'no', { code: 'IDEMPOTENCY_IN_PROGRESS' })
  const again = Array.from({ length: 20 }, () => retryDelayMs(inProgress, undefined, 0)!)
  assert.ok(again.every((ms) => ms >= 1_000 && ms <= 1_500) && new Set(again).size > 1)
})

test('a paced client spends the quota of a minute and no more', async () => {
  const limit = 5
  let [start, count, refused] = [Math.floor(Date.now() / 1_000), 0, 0]
  const answer: Answer = (response) => {
    const now = Math.floor(Date.now() / 1_000)
    if (now >= start + 2) [start, count] = [now, 0] // minutes of two seconds
    count++
    if (count > limit) refused++
    response.setHeader('x-ratelimit-remaining', String(Math.max(0, limit - count)))
    response.setHeader('x-ratelimit-reset', String(start + 2))
    if (count > limit) refuse(429, {}, { 'retry-after': '1' })(response, undefined as never)
    else succeed(response, undefined as never)
  }
  const { requests, client } = await startServer(Array.from({ length: 50 }, () => answer))
  const paced = client({ isPaced: true })
  await Promise.all(Array.from({ length: 12 }, () => paced.customers.get('cus_1')))
  assert.deepEqual([refused, requests.length], [0, 12])
})
