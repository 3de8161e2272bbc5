// An app with the client: from the address where an admin approves it to tokens that renew themselves, and their end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Jobwright, JobwrightOAuth, type TokenStore, type Tokens } from '../../client/src/index.ts'
import { redirectUri, register } from '../oauth-app.ts'
import { startTestService } from '../test-service.ts'
import { person, signInOn, Visitor } from '../visitor.ts'

const here = await startTestService()

async function app() {
  const { orgId } = await here.organisation()
  const admin = await person(here, orgId)
  const { client } = await register(here)
  let kept: Tokens | undefined
  const store: TokenStore = {
    load: async () => kept,
    save: async (tokens) => {
      kept = tokens
    },
  }
  let posts = 0
  const oauth = new JobwrightOAuth({
    authUrl: here.config.authUrl,
    clientId: client.client_id,
    redirectUri,
    store,
    fetch(url, init) {
      posts++
      return fetch(url, init)
    },
  })
  return { orgId, admin, oauth, store, posts: () => posts }
}

async function approve(oauth: JobwrightOAuth, admin: Awaited<ReturnType<typeof person>>) {
  const authorization = await oauth.authorizeUrl({ scope: 'customers:write' })
  const visitor = new Visitor(here.config.authUrl)
  const asked = await visitor.open(authorization.url)
  const approval = await signInOn(visitor, here, asked, admin)
  const { url } = await visitor.submit(approval, '/approve/', { decision: 'allow' })
  return { url, authorization }
}

test('an app is approved, works, renews its tokens once however many ask, and ends', async () => {
  const { orgId, admin, oauth, store, posts } = await app()
  await assert.rejects(oauth.accessToken(), { code: 'no_tokens' })
  const { url, authorization } = await approve(oauth, admin)
  await assert.rejects(oauth.exchange(url, { ...authorization, state: 'another' }), { code: 'invalid_state' })
  const elsewhere = new URL(url)
  elsewhere.searchParams.set('iss', 'https://evil.example')
  await assert.rejects(oauth.exchange(elsewhere, authorization), { code: 'invalid_issuer' })
  assert.equal(posts(), 0, 'nothing was sent for these')
  const tokens = await oauth.exchange(url, authorization)
  assert.equal(tokens.scope, 'customers:write')
  const jobwright = new Jobwright({
    baseUrl: `${here.origin}/api/v1`,
    organisation: tokens.organisation,
    accessToken: () => oauth.accessToken(),
  })
  assert.equal(tokens.organisation, orgId)
  const { id } = await jobwright.customers.create({ firstName: 'Amara' })
  assert.equal(posts(), 1, 'a token that is good is used')

  await store.save({ ...tokens, expiresAt: Date.now() + 30_000 })
  await Promise.all([1, 2, 3].map(() => jobwright.customers.get(id)))
  assert.equal(posts(), 2, 'three calls, one renewal')
  const renewed = (await store.load())!
  assert.notEqual(renewed.refreshToken, tokens.refreshToken)
  const [one, other] = await Promise.all([oauth.refresh(), oauth.refresh()])
  assert.deepEqual([one, posts()], [other, 3])

  await oauth.revoke()
  assert.equal(await store.load(), undefined)
  const over = new Jobwright({ baseUrl: `${here.origin}/api/v1`, organisation: orgId, accessToken: one.accessToken })
  const isOver = () =>
    over.customers.get(id).then(
      () => false,
      (error) => error.status === 401,
    )
  for (let tries = 0; tries < 100 && !(await isOver()); tries++);
  assert.ok(await isOver())
  await store.save(one)
  await assert.rejects(oauth.refresh(), { code: 'invalid_grant' })
})

test('a person who says no is heard', async () => {
  const { oauth } = await app()
  const { state, codeVerifier } = await oauth.authorizeUrl({ scope: 'read' })
  const refused = `${redirectUri}?error=access_denied&error_description=No&state=${state}`
  await assert.rejects(oauth.exchange(refused, { state, codeVerifier }), { code: 'access_denied', message: 'No' })
})
