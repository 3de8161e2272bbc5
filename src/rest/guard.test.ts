// Who is let in: every 401, 403 and 429 that stands before an operation, and how soon a change of a key takes effect.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Client, type Reply, startTestService, type TestService } from '../../test/test-service.ts'
import { createApp } from '../app.ts'
import { Database, sql } from '../db/database.ts'
import { newKey } from '../identity/key-format.ts'
import { pauseKey, resumeKey, revokeKey, rotateKey } from '../identity/keys.ts'
import { updateOrganisation } from '../identity/organisations.ts'

// Tests come from wherever X-Forwarded-For says.
const proxied = { TRUST_PROXY: '127.0.0.0/8' }
const here = await startTestService({ REST_ORIGIN: 'https://jobs.example', ...proxied })

const metadata = 'resource_metadata="https://jobs.example/.well-known/oauth-protected-resource/api/v1"'
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
const requestWith = (there: TestService, headers: Record<string, string>, orgId = 'org_any') =>
  there.request('GET', `/api/v1/organisations/${orgId}/customers`, { headers })

function assertRefused(reply: Reply, status: number, code?: string): void {
  assert.deepEqual([reply.status, reply.body.success, reply.body.code], [status, false, code], reply.body.error)
  assert.equal(typeof reply.body.error, 'string')
  assert.equal(reply.headers.has('retry-after'), status === 429)
}

/** The promise is a second; what is promised takes some milliseconds. */
async function withinASecond(isTrue: () => Promise<boolean>, what: string): Promise<void> {
  for (const end = performance.now() + 1_000; performance.now() < end; await delay(20)) if (await isTrue()) return
  assert.fail(`not within a second: ${what}`)
}

test('refuses with 401 and a challenge whoever has no credential, or none that works', async () => {
  const { orgId } = await here.organisation()
  const { key, keyId } = await here.client(orgId)
  const clientAfter = async (change: (id: string) => Promise<unknown>) => {
    const client = await here.client(orgId)
    await change(client.keyId)
    return { 'x-api-key': client.key }
  }
  const checksum = key.endsWith('A') ? 'B' : 'A'
  const cases: Record<string, Record<string, string>> = {
    missing: {},
    'a key in another header': { 'api-key': key },
    'an empty key': { 'x-api-key': '' },
    nonsense: { 'x-api-key': 'nonsense' },
    'only a prefix': { 'x-api-key': 'sk_live_' },
    'a key of another kind': { 'x-api-key': key.replace('sk_live_', 'sk_test_') },
    'a key with a wrong checksum': { 'x-api-key': key.slice(0, -1) + checksum },
    'a key cut short': { 'x-api-key': key.slice(0, -1) },
    'a key made longer': { 'x-api-key': `${key}0` },
    'a key twice': { 'x-api-key': `${key}, ${key}` },
    "a key's id": { 'x-api-key': keyId },
    'a key that nobody made': { 'x-api-key': newKey() },
    'a key of 10,000 characters': { 'x-api-key': `sk_live_${'a'.repeat(10_000)}` },
    'Basic instead of Bearer': { authorization: `Basic ${key}` },
    'Bearer without a token': { authorization: 'Bearer ' },
    'Bearer with two': { authorization: `Bearer ${key} ${key}` },
    'a token nobody issued': { authorization: 'Bearer 2YotnFZFEjr1zCsicMWpAA' },
    paused: await clientAfter((id) => pauseKey(here.database, orgId, id)),
    revoked: await clientAfter((id) => revokeKey(here.database, orgId, id)),
    rotated: await clientAfter((id) =>
      here.database.transaction('test', (transaction) => rotateKey(transaction, orgId, id)),
    ),
    expired: { 'x-api-key': (await here.client(orgId, { expiresAt: new Date(Date.now() - 60_000) })).key },
  }
  for (const [name, headers] of Object.entries(cases)) {
    const reply = await requestWith(here, headers, orgId)
    assert.equal(reply.status, 401, name)
    assertRefused(reply, 401)
    assert.equal(reply.headers.get('www-authenticate'), `Bearer error="invalid_token", ${metadata}`, name)
    for (const secret of Object.values(headers).filter((value) => value.length > 20))
      assert.ok(!JSON.stringify(reply.body).includes(secret), name)
  }
  assert.equal((await requestWith(here, { 'x-api-key': key }, orgId)).status, 200)
})

