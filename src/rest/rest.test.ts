// What the REST interface promises of every request: its type, size, text, ids, addresses, envelope, and order of checks.
import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Client, startTestService } from '../../test/test-service.ts'

const here = await startTestService()
const json = { 'content-type': 'application/json' }
const oneMegabyte = 1_048_576

interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** The body is never ended: what arrived must be enough to answer. */
  readonly endless?: boolean
}
interface RawResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
  readonly body: any
}

/** The path and headers go out as they are written, which `fetch` would not do, and every answer is held to the envelope. */
function send(method: string, path: string, { headers = {}, body, endless = false }: Sent = {}): Promise<RawResponse> {
  const isAnnounced = body !== undefined && !endless && !('transfer-encoding' in headers)
  const length = isAnnounced && { 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const options = { method, path, headers: { ...length, ...headers }, agent: false }
    const outgoing = request(here.origin, options, async (incoming) => {
      const text = await textOf(incoming)
      outgoing.destroy()
      resolve(parseEnvelope(method, incoming.statusCode!, incoming.headers, text))
    })
    outgoing.on('error', reject)
    outgoing.flushHeaders()
    if (body !== undefined) outgoing.write(body)
    if (!endless) outgoing.end()
  })
}

function parseEnvelope(method: string, status: number, headers: IncomingHttpHeaders, text: string): RawResponse {
  assert.match(headers['content-type'] ?? '', /^application\/json\b/)
  assert.match(String(headers['x-request-id']), /^req_\w+$/)
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
    assert.match(String(headers[name]), /^\d+$/, `${method} answered ${status} without ${name}`)
  const body = method === 'HEAD' ? undefined : JSON.parse(text)
  if (method === 'HEAD') assert.equal(text, '')
  else if (status < 300) assert.deepEqual([body.success, Object.keys(body)], [true, ['success', 'data']])
  else {
    assert.deepEqual([body.success, typeof body.error], [false, 'string'])
    assert.doesNotMatch(body.error, /\n|node_modules|\.ts\b|select |insert /i)
    assert.equal('requestId' in body, status >= 500)
  }
  return { status, headers, text, body }
}

const addressOf = ({ orgId }: Client) => `/api/v1/organisations/${orgId}`
const ask = (client: Client, method: string, path: string, sent: Sent = {}) =>
  send(method, addressOf(client) + path, { ...sent, headers: { 'x-api-key': client.key, ...sent.headers } })
const write = (client: Client, method: string, path: string, body: string | Uint8Array, headers = {}) =>
  ask(client, method, path, { body, headers: { ...json, ...headers } })

async function namesIn(client: Client): Promise<string[]> {
  const { body } = await ask(client, 'GET', '/customers?limit=100')
  return body.data.customers.map(({ firstName }: { firstName: string }) => firstName)
}

async function shopWithCustomer() {
  const shop = await here.organisation()
  const { body } = await shop.post('/customers', { firstName: 'Amara', lastName: 'Okafor' })
  return { shop, customer: body.data, path: `/customers/${body.data.id}` }
}

test('refuses with 415 what is not called JSON, on every method that writes', async () => {
  const { shop, path } = await shopWithCustomer()
  const others = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/html']
  const misspelt = ['application/jsonx', 'application/x-json-not', 'json', 'application/json, text/plain', '']
  for (const [method, target] of [
    ['POST', '/customers'],
    ['PUT', path],
    ['PATCH', path],
  ] as const) {
    for (const type of [...others, ...misspelt]) {
      const answer = await ask(shop, method, target, {
        headers: { 'content-type': type },
        body: '{"firstName":"Wrong"}',
      })
      assert.equal(answer.status, 415, `${method} as "${type}"`)
    }
    const untyped = await ask(shop, method, target, { body: '{"firstName":"Wrong"}' })
    assert.equal(untyped.status, 415, `${method} without a type`)
    assert.equal((await ask(shop, method, target)).status, 415, `${method} without type and body`)
  }
  assert.deepEqual(await namesIn(shop), ['Amara'])
})

test('takes JSON with a charset, in any case, and under any +json name', async () => {
  const shop = await here.organisation()
  const names = ['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON']
  const suffixed = ['application/vnd.x+json', 'application/vnd.jobwright.v1+json; charset=utf-8', 'application/ld+json']
  for (const type of [...names, ...suffixed]) {
    const answer = await write(shop, 'POST', '/customers', '{"firstName":"Zoë"}', { 'content-type': type })
    assert.deepEqual([answer.status, answer.body.data.firstName], [201, 'Zoë'], type)
  }
})

