// Browsers that are remembered: how long for the desk, how long for the developer pages, and how they are signed out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { register, startAuthorization } from '../../test/oauth-app.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import {
  formsIn,
  type Page,
  type Person,
  person,
  resetTotp,
  setUpSecondFactor,
  totpCode,
  Visitor,
} from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import { listBrowsers } from '../identity/browsers.ts'
import { addMember, removeMember, updateMember } from '../identity/members.ts'
import { createVault } from '../identity/secrets.ts'

const here = await startTestService({ PORT: await freePort(), AUTHORIZE_PER_MINUTE: '100000' })
const { database } = here
const { authUrl } = here.config
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'

interface SignedIn {
  readonly visitor: Visitor
  readonly page: Page
  readonly token: string
  readonly maxAge: string | undefined
}

/** With the cookie as the browser gets it. */
async function signIn(who: Person, fields: Record<string, string> = {}, userAgent = firefox): Promise<SignedIn> {
  const visitor = new Visitor(authUrl)
  if (who.totpSecret) await resetTotp(here, who)
  const [form] = formsIn(await visitor.open('/sign-in'))
  const totp = who.totpSecret ? totpCode(who) : ''
  const body = new URLSearchParams([
    ...form!.fields.filter(([name]) => name === 'csrf'),
    ...Object.entries({ email: who.email, password: who.password, totp, ...fields }),
  ])
  const cookie = [...visitor.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ')
  const response = await fetch(`${authUrl}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, 'user-agent': userAgent },
    body,
  })
  const [, token = '', rest = ''] =
    /jobwright_session=([\w-]{43})(.*)/.exec(response.headers.get('set-cookie') ?? '') ?? []
  visitor.cookies.set('jobwright_session', { value: token, path: '/' })
  const page = await visitor.open(response.headers.get('location') ?? '/desk')
  return { visitor, page, token, maxAge: /Max-Age=(\d+)/.exec(rest)?.[1] }
}
const idOf = async ({ email }: Pick<Person, 'email'>) =>
  (await database.query<{ id: string }>(sql`select id from people where email = ${email}`))[0]!.id
const sessionsOf = async (who: Pick<Person, 'email'>) =>
  database.query<{ days: number; isRemembered: boolean }>(sql`
    select round(extract(epoch from expires_at - signed_in_at) / 86400.0, 3)::float8 as days, is_remembered as "isRemembered"
    from sessions where person_id = ${await idOf(who)}`)
/** As if so much time had passed since the last code. */
const ageCode = async (who: Person, hours: number) =>
  database.query(sql`
    update sessions set second_factor_at = now() - ${hours}::int * interval '1 hour' where person_id = ${await idOf(who)}`)
const admin = async () => person(here, (await here.organisation()).orgId)
const isSignedOut = async ({ visitor }: { visitor: Visitor }, orgId: string) =>
  /\/sign-in\?next=/.test((await visitor.open(`/desk/${orgId}/today`)).url)

test('a browser is remembered for 30 days if the person ticks it, and for 12 hours if not', async () => {
  const who = await admin()
  const plain = await signIn(who)
  assert.equal(plain.maxAge, undefined, 'the cookie goes with the browser')
  assert.deepEqual(await sessionsOf(who), [{ days: 0.5, isRemembered: false }])
  await database.query(sql`delete from sessions where person_id = ${await idOf(who)}`)
  const kept = await signIn(who, { remember: 'yes' })
  assert.equal(kept.maxAge, String(30 * 86_400))
  assert.deepEqual(await sessionsOf(who), [{ days: 30, isRemembered: true }])
})

test('the desk opens for as long; the developer pages and the consent to an app want a code of the last 12 hours', async () => {
  const who = await admin()
  const { visitor, token } = await signIn(who, { remember: 'yes' })
  await database.query(sql`
    update sessions set signed_in_at = signed_in_at - interval '10 days', expires_at = expires_at - interval '10 days'
    where person_id = ${await idOf(who)}`)
  await ageCode(who, 11)
  assert.equal((await visitor.open(`/portal/${who.orgId}/keys`)).status, 200)
  await ageCode(who, 13)
  assert.equal((await visitor.open(`/desk/${who.orgId}/today`)).status, 200)
  assert.equal((await visitor.open(`/portal/${who.orgId}/account`)).status, 200, 'one’s account is no developer page')
  for (const path of ['/portal', `/portal/${who.orgId}/keys`]) {
    const asked = await visitor.open(path)
    assert.equal(asked.url, `${authUrl}/sign-in/code?next=${encodeURIComponent(path)}`)
  }
  const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec((await visitor.open('/sign-in')).text) ?? []
  const sent = await visitor.open(`/portal/${who.orgId}/keys`, { method: 'POST', body: new URLSearchParams({ csrf }) })
  assert.equal(sent.status, 403)
  assert.match(sent.text, /href="\/sign-in\/code/)
  const { address } = await startAuthorization(await register(here))
  const consent = await visitor.open(address.href)
  assert.match(consent.url, /\/sign-in\/code\?next=%2Fapprove%2F/)
  await resetTotp(here, who)
  assert.match((await visitor.submit(consent, '/sign-in/code', { totp: totpCode(who) })).url, /\/approve\//)
  assert.notEqual(visitor.cookies.get('jobwright_session')!.value, token, 'with a new value')
  assert.equal((await visitor.open(`/portal/${who.orgId}/keys`)).status, 200, 'and back where one was')
  assert.deepEqual(await sessionsOf(who), [{ days: 30, isRemembered: true }], 'no longer than before')
})

test('a code asks once more whether to remember a browser that is not, and not one that is', async () => {
  const who = await person(here, (await here.organisation()).orgId, 'technician')
  const first = await signIn(who)
  const setUp = await first.visitor.open('/sign-in/second-factor?next=/desk')
  assert.match(setUp.text, /name="remember"/)
  await setUpSecondFactor(first.visitor, setUp, { remember: 'yes' })
  assert.deepEqual(await sessionsOf(who), [{ days: 30, isRemembered: true }])
  await ageCode(who, 13)
  assert.doesNotMatch((await first.visitor.open('/sign-in/code')).text, /name="remember"/)
})

test('the account lists the browsers in plain words, and signs one out, or all others', async () => {
  const who = await admin()
  const [mine, phone, office] = [
    await signIn(who, { remember: 'yes' }),
    await signIn(who, {}, 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) Version/26.0 Safari/604.1'),
    await signIn(who, {}, 'x'.repeat(2_000)),
  ]
  const account = await mine.visitor.open(`/portal/${who.orgId}/account`)
  for (const words of ['Firefox on Linux', 'Safari on an iPhone', 'A browser', 'This browser'])
    assert.ok(account.text.includes(words), words)
  const browsers = await listBrowsers(database, await idOf(who), mine.token)
  assert.deepEqual(
    browsers.map(({ isThisOne }) => isThisOne),
    [true, false, false],
  )
  assert.ok(browsers.every(({ userAgent }) => userAgent!.length <= 300))
  const stranger = await signIn(await admin())
  const { id } = browsers.find(({ userAgent }) => userAgent!.includes('iPhone'))!
  const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec((await stranger.visitor.open('/sign-in')).text) ?? []
  const theirs = (await stranger.visitor.open('/desk')).url.split('/')[4]
  const foreign = await stranger.visitor.open(`/portal/${theirs}/account/browsers/${id}/sign-out`, {
    method: 'POST',
    body: new URLSearchParams({ csrf }),
  })
  assert.equal(foreign.status, 400, 'of somebody else nobody signs out a browser')
  const action = `/portal/${who.orgId}/account/browsers/${id}/sign-out`
  assert.match((await mine.visitor.submit(account, action)).text, /That browser is signed out/)
  assert.deepEqual(await Promise.all([mine, phone, office].map((one) => isSignedOut(one, who.orgId))), [
    false,
    true,
    false,
  ])
  const done = await mine.visitor.submit(account, `/portal/${who.orgId}/account/sign-out-elsewhere`)
  assert.match(done.text, /signed out everywhere but here/)
  assert.deepEqual(await Promise.all([mine, office].map((one) => isSignedOut(one, who.orgId))), [false, true])
  assert.match((await mine.visitor.open(`/portal/${who.orgId}/audit`)).text, /signed out a browser of/)
})

test('the day of the last use is noted once an hour, and brings no session back', async () => {
  const who = await admin()
  const { visitor, token } = await signIn(who, { remember: 'yes' })
  const used = async () => (await listBrowsers(database, await idOf(who), token))[0]!.lastUsedAt.getTime()
  const personId = await idOf(who)
  await database.query(
    sql`update sessions set last_used_at = now() - interval '59 minutes' where person_id = ${personId}`,
  )
  const before = await used()
  await visitor.open(`/desk/${who.orgId}/today`)
  assert.equal(await used(), before)
  await database.query(sql`update sessions set last_used_at = now() - interval '3 days' where person_id = ${personId}`)
  await visitor.open(`/desk/${who.orgId}/today`)
  assert.ok((await used()) > before)
})

test('a session that is used while it is being ended is ended', async () => {
  const who = await admin()
  const mine = await signIn(who)
  const other = await signIn(who, { remember: 'yes' })
  await database.query(sql`
    update sessions set last_used_at = now() - interval '2 hours', second_factor_at = now() - interval '13 hours'
    where person_id = ${await idOf(who)} and is_remembered`)
  const asked = await other.visitor.open('/sign-in/code?next=/desk')
  await resetTotp(here, who)
  const account = await mine.visitor.open(`/portal/${who.orgId}/account`)
  await Promise.all([
    ...Array.from({ length: 12 }, () => other.visitor.open(`/desk/${who.orgId}/today`)),
    other.visitor.submit(asked, '/sign-in/code', { totp: totpCode(who) }),
    mine.visitor.submit(account, `/portal/${who.orgId}/account/sign-out-elsewhere`),
  ])
  assert.ok(await isSignedOut(other, who.orgId))
  assert.deepEqual(await sessionsOf(who), [{ days: 0.5, isRemembered: false }])
})

test('who is shut out, removed or reset is signed out for good, and let in again signs in anew', async () => {
  const who = await admin()
  const first = await signIn(who, { remember: 'yes' })
  await updateMember(database, who.orgId, who.memberId, { isActive: false })
  assert.deepEqual(await sessionsOf(who), [])
  await updateMember(database, who.orgId, who.memberId, { isActive: true })
  assert.ok(await isSignedOut(first, who.orgId), 'the session does not come back with the member')
  const second = await signIn(who, { remember: 'yes' })
  await removeMember(database, who.orgId, who.memberId)
  assert.deepEqual(await sessionsOf(who), [])
  assert.ok(await isSignedOut(second, who.orgId))
})

test('who is shut out by one of two organisations stays signed in at the other', async () => {
  const who = await admin()
  const { orgId: other } = await here.organisation()
  const vault = await createVault(here.config)
  await database.transaction('test', (transaction) =>
    addMember(transaction, vault, other, { email: who.email, firstName: 'Ann', role: 'technician' }),
  )
  const { visitor } = await signIn(who, { remember: 'yes' })
  await updateMember(database, who.orgId, who.memberId, { isActive: false })
  assert.equal((await visitor.open(`/desk/${who.orgId}/today`)).status, 403)
  assert.equal((await visitor.open(`/desk/${other}/my-day`)).status, 200)
})