test('refuses a key in the address', async () => {
  const { orgId, key } = await here.organisation()
  for (const name of ['api_key', 'apiKey', 'x-api-key', 'key', 'access_token'])
    assert.equal((await here.request('GET', `/api/v1/organisations/${orgId}?${name}=${key}`)).status, 401, name)
})

test('challenges on addresses that do not exist as on those that do', async () => {
  for (const path of ['', '/organisations', '/organisations/x/nothing', '/organisations/x/customers/y', '/elsewhere']) {
    const reply = await here.request('GET', `/api/v1${path}`)
    assertRefused(reply, 401)
    assert.equal(reply.headers.get('www-authenticate'), `Bearer error="invalid_token", ${metadata}`, path)
  }
})

test('accepts an API key as X-API-Key and as a Bearer token', async () => {
  const { orgId, key } = await here.organisation()
  for (const headers of [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }, { authorization: `bearer ${key}` }])
    assert.equal((await requestWith(here, headers, orgId)).status, 200)
})

test('accepts the old and the new value of a rotated key while they overlap', async () => {
  const { orgId, key, keyId } = await here.organisation()
  const rotated = await here.database.transaction('test', (transaction) => rotateKey(transaction, orgId, keyId, 1))
  for (const value of [key, rotated.key])
    assert.equal((await requestWith(here, { 'x-api-key': value }, orgId)).status, 200)
})

test('ends a key and a trial on time, even if they were used a moment before', async () => {
  const { orgId } = await here.organisation()
  const brief = await here.client(orgId, { scopes: ['read'], expiresAt: new Date(Date.now() + 1_500) })
  const trial = await here.organisation({ entitlement: 'trial' })
  await here.database.query(
    sql`update organisations set trial_ends_at = now() + interval '1.5 seconds' where org_id = ${trial.orgId}`,
  )
  assert.deepEqual([(await brief.get('')).status, (await trial.get('')).status], [200, 200])
  await delay(2_000)
  assertRefused(await brief.get(''), 401)
  assertRefused(await trial.get(''), 403, 'subscription_required')
})

test('refuses a key on REST that was made for MCP alone', async () => {
  const { orgId } = await here.organisation()
  assertRefused(
    await (await here.client(orgId, { scopes: ['full'], uses: ['mcp'] })).get('/customers'),
    403,
    'use_not_allowed',
  )
  assert.equal((await (await here.client(orgId, { scopes: ['full'], uses: ['rest'] })).get('/customers')).status, 200)
})

test('lets a key with an allowlist in from there only, in IPv4 and IPv6', async () => {
  const { orgId } = await here.organisation()
  const allowlist = ['203.0.113.0/24', '198.51.100.7', '2001:db8:aa::/48', '2001:db8:bb::1']
  const client = await here.client(orgId, { scopes: ['full'], allowlist })
  const inside = [
    '203.0.113.0',
    '203.0.113.255',
    '198.51.100.7',
    '2001:db8:aa:1::5',
    '2001:0DB8:00AA::0',
    '2001:db8:bb::1',
  ]
  for (const address of [...inside, '::ffff:203.0.113.9', '::FFFF:198.51.100.7', '::ffff:cb00:7109'])
    assert.equal((await client.call('GET', '/customers', from(address))).status, 200, address)
  const outside = ['203.0.114.0', '198.51.100.8', '2001:db8:ab::1', '2001:db8:bb::2', '::1', '::203.0.113.9']
  for (const address of [...outside, '::ffff:203.0.114.1', 'fe80::1%eth0', '0.0.0.0'])
    assertRefused(await client.call('GET', '/customers', from(address)), 403, 'ip_not_allowed')
})