test('opens no compressed body', async () => {
  const shop = await here.organisation()
  const plain = '{"firstName":"Packed"}'
  for (const encoding of ['gzip', 'deflate', 'br', 'identity, gzip']) {
    const gzipped = await write(shop, 'POST', '/customers', gzipSync(plain), { 'content-encoding': encoding })
    assert.equal(gzipped.status, 415, encoding)
    const claimed = await write(shop, 'POST', '/customers', plain, { 'content-encoding': encoding })
    assert.equal(claimed.status, 415, `${encoding}, though it was not`)
  }
  assert.deepEqual(await namesIn(shop), [])
})

test('refuses a body that announces more than 1 MB before any of it is sent', async () => {
  const shop = await here.organisation()
  const headers = { ...json, 'content-length': String(oneMegabyte + 1) }
  const answer = await ask(shop, 'POST', '/customers', { headers, endless: true })
  assert.equal(answer.status, 413)
})

test('refuses a body over 1 MB by what arrives, not by what was announced', async () => {
  const shop = await here.organisation()
  const body = padded('{"firstName":"Large"}', oneMegabyte + 1)
  const headers = { ...json, 'transfer-encoding': 'chunked' }
  assert.equal((await ask(shop, 'POST', '/customers', { headers, body, endless: true })).status, 413)
  assert.deepEqual(await namesIn(shop), [])
})

test('counts the size of a body in bytes, not in characters', async () => {
  const shop = await here.organisation()
  const body = `{"firstName":"Wide","unknown":"${'€'.repeat(400_000)}"}`
  assert.ok(body.length < oneMegabyte)
  assert.equal((await write(shop, 'POST', '/customers', body)).status, 413)
})

test('takes a body of exactly 1 MB, announced or in pieces', async () => {
  const shop = await here.organisation()
  const body = padded('{"firstName":"Exact"}', oneMegabyte)
  assert.equal((await write(shop, 'POST', '/customers', body)).status, 201)
  const headers = { ...json, 'transfer-encoding': 'chunked' }
  assert.equal((await ask(shop, 'POST', '/customers', { body, headers })).status, 201)
})

const padded = (body: string, bytes: number) => body + ' '.repeat(bytes - Buffer.byteLength(body))

test('refuses what is not JSON', async () => {
  const shop = await here.organisation()
  const bodies = ['{', '{"firstName":}', "{'firstName':'A'}", '{"firstName":"A"}x', '{"firstName":"A",}', 'NaN', '\0']
  for (const body of [...bodies, '{"firstName":NaN}', '{"firstName":"a\nb"}', 'firstName=A', '<a/>', '// {}']) {
    const answer = await write(shop, 'POST', '/customers', body)
    assert.deepEqual([answer.status, answer.body.error], [400, 'The body is not valid JSON'], body)
  }
  assert.deepEqual(await namesIn(shop), [])
})

test('refuses bytes that are not UTF-8 instead of storing something else', async () => {
  const shop = await here.organisation()
  const bad = {
    'not a character': [0xff],
    'cut off': [0xe2, 0x82],
    'overlong NUL': [0xc0, 0x80],
    surrogate: [0xed, 0xa0, 0x80],
  }
  for (const [name, bytes] of Object.entries(bad)) {
    const body = Buffer.concat([Buffer.from('{"firstName":"A'), Buffer.from(bytes), Buffer.from('"}')])
    assert.equal((await write(shop, 'POST', '/customers', body)).status, 400, name)
  }
  const utf16 = Buffer.from('{"firstName":"A"}', 'utf16le')
  assert.equal((await write(shop, 'POST', '/customers', utf16)).status, 400, 'UTF-16')
  assert.deepEqual(await namesIn(shop), [])
})

test('refuses JSON that is not an object', async () => {
  const { shop, path } = await shopWithCustomer()
  for (const body of ['[]', '[{"firstName":"A"}]', '"firstName"', '5', 'true', 'null']) {
    for (const [method, target] of [
      ['POST', '/customers'],
      ['PUT', path],
    ] as const) {
      const answer = await write(shop, method, target, body)
      assert.deepEqual([answer.status, answer.body.error], [400, 'The body must be a JSON object'], `${method} ${body}`)
    }
  }
})

test('reads an empty body as one without fields', async () => {
  const { shop, path } = await shopWithCustomer()
  for (const body of ['', '{}']) {
    const created = await write(shop, 'POST', '/customers', body)
    assert.deepEqual([created.status, created.body.error], [400, 'firstName is required'])
    const changed = await write(shop, 'PUT', path, body)
    assert.deepEqual([changed.status, changed.body.error], [400, 'At least one updatable field is required'])
  }
})

