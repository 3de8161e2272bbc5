// Hostile requests to the authorization server: ways around its checks, broken text, and floods.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type App,
  appFrom,
  authorize,
  discoverServer,
  highLimits,
  obtainTokens,
  postForm,
  refresh,
  register,
  startAuthorization,
} from '../../test/oauth-app.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { formsIn, type Person, person, signInOn, Visitor } from '../../test/visitor.ts'
import { isWithinHosts } from '../config/networks.ts'
import { sql } from '../db/database.ts'
import { cspSource } from '../http/layout.ts'
import { findClient, registerClient } from '../identity/clients.ts'
import { approve } from '../identity/grants.ts'
import { introspectionPath, introspectionProof } from '../identity/introspection.ts'
import { addMember, updateMember } from '../identity/members.ts'
import { isOwnedHost } from '../identity/redirect-uris.ts'
import { createVault } from '../identity/secrets.ts'
import { scopeCatalogue } from '../resources/index.ts'

const here = await startTestService({ PORT: await freePort(), ...highLimits })
const { authUrl } = here.config

async function shop() {
  const { orgId } = await here.organisation()
  return { orgId, admin: await person(here, orgId) }
}
const join = async (orgId: string, { email }: Person) => {
  const vault = await createVault(here.config)
  return here.database.transaction('test', (transaction) =>
    addMember(transaction, vault, orgId, { email, firstName: 'Ann', role: 'admin' }),
  )
}
const grantsOf = ({ client }: App) =>
  here.database.query<{ id: string; org_id: string }>(
    sql`select id, org_id from grants where client_id = ${client.client_id}`,
  )
const validRegistration = { client_name: 'Bench Helper', redirect_uris: ['https://app.example/callback'] }
const registerWith = (more: object) => here.request('POST', '/register', { body: { ...validRegistration, ...more } })

test('reaches the protocol under its own name only, with everything settled before', async () => {
  const app = await register(here)
  const { address } = await startAuthorization(app, {
    response_mode: 'form_post',
    scope: 'read offline_access nonsense',
  })
  for (const path of ['/authorize/', '/authorize/x', `/authorize/${'a'.repeat(44)}`, '/authorize/%00']) {
    const page = await fetch(authUrl + path + address.search, { redirect: 'manual' })
    assert.equal(page.status, 404, path)
  }
  const page = await new Visitor(authUrl).open(`/%61uthorize${address.search}`)
  assert.match(page.url, /\/sign-in/, 'the same address, written otherwise')
})

test('limits the way back to an app as it limits the way in', async () => {
  const there = await startTestService({ PORT: await freePort(), AUTHORIZE_PER_MINUTE: '3' })
  const statuses = []
  for (let index = 0; index < 4; index++) {
    statuses.push((await fetch(`${there.origin}/authorize/${'a'.repeat(43)}`, { redirect: 'manual' })).status)
  }
  assert.deepEqual(
    statuses.map((status) => status === 429),
    [false, false, false, true],
  )
})

test('limits how many pages of signing in an address may open', async () => {
  const there = await startTestService({ PORT: await freePort() })
  const statuses = await Promise.all(
    Array.from({ length: 241 }, async () => (await fetch(`${there.origin}/sign-in?next=/approve/x`)).status),
  )
  assert.deepEqual([statuses.filter((status) => status === 200).length, statuses.includes(429)], [240, true])
})

test('grants to the organisation that the page named, or to none', async () => {
  const { orgId, admin } = await shop()
  const second = await here.organisation({ name: 'Second' })
  const member = await join(second.orgId, admin)
  const app = await register(here)
  const visitor = new Visitor(authUrl)
  const page = await signInOn(visitor, here, await visitor.open((await startAuthorization(app)).address.href), admin)
  await updateMember(here.database, second.orgId, member.id, { isActive: false })
  const refused = await visitor.submit(page, '/approve/', { decision: 'allow', organisation: second.orgId })
  assert.equal(refused.status, 400, 'chosen before it went away')
  assert.match(refused.text, /Choose an organisation of yours/)
  assert.deepEqual(await grantsOf(app), [])
  const sent = formsIn(refused).find(({ action }) => action.startsWith('/approve/'))!.fields
  assert.deepEqual(
    sent.filter(([name]) => name === 'organisation'),
    [['organisation', orgId]],
    'also where there is one',
  )
  await visitor.submit(refused, '/approve/', { decision: 'allow' })
  assert.deepEqual(
    (await grantsOf(app)).map(({ org_id }) => org_id),
    [orgId],
  )
})

test('gives nothing to somebody whose role went while they decided, and keeps what was there', async () => {
  const { orgId, admin } = await shop()
  const app = await register(here)
  await obtainTokens(here, app, admin)
  const before = await grantsOf(app)
  const [{ id } = { id: '' }] = await here.database.query<{ id: string }>(
    sql`select id from people where email = ${admin.email}`,
  )
  await updateMember(here.database, orgId, admin.memberId, { role: 'technician' })
  const approval = { orgId, personId: id, clientId: app.client.client_id, clientName: 'Bench Helper' }
  const granted = await here.database.transaction('test', (transaction) =>
    approve(transaction, {
      ...approval,
      scopes: scopeCatalogue.bundles.read,
      refusedScopes: [],
      lifeSeconds: null,
      isRemembered: false,
    }),
  )
  assert.equal(granted, undefined)
  assert.deepEqual(await grantsOf(app), before)
})

