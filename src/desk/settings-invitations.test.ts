// What an admin may not do to others: sign in as them, delay them, find out who they are.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { type DeskUser, signIntoDesk } from '../../test/desk-user.ts'
import { register, startAuthorization } from '../../test/oauth-app.ts'
import { signIntoPortal } from '../../test/portal.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { formsIn, invitationLink, person, setUpSecondFactor, signInOn, Visitor } from '../../test/visitor.ts'
import { raw, sql } from '../db/database.ts'
import { audit } from '../identity/audit.ts'
import { listInvitations } from '../identity/invitations.ts'
import { addMember, listMembers, type Role, removeMember } from '../identity/members.ts'
import { hashPassword } from '../identity/passwords.ts'
import { createVault } from '../identity/secrets.ts'

const here = await startTestService({ PORT: await freePort(), TRUST_PROXY: '127.0.0.1' })
const { database } = here

let count = 0
const address = () => `guest${process.pid}.${Date.now()}.${count++}@mail.example`
const shop = async () => (await here.organisation({ name: 'Harbour Repairs' })).orgId
const invite = (admin: DeskUser, email: string, role = 'technician') =>
  admin.post('/settings/members', { firstName: 'Vi', email, role })

const vault = await createVault(here.config)
/** As the command line does it. */
const add = (orgId: string, email: string, role: Role) =>
  database.transaction('test', (transaction) => addMember(transaction, vault, orgId, { email, firstName: 'Vi', role }))

async function signIn(email: string, password: string, totp: string) {
  const visitor = new Visitor(here.config.authUrl)
  return visitor.submit(await visitor.open('/sign-in'), '/sign-in', { email, password, totp })
}

/** Invites somebody as an admin and joins as them with the link that the page shows, and a second factor of one's own. */
async function inviteAndSignIn(admin: DeskUser, email: string) {
  const password = 'only the admin knows'
  const visitor = new Visitor(here.config.authUrl)
  const page = await visitor.open(invitationLink((await invite(admin, email, 'admin')).text))
  await setUpSecondFactor(visitor, await visitor.submit(page, '/invitation/', { password }))
  return { password, open: (path: string) => visitor.open(path) }
}

