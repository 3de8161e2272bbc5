// Members, mail and calendar addresses in the settings: what each act does, that it is audited, and what races cannot break.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { signIntoDesk } from '../../test/desk-user.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { invitationLink, person, Visitor } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import { addMember, listMembers } from '../identity/members.ts'
import { createVault } from '../identity/secrets.ts'
import { mailSetupOf } from './settings-mail.ts'

const here = await startTestService({ PORT: await freePort() })
const { database } = here

const shop = async () => (await here.organisation({ name: 'Harbour Repairs' })).orgId
const recordedActions = async (orgId: string) =>
  (
    await database.query<{ action: string }>(sql`select action from audit_log where org_id = ${orgId} order by at, id`)
  ).map(({ action }) => action)

describe('members', () => {
  test('join by a link shown once where there is no mail server, and set up their second factor', async () => {
    const orgId = await shop()
    const admin = await signIntoDesk(here, orgId)
    const email = `new${process.pid}.${Date.now()}@mail.example`
    const wanted = { firstName: 'Bo', lastName: 'Lind', email, role: 'admin' }
    const added = await admin.submit(await admin.open('/settings/members/new'), '/settings/members', wanted)
    const link = invitationLink(added.text)
    assert.match((await admin.post('/settings/members', wanted)).text, /is already invited/)
    assert.ok(!(await admin.open('/settings/members')).text.includes(link), 'it is not shown again')
    const visitor = new Visitor(here.config.authUrl)
    const first = await visitor.submit(await visitor.open(link), '/invitation/', { password: 'several long words' })
    assert.match(first.url, /\/sign-in\/second-factor/)
    assert.equal((await visitor.open(`/portal/${orgId}/keys`)).status, 403)
    assert.match((await admin.post('/settings/members', wanted)).text, /already a member/)
    assert.deepEqual(await recordedActions(orgId), ['invitation.created', 'member.joined'])
  })

  test('who lost their password or device begin anew, unless another organisation trusts them too', async () => {
    const orgId = await shop()
    const admin = await signIntoDesk(here, orgId)
    const lost = await signIntoDesk(here, orgId)
    const page = await admin.open(`/settings/members/${lost.who.memberId}`)
    const reset = await admin.submit(page, `/settings/members/${lost.who.memberId}/reset`)
    const password = /<code>([a-z2-7]{24})<\/code>/.exec(reset.text)![1]!
    assert.match((await lost.open('/today')).url, /\/sign-in/, 'they are signed out')
    const visitor = new Visitor(here.config.authUrl)
    const given = { email: lost.who.email, password }
    assert.match((await visitor.submit(await visitor.open('/sign-in'), '/sign-in', given)).url, /second-factor/)
    const vault = await createVault(here.config)
    const shared = await person(here, orgId, 'technician')
    await database.transaction('test', async (transaction) =>
      addMember(transaction, vault, await shop(), { email: shared.email, firstName: 'Bo', role: 'technician' }),
    )
    assert.equal((await admin.post(`/settings/members/${shared.memberId}/reset`)).status, 400)
    assert.equal((await admin.post(`/settings/members/${admin.who.memberId}/reset`)).status, 400)
    assert.deepEqual(await recordedActions(orgId), ['member.reset'])
  })

  test('are changed and shut out by others, not by themselves, so that an admin is always left', async () => {
    const orgId = await shop()
    const admin = await signIntoDesk(here, orgId)
    const second = await signIntoDesk(here, orgId)
    assert.equal((await admin.post(`/settings/members/${admin.who.memberId}`, { active: 'no' })).status, 400)
    const outcomes = await Promise.all([
      admin.post(`/settings/members/${second.who.memberId}`, { active: 'no' }),
      second.post(`/settings/members/${admin.who.memberId}`, { role: 'technician' }),
    ])
    const left = (await listMembers(database, orgId)).filter(({ role, isActive }) => role === 'admin' && isActive)
    assert.equal(left.length, 1, 'of two who shut each other out at once, one stays')
    assert.equal((await recordedActions(orgId)).length, 1)
    assert.ok(outcomes.some(({ status }) => status === 403))
  })
})

test('two admins who decide about one member: the later one is shown what the first one did', async () => {
  const orgId = await shop()
  const [admin, second] = [await signIntoDesk(here, orgId), await signIntoDesk(here, orgId)]
  const { memberId } = await person(here, orgId, 'technician')
  const path = `/settings/members/${memberId}`
  const page = await admin.open(path)
  assert.match((await second.submit(await second.open(path), path, { role: 'manager' })).text, /The member is changed/)
  const stale = await admin.submit(page, path, { role: 'admin' })
  assert.equal(stale.status, 412)
  assert.match(stale.text, /Somebody changed this member meanwhile.*Manager/s)
  const members = await listMembers(database, orgId)
  assert.equal(members.find(({ id }) => id === memberId)!.role, 'manager')
})

