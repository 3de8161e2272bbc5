// Who stands behind a page: what the desk and the developer pages want of a session, by role, organisation and plan.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { type Person, person, resetTotp, setUpSecondFactor, totpCode, Visitor } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import type { SecondFactorRule, Wants } from '../domain/second-factor.ts'
import { addMember, type Role, updateMember } from '../identity/members.ts'
import { updateOrganisation } from '../identity/organisations.ts'
import { createVault } from '../identity/secrets.ts'
import { createSession, findSession } from '../identity/sessions.ts'
import { findSignedIn } from '../identity/signed-in.ts'
import { findMember } from './member-session.ts'

const here = await startTestService({ PORT: await freePort(), AUTHORIZE_PER_MINUTE: '100000' })
const { database } = here
const vault = await createVault(here.config)

const shop = async (name = 'Harbour Repairs') => here.organisation({ name })
const setRule = (orgId: string, rule: SecondFactorRule) =>
  database.query(sql`update organisations set second_factor = ${rule} where org_id = ${orgId}`)
const joinAlso = (who: Person, orgId: string, role: Role) =>
  database.transaction('test', (transaction) =>
    addMember(transaction, vault, orgId, { email: who.email, firstName: 'Ann', role }),
  )
async function signIn(who: Person, fields: Record<string, string> = {}, start = '/sign-in') {
  const visitor = new Visitor(here.config.authUrl)
  if (who.totpSecret) await resetTotp(here, who)
  const totp = who.totpSecret ? totpCode(who) : ''
  const given = { email: who.email, password: who.password, totp, ...fields }
  return { visitor, page: await visitor.submit(await visitor.open(start), '/sign-in', given) }
}
/** Where a request leads, without following it. */
async function locationOf(visitor: Visitor, path: string): Promise<string | null> {
  const cookie = [...visitor.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ')
  const response = await fetch(`${here.config.authUrl}${path}`, { redirect: 'manual', headers: { cookie } })
  assert.equal(response.status, 303, path)
  return response.headers.get('location')
}

test('the root leads to the desk, the desk to signing in and back, and to where the role begins', async () => {
  const stranger = new Visitor(here.config.authUrl)
  assert.equal(await locationOf(stranger, '/'), '/desk')
  assert.equal(await locationOf(stranger, '/desk'), '/sign-in?next=%2Fdesk')
  const { orgId } = await shop()
  assert.equal(await locationOf(stranger, `/desk/${orgId}/today`), `/sign-in?next=%2Fdesk%2F${orgId}%2Ftoday`)
  await setRule(orgId, 'admins')
  for (const [role, home] of [
    ['admin', 'today'],
    ['manager', 'today'],
    ['technician', 'my-day'],
  ] as const) {
    const { visitor, page } = await signIn(await person(here, orgId, role))
    assert.equal(page.url, `${here.config.authUrl}/desk/${orgId}/${home}`, role)
    assert.equal(await locationOf(visitor, '/desk'), `/desk/${orgId}/${home}`)
  }
})

test('somebody of several organisations chooses, and each is asked for what it wants of them', async () => {
  const [harbour, quay] = [await shop(), await shop('Quay Cycles')]
  const who = await person(here, harbour.orgId, 'technician')
  await joinAlso(who, quay.orgId, 'manager')
  const { visitor, page } = await signIn(who)
  assert.equal(page.url, `${here.config.authUrl}/desk`)
  for (const [name, path] of [
    ['Harbour Repairs', `/desk/${harbour.orgId}/my-day`],
    ['Quay Cycles', `/desk/${quay.orgId}/today`],
  ] as const)
    assert.ok(page.text.includes(`<a href="${path}">${name}</a>`), name)
  assert.equal((await visitor.open(`/desk/${harbour.orgId}/my-day`)).status, 200, 'the password is enough here')
  const asked = await visitor.open(`/desk/${quay.orgId}/today`)
  assert.match(asked.url, /\/sign-in\/second-factor\?next=/, 'and not there')
  const { done } = await setUpSecondFactor(visitor, asked)
  assert.ok(done.text.includes(`href="/desk/${quay.orgId}/today"`), 'and leads back')
  for (const path of [`/desk/${quay.orgId}/today`, `/desk/${harbour.orgId}/my-day`])
    assert.equal((await visitor.open(path)).status, 200)
})

test('whom the rule of an organisation names sets a second factor up at the first sign-in, others sign in without', async () => {
  const { orgId } = await shop()
  for (const [rule, role, isNeeded] of [
    ['admins', 'manager', false],
    ['admins', 'technician', false],
    ['managers', 'manager', true],
    ['managers', 'technician', false],
    ['everybody', 'manager', true],
    ['everybody', 'technician', true],
  ] as const) {
    await setRule(orgId, rule)
    const { visitor, page } = await signIn(await person(here, orgId, role))
    assert.equal(page.url.includes('/sign-in/second-factor'), isNeeded, `${rule} ${role}`)
    assert.equal(page.url.includes('/desk/'), !isNeeded, `${rule} ${role}`)
    const sent = await visitor.open(`/desk/${orgId}/today`)
    assert.equal(sent.url.includes('/sign-in/second-factor'), isNeeded, `${rule} ${role}, later`)
  }
  const admin = await person(here, orgId, 'technician')
  await updateMember(database, orgId, admin.memberId, { role: 'admin' })
  await setRule(orgId, 'admins')
  assert.match((await signIn(admin)).page.url, /\/sign-in\/second-factor/, 'an admin always')
  const bound = await signIn(admin, {}, '/sign-in?next=/portal')
  assert.match(bound.page.url, /\/sign-in\/second-factor\?next=%2Fportal/, 'and at once')
})

test('a rule that is tightened is heeded by the sessions there are', async () => {
  const { orgId, put, get } = await shop()
  const { visitor } = await signIn(await person(here, orgId, 'technician'))
  assert.equal((await get('')).body.data.secondFactor, 'managers', 'unless the organisation decided otherwise')
  assert.equal((await visitor.open(`/desk/${orgId}/my-day`)).status, 200)
  assert.equal((await put('', { secondFactor: 'everybody' })).body.data.secondFactor, 'everybody')
  assert.match((await visitor.open(`/desk/${orgId}/my-day`)).url, /\/sign-in\/second-factor/)
  assert.equal((await put('', { secondFactor: 'nobody' })).status, 400)
  const reader = await here.client(orgId, { scopes: ['organisation:read'] })
  assert.equal((await reader.put('', { secondFactor: 'admins' })).status, 403)
})

test('who set one up by choice is asked for it, and nobody opens anything with the password alone any more', async () => {
  const { orgId } = await shop()
  const who = await person(here, orgId, 'technician')
  const { visitor } = await signIn(who)
  const { visitor: other } = await signIn(who)
  const { totpSecret } = await setUpSecondFactor(visitor, await visitor.open('/sign-in/second-factor?next=/desk'))
  assert.equal((await visitor.open(`/desk/${orgId}/my-day`)).status, 200)
  assert.match((await other.open(`/desk/${orgId}/my-day`)).url, /\/sign-in\/code\?next=/, 'a session from before')
  assert.match((await other.open('/desk')).url, /\/sign-in\/code\?next=/)
  assert.equal((await signIn(who)).page.status, 403, 'a sign-in without a code')
  assert.match((await signIn({ ...who, totpSecret })).page.url, /\/my-day$/)
})

test('a session is of one kind, for its time, and of somebody who works somewhere', async () => {
  const { orgId } = await shop()
  const { email, memberId } = await person(here, orgId)
  const [{ id: personId } = { id: '' }] = await database.query<{ id: string }>(
    sql`select id from people where email = ${email}`,
  )
  const kinds = ['browser', 'identity'] as const
  const create = () => Promise.all(kinds.map((kind) => createSession(database, kind, { personId })))
  const found = async ([browser, program]: readonly string[]) => [
    (await findSignedIn(database, browser)) !== undefined,
    (await findSignedIn(database, program)) !== undefined,
    (await findSession(database, 'browser', browser)) !== undefined,
    (await findSession(database, 'browser', program)) !== undefined,
    (await findSession(database, 'identity', browser)) !== undefined,
    (await findSession(database, 'identity', program)) !== undefined,
  ]
  const tokens = await create()
  assert.deepEqual(await found(tokens), [true, false, true, false, false, true])
  await database.query(sql`update sessions set expires_at = now() where person_id = ${personId}`)
  assert.deepEqual(await found(tokens), Array(6).fill(false))
  await updateMember(database, orgId, memberId, { isActive: false })
  assert.deepEqual(await found(await create()), Array(6).fill(false), 'made at the moment they were shut out')
})

test('the desk is for active members on every plan; the developer pages are not', async () => {
  const { orgId } = await shop()
  const admin = await person(here, orgId)
  const { visitor } = await signIn(admin)
  const stranger = (await signIn(await person(here, (await shop()).orgId))).visitor
  for (const path of [`/desk/${orgId}/today`, `/portal/${orgId}/account`, `/portal/${orgId}/keys`])
    assert.equal((await stranger.open(path)).status, 403, path)
  const nowhere = await stranger.open('/desk/org_nowhere/today')
  assert.equal(nowhere.text.includes('for active members of the organisation'), true)
  assert.equal(nowhere.status, 403)
  await updateOrganisation(database, orgId, { entitlement: 'none' })
  assert.equal((await visitor.open(`/desk/${orgId}/today`)).status, 200)
  const account = await visitor.open(`/portal/${orgId}/account`)
  assert.equal(account.status, 200)
  assert.ok(!account.text.includes(`/portal/${orgId}/keys`), 'what is closed is not offered')
  assert.equal((await visitor.open(`/portal/${orgId}/keys`)).status, 403)
  const { value } = visitor.cookies.get('jobwright_session')!
  const open = async (wants: Wants, org = orgId) => (await findMember(database, value, { orgId: org, wants }))?.memberId
  assert.deepEqual(await Promise.all([open('desk'), open('desk', 'org_nowhere'), open('developer pages')]), [
    admin.memberId,
    undefined,
    undefined,
  ])
  await updateMember(database, orgId, admin.memberId, { isActive: false })
  assert.match((await visitor.open(`/desk/${orgId}/today`)).url, /\/sign-in/)
  assert.equal(await open('desk'), undefined)
})
