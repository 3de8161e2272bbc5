// The authorization server as apps meet it: the code flow, consent, refresh and revocation, with oauth4webapi.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type App,
  appFrom,
  authorize,
  discoverServer,
  highLimits,
  obtainCode,
  obtainTokens,
  postForm,
  readWithToken,
  redeem,
  refresh,
  register,
  startAuthorization,
} from '../../test/oauth-app.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { formsIn, type Person, person, signInOn, Visitor } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import { registerClient } from '../identity/clients.ts'
import { listGrants } from '../identity/grants.ts'
import { addMember, updateMember } from '../identity/members.ts'
import { createVault } from '../identity/secrets.ts'
import { scopeCatalogue } from '../resources/index.ts'

const here = await startTestService({ PORT: await freePort(), ...highLimits })
const { authUrl } = here.config

async function shop() {
  const { orgId } = await here.organisation()
  return { orgId, admin: await person(here, orgId) }
}

async function registerOwnApp(orgId: string): Promise<App> {
  const { clientId, clientSecret } = await here.database.transaction('test', (transaction) =>
    registerClient(transaction, orgId, { name: 'Ledger', redirectUris: ['https://app.example/callback'] }),
  )
  return appFrom(await discoverServer(here), { client_id: clientId, client_secret: clientSecret })
}

const errorOf = (url: string) => new URL(url).searchParams.get('error')
const scopeNames = (scope: string) => scope.split(' ').sort()

test('takes an app from registration to data, and on with a refreshed token', async () => {
  const { orgId, admin } = await shop()
  const app = await register(here)
  const first = await obtainTokens(here, app, admin)
  assert.equal(first.expires_in, 3600)
  assert.deepEqual(scopeNames(first.scope), [...scopeCatalogue.bundles.read].sort())
  assert.equal((await readWithToken(here, orgId, first.access_token)).status, 200)
  const log = await here.database.query<{ action: string; member_id: string }>(
    sql`select action, member_id from audit_log where org_id = ${orgId}`,
  )
  assert.deepEqual(log, [{ action: 'grant.approved', member_id: admin.memberId }], 'the approval is written down')
  const next = await refresh(here, app, first.refresh_token)
  assert.equal(next.status, 200, JSON.stringify(next.body))
  assert.notEqual(next.body.refresh_token, first.refresh_token)
  assert.notEqual(next.body.access_token, first.access_token)
  assert.equal((await readWithToken(here, orgId, next.body.access_token)).status, 200)
  assert.equal(next.headers.get('cache-control'), 'no-store')
  assert.deepEqual([first.organisation, next.body.organisation], [orgId, orgId], 'the app learns where its token works')
})

test('serves an app with a secret, and refuses it without one or with a wrong one', async () => {
  const { orgId, admin } = await shop()
  for (const app of [
    await registerOwnApp(orgId),
    await register(here, { token_endpoint_auth_method: 'client_secret_basic' }),
  ]) {
    const issued = await obtainTokens(here, app, admin)
    assert.equal((await readWithToken(here, orgId, issued.access_token)).status, 200)
    for (const secret of ['', 'wrong', 'x'.repeat(43)]) {
      const refused = await refresh(here, app, issued.refresh_token, { client_secret: secret })
      assert.deepEqual([refused.status, refused.body.error], [401, 'invalid_client'], secret)
    }
    assert.equal((await refresh(here, app, issued.refresh_token)).status, 200)
  }
})

test('asks everybody for PKCE with S256 and a challenge of 43 characters', async () => {
  const { orgId } = await shop()
  for (const app of [await register(here), await registerOwnApp(orgId)]) {
    for (const wrong of [
      { code_challenge: undefined, code_challenge_method: undefined },
      { code_challenge_method: 'plain' },
      { code_challenge_method: undefined },
      { code_challenge: 'short' },
      { code_challenge: 'a'.repeat(44) },
      { code_challenge: `${'a'.repeat(42)}=` },
    ]) {
      const page = await new Visitor(authUrl).open((await startAuthorization(app, wrong)).address.href)
      assert.ok(page.url.startsWith(app.redirect), page.text)
      assert.equal(errorOf(page.url), 'invalid_request', JSON.stringify(wrong))
      assert.equal(new URL(page.url).searchParams.get('iss'), authUrl)
    }
  }
})