test('reads an IPv4 address written as IPv6 in an allowlist as that IPv4 address', async () => {
  const { orgId } = await here.organisation()
  const client = await here.client(orgId, { allowlist: ['::ffff:203.0.113.7', '::ffff:198.51.100.0/120'] })
  for (const address of ['203.0.113.7', '::ffff:203.0.113.7', '198.51.100.200'])
    assert.equal((await client.call('GET', '/customers', from(address))).status, 200, address)
  assertRefused(await client.call('GET', '/customers', from('203.0.113.8')), 403, 'ip_not_allowed')
})

test('refuses a credential of another organisation, whether that one exists or not', async () => {
  const [shop, stranger] = [await here.organisation(), await here.organisation()]
  const { body } = await shop.post('/customers', { firstName: 'Amara' })
  const paths = ['', '/customers', `/customers/${body.data.id}`, '/customers/missing', '/nothing']
  for (const path of paths) {
    const answers = await Promise.all(
      [shop.orgId, 'org_nobody', stranger.orgId.toUpperCase()].map((orgId) =>
        here.request('GET', `/api/v1/organisations/${orgId}${path}`, { headers: { 'x-api-key': stranger.key } }),
      ),
    )
    for (const answer of answers) assertRefused(answer, 403, 'organisation_mismatch')
    assert.equal(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1, path)
  }
})

test('asks for an active Pro subscription, and works with the same key within a second of the upgrade', async () => {
  for (const entitlement of ['basic', 'none'] as const) {
    const client = await here.organisation({ entitlement })
    for (const path of ['', '/customers', '/nothing']) {
      const reply = await client.get(path)
      assertRefused(reply, 403, 'subscription_required')
      assert.match(reply.body.error, /active Pro subscription/)
    }
    assertRefused(await client.post('/customers', { firstName: 'Amara' }), 403, 'subscription_required')
    await updateOrganisation(here.database, client.orgId, { entitlement: 'pro' })
    await withinASecond(async () => (await client.get('')).status === 200, 'in after the upgrade')
    await updateOrganisation(here.database, client.orgId, { entitlement })
    await withinASecond(async () => (await client.get('')).status === 403, 'out after the downgrade')
  }
  assert.equal((await (await here.organisation({ entitlement: 'trial' })).get('')).status, 200)
})

test('refuses an organisation whose trial has ended', async () => {
  const client = await here.organisation({ entitlement: 'trial' })
  await here.database.query(
    sql`update organisations set trial_ends_at = now() - interval '1 minute' where org_id = ${client.orgId}`,
  )
  const reply = await client.get('')
  assertRefused(reply, 403, 'subscription_required')
  assert.match(reply.body.error, /active Pro subscription/)
})

test('names the scope that is missing, in the body and in the challenge', async () => {
  const { orgId } = await here.organisation()
  const reader = await here.client(orgId, { scopes: ['read'] })
  for (const [method, path, scope] of [
    ['POST', '/customers', 'customers:write'],
    ['PUT', '/customers/missing', 'customers:write'],
    ['PATCH', '/customers/missing', 'customers:write'],
    ['DELETE', '/customers/missing', 'customers:delete'],
    ['POST', '/customers/missing/devices', 'devices:write'],
    ['PUT', '', 'organisation:write'],
  ] as const) {
    const reply = await reader.call(method, path)
    assertRefused(reply, 403, 'insufficient_scope')
    assert.deepEqual(reply.body.requiredScopes, [scope], `${method} ${path}`)
    const challenge = `Bearer error="insufficient_scope", scope="${scope}", ${metadata}`
    assert.equal(reply.headers.get('www-authenticate'), challenge)
  }
  const devices = await here.client(orgId, { scopes: ['devices:write'] })
  assert.deepEqual((await devices.get('/customers')).body.requiredScopes, ['customers:read'])
})

