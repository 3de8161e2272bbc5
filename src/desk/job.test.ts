// The page of a job: read, changed, moved, noted, signed, charged and deleted, by those who may.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DeskUser, signIntoDesk } from '../../test/desk-user.ts'
import { formWriter } from '../../test/forms.ts'
import { type Client, startTestService } from '../../test/test-service.ts'
import type { Page } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import type { NewRule, NewTemplate } from '../resources/forms/authoring.ts'
import { phoneLink, telAddress } from './marks.ts'

const here = await startTestService()
const { database } = here

const gasSafety: NewTemplate = {
  name: 'Gas safety record',
  status: 'published',
  fields: [{ id: 'safe', label: 'Safe to use', type: 'boolean', required: true }],
}
const gasRule: NewRule = { name: 'All jobs', template: 'Gas safety record', gate: 'completion' }

async function shop() {
  const client = await here.organisation()
  await database.query(sql`update organisations set time_zone = 'Europe/London' where org_id = ${client.orgId}`)
  const customer = (
    await client.post('/customers', {
      firstName: 'Ada',
      lastName: 'Pemberton',
      phone: '020 7946 0144',
      notes: 'Turn left after the chapel',
    })
  ).body.data
  const device = (
    await client.post(`/customers/${customer.id}/devices`, { type: 'Boiler', brand: 'Vaillant', identifier: 'SN-1' })
  ).body.data
  return { client, customer, device }
}

async function makeJob(client: Client, more: object = {}) {
  const made = await client.post('/tickets', {
    customerName: 'Ada Pemberton',
    serviceRequired: 'Boiler loses pressure',
    ...more,
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data as { id: string; ticketNumber: number }
}
const getJob = async (client: Client, id: string) => (await client.get(`/tickets/${id}`)).body.data
const versionIn = ({ text }: Page) => /name="version" value="([^"]*)"/.exec(text)![1]!.replaceAll('&quot;', '"')
const linesOf = async (client: Client, id: string) => (await client.get(`/tickets/${id}/services`)).body.data.services

test('the page shows the job and what stands around it, and its number leads there', async () => {
  const { client, customer, device } = await shop()
  await makeJob(client, { customerId: customer.id, deviceId: device.id, serviceRequired: 'No hot water' })
  const job = await makeJob(client, { customerId: customer.id, deviceId: device.id, description: 'Every few days' })
  await client.post(`/tickets/${job.id}/services`, { name: 'Call-out', unitPrice: 45 })
  await client.post(`/tickets/${job.id}/messages`, { text: 'Vessel is flat' })
  const admin = await signIntoDesk(here, client.orgId)
  const page = await admin.open(`/jobs/${job.ticketNumber}`)
  assert.equal(page.status, 200, page.text)
  assert.ok(page.url.endsWith(`/desk/${client.orgId}/jobs/${job.id}`), page.url)
  assert.equal(page.text.match(/<h1/g)?.length, 1)
  for (const words of [
    'Boiler loses pressure',
    'Every few days',
    'Ada Pemberton',
    'href="tel:02079460144"',
    'Turn left after the chapel',
    'SN-1',
    'No hot water',
    'Call-out',
    '£45.00',
    'Vessel is flat',
    'The job was created',
  ])
    assert.ok(page.text.includes(words), `${words} in ${page.text}`)
  assert.equal((await admin.open('/jobs/tkt_nobody')).status, 404)
  assert.equal((await admin.open('/jobs/999999')).status, 404)
})

test('a page of a job takes at most eight statements, however much it has', async () => {
  const { client, customer, device } = await shop()
  const job = await makeJob(client, { customerId: customer.id, deviceId: device.id })
  for (let n = 0; n < 5; n++) await client.post(`/tickets/${job.id}/services`, { name: `Line ${n}`, unitPrice: n })
  const admin = await signIntoDesk(here, client.orgId)
  await admin.open(`/jobs/${job.id}`)
  const count = () => database.metrics().counters.reduce((sum, [, { completed }]) => sum + completed, 0)
  const before = count()
  await admin.open(`/jobs/${job.id}`)
  assert.ok(count() - before <= 8, `${count() - before} statements`)
})