const malformedIds = {
  '129 characters': 'a'.repeat(129),
  '9,000 characters': 'a'.repeat(9_000),
  'a dot': 'a.b',
  'two dots': '%2e%2e',
  'a slash': 'a%2Fb',
  'a backslash': 'a%5Cb',
  'a space': 'a%20b',
  NUL: 'a%00',
  'a newline': 'a%0A',
  'a quote': 'a%27--',
  'a percent sign': 'a%2525',
  'a letter of another script': '%D0%B0',
}

test('refuses a path id that is not 1 to 128 letters, digits, _ or -, wherever it stands', async () => {
  const { shop, path } = await shopWithCustomer()
  for (const [name, id] of Object.entries(malformedIds)) {
    const customer = await ask(shop, 'GET', `/customers/${id}`)
    assert.deepEqual([customer.status, customer.body.error.split(' ')[0]], [400, 'customerId'], name)
    assert.equal((await ask(shop, 'DELETE', `/customers/${id}`)).status, 400, name)
    assert.equal((await ask(shop, 'GET', `/customers/${id}/devices`)).status, 400, name)
    const device = await ask(shop, 'GET', `${path}/devices/${id}`)
    assert.deepEqual([device.status, device.body.error.split(' ')[0]], [400, 'deviceId'], name)
  }
  for (const id of ['a'.repeat(128), '-', '_', 'Az09_-'])
    assert.equal((await ask(shop, 'GET', `/customers/${id}`)).status, 404, id)
})

test('refuses a startAfter of the wrong form, and one that was never in the list', async () => {
  const { shop, customer, path } = await shopWithCustomer()
  for (const list of ['/customers', `${path}/devices`]) {
    for (const [name, id] of Object.entries({ ...malformedIds, nothing: '' })) {
      const answer = await ask(shop, 'GET', `${list}?startAfter=${id}`)
      assert.deepEqual([answer.status, answer.body.error.split(' ')[0]], [400, 'startAfter'], `${list} after ${name}`)
    }
    const unknown = await ask(shop, 'GET', `${list}?startAfter=${'a'.repeat(128)}`)
    assert.deepEqual([unknown.status, unknown.body.error], [400, 'startAfter is not a known cursor'])
  }
  assert.equal((await ask(shop, 'GET', `/customers?startAfter=${customer.id}`)).status, 200)
})

test('refuses a limit that is not a whole number from 1', async () => {
  const shop = await here.organisation()
  for (const limit of [
    '0',
    '-1',
    '1.5',
    'abc',
    '',
    '%20',
    '1e2',
    '0x10',
    'NaN',
    'Infinity',
    '5;',
    '%D9%A3',
    'null',
    '-0',
  ]) {
    const answer = await ask(shop, 'GET', `/customers?limit=${limit}`)
    assert.deepEqual([answer.status, answer.body.error.split(' ')[0]], [400, 'limit'], limit)
  }
})

test('reads a limit above 100 as 100, and says so', async () => {
  const shop = await here.organisation()
  const limitFor = async (query: string) =>
    (await ask(shop, 'GET', `/customers${query}`)).body.data?.pagination.limit ?? 'refused'
  for (const limit of ['101', '100000', '99999999999999999999', '9'.repeat(400)])
    assert.equal(await limitFor(`?limit=${limit}`), 100, limit)
  assert.deepEqual([await limitFor('?limit=1'), await limitFor('?limit=100'), await limitFor('')], [1, 100, 50])
})

test('gives at most 100 records whatever limit was asked for', async () => {
  const shop = await here.organisation()
  await Promise.all(Array.from({ length: 102 }, (_, n) => shop.post('/customers', { firstName: `C${n}` })))
  const { body } = await ask(shop, 'GET', '/customers?limit=100000')
  assert.deepEqual([body.data.customers.length, body.data.pagination.hasMore], [100, true])
})

test('refuses a query parameter that is given twice', async () => {
  const { shop, path } = await shopWithCustomer()
  const twice = ['limit=5&limit=6', 'startAfter=a&startAfter=a', 'search=a&search=b', 'limit=5&%6Cimit=6']
  for (const query of twice) {
    const { status, body } = await ask(shop, 'GET', `/customers?${query}`)
    assert.deepEqual([status, /^\w+ must be given once$/.test(body.error)], [400, true], body.error)
  }
  assert.equal((await ask(shop, 'DELETE', `${path}?cascade=true&cascade=false`)).status, 400)
  assert.deepEqual(await namesIn(shop), ['Amara'])
})