test('lets a key from before there were versions delete with write', async () => {
  const { orgId } = await here.organisation()
  const writer = await here.client(orgId, { scopes: ['customers:write'] })
  assertRefused(await writer.delete('/customers/missing'), 403, 'insufficient_scope')
  await here.database.query(sql`update api_keys set scope_version = default where id = ${writer.keyId}`)
  await withinASecond(async () => (await writer.delete('/customers/missing')).status === 404, 'version 1')
})

test('judges a credential in one order: use, address, organisation, plan, resource, scope', async () => {
  const [{ orgId }, other] = [await here.organisation({ entitlement: 'basic' }), await here.organisation()]
  const wrong = { scopes: ['devices:read'], uses: ['mcp'], allowlist: ['203.0.113.7'] }
  const call = async (key: Parameters<TestService['client']>[1], path = `${other.orgId}/widgets`) => {
    const client = await here.client(orgId, key)
    return here.request('GET', `/api/v1/organisations/${path}`, { headers: { 'x-api-key': client.key } })
  }
  assertRefused(await call(wrong), 403, 'use_not_allowed')
  assertRefused(await call({ ...wrong, uses: ['rest'] }), 403, 'ip_not_allowed')
  assert.match((await call({ scopes: ['devices:read'] })).body.error, /another organisation/)
  assert.match((await call({ scopes: ['devices:read'] }, `${orgId}/widgets`)).body.error, /Pro subscription/)
  await updateOrganisation(here.database, orgId, { entitlement: 'pro' })
  assertRefused(await call({ scopes: ['devices:read'] }, `${orgId}/widgets`), 403, 'unknown_resource')
  assertRefused(await call({ scopes: ['devices:read'] }, `${orgId}/customers`), 403, 'insufficient_scope')
})

const wary = await startTestService({ FAILED_AUTH_PER_MINUTE: '3', ...proxied })
const fail = (address: string) => requestWith(wary, { 'x-api-key': newKey(), 'x-forwarded-for': address })

test('answers 429 after too many failed authentications from one address, but lets valid keys in from there', async () => {
  const shop = await wary.organisation()
  const address = '192.0.2.1'
  const first = [await fail(address), await requestWith(wary, { 'x-forwarded-for': address }), await fail(address)]
  for (const reply of first) assertRefused(reply, 401)
  for (const reply of [await fail(address), await requestWith(wary, { 'x-forwarded-for': address })]) {
    assertRefused(reply, 429)
    const seconds = Number(reply.headers.get('retry-after'))
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `${seconds}`)
  }
  for (let n = 0; n < 5; n++) assert.equal((await shop.call('GET', '/customers', from(address))).status, 200)
  assertRefused(await fail('192.0.2.2'), 401)
})

test('counts failed authentications exactly, even all at once', async () => {
  const replies = await Promise.all(Array.from({ length: 20 }, () => fail('192.0.2.3')))
  assert.equal(replies.filter(({ status }) => status === 401).length, 3)
  assert.equal(replies.filter(({ status }) => status === 429).length, 17)
})

test('does not count a refusal of a valid key as a failed authentication', async () => {
  const { orgId } = await wary.organisation()
  const reader = await wary.client(orgId, { scopes: ['devices:read'] })
  for (let n = 0; n < 10; n++)
    assertRefused(await reader.call('GET', '/customers', from('192.0.2.4')), 403, 'insufficient_scope')
  assertRefused(await fail('192.0.2.4'), 401)
})

test('counts an IPv6 network of one household as one address, and IPv4 in IPv6 as IPv4', async () => {
  const household = ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:0DB8:0001:0002:0:0:0:9']
  for (const address of household) assertRefused(await fail(address), 401)
  assertRefused(await fail('2001:db8:1:2::abcd'), 429)
  assertRefused(await fail('2001:db8:1:3::1'), 401)
  assertRefused(await fail('2001:db8:2:2::1'), 401)
  for (const address of ['192.0.2.5', '::ffff:192.0.2.5', '::FFFF:192.0.2.5']) assertRefused(await fail(address), 401)
  assertRefused(await fail('192.0.2.5'), 429)
  assertRefused(await fail('::ffff:192.0.2.6'), 401)
})

