// The portal over HTTP: who has access, what each action does, that it is audited, and what races cannot break.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { signIntoDesk } from '../../test/desk-user.ts'
import { signIntoPortal } from '../../test/portal.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { formsIn, person, resetTotp, signInOn, totpCode, Visitor } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import { dayMs } from '../domain/durations.ts'
import { auditActions } from '../identity/audit.ts'
import { approve } from '../identity/grants.ts'
import { createKey, listKeys } from '../identity/keys.ts'
import { addMember, updateMember } from '../identity/members.ts'
import { updateOrganisation } from '../identity/organisations.ts'
import { createVault } from '../identity/secrets.ts'
import { scopeCatalogue } from '../resources/index.ts'
import { actInWords } from './audit-log-view.ts'

const here = await startTestService()
const { database } = here

const shop = async () => (await here.organisation({ name: 'Harbour Repairs' })).orgId
const recordedActions = async (orgId: string) =>
  (
    await database.query<{ action: string }>(sql`select action from audit_log where org_id = ${orgId} order by at, id`)
  ).map(({ action }) => action)
const newKey = { name: 'Web shop', access: 'read', use: ['rest', 'mcp'], expiry: '90d', addresses: '' }
const app = { name: 'Bench Helper', redirects: 'https://app.example/callback' }
const keyIn = (text: string) => /sk_live_[0-9A-Za-z]{46}/.exec(text)?.[0]
const adminPages = [
  ...['', '/keys', '/keys/new', '/connections', '/apps', '/apps/new', '/agents'],
  ...['/audit', '/webhooks', '/webhooks/new'],
]
const memberPages = ['/account']