test('survives any query', async () => {
  const shop = await here.organisation()
  const odd = ['%zz', 'search=%zz', 'search=%ff%fe', '&&&===', '__proto__=1', '__proto__[limit]=1', 'constructor=x']
  for (const query of [...odd, 'toString', `x=${'y'.repeat(8_000)}`, Array(500).fill('a=1').join('&'), 'a%0d%0ab=1'])
    assert.equal((await ask(shop, 'GET', `/customers?${query}`)).status, 200, query.slice(0, 40))
  for (const search of ['%00', 'a%01b', '%7F'])
    assert.equal((await ask(shop, 'GET', `/customers?search=${search}`)).status, 400, search)
})

test('has every answer kept by nobody and read as what it says it is', async () => {
  const { shop, path } = await shopWithCustomer()
  for (const [method, target] of [
    ['GET', path],
    ['POST', '/customers'],
    ['GET', '/customers/missing'],
    ['GET', '/nothing'],
  ] as const) {
    const { headers } = await shop.call(method, target)
    const securityHeaders = [headers.get('cache-control'), headers.get('x-content-type-options')]
    assert.deepEqual(securityHeaders, ['no-store', 'nosniff'], method + target)
  }
})

test('tells nobody more of a fault of its own than an id, and its log nothing of the records', async (t) => {
  const shop = await here.organisation()
  const client = await here.database.connect()
  // A rule that the service does not know of, for this organisation alone.
  const rule = `"odd ${shop.orgId}"`
  await client.query(`create unique index ${rule} on customers (org_id, phone) where org_id = '${shop.orgId}'`)
  t.after(async () => {
    await client.query(`drop index ${rule}`)
    await client.end()
  })
  const logged = t.mock.method(process.stderr, 'write', () => true)
  const person = { firstName: 'Amara', phone: '+44 7700 900123' }
  assert.equal((await shop.post('/customers', person)).status, 201)
  const { status, body, headers } = await shop.post('/customers', person)
  const error = 'Unexpected error; quote the requestId to support'
  assert.deepEqual([status, body], [500, { success: false, error, requestId: headers.get('x-request-id') }])
  const [line = '', ...more] = logged.mock.calls.map(({ arguments: [text] }) => String(text))
  assert.ok(line.includes(body.requestId) && more.length === 0)
  assert.ok(!line.includes('900123') && !line.includes(shop.key))
})

test('gives every answer an id of its own, whatever id the caller sends', async () => {
  const { shop, path } = await shopWithCustomer()
  const answers = [
    await ask(shop, 'GET', path),
    await ask(shop, 'GET', path, { headers: { 'x-request-id': 'mine' } }),
    await ask(shop, 'GET', '/customers/missing'),
    await ask(shop, 'GET', '/nothing'),
    await ask(shop, 'DELETE', ''),
    await ask(shop, 'POST', '/customers'),
    await send('GET', addressOf(shop)),
    await send('GET', '/api/v1'),
    await send('POST', '/api/v1/organisations', { headers: { 'x-api-key': shop.key } }),
    await send('GET', '/api/v1/elsewhere', { headers: { 'x-api-key': shop.key } }),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 404, 403, 404, 415, 401, 401, 404, 404],
  )
  assert.equal(new Set(answers.map(({ headers }) => headers['x-request-id'])).size, answers.length)
  assert.ok(answers.every(({ headers }) => headers['x-request-id'] !== 'mine'))
})

test('ignores fields that cannot be written and names them, so that a record can be put back', async () => {
  const { shop, customer, path } = await shopWithCustomer()
  const changed = {
    ...customer,
    lastName: 'Eze',
    id: 'cus_other',
    colour: 'red',
    createdAt: '1970-01-01T00:00:00.000Z',
  }
  const put = await write(shop, 'PUT', path, JSON.stringify(changed))
  assert.equal(put.status, 200)
  assert.deepEqual(String(put.headers['x-ignored-fields']).split(',').sort(), [
    'colour',
    'createdAt',
    'id',
    'updatedAt',
  ])
  const { updatedAt: _, ...unchanged } = put.body.data
  const { updatedAt: __, ...before } = customer
  assert.deepEqual(unchanged, { ...before, lastName: 'Eze' })

  const created = await write(shop, 'POST', `${path}/devices`, '{"model":"5","customerId":"cus_other","orgId":"org_x"}')
  assert.deepEqual([created.status, created.body.data.customerId], [201, customer.id])
  assert.equal(created.headers['x-ignored-fields'], 'customerId,orgId')
  assert.equal((await ask(shop, 'GET', '/customers?sort=name')).headers['x-ignored-fields'], 'sort')
  assert.equal((await ask(shop, 'GET', path)).headers['x-ignored-fields'], undefined)
})

