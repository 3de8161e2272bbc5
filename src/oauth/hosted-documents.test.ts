// Client metadata documents that apps host about themselves: which are accepted, and how often they are fetched.
import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { describe, test } from 'node:test'
import { noOpenssl, startFakeHost } from '../../test/fake-host.ts'
import {
  appFrom,
  authorize,
  discoverServer,
  highLimits,
  obtainTokens,
  readWithToken,
  startAuthorization,
} from '../../test/oauth-app.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { person, Visitor } from '../../test/visitor.ts'

describe('client metadata documents', { skip: noOpenssl }, async () => {
  const redirect = 'https://app.example/callback'
  let document: unknown
  let respond: RequestListener | undefined
  const host = await startFakeHost(['app.example', 'blocked.example', 'sub.blocked.example'], (request, response) => {
    if (respond) return respond(request, response)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  })
  const here = await startTestService(
    { PORT: await freePort(), CLIENT_METADATA_BLOCKED_HOSTS: 'blocked.example', ...highLimits },
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

  test('leads back to whatever port an app on a device listens on', async () => {
    const admin = await person(here, (await here.organisation()).orgId)
    const id = hostDocument({ redirect_uris: ['http://127.0.0.1/callback', redirect] })
    const app = { ...(await appWith(id)), redirect: 'http://127.0.0.1:51004/callback' }
    assert.match((await obtainTokens(here, app, admin)).access_token, /./)
    const refused = await openConsent(id, { redirect_uri: 'https://app.example:8443/callback' })
    assert.equal(refused.status, 400, 'on this device only')
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
