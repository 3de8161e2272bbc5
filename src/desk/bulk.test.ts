// Several at once over HTTP: each record judged for itself, an account of what was refused and why, and one way back.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { signIntoDesk } from '../../test/desk-user.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import type { Page } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'

const here = await startTestService({ PORT: await freePort() })
const { database } = here
const shop = await here.organisation({ name: 'Harbour Repairs' })
const { orgId } = shop
const [manager, technician] = [
  await signIntoDesk(here, orgId, 'manager'),
  await signIntoDesk(here, orgId, 'technician'),
]
// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
type Any = any
const newJob = async (fields: object = {}): Promise<Any> =>
  (await shop.post('/tickets', { customerName: 'Ada', serviceRequired: 'Kettle', ...fields })).body.data
const job = async (id: string) => (await shop.get(`/tickets/${id}`)).body.data
const part = ({ text }: Page, heading: string) =>
  new RegExp(`<h2>${heading}</h2>.*?</section>`, 's').exec(text)?.[0] ?? ''
const auditCount = async () => (await database.query(sql`select from audit_log where org_id = ${orgId}`)).length

describe('several jobs', () => {
  test('are assigned in one go, each with its own line in the audit log, and given back by Undo', async () => {
    const jobs = [await newJob(), await newJob({ assignedTechnician: manager.who.memberId }), await newJob()]
    const board = await manager.open('/board?choose=yes')
    for (const { id } of jobs) assert.ok(board.text.includes(`name="job" value="${id}"`))
    const before = await auditCount()
    const done = await manager.post('/jobs/bulk', {
      act: 'assign',
      technician: technician.who.memberId,
      job: [...jobs.map(({ id }) => id), jobs[0].id],
    })
    assert.match(done.text, /3 jobs assigned to Ann/)
    for (const { id } of jobs) assert.equal((await job(id)).assignedTechnician, technician.who.memberId)
    assert.equal((await auditCount()) - before, 3)
    await shop.put(`/tickets/${jobs[2].id}`, { assignedTechnician: manager.who.memberId })
    const undone = await manager.submit(done, '/jobs/bulk/undo')
    assert.match(undone.text, /2 jobs as before/)
    assert.match(part(undone, 'Refused'), new RegExp(`#${jobs[2].ticketNumber}</a> Somebody changed it meanwhile`))
    assert.deepEqual(await Promise.all(jobs.map(async ({ id }) => (await job(id)).assignedTechnician)), [
      null,
      manager.who.memberId,
      manager.who.memberId,
    ])
  })

  test('are moved; what waits for a form, is gone or is somebody else’s is refused by number, and stops no other', async () => {
    const [free, theirs] = [await newJob(), await newJob({ assignedTechnician: manager.who.memberId })]
    const gone = await newJob()
    await shop.delete(`/tickets/${gone.id}`)
    const moved = await technician.post('/jobs/bulk', {
      act: 'move',
      status: 'In Progress',
      job: [theirs.id, gone.id, free.id],
    })
    assert.match(moved.text, /1 job moved to In Progress/)
    assert.match(moved.text, /2 jobs were refused/)
    assert.match(part(moved, 'Refused'), new RegExp(`#${theirs.ticketNumber}</a> [^<]*somebody else`))
    assert.match(part(moved, 'Refused'), /It is no longer there/)
    assert.match(part(moved, 'Done'), new RegExp(`#${free.ticketNumber}<`))
    assert.deepEqual([(await job(free.id)).status, (await job(theirs.id)).status], ['In Progress', 'Open'])
    const wrong = await manager.post('/jobs/bulk', { act: 'move', status: 'Nowhere', job: [free.id] })
    assert.match(wrong.text, /Nothing was changed/)
    assert.match(part(wrong, 'Refused'), /status/)
  })

  test('are a hundred at most, and one at least', async () => {
    const many = Array.from({ length: 101 }, (_, index) => `job_${index}`)
    const over = await manager.post('/jobs/bulk', { act: 'move', status: 'Open', job: many })
    assert.equal(over.status, 400)
    assert.match(over.text, /Choose at most 100 at once; you chose 101/)
    assert.match((await manager.post('/jobs/bulk', { act: 'move', status: 'Open' })).text, /Choose at least one job/)
  })

  test('of another shop are not there', async () => {
    const stranger = await here.organisation()
    const { id } = (await stranger.post('/tickets', { customerName: 'Bo' })).body.data
    const refused = await manager.post('/jobs/bulk', { act: 'move', status: 'In Progress', job: [id] })
    assert.match(part(refused, 'Refused'), /It is no longer there/)
    assert.equal((await stranger.get(`/tickets/${id}`)).body.data.status, 'Open')
  })
})