describe('an invitation', () => {
  test('takes the addresses that the rest of the service takes, and looks at no more of one than can be an address', async () => {
    const orgId = await shop()
    const admin = await signIntoDesk(here, orgId)
    for (const email of ['a@b.example,c', 'a..b@mail.example', 'a@-.example', `a@${'.'.repeat(60_000)}@`]) {
      const refused = await invite(admin, email)
      assert.equal(refused.status, 400)
      assert.match(refused.text, /email address is not one/)
    }
    assert.equal((await listInvitations(database, orgId)).length, 0)
    assert.equal((await invite(admin, address())).status, 200)
    assert.equal((await listInvitations(database, orgId)).length, 1)
  })

  test('gives no way into another organisation: the operator adds such a person anew', async () => {
    const [theirs, ours] = [await shop(), await shop()]
    const email = address()
    const intruder = await inviteAndSignIn(await signIntoDesk(here, theirs), email)
    assert.equal((await intruder.open(`/portal/${theirs}/keys`)).status, 200)

    const added = await add(ours, email, 'admin')
    assert.ok(added.isAnew && added.password && added.totpSecret)
    assert.match((await intruder.open(`/portal/${ours}/keys`)).url, /\/sign-in/, 'signed out')
    assert.equal((await signIn(email, intruder.password, '')).status, 403)
    const vi = { orgId: ours, memberId: added.id, email, password: added.password, totpSecret: added.totpSecret }
    assert.equal((await (await signIntoPortal(here, ours, vi)).open('/keys')).status, 200)

    const later = await add(await shop(), email, 'admin')
    assert.deepEqual([later.isAnew, later.password, later.totpSecret], [false, null, null], 'one person from then on')
  })

  test('gives none when the organisation that made the password is gone, or made it for a member of the operator', async () => {
    const [gone, ours] = [await shop(), await shop()]
    const [invited, reset] = [address(), address()]
    const admin = await signIntoDesk(here, gone)
    await inviteAndSignIn(admin, invited)
    const { id } = await add(gone, reset, 'technician')
    assert.equal((await admin.post(`/settings/members/${id}/reset`)).status, 200)
    await database.query(sql`delete from organisations where org_id = ${gone}`)
    for (const email of [invited, reset]) assert.ok((await add(ours, email, 'technician')).isAnew, email)
  })

  test('from before this was kept is known from the audit log', async () => {
    const orgId = await shop()
    const [invited, operators] = [address(), address()]
    await inviteAndSignIn(await signIntoDesk(here, orgId), invited)
    await audit(
      database,
      orgId,
      { id: null, name: 'Ann' },
      {
        action: 'member.added',
        subject: null,
        detail: { name: 'Vi', email: invited },
      },
    )
    await add(orgId, operators, 'technician')
    const migration = await readFile(new URL('../../migrations/0008-people.sql', import.meta.url), 'utf8')
    const carriedOver = raw(migration.slice(migration.indexOf('with deeds')))
    const both = sql`select made_by_org from people where email = any(${[invited, operators]}) order by email = ${invited}`
    const undone = new Error('undone')
    await assert.rejects(
      database.transaction('test', async (transaction) => {
        await transaction.query(sql`update people set made_by_org = null where email = ${invited}`)
        await transaction.query(carriedOver)
        const made = await transaction.query<{ made_by_org: string | null }>(both)
        assert.deepEqual(
          made.map((one) => one.made_by_org),
          [null, orgId],
        )
        throw undone
      }),
      undone,
    )
  })

  test('is refused to a person whom another organisation made, with the way to add them', async () => {
    const [theirs, ours] = [await shop(), await shop()]
    const email = address()
    const admin = await signIntoDesk(here, theirs)
    await inviteAndSignIn(admin, email)
    const [member] = (await listMembers(database, theirs)).filter((one) => one.email === email)
    await removeMember(database, theirs, member!.id)
    const visitor = new Visitor(here.config.authUrl)
    const refused = await visitor.open(invitationLink((await invite(await signIntoDesk(here, ours), email)).text))
    assert.equal(refused.status, 409)
    assert.match(refused.text, /Ask whoever runs this server/)
    await inviteAndSignIn(admin, email)
    const [back] = (await listMembers(database, theirs)).filter((one) => one.email === email)
    assert.ok(back, 'the one that made them may have them back')
  })
})

describe('wrong passwords', () => {
  test('from many addresses at once are refused with 503 beyond a short queue, and a sign-in still goes through', async () => {
    const orgId = await shop()
    const admin = await person(here, orgId)
    const costlyHash = await hashPassword(admin.password) // as the service makes it; those of the tests take no time
    await database.query(sql`update people set password_hash = ${costlyHash} where email = ${admin.email}`)
    const tries = Array.from({ length: 120 }, (_, index) =>
      here.request('POST', '/identity/token', {
        body: { email: admin.email, password: 'wrong' },
        headers: { 'x-forwarded-for': `203.0.113.${index % 12}` },
      }),
    )
    const signedIn = here.request('POST', '/identity/token', {
      body: { email: admin.email, password: admin.password },
      headers: { 'x-forwarded-for': '198.51.100.7' },
    })
    const refused = (await Promise.all(tries)).filter(({ status }) => status === 503)
    assert.ok(refused.length > 0)
    assert.equal(refused[0]!.body.error, 'temporarily_unavailable')
    assert.equal((await signedIn).status, 200)
  })
})

