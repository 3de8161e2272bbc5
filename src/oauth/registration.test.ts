// Who may register and how, what is published, and the rate limits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { highLimits, postForm, register, startAuthorization } from '../../test/oauth-app.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService, type TestService } from '../../test/test-service.ts'
import { Visitor } from '../../test/visitor.ts'
import { sql, Unavailable } from '../db/database.ts'
import { scopeCatalogue } from '../resources/index.ts'

const here = await startTestService({ PORT: await freePort(), ...highLimits })
const { authUrl, restOrigin } = here.config

const validRegistration = { client_name: 'Bench Helper', redirect_uris: ['https://app.example/callback'] }
const registerWith = (body: unknown, there: TestService = here, headers: Record<string, string> = {}) =>
  there.request('POST', '/register', { body, headers })

test('publishes what a client needs to know of the authorization server', async () => {
  const { status, body, headers } = await here.request('GET', '/.well-known/oauth-authorization-server')
  assert.equal(status, 200)
  assert.equal(headers.get('access-control-allow-origin'), '*')
  assert.deepEqual(
    [
      body.issuer,
      body.authorization_endpoint,
      body.token_endpoint,
      body.registration_endpoint,
      body.revocation_endpoint,
    ],
    [authUrl, `${authUrl}/authorize`, `${authUrl}/token`, `${authUrl}/register`, `${authUrl}/revoke`],
  )
  assert.deepEqual(body.code_challenge_methods_supported, ['S256'])
  assert.deepEqual(body.response_types_supported, ['code'])
  assert.deepEqual(body.grant_types_supported, ['authorization_code', 'refresh_token'])
  assert.equal(body.authorization_response_iss_parameter_supported, true)
  assert.equal(body.client_id_metadata_document_supported, true)
  assert.deepEqual(
    [...body.scopes_supported].sort(),
    [...scopeCatalogue.scopes, 'read', 'write', 'full', 'offline_access'].sort(),
  )
  for (const member of Object.keys(body)) assert.doesNotMatch(member, /introspection|jwks|userinfo|id_token|claims/)
})

test('publishes what its tokens open, at all three addresses', async () => {
  for (const [path, resource] of [
    ['', restOrigin],
    ['/api/v1', `${restOrigin}/api/v1`],
    ['/mcp', `${authUrl}/mcp`],
  ]) {
    const { status, body, headers } = await here.request('GET', `/.well-known/oauth-protected-resource${path}`)
    assert.deepEqual([status, body.resource, body.authorization_servers], [200, resource, [authUrl]])
    assert.equal(headers.get('access-control-allow-origin'), '*')
  }
})

test('is not moved by what a request says of host and scheme', async () => {
  const lies: Record<string, string> = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'gopher',
    'x-forwarded-port': '666',
    forwarded: 'host=evil.example;proto=https',
  }
  for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource/mcp']) {
    const { body } = await here.request('GET', path, { headers: lies })
    assert.ok(!JSON.stringify(body).includes('evil'), path)
  }
  const app = await register(here)
  const { address } = await startAuthorization(app)
  const { port } = new URL(here.origin)
  // fetch does not let a caller choose the Host, so the request is written by hand.
  const { request } = await import('node:http')
  const answer = await new Promise<{ status?: number | undefined; headers: Record<string, unknown> }>(
    (resolve, reject) =>
      request(
        {
          host: '127.0.0.1',
          port,
          path: address.pathname + address.search,
          headers: { ...lies, host: 'evil.example' },
        },
        (response) => resolve({ status: response.statusCode, headers: response.headers }),
      )
        .on('error', reject)
        .end(),
  )
  assert.equal(answer.status, 303)
  assert.ok(!JSON.stringify(answer.headers).includes('evil'), JSON.stringify(answer.headers))
  assert.match(String(answer.headers.location), /^(http:\/\/127|\/approve\/)/)
})

