// Rotating a key over REST: who may, with what, and what becomes of the value before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../../test/test-service.ts'
import { type Person, person, resetTotp, totpCode } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import { importToken } from '../identity/grants.ts'
import { revokeKey } from '../identity/keys.ts'
import { updateMember } from '../identity/members.ts'
import { scopeCatalogue } from '../resources/index.ts'

const here = await startTestService()

const identify = (body: unknown) => here.request('POST', '/identity/token', { body })
async function identity({ email, password }: Person): Promise<string> {
  const { status, body } = await identify({ email, password })
  assert.deepEqual([status, body.expires_in], [200, 900])
  return body.identity_token
}
const rotate = (id: string, headers: Record<string, string>, body?: unknown) =>
  here.request('POST', `/api/v1/api-keys/${id}/rotate`, { body, headers })
async function shop() {
  const client = await here.organisation()
  const admin = await person(here, client.orgId)
  return { client, admin, token: await identity(admin) }
}
const identityHeaders = async (token: string, who: Person) => {
  await resetTotp(here, who)
  return { authorization: `Bearer ${token}`, 'x-totp-code': totpCode(who) }
}

test('an identity token is given by both servers, and refused in the form of OAuth', async () => {
  const { email, password } = await person(here, (await here.organisation()).orgId)
  for (const path of ['/identity/token', '/api/v1/identity/token']) {
    const ask = (body: unknown) => here.request('POST', path, { body })
    assert.deepEqual(
      [(await ask({ email, password })).status, (await ask({ email, password: 'no' })).status],
      [200, 401],
    )
    for (const wrong of ['{"email":', '[', '{}']) {
      const { status, body } = await ask(wrong)
      assert.deepEqual([status, body.error, typeof body.error_description], [400, 'invalid_request', 'string'], wrong)
    }
  }
})

test('gives a key a new value, shown once; the one before dies at once', async () => {
  const { client, admin, token } = await shop()
  const { status, body, headers } = await rotate(client.keyId, await identityHeaders(token, admin))
  assert.equal(status, 200)
  assert.equal(body.success, true)
  assert.equal(body.data.id, client.keyId)
  assert.match(body.data.key, /^sk_live_\w{46}$/)
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.ok(headers.has('x-ratelimit-remaining'))
  const use = (key: string) =>
    here.request('GET', `/api/v1/organisations/${client.orgId}`, { headers: { 'x-api-key': key } })
  assert.equal((await use(body.data.key)).status, 200)
  for (let tries = 0; tries < 50 && (await use(client.key)).status !== 401; tries++);
  assert.equal((await use(client.key)).status, 401)
  const log = await here.database.query(
    sql`select action, member_id, subject from audit_log where org_id = ${client.orgId}`,
  )
  assert.deepEqual(log, [{ action: 'key.rotated', member_id: admin.memberId, subject: client.keyId }])
})

test('keeps the one before for as long as is asked, up to 72 hours', async () => {
  const { client, admin, token } = await shop()
  const { status } = await rotate(client.keyId, await identityHeaders(token, admin), { overlapHours: 72 })
  assert.equal(status, 200)
  assert.equal((await client.get('')).status, 200)
  for (const overlapHours of [-1, 73, 1.5, '2', null, true]) {
    const refused = await rotate(client.keyId, await identityHeaders(token, admin), { overlapHours })
    assert.equal(refused.status, 400, String(overlapHours))
    assert.match(refused.body.error, /^overlapHours /)
  }
})

test('needs no body, and none but JSON', async () => {
  const { client, admin, token } = await shop()
  const bare = await fetch(`${here.origin}/api/v1/api-keys/${client.keyId}/rotate`, {
    method: 'POST',
    headers: await identityHeaders(token, admin),
  })
  assert.equal(bare.status, 200)
  const headers = { ...(await identityHeaders(token, admin)), 'content-type': 'text/plain' }
  assert.equal((await rotate(client.keyId, headers, 'overlapHours=1')).status, 415)
})

test('refuses with 403 without a code, with a wrong one, with a used one, and once they lock', async () => {
  const { client, admin, token } = await shop()
  const headers = await identityHeaders(token, admin)
  assert.equal((await rotate(client.keyId, { authorization: headers.authorization })).status, 403)
  assert.equal((await rotate(client.keyId, { ...headers, 'x-totp-code': '000000' })).status, 403)
  assert.equal((await rotate(client.keyId, headers)).status, 200)
  assert.equal((await rotate(client.keyId, headers)).status, 403, 'a second time')
  for (let index = 0; index < 5; index++) await rotate(client.keyId, { ...headers, 'x-totp-code': '111111' })
  const locked = await rotate(client.keyId, await identityHeaders(token, admin))
  assert.equal(locked.status, 403)
  assert.match(locked.body.error, /15 minutes/)
})

