// What happens at once: codes, refreshes, revocations and approvals that meet, on two processes, and across a restart.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
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
import { startTestService, type TestService } from '../../test/test-service.ts'
import { formsIn, type Page, person, resetTotp, signInOn, totpCode, Visitor } from '../../test/visitor.ts'
import { createApp } from '../app.ts'
import { Database, sql } from '../db/database.ts'
import { audit, auditEntry, operator } from '../identity/audit.ts'
import { registerClient } from '../identity/clients.ts'
import { revokeGrant } from '../identity/grants.ts'
import { hashSecret } from '../identity/key-format.ts'
import { replaceRecoveryCodes } from '../identity/recovery-codes.ts'

const here = await startTestService({ PORT: await freePort(), ...highLimits })
const there = await secondProcess()

/** The same service once more, on the same database. */
async function secondProcess(): Promise<TestService> {
  const database = new Database(here.connection)
  const { app, prepare, close } = await createApp(here.config, database)
  await prepare()
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  after(async () => {
    await close()
    await database.close()
  })
  return { ...here, database, origin }
}
const either = (index: number) => (index % 2 === 0 ? here : there)
const times = (count: number) => Array.from({ length: count }, (_, index) => index)

async function shop() {
  const { orgId } = await here.organisation()
  return { orgId, admin: await person(here, orgId), app: await register(here) }
}

const grantsOf = ({ client }: Awaited<ReturnType<typeof register>>) =>
  here.database.query<{ id: string }>(sql`select id from grants where client_id = ${client.client_id}`)

test('redeems a code fifty times at once: exactly one wins', async () => {
  const { admin, app } = await shop()
  for (const _ of times(5)) {
    const grant = await obtainCode(here, app, admin)
    const replies = await Promise.all(times(50).map((index) => redeem(either(index), app, grant)))
    assert.equal(replies.filter(({ status }) => status === 200).length, 1)
    for (const { status, body } of replies)
      if (status !== 200) assert.deepEqual([status, body.error], [400, 'invalid_grant'])
  }
})

test('who comes while a code is being redeemed is refused, and takes nothing from the first', async () => {
  const { admin, app } = await shop()
  const grant = await obtainCode(here, app, admin)
  // As far as the first is between using the code up and giving out tokens for it.
  await here.database.query(
    sql`update oauth_tokens set consumed_at = clock_timestamp() where hash = ${hashSecret(grant.code)}`,
  )
  assert.equal((await redeem(there, app, grant)).body.error, 'invalid_grant')
  assert.equal((await grantsOf(app)).length, 1)
})

test('refreshes fifty times at once: exactly one wins, and the grant lives on', async () => {
  const { orgId, admin, app } = await shop()
  let { refresh_token: token } = await obtainTokens(here, app, admin)
  for (const _ of times(5)) {
    const replies = await Promise.all(times(50).map((index) => refresh(either(index), app, token)))
    const winners = replies.filter(({ status }) => status === 200)
    assert.equal(winners.length, 1)
    for (const { status, body } of replies)
      if (status !== 200) assert.deepEqual([status, body.error], [400, 'invalid_grant'])
    assert.equal((await readWithToken(here, orgId, winners[0]!.body.access_token)).status, 200)
    token = winners[0]!.body.refresh_token
  }
})

test('a refresh that races a revocation leaves nothing alive', async () => {
  const { orgId, admin, app } = await shop()
  for (const round of times(15)) {
    const issued = await obtainTokens(here, app, admin)
    const asked = times(6).map((index) =>
      index === round % 6
        ? postForm(either(index), '/revoke', { token: round % 2 === 0 ? issued.access_token : issued.refresh_token })
        : refresh(either(index), app, issued.refresh_token),
    )
    const replies = await Promise.all(asked)
    for (const { body } of [{ body: issued }, ...replies]) {
      if (!body?.access_token) continue
      assert.equal((await refresh(here, app, body.refresh_token)).status, 400)
      for (
        let tries = 0;
        tries < 100 && (await readWithToken(there, orgId, body.access_token)).status !== 401;
        tries++
      );
      for (const process of [here, there])
        assert.equal((await readWithToken(process, orgId, body.access_token)).status, 401)
    }
  }
})

test('two approvals at once leave one grant', async () => {
  const { admin, app } = await shop()
  const visitor = new Visitor(here.config.authUrl)
  const first = await signInOn(visitor, here, await visitor.open((await startAuthorization(app)).address.href), admin)
  const pages = [
    first,
    ...(await Promise.all(times(4).map(async () => visitor.open((await startAuthorization(app)).address.href)))),
  ]
  const returned = await Promise.all(pages.map((page) => visitor.submit(page, '/approve/', { decision: 'allow' })))
  assert.ok(returned.some(({ url }) => url.includes('code=')))
  const [{ count } = { count: 0 }] = await here.database.query<{ count: number }>(
    sql`select count(*)::int as count from grants where client_id = ${app.client.client_id}`,
  )
  assert.equal(count, 1)
})