describe('one admin', () => {
  test('who invites or sends very much is asked to wait, and delays no other organisation meanwhile', async () => {
    const [orgId, other] = [await shop(), await here.organisation()]
    const admin = await signIntoDesk(here, orgId)
    const page = await admin.open('/settings/members/new')
    const send = (email: string) =>
      admin.submit(page, '/settings/members', { firstName: 'Vi', email, role: 'technician' })
    const invitations = Array.from({ length: 32 }, () => send(address()))
    const others = await Promise.all(
      Array.from({ length: 20 }, () => other.post('/customers', { firstName: 'Ada' }).then(({ status }) => status)),
    )
    assert.deepEqual(new Set(others), new Set([201]))
    const over = (await Promise.all(invitations)).filter(({ status }) => status === 429)
    assert.equal(over.length, 2)
    assert.match(over[0]!.text, /invited 30 people within an hour; go on in \d+ minutes/)
    assert.equal((await listInvitations(database, orgId)).length, 30)
    const [refused] = (await Promise.all(Array.from({ length: 40 }, () => send('nonsense')))).filter(
      ({ status }) => status === 429,
    )
    assert.match(refused!.text, /very many pages in a minute; wait \d+ seconds/)
    assert.ok(Number(refused!.headers.get('retry-after')) > 0)
    assert.equal((await admin.open('/settings/members')).status, 200, 'reading goes on')
  })

  test('is not told whether an address belongs elsewhere or did so once', async () => {
    const [orgId, elsewhere] = [await shop(), await shop()]
    const [present, past] = [address(), address()]
    await add(elsewhere, present, 'technician')
    const theirs = await signIntoDesk(here, elsewhere)
    await inviteAndSignIn(theirs, past)
    const [member] = (await listMembers(database, elsewhere)).filter(({ email }) => email === past)
    await removeMember(database, elsewhere, member!.id)
    const admin = await signIntoDesk(here, orgId)
    const answers = new Set<string>()
    for (const email of [present, past, address()]) {
      const { status, text } = await invite(admin, email)
      assert.equal(status, 200)
      answers.add(
        text
          .replace(email, '')
          .replace(invitationLink(text), '')
          .replaceAll(/value="[\w-]{43}"/g, ''),
      )
    }
    assert.equal(answers.size, 1, 'nor whether it belongs to anybody at all')
  })

  test('gives an app a name that people can see, under the rule for apps that register themselves', async () => {
    const admin = await signIntoPortal(here, await shop())
    for (const name of ['Bench\u202eppa', '\u3164', '\u2800', 'a\u200bb', '\u0301']) {
      const redirects = 'https://app.example/callback'
      assert.equal((await admin.post('/apps', { name, redirects })).status, 400, JSON.stringify(name))
      const body = { client_name: name, redirect_uris: [redirects] }
      assert.equal((await here.request('POST', '/register', { body })).status, 400, JSON.stringify(name))
    }
    const seen = { name: 'Werkbank ⚡️ 工具', redirects: 'https://app.example/callback' }
    assert.equal((await admin.post('/apps', seen)).status, 200)
  })
})

test('a NUL in the address, the query or the form of a page is refused as a page', async () => {
  const orgId = await shop()
  const [admin, developer] = [await signIntoDesk(here, orgId), await signIntoPortal(here, orgId)]
  const pages = await Promise.all([
    ...['/settings/mail?before=%00', '/settings/mail/%00'].map(admin.open),
    developer.open('/audit?before=%00'),
    admin.post('/settings/calendars', { member: '\0' }),
    invite(admin, 'a\0@mail.example'),
    signIn('a\0@mail.example', 'x', ''),
  ])
  for (const { status, url, text } of pages) {
    assert.equal(status, 400, url)
    assert.match(text, /holds a character that cannot be kept/)
  }
})

test('somebody else who signs in on the same browser decides anew what an app may do', async () => {
  const { orgId } = await here.organisation()
  const [dee, robin] = [await person(here, orgId), await person(here, orgId)]
  const visitor = new Visitor(here.config.authUrl)
  const app = await register(here)
  const { address: asked } = await startAuthorization(app)
  const consent = await signInOn(visitor, here, await visitor.open(asked.href), dee)
  const form = formsIn(consent).find(({ action }) => action.startsWith('/approve/'))
  // Dee's answer arrives, and the way back to the app does not.
  const cookie = [...visitor.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ')
  const body = new URLSearchParams([...form!.fields, ['decision', 'allow']])
  for (const [, scope = ''] of consent.text.matchAll(/name="scope" value="([^"]+)"/g)) body.append('scope', scope)
  const answered = await fetch(new URL(form!.action, here.config.authUrl), {
    method: 'POST',
    body,
    headers: { cookie },
    redirect: 'manual',
  })
  assert.match(answered.headers.get('location') ?? '', /\/authorize\//)
  visitor.cookies.delete('jobwright_session')
  const again = await signInOn(visitor, here, await visitor.open(consent.url), robin)
  const back = await visitor.submit(again, '/approve/', { decision: 'allow' })
  assert.ok(back.url.startsWith(app.redirect) && new URL(back.url).searchParams.has('code'), `${back.url} ${back.text}`)
})
