// Documents that apps host about themselves: what is accepted, and that fetching one reaches nothing but the public internet.
import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:http'
import { after, describe, test } from 'node:test'
import { noOpenssl, startFakeHost } from '../../test/fake-host.ts'
import {
  appFrom,
  authorize,
  discoverServer,
  obtainTokens,
  readWithToken,
  startAuthorization,
} from '../../test/oauth-app.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { person, Visitor } from '../../test/visitor.ts'
import { createSafeFetch, isPublicAddress, type Network } from './safe-fetch.ts'

describe('documents of strangers', { skip: noOpenssl }, async () => {
  const redirect = 'https://app.example/callback'
  let document: unknown
  let respond: RequestListener | undefined
  const host = await startFakeHost(['app.example', 'blocked.example', 'sub.blocked.example'], (request, response) => {
    if (respond) return respond(request, response)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  })
  const here = await startTestService(
    {
      PORT: await freePort(),
      CLIENT_METADATA_BLOCKED_HOSTS: 'blocked.example',
      AUTHORIZE_PER_MINUTE: '100000',
      TOKEN_PER_MINUTE: '100000',
    },
    { network: host.network },
  )
  const { authUrl } = here.config

  let names = 0
  /** Each has a name of its own, so that none is cached. */
  function hostDocument(more: Record<string, unknown> = {}, where = 'app.example') {
    const client_id = `https://${where}:${host.port}/clients/${names++}.json`
    document = { client_id, client_name: 'Hosted App', redirect_uris: [redirect], ...more }
    respond = undefined
    return client_id
  }
  const appWith = async (client_id: string) => appFrom(await discoverServer(here), { client_id }, redirect)
  const openConsent = async (client_id: string, parameters = {}) =>
    new Visitor(authUrl).open((await startAuthorization(await appWith(client_id), parameters)).address.href)

  test('takes an app by its document through the whole flow, and remembers it if asked to', async () => {
    const { orgId } = await here.organisation()
    const admin = await person(here, orgId)
    const app = await appWith(
      hostDocument({ token_endpoint_auth_method: 'none', grant_types: ['authorization_code'], scope: 'full openid' }),
    )
    const before = host.connections()
    const page = await authorize(here, app, admin, { consent: { decision: 'deny' } })
    assert.match(page.page.url, /access_denied/)
    const issued = await obtainTokens(here, app, admin, { consent: { remember: 'yes' } })
    assert.equal((await readWithToken(here, orgId, issued.access_token)).status, 200)
    const back = await issued.visitor.open((await startAuthorization(app)).address.href)
    assert.match(back.url, /code=/, 'straight back')
    assert.ok(host.connections() > before)
    const [stored] = await here.database.query<{ count: number }>({
      text: `select count(*)::int as count from oauth_clients where id like 'https:%'`,
      values: [],
    })
    assert.equal(stored!.count, 0, 'such apps are not stored')
  })

  test('shows on the consent page where an app is described', async () => {
    const { orgId } = await here.organisation()
    const admin = await person(here, orgId)
    const app = await appWith(hostDocument({ client_name: '<i>Trusted</i>' }))
    const { page } = await authorize(here, app, admin, { consent: { scope: [] } })
    assert.ok(page.text.includes(`app.example:${host.port}`))
    assert.ok(page.text.includes('&lt;i&gt;Trusted'))
    assert.ok(page.text.includes('name="remember"'))
  })

  test('refuses a document that breaks the rules of registration or names another app', async () => {
    for (const wrong of [
      { client_id: 'https://app.example/other.json' },
      { client_name: undefined },
      { redirect_uris: [] },
      { redirect_uris: [redirect, 'http://app.example/cb'] },
      { redirect_uris: [redirect, 'javascript:alert(1)'] },
      { redirect_uris: Array.from({ length: 11 }, (_, index) => `https://app.example/${index}`) },
      { token_endpoint_auth_method: 'client_secret_post' },
      { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } },
      { client_secret: 'x'.repeat(43) },
      { client_uri: 'http://app.example' },
      { logo_uri: 'http://app.example/logo.png' },
    ]) {
      const page = await openConsent(hostDocument(wrong))
      assert.equal(page.status, 400, JSON.stringify(wrong))
      assert.match(page.headers.get('content-type')!, /json/)
    }
    assert.equal((await openConsent(hostDocument(), { redirect_uri: 'https://evil.example/' })).status, 400)
  })

  test('fetches a document once a minute at most, however often its page is opened', async () => {
    const visitor = new Visitor(authUrl)
    const before = host.connections()
    const page = await visitor.open((await startAuthorization(await appWith(hostDocument()))).address.href)
    assert.match(page.text, /Hosted App/)
    for (let index = 0; index < 5; index++) assert.match((await visitor.open(page.url)).text, /Hosted App/)
    assert.equal(host.connections() - before, 1)
  })

  test('asks each time where nothing proves that an app on a device is the same one', async () => {
    const { orgId } = await here.organisation()
    const admin = await person(here, orgId)
    const local = 'http://127.0.0.1/callback'
    const app = { ...(await appWith(hostDocument({ redirect_uris: [local] }))), redirect: local }
    const { page } = await authorize(here, app, admin, { consent: { scope: [] } })
    assert.ok(!page.text.includes('name="remember"'))
    const issued = await obtainTokens(here, app, admin, { consent: { remember: 'yes' } })
    assert.match((await issued.visitor.open((await startAuthorization(app)).address.href)).url, /\/approve\//)
  })

  test('does not let a document say that it was registered by an admin', async () => {
    const id = hostDocument({ source: 'dynamic', reg_source: 'registered' })
    const { orgId } = await here.organisation()
    const { page } = await authorize(here, await appWith(id), await person(here, orgId), { consent: { scope: [] } })
    assert.ok(page.text.includes('It is described at'))
  })

  test('refuses documents that are not https, too large, redirected, broken or not there', async () => {
    const cases: Record<string, RequestListener> = {
      'a redirect': (_, response) =>
        response.writeHead(302, { location: `https://app.example:${host.port}/clients/real.json` }).end(),
      'a redirect inside': (_, response) => response.writeHead(301, { location: 'https://127.0.0.1/' }).end(),
      'not found': (_, response) => response.writeHead(404).end('{}'),
      'not JSON': (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
      'a list': (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('[]'),
      'too large': (_, response) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ ...(document as object), more: 'x'.repeat(11_000) })),
      'no end': (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const timer = setInterval(() => response.write('x'.repeat(4_096)), 5)
        response.on('close', () => clearInterval(timer))
      },
      'hung up': (request) => request.socket.destroy(),
    }
    for (const [name, listener] of Object.entries(cases)) {
      const id = hostDocument()
      respond = listener
      assert.equal((await openConsent(id)).status, 400, name)
    }
    const plain = hostDocument().replace('https:', 'http:')
    assert.equal((await openConsent(plain)).status, 400, 'http')
  })

  test('refuses documents of blocked hosts and their subdomains', async () => {
    for (const where of ['blocked.example', 'sub.blocked.example', 'blocked.example.', 'sub.blocked.example.'])
      assert.equal((await openConsent(hostDocument({}, where))).status, 400)
    assert.match((await openConsent(hostDocument())).url, /sign-in/)
  })
})