test('what is changed is sent alone, and what somebody else changed besides stays', async () => {
  const { client } = await shop()
  const job = await makeJob(client)
  const admin = await signIntoDesk(here, client.orgId)
  const page = await admin.open(`/jobs/${job.id}`)
  await client.put(`/tickets/${job.id}`, { priority: 'urgent' })
  const version = versionIn(page)
  const untouched = { priority: 'normal', 'was.priority': 'normal' }
  const typed = { version, description: 'Topped up', 'was.description': '', ...untouched }
  const changed = await admin.post(`/jobs/${job.id}`, typed)
  assert.equal(changed.status, 200, changed.text)
  assert.match(changed.text, /Saved\./)
  const { priority, description } = await getJob(client, job.id)
  assert.deepEqual([priority, description], ['urgent', 'Topped up'])
})

test('where two changed the same, both are shown, what was typed is kept, and nothing is overwritten unasked', async () => {
  const { client } = await shop()
  const job = await makeJob(client, { description: 'As it was' })
  const admin = await signIntoDesk(here, client.orgId)
  const version = versionIn(await admin.open(`/jobs/${job.id}`))
  await client.put(`/tickets/${job.id}`, { description: 'What Niamh wrote' })
  const typed = { version, description: 'What I wrote', 'was.description': 'As it was' }
  const both = await admin.post(`/jobs/${job.id}`, typed)
  assert.equal(both.status, 412)
  assert.match(both.text, /What Niamh wrote/)
  assert.match(both.text, /What I wrote<\/textarea>/)
  assert.equal((await getJob(client, job.id)).description, 'What Niamh wrote')
  const { status, said } = await admin.act(`/jobs/${job.id}`, typed)
  assert.equal(status, 412)
  assert.equal(said.code, 'PRECONDITION_FAILED')
  assert.match(said.error, /What Niamh wrote/)

  const mine = await admin.submit(both, `/jobs/${job.id}`, { description: 'What I wrote' })
  assert.equal(mine.status, 200, mine.text)
  assert.equal((await getJob(client, job.id)).description, 'What I wrote')
})

test('of many who change the same field at once from the same page, one is done and the others are shown both', async () => {
  const { client } = await shop()
  const job = await makeJob(client, { description: 'As it was' })
  const admin = await signIntoDesk(here, client.orgId)
  const version = versionIn(await admin.open(`/jobs/${job.id}`))
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      admin.act(`/jobs/${job.id}`, { version, description: `Mine ${n}`, 'was.description': 'As it was' }),
    ),
  )
  const done = answers.filter(({ status }) => status === 200)
  assert.equal(done.length, 1, JSON.stringify(answers))
  assert.ok(answers.every(({ status }) => status === 200 || status === 412))
})

test('the visit is on the wall clock of the shop, also where the clock changes', async () => {
  const { client } = await shop()
  const job = await makeJob(client)
  const admin = await signIntoDesk(here, client.orgId)
  await admin.post(`/jobs/${job.id}`, { day: '2026-10-25', from: '09:00', until: '11:00', 'was.visit': '' })
  const { scheduledFrom, scheduledTo } = await getJob(client, job.id)
  assert.deepEqual([scheduledFrom, scheduledTo], ['2026-10-25T09:00:00.000Z', '2026-10-25T11:00:00.000Z'])
  const summer = { day: '2026-10-24', from: '09:00', until: '', 'was.visit': '2026-10-25T09:00/2026-10-25T11:00' }
  await admin.post(`/jobs/${job.id}`, summer)
  const moved = await getJob(client, job.id)
  assert.deepEqual(
    [moved.scheduledFrom, moved.scheduledTo],
    ['2026-10-24T08:00:00.000Z', '2026-10-24T09:00:00.000Z'],
    'an hour, if no end is given',
  )
  const page = await admin.post(`/jobs/${job.id}`, {
    day: '2026-10-24',
    allDay: 'yes',
    'was.visit': '2026-10-24T09:00/2026-10-24T10:00',
  })
  assert.match(page.text, /all day/)
  assert.equal((await getJob(client, job.id)).scheduledAllDay, true)
  const wrong = await admin.post(`/jobs/${job.id}`, {
    day: '2026-10-24',
    from: '11:00',
    until: '10:00',
    'was.visit': 'x',
    version: '',
  })
  assert.equal(wrong.status, 412, 'what it was is not what it is')
  const backwards = await admin.post(`/jobs/${job.id}`, {
    day: '2026-10-26',
    from: '11:00',
    until: '10:00',
    'was.visit': '2026-10-24/2026-10-24',
  })
  assert.equal(backwards.status, 400)
  assert.match(backwards.text, /The end of the visit must be after the beginning of the visit/)
})