test('refuses the implicit flow and other response types', async () => {
  const app = await register(here)
  for (const type of ['token', 'id_token', 'code token', 'none']) {
    const page = await new Visitor(authUrl).open((await startAuthorization(app, { response_type: type })).address.href)
    assert.ok(['unsupported_response_type', 'invalid_request'].includes(errorOf(page.url) ?? ''), `${type} ${page.url}`)
  }
})

test('answers JSON 400 and does not redirect when the app or its address is unknown', async () => {
  const app = await register(here)
  for (const wrong of [
    { client_id: 'nobody' },
    { client_id: undefined },
    { redirect_uri: 'https://evil.example/callback' },
    { redirect_uri: `${app.redirect}/` },
    { redirect_uri: `${app.redirect}?more=1` },
    { redirect_uri: undefined },
    { redirect_uri: 'javascript:alert(1)' },
    { client_id: 'nobody', resource: 'https://elsewhere.example' },
  ]) {
    const page = await new Visitor(authUrl).open((await startAuthorization(app, wrong)).address.href)
    assert.equal(page.status, 400, JSON.stringify(wrong))
    assert.match(page.headers.get('content-type')!, /application\/json/)
    assert.equal(typeof JSON.parse(page.text).error, 'string')
    assert.equal(page.headers.get('location'), null)
  }
})

test('binds every name of ours to the one audience, and refuses any other resource', async () => {
  const { orgId, admin } = await shop()
  const app = await register(here)
  const { restOrigin } = here.config
  for (const resource of [undefined, `${authUrl}/mcp`, restOrigin, `${restOrigin}/`, `${restOrigin}/api/v1`]) {
    const grant = await obtainCode(here, app, admin, { parameters: { resource } })
    const issued = await redeem(here, app, grant, resource ? { resource } : {})
    assert.equal(issued.status, 200, `${resource} ${JSON.stringify(issued.body)}`)
    const [{ audience } = { audience: '' }] = await here.database.query<{ audience: string }>(sql`
      select audience from oauth_tokens where hash = sha256(${Buffer.from(issued.body.access_token)})`)
    assert.equal(audience, `${authUrl}/mcp`)
    assert.equal((await readWithToken(here, orgId, issued.body.access_token)).status, 200)
  }
  for (const resource of ['https://elsewhere.example', `${authUrl}/mcp/`, `${authUrl}/mcp?x`, 'nonsense']) {
    const page = await new Visitor(authUrl).open((await startAuthorization(app, { resource })).address.href)
    assert.ok(page.url.startsWith(app.redirect), page.text)
    assert.equal(errorOf(page.url), 'invalid_target', resource)
    const grant = await obtainCode(here, app, admin)
    const refused = await redeem(here, app, grant, { resource })
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_target'], resource)
  }
})

test('understands bundles, pluses, offline_access and prompt=consent, and reads nothing as read', async () => {
  const { admin } = await shop()
  const app = await register(here)
  const cases: [string | undefined, readonly string[]][] = [
    [undefined, scopeCatalogue.bundles.read],
    ['write', scopeCatalogue.bundles.write],
    ['full', scopeCatalogue.scopes],
    ['customers:write+tickets:read', ['customers:write', 'tickets:read']],
    ['customers:delete offline_access', ['customers:delete']],
    ['offline_access', scopeCatalogue.bundles.read],
    ['customers:read unheard:of', ['customers:read']],
  ]
  for (const [scope, expected] of cases) {
    const issued = await obtainTokens(here, app, admin, { parameters: { scope, prompt: 'consent' }, consent: {} })
    assert.deepEqual(scopeNames(issued.scope), [...expected].sort(), scope)
  }
  const page = await new Visitor(authUrl).open((await startAuthorization(app, { scope: 'unheard:of' })).address.href)
  assert.equal(errorOf(page.url), 'invalid_scope')
})

test('grants fewer scopes than asked for and never more', async () => {
  const { orgId, admin } = await shop()
  const app = await register(here)
  const issued = await obtainTokens(here, app, admin, {
    parameters: { scope: 'customers:write devices:read' },
    consent: { scope: ['devices:read', 'tickets:delete'] },
  })
  assert.equal(issued.scope, 'devices:read')
  const grant = (await listGrants(here.database, orgId)).find(({ clientId }) => clientId === app.client.client_id)!
  assert.deepEqual(grant.scopes, ['devices:read'])
  const refused = await readWithToken(here, orgId, issued.access_token)
  assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope'])
  const wider = await refresh(here, app, issued.refresh_token, { scope: 'full' })
  assert.deepEqual([wider.status, wider.body.error], [400, 'invalid_scope'])
  const narrower = await refresh(here, app, issued.refresh_token, { scope: 'devices:read' })
  assert.equal(narrower.body.scope, 'devices:read')
  const nothing = await authorize(here, app, admin, { consent: { scope: [] } })
  assert.equal(nothing.page.status, 400)
  assert.match(nothing.page.text, /Tick at least one/)
})

