// Filling forms in: what is checked, who signs, what the trail says, and how templates and rules are written.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { blank, formWriter } from '../../../test/forms.ts'
import { type Client, startTestService } from '../../../test/test-service.ts'
import { sql } from '../../db/database.ts'
import type { NewTemplate } from './authoring.ts'

const { organisation, database } = await startTestService()

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
type Any = any
const formTemplate: NewTemplate = {
  name: 'Appliance test',
  description: 'Before it goes back to the customer.',
  fields: [
    { id: 'part', label: 'Inspection', type: 'section' },
    { id: 'cable', label: 'Cable is sound', type: 'boolean', required: true },
    { id: 'class', label: 'Class', type: 'choice', required: true, options: ['I', 'II'] },
    { id: 'ohms', label: 'Earth bond in ohms', type: 'number' },
  ],
  signatureRoles: ['technician'],
}
const answers = { cable: true, class: 'II' }
const signature = { role: 'technician', signerName: 'Tess', signature: 'Tess' } as const

/** A job with the form on it. */
async function shopWithForm(template = formTemplate) {
  const shop = await organisation()
  const pen = formWriter(database, shop.orgId)
  await pen.import([template], [{ name: 'Always', template: template.name, gate: 'completion' }])
  const { id: ticketId } = (await shop.post('/tickets', { customerName: 'A' })).body.data
  const [form] = (await shop.get(`/form-submissions?ticketId=${ticketId}`)).body.data.formSubmissions
  return { shop, pen, ticketId, id: form.id as string }
}
const listOf = async (shop: Client, id: string, what: 'events' | 'signatures'): Promise<Any[]> =>
  (await shop.get(`/form-submissions/${id}/${what}`)).body.data[what]
const read = async (shop: Client, id: string): Promise<Any> => (await shop.get(`/form-submissions/${id}`)).body.data
const isRefusal = (message: string) => (error: Error) => {
  assert.equal(error.message, message)
  return true
}