test('lines are added, changed and removed; totals come with the answer; a removed line comes back as it was', async () => {
  const { client } = await shop()
  const job = await makeJob(client)
  const service = (await client.post('/services', { name: 'Repair work', price: 58, warrantyDays: 90 })).body.data
  const item = (await client.post('/inventory', { name: 'Gasket set', price: 18.5, quantityOnHand: 2 })).body.data
  const admin = await signIntoDesk(here, client.orgId)
  const options = await admin.open('/catalogue?q=gas')
  assert.match(options.text, /Gasket set/)
  assert.match(options.text, /2 in stock/)
  assert.match(options.text, /Add “gas” as it is/)
  assert.doesNotMatch((await admin.open('/catalogue?q=%25')).text, /Gasket/, 'a percent sign means itself')

  await admin.post(`/jobs/${job.id}/lines`, { source: `service:${service.id}`, q: 'Repair' })
  await admin.post(`/jobs/${job.id}/lines`, { source: `inventory:${item.id}`, q: 'Gas' })
  await admin.post(`/jobs/${job.id}/lines`, { source: 'text', q: 'Parking', quantity: '2', unitPrice: '4,50' })
  const [repair, parking] = await linesOf(client, job.id)
  assert.deepEqual(
    [repair.unitPrice, repair.warrantyDays, parking.name, parking.unitPrice, parking.quantity],
    [58, 90, 'Parking', 4.5, 2],
  )

  const path = `/jobs/${job.id}/lines/service/${repair.id}`
  const { said } = await admin.act(path, {
    quantity: '1.5',
    'was.quantity': '1',
    unitPrice: '58.00',
    'was.unitPrice': '58.00',
  })
  assert.equal(said.parts[`x-${repair.id}`], '£87.00')
  assert.match(said.parts.totals, /£114\.50/)
  const wrong = await admin.act(path, { quantity: '0', 'was.quantity': '1.5' })
  assert.deepEqual([wrong.status, wrong.said.error], [400, 'Repair work: the quantity must be more than 0.'])
  const word = await admin.post(path, { quantity: 'two', 'was.quantity': '1.5' })
  assert.equal(word.status, 400)
  assert.match(word.text, /Repair work: the quantity must be a number/)
  await client.put(`/tickets/${job.id}/services/${repair.id}`, { quantity: 3 })
  const stale = await admin.act(path, { quantity: '2', 'was.quantity': '1.5' })
  assert.deepEqual([stale.status, stale.said.code], [412, 'PRECONDITION_FAILED'])
  assert.equal((await linesOf(client, job.id))[0].quantity, 3)

  const removed = await admin.act(path, { remove: 'yes' })
  assert.equal(removed.said.said, 'Repair work is removed')
  assert.equal((await linesOf(client, job.id)).length, 1)
  await client.put(`/services/${service.id}`, { price: 99 })
  const back = await admin.act(`/jobs/${job.id}/lines`, removed.said.undo.fields)
  assert.equal(back.status, 200, JSON.stringify(back))
  const again = (await linesOf(client, job.id)).find(({ name }: { name: string }) => name === 'Repair work')
  assert.deepEqual([again.unitPrice, again.quantity, again.serviceId, again.warrantyDays], [58, 3, service.id, 90])
})

test('without scripts a line is found by its name, and people are asked where several are meant', async () => {
  const { client } = await shop()
  const job = await makeJob(client)
  const exact = (await client.post('/services', { name: 'Call-out', price: 45 })).body.data
  await client.post('/services', { name: 'Call-out at night', price: 90 })
  const admin = await signIntoDesk(here, client.orgId)
  await admin.post(`/jobs/${job.id}/lines`, { q: 'call-OUT' })
  assert.equal((await linesOf(client, job.id))[0].serviceId, exact.id)
  const asked = await admin.post(`/jobs/${job.id}/lines`, { q: 'Call', quantity: '3' })
  assert.match(asked.text, /Which one\?/)
  assert.equal((await linesOf(client, job.id)).length, 1)
  await admin.submit(asked, `/jobs/${job.id}/lines`, { source: 'text' })
  assert.deepEqual(
    (await linesOf(client, job.id)).map(({ name, quantity }: { name: string; quantity: number }) => [name, quantity]),
    [
      ['Call-out', 1],
      ['Call', 3],
    ],
  )
})

