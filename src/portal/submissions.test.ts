// Forms in the portal: written, asked for, filled in, signed, submitted, voided and reopened, by those who may.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIntoPortal } from '../../test/portal.ts'
import { freePort } from '../../test/programs.ts'
import { type Client, startTestService } from '../../test/test-service.ts'
import { formsIn, type Page, person } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import { createVault, newTotpSecret } from '../identity/secrets.ts'

const here = await startTestService({ PORT: await freePort() })
const { database } = here

const templateForm = {
  name: 'Gas safety record',
  status: 'published',
  signatureRole: ['technician', 'customer'],
  rows: '6',
  'label.0': 'Flue',
  'type.0': 'section',
  'label.1': 'Flue type',
  'type.1': 'choice',
  'options.1': 'Room sealed\r\nOpen flue',
  'required.1': 'yes',
  'label.2': 'Pressure (mbar)',
  'type.2': 'number',
  'required.2': 'yes',
  'label.3': 'Safe to use',
  'type.3': 'boolean',
  'label.4': 'Rooms seen',
  'type.4': 'multiChoice',
  'options.4': 'Kitchen\nHall',
  'label.5': 'Photo',
  'type.5': 'photo',
}
const answers = {
  'answer.flueType': 'Open flue',
  'answer.pressureMbar': '20,5',
  'answer.safeToUse': 'yes',
  'answer.roomsSeen': ['Kitchen', 'Hall'],
}
const idIn = ({ url }: Page) => /\/(?:templates|rules|forms)\/(\w+)/.exec(url)![1]!

async function shop() {
  const client = await here.organisation()
  const admin = await signIntoPortal(here, client.orgId)
  const template = await admin.post('/templates', templateForm)
  assert.match(template.text, /Saved\./, template.text)
  const rule = { name: 'All jobs', templateId: idIn(template), gate: 'completion', isActive: 'yes' }
  const saved = await admin.post('/rules', rule)
  assert.match(saved.text, /Saved\./, saved.text)
  return { client, admin, templateId: idIn(template), ruleId: idIn(saved) }
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

test('a template and a rule are written, jobs are asked for the form, and it is filled in, signed and submitted', async () => {
  const { client, admin, templateId } = await shop()
  const kept = (await client.get(`/form-templates/${templateId}`)).body.data
  assert.deepEqual(
    kept.fields.map(({ id, type, required, options }: Record<string, unknown>) => [id, type, required, options]),
    [
      ['flue', 'section', false, []],
      ['flueType', 'choice', true, ['Room sealed', 'Open flue']],
      ['pressureMbar', 'number', true, []],
      ['safeToUse', 'boolean', false, []],
      ['roomsSeen', 'multiChoice', false, ['Kitchen', 'Hall']],
      ['photo', 'photo', false, []],
    ],
  )
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
  assert.match(signed.text, /The signature is on the form/)
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
  assert.ok(page.text.includes(`<img class="drawn" src="/portal/${client.orgId}${picture}" alt="Photo">`))
  const shown = await admin.open(picture)
  assert.deepEqual(
    ['content-type', 'content-security-policy', 'x-content-type-options'].map((name) => shown.headers.get(name)),
    ['image/jpeg', "default-src 'none'; sandbox", 'nosniff'],
  )
  const stranger = await signIntoPortal(here, (await here.organisation()).orgId)
  assert.equal((await stranger.visitor.open(`/portal/${client.orgId}${picture}`)).status, 403)
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

test('who is no admin fills in the forms of their own jobs, and sees nothing else', async () => {
  const { client, admin } = await shop()
  const technician = { ...(await person(here, client.orgId, 'technician')), totpSecret: newTotpSecret() }
  const encrypted = (await createVault(here.config)).encrypt(technician.totpSecret)
  await database.query(sql`update people set totp_secret = ${encrypted} where email = ${technician.email}`)
  const tess = await signIntoPortal(here, client.orgId, technician)
  const mine = await job(client, technician.memberId)
  const theirs = await job(client)
  assert.match((await tess.visitor.open('/portal')).url, /\/forms$/)
  const list = await tess.open('/forms')
  assert.ok(list.text.includes(mine.formId) && !list.text.includes(theirs.formId))
  assert.doesNotMatch(list.text, /API keys/)
  assert.equal((await tess.open(`/forms/${theirs.formId}`)).status, 404)
  assert.equal((await tess.post(`/forms/${theirs.formId}`, answers)).status, 404)
  for (const path of ['', '/keys', '/members', '/templates', '/mail', '/audit'])
    assert.equal((await tess.open(path)).status, 403, path)
  for (const path of ['/templates', '/rules', `/forms/${mine.formId}/void`, '/keys'])
    assert.equal((await tess.post(path, templateForm)).status, 403, path)
  const filled = await tess.post(`/forms/${mine.formId}`, { ...answers, button: 'save' })
  assert.match(filled.text, /Saved/)
  const pictured = await tess.post(`/forms/${mine.formId}`, {
    ...answers,
    'answer.photo': 'data:image/png;base64,iVBORw0KGgo=',
  })
  const picture = /src="\/portal\/\w+(\/forms\/\w+\/photos\/\w+)"/.exec(pictured.text)![1]!
  assert.equal((await tess.open(picture)).status, 200)
  await client.put(`/tickets/${mine.ticketId}`, { assignedTechnician: admin.who.memberId })
  for (const path of [`/forms/${mine.formId}`, picture])
    assert.equal((await tess.open(path)).status, 404, 'once the job is somebody else’s')
})

test('templates keep what answers hang on, and say what is wrong with the rest', async () => {
  const { client, admin, templateId } = await shop()
  const page = await admin.open(`/templates/${templateId}`)
  const form = Object.fromEntries(formsIn(page).find(({ action }) => action.endsWith(templateId))!.fields)
  const moved = await admin.post(`/templates/${templateId}`, {
    ...templateForm,
    ...form,
    'id.1': 'flueType',
    'label.1': 'Kind of flue',
    'place.1': '99',
    'label.4': '',
    'label.6': 'Kind of flue',
    'type.6': 'text',
    rows: '9',
  })
  assert.match(moved.text, /Saved/)
  const { fields, version } = (await client.get(`/form-templates/${templateId}`)).body.data
  assert.deepEqual(
    fields.map(({ id, label }: Record<string, string>) => [id, label]),
    [
      ['flue', 'Flue'],
      ['pressureMbar', 'Pressure (mbar)'],
      ['safeToUse', 'Safe to use'],
      ['photo', 'Photo'],
      ['kindOfFlue', 'Kind of flue'],
      ['flueType', 'Kind of flue'],
    ],
  )
  assert.equal(version, 2)
  const wrong = await admin.post('/templates', { ...templateForm, name: 'Other', 'options.1': '' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /The choices of “Flue type”/)
  assert.match((await admin.post('/templates', templateForm)).text, /Another template has this name/)
  assert.match(
    (await admin.post('/templates', { ...templateForm, name: 'Third', button: 'more' })).text,
    /A new question/,
  )
  assert.equal((await admin.post('/rules', { name: 'x', templateId: 'tem_other', gate: 'start' })).status, 400)
  assert.equal((await admin.post('/rules', { name: 'x', templateId, gate: 'never' })).status, 400)
  const stranger = await shop()
  const foreign = { name: 'x', templateId: stranger.templateId, gate: 'start' }
  assert.match((await admin.post('/rules', foreign)).text, /templateId does not exist/)
  assert.equal((await admin.post(`/templates/${stranger.templateId}`, templateForm)).status, 404)
  assert.equal((await admin.post(`/rules/${stranger.ruleId}`, foreign)).status, 404)
})
