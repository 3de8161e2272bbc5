// A new job: customer, device, visit and note from one page, all or nothing, and once however often it is sent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIntoDesk } from '../../test/desk-user.ts'
import { type Client, startTestService } from '../../test/test-service.ts'
import { person } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'

const here = await startTestService()
const { database } = here

const counts = async ({ orgId }: Client) => {
  const [row] = await database.query<{
    customers: number
    devices: number
    jobs: number
    notes: number
    lines: number
  }>(sql`
    select (select count(*)::int from customers where org_id = ${orgId}) as customers,
      (select count(*)::int from devices where org_id = ${orgId}) as devices,
      (select count(*)::int from tickets where org_id = ${orgId}) as jobs,
      (select count(*)::int from messages where org_id = ${orgId} and not is_system) as notes,
      (select count(*)::int from audit_log where org_id = ${orgId} and action = 'record.created') as lines`)
  return row!
}
const keyIn = (text: string) => /name="key" value="([^"]*)"/.exec(text)![1]!

const everything = {
  firstName: 'Ada',
  lastName: 'Pemberton',
  phone: '020 7946 0144',
  email: 'ada@pemberton.example',
  address: 'Gatekeeper’s Cottage\r\nDowne BR6 7JT',
  type: 'Boiler',
  brand: 'Vaillant',
  serviceRequired: 'No hot water',
  description: 'Since Sunday',
  priority: 'high',
  day: '2026-12-01',
  from: '09:00',
  until: '10:30',
  note: 'Ring first',
}

test('one page makes customer, device, job and note, each with a line in the audit log', async () => {
  const client = await here.organisation()
  await database.query(sql`update organisations set time_zone = 'Europe/London' where org_id = ${client.orgId}`)
  const admin = await signIntoDesk(here, client.orgId)
  const page = await admin.open('/jobs/new?day=2026-12-01&from=08:15')
  assert.match(page.text, /value="2026-12-01"/)
  assert.match(page.text, /value="08:15"/)
  const made = await admin.submit(page, '/jobs/new', everything)
  assert.equal(made.status, 200, made.text)
  const [, id] = /\/jobs\/(tkt_\w+)\?done=made$/.exec(made.url)!
  const job = (await client.get(`/tickets/${id}?include=customer,device`)).body.data
  assert.deepEqual(
    [
      job.customer.email,
      job.customer.address,
      job.device.brand,
      job.serviceRequired,
      job.priority,
      job.scheduledFrom,
      job.scheduledTo,
    ],
    [
      'ada@pemberton.example',
      'Gatekeeper’s Cottage\nDowne BR6 7JT',
      'Vaillant',
      'No hot water',
      'high',
      '2026-12-01T09:00:00.000Z',
      '2026-12-01T10:30:00.000Z',
    ],
  )
  assert.match(made.text, /Ring first/)
  assert.deepEqual(await counts(client), { customers: 1, devices: 1, jobs: 1, notes: 1, lines: 4 })
})

test('what is refused stands beside its field, everything typed is kept, and nothing is half made', async () => {
  const client = await here.organisation()
  const admin = await signIntoDesk(here, client.orgId)
  const page = await admin.open('/jobs/new')
  const tries: [fields: Record<string, string>, field: string, words: RegExp][] = [
    [{ email: 'no address' }, 'email', /The email address must be/],
    [{ from: '10:30', until: '09:00' }, 'until', /The end of the visit must be after the beginning of the visit/],
    [{ serviceRequired: 'x'.repeat(501) }, 'serviceRequired', /What is needed must be at most 500 characters/],
    [{ note: 'x'.repeat(10_001) }, 'note', /The note must be at most 10000 characters/],
  ]
  for (const [fields, field, words] of tries) {
    const refused = await admin.submit(page, '/jobs/new', { ...everything, ...fields })
    assert.equal(refused.status, 400, field)
    assert.match(refused.text, words)
    assert.match(refused.text, new RegExp(`id="n-${field}" aria-invalid="true"`))
    assert.match(refused.text, /value="Pemberton"/)
    assert.match(refused.text, /Since Sunday<\/textarea>/)
    assert.deepEqual(await counts(client), { customers: 0, devices: 0, jobs: 0, notes: 0, lines: 0 }, 'all or nothing')
  }
  const nobody = await admin.submit(page, '/jobs/new', { serviceRequired: 'No hot water' })
  assert.match(nobody.text, /Choose a customer, or fill in a new one/)
})

test('the same page sent many times at once is one job, and all are led to it', async () => {
  const client = await here.organisation()
  const admin = await signIntoDesk(here, client.orgId)
  const page = await admin.open('/jobs/new')
  const fields = { ...everything, key: keyIn(page.text) }
  const answers = await Promise.all(Array.from({ length: 6 }, () => admin.post('/jobs/new', fields)))
  assert.deepEqual(await counts(client), { customers: 1, devices: 1, jobs: 1, notes: 1, lines: 4 })
  assert.deepEqual(
    new Set(answers.map(({ url }) => url)).size,
    1,
    answers.map(({ url, text }) => `${url} ${text.slice(0, 200)}`).join('\n'),
  )
  await admin.post('/jobs/new', { ...fields, serviceRequired: 'Another one' })
  assert.equal((await counts(client)).jobs, 2, 'other words are another job')
  const { memberId } = await person(here, client.orgId, 'technician')
  const isActive = (active: boolean) =>
    database.query(sql`update members set is_active = ${active} where id = ${memberId}`)
  await isActive(false)
  const given = { ...fields, assignedTechnician: memberId }
  assert.equal((await admin.post('/jobs/new', given)).status, 400)
  await isActive(true)
  assert.equal((await admin.post('/jobs/new', given)).status, 200, 'a refusal is not kept: the same is tried again')
  assert.equal((await counts(client)).jobs, 3)
})

