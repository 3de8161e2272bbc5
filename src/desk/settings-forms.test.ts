// Form templates and rules in the settings: written, changed and refused, by those who may.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIntoDesk } from '../../test/desk-user.ts'
import { startTestService } from '../../test/test-service.ts'
import { formsIn, type Page } from '../../test/visitor.ts'

const here = await startTestService()

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
const idIn = ({ url }: Page) => /\/((?:tem|rul)_\w+)/.exec(url)![1]!

async function shop() {
  const client = await here.organisation()
  const admin = await signIntoDesk(here, client.orgId, 'manager')
  const template = await admin.post('/settings/forms', templateForm)
  assert.match(template.text, /Saved\./, template.text)
  const rule = { name: 'All jobs', templateId: idIn(template), gate: 'completion', isActive: 'yes' }
  const saved = await admin.post('/settings/forms/rules', rule)
  assert.match(saved.text, /Saved\./, saved.text)
  return { client, admin, templateId: idIn(template), ruleId: idIn(saved) }
}

test('a template and a rule are written, and jobs are asked for the form', async () => {
  const { client, templateId } = await shop()
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
  const ticket = await client.post('/tickets', { customerName: 'Ada' })
  const forms = await client.get(`/form-submissions?ticketId=${ticket.body.data.id}`)
  assert.equal(forms.body.data.formSubmissions[0].templateName, 'Gas safety record')
})

test('templates keep what answers hang on, and say what is wrong with the rest', async () => {
  const { client, admin, templateId } = await shop()
  const page = await admin.open(`/settings/forms/${templateId}`)
  const form = Object.fromEntries(formsIn(page).find(({ action }) => action.endsWith(templateId))!.fields)
  const moved = await admin.post(`/settings/forms/${templateId}`, {
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
  const wrong = await admin.post('/settings/forms', { ...templateForm, name: 'Other', 'options.1': '' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /The choices of “Flue type”/)
  assert.match((await admin.post('/settings/forms', templateForm)).text, /Another template has this name/)
  assert.match(
    (await admin.post('/settings/forms', { ...templateForm, name: 'Third', button: 'more' })).text,
    /A new question/,
  )
  assert.equal(
    (await admin.post('/settings/forms/rules', { name: 'x', templateId: 'tem_other', gate: 'start' })).status,
    400,
  )
  assert.equal((await admin.post('/settings/forms/rules', { name: 'x', templateId, gate: 'never' })).status, 400)
  const stranger = await shop()
  const foreign = { name: 'x', templateId: stranger.templateId, gate: 'start' }
  assert.match((await admin.post('/settings/forms/rules', foreign)).text, /templateId does not exist/)
  assert.equal((await admin.post(`/settings/forms/${stranger.templateId}`, templateForm)).status, 404)
  assert.equal((await admin.post(`/settings/forms/rules/${stranger.ruleId}`, foreign)).status, 404)
})

test('two who write one template or rule are both shown, and nothing is lost silently', async () => {
  const { client, admin, templateId, ruleId } = await shop()
  const other = await signIntoDesk(here, client.orgId, 'manager')
  const fieldsOf = (page: Page, id: string) =>
    Object.fromEntries(formsIn(page).find(({ action }) => action.endsWith(id))!.fields)
  for (const [path, id, change] of [
    [`/settings/forms/${templateId}`, templateId, { ...templateForm, name: 'Gas record' }],
    [`/settings/forms/rules/${ruleId}`, ruleId, { name: 'Every job', templateId, gate: 'start', isActive: 'yes' }],
  ] as const) {
    const seen = fieldsOf(await admin.open(path), id)
    assert.match(seen.version ?? '', /^".+"$/, 'the form carries the version')
    assert.equal((await other.post(path, change)).status, 200)
    const stale = await admin.post(path, { ...change, name: 'Mine', version: seen.version! })
    assert.equal(stale.status, 412)
    assert.match(stale.text, /Somebody changed this while you were writing/)
    assert.ok(stale.text.includes(change.name) && stale.text.includes('value="Mine"'), 'both are shown')
    const again = await admin.post(path, { ...change, name: 'Mine', version: fieldsOf(stale, id).version! })
    assert.match(again.text, /Saved\./)
  }
})
