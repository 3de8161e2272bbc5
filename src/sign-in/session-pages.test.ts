// Signing in: both factors, the lock after wrong codes, recovery codes, setting up a second factor, sessions, and guesses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Provider from 'oidc-provider'
import { Secret, TOTP } from 'otpauth'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { formsIn, type Page, type Person, person, resetTotp, signInOn, totpCode, Visitor } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import { cspSource } from '../http/layout.ts'
import { localPath } from '../http/next-path.ts'
import { updateMember } from '../identity/members.ts'
import { countRecoveryCodes, replaceRecoveryCodes } from '../identity/recovery-codes.ts'
import { findActivePerson } from './password.ts'

const here = await startTestService({ PORT: await freePort(), AUTHORIZE_PER_MINUTE: '100000' })
const { authUrl } = here.config

async function somebody(role: 'admin' | 'technician' = 'admin'): Promise<Person> {
  return person(here, (await here.organisation()).orgId, role)
}
async function trySignIn(who: Person, fields: Record<string, string>, visitor = new Visitor(authUrl)): Promise<Page> {
  const page = await visitor.open('/sign-in')
  return visitor.submit(page, '/sign-in', { email: who.email, password: who.password, ...fields })
}
const isIn = (page: Page) =>
  page.status === 200 && /\/(portal(\/org_\w+)?|desk\/org_\w+\/(today|my-day))$/.test(page.url)
const idOf = async ({ email }: Person) =>
  (await here.database.query<{ id: string }>(sql`select id from people where email = ${email}`))[0]!.id
const unlock = ({ email }: Person) =>
  here.database.query(
    sql`update people set totp_locked_until = null, totp_failures = 0, totp_failing_since = null, totp_last_step = 0 where email = ${email}`,
  )

test('signs in with email, password and code, and with nothing less', async () => {
  const admin = await somebody()
  const wrong: Record<string, string>[] = [
    { totp: '000000' },
    { password: 'wrong', totp: totpCode(admin) },
    { password: '', totp: totpCode(admin) },
    { email: 'nobody@mail.example', totp: totpCode(admin) },
    { email: '', totp: totpCode(admin) },
  ]
  const texts = new Set<string>()
  for (const fields of wrong) {
    await unlock(admin)
    const page = await trySignIn(admin, fields)
    assert.equal(page.status, 401, JSON.stringify(fields))
    texts.add(/<p class="wrong"[^>]*>(.*?)<\/p>/s.exec(page.text)![1]!)
  }
  assert.equal(texts.size, 1, 'what was wrong is not told')
  await unlock(admin)
  assert.ok(isIn(await trySignIn(admin, { email: admin.email.toUpperCase(), totp: totpCode(admin) })))
})

test('answers 403 to whoever sends no code, tells nothing of the password, and counts no wrong code', async () => {
  const admin = await somebody()
  const texts = new Set<string>()
  for (const fields of [
    { totp: '' },
    { totp: ' \t' },
    { totp: '', password: 'wrong' },
    { totp: '', password: '' },
    { totp: '', email: 'nobody@mail.example' },
    ...Array.from({ length: 5 }, () => ({ totp: '' })),
  ]) {
    const visitor = new Visitor(authUrl)
    const page = await trySignIn(admin, fields, visitor)
    assert.equal(page.status, 403, JSON.stringify(fields))
    assert.ok(!visitor.cookies.has('jobwright_session'), JSON.stringify(fields))
    texts.add(/<p class="wrong"[^>]*>(.*?)<\/p>/s.exec(page.text)![1]!)
  }
  assert.equal(texts.size, 1, 'what was wrong besides is not told')
  assert.ok(isIn(await trySignIn(admin, { totp: totpCode(admin) })), 'the right one is not locked')
})

test('counts tries without a code against the address, whether the password was right or not', async () => {
  for (const password of [undefined, 'wrong']) {
    const there = await startTestService({ PORT: await freePort(), FAILED_AUTH_PER_MINUTE: '3' })
    const admin = await person(there, (await there.organisation()).orgId)
    const visitor = new Visitor(there.config.authUrl)
    const page = await visitor.open('/sign-in')
    const statuses = []
    for (let index = 0; index < 5; index++) {
      const given = { email: admin.email, password: password ?? admin.password, totp: '' }
      statuses.push((await visitor.submit(page, '/sign-in', given)).status)
    }
    assert.deepEqual(statuses, [403, 403, 403, 429, 429], password ?? 'the right password')
  }
})