test('a customer is found by name, phone and email; their devices are offered; without scripts one is asked who is meant', async () => {
  const client = await here.organisation()
  const ada = (
    await client.post('/customers', {
      firstName: 'Ada',
      lastName: 'Pemberton',
      phone: '020 7946 0144',
      email: 'ada@mail.example',
    })
  ).body.data
  await client.post('/customers', { firstName: 'Adam', lastName: 'Smith' })
  const device = (await client.post(`/customers/${ada.id}/devices`, { type: 'Boiler', brand: 'Vaillant' })).body.data
  const admin = await signIntoDesk(here, client.orgId)
  const look = async (text: string) => (await admin.open(`/jobs/new/customers?q=${encodeURIComponent(text)}`)).text
  for (const text of ['pembert', '79460144', '+44 20 7946'.slice(4), '2079460144', 'ada@mail'])
    assert.match(await look(text), /Ada Pemberton/, text)
  assert.doesNotMatch(await look('pembert'), /Adam/)
  assert.match(await look('nobody'), /New customer “nobody”/)
  const chosen = await admin.open(`/jobs/new?customer=${ada.id}&part=customer`)
  assert.match(chosen.text, new RegExp(`name="customerId" value="${ada.id}"`))
  assert.match(chosen.text, /Vaillant/)

  const page = await admin.open('/jobs/new')
  const asked = await admin.submit(page, '/jobs/new', { q: 'ada', serviceRequired: 'No hot water', note: 'Kept' })
  assert.match(asked.text, /Which one\?/)
  assert.match(asked.text, /Kept<\/textarea>/)
  assert.equal((await counts(client)).jobs, 0)
  const made = await admin.submit(asked, '/jobs/new', { customerId: ada.id, deviceId: device.id })
  const [, id] = /\/jobs\/(tkt_\w+)/.exec(made.url) ?? []
  assert.ok(id, made.text)
  const job = (await client.get(`/tickets/${id}`)).body.data
  assert.deepEqual([job.customerId, job.deviceId], [ada.id, device.id])
  assert.equal((await counts(client)).customers, 2, 'nobody was entered twice')
  const nobody = await admin.submit(page, '/jobs/new', { q: 'Grace Hopper', serviceRequired: 'No hot water' })
  assert.match(nobody.text, /Nobody found/)
  await admin.submit(nobody, '/jobs/new', { serviceRequired: 'No hot water' })
  const [grace] = (await client.get('/customers?search=hopper')).body.data.customers
  assert.deepEqual([grace.firstName, grace.lastName], ['Grace', 'Hopper'])
})

test('a technician makes jobs for themselves or nobody, for customers of their own jobs or a name', async () => {
  const client = await here.organisation()
  const technician = await signIntoDesk(here, client.orgId, 'technician')
  const other = await signIntoDesk(here, client.orgId, 'technician')
  const [mine, theirs] = await Promise.all(
    [technician, other].map(async ({ who: { memberId } }, n) => {
      const customer = (await client.post('/customers', { firstName: `Ada${n}`, lastName: 'Okafor' })).body.data
      await client.post('/tickets', { customerId: customer.id, assignedTechnician: memberId })
      return customer
    }),
  )
  const found = (await technician.open('/jobs/new/customers?q=okafor')).text
  assert.match(found, /Ada0/)
  assert.doesNotMatch(found, /Ada1|New customer/)
  assert.doesNotMatch((await technician.open(`/jobs/new?customer=${theirs.id}`)).text, /Ada1/)
  const page = await technician.open(`/jobs/new?customer=${mine.id}`)
  assert.doesNotMatch(page.text, /name="firstName"|name="brand"/)
  assert.match(page.text, new RegExp(`<option value="${technician.who.memberId}" selected>`))
  const given = await technician.submit(page, '/jobs/new', {
    serviceRequired: 'More',
    assignedTechnician: other.who.memberId,
  })
  assert.equal(given.status, 403)
  assert.match(given.text, /assign a job to yourself or to nobody/)
  const made = await technician.submit(page, '/jobs/new', {
    serviceRequired: 'More',
    assignedTechnician: technician.who.memberId,
  })
  assert.match(made.url, /\/jobs\/tkt_\w+\?done=made/)
  const named = await technician.submit(await technician.open('/jobs/new'), '/jobs/new', {
    q: 'Somebody at the door',
    serviceRequired: 'Key is stuck',
    assignedTechnician: '',
  })
  assert.match(named.text, /Somebody at the door/)
  assert.match(named.url, /\/jobs\/tkt_\w+\?done=made/)
  assert.equal((await counts(client)).customers, 2)
})