test('lets the admin choose among their organisations, and among no others', async () => {
  const { orgId, admin } = await shop()
  const second = await here.organisation({ name: 'Second <b>Shop</b>' })
  const foreign = await here.organisation({ name: 'Foreign' })
  const basic = await here.organisation({ name: 'Basic', entitlement: 'basic' })
  const vault = await createVault(here.config)
  const join = (org: string, role: 'admin' | 'technician') =>
    here.database.transaction('test', (transaction) =>
      addMember(transaction, vault, org, { email: admin.email, firstName: 'Ann', role }),
    )
  await join(second.orgId, 'admin')
  await join(basic.orgId, 'admin')
  await join((await here.organisation({ name: 'As technician' })).orgId, 'technician')

  const app = await register(here)
  const visitor = new Visitor(authUrl)
  const page = await signInOn(visitor, here, await visitor.open((await startAuthorization(app)).address.href), admin)
  const offered = [...page.text.matchAll(/<option value="(org_[^"]+)"/g)].map(([, id]) => id)
  assert.deepEqual(offered.sort(), [orgId, second.orgId].sort())
  assert.ok(page.text.includes('Second &lt;b&gt;Shop'))
  for (const organisation of [foreign.orgId, basic.orgId, '']) {
    const refused = await visitor.submit(page, '/approve/', { decision: 'allow', organisation })
    assert.equal(refused.status, 400)
    assert.match(refused.text, /Choose an organisation/)
  }
  const issued = await obtainTokens(here, app, admin, { consent: { organisation: second.orgId } })
  assert.equal((await readWithToken(here, second.orgId, issued.access_token)).status, 200)
  const elsewhere = await readWithToken(here, orgId, issued.access_token)
  assert.equal(elsewhere.status, 403)
  assert.match(elsewhere.body.error, /another organisation/)
})

test('lets nobody approve who is no active admin on Pro or trial', async () => {
  const app = await register(here)
  const { orgId } = await shop()
  const basic = await here.organisation({ entitlement: 'basic' })
  const technician = await person(here, orgId, 'admin')
  await here.database.query(sql`update members set role = 'technician' where id = ${technician.memberId}`)
  for (const who of [technician, await person(here, basic.orgId)]) {
    const { page, visitor } = await authorize(here, app, who)
    assert.equal(page.status, 403)
    assert.match(page.text, /cannot approve/)
    const forced = await visitor.submit(page, '/approve/', {
      decision: 'allow',
      scope: ['customers:read'],
      organisation: orgId,
    })
    assert.equal(forced.status, 403)
    const denied = await visitor.submit(forced, '/approve/', { decision: 'deny' })
    assert.equal(errorOf(denied.url), 'access_denied')
  }
})

test('lets nobody decide who has shown a password alone', async () => {
  const { orgId } = await shop()
  // Whoever comes in as a technician has no second factor yet.
  const admin = await person(here, orgId, 'technician')
  await updateMember(here.database, orgId, admin.memberId, { role: 'admin' })
  const visitor = new Visitor(authUrl)
  const signInPage = await visitor.open((await startAuthorization(await register(here))).address.href)
  const half = await visitor.submit(signInPage, '/sign-in', { email: admin.email, password: admin.password })
  assert.match(half.url, /\/sign-in\/second-factor/)
  const consent = new URL(signInPage.url).searchParams.get('next')!
  assert.match((await visitor.open(consent)).url, /\/sign-in\/second-factor\?next=/)
  const sent = await visitor.submit(half, '/sign-in/second-factor', { totp: '000000' })
  assert.equal(sent.status, 401)
})