describe('a form', () => {
  test('is submitted once what it requires is answered and signed, and is refused by name before', async () => {
    const { shop, pen, ticketId, id } = await shopWithForm()
    await assert.rejects(pen.submit(id), isRefusal('answers.cable is required (Cable is sound)'))
    await assert.rejects(
      pen.answer(id, { cable: 'yes' }),
      isRefusal('answers.cable must be true or false (Cable is sound)'),
    )
    await assert.rejects(pen.answer(id, { part: 1 }), /answers\.part is a section/)
    assert.equal((await read(shop, id)).status, 'open', 'what was refused has left no trace')
    await pen.answer(id, { cable: true })
    await assert.rejects(pen.submit(id), isRefusal('answers.class is required (Class)'))
    await pen.answer(id, { class: 'II' })
    await assert.rejects(pen.submit(id), isRefusal('signatures.technician is required: the technician has not signed'))
    await assert.rejects(pen.sign(id, { ...signature, role: 'customer' }), /signatures\.customer is not asked for/)
    await assert.rejects(pen.sign(id, { ...signature, signerName: ' ' }), /signatures\.technician\.signerName is req/)
    await assert.rejects(pen.sign(id, { ...signature, signature: 'a\u001fb' }), /characters that are not allowed/)
    await pen.sign(id, signature)
    const form = await pen.submit(id)
    assert.deepEqual(form, await read(shop, id))
    assert.deepEqual([form.status, form.submittedById, form.gate], ['submitted', 'mem_tess', 'completion'])
    assert.ok(form.submittedAt)
    assert.deepEqual(form.answers, [
      { fieldId: 'cable', label: 'Cable is sound', type: 'boolean', value: true },
      { fieldId: 'class', label: 'Class', type: 'choice', value: 'II' },
    ])
    const { messages } = (await shop.get(`/tickets/${ticketId}/messages`)).body.data
    const { systemEvent, systemData, text, authorName } = messages.at(-1)
    assert.deepEqual(
      [systemEvent, systemData, text, authorName],
      ['formSubmitted', { submissionId: id, templateName: 'Appliance test' }, 'Appliance test was submitted', 'Tess'],
    )
  })

  test('has every event in its trail, in order, with who did it', async () => {
    const { shop, pen, id } = await shopWithForm()
    await pen.start(id)
    await pen.start(id)
    await pen.answer(id, answers)
    await pen.answer(id, answers)
    await pen.sign(id, signature)
    await pen.submit(id)
    await pen.reopen(id, 'Wrong class')
    await pen.answer(id, { class: 'I' })
    await pen.void(id, 'Scrapped')
    const events = await listOf(shop, id, 'events')
    assert.deepEqual(
      events.map(({ type, actorName }) => [type, actorName]),
      [
        ['created', events[0].actorName],
        ...['opened', 'answered', 'signed', 'submitted', 'reopened', 'answered', 'voided'].map((one) => [one, 'Tess']),
      ],
      'to start again and to repeat an answer is nothing',
    )
    assert.deepEqual([events[0].actorId, events[1].actorId], [shop.keyId, 'mem_tess'])
    assert.equal(events[0].detail.ruleName, 'Always')
    assert.deepEqual(events[2].detail, { fieldIds: ['cable', 'class'] })
    assert.deepEqual(events[3].detail, { role: 'technician', signerName: 'Tess' })
    assert.equal(events[5].detail.reason, 'Wrong class')
    assert.deepEqual([events[6].detail, events[7].detail], [{ fieldIds: ['class'] }, { reason: 'Scrapped' }])
    const moments = events.map(({ at }) => at)
    assert.deepEqual(moments, moments.toSorted())
    assert.equal((await read(shop, id)).voidReason, 'Scrapped')
    for (const act of ['start', 'submit', 'void', 'reopen'] as const) {
      await assert.rejects(pen[act](id), /The form is voided and cannot be/)
    }
  })

  test('loses its signatures when an answer changes after them, and keeps who had signed in the trail', async () => {
    const { shop, pen, id } = await shopWithForm()
    await pen.answer(id, answers)
    await pen.sign(id, signature)
    await pen.sign(id, { ...signature, signerName: 'Tomasz', signature: 'data:image/png;base64,AA==' })
    const [signed, ...others] = await listOf(shop, id, 'signatures')
    assert.deepEqual(
      [signed.role, signed.signerName, signed.signature, others],
      ['technician', 'Tomasz', 'data:image/png;base64,AA==', []],
      'whoever signs again for a role replaces the signature',
    )
    await pen.answer(id, { ohms: 0.1 })
    assert.deepEqual(await listOf(shop, id, 'signatures'), [])
    const { detail } = (await listOf(shop, id, 'events')).at(-1)
    assert.deepEqual(detail.removedSignatures, [
      { role: 'technician', signerName: 'Tomasz', signedAt: detail.removedSignatures[0].signedAt },
    ])
    await assert.rejects(pen.submit(id), /signatures\.technician is required/)
    await pen.sign(id, signature)
    await pen.submit(id)
    await pen.reopen(id)
    assert.deepEqual(await listOf(shop, id, 'signatures'), [])
    const { status, submittedAt, submittedById } = await read(shop, id)
    assert.deepEqual([status, submittedAt, submittedById], ['inProgress', null, null])
  })

  test('keeps the template it was asked with, whatever becomes of that', async () => {
    const { shop, pen, ticketId, id } = await shopWithForm()
    const { templates } = await pen.import([
      { ...formTemplate, fields: [{ id: 'other', label: 'Other', type: 'text' }] },
    ])
    const { templateVersion, fields } = await read(shop, id)
    assert.equal(templateVersion, 1)
    assert.deepEqual(
      fields.map((field: Any) => field.id),
      ['part', 'cable', 'class', 'ohms'],
    )
    await pen.answer(id, answers)
    const added = await pen.add(ticketId, templates[0]!, 'none')
    assert.deepEqual([added.templateVersion, added.ruleId, added.fields.length], [2, null, 1])
    await pen.import([{ ...blank, name: 'Unready', status: 'draft' }])
    const drafts = (await shop.get('/form-templates?status=draft')).body.data.formTemplates
    await assert.rejects(pen.add(ticketId, drafts[0].id, 'none'), /templateId is not a published form template/)
    await assert.rejects(pen.add('tkt_none', templates[0]!, 'none'), /Job not found/)
  })

  test('can always be submitted or voided, however long its trail is', async () => {
    const { pen, id, shop } = await shopWithForm({ ...formTemplate, signatureRoles: [] })
    await pen.answer(id, answers)
    await database.query(sql`insert into form_events (org_id, id, submission_id, type, actor_name)
      select ${shop.orgId}, 'fev_' || n || ${id}, ${id}, 'answered', 'Tess' from generate_series(1, 488) n`)
    await assert.rejects(pen.answer(id, { ohms: 1 }), /The form was changed too often; submit or void it/)
    await pen.submit(id)
    const events = await listOf(shop, id, 'events')
    assert.equal(events.at(-1).type, 'submitted')
    assert.ok(events.length <= 500)
  })
})