test('refuses a change of nothing but fields that cannot be written', async () => {
  const { shop, customer, path } = await shopWithCustomer()
  const answer = await write(
    shop,
    'PUT',
    path,
    JSON.stringify({ id: 'cus_other', updatedAt: customer.updatedAt, x: 1 }),
  )
  assert.deepEqual([answer.status, answer.body.error], [400, 'At least one updatable field is required'])
})

test('names ignored fields without letting their names into the header', async () => {
  const shop = await here.organisation()
  const names = ['a\r\nSet-Cookie: b=c', 'd\ne', 'f,g', 'é€😀', '\u0000', 'h'.repeat(10_000), ' ', '']
  const body = `{"firstName":"A","\\ud800":1,${names.map((name) => `${JSON.stringify(name)}:1`).join()}}`
  const answer = await write(shop, 'POST', '/customers', body)
  assert.deepEqual([answer.status, answer.headers['set-cookie']], [201, undefined])
  const listed = String(answer.headers['x-ignored-fields'])
  assert.match(listed, /^[\w%,.*'()!~-]+$/)
  assert.ok(listed.length < 2_000)

  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`unknown${n}`, n]))
  const crowded = await write(shop, 'POST', '/customers', JSON.stringify({ firstName: 'A', ...many }))
  assert.equal(crowded.status, 201)
  assert.ok(String(crowded.headers['x-ignored-fields']).length < 2_000)
})

test('takes __proto__, constructor and their like for unknown fields', async () => {
  const shop = await here.organisation()
  const poison = '"__proto__":{"lastName":"Poison","isAdmin":true},"constructor":{"prototype":{"lastName":"Poison"}}'
  const created = await write(shop, 'POST', '/customers', `{"firstName":"A",${poison},"hasOwnProperty":1,"toString":2}`)
  assert.deepEqual([created.status, created.body.data.lastName], [201, null])
  assert.match(String(created.headers['x-ignored-fields']), /__proto__,constructor/)
  assert.equal(({} as Record<string, unknown>).lastName ?? ({} as Record<string, unknown>).isAdmin, undefined)
  const required = await write(shop, 'POST', '/customers', '{"__proto__":{"firstName":"Inherited"}}')
  assert.deepEqual([required.status, required.body.error], [400, 'firstName is required'])
  const changed = await write(shop, 'PUT', `/customers/${created.body.data.id}`, `{${poison}}`)
  assert.equal(changed.status, 400)
})

test('answers PATCH as PUT: what is absent stays, what is null goes', async () => {
  const { shop, path } = await shopWithCustomer()
  for (const method of ['PUT', 'PATCH']) {
    await write(shop, method, path, '{"lastName":"Okafor","phone":"1"}')
    const { status, body } = await write(shop, method, path, '{"phone":null,"email":"a@b.example"}')
    const { firstName, lastName, phone, email } = body.data
    assert.deepEqual([status, firstName, lastName, phone, email], [200, 'Amara', 'Okafor', null, 'a@b.example'], method)
    assert.equal((await write(shop, method, path, '{}')).status, 400, method)
    assert.equal((await write(shop, method, '/customers/missing', '{"phone":"1"}')).status, 404, method)
  }
  const reader = await here.client(shop.orgId, { scopes: ['customers:read'] })
  const refused = await write(reader, 'PATCH', path, '{"phone":"2"}')
  assert.deepEqual([refused.status, refused.body.requiredScopes], [403, ['customers:write']])
})

test('answers HEAD as GET, without the body', async () => {
  const { shop, path } = await shopWithCustomer()
  const stranger = await here.organisation()
  const limited = await here.client(shop.orgId, { scopes: ['devices:read'] })
  const reader = await here.client(shop.orgId, { scopes: ['customers:read'] })
  for (const [client, target] of [
    [reader, `${path}/widgets`],
    [shop, '/customers'],
    [shop, path],
    [shop, ''],
    [shop, '/customers/missing'],
    [shop, '/customers/a.b'],
    [shop, '/customers?limit=0'],
    [shop, '/nothing'],
    [limited, path],
    [limited, '/customers'],
    [{ ...stranger, orgId: shop.orgId }, path],
    [{ ...shop, key: 'sk_live_wrong' }, path],
  ] as const) {
    const [head, get] = [await ask(client, 'HEAD', target), await ask(client, 'GET', target)]
    const seen = ({ status, headers }: RawResponse) => [status, headers['content-length'], headers['www-authenticate']]
    assert.deepEqual(seen(head), seen(get), target)
  }
})

