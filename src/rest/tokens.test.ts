// REST with access tokens: what they are bound to, how they are counted, how soon they end, and who is asked about them.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { obtainTokens, postForm, readWithToken, register } from '../../test/oauth-app.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService, type TestService } from '../../test/test-service.ts'
import { person } from '../../test/visitor.ts'
import { createApp } from '../app.ts'
import { readConfig } from '../config/config.ts'
import { Database, sql } from '../db/database.ts'
import { type ImportedToken, importToken, listGrants, revokeGrant } from '../identity/grants.ts'
import { introspectionProof } from '../identity/introspection.ts'
import { removeMember, updateMember } from '../identity/members.ts'
import { updateOrganisation } from '../identity/organisations.ts'
import { scopeCatalogue } from '../resources/index.ts'

const secret = 'a secret between two processes'
const here = await startTestService({ PORT: await freePort(), INTROSPECTION_SECRET: secret })

/** An organisation, its admin, and a token as an earlier system would have issued it. */
async function shop(wanted: Partial<ImportedToken> = {}) {
  const { orgId } = await here.organisation()
  const admin = await person(here, orgId)
  const make = (more: Partial<ImportedToken> = {}) =>
    here.database.transaction('test', (transaction) =>
      importToken(
        transaction,
        orgId,
        {
          memberId: admin.memberId,
          clientName: 'Old app',
          scopes: ['full'],
          scopeVersion: 1,
          audience: null,
          lifeSeconds: 3_600,
          ...wanted,
          ...more,
        },
        scopeCatalogue,
      ),
    )
  return { orgId, admin, make, ...(await make()) }
}

/** A process that serves REST alone and asks about tokens at some address. */
async function restProcess(settings: Record<string, string>): Promise<TestService> {
  const database = new Database(here.connection)
  const config = readConfig({
    PORT: '0',
    ROLE: 'rest',
    AUTH_URL: here.config.authUrl,
    REST_ORIGIN: here.config.restOrigin,
    INTROSPECTION_SECRET: secret,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    RATE_LIMIT_PER_MINUTE: '1000000',
    FAILED_AUTH_PER_MINUTE: '3',
    LOG_LEVEL: 'silent',
    ...settings,
  })
  const { app, prepare, close } = await createApp(config, database)
  await prepare()
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  after(async () => {
    await close()
    await database.close()
  })
  return { ...here, config, database, origin }
}

async function withinASecond(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 1_000; performance.now() < end; await delay(20)) if (await isTrue()) return
  assert.fail(`not within a second: ${what}`)
}

test('binds a token to its organisation', async () => {
  const { orgId, accessToken } = await shop()
  const other = await here.organisation()
  assert.equal((await readWithToken(here, orgId, accessToken)).status, 200)
  const refused = await readWithToken(here, other.orgId, accessToken)
  assert.equal(refused.status, 403)
  assert.match(refused.body.error, /another organisation/)
  assert.equal(refused.headers.get('x-ratelimit-limit'), '1000000')
})

test('takes tokens for every name of ours and unbound ones, and no token for somebody else', async () => {
  const { orgId, make } = await shop()
  const { authUrl, restOrigin } = here.config
  for (const audience of [null, `${authUrl}/mcp`, restOrigin, `${restOrigin}/api/v1`])
    assert.equal(
      (await readWithToken(here, orgId, (await make({ audience })).accessToken)).status,
      200,
      String(audience),
    )
  for (const audience of ['https://elsewhere.example/mcp', authUrl.replace('127', '128'), ''])
    assert.equal((await readWithToken(here, orgId, (await make({ audience })).accessToken)).status, 401, audience)
})

test('is a token only as Authorization: Bearer', async () => {
  const { orgId, accessToken } = await shop()
  const call = (headers: Record<string, string>) =>
    here.request('GET', `/api/v1/organisations/${orgId}/customers`, { headers })
  assert.equal((await call({ authorization: `bearer ${accessToken}` })).status, 200)
  for (const headers of [
    { 'x-api-key': accessToken },
    { authorization: `Basic ${accessToken}` },
    { authorization: `Bearer ${accessToken.slice(0, -1)}` },
    { authorization: `Bearer ${accessToken}x` },
  ] as Record<string, string>[]) {
    const reply = await call(headers)
    assert.equal(reply.status, 401)
    assert.match(
      reply.headers.get('www-authenticate')!,
      /^Bearer error="invalid_token", resource_metadata=".*\/api\/v1"$/,
    )
  }
})