describe('a member who is shut out', () => {
  test('is signed out, keeps their jobs, which are counted, and is let in again', async () => {
    const client = await here.organisation()
    const admin = await signIntoDesk(here, client.orgId)
    const technician = await person(here, client.orgId, 'technician')
    const visitor = new Visitor(here.config.authUrl)
    const { email, password, memberId } = technician
    const signIn = async () => visitor.submit(await visitor.open('/sign-in'), '/sign-in', { email, password })
    assert.match((await signIn()).url, /\/my-day$/)
    const customer = await client.post('/customers', { firstName: 'Ada' })
    for (const status of ['Open', 'In Progress', 'Closed']) {
      const job = { customerId: customer.body.data.id, assignedTechnician: memberId, status }
      const made = await client.post('/tickets', job)
      assert.equal(made.status, 201, JSON.stringify(made.body))
    }
    const page = await admin.open(`/settings/members/${memberId}`)
    assert.ok(page.text.includes(`<a href="/desk/${client.orgId}/board?who=${memberId}">2</a>`), 'the open ones')
    const shut = await admin.post(`/settings/members/${memberId}`, { active: 'no' })
    assert.match(shut.text, /Shut out/)
    assert.match((await visitor.open(`/desk/${client.orgId}/my-day`)).url, /\/sign-in/)
    assert.equal((await signIn()).status, 403)
    const { tickets } = (await client.get('/tickets')).body.data
    assert.ok(tickets.every((ticket: { assignedTechnician: string }) => ticket.assignedTechnician === memberId))
    assert.equal(tickets.length, 3, 'they stay theirs')
    await admin.post(`/settings/members/${memberId}`, { active: 'yes' })
    assert.match((await signIn()).url, /\/my-day$/)
    assert.deepEqual(await recordedActions(client.orgId), ['member.changed', 'member.changed'])
  })
})

describe('mail and calendars', () => {
  test('what was sent is listed, and can be read, by its own organisation only', async () => {
    const client = await here.organisation()
    const customer = await client.post('/customers', { firstName: 'Ada', email: 'ada@mail.example' })
    const invoice = await client.post('/invoices', { customerId: customer.body.data.id, subject: 'Bench work' })
    const sent = await client.post(`/invoices/${invoice.body.data.id}/send`, {})
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
    const admin = await signIntoDesk(here, client.orgId)
    const list = await admin.open('/settings/mail')
    assert.match(list.text, /To ada@mail\.example/)
    const [, id] = /\/mail\/(eml_\w+)/.exec(list.text)!
    const letter = await admin.open(`/settings/mail/${id}`)
    assert.match(letter.text, /<pre class="letter">[^<]*Ada/)
    const stranger = await signIntoDesk(here, await shop())
    assert.equal((await stranger.open(`/settings/mail/${id}`)).status, 404)
  })

  test('a calendar address is shown once, works, and is shut', async () => {
    const orgId = await shop()
    const admin = await signIntoDesk(here, orgId)
    const made = await admin.submit(await admin.open('/settings/calendars'), '/settings/calendars', {
      member: admin.who.memberId,
    })
    const address = /http[^<"]+\.ics/.exec(made.text)![0]
    assert.equal((await fetch(address)).status, 200)
    const list = await admin.open('/settings/calendars')
    assert.ok(!list.text.includes(address))
    await admin.submit(list, '/settings/calendars/fed_')
    assert.equal((await fetch(address)).status, 404)
    assert.deepEqual(await recordedActions(orgId), ['feed.created', 'feed.revoked'])
  })
})

describe('who manages members', () => {
  test('shows a code of the last hours; the rest of the desk does not ask again', async () => {
    const admin = await signIntoDesk(here, await shop())
    assert.equal((await admin.open('/settings/members')).status, 200)
    await database.query(sql`
      update sessions set second_factor_at = now() - interval '13 hours'
      where person_id = (select id from people where email = ${admin.who.email})`)
    assert.equal((await admin.open('/settings/statuses')).status, 200)
    assert.match((await admin.open('/settings/members')).url, /\/sign-in\/code/)
    const sent = await admin.post('/settings/members', { firstName: 'Bo', email: 'bo@mail.example', role: 'admin' })
    assert.equal(sent.status, 403)
    assert.match(sent.text, /Nothing of what you may have sent was done/)
  })
})

describe('a test mail', () => {
  test('goes to whoever asks for it, is listed, and is written down', async () => {
    const orgId = await shop()
    const manager = await signIntoDesk(here, orgId, 'manager')
    const page = await manager.open('/settings/mail')
    assert.match(page.text, /has no mail server yet/)
    const sent = await manager.submit(page, '/settings/mail/test')
    assert.match(sent.text, /the test mail was written to a file, and nobody gets it/)
    assert.ok(sent.text.includes(`To ${manager.who.email}`))
    const [row] = await database.query<{ subject: string; to: string }>(
      sql`select subject, to_address as to from outbox where org_id = ${orgId}`,
    )
    assert.deepEqual(row, { subject: 'A test of the mail of Harbour Repairs', to: manager.who.email })
    assert.deepEqual(await recordedActions(orgId), ['mail.tested'])
    await database.query(sql`
      update outbox set status = 'failed', failure_reason = 'Mailbox unavailable' where org_id = ${orgId}`)
    assert.match((await manager.open('/settings/mail?state=failed')).text, /Mailbox unavailable/)
    assert.match((await manager.open('/settings/mail?state=sent')).text, /No mail is in this state/)
  })
})

test('of the mail server only its name is shown', () => {
  const setup = mailSetupOf({ smtpUrl: 'smtps://shop:secret@mail.example:465', mailFrom: 'desk@mail.example' })
  assert.deepEqual(setup, { server: 'mail.example', from: 'desk@mail.example' })
  assert.equal(mailSetupOf({ smtpUrl: null, mailFrom: 'desk@mail.example' }).server, null)
})