test('tells an unknown resource (403) from an unknown address in a known one (404)', async () => {
  const { shop, path } = await shopWithCustomer()
  const answer = async (method: string, target: string) => {
    const { status, body } = await ask(shop, method, target)
    return [status, body.code]
  }
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    for (const target of ['/widgets', '/widgets/1', '/customer', '/api-keys', '/__proto__', '/constructor', '/lookup'])
      assert.deepEqual(await answer(method, target), [403, 'unknown_resource'], `${method} ${target}`)
  assert.deepEqual(await answer('GET', `${path}/widgets`), [404, undefined])
  assert.deepEqual(await answer('PUT', '/customers'), [404, undefined])
  assert.deepEqual(await answer('POST', path), [404, undefined])
  assert.deepEqual(await answer('OPTIONS', '/customers'), [404, undefined])
  assert.deepEqual(await answer('GET', '/customers/lookup/more'), [404, undefined])
  assert.deepEqual(await answer('GET', '/widgets/customers'), [404, undefined], 'the first recognised segment decides')
})

test('asks for the scope before it says that an address does not exist', async () => {
  const { shop, path } = await shopWithCustomer()
  const limited = await here.client(shop.orgId, { scopes: ['devices:read'] })
  for (const [method, target, scope] of [
    ['GET', `${path}/widgets`, 'customers:read'],
    ['PUT', '/customers', 'customers:write'],
    ['DELETE', '/customers', 'customers:delete'],
    ['POST', '', 'organisation:write'],
  ] as const) {
    const { status, body } = await ask(limited, method, target)
    assert.deepEqual([status, body.code, body.requiredScopes], [403, 'insufficient_scope', [scope]], method + target)
  }
})

test('lets nobody delete the organisation', async () => {
  const { shop } = await shopWithCustomer()
  for (const client of [shop, await here.client(shop.orgId, { scopes: ['full'], scopeVersion: 1 })]) {
    const { status, body, headers } = await ask(client, 'DELETE', '')
    assert.deepEqual([status, body.code, headers['www-authenticate']], [404, undefined, undefined])
  }
  assert.equal((await ask(shop, 'POST', '/members')).status, 404, 'no scope that nobody can hold is asked for')
  assert.equal((await ask(shop, 'GET', '')).status, 200)
  assert.deepEqual(await namesIn(shop), ['Amara'])
})

/** Other ways to write `/customers…` that a router, a proxy or a careless check may take for it, or not. */
const spellings = (id: string) => [
  `/%63ustomers/${id}`,
  `/%43ustomers/${id}`,
  `/Customers/${id}`,
  `/CUSTOMERS/${id}`,
  `//customers/${id}`,
  `/customers//${id}`,
  `/customers/${id}/`,
  `/customers/${id}//`,
  `/./customers/${id}`,
  `/devices/../customers/${id}`,
  `/customers/x/../${id}`,
  `/customers%2F${id}`,
  `%2Fcustomers/${id}`,
  `/customers/${id}%00`,
  `/customers/${id}%20`,
  `/customers/${id};x=1`,
  `/customers;x=1/${id}`,
  `/customers/${id}.json`,
  `/customers/${id}%3Fx`,
  `/customers/${id}%23`,
  `/customers/${id.replace('_', '%5F')}`,
  `/customers/${id.toUpperCase()}`,
  `/customers%00/${id}`,
  `/customers\\${id}`,
  `/%2563ustomers/${id}`,
]

test('gives away nothing more when an address is spelt another way', async () => {
  const { shop, customer } = await shopWithCustomer()
  const limited = await here.client(shop.orgId, { scopes: ['devices:read'] })
  const stranger = await here.organisation()
  for (const target of spellings(customer.id)) {
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
      const sent = { body: '{"lastName":"Taken"}', headers: json }
      const scope = await ask(limited, method, target, sent)
      assert.ok([400, 403, 404].includes(scope.status), `${method} ${target} without the scope: ${scope.status}`)
      const foreign = await ask({ ...stranger, orgId: shop.orgId }, method, target, sent)
      assert.ok([400, 403, 404].includes(foreign.status), `${method} ${target} by a stranger: ${foreign.status}`)
      const anonymous = await send(method, addressOf(shop) + target, sent)
      assert.ok([400, 401, 404].includes(anonymous.status), `${method} ${target} by nobody: ${anonymous.status}`)
      assert.doesNotMatch(scope.text + foreign.text + anonymous.text, /Okafor/)
    }
  }
  assert.equal((await ask(shop, 'GET', `/customers/${customer.id}`)).body.data.lastName, 'Okafor')
})