test('lets version 1 delete with write, and version 2 not', async () => {
  const { orgId, make } = await shop({ scopes: ['customers:write'] })
  const erase = (token: string) =>
    here.request('DELETE', `/api/v1/organisations/${orgId}/customers/cus_none`, {
      headers: { authorization: `Bearer ${token}` },
    })
  assert.equal((await erase((await make({ scopeVersion: 1 })).accessToken)).status, 404)
  const refused = await erase((await make({ scopeVersion: 2 })).accessToken)
  assert.deepEqual([refused.status, refused.body.requiredScopes], [403, ['customers:delete']])
  assert.match(refused.headers.get('www-authenticate')!, /error="insufficient_scope", scope="customers:delete"/)
})

test('counts an app in an organisation, whoever approved it and however often', async () => {
  const there = await startTestService({ PORT: await freePort(), RATE_LIMIT_PER_MINUTE: '5' })
  const { orgId } = await there.organisation()
  const [one, two] = [await person(there, orgId), await person(there, orgId)]
  const app = await register(there)
  const first = await obtainTokens(there, app, one)
  const second = await obtainTokens(there, app, two)
  const third = await obtainTokens(there, await register(there), one)
  const remaining = []
  for (const { access_token } of [first, second, first, second, first]) {
    remaining.push((await readWithToken(there, orgId, access_token)).headers.get('x-ratelimit-remaining'))
  }
  assert.deepEqual(remaining, ['4', '3', '2', '1', '0'])
  const over = await readWithToken(there, orgId, second.access_token)
  assert.equal(over.status, 429)
  assert.ok(Number(over.headers.get('retry-after')) >= 1)
  const anew = await obtainTokens(there, app, one)
  assert.equal((await readWithToken(there, orgId, anew.access_token)).status, 429, 'a new approval is no new quota')
  assert.equal((await readWithToken(there, orgId, third.access_token)).status, 200, 'another app has its own')
})

test('ends a token on time, with its grant, with the plan', async () => {
  const { orgId, make, grantId } = await shop()
  const brief = await make({ lifeSeconds: 1.5 })
  assert.equal((await readWithToken(here, orgId, brief.accessToken)).status, 200)
  const { accessToken } = await make()
  assert.equal((await readWithToken(here, orgId, accessToken)).status, 200)
  await updateOrganisation(here.database, orgId, { entitlement: 'basic' })
  await withinASecond(
    'the plan is asked for',
    async () => (await readWithToken(here, orgId, accessToken)).status === 403,
  )
  await updateOrganisation(here.database, orgId, { entitlement: 'pro' })
  await withinASecond('and back', async () => (await readWithToken(here, orgId, accessToken)).status === 200)
  await delay(1_600)
  assert.equal((await readWithToken(here, orgId, brief.accessToken)).status, 401)
  assert.ok((await listGrants(here.database, orgId)).some(({ id }) => id === grantId))
})