test('takes a code of one step before or after, once, and no older one than the last', async () => {
  const admin = await somebody()
  for (const offset of [-1, 0, 1]) {
    assert.ok(isIn(await trySignIn(admin, { totp: totpCode(admin, offset) })), String(offset))
    assert.equal((await trySignIn(admin, { totp: totpCode(admin, offset) })).status, 401, 'a second time')
  }
  assert.equal((await trySignIn(admin, { totp: totpCode(admin, 0) })).status, 401, 'older than the last')
  await unlock(admin)
  for (const offset of [-3, 3]) assert.equal((await trySignIn(admin, { totp: totpCode(admin, offset) })).status, 401)
})

test('locks for 15 minutes after five wrong codes in 15 minutes, even to the right one', async () => {
  const admin = await somebody()
  for (let index = 0; index < 5; index++) assert.equal((await trySignIn(admin, { totp: '000000' })).status, 401)
  const locked = await trySignIn(admin, { totp: totpCode(admin) })
  assert.equal(locked.status, 401)
  const alertText = ({ text }: { text: string }) => /role="alert">([^<]+)</.exec(text)?.[1]
  const guess = await trySignIn(admin, { password: 'wrong', totp: totpCode(admin) })
  assert.match(alertText(locked) ?? '', /After five wrong codes none works for 15 minutes/)
  assert.equal(alertText(guess), alertText(locked), 'a stranger learns nothing about the password')
  await here.database.query(sql`update people set totp_locked_until = now() where email = ${admin.email}`)
  assert.ok(isIn(await trySignIn(admin, { totp: totpCode(admin) })))

  for (let index = 0; index < 4; index++) await trySignIn(admin, { totp: '000000' })
  await here.database.query(sql`
    update people set totp_failing_since = now() - interval '16 minutes' where email = ${admin.email}`)
  assert.match((await trySignIn(admin, { totp: '000000' })).text, /is wrong/, 'wrong ones from before no longer count')
  for (let index = 0; index < 4; index++) await trySignIn(admin, { password: 'wrong', totp: '000000' })
  await resetTotp(here, admin)
  assert.ok(isIn(await trySignIn(admin, { totp: totpCode(admin) })), 'without the password nobody can be locked out')
})

test('takes each of ten recovery codes once, in place of a code, however it is typed', async () => {
  const admin = await somebody()
  const codes = await replaceRecoveryCodes(here.database, await idOf(admin))
  assert.equal(new Set(codes).size, 10)
  assert.ok(isIn(await trySignIn(admin, { totp: codes[0]! })))
  assert.equal((await trySignIn(admin, { totp: codes[0]! })).status, 401)
  assert.ok(isIn(await trySignIn(admin, { totp: ` ${codes[1]!.toUpperCase().replaceAll('-', ' ')} ` })))
  const fresh = await replaceRecoveryCodes(here.database, await idOf(admin))
  assert.equal((await trySignIn(admin, { totp: codes[2]! })).status, 401, 'new ones replace the old ones')
  assert.ok(isIn(await trySignIn(admin, { totp: fresh[0]! })))
  const id = await idOf(admin)
  assert.equal(await countRecoveryCodes(here.database, id), 9)
  await Promise.all(
    Array.from({ length: 8 }, () =>
      here.database.transaction('test', (transaction) => replaceRecoveryCodes(transaction, id)),
    ),
  )
  assert.equal(await countRecoveryCodes(here.database, id), 10, 'of several renewals at once the last one counts')
})

test('has an admin without a second factor set one up, and opens nothing before', async () => {
  const admin = await somebody('technician')
  await updateMember(here.database, admin.orgId, admin.memberId, { role: 'admin' })
  const visitor = new Visitor(authUrl)
  const page = await trySignIn(admin, {}, visitor)
  assert.match(page.url, /\/sign-in\/second-factor/)
  assert.match(page.text, /<svg/)
  const half = await visitor.open('/portal')
  assert.equal(half.status, 403)
  const shown = /<code>([A-Z2-7 ]+)<\/code>/.exec(page.text)![1]!.replaceAll(' ', '')
  const again = await visitor.open('/sign-in/second-factor')
  assert.ok(again.text.replaceAll(' ', '').includes(shown), 'the same secret while it is being set up')
  const wrong = await visitor.submit(page, '/sign-in/second-factor', { totp: '000000' })
  assert.equal(wrong.status, 401)
  const before = visitor.cookies.get('jobwright_session')!.value
  const code = new TOTP({ secret: Secret.fromBase32(shown) }).generate()
  const done = await visitor.submit(page, '/sign-in/second-factor', { totp: code })
  assert.equal(done.status, 200)
  assert.equal([...done.text.matchAll(/<li>([a-z2-7-]{19})<\/li>/g)].length, 10)
  assert.notEqual(visitor.cookies.get('jobwright_session')!.value, before, 'a new standing is a new session')
  assert.ok(isIn(await visitor.open('/portal')))
  assert.equal((await trySignIn(admin, { totp: code })).status, 401, 'the code that set it up is used')
  const known = { ...admin, totpSecret: shown }
  await resetTotp(here, known)
  assert.ok(isIn(await trySignIn(known, { totp: totpCode(known) })))
  // Whoever has a second factor cannot be given another by this page.
  assert.ok(isIn(await visitor.open('/sign-in/second-factor?next=/portal')))
})