test('does not let a caller choose the address that is blamed', async () => {
  for (let n = 0; n < 3; n++) assertRefused(await fail(`10.0.0.${n}, 192.0.2.7`), 401)
  assertRefused(await fail('10.0.0.9, 192.0.2.7'), 429)
  for (let n = 0; n < 3; n++) assertRefused(await fail(`nonsense ${n}`), 401)
  assertRefused(await fail('more nonsense'), 429)
})

const metered = await startTestService({ RATE_LIMIT_PER_MINUTE: '5', ...proxied })
const meter = ({ headers }: Reply) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN))

test('counts down the requests of a minute, then answers 429 until the time it names', async () => {
  const shop = await metered.organisation()
  for (const left of [4, 3, 2, 1, 0]) {
    const reply = await shop.get('/customers')
    const [limit, remaining, reset] = meter(reply)
    assert.deepEqual([reply.status, limit, remaining, reply.headers.has('retry-after')], [200, 5, left, false])
    const seconds = reset! - Date.now() / 1_000
    assert.ok(Number.isInteger(reset) && seconds > 0 && seconds <= 61, `${reset}`)
  }
  for (let n = 0; n < 3; n++) {
    const reply = await shop.post('/customers', { firstName: 'Too much' })
    assertRefused(reply, 429)
    const [limit, remaining, reset] = meter(reply)
    const wait = Number(reply.headers.get('retry-after'))
    assert.deepEqual([limit, remaining], [5, 0])
    assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= 60, `${wait}`)
    assert.ok(Math.abs(reset! - (Date.now() / 1_000 + wait)) <= 2, 'both headers name the same time')
  }
})

test('counts each key by itself', async () => {
  const shop = await metered.organisation()
  const second = await metered.client(shop.orgId)
  for (let n = 0; n < 6; n++) await shop.get('/customers')
  assert.deepEqual([(await shop.get('/customers')).status, (await second.get('/customers')).status], [429, 200])
  const { key } = await metered.database.transaction('test', (transaction) =>
    rotateKey(transaction, shop.orgId, shop.keyId),
  )
  assert.equal(
    (await requestWith(metered, { 'x-api-key': key }, shop.orgId)).status,
    429,
    'a new value is the same key',
  )
})

test('counts exactly when requests come all at once', async () => {
  const shop = await metered.organisation()
  const replies = await Promise.all(Array.from({ length: 20 }, () => shop.get('/customers')))
  const served = replies.filter(({ status }) => status === 200)
  assert.deepEqual(served.map((reply) => meter(reply)[1]).sort(), [0, 1, 2, 3, 4])
  assert.equal(replies.filter(({ status }) => status === 429).length, 15)
})

test('counts requests it refuses like those it serves', async () => {
  const shop = await metered.organisation()
  const elsewhere = { headers: { 'x-api-key': shop.key } }
  const replies = [
    await shop.get('/customers/missing'),
    await shop.get('/nothing'),
    await shop.post('/customers', {}),
    await shop.call('POST', '/customers', { headers: { 'content-type': 'text/plain' } }),
    await metered.request('GET', '/api/v1/organisations/org_other', elsewhere),
    await shop.get('/customers'),
  ]
  assert.deepEqual(
    replies.map(({ status }) => status),
    [404, 403, 400, 415, 403, 429],
  )
  assert.deepEqual(
    replies.map((reply) => meter(reply)[1]),
    [4, 3, 2, 1, 0, 0],
  )
})