test('registers an app, which expires after 365 days', async () => {
  const open = await registerWith({
    ...validRegistration,
    token_endpoint_auth_method: 'none',
    client_uri: 'https://app.example',
  })
  assert.equal(open.status, 201)
  assert.equal(open.body.client_secret, undefined)
  assert.deepEqual([open.body.client_name, open.body.token_endpoint_auth_method], ['Bench Helper', 'none'])
  assert.equal(open.body.registration_access_token, undefined)
  const secret = await registerWith(validRegistration)
  assert.equal(secret.body.token_endpoint_auth_method, 'client_secret_basic')
  assert.equal(secret.body.client_secret_expires_at - secret.body.client_id_issued_at, 365 * 86_400)
  const { address } = await startAuthorization({
    server: { issuer: authUrl, authorization_endpoint: `${authUrl}/authorize` },
    client: { client_id: open.body.client_id },
    authentication: () => {},
    redirect: validRegistration.redirect_uris[0]!,
  })
  assert.match((await new Visitor(authUrl).open(address.href)).url, /sign-in/)
  await here.database.query(sql`update oauth_clients set expires_at = now() where id = ${open.body.client_id}`)
  assert.equal((await new Visitor(authUrl).open(address.href)).status, 400)
})

test('takes redirect addresses that are https, loopback or an app’s own scheme, and no others', async () => {
  const register = async (...uris: unknown[]) =>
    (await registerWith({ ...validRegistration, redirect_uris: uris })).status
  for (const good of [
    'https://app.example/callback?x=1',
    'http://localhost:8080/cb',
    'http://127.0.0.1/cb',
    'http://[::1]:3000/cb',
    'https://localhost/cb',
    'com.example.app:/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
  ])
    assert.equal(await register(good), 201, good)
  assert.equal(
    await register('com.example.app:/cb', 'https://localhost/cb', 'http://127.0.0.1/cb', 'https://app.example/cb'),
    201,
  )
  for (const bad of [
    'http://app.example/callback',
    'http://localhost.evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://2130706433.example',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    'blob:https://app.example/x',
    'about:blank',
    'mailto:a@b.example',
    'ftp://app.example/',
    'ws://app.example/',
    'urn:ietf:wg:oauth:2.0:oob',
    'https://app.example/#fragment',
    'https://user:password@app.example/',
    'https://app.example/a b',
    'java\tscript:alert(1)',
    '/relative',
    'app.example/callback',
    '',
    7,
    null,
    {},
  ])
    assert.equal(await register(bad), 400, String(bad))
  assert.equal(await register(), 400)
  assert.equal(await register(...Array.from({ length: 10 }, (_, index) => `https://app.example/${index}`)), 201)
  assert.equal(await register(...Array.from({ length: 11 }, (_, index) => `https://app.example/${index}`)), 400)
})

