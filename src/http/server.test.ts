// What the HTTP server promises of traffic that no route ever sees: broken framing, health, browsers, proxies, the end.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Client, startTestService, type TestService } from '../../test/test-service.ts'
import { createApp } from '../app.ts'
import { Database, sql } from '../db/database.ts'

const here = await startTestService()
const shop = await here.organisation()
const target = `/api/v1/organisations/${shop.orgId}/customers`
const write = (...headers: string[]) =>
  [
    `POST ${target} HTTP/1.1`,
    'Host: x',
    `X-API-Key: ${shop.key}`,
    'Content-Type: application/json',
    ...headers,
    '',
    '',
  ].join('\r\n')

interface RawResponse {
  readonly text: string
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

function open(origin = here.origin): Socket {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  return socket.on('error', () => {}) // the other side may hang up while we are still talking
}

/** Sends bytes and listens: to the first whole answer or, with `toEnd`, until the server hangs up. Neither is a failure. */
function exchange(
  chunks: string | Buffer | string[],
  { toEnd = false, origin = here.origin } = {},
): Promise<RawResponse> {
  const socket = open(origin)
  let text = ''
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error(`neither answered nor closed after: ${text}`)), 10_000)
    const done = () => {
      clearTimeout(limit)
      socket.destroy()
      resolve(parseResponse(text))
    }
    socket.on('close', done).on('data', (data) => {
      text += data
      if (!toEnd && isComplete(text)) done()
    })
    const send = async () => {
      for (const part of [chunks].flat()) {
        socket.write(part)
        await new Promise((sent) => setTimeout(sent, 50))
      }
    }
    void send()
  })
}

function parseResponse(text: string): RawResponse {
  const [head = '', ...body] = text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '').split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line) => [line.split(': ')[0]!.toLowerCase(), line.slice(line.indexOf(': ') + 2)] as const)
  return { text, status: Number(first.split(' ')[1]), headers: new Map(headers), body: body.join('\r\n\r\n') }
}

function isComplete(text: string): boolean {
  const { headers, body, status } = parseResponse(text)
  if (!text.includes('\r\n\r\n') || !status) return false
  if (headers.get('transfer-encoding') === 'chunked') return body.endsWith('0\r\n\r\n')
  return Buffer.byteLength(body) >= Number(headers.get('content-length') ?? 0)
}

function assertRefusedInEnvelope({ status, headers, body, text }: RawResponse, expected: number, name: string): void {
  assert.equal(status, expected, `${name}: ${text}`)
  assert.match(headers.get('content-type') ?? '', /^application\/json\b/, name)
  assert.match(headers.get('x-request-id') ?? '', /^req_\w+$/, name)
  const { success, error, ...more } = JSON.parse(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1))
  assert.deepEqual([success, typeof error, more], [false, 'string', {}], name)
  assert.doesNotMatch(error, /HPE_|ERR_|\n|node|fastify/i, name)
}

/** What was never read may have been meant for REST, where every answer has the rate limit headers. */
function assertRefusedUnread(response: RawResponse, expected: number, name: string): void {
  assertRefusedInEnvelope(response, expected, name)
  for (const part of ['limit', 'remaining', 'reset'])
    assert.match(response.headers.get(`x-ratelimit-${part}`) ?? '', /^\d+$/, name)
}