test('shows the meter on every answer, whoever asks for whatever', async () => {
  const basic = await metered.organisation({ entitlement: 'basic' })
  const replies = [
    await basic.get('/customers'),
    await requestWith(metered, {}),
    await requestWith(metered, { 'x-api-key': newKey() }),
    await metered.request('GET', '/api/v1/nothing'),
    await metered.request('HEAD', '/api/v1/organisations/x'),
  ]
  for (const reply of replies) {
    assert.ok(meter(reply).every(Number.isInteger), `${reply.status}`)
    assert.equal(reply.headers.has('retry-after'), false)
  }
})

test('notes when a key was last used', async () => {
  const database = new Database(here.connection)
  const { app, prepare, close } = await createApp(here.config, database, { strict: true })
  await prepare()
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const { orgId, key, keyId } = await here.organisation()
  const unused = await here.client(orgId)
  await fetch(`${origin}/api/v1/organisations/${orgId}`, { headers: { 'x-api-key': key } })
  await close() // notes are gathered, and written at the latest now
  await database.close()
  const rows = await here.database.query<{ id: string; recently: boolean | null }>(
    sql`select id, last_used_at > now() - interval '1 minute' as recently from api_keys where org_id = ${orgId}`,
  )
  assert.deepEqual(
    new Map(rows.map(({ id, recently }) => [id, recently])),
    new Map([
      [keyId, true],
      [unused.keyId, null],
    ]),
  )
})

const second = await startTestService(proxied)
/** The same key at both instances, which both know it by now. */
async function atBoth(): Promise<{ client: Client; statuses(path?: string): Promise<number[]> }> {
  const client = await here.organisation()
  const statuses = (path = '/customers') =>
    Promise.all(
      [here, second].map(async ({ request }) => {
        const headers = { 'x-api-key': client.key }
        return (await request('GET', `/api/v1/organisations/${client.orgId}${path}`, { headers })).status
      }),
    )
  assert.deepEqual(await statuses(), [200, 200])
  return { client, statuses }
}

test('stops a key on every instance within a second of its being paused, and lets it go on when it is resumed', async () => {
  const { client, statuses } = await atBoth()
  await pauseKey(here.database, client.orgId, client.keyId)
  await withinASecond(async () => (await statuses()).every((status) => status === 401), 'paused')
  await resumeKey(here.database, client.orgId, client.keyId)
  await withinASecond(async () => (await statuses()).every((status) => status === 200), 'resumed')
})

test('stops a key on every instance within a second of its being revoked or rotated', async () => {
  for (const end of [
    ({ orgId, keyId }: Client) => revokeKey(here.database, orgId, keyId),
    ({ orgId, keyId }: Client) =>
      here.database.transaction('test', (transaction) => rotateKey(transaction, orgId, keyId)),
    ({ orgId, keyId }: Client) =>
      here.database.query(sql`delete from api_keys where org_id = ${orgId} and id = ${keyId}`),
  ]) {
    const { client, statuses } = await atBoth()
    await end(client)
    await withinASecond(async () => (await statuses()).every((status) => status === 401), 'ended')
  }
})

test('heeds a change of scopes, uses and allowlist on every instance within a second', async () => {
  for (const change of [
    sql`scopes = '{devices:read}'`,
    sql`allowed_uses = '{mcp}'`,
    sql`ip_allowlist = '{10.0.0.0/8}'`,
  ]) {
    const { client, statuses } = await atBoth()
    const { orgId, keyId } = client
    await here.database.query(sql`update api_keys set ${change} where org_id = ${orgId} and id = ${keyId}`)
    await withinASecond(async () => (await statuses()).every((status) => status === 403), change.text)
  }
})

test('heeds a change of plan on every instance within a second', async () => {
  const { client, statuses } = await atBoth()
  await updateOrganisation(here.database, client.orgId, { entitlement: 'basic' })
  await withinASecond(async () => (await statuses()).every((status) => status === 403), 'downgraded')
  await updateOrganisation(here.database, client.orgId, { entitlement: 'pro' })
  await withinASecond(async () => (await statuses()).every((status) => status === 200), 'upgraded')
})