test('what has no digits is no number to call', () => {
  assert.equal(phoneLink('ask the neighbour'), 'ask the neighbour')
  assert.equal(telAddress('none'), undefined)
  assert.equal(telAddress('+44 (20) 7946-0144'), 'tel:+442079460144')
})

test('notes, discount, signature, quote, invoice and deletion lead back with what was done, each in the audit log', async () => {
  const { client } = await shop()
  const job = await makeJob(client)
  const admin = await signIntoDesk(here, client.orgId)
  await admin.post(`/jobs/${job.id}/lines`, { source: 'text', q: 'Work', unitPrice: '100' })
  const noted = await admin.post(`/jobs/${job.id}/notes`, { text: 'Ring first', visibility: 'customer' })
  assert.match(noted.text, /Ring first/)
  assert.match(noted.text, /The customer sees this/)
  const empty = await admin.post(`/jobs/${job.id}/notes`, { text: ' ' })
  assert.equal(empty.status, 400)
  assert.match(empty.text, /The note must not be empty/)
  const discounted = await admin.post(`/jobs/${job.id}/discount`, { type: 'percent', value: '10', reason: 'Loyal' })
  assert.match(discounted.text, /£90\.00/)
  assert.match(
    (await admin.post(`/jobs/${job.id}/discount`, { type: 'percent', value: '110' })).text,
    /The discount must be between 0 and 100/,
  )
  assert.doesNotMatch((await admin.post(`/jobs/${job.id}/discount`, { value: '' })).text, /£90\.00/)
  const drawn = `data:image/png;base64,${'A'.repeat(100_000)}`
  const signed = await admin.post(`/jobs/${job.id}/signature`, { signedByName: 'Ada', signature: drawn })
  assert.match(signed.text, /Signed by <strong>Ada<\/strong>/)
  assert.equal((await client.get(`/tickets/${job.id}/signature`)).body.data.signature, drawn)
  await admin.post(`/jobs/${job.id}/signature`, { clear: 'yes' })
  assert.equal((await client.get(`/tickets/${job.id}/signature`)).body.data.signature, null)
  for (const kind of ['quote', 'invoice']) {
    const { url } = await admin.post(`/jobs/${job.id}/${kind}`)
    const [, id] = new RegExp(`/desk/${client.orgId}/${kind}s/(\\w+)$`).exec(url)!
    const { ticketId, subtotal } = (await client.get(`/${kind}s/${id}`)).body.data
    assert.deepEqual([ticketId, subtotal], [job.id, 100], 'with the lines of the job')
  }
  const again = await admin.post(`/jobs/${job.id}/invoice`)
  const [made, ...others] = (await client.get(`/invoices?ticketId=${job.id}`)).body.data.invoices
  assert.deepEqual([again.status, others.length], [409, 0], 'the same work is not asked for twice by mistake')
  assert.ok(again.text.includes(`/invoices/${made.id}">Invoice ${made.invoiceNumber}, a draft`))
  assert.match((await admin.submit(again, `/jobs/${job.id}/invoice`, { another: 'yes' })).url, /\/invoices\/inv_\w+$/)
  for (const { id } of (await client.get(`/invoices?ticketId=${job.id}`)).body.data.invoices)
    await client.put(`/invoices/${id}`, { status: 'void' })
  assert.match((await admin.post(`/jobs/${job.id}/invoice`)).url, /\/invoices\/inv_\w+$/, 'a void one asks for nothing')
  const asks = await admin.open(`/jobs/${job.id}/delete`)
  assert.match(asks.text, /cannot be taken back/)
  const gone = await admin.submit(asks, `/jobs/${job.id}/delete`)
  assert.match(gone.url, /\/board\?done=deleted$/)
  assert.equal((await client.get(`/tickets/${job.id}`)).status, 404)
  const log = await database.query<{ operation: string; name: string }>(sql`
    select detail ->> 'operation' as operation, detail ->> 'name' as name from audit_log
    where org_id = ${client.orgId} and member_id = ${admin.who.memberId} and detail ->> 'operation' is not null order by id`)
  const names = log.map(({ operation }) => operation)
  for (const name of [
    'addTicketService',
    'addTicketMessage',
    'setTicketDiscount',
    'setTicketSignature',
    'createQuote',
    'createInvoice',
    'deleteTicket',
  ])
    assert.ok(names.includes(name), `${name} in ${names}`)
  assert.ok(log.every(({ name }) => name !== ''))
  assert.equal(log.find(({ operation }) => operation === 'deleteTicket')!.name, `job #${job.ticketNumber}`)
})