test('answers what is not HTTP in the envelope, and hangs up', async () => {
  const broken: Record<string, string | Buffer> = {
    garbage: 'garbage\r\n\r\n',
    'a TLS greeting': Buffer.from('160301020001000001fc0303', 'hex'),
    'an HTTP/2 greeting': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'an unknown method': 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n',
    'a method in small letters': 'get / HTTP/1.1\r\nHost: x\r\n\r\n',
    'an unknown version': 'GET / HTTP/9.9\r\nHost: x\r\n\r\n',
    'a header without a colon': 'GET / HTTP/1.1\r\nHost: x\r\nBad Header\r\n\r\n',
    'a header with a space in its name': 'GET / HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n',
    'a header with NUL': 'GET / HTTP/1.1\r\nHost: x\r\nBad: a\0b\r\n\r\n',
    'an address with a space': 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n',
    'a length that is no number': write('Content-Length: abc'),
    'a negative length': write('Content-Length: -1'),
    'two lengths': `${write('Content-Length: 2', 'Content-Length: 3')}{}`,
    'a length and chunks': `${write('Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    'a chunk without a size': `${write('Transfer-Encoding: chunked')}zz\r\n`,
    'a chunk longer than it says': `${write('Transfer-Encoding: chunked')}2\r\n{}{}\r\n0\r\n\r\n`,
  }
  for (const [name, bytes] of Object.entries(broken)) {
    const answer = await exchange(bytes, { toEnd: true })
    assertRefusedUnread(answer, 400, name)
    assert.equal(answer.headers.get('connection')?.toLowerCase(), 'close', name)
  }
  assert.deepEqual((await shop.get('/customers')).body.data.customers, [])
})

test('answers headers over 32 KB with 431, wherever the bytes are', async () => {
  const large = 'a'.repeat(65_536)
  const many = Array.from({ length: 1_500 }, (_, n) => `X-Header-${n}: ${'a'.repeat(30)}`).join('\r\n')
  for (const [name, bytes] of Object.entries({
    'one header of 64 KB': `GET /health/live HTTP/1.1\r\nHost: x\r\nX-Large: ${large}\r\n\r\n`,
    'many small ones': `GET /health/live HTTP/1.1\r\nHost: x\r\n${many}\r\n\r\n`,
    'the address': `GET /${large} HTTP/1.1\r\nHost: x\r\n\r\n`,
  }))
    assertRefusedUnread(await exchange(bytes, { toEnd: true }), 431, name)
  const within = `GET /health/live HTTP/1.1\r\nHost: x\r\nX-Large: ${'a'.repeat(16_000)}\r\n\r\n`
  assert.equal((await exchange(within)).status, 200)
})

test('refuses HTTP/1.1 without a Host, which HTTP/1.0 may leave out', async () => {
  assertRefusedInEnvelope(await exchange('GET /health/live HTTP/1.1\r\n\r\n'), 400, 'HTTP/1.1')
  assertRefusedInEnvelope(await exchange(`GET ${target} HTTP/1.1\r\nX-API-Key: ${shop.key}\r\n\r\n`), 400, 'with a key')
  assert.equal((await exchange('GET /health/live HTTP/1.0\r\n\r\n', { toEnd: true })).status, 200)
})

test('answers an address that is no URL in the envelope', async () => {
  for (const path of ['/%zz', '/%', '/%ff', `${target}/%zz`, `${target}/%c0%80`, '/health/%e0%a4%a'])
    assertRefusedInEnvelope(await exchange(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`), 400, path)
})

test('answers what it does not have in the envelope', async () => {
  for (const [method, path] of [
    ['GET', '/nothing'],
    ['POST', '/health/live'],
    ['OPTIONS', '*'],
    ['PROPFIND', '/'],
    ['TRACE', '/'],
    ['GET', '/../../etc/passwd'],
    ['GET', '//api/v1'],
  ])
    assertRefusedInEnvelope(await exchange(`${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`), 404, `${method} ${path}`)
})

test('answers an expectation it cannot meet in the envelope', async () => {
  const answer = await exchange(`${write('Content-Length: 2', 'Expect: something')}{}`)
  assertRefusedUnread(answer, 417, 'Expect')
})

test('invites a body that waits to be invited', async () => {
  const body = '{"firstName":"Invited"}'
  const { status, text } = await exchange([write(`Content-Length: ${body.length}`, 'Expect: 100-continue'), body])
  assert.match(text, /^HTTP\/1\.1 100 Continue\r\n/)
  assert.equal(status, 201)
  await shop.delete(`/customers/${JSON.parse(text.slice(text.lastIndexOf('\r\n\r\n'))).data.id}`)
})

test('hangs up on who asks for a tunnel, and goes on in HTTP with who asks for another protocol', async () => {
  const tunnel = await exchange('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', { toEnd: true })
  assert.doesNotMatch(tunnel.text, /^HTTP\/1\.1 2/)
  const upgrade = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
  assert.equal((await exchange(upgrade)).status, 200)
})