describe('the door', () => {
  test('opens to active admins of an organisation on Pro or a trial, after both factors, and to nobody else', async () => {
    const orgId = await shop()
    const admin = await signIntoPortal(here, orgId)
    for (const path of [...adminPages, ...memberPages]) assert.equal((await admin.open(path)).status, 200, path)

    const stranger = await signIntoPortal(here, await shop())
    const nobody = new Visitor(here.config.authUrl)
    const half = new Visitor(here.config.authUrl)
    const technician = await person(here, orgId, 'technician')
    await updateMember(database, orgId, technician.memberId, { role: 'admin' })
    await half.submit(await half.open('/sign-in'), '/sign-in', {
      email: technician.email,
      password: technician.password,
    })
    for (const path of memberPages)
      assert.match((await half.open(`/portal/${orgId}${path}`)).url, /\/sign-in\/second-factor/, path)
    for (const path of [...adminPages, ...memberPages]) {
      assert.equal((await stranger.open('')).status, 200)
      assert.equal((await stranger.visitor.open(`/portal/${orgId}${path}`)).status, 403, `a stranger at ${path}`)
      assert.match((await nobody.open(`/portal/${orgId}${path}`)).url, /\/sign-in\?next=/)
    }
    for (const path of adminPages)
      assert.equal((await half.open(`/portal/${orgId}${path}`)).status, 403, `one factor at ${path}`)
    for (const entitlement of ['basic', 'none'] as const) {
      await updateOrganisation(database, orgId, { entitlement })
      assert.equal((await admin.open('/keys')).status, 403, entitlement)
      assert.equal((await admin.post('/keys', newKey)).status, 403, entitlement)
    }
    await updateOrganisation(database, orgId, { entitlement: 'trial' })
    assert.equal((await admin.open('/keys')).status, 200)
    await updateMember(database, orgId, admin.who.memberId, { role: 'manager' })
    for (const path of adminPages) assert.equal((await admin.open(path)).status, 403, `a manager at ${path}`)
    assert.equal((await admin.post('/keys', newKey)).status, 403)
    assert.equal((await listKeys(database, orgId)).length, 1, 'the key of the test itself')
  })

  test('does nothing of what is sent without both factors, and answers 403', async () => {
    const orgId = await shop()
    const technician = await person(here, orgId, 'technician')
    await updateMember(database, orgId, technician.memberId, { role: 'admin' })
    const half = new Visitor(here.config.authUrl)
    await half.submit(await half.open('/sign-in'), '/sign-in', {
      email: technician.email,
      password: technician.password,
    })
    for (const visitor of [new Visitor(here.config.authUrl), half])
      for (const path of ['/keys', '/apps', '/webhooks', '/account']) {
        const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec((await visitor.open('/sign-in')).text) ?? []
        const sent = await visitor.open(`/portal/${orgId}${path}`, {
          method: 'POST',
          body: new URLSearchParams({ csrf, ...app, name: 'Web shop', access: 'read', use: 'rest', expiry: '90d' }),
        })
        assert.equal(sent.status, 403, path)
        assert.match(sent.text, /href="\/sign-in/, 'and leads to the sign-in')
      }
    assert.deepEqual(await recordedActions(orgId), [])
    assert.equal((await listKeys(database, orgId)).length, 1)
  })

  test('takes no form without its CSRF token, from elsewhere, or from another session', async () => {
    const orgId = await shop()
    const admin = await signIntoPortal(here, orgId)
    const page = await admin.open('/keys/new')
    for (const csrf of ['', 'nonsense', 'A'.repeat(43)])
      assert.equal((await admin.submit(page, '/keys', { ...newKey, csrf })).status, 403)
    const [form] = formsIn(page).filter(({ action }) => action.endsWith('/keys'))
    const foreign = await admin.visitor.open(form!.action, {
      method: 'POST',
      body: new URLSearchParams([...form!.fields, ['name', 'x'], ['use', 'rest']]).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
    })
    assert.equal(foreign.status, 403)
    const other = await signIntoPortal(here, orgId)
    assert.equal((await other.submit(page, '/keys', newKey)).status, 403, 'the CSRF token of another browser')
    other.visitor.cookies.set('jobwright_form', admin.visitor.cookies.get('jobwright_form')!)
    assert.equal((await other.submit(page, '/keys', newKey)).status, 403, 'the CSRF token of another session')
    assert.deepEqual(await recordedActions(orgId), [])
    assert.equal((await admin.submit(page, '/keys', newKey)).status, 200)
  })

  test('shows nothing of another organisation by its ids', async () => {
    const [mine, theirs] = [await shop(), await shop()]
    const admin = await signIntoPortal(here, mine)
    const { id } = await createKey(database, theirs, {}, scopeCatalogue)
    const them = await person(here, theirs)
    for (const path of [`/keys/${id}`, `/keys/${id}/revoke`, '/apps/x'])
      assert.equal((await admin.open(path)).status, 404, path)
    for (const path of [`/keys/${id}/revoke`, `/keys/${id}/rotate`])
      assert.equal((await admin.post(path)).status, 404, path)
    const owner = await signIntoDesk(here, mine)
    for (const path of [`/settings/members/${them.memberId}`, '/settings/mail/x'])
      assert.equal((await owner.open(path)).status, 404, path)
    for (const path of [`/settings/members/${them.memberId}`, '/settings/calendars/x/end'])
      assert.equal((await owner.post(path, { active: 'no', role: 'technician' })).status, 404, path)
    assert.match((await owner.post('/settings/calendars', { member: them.memberId })).text, /There is no member/)
    assert.deepEqual(await recordedActions(theirs), [])
    assert.deepEqual(await recordedActions(mine), [])
  })

  test('lets an admin of several organisations choose', async () => {
    const [one, other] = [await shop(), (await here.organisation({ name: 'Quay Cycles' })).orgId]
    const admin = await person(here, one)
    const vault = await createVault(here.config)
    await database.transaction('test', (transaction) =>
      addMember(transaction, vault, other, { email: admin.email, firstName: 'Ann', role: 'admin' }),
    )
    const portal = await signIntoPortal(here, one, admin)
    const choice = await portal.visitor.open('/portal')
    assert.match(choice.text, /Harbour Repairs/)
    assert.match(choice.text, /Quay Cycles/)
    assert.match((await portal.open('')).text, /class="shop" href="\/desk"/)
    assert.match((await portal.visitor.open('/desk')).text, new RegExp(`href="/desk/${other}/today">Quay Cycles`))
    assert.equal((await portal.visitor.open(`/portal/${other}/keys`)).status, 200)
  })
})

describe('keys', () => {
  test('are made with the defaults, shown once, and work', async () => {
    const orgId = await shop()
    const admin = await signIntoPortal(here, orgId)
    const form = await admin.open('/keys/new')
    assert.match(form.text, /name="access" value="read" checked/)
    assert.match(form.text, /value="90d" selected/)
    const made = await admin.submit(form, '/keys', newKey)
    const key = keyIn(made.text)!
    const answer = await here.request('GET', `/api/v1/organisations/${orgId}/customers`, {
      headers: { 'x-api-key': key },
    })
    assert.equal(answer.status, 200)
    const [record] = await listKeys(database, orgId)
    assert.deepEqual(
      [record!.name, record!.scopes, record!.allowedUses, record!.createdBy, record!.status],
      ['Web shop', ['read'], ['rest', 'mcp'], admin.who.memberId, 'active'],
    )
    assert.ok(Math.abs(record!.expiresAt!.getTime() - Date.now() - 90 * dayMs) < 60_000)
    for (const path of ['/keys', `/keys/${record!.id}`, '/audit']) {
      const { text } = await admin.open(path)
      assert.ok(text.includes('Web shop') && !text.includes(key), path)
    }
    assert.match((await admin.open('/keys')).text, /See everything, change nothing/)
  })

  test('take only what is ticked, and say what is wrong with the rest', async () => {
    const orgId = await shop()
    const admin = await signIntoPortal(here, orgId)
    const scope = ['customers:write', 'invoices:read', 'nonsense:read']
    const made = await admin.post('/keys', { ...newKey, access: 'chosen', scope, addresses: '10.0.0.0/8\n192.0.2.7' })
    assert.match(made.text, /Customers: see, create and change\./)
    const [record] = await listKeys(database, orgId)
    assert.deepEqual(
      [record!.scopes, record!.ipAllowlist],
      [
        ['customers:write', 'invoices:read'],
        ['10.0.0.0/8', '192.0.2.7/32'],
      ],
    )
    for (const [fields, sentence] of [
      [{ access: 'chosen' }, /Tick at least one thing/],
      [{ access: 'nonsense' }, /There is no scope nonsense/],
      [{ use: [] }, /Tick where/],
      [{ use: ['fax'] }, /uses are rest and mcp/],
      [{ name: ' ' }, /Name the key/],
      [{ expiry: '9999d' }, /Choose when/],
      [{ addresses: 'my office' }, /my/],
    ] as const) {
      const wrong = await admin.post('/keys', { ...newKey, ...fields })
      assert.equal(wrong.status, 400, JSON.stringify(fields))
      assert.match(wrong.text, sentence)
    }
    assert.equal((await listKeys(database, orgId)).length, 2)
    assert.deepEqual(await recordedActions(orgId), ['key.created'])
  })

  test('are paused, resumed, rotated with an overlap and revoked, each at once and each written down', async () => {
    const client = await here.organisation()
    const admin = await signIntoPortal(here, client.orgId)
    const path = `/keys/${client.keyId}`
    const status = async (key = client.key) =>
      (await here.request('GET', `/api/v1/organisations/${client.orgId}/customers`, { headers: { 'x-api-key': key } }))
        .status
    const soon = async (expected: number, key?: string) => {
      while ((await status(key)) !== expected) await new Promise((resolve) => setTimeout(resolve, 10))
    }
    assert.equal(await status(), 200)
    assert.match((await admin.submit(await admin.open(path), `${path}/pause`)).text, /The key is paused/)
    await soon(401)
    await admin.submit(await admin.open(path), `${path}/resume`)
    await soon(200)
    const rotated = await admin.submit(await admin.open(path), `${path}/rotate`, { overlap: '24' })
    const fresh = keyIn(rotated.text)!
    await soon(200, fresh)
    assert.equal(await status(), 200, 'the one before works on for a day')
    await admin.submit(await admin.open(path), `${path}/rotate`, { overlap: '0' })
    await soon(401, fresh)
    await database.query(sql`
      update api_keys set last_used_at = now(), last_used_for = 'rest', last_used_from = '192.0.2.7' where id = ${client.keyId}`)
    const warning = await admin.open(`${path}/revoke`)
    assert.match(warning.text, /last used just now.*over REST from 192\.0\.2\.7/s)
    assert.match(warning.text, /See, create, change and delete everything/)
    const revoked = await admin.submit(warning, `${path}/revoke`)
    assert.match(revoked.text, /cannot come back/)
    assert.equal((await admin.post(`${path}/rotate`, { overlap: '0' })).status, 400)
    assert.deepEqual(await recordedActions(client.orgId), [
      'key.paused',
      'key.resumed',
      'key.rotated',
      'key.rotated',
      'key.revoked',
    ])
  })

  test('remember what they were last used for, and from where', async () => {
    const there = await startTestService({ PORT: await freePort() })
    const client = await there.organisation()
    assert.equal((await client.get('/customers')).status, 200)
    await there.restart()
    const [key] = await listKeys(there.database, client.orgId)
    assert.deepEqual([key!.lastUsedFor, key!.lastUsedFrom], ['rest', '127.0.0.1'])
  })
})

describe('apps', () => {
  test('are registered with a secret shown once, given a new one, and removed with what they were allowed', async () => {
    const orgId = await shop()
    const admin = await signIntoPortal(here, orgId)
    const made = await admin.submit(await admin.open('/apps/new'), '/apps', app)
    const [id, secret] = [/app_\w+/.exec(made.text)![0], /<code>([\w-]{43})<\/code>/.exec(made.text)![1]!]
    assert.ok(!(await admin.open(`/apps/${id}`)).text.includes(secret))
    const again = await admin.submit(await admin.open(`/apps/${id}`), `/apps/${id}/rotate`)
    assert.notEqual(/<code>([\w-]{43})<\/code>/.exec(again.text)![1], secret)
    await approveApp(orgId, admin.who.email, id)
    const warning = await admin.open(`/apps/${id}/remove`)
    assert.ok(warning.text.includes(admin.who.email))
    await admin.submit(warning, `/apps/${id}/remove`)
    assert.match((await admin.open('/apps')).text, /There is no app yet/)
    assert.match((await admin.open('/connections')).text, /No app is connected yet/)
    assert.equal((await admin.post('/apps', { ...app, redirects: 'http://app.example' })).status, 400)
    assert.deepEqual(await recordedActions(orgId), ['client.created', 'client.rotated', 'client.removed'])
  })

  test('are ten at most, however many are registered at once', async () => {
    const orgId = await shop()
    const admin = await signIntoPortal(here, orgId)
    const outcomes = await Promise.all(Array.from({ length: 14 }, () => admin.post('/apps', app)))
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), [...Array(10).fill(200), ...Array(4).fill(400)])
    const [{ count } = { count: 0 }] = await database.query<{ count: number }>(
      sql`select count(*)::int as count from oauth_clients where org_id = ${orgId}`,
    )
    assert.equal(count, 10)
    assert.equal((await recordedActions(orgId)).length, 10, 'what was refused is not written down')
    assert.match((await admin.open('/apps')).text, /All 10 are taken/)
  })

  test('that somebody allowed are listed with what they may do, and lose it when revoked', async () => {
    const orgId = await shop()
    const admin = await signIntoPortal(here, orgId)
    const id = await approveApp(orgId, admin.who.email, 'dyn_x')
    const list = await admin.open('/connections')
    assert.match(list.text, /Pocket Agent/)
    assert.match(list.text, /Jobs: see\./)
    const page = await admin.open(`/connections/${id}/revoke`)
    assert.match((await admin.submit(page, `/connections/${id}/revoke`)).text, /no longer has access/)
    const [grant] = await database.query(sql`select 1 from grants where id = ${id} and revoked_at is not null`)
    assert.ok(grant)
    assert.deepEqual(await recordedActions(orgId), ['grant.revoked'])
  })

  async function approveApp(orgId: string, email: string, clientId: string): Promise<string> {
    const [who] = await database.query<{ id: string }>(sql`select id from people where email = ${email}`)
    const approval = { orgId, personId: who!.id, clientId, clientName: 'Pocket Agent', isRemembered: false }
    const id = await database.transaction('test', (transaction) =>
      approve(transaction, { ...approval, scopes: ['tickets:read'], refusedScopes: [], lifeSeconds: null }),
    )
    return id!
  }
})