test('stands with the admin who approved it: removed, deactivated or demoted is 403, and every grant of theirs is revoked', async () => {
  const changes: ((orgId: string, memberId: string) => Promise<unknown>)[] = [
    (orgId, id) => updateMember(here.database, orgId, id, { role: 'manager' }),
    (orgId, id) => updateMember(here.database, orgId, id, { isActive: false }),
    (orgId, id) => removeMember(here.database, orgId, id),
  ]
  for (const change of changes) {
    const { orgId } = await here.organisation()
    const [leaving, staying] = [await person(here, orgId), await person(here, orgId)]
    const app = await register(here)
    const [theirs, other] = [await obtainTokens(here, app, leaving), await obtainTokens(here, app, staying)]
    assert.equal((await readWithToken(here, orgId, theirs.access_token)).status, 200)
    await change(orgId, leaving.memberId)
    await withinASecond('403', async () => (await readWithToken(here, orgId, theirs.access_token)).status === 403)
    assert.match((await readWithToken(here, orgId, theirs.access_token)).body.error, /admin who approved/)
    const refused = await postForm(here, '/token', {
      grant_type: 'refresh_token',
      refresh_token: theirs.refresh_token,
      client_id: app.client.client_id,
    })
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant'])
    assert.equal((await readWithToken(here, orgId, other.access_token)).status, 200, 'a colleague’s stands')
    const grants = await listGrants(here.database, orgId)
    assert.deepEqual(
      grants.map(({ email, status }) => [email, status]).sort(),
      [
        [leaving.email, 'revoked'],
        [staying.email, 'active'],
      ].sort(),
    )
  }
  const { orgId, admin, accessToken } = await shop()
  await updateMember(here.database, orgId, admin.memberId, { role: 'technician' })
  await updateMember(here.database, orgId, admin.memberId, { role: 'admin' })
  await withinASecond('401', async () => (await readWithToken(here, orgId, accessToken)).status === 401)
})

test('a process that serves REST alone asks the authorization server, and hears of revocations within a second', async () => {
  const there = await restProcess({})
  const { orgId, accessToken, grantId } = await shop()
  for (const process of [here, there]) assert.equal((await readWithToken(process, orgId, accessToken)).status, 200)
  await here.database.transaction('test', (transaction) => revokeGrant(transaction, orgId, grantId))
  for (const process of [here, there])
    await withinASecond('401', async () => (await readWithToken(process, orgId, accessToken)).status === 401)
  for (const path of [
    '/authorize',
    '/token',
    '/sign-in',
    '/.well-known/oauth-authorization-server',
    '/internal/introspect',
  ])
    assert.equal((await fetch(there.origin + path)).status, 404, path)
  assert.equal((await fetch(`${there.origin}/.well-known/oauth-protected-resource`)).status, 200)
})

/** A REST process whose questions pass by here, one after the other. Its audience is another: tokens must be unbound. */
async function overheard(pass: (body: string) => Promise<void> = async () => {}) {
  let introspections = 0
  const between = createServer(async (request, response) => {
    introspections++
    const body = Buffer.concat(await Array.fromAsync(request)).toString()
    const answer = await fetch(here.origin + request.url, {
      method: 'POST',
      headers: { authorization: request.headers.authorization!, 'content-type': 'application/json' },
      body,
    })
    const text = await answer.text()
    await pass(body)
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve))
  after(() => void between.close())
  const { port } = between.address() as { port: number }
  const there = await restProcess({ AUTH_URL: `http://127.0.0.1:${port}` })
  const isRemembered = async (orgId: string, token: string) => {
    const before = introspections
    for (let index = 0; index < 3; index++) assert.equal((await readWithToken(there, orgId, token)).status, 200)
    return introspections === before
  }
  return { there, isRemembered }
}

test('opens nothing with a token that was issued while its grant was being revoked', async () => {
  const { orgId, grantId, make } = await shop()
  const { accessToken } = await make()
  await here.database.transaction('test', (transaction) => revokeGrant(transaction, orgId, grantId))
  assert.equal((await readWithToken(here, orgId, accessToken)).status, 200, 'of another grant')
  await here.database.query(sql`
    update oauth_tokens set grant_id = ${grantId}
    where org_id = ${orgId} and hash = ${createHash('sha256').update(accessToken).digest()}`)
  // Another process, which remembers nothing of the token.
  assert.equal((await readWithToken(await restProcess({}), orgId, accessToken)).status, 401)
})

test('remembers what a token stands for', async () => {
  const { orgId, accessToken } = await shop()
  const { isRemembered } = await overheard()
  await withinASecond('it listens', () => isRemembered(orgId, accessToken))
})