test('answers 400 to text that no database takes, wherever it stands', async () => {
  const app = await register(here)
  for (const wrong of [{ state: 'a\0b' }, { client_id: 'a\0b' }, { scope: 'read\0' }, { 'na\0me': 'x' }]) {
    const { address } = await startAuthorization(app, wrong)
    const { status, body } = await here.request('GET', address.pathname + address.search)
    assert.deepEqual([status, body.error], [400, 'invalid_request'], JSON.stringify(wrong))
    for (const path of ['/token', '/revoke']) {
      const sent = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x', client_id: 'x', ...wrong }
      const answer = await postForm(here, path, sent as Record<string, string>)
      assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_request'], path + JSON.stringify(wrong))
    }
  }
  for (const id of ['a\0b', 'a\ud800', '', 'x'.repeat(101)])
    assert.equal(await findClient(here.database, id), undefined)
})

test('registers no app with broken or unseen text about itself', async () => {
  const long = `https://app.example/${'a'.repeat(2_000)}`
  for (const wrong of [
    { client_name: 'Bench\ud800' },
    { client_name: 'Bench\u202erepleH' },
    { client_name: 'Bench\u200b' },
    { client_name: 'Bench\0' },
    { client_uri: 'https://app.example/\0' },
    { client_uri: 'https://app.example/\ud800' },
    { client_uri: long },
    { logo_uri: long },
    { redirect_uris: ['https://app.example/\ud800'] },
  ]) {
    const body = JSON.stringify({ ...validRegistration, ...wrong })
    const { status } = await here.request('POST', '/register', { body })
    assert.equal(status, 400, body.slice(0, 200))
  }
})

test('takes no redirect address that a system or a policy would read otherwise', async () => {
  for (const uri of [
    'https:app.example/callback',
    'https:/app.example/callback',
    'http:localhost/callback',
    'ms-word:x',
    'ms-settings:x',
    'search-ms:query',
    'itms-services://x',
    'res://x',
    'mhtml:x',
    'livescript:x',
    'webcal://x',
    'c:/x',
    "https://a;script-src'x/callback",
    "https://a'b.example/",
    'https://a,b.example/',
  ]) {
    const { status, body } = await registerWith({ redirect_uris: [uri] })
    assert.deepEqual([status, body.error], [400, 'invalid_redirect_uri'], uri)
  }
  for (const uri of ['com.example.app:/callback', 'http://[::1]:8080/cb', 'HTTPS://App.example/cb'])
    assert.equal((await registerWith({ redirect_uris: [uri] })).status, 201, uri)
  assert.equal(cspSource("https://a;script-src'x/"), 'https:')
  assert.equal(cspSource('https://a.example:8443/x'), 'https://a.example:8443')
})

test('finds a listed host whatever its case, and with a dot at its end', () => {
  for (const host of ['bad.example', 'bad.example.', 'BAD.example', 'sub.bad.example.'])
    assert.ok(isWithinHosts(['bad.example'], host), host)
  for (const host of ['notbad.example', 'bad.example.org', '']) assert.ok(!isWithinHosts(['bad.example'], host), host)
})

test('says whose app a registered one is, and warns where that is a stranger', async () => {
  const { orgId, admin } = await shop()
  const other = await here.organisation({ name: 'Other & Sons' })
  const createClient = async (org: string) => {
    const { clientId, clientSecret } = await here.database.transaction('test', (transaction) =>
      registerClient(transaction, org, { name: 'Ledger', redirectUris: ['https://app.example/callback'] }),
    )
    return appFrom(await discoverServer(here), { client_id: clientId, client_secret: clientSecret })
  }
  const own = await authorize(here, await createClient(orgId), admin, { consent: { scope: [] } })
  assert.doesNotMatch(own.page.text, /nobody has checked/)
  const foreign = await authorize(here, await createClient(other.orgId), admin, { consent: { scope: [] } })
  assert.match(foreign.page.text, /Other &amp; Sons/)
  assert.match(foreign.page.text, /nobody has checked/)
})

test('lets an approval go on without a page only where the address proves the app', () => {
  for (const uri of ['https://app.example/cb', 'https://app.example:8443/cb']) assert.ok(isOwnedHost(uri), uri)
  for (const uri of ['https://localhost/cb', 'https://localhost./', 'http://127.0.0.1/cb', 'https://[::1]/', 'app:/cb'])
    assert.ok(!isOwnedHost(uri), uri)
})

test('refreshes everything that was allowed when no scope that means anything is named', async () => {
  const { admin } = await shop()
  const app = await register(here)
  let issued = await obtainTokens(here, app, admin, { consent: { scope: [scopeCatalogue.bundles.read[0]!] } })
  for (const scope of ['', 'offline_access', 'openid offline_access']) {
    const { status, body } = await refresh(here, app, issued.refresh_token, { scope })
    assert.deepEqual([status, body.scope], [200, scopeCatalogue.bundles.read[0]], JSON.stringify(body))
    issued = { ...issued, ...body }
  }
})

test('counts who guesses the proof of a process of ours, and looks up nothing that is no hash', async () => {
  const secret = 'introspection-secret-0123456789'
  const there = await startTestService({
    PORT: await freePort(),
    INTROSPECTION_SECRET: secret,
    FAILED_AUTH_PER_MINUTE: '2',
  })
  const ask = (proof: string, hash: string) =>
    there.request('POST', introspectionPath, { body: { hash }, headers: { authorization: `Bearer ${proof}` } })
  const statuses = []
  for (let index = 0; index < 3; index++) statuses.push((await ask('wrong', '')).status)
  assert.deepEqual(statuses, [401, 401, 429])
  for (const hash of [`${'_'.repeat(43)}=`, `${'-'.repeat(43)}=`, 'x', `${'A'.repeat(43)}=`]) {
    const { status, body } = await ask(introspectionProof(secret), hash)
    assert.deepEqual([status, body], [200, { token: null }], hash)
  }
})
