// Forms at the desk: filled in, signed, submitted, voided and reopened, by those who may.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIntoDesk } from '../../test/desk-user.ts'
import { formWriter } from '../../test/forms.ts'
import { type Client, startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import type { NewTemplate } from '../resources/forms/authoring.ts'

const here = await startTestService()
const { database } = here

const gasSafety: NewTemplate = {
  name: 'Gas safety record',
  status: 'published',
  signatureRoles: ['technician', 'customer'],
  fields: [
    { id: 'flue', label: 'Flue', type: 'section' },
    { id: 'flueType', label: 'Flue type', type: 'choice', options: ['Room sealed', 'Open flue'], required: true },
    { id: 'pressureMbar', label: 'Pressure (mbar)', type: 'number', required: true },
    { id: 'safeToUse', label: 'Safe to use', type: 'boolean' },
    { id: 'roomsSeen', label: 'Rooms seen', type: 'multiChoice', options: ['Kitchen', 'Hall'] },
    { id: 'photo', label: 'Photo', type: 'photo' },
  ],
}
const answers = {
  'answer.flueType': 'Open flue',
  'answer.pressureMbar': '20,5',
  'answer.safeToUse': 'yes',
  'answer.roomsSeen': ['Kitchen', 'Hall'],
}

async function shop() {
  const client = await here.organisation()
  const rule = { name: 'All jobs', template: 'Gas safety record', gate: 'completion' } as const
  await formWriter(database, client.orgId).import([gasSafety], [rule])
  return { client, admin: await signIntoDesk(here, client.orgId) }
}

async function job(client: Client, assignedTechnician?: string): Promise<{ ticketId: string; formId: string }> {
  const customer = await client.post('/customers', { firstName: 'Ada' })
  const ticket = await client.post('/tickets', {
    customerId: customer.body.data.id,
    serviceRequired: 'Boiler service',
    ...(assignedTechnician && { assignedTechnician }),
  })
  assert.equal(ticket.status, 201, JSON.stringify(ticket.body))
  const forms = await client.get(`/form-submissions?ticketId=${ticket.body.data.id}`)
  return { ticketId: ticket.body.data.id, formId: forms.body.data.formSubmissions[0].id }
}
const getForm = async (client: Client, id: string) => (await client.get(`/form-submissions/${id}`)).body.data

test('a form that a job is asked for is filled in, signed and submitted', async () => {
  const { client, admin } = await shop()
  const { ticketId, formId } = await job(client)
  assert.match((await admin.open('/forms')).text, /Gas safety record/)
  const path = `/forms/${formId}`
  const wrong = await admin.post(path, { ...answers, 'answer.pressureMbar': 'lots' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /“Pressure \(mbar\)” must be a number/)
  assert.match(wrong.text, /value="lots"/, 'what was typed is still there')
  assert.equal((await getForm(client, formId)).status, 'open')

  const early = await admin.post(path, { ...answers, button: 'submit', signerName: ['Ann', 'Ada'] })
  assert.equal(early.status, 400)
  assert.match(early.text, /The technician has not signed/)
  const { answers: saved, status } = await getForm(client, formId)
  assert.equal(status, 'inProgress', 'the answers were kept all the same')
  assert.deepEqual(
    saved.map(({ value }: { value: unknown }) => value),
    ['Open flue', 20.5, true, ['Kitchen', 'Hall']],
  )
  const drawn = `data:image/png;base64,${'A'.repeat(200_000)}`
  await admin.post(path, { ...answers, button: 'sign technician', signerName: ['Ann', 'Ada'], signature: ['', drawn] })
  const signed = await admin.post(path, {
    ...answers,
    button: 'sign customer',
    signerName: ['Ann', 'Ada'],
    signature: ['', drawn],
  })
  assert.match(signed.text, /The signature is kept/)
  const signatures = (await client.get(`/form-submissions/${formId}/signatures`)).body.data.signatures
  assert.deepEqual(
    signatures.map(({ role, signerName, signature }: Record<string, string>) => [role, signerName, signature!.length]),
    [
      ['technician', 'Ann', 3],
      ['customer', 'Ada', drawn.length],
    ],
  )
  const closing = () => client.put(`/tickets/${ticketId}/status`, { status: 'Closed' })
  assert.equal((await closing()).status, 409)
  const changed = await admin.post(path, { ...answers, 'answer.safeToUse': 'no', button: 'submit' })
  assert.match(changed.text, /must be signed again/)
  for (const role of ['technician', 'customer'])
    await admin.post(path, {
      ...answers,
      'answer.safeToUse': 'no',
      button: `sign ${role}`,
      signerName: ['Ann', 'Ada'],
      signature: ['', ''],
    })
  assert.match(
    (await admin.post(path, { ...answers, 'answer.safeToUse': 'no', button: 'submit' })).text,
    /The form is submitted/,
  )
  const done = await getForm(client, formId)
  assert.deepEqual([done.status, done.submittedById], ['submitted', admin.who.memberId])
  assert.equal((await closing()).status, 200)
  assert.match((await admin.open('/forms?show=done')).text, /Gas safety record/)

  const reopened = await admin.submit(await admin.open(path), `${path}/reopen`, { reason: 'Wrong pressure' })
  assert.match(reopened.text, /open again/)
  assert.match((await admin.submit(reopened, `${path}/void`, { reason: 'Replaced' })).text, /It was voided: Replaced/)
  const log = await database.query<{ action: string }>(
    sql`select action from audit_log where org_id = ${client.orgId} and subject = ${formId} order by at, id`,
  )
  assert.deepEqual(
    log.map(({ action }) => action),
    'answered signed signed answered signed signed submitted reopened voided'.split(' ').map((one) => `form.${one}`),
  )
})

test('photos are kept until they are taken away, and nothing foreign is loaded', async () => {
  const { client, admin } = await shop()
  const { formId } = await job(client)
  const photo = `data:image/jpeg;base64,${'B'.repeat(1_000)}`
  const value = async () =>
    (await getForm(client, formId)).answers.find((one: { type: string }) => one.type === 'photo')?.value
  await admin.post(`/forms/${formId}`, { ...answers, 'answer.photo': photo })
  const address: string = await value()
  const page = await admin.post(`/forms/${formId}`, { ...answers, 'answer.photo': '' })
  assert.equal(await value(), address)
  const picture = `/forms/${formId}/photos/${address.split('/').at(-1)}`
  assert.ok(page.text.includes(`<img class="drawn" src="/desk/${client.orgId}${picture}" alt="Photo">`))
  const shown = await admin.open(picture)
  assert.deepEqual(
    ['content-type', 'content-security-policy', 'x-content-type-options'].map((name) => shown.headers.get(name)),
    ['image/jpeg', "default-src 'none'; sandbox", 'nosniff'],
  )
  const stranger = await signIntoDesk(here, (await here.organisation()).orgId)
  assert.equal((await stranger.visitor.open(`/desk/${client.orgId}${picture}`)).status, 403)
  assert.equal((await stranger.open(picture)).status, 404)
  await admin.post(`/forms/${formId}`, { ...answers, 'answer.photo': 'https://photos.example/1.jpg' })
  const linked = await admin.open(`/forms/${formId}`)
  assert.ok(!linked.text.includes('<img') && linked.text.includes('href="https://photos.example/1.jpg"'))
  assert.equal(
    (await admin.post(`/forms/${formId}`, { ...answers, 'answer.photo': 'javascript:alert(1)' })).status,
    400,
  )
  await admin.post(`/forms/${formId}`, { ...answers, 'remove.photo': 'yes' })
  assert.equal(await value(), undefined)
})

test('a technician fills in the forms of their own jobs and of those that nobody has, and sees no others', async () => {
  const { client, admin } = await shop()
  const [tess, tom] = [
    await signIntoDesk(here, client.orgId, 'technician'),
    await signIntoDesk(here, client.orgId, 'technician'),
  ]
  const [mine, nobodys, theirs] = [
    await job(client, tess.who.memberId),
    await job(client),
    await job(client, tom.who.memberId),
  ]
  const list = (await tess.open('/forms')).text
  assert.deepEqual(
    [mine, nobodys, theirs].map(({ formId }) => list.includes(formId)),
    [true, true, false],
  )
  assert.equal((await tess.open(`/forms/${theirs.formId}`)).status, 404)
  assert.equal((await tess.post(`/forms/${theirs.formId}`, answers)).status, 404)
  for (const path of ['void', 'reopen'])
    assert.equal((await tess.post(`/forms/${mine.formId}/${path}`)).status, 403, path)
  assert.match((await tess.post(`/forms/${mine.formId}`, { ...answers, button: 'save' })).text, /Saved/)
  const pictured = await tess.post(`/forms/${mine.formId}`, {
    ...answers,
    'answer.photo': 'data:image/png;base64,iVBORw0KGgo=',
  })
  const picture = /src="\/desk\/\w+(\/forms\/\w+\/photos\/\w+)"/.exec(pictured.text)![1]!
  assert.equal((await tess.open(picture)).status, 200)
  assert.match((await tess.open(`/jobs/${mine.ticketId}`)).text, new RegExp(`<img src="[^"]*${picture}"`))
  await client.put(`/tickets/${mine.ticketId}`, { assignedTechnician: admin.who.memberId })
  for (const path of [`/forms/${mine.formId}`, picture])
    assert.equal((await tess.open(path)).status, 404, 'once the job is somebody else’s')
})

test('a manager voids and reopens forms; addresses of the portal lead to the desk', async () => {
  const { client } = await shop()
  const manager = await signIntoDesk(here, client.orgId, 'manager')
  const { formId } = await job(client)
  assert.match((await manager.post(`/forms/${formId}/void`, { reason: 'Replaced' })).text, /It was voided: Replaced/)
  const led = await manager.visitor.open(`/portal/${client.orgId}/forms/${formId}?show=done`)
  assert.ok(led.url.endsWith(`/desk/${client.orgId}/forms/${formId}?show=done`), led.url)
  assert.equal(led.status, 200)
  assert.ok((await manager.visitor.open(`/portal/${client.orgId}/forms`)).url.endsWith(`/desk/${client.orgId}/forms`))
})
