// The desk over HTTP: who is let in where, what a page costs, and that acts go through operations.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { deskVisitor } from '../../test/desk.ts'
import { shopWithDeskPages } from '../../test/desk-pages.ts'
import { untilWaiting } from '../../test/lock-waits.ts'
import { unseenLocks } from '../../test/test-database.ts'
import { startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { lockOrganisationFor } from '../db/organisation-lock.ts'
import { roles } from '../identity/members.ts'
import { addDeskPages } from './desk.ts'
import type { DeskDependencies, DeskRouter } from './router.ts'

const here = await startTestService()
const { database } = here
const { shop, visitors, customer, pages } = await shopWithDeskPages(here)
const { orgId } = shop
const { admin, manager, technician } = visitors

/** Statements that the database has answered so far. */
const statementCount = () => database.metrics().counters.reduce((sum, [, { completed }]) => sum + completed, 0)

/** The address as it was registered: of several that fit, the one with the most fixed parts. */
function routeOf(path: string, routes: readonly string[]): string | undefined {
  const given = path.replace(/\?.*/, '').split('/')
  const fixed = (route: string) => route.split('/').filter((part) => !part.startsWith(':')).length
  return routes
    .filter((route) => {
      const parts = route.split('/')
      return parts.length === given.length && parts.every((part, at) => part.startsWith(':') || part === given[at])
    })
    .sort((a, b) => fixed(b) - fixed(a))[0]
}

describe('every page', () => {
  test('that the desk has is looked at here, for every role', () => {
    const routes: string[] = []
    const recorder: DeskRouter = { get: (path) => void routes.push(path), post: () => {} }
    const dependencies = { config: here.config } as unknown as DeskDependencies
    addDeskPages(
      { router: recorder, memberRouter: recorder, largeRouter: recorder, uploadRouter: recorder },
      dependencies,
    )
    const seen = new Set(pages.map(([path]) => routeOf(path, routes)))
    assert.deepEqual(
      routes.filter((route) => !seen.has(route)),
      [],
    )
  })

  for (const [path, allowed, kind] of pages) {
    test(`${path} is for ${allowed}`, async () => {
      for (const role of roles) {
        const before = statementCount()
        const page = await visitors[role].open(path)
        const statements = statementCount() - before
        if (!allowed.includes(role)) {
          assert.ok([403, 404].includes(page.status), `${role} ${path}: ${page.status}`)
          continue
        }
        assert.equal(page.status, 200, `${role} ${path}: ${page.text.slice(0, 500)}`)
        if (kind === 'file' || kind === 'way') continue
        assert.equal(page.text.match(/<h1[ >]/g)?.length, kind === 'part' ? undefined : 1)
        assert.doesNotMatch(page.text, /<script(?![^>]*src=)|\sstyle="|\son\w+="/)
        assert.ok(statements <= 8, `${path}: ${statements} statements`)
        assert.ok(gzipSync(page.text, { level: 9 }).length <= 12_288, `${path} is too long`)
      }
    })
  }

  test('is shut to whoever is not signed in, and to members of other shops', async () => {
    const other = await here.organisation()
    const stranger = await deskVisitor(here, other.orgId, 'admin')
    for (const [path] of pages.filter(([, , kind]) => kind !== 'way')) {
      const foreign = await stranger.visitor.open(`/desk/${orgId}${path}`)
      assert.equal(foreign.status, 403)
      assert.doesNotMatch(foreign.text, /Harbour Repairs|boiler/i)
      const reply = await fetch(`${here.config.authUrl}/desk/${orgId}${path}`, { redirect: 'manual' })
      assert.deepEqual([reply.status, new URL(reply.headers.get('location')!, here.origin).pathname], [303, '/sign-in'])
    }
  })

  test('that is not there says so inside the frame, with one way on', async () => {
    for (const path of ['/nowhere', '/jobs/999999', '/customers/cus_nobody']) {
      const page = await manager.open(path)
      assert.equal(page.status, 404, path)
      assert.match(page.text, /<nav class="rail"/)
      assert.match(page.text, /There is nothing here/)
    }
  })

  test('carries a policy that lets nothing foreign in', async () => {
    const { headers } = await admin.open('/today')
    const policy = headers.get('content-security-policy')!
    for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"])
      assert.ok(policy.includes(part))
    assert.doesNotMatch(policy, /unsafe|\*/)
  })
})

describe('an act', () => {
  const job = async () =>
    (await shop.post('/tickets', { customerId: customer.id, serviceRequired: 'Kettle trips the fuse' })).body.data

  test('goes through the operation, as the member, with a line in the audit log and an event', async () => {
    const { id, ticketNumber } = await job()
    const { status, said } = await manager.send(`/jobs/${id}/status`, { status: 'In Progress' })
    assert.deepEqual([status, said.ok], [200, true])
    assert.equal((await shop.get(`/tickets/${id}`)).body.data.status, 'In Progress')
    const [line] = await database.query<{
      member: string
      action: string
      detail: { name: string; operation: string }
    }>(sql`select member_id as member, action, detail from audit_log where org_id = ${orgId} and subject = ${id}`)
    assert.deepEqual(
      [line!.member, line!.action, line!.detail.name, line!.detail.operation],
      [manager.memberId, 'record.changed', `job #${ticketNumber}`, 'setTicketStatus'],
    )
    const entries = (await shop.get(`/tickets/${id}/messages?limit=50`)).body.data.messages
    assert.equal(entries.at(-1).authorId, manager.memberId)
    const [change] = await database.query<{ actor: string }>(
      sql`select actor from event_inbox where org_id = ${orgId} order by seq desc limit 1`,
    )
    if (change) assert.equal(JSON.parse(change.actor).id, manager.memberId)
  })

  test('that is refused says why, and leaves no line', async () => {
    const { id } = await job()
    const { status, said } = await manager.send(`/jobs/${id}/status`, { status: 'Nowhere' })
    assert.equal(status, 400)
    assert.match(said.error, /status/i)
    const lines = await database.query(sql`select from audit_log where org_id = ${orgId} and subject = ${id}`)
    assert.equal(lines.length, 0)
  })

  test('on a job that waits for a form names the form and leads to it', async () => {
    const [gated] = await database.query<{ id: string; name: string }>(sql`
      select ticket.id, submission.template_name as name from tickets ticket
      join form_submissions submission on submission.org_id = ticket.org_id and submission.ticket_id = ticket.id
      where ticket.org_id = ${orgId} and ticket.closed_at is null and submission.status in ('open', 'inProgress')
        and submission.gate = 'completion' limit 1`)
    const { status, said } = await admin.send(`/jobs/${gated!.id}/status`, { status: 'Closed' })
    assert.deepEqual([status, said.code], [409, 'FORM_GATE_TRANSITION'])
    assert.ok(said.error.includes(gated!.name), said.error)
    assert.match(said.data.formPath, new RegExp(`^/desk/${orgId}/forms/`))
  })

  test("of a technician is for jobs of their own and nobody's", async () => {
    const { id } = await job()
    assert.equal((await technician.send(`/jobs/${id}/status`, { status: 'In Progress' })).status, 200, 'nobody has it')
    await shop.put(`/tickets/${id}`, { assignedTechnician: technician.memberId })
    assert.equal((await technician.send(`/jobs/${id}/status`, { status: 'Open' })).status, 200, 'theirs')
    await shop.put(`/tickets/${id}`, { assignedTechnician: manager.memberId })
    const { status, said } = await technician.send(`/jobs/${id}/status`, { status: 'In Progress' })
    assert.equal(status, 403)
    assert.match(said.error, /somebody else/)
  })

  test('of somebody who loses their role while it waits is refused', { skip: unseenLocks }, async () => {
    const { id } = await job()
    const leaving = await deskVisitor(here, orgId, 'manager')
    let sending: ReturnType<typeof leaving.send> | undefined
    await database.transaction('test', async (transaction) => {
      await lockOrganisationFor(transaction, orgId, 'change of members')
      sending = leaving.send(`/jobs/${id}/status`, { status: 'In Progress' })
      // Until it waits for us: it has passed the door by then.
      await untilWaiting(database, '%', sending)
      await transaction.query(sql`
        update members set role = 'technician' where org_id = ${orgId} and id = ${leaving.memberId}`)
    })
    const { status, said } = await sending!
    assert.equal(status, 403)
    assert.match(said.error, /changed meanwhile/)
    assert.equal((await shop.get(`/tickets/${id}`)).body.data.status, 'Open')
  })

  test('without the token of the page is refused', async () => {
    const { id } = await job()
    assert.equal((await admin.send(`/jobs/${id}/status`, { status: 'In Progress', csrf: 'guessed' })).status, 403)
  })

  test('of somebody whose role was changed meanwhile is refused', async () => {
    const { id } = await job()
    const leaving = await deskVisitor(here, orgId, 'manager')
    await leaving.send(`/jobs/${id}/status`, { status: 'In Progress' })
    await database.query(sql`update members set is_active = false where org_id = ${orgId} and id = ${leaving.memberId}`)
    assert.ok((await leaving.send(`/jobs/${id}/status`, { status: 'Open' })).status >= 300)
    assert.equal((await shop.get(`/tickets/${id}`)).body.data.status, 'In Progress')
  })
})

describe('a customer', () => {
  test('is made, changed field by field, and found', async () => {
    const form = await manager.open('/customers/new')
    const made = await manager.visitor.submit(form, `/desk/${orgId}/customers`, {
      firstName: 'Wren',
      phone: '020 7946 0888',
    })
    assert.match(made.url, /\/customers\/cus_\w+\?done=saved$/)
    const found = await manager.open('/customers?q=79460888')
    assert.match(found.text, />Wren</)
    const id = /cus_\w+/.exec(made.url)![0]
    const edit = await manager.open(`/customers/${id}/edit`)
    await shop.put(`/customers/${id}`, { email: 'wren@mail.example' })
    // Somebody else has changed it: both versions are shown, and what was typed is kept.
    const stale = await manager.visitor.submit(edit, `/desk/${orgId}/customers/${id}`, { phone: '020 7946 0999' })
    assert.equal(stale.status, 412)
    assert.match(stale.text, /value="020 7946 0999"/)
    assert.match(stale.text, /Now it is: wren@mail\.example/)
    const saved = await manager.visitor.submit(stale, `/desk/${orgId}/customers/${id}`, { email: 'wren@mail.example' })
    assert.equal(saved.status, 200)
    const { phone, email } = (await shop.get(`/customers/${id}`)).body.data
    assert.deepEqual([phone, email], ['020 7946 0999', 'wren@mail.example'])
  })

  test('of others is none of a technician', async () => {
    const { id } = (await shop.post('/customers', { firstName: 'Yusra' })).body.data
    assert.equal((await technician.open(`/customers/${id}`)).status, 404)
    for (const path of ['/customers?q=Yusra', '/search?q=Yusra', '/search?part=1&q=Yusra'])
      assert.doesNotMatch((await technician.open(path)).text, />Yusra</)
    await shop.post('/tickets', { customerId: id, assignedTechnician: technician.memberId })
    assert.equal((await technician.open(`/customers/${id}`)).status, 200)
  })
})

test('single keys can be turned off in a browser', async () => {
  assert.match((await admin.open('/board')).text, / data-keys/)
  const off = await admin.visitor.submit(await admin.open('/keys'), `/desk/${orgId}/keys`, { keys: 'off' })
  assert.match(off.text, /Single keys are off/)
  assert.doesNotMatch((await admin.open('/board')).text, / data-keys/)
})