test('a technician sees lines without prices, neither documents nor contacts of others, and writes only own or nobody’s jobs', async () => {
  const { client, customer } = await shop()
  const technician = await signIntoDesk(here, client.orgId, 'technician')
  const other = await signIntoDesk(here, client.orgId, 'technician')
  const own = await makeJob(client, { customerId: customer.id, assignedTechnician: technician.who.memberId })
  const theirs = await makeJob(client, { customerId: customer.id, assignedTechnician: other.who.memberId })
  for (const { id } of [own, theirs])
    await client.post(`/tickets/${id}/services`, { name: 'Call-out', unitPrice: 45.67 })
  const page = await technician.open(`/jobs/${own.id}`)
  assert.match(page.text, /Call-out/)
  assert.match(page.text, /02079460144/)
  assert.doesNotMatch(page.text, /45\.67|Subtotal|Make a quote|Delete the job|unitPrice/)
  const foreign = await technician.open(`/jobs/${theirs.id}`)
  assert.equal(foreign.status, 200)
  assert.match(foreign.text, /You can read it; ask a manager/)
  assert.doesNotMatch(foreign.text, /02079460144|Turn left|<select|<textarea|45\.67/)
  for (const [path, fields] of [
    ['', { description: 'Mine now' }],
    ['/notes', { text: 'Hello' }],
    ['/status', { status: 'Closed' }],
    ['/lines', { source: 'text', q: 'More' }],
    ['/signature', { signedByName: 'Ada' }],
  ] as const) {
    const refused = await technician.act(`/jobs/${theirs.id}${path}`, fields)
    assert.deepEqual([refused.status, refused.said.code], [403, 'job_of_another'], path)
  }
  for (const path of ['/quote', '/invoice', '/delete'])
    assert.equal((await technician.post(`/jobs/${own.id}${path}`)).status, 403, path)
  const [line] = await linesOf(client, own.id)
  const linePath = `/jobs/${own.id}/lines/service/${line.id}`
  assert.equal((await technician.act(linePath, { quantity: '2', 'was.quantity': '1' })).status, 200)
  assert.equal((await technician.act(linePath, { unitPrice: '1' })).status, 403)
  const asks = await technician.open(linePath)
  assert.match(asks.text, /Remove Call-out\?/)
  await technician.submit(asks, linePath, { remove: 'yes' })
  assert.equal((await linesOf(client, own.id)).length, 0)
})

test('a status that a form holds back is refused by the name of the form, with the way to it', async () => {
  const { client } = await shop()
  const admin: DeskUser = await signIntoDesk(here, client.orgId)
  await formWriter(database, client.orgId).import([gasSafety], [gasRule])
  const job = await makeJob(client)
  const page = await admin.open(`/jobs/${job.id}`)
  assert.match(page.text, /<strong>Gas safety record<\/strong> is needed before this job can be closed/)
  assert.match(page.text, /Fill in gas safety record/)
  const refused = await admin.act(`/jobs/${job.id}/status`, { status: 'Closed' })
  assert.equal(refused.status, 409)
  assert.match(refused.said.error, /Gas safety record is still open/)
  assert.match(refused.said.data.formPath, /\/forms\/\w+$/)
  const plain = await admin.post(`/jobs/${job.id}/status`, { status: 'Closed' })
  assert.equal(plain.status, 409)
  assert.match(plain.text, /role="alert".*Gas safety record is still open.*Open the form/s)
})
