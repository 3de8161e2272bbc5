// No credential lies around: not in a log line at the loudest level, not in the database, not in Redis.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Redis } from 'ioredis'
import { settingsFor } from '../../test/command-line.ts'
import { obtainCode, obtainTokens, postForm, readWithToken, redeem, refresh, register } from '../../test/oauth-app.ts'
import { freePort, skipUnlessInstalled, startRedis, startService } from '../../test/programs.ts'
import { startTestService, type TestService } from '../../test/test-service.ts'
import { person, totpCode, Visitor } from '../../test/visitor.ts'
import { readConfig } from '../config/config.ts'
import { sql } from '../db/database.ts'
import { registerClient } from '../identity/clients.ts'
import { replaceRecoveryCodes } from '../identity/recovery-codes.ts'

const here = await startTestService()

test('keeps every credential out of logs, database and Redis', {
  skip: skipUnlessInstalled('redis-server'),
}, async () => {
  const redis = await startRedis()
  after(() => redis.stop())
  const settings: Record<string, string> = {
    ...settingsFor(here),
    PORT: await freePort(),
    RATE_LIMIT_STORE: 'redis',
    REDIS_URL: redis.url,
    LOG_LEVEL: 'trace',
    ROLE: 'rest,auth', // it would do tasks of other test files
    INTROSPECTION_SECRET: 'introspection-secret-0123456789',
  }
  const service = await startService(settings)
  after(service.stop)
  const there: TestService = { ...here, config: readConfig(settings), origin: service.origin }

  const { orgId, key, keyId } = await here.organisation()
  const admin = await person(there, orgId)
  const [{ id } = { id: '' }] = await here.database.query<{ id: string }>(
    sql`select id from people where email = ${admin.email}`,
  )
  const recovery = await replaceRecoveryCodes(here.database, id)
  const registered = await here.database.transaction('test', (transaction) =>
    registerClient(transaction, orgId, { name: 'Ledger', redirectUris: ['https://app.example/callback'] }),
  )
  const app = await register(there, { token_endpoint_auth_method: 'client_secret_post' })
  const issued = await obtainTokens(there, app, admin)
  const next = (await refresh(there, app, issued.refresh_token)).body
  await readWithToken(there, orgId, next.access_token)
  await fetch(`${there.origin}/api/v1/organisations/${orgId}?access_token=${next.access_token}`, {
    headers: { 'x-api-key': key },
  })
  const unused = await obtainCode(there, app, admin)
  const failed = await redeem(there, app, unused, { code_verifier: 'a-wrong-verifier-that-is-long-enough-0123456789' })
  assert.equal(failed.status, 400)
  const identity = await fetch(`${there.origin}/identity/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: admin.email, password: admin.password }),
  })
  const { identity_token: identityToken } = (await identity.json()) as { identity_token: string }
  await fetch(`${there.origin}/api/v1/api-keys/${keyId}/rotate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${identityToken}`, 'x-totp-code': recovery[0]! },
  })
  const wrongPassword = 'a wrong but telling password'
  const visitor = new Visitor(there.origin)
  const page = await visitor.open('/sign-in')
  await visitor.submit(page, '/sign-in', { email: admin.email, password: wrongPassword, totp: totpCode(admin) })
  await postForm(there, '/revoke', { token: next.refresh_token })
  await postForm(there, '/token', {
    grant_type: 'refresh_token',
    refresh_token: next.refresh_token,
    client_id: app.client.client_id,
    client_secret: 'x',
  })
  // An authorization request that is still pending.
  await visitor.open(
    `/authorize?client_id=${app.client.client_id}&redirect_uri=${encodeURIComponent(app.redirect)}&response_type=code&code_challenge=${'a'.repeat(43)}&code_challenge_method=S256`,
  )
  await service.stop()

  const cookies = [...issued.visitor.cookies, ...unused.visitor.cookies, ...visitor.cookies].map(
    ([, { value }]) => value,
  )
  const secrets = [
    admin.password,
    admin.totpSecret,
    key,
    registered.clientSecret,
    app.client.client_secret as string,
    issued.access_token,
    issued.refresh_token,
    next.access_token,
    next.refresh_token,
    unused.code,
    unused.verifier,
    identityToken,
    wrongPassword,
    settings.INTROSPECTION_SECRET!,
    settings.SECRETS_KEY!,
    ...recovery,
    ...recovery.map((one) => one.replaceAll('-', '')),
    ...cookies,
  ]
  assert.ok(
    secrets.every((secret) => typeof secret === 'string' && secret.length >= 16),
    'all were really there',
  )

  const logText = service.output()
  assert.match(logText, /"path":"\/token"/, 'the log was loud')
  const tables = await here.database.query<{ name: string }>(
    sql`select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  )
  let databaseText = ''
  for (const { name } of tables) {
    const rows = await here.database.query<{ row: string }>({
      text: `select t::text as row from "${name}" t`,
      values: [],
    })
    databaseText += rows.map(({ row }) => row).join('\n')
  }
  assert.ok(databaseText.includes(admin.email), 'the database was read')
  const counters = new Redis(redis.url)
  let redisText = ''
  for (const name of await counters.keys('*')) redisText += `${name}=${await counters.get(name).catch(() => '')}\n`
  counters.disconnect()
  assert.match(redisText, /token:127\.0\.0\.1/, 'Redis was used')
  for (const secret of secrets) {
    for (const [place, text] of Object.entries({ said: logText, stored: databaseText, counted: redisText })) {
      assert.ok(
        !text.includes(secret),
        `${place} holds ${secret}: ${text.slice(Math.max(0, text.indexOf(secret) - 200), text.indexOf(secret) + 100)}`,
      )
    }
  }
})