/** Presses Allow without following where it leads. */
function allowButton(visitor: Visitor, page: Page): () => Promise<string> {
  const form = formsIn(page).find(({ action }) => action.startsWith('/approve/'))!
  return async () => {
    const cookie = [...visitor.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ')
    const response = await fetch(here.config.authUrl + form.action, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie },
      body: new URLSearchParams([...form.fields, ['decision', 'allow']]),
    })
    return response.headers.get('location')!
  }
}

test('tells the app of a denial when what was allowed is revoked before the way back', async () => {
  const { admin, app, orgId } = await shop()
  const visitor = new Visitor(here.config.authUrl)
  const page = await signInOn(visitor, here, await visitor.open((await startAuthorization(app)).address.href), admin)
  const back = await allowButton(visitor, page)()
  const [grant] = await grantsOf(app)
  await here.database.transaction('test', (transaction) => revokeGrant(transaction, orgId, grant!.id))
  const end = new URL((await visitor.open(back)).url)
  assert.ok(end.href.startsWith(app.redirect), end.href)
  assert.deepEqual([end.searchParams.get('error'), end.searchParams.get('code')], ['access_denied', null])
})

test('an approval sent twice is one: its code works', async () => {
  const { admin, app } = await shop()
  const visitor = new Visitor(here.config.authUrl)
  let page = await signInOn(visitor, here, await visitor.open((await startAuthorization(app)).address.href), admin)
  for (const _ of times(8)) {
    const { address, verifier } = await startAuthorization(app)
    page = await visitor.open(address.href)
    const press = allowButton(visitor, page)
    // A browser follows only the last of them.
    const [back] = await Promise.all(times(4).map(press))
    const before = await grantsOf(app)
    assert.equal(await press(), back)
    assert.deepEqual(await grantsOf(app), before, 'a grant that was made again would end the code of the first')
    const end = new URL((await visitor.open(back!)).url)
    const redeemed = await redeem(here, app, { code: end.searchParams.get('code') ?? end.href, verifier })
    assert.equal(redeemed.status, 200, end.href)
  }
})

test('a code of the authenticator, and a recovery code, sign in once however often they are sent', async () => {
  const { admin } = await shop()
  const [{ id } = { id: '' }] = await here.database.query<{ id: string }>(
    sql`select id from people where email = ${admin.email}`,
  )
  const [recovery] = await replaceRecoveryCodes(here.database, id)
  for (const totp of [totpCode(admin), recovery!]) {
    await resetTotp(here, admin)
    const visitors = times(4).map(() => new Visitor(here.config.authUrl))
    const pages = await Promise.all(visitors.map((visitor) => visitor.open('/sign-in')))
    const results = await Promise.all(
      visitors.map((visitor, index) =>
        visitor.submit(pages[index]!, '/sign-in', { email: admin.email, password: admin.password, totp }),
      ),
    )
    assert.deepEqual(results.map(({ status }) => status).sort(), [200, 401, 401, 401])
    await here.database.query(sql`update people set totp_failures = 0, totp_locked_until = null where id = ${id}`)
  }
})

test('an organisation never has more than ten apps, however many are registered at once', async () => {
  const { orgId } = await here.organisation()
  const made = await Promise.allSettled(
    times(16).map((index) =>
      here.database.transaction('test', async (transaction) => {
        const app = { name: `App ${index}`, redirectUris: ['https://app.example/'] }
        const { id } = await registerClient(transaction, orgId, app)
        // As all do who register one: with it a cluster gives the lock back only when the app can be seen.
        await audit(transaction, orgId, operator, auditEntry('client.created', { id, name: app.name }))
      }),
    ),
  )
  assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 10)
})

test('forgets nothing in a restart: sessions, requests under way, codes and tokens', async () => {
  const port = await freePort()
  const settings = { ...highLimits, PORT: port }
  const before = await startTestService(settings)
  const { orgId } = await before.organisation()
  const admin = await person(before, orgId)
  const app = await register(before)
  const issued = await obtainTokens(before, app, admin)
  const waiting = await startAuthorization(app)
  const page = await issued.visitor.open(waiting.address.href)
  const another = await register(before)
  const unused = await obtainCode(before, another, admin)
  await before.restart()

  assert.equal((await readWithToken(before, orgId, issued.access_token)).status, 200)
  const back = await issued.visitor.submit(page, '/approve/', { decision: 'allow' })
  assert.match(back.url, /code=/, 'the session, the request and its page are as they were')
  const redeemed = await redeem(before, app, {
    code: new URL(back.url).searchParams.get('code')!,
    verifier: waiting.verifier,
  })
  assert.equal(redeemed.status, 200)
  assert.equal((await refresh(before, app, redeemed.body.refresh_token)).status, 200)
  assert.equal((await redeem(before, another, unused)).status, 200)
})