test('tells who may decide for nobody so, and asks them for no second factor', async () => {
  const { orgId } = await shop()
  const { email, password } = await person(here, orgId, 'technician')
  const visitor = new Visitor(authUrl)
  const signInPage = await visitor.open((await startAuthorization(await register(here))).address.href)
  const page = await visitor.submit(signInPage, '/sign-in', { email, password })
  assert.match(page.url, /\/approve\//)
  assert.doesNotMatch(page.text, /value="allow"/)
})

test('tells the app when the admin denies', async () => {
  const { admin } = await shop()
  const app = await register(here)
  const { page, state } = await authorize(here, app, admin, { consent: { decision: 'deny' } })
  const { searchParams } = new URL(page.url)
  assert.deepEqual(
    [searchParams.get('error'), searchParams.get('state'), searchParams.get('iss')],
    ['access_denied', state, authUrl],
  )
})

test('ends tokens with the life the admin chose', async () => {
  const { orgId, admin } = await shop()
  const app = await register(here)
  for (const [expiry, seconds] of [
    ['24h', 86_400],
    ['7d', 604_800],
    ['30d', 2_592_000],
    ['90d', 7_776_000],
  ] as const) {
    await obtainTokens(here, app, admin, { consent: { expiry } })
    const [grant] = await here.database.query<{ life: number }>(sql`
      select extract(epoch from expires_at - created_at)::float8 as life from grants where client_id = ${app.client.client_id}`)
    assert.ok(Math.abs(grant!.life - seconds) < 1, expiry)
  }
  const issued = await obtainTokens(here, app, admin, { consent: { expiry: '24h' } })
  const { body } = await refresh(here, app, issued.refresh_token)
  assert.equal(body.expires_in, 3600)
  await here.database.query(sql`
    update grants set expires_at = now() + interval '100 seconds' where client_id = ${app.client.client_id}`)
  const last = await refresh(here, app, body.refresh_token)
  assert.ok(last.body.expires_in <= 100, 'a token does not outlive its grant')
  await here.database.query(sql`update grants set expires_at = now() where client_id = ${app.client.client_id}`)
  const ended = await refresh(here, app, last.body.refresh_token)
  assert.deepEqual([ended.status, ended.body.error], [400, 'invalid_grant'])
  assert.equal((await readWithToken(here, orgId, last.body.access_token)).status, 401)
  const { page } = await authorize(here, app, admin, { consent: { expiry: '1000d' } })
  assert.equal(page.status, 400)
})

test('remembers an approval for a registered app, and never for one that registered itself', async () => {
  const { orgId, admin } = await shop()
  const app = await registerOwnApp(orgId)
  const scope = 'customers:read devices:read'
  const first = await obtainTokens(here, app, admin, {
    parameters: { scope },
    consent: { remember: 'yes', scope: ['customers:read'] },
  })
  const again = await startAuthorization(app, { scope })
  const back = await first.visitor.open(again.address.href)
  assert.ok(back.url.startsWith(app.redirect), 'straight back, without a page')
  const issued = await redeem(here, app, {
    code: new URL(back.url).searchParams.get('code')!,
    verifier: again.verifier,
  })
  assert.equal(issued.body.scope, 'customers:read')
  for (const more of [{ scope: `${scope} tickets:read` }, { scope, prompt: 'consent' }]) {
    const page = await first.visitor.open((await startAuthorization(app, more)).address.href)
    assert.match(page.url, /\/approve\//, 'more than was approved is asked about')
  }
  await here.database.query(sql`
    update grants set remembered_until = now() where client_id = ${app.client.client_id}`)
  assert.match((await first.visitor.open((await startAuthorization(app, { scope })).address.href)).url, /\/approve\//)

  const dynamic = await register(here)
  const page = await first.visitor.open((await startAuthorization(dynamic)).address.href)
  assert.ok(!page.text.includes('name="remember"'))
  await first.visitor.submit(page, '/approve/', { decision: 'allow', remember: 'yes' })
  assert.match((await first.visitor.open((await startAuthorization(dynamic)).address.href)).url, /\/approve\//)
})

test('asks again for the password where the app wants a fresh sign-in', async () => {
  const { admin } = await shop()
  const app = await register(here)
  const { visitor } = await obtainTokens(here, app, admin)
  await here.database.query(sql`
    update sessions set signed_in_at = now() - interval '1 minute'
    where person_id = (select id from people where email = ${admin.email})`)
  const page = await visitor.open((await startAuthorization(app, { prompt: 'login' })).address.href)
  assert.match(page.url, /\/sign-in/)
  const consent = await signInOn(visitor, here, page, admin)
  assert.match(consent.url, /\/approve\//)
  assert.match((await visitor.submit(consent, '/approve/', { decision: 'allow' })).url, /code=/)
})

test('replaces the earlier approval of the same app by the same person, and nobody else’s', async () => {
  const { orgId, admin } = await shop()
  const colleague = await person(here, orgId)
  const app = await register(here)
  const first = await obtainTokens(here, app, admin)
  const theirs = await obtainTokens(here, app, colleague)
  const second = await obtainTokens(here, app, admin)
  assert.equal((await readWithToken(here, orgId, first.access_token)).status, 401)
  assert.equal((await refresh(here, app, first.refresh_token)).body.error, 'invalid_grant')
  for (const live of [theirs, second]) assert.equal((await readWithToken(here, orgId, live.access_token)).status, 200)
})

test('redeems a code once: a replay revokes what it gave, a wrong verifier or address burns it', async () => {
  const { orgId, admin } = await shop()
  const app = await register(here)
  const once = await obtainCode(here, app, admin)
  const issued = await redeem(here, app, once)
  assert.equal(issued.status, 200)
  assert.equal((await redeem(here, app, once)).body.error, 'invalid_grant')
  assert.equal((await readWithToken(here, orgId, issued.body.access_token)).status, 401)
  assert.equal((await refresh(here, app, issued.body.refresh_token)).body.error, 'invalid_grant')

  for (const wrong of [{ code_verifier: 'x'.repeat(43) }, { redirect_uri: 'https://app.example/other' }] as Record<
    string,
    string
  >[]) {
    const burnt = await obtainCode(here, app, admin)
    assert.equal((await redeem(here, app, burnt, wrong)).body.error, 'invalid_grant')
    assert.equal((await redeem(here, app, burnt)).body.error, 'invalid_grant', 'the right one comes too late')
  }
  const other = await register(here)
  const stolen = await obtainCode(here, app, admin)
  assert.equal((await redeem(here, app, stolen, { client_id: other.client.client_id })).body.error, 'invalid_grant')
  const late = await obtainCode(here, app, admin)
  // Of this app: other files of tests use the same database at the same time.
  const ofApp = sql`grant_id in (select id from grants where client_id = ${app.client.client_id})`
  await here.database.query(sql`update oauth_tokens set expires_at = now() where kind = 'code' and ${ofApp}`)
  assert.equal((await redeem(here, app, late)).body.error, 'invalid_grant')
})

test('refuses a refresh token that was used: at once it lives on, later or an older one ends everything', async () => {
  const { orgId, admin } = await shop()
  const app = await register(here)
  const first = await obtainTokens(here, app, admin)
  const second = (await refresh(here, app, first.refresh_token)).body
  assert.equal((await refresh(here, app, first.refresh_token)).body.error, 'invalid_grant')
  assert.equal((await readWithToken(here, orgId, second.access_token)).status, 200, 'a parallel refresh ends nothing')
  const third = (await refresh(here, app, second.refresh_token)).body
  assert.equal((await refresh(here, app, first.refresh_token)).body.error, 'invalid_grant')
  assert.equal(
    (await readWithToken(here, orgId, third.access_token)).status,
    401,
    'an older generation ends everything',
  )
  assert.equal((await refresh(here, app, third.refresh_token)).body.error, 'invalid_grant')

  const anew = await obtainTokens(here, app, admin)
  const next = (await refresh(here, app, anew.refresh_token)).body
  await here.database.query(
    sql`update oauth_tokens set consumed_at = consumed_at - interval '11 seconds' where consumed_at is not null
      and grant_id in (select id from grants where client_id = ${app.client.client_id})`,
  )
  assert.equal((await refresh(here, app, anew.refresh_token)).body.error, 'invalid_grant')
  assert.equal((await readWithToken(here, orgId, next.access_token)).status, 401, 'a late reuse ends everything')
})

test('revokes by either token, in both forms, with and without credentials; anything else is still 200', async () => {
  const { orgId, admin } = await shop()
  const apps = [await register(here), await registerOwnApp(orgId)]
  const ways: ((app: App, token: string) => Promise<{ status: number }>)[] = [
    (_app, token) => postForm(here, '/revoke', { token }),
    (_app, token) => postForm(here, '/token', { token }),
    (app, token) =>
      postForm(here, '/revoke', { token, client_id: app.client.client_id, token_type_hint: 'refresh_token' }),
    (app, token) =>
      postForm(here, '/revoke', {
        token,
        client_id: app.client.client_id,
        ...(app.client.client_secret ? { client_secret: app.client.client_secret as string } : {}),
      }),
  ]
  for (const app of apps) {
    for (const way of ways) {
      for (const which of ['access_token', 'refresh_token'] as const) {
        const issued = await obtainTokens(here, app, admin)
        assert.equal((await readWithToken(here, orgId, issued.access_token)).status, 200)
        assert.equal((await way(app, issued[which])).status, 200)
        assert.equal((await way(app, issued[which])).status, 200, 'already revoked')
        assert.equal((await refresh(here, app, issued.refresh_token)).body.error, 'invalid_grant')
        for (
          let tries = 0;
          tries < 50 && (await readWithToken(here, orgId, issued.access_token)).status !== 401;
          tries++
        );
        assert.equal((await readWithToken(here, orgId, issued.access_token)).status, 401)
      }
    }
  }
  assert.equal((await postForm(here, '/revoke', { token: 'nonsense' })).status, 200)
  assert.equal((await postForm(here, '/revoke', { token: 'x'.repeat(43), token_type_hint: 'nonsense' })).status, 200)
  assert.equal((await postForm(here, '/revoke', {})).body.error, 'invalid_request')
  const issued = await obtainTokens(here, apps[1]!, admin)
  const wrong = await postForm(here, '/revoke', {
    token: issued.access_token,
    client_id: apps[1]!.client.client_id,
    client_secret: 'wrong',
  })
  assert.deepEqual([wrong.status, wrong.body.error], [401, 'invalid_client'])
  assert.equal((await readWithToken(here, orgId, issued.access_token)).status, 200)
})

test('shows the app’s own words on the consent page as text, and never loads its logo', async () => {
  const { admin } = await shop()
  const app = await register(here, {
    client_name: `<script>alert('x')</script>"`,
    logo_uri: 'https://app.example/logo.png',
  })
  const visitor = new Visitor(authUrl)
  const page = await signInOn(visitor, here, await visitor.open((await startAuthorization(app)).address.href), admin)
  assert.ok(!page.text.includes('<script'))
  assert.ok(!page.text.includes('logo.png'))
  assert.ok(page.text.includes('&lt;script&gt;alert'))
  assert.match(
    page.headers.get('content-security-policy')!,
    /default-src 'none'.*form-action 'self' https:\/\/app\.example; .*frame-ancestors 'none'/,
  )
  assert.equal(page.headers.get('cache-control'), 'no-store')
  const [signOut, consent] = formsIn(page)
  for (const form of [signOut, consent])
    assert.ok(form!.fields.some(([name, value]) => name === 'csrf' && value.length === 43))
})

test('believes a consent only from its own page, in its own browser, once', async () => {
  const { admin } = await shop()
  const app = await register(here)
  const visitor = new Visitor(authUrl)
  const page = await signInOn(visitor, here, await visitor.open((await startAuthorization(app)).address.href), admin)
  for (const csrf of ['', 'x'.repeat(43)]) {
    assert.equal((await visitor.submit(page, '/approve/', { decision: 'allow', csrf })).status, 403)
  }
  const foreign = await visitor.open(page.url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
    body: new URLSearchParams([...formsIn(page)[1]!.fields, ['decision', 'allow']]).toString(),
  })
  assert.equal(foreign.status, 403)
  assert.equal((await new Visitor(authUrl).open(page.url)).status, 400, 'another browser has no part in it')
  assert.match((await visitor.submit(page, '/approve/', { decision: 'allow' })).url, /code=/)
  assert.equal((await visitor.submit(page, '/approve/', { decision: 'allow' })).status, 400, 'answered already')
})

test('does not let one person finish what another began', async () => {
  const { orgId, admin } = await shop()
  const other: Person = await person(here, orgId)
  const app = await register(here)
  const visitor = new Visitor(authUrl)
  const page = await signInOn(visitor, here, await visitor.open((await startAuthorization(app)).address.href), admin)
  const signIn = await visitor.submit(page, '/sign-out')
  assert.match(signIn.url, /\/sign-in/)
  assert.equal(
    (await visitor.submit(page, '/approve/', { decision: 'allow' })).status,
    403,
    'its CSRF token belongs to the first session',
  )
  const consent = await signInOn(visitor, here, signIn, other)
  assert.ok(consent.text.includes(other.email))
})
