// Invitations by mail: the link that joins once, whose account it opens, and what nobody learns on the way.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DeskUser, signIntoDesk } from '../../test/desk-user.ts'
import { mailServer } from '../../test/mail-server.ts'
import { signIntoPortal } from '../../test/portal.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { formsIn, invitationLink, person, setUpSecondFactor, totpCode, Visitor } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import { createInvitation, listInvitations } from '../identity/invitations.ts'
import { addMember, listMembers, removeMember, updateMember } from '../identity/members.ts'
import { createVault } from '../identity/secrets.ts'

const smtp = await mailServer()
const here = await startTestService({
  PORT: await freePort(),
  SMTP_URL: smtp.url,
  MAIL_FROM: 'jobwright@mail.example',
  ROLE: 'all',
  AUTHORIZE_PER_MINUTE: '100000',
})
const { database } = here
const { authUrl } = here.config
const vault = await createVault(here.config)

let count = 0
const address = () => `guest${process.pid}.${Date.now()}.${count++}@mail.example`
const shop = async (name = 'Harbour Repairs') => (await here.organisation({ name })).orgId
const invite = (admin: DeskUser, email: string, role = 'technician') =>
  admin.post('/settings/members', { firstName: 'Vi', lastName: 'Okoro', email, role })
/** The link in the newest mail to an address, once there are so many. */
async function mailedLink(email: string, mails = 1): Promise<string> {
  for (;;) {
    const found = smtp.received.filter(({ recipients }) => recipients.includes(email))
    if (found.length >= mails) return invitationLink(found.at(-1)!.mail.text!)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
async function accept(link: string, password: string, visitor = new Visitor(authUrl), more = {}) {
  const page = await visitor.open(link)
  return { visitor, page: await visitor.submit(page, '/invitation/', { password, ...more }) }
}
const personWith = async (email: string) =>
  (
    await database.query<{ madeByOrg: string | null; hash: string }>(
      sql`select made_by_org as "madeByOrg", password_hash as hash from people where email = ${email}`,
    )
  )[0]
const password = 'several long words'

describe('an invitation by mail', () => {
  test('lets somebody choose a password and land at the desk, and is written down', async () => {
    const orgId = await shop()
    const admin = await signIntoDesk(here, orgId)
    const email = address()
    const sent = await invite(admin, email)
    assert.match(sent.text, /The invitation is on its way/)
    assert.equal(invitationLink(sent.text), 'no link', 'the admin does not see it')
    const link = await mailedLink(email)
    const { mail } = smtp.received.find(({ recipients }) => recipients.includes(email))!
    assert.equal(mail.subject, 'Harbour Repairs invites you')
    assert.ok(mail.html!.includes(`${authUrl}${link}`))
    const { page } = await accept(link, password)
    assert.ok(page.url.endsWith(`/desk/${orgId}/my-day`), page.url)
    const [member] = (await listMembers(database, orgId)).filter((one) => one.email === email)
    assert.deepEqual([member!.firstName, member!.lastName, member!.role], ['Vi', 'Okoro', 'technician'])
    assert.deepEqual(await listInvitations(database, orgId), [])
    assert.equal((await personWith(email))!.madeByOrg, null, 'nobody else knew a secret of theirs')
    const { text } = await (await signIntoPortal(here, orgId)).open('/audit')
    assert.match(text, /Ann<\/strong> invited <strong>Vi Okoro/)
    assert.match(text, /Vi Okoro<\/strong> accepted the invitation of <strong>Vi Okoro/)
  })

  test('leads to the second factor where the role needs one, and back to the desk', async () => {
    const orgId = await shop()
    const admin = await signIntoDesk(here, orgId)
    const email = address()
    await invite(admin, email, 'manager')
    const { visitor, page } = await accept(await mailedLink(email), password)
    assert.match(page.url, /\/sign-in\/second-factor/)
    const { done } = await setUpSecondFactor(visitor, page)
    assert.ok(done.text.includes(`href="/desk/${orgId}/today"`))
    assert.equal((await visitor.open(`/desk/${orgId}/today`)).status, 200)
  })

  test('is read by nobody but its reader: not in the settings, and not at rest', async () => {
    const orgId = await shop()
    const admin = await signIntoDesk(here, orgId)
    const email = address()
    await invite(admin, email)
    const token = (await mailedLink(email)).split('/').at(-1)!
    const list = await admin.open('/settings/mail')
    const [, id] = /\/mail\/(eml_\w+)/.exec(list.text)!
    const letter = await admin.open(`/settings/mail/${id}`)
    assert.match(letter.text, /for its reader alone/)
    for (const { text } of [
      list,
      letter,
      await admin.open('/settings/members'),
      await (await signIntoPortal(here, orgId)).open('/audit'),
    ])
      assert.ok(!text.includes(token))
    const rows = await database.query<{ row: string }>(sql`
      select invitations::text as row from invitations where org_id = ${orgId}
      union all select outbox::text from outbox where org_id = ${orgId}`)
    assert.equal(rows.length, 2)
    for (const { row } of rows) assert.ok(!row.includes(token))
  })

  test('joins once, however often its link is used at once', async () => {
    const orgId = await shop()
    const email = address()
    await invite(await signIntoDesk(here, orgId), email)
    const link = await mailedLink(email)
    const outcomes = await Promise.all(Array.from({ length: 6 }, (_, index) => accept(link, `${password} ${index}`)))
    const joined = outcomes.filter(({ page }) => page.url.includes('/desk/'))
    assert.equal(joined.length, 1, outcomes.map(({ page }) => page.status).join())
    assert.equal(outcomes.filter(({ page }) => page.status === 404).length, 5)
    assert.equal((await listMembers(database, orgId)).filter((one) => one.email === email).length, 1)
    const [{ sessions } = { sessions: 0 }] = await database.query<{ sessions: number }>(sql`
      select count(*)::int as sessions from sessions join people on people.id = person_id where email = ${email}`)
    assert.equal(sessions, 1)
    assert.equal((await new Visitor(authUrl).open(link)).status, 404)
  })

  test('ends with its time, a newer link, its withdrawal and its organisation', async () => {
    const orgId = await shop()
    const admin = await signIntoDesk(here, orgId)
    const email = address()
    await invite(admin, email)
    const first = await mailedLink(email)
    const act = async (action: string) => {
      const [invitation] = await listInvitations(database, orgId)
      return admin.submit(await admin.open('/settings/members'), `/settings/invitations/${invitation!.id}/${action}`)
    }
    assert.match((await act('renew')).text, /The invitation is on its way/)
    const second = await mailedLink(email, 2)
    assert.equal((await new Visitor(authUrl).open(first)).status, 404)
    const late = new Visitor(authUrl)
    const page = await late.open(second)
    assert.equal(page.status, 200)
    await database.query(sql`update invitations set expires_at = now() where org_id = ${orgId}`)
    assert.equal((await late.submit(page, '/invitation/', { password })).status, 404)
    assert.equal((await late.open(second)).status, 404)
    assert.match((await admin.open('/settings/members')).text, /Too late/)
    await act('renew')
    const third = await mailedLink(email, 3)
    assert.match((await act('withdraw')).text, /withdrawn/)
    assert.equal((await new Visitor(authUrl).open(third)).status, 404)
    assert.doesNotMatch((await admin.open('/settings/members')).text, /Invited/)
    await invite(admin, email)
    const fourth = await mailedLink(email, 4)
    await database.query(sql`delete from organisations where org_id = ${orgId}`)
    assert.equal((await new Visitor(authUrl).open(fourth)).status, 404)
    assert.deepEqual(await database.query(sql`select 1 from invitations where org_id = ${orgId}`), [])
    assert.equal(await personWith(email), undefined, 'who never answered is not kept')
  })

  test('takes no short password, no form of another page, and no guesses at speed', async () => {
    const there = await startTestService({ PORT: await freePort(), FAILED_AUTH_PER_MINUTE: '3' })
    const admin = await signIntoDesk(there, (await there.organisation()).orgId)
    const known = await person(there, (await there.organisation()).orgId)
    const link = async (email: string) => invitationLink((await invite(admin, email)).text)
    const visitor = new Visitor(there.config.authUrl)
    const fresh = await visitor.open(await link(address()))
    for (let index = 0; index < 5; index++) {
      const short = await visitor.submit(fresh, '/invitation/', { password: 'short' })
      assert.equal(short.status, 400)
      assert.match(short.text, /12 to 200 characters/)
    }
    assert.equal((await visitor.submit(fresh, '/invitation/', { password, csrf: 'x' })).status, 403)
    const theirs = await visitor.open(await link(known.email))
    const statuses = []
    for (let index = 0; index < 4; index++)
      statuses.push((await visitor.submit(theirs, '/invitation/', { password: 'a wrong password' })).status)
    assert.deepEqual(statuses, [401, 401, 401, 429])
    assert.equal((await visitor.submit(theirs, '/invitation/', { password: known.password })).status, 429)
  })

  test('remembers the browser where that is wished', async () => {
    const orgId = await shop()
    const email = address()
    await invite(await signIntoDesk(here, orgId), email)
    await accept(await mailedLink(email), password, undefined, { remember: 'yes' })
    const [session] = await database.query<{ days: number }>(sql`
      select extract(epoch from expires_at - signed_in_at)::float8 / 86400 as days
      from sessions join people on people.id = person_id where email = ${email}`)
    assert.equal(session!.days, 30)
  })
})

describe('an invitation of somebody who has an account', () => {
  test('keeps their password and second factor, and says nothing of where else they work', async () => {
    const [ours, theirs] = [await shop(), await shop('Quay Cycles')]
    const known = await person(here, theirs)
    const before = await personWith(known.email)
    await invite(await signIntoDesk(here, ours), known.email)
    const link = await mailedLink(known.email)
    const visitor = new Visitor(authUrl)
    const page = await visitor.open(link)
    assert.match(page.text, /You have an account here already/)
    assert.ok(!page.text.includes('Quay Cycles'))
    assert.equal((await visitor.submit(page, '/invitation/', { password: 'a new one of mine' })).status, 401)
    assert.equal((await listMembers(database, ours)).length, 1)
    const joined = await visitor.submit(page, '/invitation/', { password: known.password })
    assert.match(joined.url, /\/sign-in\/code/, 'the link is not their second factor')
    assert.deepEqual(await personWith(known.email), before)
    const choice = await visitor.submit(joined, '/sign-in/code', { totp: totpCode(known) })
    assert.ok(choice.url.endsWith(`/desk/${ours}/my-day`), choice.url)
    assert.equal((await visitor.open(`/desk/${theirs}/today`)).status, 200)
  })

  test('whose account the operator has changed meanwhile is not used any more', async () => {
    const orgId = await shop()
    const email = address()
    await invite(await signIntoDesk(here, orgId), email)
    const visitor = new Visitor(authUrl)
    const page = await visitor.open(await mailedLink(email))
    const other = await shop()
    const added = await database.transaction('test', (transaction) =>
      addMember(transaction, vault, other, { email, firstName: 'Vi', role: 'admin' }),
    )
    const late = await visitor.submit(page, '/invitation/', { password })
    assert.equal(late.status, 401, 'the password that is asked for now is theirs')
    const { hash } = (await personWith(email))!
    const [still] = (await listMembers(database, other)).filter((one) => one.id === added.id)
    assert.ok(still && hash)
    assert.equal((await listMembers(database, orgId)).length, 1)
  })

  test('who lost their place may come back with the password they have', async () => {
    const orgId = await shop()
    const admin = await signIntoDesk(here, orgId)
    const known = await person(here, orgId, 'technician')
    assert.match((await invite(admin, known.email)).text, /already a member/)
    await updateMember(database, orgId, known.memberId, { isActive: false })
    assert.match((await invite(admin, known.email)).text, /already a member/, 'who is shut out is let in again')
    await removeMember(database, orgId, known.memberId)
    await invite(admin, known.email)
    const { page } = await accept(await mailedLink(known.email), known.password)
    assert.ok(page.url.endsWith(`/desk/${orgId}/my-day`), page.url)
  })

  test('is not theirs whose address differs in a letter that only looks the same', async () => {
    const orgId = await shop()
    const kim = await person(here, await shop())
    const email = `kim.${kim.email}`
    await database.query(sql`update people set email = ${email} where email = ${kim.email}`)
    const kelvin = email.replace('k', '\u212a')
    const wanted = { email: kelvin, firstName: 'Kim', lastName: null, role: 'technician' } as const
    const { token } = await createInvitation(database, orgId, wanted, true)
    assert.equal((await new Visitor(authUrl).open(`/invitation/${token}`)).status, 409)
  })
})

test('the form to invite says what is wrong with what was filled in', async () => {
  const admin = await signIntoDesk(here, await shop())
  for (const [fields, sentence] of [
    [{ firstName: ' ' }, /first name is required/],
    [{ role: 'owner' }, /Choose a role/],
    [{ email: 'nobody' }, /email address is not one/],
  ] as const) {
    const refused = await admin.post('/settings/members', {
      firstName: 'Vi',
      email: address(),
      role: 'manager',
      ...fields,
    })
    assert.equal(refused.status, 400)
    assert.match(refused.text, sentence)
  }
  assert.equal(formsIn(await admin.open('/settings/members/new')).length > 0, true)
})