test('refuses with 401 whoever shows a key, an access token, or nothing', async () => {
  const { client, admin, token } = await shop()
  const { accessToken } = await here.database.transaction('test', (transaction) =>
    importToken(
      transaction,
      client.orgId,
      {
        memberId: admin.memberId,
        clientName: 'App',
        scopes: ['full'],
        scopeVersion: 2,
        audience: null,
        lifeSeconds: 600,
      },
      scopeCatalogue,
    ),
  )
  const code = { 'x-totp-code': totpCode(admin) }
  const cases: Record<string, string>[] = [
    {},
    { 'x-api-key': client.key },
    { authorization: `Bearer ${client.key}` },
    { authorization: `Bearer ${accessToken}` },
    { authorization: `Bearer ${token}`, 'x-api-key': client.key },
    { authorization: 'Bearer nonsense' },
  ]
  for (const headers of cases) {
    const reply = await rotate(client.keyId, { ...headers, ...code })
    assert.equal(reply.status, 401, JSON.stringify(headers))
    assert.match(reply.headers.get('www-authenticate')!, /^Bearer error="invalid_token", resource_metadata=/)
  }
  const elsewhere = await here.request('GET', `/api/v1/organisations/${client.orgId}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  assert.equal(elsewhere.status, 401, 'an identity token opens nothing else')
  await here.database.query(sql`
    update sessions set expires_at = now() where kind = 'identity'
      and person_id = (select id from people where email = ${admin.email})`)
  assert.equal(
    (await rotate(client.keyId, await identityHeaders(token, admin))).status,
    401,
    'after 15 minutes it is over',
  )
})

test('lets only an active admin of the key’s own organisation rotate it', async () => {
  const { client, admin, token } = await shop()
  const foreign = await here.organisation()
  assert.equal((await rotate(foreign.keyId, await identityHeaders(token, admin))).status, 404)
  assert.equal((await rotate('key_none', await identityHeaders(token, admin))).status, 404)
  assert.equal((await rotate('not%20an%20id', await identityHeaders(token, admin))).status, 400)
  await updateMember(here.database, client.orgId, admin.memberId, { role: 'manager' })
  assert.equal((await rotate(client.keyId, await identityHeaders(token, admin))).status, 403)
  await updateMember(here.database, client.orgId, admin.memberId, { role: 'admin' })
  await here.database.query(sql`update organisations set entitlement = 'basic' where org_id = ${client.orgId}`)
  const unpaid = await rotate(client.keyId, await identityHeaders(token, admin))
  assert.deepEqual([unpaid.status, /Pro/.test(unpaid.body.error)], [403, true])
  await here.database.query(sql`update organisations set entitlement = 'pro' where org_id = ${client.orgId}`)
  await revokeKey(here.database, client.orgId, client.keyId)
  assert.equal((await rotate(client.keyId, await identityHeaders(token, admin))).status, 400)
  await updateMember(here.database, client.orgId, admin.memberId, { isActive: false })
  assert.equal((await rotate(client.keyId, await identityHeaders(token, admin))).status, 401)
})

test('is by a token that opens no page', async () => {
  const { token } = await shop()
  const headers = { cookie: `jobwright_session=${token}` }
  const { status, headers: answer } = await fetch(`${here.origin}/portal`, { redirect: 'manual', headers })
  assert.deepEqual([status, answer.get('location')], [303, '/sign-in?next=%2Fportal'])
})

test('gives an identity token for the right password only', async () => {
  const { admin } = await shop()
  for (const [body, status] of [
    [{ email: admin.email, password: 'wrong' }, 401],
    [{ email: 'nobody@mail.example', password: admin.password }, 401],
    [{ email: admin.email }, 400],
    [{ email: 7, password: {} }, 400],
    [[], 400],
    ['nonsense', 400],
  ] as const)
    assert.equal((await identify(body)).status, status, JSON.stringify(body))
})

test('does not rotate what has ended, not even if it ends at this moment', async () => {
  const { client, admin, token } = await shop()
  const expired = await here.client(client.orgId, { expiresAt: new Date(Date.now() - 60_000) })
  const refused = await rotate(expired.keyId, await identityHeaders(token, admin))
  assert.deepEqual([refused.status, refused.body.error], [400, 'An expired key cannot be rotated; make a new one'])

  const headers = await identityHeaders(token, admin)
  const [{ id } = { id: '' }] = await here.database.query<{ id: string }>(
    sql`select id from people where email = ${admin.email}`,
  )
  // The person's row is held, so that the rotation waits with its code between looking at the key and changing it.
  const late = await here.database.transaction('test', async (transaction) => {
    await transaction.query(sql`select from people where id = ${id} for update`)
    const rotating = rotate(client.keyId, headers)
    for (let waiting = 0; waiting === 0; ) {
      const [found] = await here.database.query<{ count: number }>(sql`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%totp_secret as encrypted%'`)
      waiting = found!.count
    }
    await here.database.query(sql`update api_keys set revoked_at = now() where id = ${client.keyId}`)
    return { rotating }
  })
  const { status, body } = await late.rotating
  assert.deepEqual([status, body.error], [400, 'A revoked key cannot be rotated; make a new one'])
})