describe('templates and rules', () => {
  test('are changed by name; the version goes up when what a sheet asks changes', async () => {
    const shop = await organisation()
    const pen = formWriter(database, shop.orgId)
    const rule = { name: 'R', template: 'appliance TEST', gate: 'start' as const }
    const first = await pen.import([formTemplate], [rule])
    const template = async () => (await shop.get(`/form-templates/${first.templates[0]}`)).body.data
    const before = await template()
    assert.deepEqual([before.name, before.version, before.status], ['Appliance test', 1, 'published'])
    assert.deepEqual(before.fields[3], {
      id: 'ohms',
      label: 'Earth bond in ohms',
      type: 'number',
      required: false,
      options: [],
    })
    assert.deepEqual(await pen.import([formTemplate], [rule]), first)
    assert.deepEqual(await template(), before, 'the same again changes nothing')
    await pen.import([{ ...formTemplate, status: 'archived' }])
    assert.deepEqual([(await template()).version, (await template()).status], [1, 'archived'])
    await pen.import([{ ...formTemplate, signatureRoles: ['technician', 'customer'] }], [{ ...rule, gate: 'invoice' }])
    assert.deepEqual([(await template()).version, (await template()).status], [2, 'published'])
    const [stored, ...others] = (await shop.get('/form-rules')).body.data.formRules
    assert.deepEqual([stored.id, stored.gate, stored.isActive, others], [first.rules[0], 'invoice', true, []])
    assert.deepEqual(stored.match, { serviceIds: [], deviceTypes: [], assetCategoryIds: [], recurringScheduleIds: [] })
  })

  test('are renamed by those who know them by their id', async () => {
    const shop = await organisation()
    const pen = formWriter(database, shop.orgId)
    const { templates, rules } = await pen.import(
      [formTemplate],
      [{ name: 'R', template: formTemplate.name, gate: 'start' }],
    )
    const rule = { name: 'Renamed', templateId: templates[0]!, gate: 'start' as const }
    assert.equal(await pen.saveTemplate({ ...formTemplate, name: 'Bench test' }, templates[0]!), templates[0])
    assert.equal(await pen.saveRule(rule, rules[0]!), rules[0])
    assert.equal((await shop.get(`/form-templates/${templates[0]}`)).body.data.name, 'Bench test')
    assert.equal((await shop.get('/form-rules')).body.data.formRules[0].name, 'Renamed')
    await assert.rejects(pen.saveTemplate(formTemplate, 'tem_none'), isRefusal('Form template not found'))
  })

  test('are brought in together or not at all, and refused by their place', async () => {
    const shop = await organisation()
    const pen = formWriter(database, shop.orgId)
    const foreign = await organisation()
    const { id: foreignService } = (await foreign.post('/services', { name: 'Gas' })).body.data
    const many = Array.from({ length: 100 }, (_, n) => `An option that takes some room, number ${n}`)
    const choice = { id: 'c', label: 'C', type: 'choice' as const }
    const rule = { name: 'R', template: 'Blank', gate: 'start' as const }
    const wrong: [Parameters<typeof pen.import>[0], Parameters<typeof pen.import>[1], string][] = [
      [[blank, { name: 'X', fields: [choice] }], [], 'templates[1].fields[0].options is required for choice'],
      [[blank, { name: 'BLANK', fields: [] }], [], 'templates[1].name is there twice'],
      [[{ ...blank, signatureRoles: ['customer', 'customer'] }], [], 'templates[0].signatureRoles[1] is there twice'],
      [
        [{ name: 'Long', fields: Array.from({ length: 200 }, (_, n) => ({ ...choice, id: `c${n}`, options: many })) }],
        [],
        'templates[0].fields must be at most 100000 characters in all',
      ],
      [[blank], [{ ...rule, template: 'Nope' }], 'rules[0].template does not exist'],
      [[blank], [rule, { ...rule }], 'rules[1].name is there twice'],
      [[blank], [{ name: 'R', gate: 'start' }], 'rules[0].template is required: the name of a template'],
      [[blank], [{ ...rule, match: { serviceIds: [foreignService] } }], 'rules[0].match.serviceIds[0] does not exist'],
      [[blank], [{ ...rule, match: { assetCategoryIds: ['x'] } }], 'rules[0].match.assetCategoryIds[0] does not exist'],
    ]
    for (const [templates, rules, message] of wrong)
      await assert.rejects(pen.import(templates, rules), isRefusal(message))
    assert.deepEqual((await shop.get('/form-templates')).body.data.formTemplates, [])
  })
})