test('answers a request once, even if its body breaks off in nonsense after the answer', async () => {
  const anonymous = write('Transfer-Encoding: chunked').replace(/X-API-Key: .*\r\n/, '')
  const { text } = await exchange([`${anonymous}5\r\n{"fir\r\n`, 'zz\r\n'], { toEnd: true })
  assert.match(text, /^HTTP\/1\.1 401 /)
  assert.equal(text.split('HTTP/1.1 ').length - 1, 1, text)
})

test('answers requests sent in one breath in their order', async () => {
  const ask = (path: string, last = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${last}\r\n`
  const { text } = await exchange(
    ask('/health/live') + ask('/nothing') + ask('/health/ready', 'Connection: close\r\n'),
    {
      toEnd: true,
    },
  )
  assert.deepEqual(
    text.match(/HTTP\/1\.1 \d+/g)?.map((line) => line.slice(-3)),
    ['200', '404', '200'],
  )
})

test('goes on serving after callers who say nothing, or hang up in the middle', async (t) => {
  const logged = t.mock.method(process.stderr, 'write', () => true)
  const silent = Array.from({ length: 50 }, () => open())
  const rude = Array.from({ length: 50 }, () => open())
  for (const socket of rude) socket.write(`${write('Content-Length: 500')}{"fir`, () => socket.resetAndDestroy())
  assert.equal((await shop.get('/customers')).status, 200)
  for (const socket of silent) socket.destroy()
  assert.deepEqual((await shop.get('/customers')).body.data.customers, [])
  const lines = logged.mock.calls.map(({ arguments: [line] }) => String(line))
  assert.equal(lines.length, 0, `it took them for errors of its own: ${lines[0]?.slice(0, 300)}`)
})

test('says without a credential that it lives and is ready', async () => {
  for (const [path, status] of [
    ['/health/live', 'live'],
    ['/health/ready', 'ready'],
  ] as const) {
    const answer = await here.request('GET', path)
    assert.deepEqual([answer.status, answer.body.status], [200, status])
    assert.match(answer.headers.get('x-request-id') ?? '', /^req_\w+$/)
    assert.equal((await here.request('HEAD', path)).status, 200)
  }
})

test('logs where a request went, and neither its query nor its credential', async (t) => {
  const there = await startTestService({ LOG_LEVEL: 'debug' })
  const { orgId, key, call } = await there.organisation()
  const logged = t.mock.method(process.stderr, 'write', () => true)
  await call('GET', '/customers?search=Amara')
  const lines = logged.mock.calls.map(({ arguments: [line] }) => String(line)).join('')
  assert.ok(lines.includes(`"/api/v1/organisations/${orgId}/customers"`), lines)
  assert.ok(!lines.includes('Amara') && !lines.includes(key), lines)
})

test('does not tell what it is made of', async () => {
  const answers = [
    await exchange('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'),
    await exchange('GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n'),
    await exchange(`GET ${target} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${shop.key}\r\n\r\n`),
    await exchange('garbage\r\n\r\n'),
  ]
  for (const { headers, text } of answers) {
    for (const name of ['server', 'x-powered-by', 'via', 'x-runtime']) assert.equal(headers.get(name), undefined)
    assert.doesNotMatch(text, /fastify|node\.?js|postgres|\bv\d+\.\d+/i)
  }
})

const corsHeaders = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-'))

test('tells browsers nothing as long as no origin is allowed', async () => {
  const origin = 'https://app.example'
  const asks = { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-api-key' }
  const preflight = await here.request('OPTIONS', target, { headers: asks })
  assert.deepEqual([preflight.status, corsHeaders(preflight.headers)], [401, []])
  const plain = await shop.call('GET', '/customers', { headers: { origin } })
  assert.deepEqual([plain.status, corsHeaders(plain.headers)], [200, []])
})

const browsers = await startTestService({ CORS_ORIGINS: 'https://app.example, https://other.example' })

test('lets a browser of an allowed origin use every method and header of the API', async () => {
  for (const origin of ['https://app.example', 'https://other.example']) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const wanted = ['x-api-key', 'authorization', 'content-type', 'idempotency-key']
      const { status, headers } = await browsers.request('OPTIONS', target, {
        headers: {
          origin,
          'access-control-request-method': method,
          'access-control-request-headers': wanted.join(','),
        },
      })
      assert.equal(status, 204, 'a preflight carries no credential and needs none')
      assert.equal(headers.get('access-control-allow-origin'), origin)
      assert.match(headers.get('vary') ?? '', /\borigin\b/i)
      assert.match(headers.get('x-request-id') ?? '', /^req_\w+$/)
      assert.ok(words(headers.get('access-control-allow-methods')).includes(method.toLowerCase()), method)
      const allowed = words(headers.get('access-control-allow-headers'))
      for (const name of wanted) assert.ok(allowed.includes(name), name)
    }
  }
})

test('lets a browser of an allowed origin read every answer and the headers that matter, refusals too', async () => {
  const client = await browsers.organisation()
  const headers = { origin: 'https://app.example' }
  for (const answer of [
    await client.call('GET', '/customers', { headers }),
    await client.call('GET', '/customers/missing', { headers }),
    await client.call('GET', '/nothing', { headers }),
    await browsers.request('GET', `/api/v1/organisations/${client.orgId}`, { headers }),
  ]) {
    assert.equal(answer.headers.get('access-control-allow-origin'), 'https://app.example', `${answer.status}`)
    const exposed = words(answer.headers.get('access-control-expose-headers'))
    const matters = ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after']
    for (const name of [...matters, 'www-authenticate', 'x-ignored-fields', 'idempotent-replayed'])
      assert.ok(exposed.includes(name), name)
  }
})

test('does not let browsers of other origins in', async () => {
  const client = await browsers.organisation()
  const strangers = ['https://evil.example', 'http://app.example', 'https://app.example.evil.example', 'null']
  for (const origin of [...strangers, 'https://app.example:444', 'https://APP.example.']) {
    const preflight = { origin, 'access-control-request-method': 'GET' }
    for (const answer of [
      await browsers.request('OPTIONS', target, { headers: preflight }),
      await client.call('GET', '/customers', { headers: { origin } }),
    ])
      assert.equal(answer.headers.get('access-control-allow-origin'), null, origin)
  }
})

test('answers OPTIONS that is no preflight with nothing, or in the envelope', async () => {
  for (const path of ['*', '/health/live', target]) {
    const answer = await exchange(`OPTIONS ${path} HTTP/1.1\r\nHost: x\r\n\r\n`, { origin: browsers.origin })
    assert.ok([204, 400, 401, 404].includes(answer.status), path)
    if (answer.status === 204) assert.equal(answer.body, '')
    else assertRefusedInEnvelope(answer, answer.status, path)
  }
})

const words = (list: string | null) => (list ?? '').toLowerCase().split(/\s*,\s*/)

const home = '203.0.113.7'
async function statusFrom(there: TestService, client: Client, forwardedFor: string): Promise<number> {
  const headers = { 'x-api-key': client.key, 'x-forwarded-for': forwardedFor }
  return (await there.request('GET', `/api/v1/organisations/${client.orgId}`, { headers })).status
}

test('does not believe X-Forwarded-For of just anybody', async () => {
  const { orgId } = await here.organisation()
  const fromHome = await here.client(orgId, { allowlist: [home] })
  const fromHere = await here.client(orgId, { allowlist: ['127.0.0.1'] })
  for (const forwardedFor of [home, `${home}, 127.0.0.1`, `127.0.0.1, ${home}`]) {
    assert.equal(await statusFrom(here, fromHome, forwardedFor), 403, forwardedFor)
    assert.equal(await statusFrom(here, fromHere, forwardedFor), 200, forwardedFor)
  }
})

test('takes from X-Forwarded-For the last address that is not a trusted proxy', async () => {
  const proxied = await startTestService({ TRUST_PROXY: '127.0.0.0/8, 10.0.0.0/8' })
  const { orgId } = await proxied.organisation()
  const fromHome = await proxied.client(orgId, { allowlist: [home] })
  for (const forwardedFor of [
    home,
    `198.51.100.9, ${home}`,
    `${home}, 10.1.2.3`,
    `${home}:5678`,
    `9.9.9.9, ${home}:5678, 10.1.2.3:443`,
    `9.9.9.9, ${home},10.1.2.3, 127.0.0.9`,
  ])
    assert.equal(await statusFrom(proxied, fromHome, forwardedFor), 200, forwardedFor)
  for (const forwardedFor of [
    `${home}, 198.51.100.9`,
    `${home}, 198.51.100.9, 10.1.2.3`,
    `${home}, nonsense`,
    'nonsense',
  ])
    assert.equal(await statusFrom(proxied, fromHome, forwardedFor), 403, forwardedFor)
})

async function openService() {
  const database = new Database(here.connection)
  const { app, prepare, announceShutdown, close } = await createApp(here.config, database, { strict: true })
  await prepare()
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return { origin, announceEnd: announceShutdown, close: () => close().then(() => database.close()) }
}

test('does not wait for a body that never comes when it is asked to stop', async () => {
  const { origin, close } = await openService()
  const slow = open(origin)
  slow.write(`${write('Content-Length: 500')}{"fir`)
  const silent = open(origin)
  const hungUp = Promise.all([slow, silent].map((socket) => new Promise((gone) => socket.on('close', gone))))
  await exchange('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n', { origin }) // by now the server has read the others
  const started = performance.now()
  await close()
  await hungUp
  assert.ok(performance.now() - started < 20_000)
  assert.deepEqual((await shop.get('/customers')).body.data.customers, [])
})

test('announces its end: it is not ready, serves whoever still comes, and lets their connections go', async () => {
  const { origin, announceEnd: announceShutdown, close } = await openService()
  const keptAlive = open(origin)
  keptAlive.write('GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n')
  const [before] = await once(keptAlive, 'data')
  assert.match(String(before), /^HTTP\/1\.1 200 .*connection: keep-alive/is)
  const announced = announceShutdown()
  assert.equal((await fetch(`${origin}/health/ready`)).status, 503)
  const visit = await fetch(origin + target, { headers: { 'x-api-key': shop.key } })
  assert.deepEqual([visit.status, visit.headers.get('connection')], [200, 'close'])
  keptAlive.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${shop.key}\r\n\r\n`)
  const [after] = await once(keptAlive, 'data')
  assert.match(String(after), /^HTTP\/1\.1 200 .*connection: close/is, 'a connection kept from before is not cut')
  await announced
  await close()
})

test('finishes what it is doing when it is asked to stop, and begins nothing new', async () => {
  const { origin, close } = await openService()
  const { body } = await shop.post('/customers', { firstName: 'Held' })
  const { id } = body.data
  const headers = { 'x-api-key': shop.key, 'content-type': 'application/json' }
  const pending = await here.database.transaction('test', async (transaction) => {
    await transaction.query(sql`select from customers where org_id = ${shop.orgId} and id = ${id} for update`)
    const changing = fetch(`${origin}${target}/${id}`, { method: 'PUT', headers, body: '{"firstName":"Done"}' })
    await new Promise((begun) => setTimeout(begun, 300))
    const closing = close()
    await new Promise((begun) => setTimeout(begun, 100))
    await assert.rejects(fetch(`${origin}/health/live`))
    return { changing, closing }
  })
  assert.equal((await pending.changing).status, 200)
  const finished = performance.now()
  await pending.closing
  assert.ok(performance.now() - finished < 4_000, 'a connection kept alive for more requests held it up')
  assert.equal((await shop.get(`/customers/${id}`)).body.data.firstName, 'Done')
  await shop.delete(`/customers/${id}`)
})

// Such callers are cut off after half a minute: they begin before the other tests, and are looked at when those are done.
const [slowBody, slowHeader] = [open(), open()]
const cutOff = (socket: Socket, bytes: string): Promise<RawResponse> => {
  socket.write(bytes)
  let text = ''
  socket.on('data', (data) => {
    text += data
  })
  return new Promise((resolve) => socket.once('close', () => resolve(parseResponse(text))))
}
const body = cutOff(slowBody, `${write('Content-Length: 500')}{"fir`)
const header = cutOff(slowHeader, `POST ${target} HTTP/1.1\r\nHost: x\r\n`)
const mayBodyTakeLonger = header.then(() => delay(1_000)).then(() => !slowBody.closed)

test('cuts off who sends a body without end, and sooner who sends a header without end', {
  timeout: 90_000,
}, async () => {
  assertRefusedInEnvelope(await header, 408, 'the header')
  assert.ok(await mayBodyTakeLonger)
  assertRefusedInEnvelope(await body, 408, 'the body')
})