test('ends a session by signing out, with time, and when nobody employs the person any more', async () => {
  const admin = await somebody()
  const visitor = new Visitor(authUrl)
  const home = await trySignIn(admin, { totp: totpCode(admin) }, visitor)
  const { value } = visitor.cookies.get('jobwright_session')!
  const held = new Visitor(authUrl)
  held.cookies.set('jobwright_session', { value, path: '/' })
  assert.ok(isIn(await held.open('/portal')))
  await visitor.submit(home, '/sign-out')
  assert.match((await held.open('/portal')).url, /\/sign-in/, 'the value itself is dead')

  const endings = [
    () => here.database.query(sql`update sessions set expires_at = now() where person_id = ${id}`),
    () => updateMember(here.database, admin.orgId, admin.memberId, { isActive: false }),
  ]
  const id = await idOf(admin)
  for (const end of endings) {
    await resetTotp(here, admin)
    const page = await trySignIn(admin, { totp: totpCode(admin) }, visitor)
    assert.ok(isIn(page))
    await end()
    assert.match((await visitor.open('/portal')).url, /\/sign-in/)
  }
  await resetTotp(here, admin)
  assert.equal((await trySignIn(admin, { totp: totpCode(admin) })).status, 401, 'who is shut out cannot sign in')
})

test('gives a session a new value at sign-in, for twelve hours, out of reach of scripts', async () => {
  const admin = await somebody()
  const visitor = new Visitor(authUrl)
  await trySignIn(admin, { totp: totpCode(admin) }, visitor)
  const first = visitor.cookies.get('jobwright_session')!.value
  await resetTotp(here, admin)
  await trySignIn(admin, { totp: totpCode(admin) }, visitor)
  assert.notEqual(visitor.cookies.get('jobwright_session')!.value, first)
  const sessions = await here.database.query<{ life: number }>(sql`
    select extract(epoch from expires_at - signed_in_at)::float8 as life from sessions where person_id = ${await idOf(admin)}`)
  assert.deepEqual(
    sessions.map(({ life }) => life),
    [43_200],
  )
  const page = await visitor.open('/sign-in')
  await resetTotp(here, admin)
  const response = await fetch(`${authUrl}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      cookie: [...visitor.cookies].map(([name, { value }]) => `${name}=${value}`).join('; '),
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams([
      ...formsIn(page)[0]!.fields.filter(([name]) => name === 'csrf'),
      ['email', admin.email],
      ['password', admin.password],
      ['totp', totpCode(admin)],
    ]),
  })
  assert.match(response.headers.get('set-cookie')!, /^jobwright_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
})

test('names its cookies so that browsers guard them where there is encryption', async () => {
  const there = await startTestService({
    PORT: await freePort(),
    AUTH_URL: 'https://auth.example',
    REST_ORIGIN: 'https://rest.example',
  })
  const response = await fetch(`${there.origin}/sign-in`)
  assert.match(
    response.headers.get('set-cookie')!,
    /^__Host-jobwright_form=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
})

test('refuses a form that did not come from its page', async () => {
  const admin = await somebody()
  const visitor = new Visitor(authUrl)
  const page = await visitor.open('/sign-in')
  const fields = { email: admin.email, password: admin.password, totp: totpCode(admin) }
  for (const csrf of ['', 'nonsense', 'A'.repeat(43)])
    assert.equal((await visitor.submit(page, '/sign-in', { ...fields, csrf })).status, 403)
  const other = new Visitor(authUrl)
  await other.open('/sign-in')
  assert.equal((await other.submit(page, '/sign-in', fields)).status, 403, 'another browser’s form')
  assert.equal((await new Visitor(authUrl).submit(page, '/sign-in', fields)).status, 403, 'no cookie at all')
  assert.ok(isIn(await visitor.submit(page, '/sign-in', fields)))
})

test('goes on only to places of its own', async () => {
  for (const [next, expected] of [
    ['/approve/x', '/approve/x'],
    ['https://evil.example', '/portal'],
    ['//evil.example', '/portal'],
    ['/\\evil.example', '/portal'],
    ['/\t/evil.example', '/portal'],
    ['javascript:alert(1)', '/portal'],
    ['', '/portal'],
  ] as const)
    assert.equal(localPath(next, '/portal'), expected, next)
  const admin = await somebody()
  const visitor = new Visitor(authUrl)
  const page = await visitor.open(`/sign-in?next=${encodeURIComponent('https://evil.example/')}`)
  assert.ok(isIn(await signInOn(visitor, here, page, admin)))
  assert.deepEqual(
    ['https://a.example/x', 'http://127.0.0.1:80/x', 'http://[::1]:1/x', 'app:/x', 'nonsense'].map(cspSource),
    ['https://a.example', 'http://127.0.0.1', 'http:', 'app:', undefined],
  )
})

test('looks at no password once too many from an address were wrong', async () => {
  const there = await startTestService({
    PORT: await freePort(),
    FAILED_AUTH_PER_MINUTE: '3',
    TRUST_PROXY: '127.0.0.0/8',
  })
  const { orgId } = await there.organisation()
  const admin = await person(there, orgId)
  const attempt = async (address: string, password: string) => {
    const visitor = new Visitor(there.config.authUrl)
    const page = await visitor.open('/sign-in')
    const form = new URLSearchParams(formsIn(page)[0]!.fields)
    form.set('email', admin.email)
    form.set('password', password)
    form.set('totp', totpCode(admin))
    await resetTotp(there, admin)
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': address }
    return visitor.open('/sign-in', { method: 'POST', body: form.toString(), headers })
  }
  const statuses = []
  for (let index = 0; index < 4; index++) statuses.push((await attempt('10.1.1.1', 'wrong')).status)
  assert.deepEqual(statuses, [401, 401, 401, 429])
  const right = await attempt('10.1.1.1', admin.password)
  assert.equal(right.status, 429, 'nor at the right one')
  assert.ok(Number(right.headers.get('retry-after')) >= 1)
  assert.equal((await attempt('10.1.1.2', admin.password)).status, 200)
  const token = await there.request('POST', '/identity/token', {
    body: { email: admin.email, password: admin.password },
    headers: { 'x-forwarded-for': '10.1.1.1' },
  })
  assert.equal(token.status, 429)
})

test('judges no more passwords than the limit, however many come at once, and gives back what was right', async () => {
  const there = await startTestService({ PORT: await freePort(), FAILED_AUTH_PER_MINUTE: '5' })
  const { orgId } = await there.organisation()
  const admin = await person(there, orgId)
  const attempt = async (password: string) =>
    (await there.request('POST', '/identity/token', { body: { email: admin.email, password } })).status
  for (let index = 0; index < 8; index++) assert.equal(await attempt(admin.password), 200)
  const statuses = await Promise.all(Array.from({ length: 40 }, () => attempt('wrong')))
  assert.deepEqual(
    [401, 429].map((status) => statuses.filter((one) => one === status).length),
    [5, 35],
  )

  const elsewhere = await startTestService({ PORT: await freePort(), FAILED_AUTH_PER_MINUTE: '5' })
  const visitor = new Visitor(elsewhere.config.authUrl)
  const page = await visitor.open('/sign-in')
  const pages = await Promise.all(
    Array.from({ length: 20 }, () =>
      visitor.submit(page, '/sign-in', { email: admin.email, password: 'wrong', totp: '000000' }),
    ),
  )
  assert.equal(pages.filter(({ status }) => status === 401).length, 5)
})

test('takes the form that sets up a second factor twice without a fault', async () => {
  const admin = await somebody('technician')
  await updateMember(here.database, admin.orgId, admin.memberId, { role: 'admin' })
  const visitor = new Visitor(authUrl)
  const page = await trySignIn(admin, {}, visitor)
  const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(page.text)![1]!.replaceAll(' ', '')
  const totp = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  const pages = await Promise.all(
    Array.from({ length: 6 }, () => visitor.submit(page, '/sign-in/second-factor', { totp })),
  )
  assert.ok(
    pages.every(({ status }) => status < 500),
    pages.map(({ status }) => status).join(),
  )
  assert.equal(pages.filter(({ text }) => text.includes('Your recovery codes')).length, 1)
  assert.ok(isIn(await visitor.open('/portal')))
})

test('takes no letter outside ASCII for one within', async () => {
  const { orgId } = await here.organisation()
  const kim = await person(here, orgId)
  const email = `kim.${kim.email}`
  await here.database.query(sql`update people set email = ${email} where email = ${kim.email}`)
  assert.ok(await findActivePerson(here.database, email.toUpperCase()))
  assert.equal(await findActivePerson(here.database, email.replace('k', '\u212a')), undefined, 'the sign for Kelvin')
})

test('signs in through an external identity provider that vouches for the email; the code stays ours', async ({
  mock,
}) => {
  for (const kind of ['warn', 'info'] as const) mock.method(console, kind, () => {}) // the other one is not set up in full
  const [ours, theirs] = [await freePort(), await freePort()]
  const claims = { email: '', email_verified: true }
  // A real identity provider, with its own sign-in page left out: whoever comes is somebody.
  const provider = new Provider(`http://127.0.0.1:${theirs}`, {
    clients: [
      {
        client_id: 'jobwright',
        client_secret: 'their secret',
        redirect_uris: [`http://127.0.0.1:${ours}/sign-in/callback`],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    findAccount: async (_ctx, sub) => ({ accountId: sub, claims: async () => ({ sub, ...claims }) }),
    cookies: { keys: ['theirs'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/them/${uid}` },
    pkce: { required: () => true },
  })
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith('/them/')) return next()
    const { params } = await provider.interactionDetails(ctx.req, ctx.res)
    const grant = new provider.Grant({ accountId: 'somebody', clientId: String(params.client_id) })
    grant.addOIDCScope('openid email')
    ctx.redirect(
      await provider.interactionResult(ctx.req, ctx.res, {
        login: { accountId: 'somebody' },
        consent: { grantId: await grant.save() },
      }),
    )
  })
  const listening = provider.listen(Number(theirs), '127.0.0.1')
  const there = await startTestService({
    PORT: ours,
    OIDC_ISSUER: `http://127.0.0.1:${theirs}`,
    OIDC_CLIENT_ID: 'jobwright',
    OIDC_CLIENT_SECRET: 'their secret',
    LOG_LEVEL: 'silent',
  })
  const admin = await person(there, (await there.organisation()).orgId)

  /** Their origin has cookies of its own. */
  const travel = async (visitor: Visitor, next = '/portal') => {
    const page = await visitor.open(`/sign-in?next=${next}`)
    assert.ok(page.text.includes(`Sign in with 127.0.0.1:${theirs}`))
    const leaving = await visitor.open(`/sign-in/external?next=${next}`)
    const back = await new Visitor(`http://127.0.0.1:${theirs}`).open(leaving.url)
    return back.url
  }
  claims.email = admin.email
  const visitor = new Visitor(there.config.authUrl)
  const url = await travel(visitor)
  assert.match(url, /\/sign-in\/callback\?code=/)
  const asked = await visitor.open(url)
  assert.match(asked.url, /\/sign-in\/code/)
  assert.equal((await visitor.open('/portal')).status, 403, 'their word is one factor')
  for (let index = 0; index < 6; index++)
    assert.equal((await visitor.submit(asked, '/sign-in/code', { totp: ' ' })).status, 403, 'none is no wrong one')
  assert.equal((await visitor.submit(asked, '/sign-in/code', { totp: '000000' })).status, 401)
  assert.ok(isIn(await visitor.submit(asked, '/sign-in/code', { totp: totpCode(admin) })))
  assert.equal((await visitor.open(url)).status, 400, 'an answer counts once')

  const thief = new Visitor(there.config.authUrl)
  assert.equal(
    (await thief.open(await travel(new Visitor(there.config.authUrl)))).status,
    400,
    'another browser’s answer',
  )
  for (const [wrong, status] of [
    [{ email: admin.email, email_verified: false }, 401],
    [{ email: 'nobody@mail.example', email_verified: true }, 403],
  ] as const) {
    Object.assign(claims, wrong)
    const stranger = new Visitor(there.config.authUrl)
    assert.equal((await stranger.open(await travel(stranger))).status, status)
  }
  await new Promise((resolve) => listening.close(resolve))
  listening.closeAllConnections()
})
