// The commands for apps, grants and earlier tokens, as an operator uses them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertEventually, commandLine, settingsFor } from '../../test/command-line.ts'
import { appFrom, discoverServer, obtainTokens, readWithToken, refresh } from '../../test/oauth-app.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { person } from '../../test/visitor.ts'

const port = await freePort()
const here = await startTestService({ PORT: port })
const jobwright = commandLine({ ...settingsFor(here), PORT: port })
const redirect = 'https://app.example/callback'

test('registers an app that works, gives it a new secret, and removes it with all it was allowed', async () => {
  const { orgId } = await here.organisation()
  const admin = await person(here, orgId)
  const made = await jobwright(
    'client',
    'create',
    '--org',
    orgId,
    '--name',
    'Ledger',
    '--redirect-uri',
    redirect,
    '--json',
  )
  const { clientId, clientSecret } = made.json
  const app = appFrom(await discoverServer(here), { client_id: clientId, client_secret: clientSecret })
  const issued = await obtainTokens(here, app, admin)
  assert.equal((await readWithToken(here, orgId, issued.access_token)).status, 200)

  const rotated = (await jobwright('client', 'rotate', orgId, clientId, '--json')).json
  assert.notEqual(rotated.clientSecret, clientSecret)
  assert.equal((await refresh(here, app, issued.refresh_token)).body.error, 'invalid_client')
  const renewed = appFrom(app.server, { client_id: clientId, client_secret: rotated.clientSecret })
  assert.equal((await refresh(here, renewed, issued.refresh_token)).status, 200)

  const list = await jobwright('client', 'list', '--org', orgId)
  assert.match(list.stdout, /Ledger/)
  assert.doesNotMatch(list.stdout, new RegExp(`${clientSecret}|${rotated.clientSecret}`))
  assert.equal((await jobwright('client', 'remove', orgId, clientId)).code, 0)
  await assertEventually(401, async () => (await readWithToken(here, orgId, issued.access_token)).status)
  assert.match((await jobwright('client', 'list', '--org', orgId)).stdout, /no apps yet/)
})

test('registers up to ten apps for an organisation, by the rules for redirect addresses', async () => {
  const { orgId } = await here.organisation()
  const create = (...uris: string[]) =>
    jobwright('client', 'create', '--org', orgId, '--name', 'App', ...uris.flatMap((uri) => ['--redirect-uri', uri]))
  for (const wrong of ['http://app.example/', 'javascript:alert(1)', 'nonsense']) {
    const refused = await create(redirect, wrong)
    assert.equal(refused.code, 1, wrong)
    assert.match(refused.stderr, /^Redirect addresses/)
  }
  assert.equal((await create()).code, 1)
  for (let index = 0; index < 10; index++) assert.equal((await create(redirect, 'http://127.0.0.1/cb')).code, 0)
  assert.match((await create(redirect)).stderr, /can have 10 apps/)
})

test('lists what apps were allowed, and ends it at once, in the organisation named and in no other', async () => {
  const { orgId } = await here.organisation()
  const other = await here.organisation()
  const admin = await person(here, orgId)
  const imported = await jobwright(
    'token',
    'import',
    '--org',
    orgId,
    '--member',
    admin.memberId,
    '--client',
    'Old app',
    '--scopes',
    'write',
    '--json',
  )
  const { accessToken } = imported.json
  assert.equal((await readWithToken(here, orgId, accessToken)).status, 200)
  const { grants } = (await jobwright('grant', 'list', '--org', orgId, '--json')).json
  assert.deepEqual(
    grants.map((grant: Record<string, unknown>) => [grant.clientName, grant.email, grant.scopeVersion, grant.status]),
    [['Old app', admin.email, 1, 'active']],
  )
  assert.equal((await jobwright('grant', 'revoke', '--org', other.orgId, grants[0].id)).code, 1)
  assert.equal((await readWithToken(here, orgId, accessToken)).status, 200)
  assert.equal((await jobwright('grant', 'revoke', '--org', orgId, grants[0].id, '--json')).json.status, 'revoked')
  await assertEventually(401, async () => (await readWithToken(here, orgId, accessToken)).status)
  assert.match((await jobwright('grant', 'list', '--org', orgId)).stdout, /revoked/)
})

test('carries tokens over as they were: unbound, version 1, for an active admin, for a while', async () => {
  const { orgId } = await here.organisation()
  const admin = await person(here, orgId)
  const technician = await person(here, orgId, 'technician')
  const bring = (...words: string[]) =>
    jobwright('token', 'import', '--org', orgId, '--client', 'Old app', '--member', admin.memberId, ...words, '--json')
  const erase = (token: string) =>
    here.request('DELETE', `/api/v1/organisations/${orgId}/customers/cus_none`, {
      headers: { authorization: `Bearer ${token}` },
    })
  assert.equal((await erase((await bring('--scopes', 'customers:write')).json.accessToken)).status, 404)
  const second = await bring('--scopes', 'customers:write', '--scope-version', '2', '--audience', 'mcp')
  assert.equal((await erase(second.json.accessToken)).status, 403)
  for (const [words, message] of [
    [['--scopes', 'nonsense'], /no scope nonsense/],
    [['--expires', 'never'], /--expires must name an end/],
    [['--audience', 'elsewhere'], /--audience must be one of/],
  ] as const) {
    const refused = await bring(...words)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, message)
  }
  const wrong = await jobwright('token', 'import', '--org', orgId, '--client', 'X', '--member', technician.memberId)
  assert.match(wrong.stderr, /no active admin/)
})