test('says what is wrong with a registration in OAuth’s own words', async () => {
  const cases: [unknown, string][] = [
    [{ ...validRegistration, redirect_uris: ['http://app.example'] }, 'invalid_redirect_uri'],
    [{ ...validRegistration, redirect_uris: 'https://app.example' }, 'invalid_redirect_uri'],
    [{ redirect_uris: validRegistration.redirect_uris }, 'invalid_client_metadata'],
    [{ ...validRegistration, client_name: '' }, 'invalid_client_metadata'],
    [{ ...validRegistration, client_name: 7 }, 'invalid_client_metadata'],
    [{ ...validRegistration, client_name: 'x'.repeat(201) }, 'invalid_client_metadata'],
    [{ ...validRegistration, client_uri: 'http://app.example' }, 'invalid_client_metadata'],
    [{ ...validRegistration, logo_uri: 'http://app.example/logo.png' }, 'invalid_client_metadata'],
    [{ ...validRegistration, logo_uri: 'data:image/png;base64,x' }, 'invalid_client_metadata'],
    [{ ...validRegistration, token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
    [{ ...validRegistration, grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    [[], 'invalid_client_metadata'],
    ['not json', 'invalid_request'],
  ]
  for (const [body, error] of cases) {
    const reply = await registerWith(body)
    assert.deepEqual([reply.status, reply.body.error], [400, error], JSON.stringify(body))
    assert.equal(typeof reply.body.error_description, 'string')
  }
  const { status } = await here.request('POST', '/register', {
    body: 'client_name=x',
    headers: { 'content-type': 'text/plain' },
  })
  assert.equal(status, 400)
})

test('keeps to itself what a registration may not decide', async () => {
  const more = {
    ...validRegistration,
    client_id: 'chosen',
    client_secret: 'chosen-secret-of-some-length-0123456789',
    source: 'registered',
    scope: 'full openid',
    application_type: 'native',
    id_token_signed_response_alg: 'none',
    jwks_uri: 'https://app.example/jwks',
    contacts: ['nonsense'],
  }
  const { status, body } = await registerWith(more)
  assert.equal(status, 201)
  assert.notEqual(body.client_id, 'chosen')
  assert.notEqual(body.client_secret, more.client_secret)
  const [stored] = await here.database.query<{ source: string; org_id: string | null }>(
    sql`select source, org_id from oauth_clients where id = ${body.client_id}`,
  )
  assert.deepEqual({ ...stored }, { source: 'dynamic', org_id: null })
})

test('refuses apps without a secret that return to the blocked search provider', async () => {
  for (const host of ['google.com', 'www.google.com', 'accounts.GOOGLE.com'])
    for (const [method, status] of [
      ['none', 400],
      ['client_secret_post', 201],
    ] as const) {
      const body = {
        ...validRegistration,
        redirect_uris: ['https://fine.example/', `https://${host}/cb`],
        token_endpoint_auth_method: method,
      }
      assert.equal((await registerWith(body)).status, status, `${host} ${method}`)
    }
  const body = { ...validRegistration, redirect_uris: ['https://notgoogle.com/cb'], token_endpoint_auth_method: 'none' }
  assert.equal((await registerWith(body)).status, 201)
})

test('answers 501 to whoever would read, change or delete a registration', async () => {
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const reply = await here.request(method, '/register/dyn_1')
    assert.equal(reply.status, 501, method)
    assert.equal(typeof reply.body.error, 'string')
  }
})

test('lets programs in browsers ask from anywhere', async () => {
  for (const path of ['/token', '/revoke', '/register', '/.well-known/oauth-authorization-server']) {
    const response = await fetch(here.origin + path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })
    assert.equal(response.status, 204, path)
    assert.equal(response.headers.get('access-control-allow-origin'), '*', path)
    assert.match(response.headers.get('access-control-allow-headers')!, /content-type/i)
  }
  const refused = await postForm(here, '/token', { grant_type: 'refresh_token' }, { origin: 'https://app.example' })
  assert.ok(['*', 'https://app.example'].includes(refused.headers.get('access-control-allow-origin') ?? ''))
})

test('limits each address, and says when to come back', async () => {
  const limits = { AUTHORIZE_PER_MINUTE: '3', TOKEN_PER_MINUTE: '4', REGISTER_PER_MINUTE: '3', REGISTER_PER_DAY: '5' }
  const there = await startTestService({ PORT: await freePort(), TRUST_PROXY: '127.0.0.0/8', ...limits })
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const statusesOf = async (
    count: number,
    ask: () => Promise<{ status: number; headers: Headers; body?: unknown }>,
  ) => {
    const replies = []
    for (let index = 0; index < count; index++) replies.push(await ask())
    for (const { status, headers, body } of replies.filter(({ status }) => status === 429)) {
      assert.equal(status, 429)
      assert.equal((body as { error: string }).error, 'temporarily_unavailable')
      assert.ok(Number(headers.get('retry-after')) >= 1)
    }
    return replies.map(({ status }) => (status === 429 ? 429 : 0))
  }
  const authorize = () => there.request('GET', '/authorize?client_id=nobody', { headers: from('10.0.0.1') })
  assert.deepEqual(await statusesOf(4, authorize), [0, 0, 0, 429])
  assert.deepEqual(await statusesOf(1, () => there.request('GET', '/authorize', { headers: from('10.0.0.2') })), [0])
  let turn = 0
  const token = () => postForm(there, turn++ % 2 === 0 ? '/token' : '/revoke', { token: 'x' }, from('10.0.0.1'))
  assert.deepEqual(await statusesOf(6, token), [0, 0, 0, 0, 429, 429])
  assert.deepEqual(await statusesOf(4, () => registerWith(validRegistration, there, from('10.0.0.3'))), [0, 0, 0, 429])
  assert.deepEqual(await statusesOf(2, () => registerWith(validRegistration, there, from('2001:db8::1'))), [0, 0])
  assert.deepEqual(
    await statusesOf(2, () => registerWith(validRegistration, there, from('2001:db8::2'))),
    [0, 429],
    'one /64 is one source',
  )
})

test('ends a day’s registrations even if no minute has too many', async () => {
  const there = await startTestService({ PORT: await freePort(), REGISTER_PER_MINUTE: '100', REGISTER_PER_DAY: '5' })
  const statuses = []
  for (let index = 0; index < 7; index++) statuses.push((await registerWith(validRegistration, there)).status)
  assert.deepEqual(statuses, [201, 201, 201, 201, 201, 429, 429])
})

test('answers 503 temporarily_unavailable while the database is away, and works again by itself', async () => {
  const there = await startTestService({ PORT: await freePort(), LOG_LEVEL: 'silent' })
  const app = await register(there)
  const { address } = await startAuthorization(app)
  const ask = async () => [
    await there.request('GET', address.pathname + address.search),
    await registerWith(validRegistration, there),
    await postForm(there, '/token', {
      grant_type: 'refresh_token',
      refresh_token: 'x'.repeat(43),
      client_id: app.client.client_id,
    }),
    await postForm(there, '/revoke', { token: 'x'.repeat(43) }),
  ]
  const away = async () => {
    throw new Unavailable(new Error('away'))
  }
  Object.assign(there.database, { query: away, write: away })
  for (const { status, body } of await ask()) assert.deepEqual([status, body.error], [503, 'temporarily_unavailable'])
  Reflect.deleteProperty(there.database, 'query')
  Reflect.deleteProperty(there.database, 'write')
  const [registered, refused, revoked] = await Promise.all([
    registerWith(validRegistration, there),
    postForm(there, '/token', {
      grant_type: 'refresh_token',
      refresh_token: 'x'.repeat(43),
      client_id: app.client.client_id,
    }),
    postForm(there, '/revoke', { token: 'x'.repeat(43) }),
  ])
  assert.deepEqual([registered.status, refused.status, revoked.status], [201, 400, 200])
})

test('works behind a proxy that ends TLS: addresses are the public ones, and its cookies travel encrypted only', async () => {
  const there = await startTestService({ AUTH_URL: 'https://auth.example', REST_ORIGIN: 'https://rest.example' })
  const { body: client } = await registerWith({ ...validRegistration, token_endpoint_auth_method: 'none' }, there)
  const query = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: validRegistration.redirect_uris[0]!,
    response_type: 'code',
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'S256',
  })
  const asked = await fetch(`${there.origin}/authorize?${query}`, { redirect: 'manual' })
  assert.equal(asked.status, 303)
  const cookies = asked.headers.getSetCookie()
  assert.ok(cookies.length >= 2)
  for (const cookie of cookies) assert.match(cookie, /; secure; httponly/i)
  const page = await fetch(there.origin + asked.headers.get('location'), {
    redirect: 'manual',
    headers: { cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; ') },
  })
  assert.equal(page.status, 303)
  assert.match(page.headers.get('location')!, /^\/sign-in\?next=%2Fapprove%2F/)
})