test('reads the organisation in a path as it is written, and no other way', async () => {
  const { shop } = await shopWithCustomer()
  const stranger = await here.organisation()
  const headers = { 'x-api-key': stranger.key }
  const own = stranger.orgId
  for (const path of [
    `/organisations/${shop.orgId.toUpperCase()}/customers`,
    `/organisations/${own}/../${shop.orgId}/customers`,
    `/organisations/${own}%2F..%2F${shop.orgId}/customers`,
    `/organisations//${shop.orgId}/customers`,
    `//organisations/${shop.orgId}/customers`,
    `/Organisations/${shop.orgId}/customers`,
    `/organisations/${shop.orgId}%00/customers`,
    `/organisations/${own},${shop.orgId}/customers`,
    `/organisations/${shop.orgId}/customers?orgId=${own}`,
  ]) {
    const answer = await send('GET', `/api/v1${path}`, { headers })
    assert.ok([400, 403, 404].includes(answer.status), `${path}: ${answer.status}`)
    assert.doesNotMatch(answer.text, /Okafor/)
  }
})

test('reads an encoded address as what it stands for', async () => {
  const { shop, customer } = await shopWithCustomer()
  assert.equal((await ask(shop, 'GET', `/%63ustomers/${customer.id.replace('_', '%5F')}`)).status, 200)
})

test('refuses an address with a broken escape with all that a refusal carries', async () => {
  const { shop } = await shopWithCustomer()
  for (const broken of ['/customers/%', '/customers/%zz', '/customers/%C3', '%']) {
    assert.equal((await ask(shop, 'GET', broken)).status, 400, broken)
  }
})

test('deletes whether or not the request has a body', async () => {
  const shop = await here.organisation()
  for (const sent of [
    {},
    { body: '' },
    { body: '{}', headers: json },
    { body: '{broken', headers: json },
    { body: '{"x":1}' },
    { body: 'please', headers: { 'content-type': 'text/plain' } },
    { headers: { 'content-type': '' } },
    { headers: { 'content-type': 'no/such/type' } },
    { body: 'please', headers: { 'content-type': 'nothing' } },
  ]) {
    const { body } = await shop.post('/customers', { firstName: 'Gone' })
    assert.equal((await ask(shop, 'DELETE', `/customers/${body.data.id}`, sent)).status, 200, JSON.stringify(sent))
  }
  assert.deepEqual(await namesIn(shop), [])
})

test('refuses text with NUL, other controls or half a surrogate pair, and stores nothing of it', async () => {
  const shop = await here.organisation()
  const unfit = [
    '\\u0000',
    '\\u0001',
    '\\u0008',
    '\\u000b',
    '\\u001b',
    '\\u001f',
    '\\ud800',
    '\\udfff',
    '\\udc00\\ud800',
  ]
  for (const escaped of unfit) {
    for (const field of ['firstName', 'lastName', 'email', 'phone', 'businessName', 'address', 'notes']) {
      const others = field === 'firstName' ? '' : '"firstName":"A",'
      const answer = await write(shop, 'POST', '/customers', `{${others}"${field}":"a${escaped}b@c.example"}`)
      assert.deepEqual([answer.status, answer.body.error.split(' ')[0]], [400, field], `${field} with ${escaped}`)
    }
  }
  assert.deepEqual(await namesIn(shop), [])
  const fit = await write(shop, 'POST', '/customers', '{"firstName":"\\ud83d\\ude00","notes":"a\\n\\tb"}')
  assert.deepEqual([fit.body.data.firstName, fit.body.data.notes], ['😀', 'a\n\tb'])
})

const depth = 100_000
const deepList = '['.repeat(depth) + ']'.repeat(depth)
const deepObject = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

test('is not troubled by a hundred thousand brackets', async () => {
  const shop = await here.organisation()
  for (const deep of [deepList, deepObject]) {
    assert.equal((await write(shop, 'POST', '/customers', deep)).status, 400)
    assert.equal((await write(shop, 'POST', '/customers', '['.repeat(depth))).status, 400)
    assert.equal((await write(shop, 'POST', '/customers', `{"firstName":${deep}}`)).status, 400)
    assert.ok((await write(shop, 'POST', '/customers', `{"firstName":"A","unknown":${deep}}`)).status < 500)
  }
})