describe('several reminders', () => {
  const customer = async (fields: object = {}) =>
    (await shop.post('/customers', { firstName: 'Ada', email: 'ada@mail.example', ...fields })).body.data.id
  const newInvoice = async (customerId: string, isSent = true): Promise<Any> => {
    const { data } = (
      await shop.post('/invoices', { customerId, lineItems: [{ name: 'Work', quantity: 1, unitPrice: 50 }] })
    ).body
    if (isSent) await shop.put(`/invoices/${data.id}`, { status: 'sent' })
    await database.query(sql`
      update invoices set issued_at = now() - interval '40 days', due_at = now() - interval '9 days'
      where org_id = ${orgId} and id = ${data.id}`)
    return data
  }
  const remindersOf = async (id: string) => (await shop.get(`/invoices/${id}/reminders`)).body.data.reminders

  test('are asked about, sent once each, refused with the reason, and taken back', async () => {
    const due = [await newInvoice(await customer()), await newInvoice(await customer())]
    const [draft, silent] = [
      await newInvoice(await customer(), false),
      await newInvoice(await customer({ email: null })),
    ]
    const list = await manager.open('/invoices?state=overdue&choose=yes')
    for (const { id } of due) assert.match(list.text, new RegExp(`name="invoice" value="${id}" checked`))
    const invoice = [...due, draft, silent].map(({ id }) => id)
    const asked = await manager.post('/invoices/reminders', { invoice })
    assert.match(asked.text, /Remind the customers of 4 invoices\?/)
    assert.match(asked.text, /It was not sent yet/)
    for (const { text } of [asked, await manager.open(`/invoices/${due[0].id}`)])
      assert.match(text, /No mail server is set: mail is only written to a file, and nobody gets it/)
    assert.equal((await remindersOf(due[0].id)).length, 0, 'nothing is sent before the answer')
    const sent = await manager.submit(asked, '/invoices/reminders', { message: 'Please have a look' })
    assert.match(sent.text, /2 reminders will be written to a file in 5 minutes/)
    assert.match(part(sent, 'Refused'), new RegExp(`${draft.invoiceNumber}</a> It was not sent yet`))
    assert.match(part(sent, 'Refused'), new RegExp(`${silent.invoiceNumber}</a> The customer has no email address`))
    const twice = await manager.submit(asked, '/invoices/reminders', { message: 'Please have a look' })
    assert.match(twice.text, /2 reminders will be written/, 'the same page sent twice reminds once')
    const anew = await manager.post('/invoices/reminders', { invoice: [due[0].id], confirmed: 'yes' })
    assert.match(part(anew, 'Refused'), /A reminder is on its way already/)
    for (const { id } of due) {
      const [one, ...more] = await remindersOf(id)
      assert.deepEqual([one.status, one.message, more.length], ['scheduled', 'Please have a look', 0])
    }
    for (const address of ['/invoices/reminders', '/invoices/reminders/undo', '/jobs/bulk', '/jobs/bulk/undo']) {
      const again = await manager.open(address)
      assert.equal(again.status, 200, `${address} opened anew`)
      assert.match(again.text, /Stop choosing/)
    }
    const undone = await manager.submit(sent, '/invoices/reminders/undo')
    assert.match(undone.text, /2 reminders taken back/)
    for (const { id } of due) assert.equal((await remindersOf(id)).length, 0)
    assert.equal((await technician.post('/invoices/reminders', { invoice })).status, 403)
  })
})