test('connects to public addresses only, by number or by name, and only to the ones it judged', async () => {
  let reached = 0
  const inside = createServer((_request, response) => {
    reached++
    response.end('{}')
  })
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve))
  after(() => void inside.close())
  const { port } = inside.address() as { port: number }

  const safeFetch = createSafeFetch() // the real one
  for (const literal of [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '[fc00::1]',
    '[fd12::1]',
    '[ff02::1]',
    '[2001:db8::1]',
    'localhost',
  ])
    await assert.rejects(safeFetch(`https://${literal}:${port}/`), /not public/, literal)
  await assert.rejects(safeFetch(`http://127.0.0.1:${port}/`), /https only/)

  // DNS rebinding: a name that is public at the first lookup, and internal at the second.
  const asked: string[] = []
  const rebinding: Network = {
    isPublic: (address) => address === '127.0.0.2', // where nobody listens
    async resolve(name) {
      asked.push(name)
      return [{ address: asked.length === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 }]
    },
  }
  await assert.rejects(createSafeFetch(rebinding)(`https://rebind.example:${port}/`), { code: 'ECONNREFUSED' })
  assert.deepEqual(asked, ['rebind.example'], 'the name is looked up once')
  await assert.rejects(createSafeFetch(rebinding)(`https://rebind.example:${port}/`), /not public/)
  const mixed: Network = {
    isPublic: isPublicAddress,
    resolve: async () => [
      { address: '198.41.0.4', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ],
  }
  await assert.rejects(createSafeFetch(mixed)('https://mixed.example/'), /not public/, 'one bad address spoils all')
  await assert.rejects(createSafeFetch({ ...mixed, resolve: async () => [] })('https://none.example/'), /not public/)
  assert.equal(reached, 0)
})

test('gives up on a name that nobody resolves when its time, or the caller’s, is over', async () => {
  const silent: Network = { isPublic: () => true, resolve: () => new Promise(() => {}) }
  const caller = new AbortController()
  const fetching = createSafeFetch(silent)('https://silent.example/', { signal: caller.signal })
  caller.abort(new Error('enough'))
  await assert.rejects(fetching, /enough/)
  const waiting = setTimeout(() => {}, 10_000) // the deadline alone does not keep a process alive
  await assert.rejects(createSafeFetch(silent)('https://silent.example/'), { name: 'TimeoutError' })
  clearTimeout(waiting)
})

test('knows public addresses from others', () => {
  for (const address of ['8.8.8.8', '1.1.1.1', '198.41.0.4', '2606:4700::1111', '2a00:1450:4001::200e'])
    assert.ok(isPublicAddress(address), address)
  for (const address of [
    '',
    'localhost',
    '1.2.3',
    'fe80::1%eth0',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '198.18.0.1',
  ])
    assert.ok(!isPublicAddress(address), address)
})