describe('an account', () => {
  test('has its password changed with the one there is, and is signed out elsewhere', async () => {
    const orgId = await shop()
    const admin = await signIntoPortal(here, orgId)
    const elsewhere = await signIntoPortal(here, orgId, admin.who)
    const wanted = 'a much better password'
    const page = await admin.open('/account')
    assert.equal((await admin.submit(page, '/account', { current: 'wrong', wanted })).status, 400)
    assert.equal((await admin.submit(page, '/account', { current: admin.who.password, wanted: 'short' })).status, 400)
    assert.equal((await elsewhere.open('/keys')).status, 200)
    const done = await admin.submit(page, '/account', { current: admin.who.password, wanted })
    assert.match(done.text, /Your password is changed/)
    assert.match((await elsewhere.open('/keys')).url, /\/sign-in/)
    const anew = new Visitor(here.config.authUrl)
    assert.equal((await signInOn(anew, here, await anew.open('/sign-in'), admin.who)).status, 401)
    assert.equal(
      (await signInOn(anew, here, await anew.open('/sign-in'), { ...admin.who, password: wanted })).status,
      200,
    )
    assert.deepEqual(await recordedActions(orgId), ['password.changed'])
  })
})

describe('the audit log', () => {
  test('cannot be changed or shortened, and goes with its organisation', async () => {
    const client = await here.organisation()
    const admin = await signIntoPortal(here, client.orgId)
    await admin.post('/keys', newKey)
    await assert.rejects(database.query(sql`update audit_log set member_name = 'x' where org_id = ${client.orgId}`))
    await assert.rejects(database.query(sql`delete from audit_log where org_id = ${client.orgId}`))
    assert.match((await admin.open('/audit')).text, /Ann<\/strong> made the API key <strong>Web shop/)
    for (const words of Object.values(auditActions)) assert.match(words, /^[a-z]/)
    assert.equal(actInWords('Write what was judged, in the background; answers at once'), 'Write what was judged')
    assert.equal(actInWords('Change a device; jobs that refer to it show it'), 'Change a device')
    await database.query(sql`delete from organisations where org_id = ${client.orgId}`)
    assert.deepEqual(await recordedActions(client.orgId), [])
  })

  test('is read page by page', async () => {
    const client = await here.organisation()
    const admin = await signIntoPortal(here, client.orgId)
    for (let index = 0; index < 52; index++) await admin.post(`/keys/${client.keyId}/pause`)
    const first = await admin.open('/audit')
    const [, next] = /href="[^"]*\/audit(\?before=[^"]+)">Older/.exec(first.text)!
    const second = await admin.open(`/audit${next}`)
    const count = ({ text }: { text: string }) => [...text.matchAll(/paused the API key/g)].length
    assert.deepEqual([count(first), count(second)], [50, 2])
  })
})

describe('signing in', () => {
  test('leads back to the page that was asked for', async () => {
    const orgId = await shop()
    const admin = await person(here, orgId)
    const visitor = new Visitor(here.config.authUrl)
    const page = await signInOn(visitor, here, await visitor.open(`/portal/${orgId}/keys`), admin)
    assert.ok(page.url.endsWith(`/portal/${orgId}/keys`), page.url)
    await resetTotp(here, admin)
    assert.match(totpCode(admin), /^\d{6}$/)
  })
})

test('what moved to the desk is found there by its old address', async () => {
  const orgId = await shop()
  const admin = await signIntoPortal(here, orgId)
  for (const [old, place] of [
    ['/members', '/settings/members'],
    ['/members/new', '/settings/members/new'],
    ['/templates/new', '/settings/forms/new'],
    ['/rules/new', '/settings/forms/rules/new'],
    ['/mail?state=failed', '/settings/mail?state=failed'],
    ['/feeds', '/settings/calendars'],
    ['/forms', '/forms'],
  ] as const) {
    const { status, url } = await admin.open(old)
    assert.deepEqual([status, url], [200, `${here.config.authUrl}/desk/${orgId}${place}`])
  }
})