test('is not troubled by a hundred thousand brackets under an Idempotency-Key', async () => {
  const shop = await here.organisation()
  for (const [key, deep] of [deepList, deepObject].entries()) {
    const body = `{"firstName":"A","unknown":${deep}}`
    const answer = await write(shop, 'POST', '/customers', body, { 'idempotency-key': `deep-${key}` })
    assert.ok(answer.status < 500, `answered ${answer.status}`)
  }
})

test('refuses numbers that are too large, broken or of the wrong kind, and keeps the record as it was', async () => {
  const shop = await here.organisation()
  const before = (await ask(shop, 'GET', '')).body.data
  for (const number of [
    '1e400',
    '-1e400',
    '1e308',
    '9'.repeat(1_000),
    '366',
    '-1',
    '30.5',
    '"30"',
    'true',
    'null',
    '[30]',
  ]) {
    const answer = await write(shop, 'PUT', '', `{"quoteValidDays":${number}}`)
    assert.deepEqual([answer.status, answer.body.error.split(' ')[0]], [400, 'quoteValidDays'], number.slice(0, 20))
  }
  assert.deepEqual((await ask(shop, 'GET', '')).body.data, before)
  assert.equal((await write(shop, 'POST', '/customers', '{"firstName":1e400}')).status, 400)
})

test('turns no type into another', async () => {
  const shop = await here.organisation()
  const wrong = ['5', '0', 'true', 'false', '[]', '["A"]', '{}', '{"toString":"A"}', '1e400']
  for (const field of ['firstName', 'lastName', 'email', 'phone', 'businessName', 'address', 'notes']) {
    for (const value of wrong) {
      const others = field === 'firstName' ? '' : '"firstName":"A",'
      const answer = await write(shop, 'POST', '/customers', `{${others}"${field}":${value}}`)
      assert.deepEqual([answer.status, answer.body.error.split(' ')[0]], [400, field], `${field}: ${value}`)
    }
  }
  for (const nothing of ['null', '""', '"   "'])
    assert.equal((await write(shop, 'POST', '/customers', `{"firstName":${nothing}}`)).status, 400, nothing)
  assert.deepEqual(await namesIn(shop), [])
})

test('judges in one order: caller, scope, ids, type, size, JSON, fields, record', async () => {
  const { shop, path } = await shopWithCustomer()
  const stranger = await here.organisation()
  const limited = await here.client(shop.orgId, { scopes: ['customers:read'] })
  // Everything is wrong with the first request; each next one mends what the one before was refused for.
  const tooLarge = padded('{', oneMegabyte + 1)
  const plain = { headers: { 'content-type': 'text/plain' }, body: tooLarge }
  const put = (client: Client, target: string, sent: Sent) => ask({ ...client, orgId: shop.orgId }, 'PUT', target, sent)
  const steps: [Promise<RawResponse>, number, RegExp][] = [
    [put({ ...shop, key: 'nonsense' }, '/customers/a.b', plain), 401, /./],
    [put(stranger, '/customers/a.b', plain), 403, /another organisation/],
    [put(limited, '/customers/a.b', plain), 403, /customers:write/],
    [put(shop, '/customers/a.b', plain), 400, /^customerId must be an id/],
    [put(shop, '/customers/missing', plain), 415, /Content-Type/],
    [put(shop, '/customers/missing', { ...plain, headers: json }), 413, /1 MB/],
    [put(shop, '/customers/missing', { body: '{', headers: json }), 400, /not valid JSON/],
    [put(shop, '/customers/missing', { body: '{"phone":5}', headers: json }), 400, /^phone/],
    [put(shop, '/customers/missing', { body: '{"phone":"5"}', headers: json }), 404, /^Customer not found$/],
    [put(shop, path, { body: '{"phone":"5"}', headers: json }), 200, /^$/],
  ]
  for (const [answer, status, error] of steps) {
    const { status: given, body } = await answer
    assert.equal(given, status)
    assert.match(body.error ?? '', error)
  }
})

test('refuses a stranger before reading what they send', async () => {
  const shop = await here.organisation()
  const headers = { ...json, 'content-length': '500', 'x-api-key': 'sk_live_wrong' }
  assert.equal((await send('POST', `${addressOf(shop)}/customers`, { headers, endless: true })).status, 401)
  const limited = await here.client(shop.orgId, { scopes: ['read'] })
  const half = { headers: { ...json, 'content-length': '500' }, body: '{', endless: true }
  assert.equal((await ask(limited, 'POST', '/customers', half)).status, 403)
})