test('does not remember an answer that was given before a revocation and arrives after it', async () => {
  const { orgId, accessToken, grantId, make } = await shop()
  const { accessToken: another } = await make()
  const hash = createHash('sha256').update(accessToken).digest('base64')
  const [isAnswered, mayArrive] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { there, isRemembered } = await overheard(async (body) => {
    if (!body.includes(hash)) return
    isAnswered.resolve()
    await mayArrive.promise
  })
  await withinASecond('it listens', () => isRemembered(orgId, another))
  const late = readWithToken(there, orgId, accessToken)
  await isAnswered.promise
  await here.database.transaction('test', (transaction) => revokeGrant(transaction, orgId, grantId))
  await withinASecond('it is told', async () => !(await isRemembered(orgId, another)))
  mayArrive.resolve()
  await late
  assert.equal((await readWithToken(there, orgId, accessToken)).status, 401)
})

test('answers 503 when the authorization server is down, failing, refusing or frozen, and counts no failure', async () => {
  const { orgId, accessToken } = await shop()
  const { key } = await here.client(orgId)
  let status = 500
  const broken = createServer((_request, response) => {
    if (status !== 0) response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve))
  after(() => void broken.closeAllConnections())
  after(() => void broken.close())
  const { port } = broken.address() as { port: number }
  const failing = await restProcess({ AUTH_URL: `http://127.0.0.1:${port}` })
  const cases: [TestService, number][] = [
    [await restProcess({ AUTH_URL: `http://127.0.0.1:${await freePort()}` }), 0],
    [await restProcess({ INTROSPECTION_SECRET: 'not the secret at all' }), 0],
    [failing, 500],
    [failing, 503],
    [failing, 429],
    [failing, 302],
    [failing, 401],
    [failing, 200],
    [failing, 0],
  ]
  for (const [there, answer] of cases) {
    status = answer
    for (let index = 0; index < 5; index++) {
      const reply = await readWithToken(there, orgId, accessToken)
      assert.equal(reply.status, 503, `${answer}`)
      assert.equal(typeof reply.body.error, 'string')
      if (answer === 0) break // each waits for its time-out
    }
    const withKey = await fetch(`${there.origin}/api/v1/organisations/${orgId}`, { headers: { 'x-api-key': key } })
    assert.equal(withKey.status, 200, 'API keys go on')
  }
})

test('tells nobody about tokens who does not have the secret', async () => {
  const { accessToken } = await shop()
  const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(accessToken))).toString('base64')
  const ask = (authorization: string, body: unknown = { hash }) =>
    here.request('POST', '/internal/introspect', { body, headers: { authorization } })
  for (const wrong of ['', 'Bearer wrong', `Basic ${secret}`]) assert.equal((await ask(wrong)).status, 401)
  const known = await ask(`Bearer ${introspectionProof(secret)}`)
  assert.deepEqual([known.status, known.body.token.clientName], [200, 'Old app'])
  for (const nonsense of [{}, { hash: 7 }, { hash: 'x' }, { hash: accessToken }])
    assert.equal((await ask(`Bearer ${introspectionProof(secret)}`, nonsense)).body.token, null)
  const there = await startTestService({ PORT: await freePort() })
  assert.equal((await there.request('POST', '/internal/introspect', { body: { hash } })).status, 404)
})

test('judges settings of roles', () => {
  const settled = (settings: Record<string, string>) => () => readConfig({ ...settings })
  assert.throws(settled({ ROLE: 'rest' }), /INTROSPECTION_SECRET is required/)
  assert.throws(settled({ ROLE: 'everything' }), /ROLE must be one of rest, auth, worker/)
  assert.deepEqual(readConfig({ ROLE: 'auth,worker' }).role, ['auth', 'worker'])
  assert.deepEqual(readConfig({}).role, ['rest', 'auth', 'worker'])
})

test('writes down when a grant was last used', async () => {
  const there = await startTestService({ PORT: await freePort() })
  const { orgId, accessToken, grantId } = await shop()
  await readWithToken(there, orgId, accessToken)
  await there.restart()
  const [grant] = await here.database.query<{ used: boolean }>(
    sql`select last_used_at is not null as used from grants where id = ${grantId}`,
  )
  assert.ok(grant!.used)
})
