// Rules through HTTP: which jobs are asked for which forms, when they no longer are, and what waits for them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { blank, formWriter } from '../../../test/forms.ts'
import { agreement } from '../../../test/recurring.ts'
import { type Client, startTestService } from '../../../test/test-service.ts'
import { addMember } from '../../identity/members.ts'
import type { NewRule } from './authoring.ts'

const { organisation, database } = await startTestService()
const vault = { encrypt: (text: string) => text, decrypt: (text: string) => text, fingerprint: (text: string) => text }

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
type Any = any
const create = async (shop: Client, path: string, body: object): Promise<Any> => {
  const { status, body: answer } = await shop.post(path, body)
  assert.equal(status, 201, JSON.stringify(answer))
  return answer.data
}
const formsOf = async (shop: Client, ticketId: string, query = ''): Promise<Any[]> =>
  (await shop.get(`/form-submissions?ticketId=${ticketId}${query}`)).body.data.formSubmissions
const statuses = async (shop: Client, ticketId: string) =>
  (await formsOf(shop, ticketId)).map(({ status }) => status).sort()
const openCounts = ({ openStartFormCount, openCompletionFormCount, openInvoiceFormCount }: Any) => [
  openStartFormCount,
  openCompletionFormCount,
  openInvoiceFormCount,
]
const read = async (shop: Client, ticketId: string) => (await shop.get(`/tickets/${ticketId}`)).body.data
const timeline = async (shop: Client, ticketId: string): Promise<[string, string][]> =>
  (await shop.get(`/tickets/${ticketId}/messages`)).body.data.messages.map(({ systemEvent, text }: Any) => [
    systemEvent,
    text,
  ])

/** A shop with one template and those rules. */
async function shopWith(...rules: (Partial<NewRule> & Pick<NewRule, 'gate'>)[]) {
  const shop = await organisation()
  const pen = formWriter(database, shop.orgId)
  const named = rules.map((rule, place) => ({ name: `Rule ${place}`, template: 'Blank', ...rule }))
  const { templates, rules: ruleIds } = await pen.import([blank], named)
  return { shop, pen, templateId: templates[0]!, ruleIds }
}

describe('a new job', () => {
  test('is asked for the forms of every rule it matches, and answers how many are open', async () => {
    const { shop, templateId, ruleIds } = await shopWith(
      { gate: 'start' },
      { gate: 'completion', match: { deviceTypes: ['boiler'] } },
      { gate: 'invoice', match: { deviceTypes: ['Phone'] } },
      { gate: 'none' },
    )
    const ada = await create(shop, '/customers', { firstName: 'Ada' })
    const boiler = await create(shop, `/customers/${ada.id}/devices`, { type: 'BOILER ' })
    const job = await create(shop, '/tickets', { customerId: ada.id, deviceId: boiler.id })
    assert.deepEqual(openCounts(job), [1, 1, 0])
    assert.deepEqual(await read(shop, job.id), job)
    const forms = await formsOf(shop, job.id)
    assert.deepEqual(forms.map(({ gate }) => gate).sort(), ['completion', 'none', 'start'])
    const form = forms.find(({ gate }) => gate === 'completion')
    assert.deepEqual(
      [form.templateId, form.templateName, form.templateVersion, form.ruleId, form.status, form.answers],
      [templateId, 'Blank', 1, ruleIds[1], 'open', []],
    )
    assert.deepEqual([form.customerId, form.deviceId, form.submittedAt], [ada.id, boiler.id, null])
    assert.deepEqual((await timeline(shop, job.id)).slice(0, 2), [
      ['jobCreated', 'The job was created'],
      ['formRequired', 'Blank is required before work starts'],
    ])
  })

  test('cannot begin beyond a gate: nothing is stored, and no number is taken', async () => {
    const { shop, pen, ruleIds } = await shopWith({ gate: 'start', match: { deviceTypes: ['Boiler'] } })
    const first = await create(shop, '/tickets', { customerName: 'A', status: 'In Progress' })
    const wanted = { customerName: 'B', customerDeviceType: 'Boiler' }
    for (const status of ['In Progress', 'Closed']) {
      const refusal = await shop.post('/tickets', { ...wanted, status })
      assert.deepEqual([refusal.status, refusal.body.code, refusal.body.data], [409, 'FORM_GATE_CREATE', { status }])
    }
    assert.equal((await shop.get('/tickets')).body.data.tickets.length, 1)
    const open = await create(shop, '/tickets', wanted)
    assert.equal(open.ticketNumber, first.ticketNumber + 1)
    await pen.import([], [{ name: 'Rule 0', template: 'Blank', gate: 'start', isActive: false }])
    assert.equal((await shop.post('/tickets', { ...wanted, status: 'Closed' })).status, 201)
    assert.equal((await shop.get(`/form-rules/${ruleIds[0]}`)).body.data.isActive, false)
  })

  test('can begin closed when only invoicing waits for its form', async () => {
    const { shop } = await shopWith({ gate: 'invoice' }, { gate: 'none' })
    assert.deepEqual(openCounts(await create(shop, '/tickets', { customerName: 'A', status: 'Closed' })), [0, 0, 1])
  })

  test('is not asked for a template that is a draft or archived', async () => {
    const { shop, pen } = await shopWith({ gate: 'start' })
    for (const status of ['draft', 'archived'] as const) {
      await pen.import([{ ...blank, status }])
      const job = await create(shop, '/tickets', { customerName: 'A', status: 'In Progress' })
      assert.deepEqual(await formsOf(shop, job.id), [])
    }
  })

  test('is judged by the category of its device and by the schedule that made it', async () => {
    const shop = await organisation()
    const pen = formWriter(database, shop.orgId)
    const category = await create(shop, '/asset-categories', { name: 'Gas' })
    const schedule = await agreement(shop)
    await pen.import(
      [blank],
      [
        { name: 'By category', template: 'Blank', gate: 'start', match: { assetCategoryIds: [category.id] } },
        { name: 'By schedule', template: 'Blank', gate: 'start', match: { recurringScheduleIds: [schedule.id] } },
      ],
    )
    const ada = await create(shop, '/customers', { firstName: 'Ada' })
    const cooker = await create(shop, `/customers/${ada.id}/devices`, { brand: 'X', categoryId: category.id })
    const wanted = { customerId: ada.id, deviceId: cooker.id }
    assert.equal((await shop.post('/tickets', { ...wanted, status: 'Closed' })).body.code, 'FORM_GATE_CREATE')
    assert.deepEqual(openCounts(await create(shop, '/tickets', wanted)), [1, 0, 0])
    const other = await create(shop, '/tickets', { customerId: ada.id })
    assert.deepEqual(openCounts(other), [0, 0, 0])
    await schedule.act('generate')
    assert.deepEqual(openCounts(await schedule.job(0)), [1, 0, 0])
  })
})

describe('a job that changes', () => {
  test('is asked when it gets the service, and no longer when the line goes or changes', async () => {
    const shop = await organisation()
    const pen = formWriter(database, shop.orgId)
    const gas = await create(shop, '/services', { name: 'Gas' })
    const other = await create(shop, '/services', { name: 'Other' })
    await pen.import([blank], [{ name: 'R', template: 'Blank', gate: 'completion', match: { serviceIds: [gas.id] } }])
    const { id } = await create(shop, '/tickets', { customerName: 'A' })
    await create(shop, `/tickets/${id}/services`, { serviceId: other.id })
    assert.deepEqual(await formsOf(shop, id), [])
    const line = await create(shop, `/tickets/${id}/services`, { serviceId: gas.id })
    await create(shop, `/tickets/${id}/services`, { serviceId: gas.id })
    const [form, ...more] = await formsOf(shop, id)
    assert.deepEqual([form.status, more], ['open', []], 'once, however many lines there are')
    await shop.delete(`/tickets/${id}/services/${line.id}`)
    assert.deepEqual(await statuses(shop, id), ['open'], 'the other line is still there')
    const [, last] = (await shop.get(`/tickets/${id}/services`)).body.data.services
    await shop.put(`/tickets/${id}/services/${last.id}`, { serviceId: other.id })
    const [voided] = await formsOf(shop, id)
    assert.deepEqual([voided.status, voided.voidReason], ['voided', 'The job no longer needs it'])
    assert.deepEqual(openCounts(await read(shop, id)), [0, 0, 0])
    assert.deepEqual((await timeline(shop, id)).at(-1), ['formVoided', 'Blank was voided: The job no longer needs it'])
    await shop.put(`/tickets/${id}/services/${last.id}`, { serviceId: gas.id })
    assert.deepEqual(await statuses(shop, id), ['open', 'voided'], 'one that was voided is asked for anew')
    await shop.delete(`/tickets/${id}/services/${last.id}`)
    assert.deepEqual(await statuses(shop, id), ['voided', 'voided'])
  })

  test('keeps the form that somebody has begun', async () => {
    const { shop, pen } = await shopWith({ gate: 'completion', match: { deviceTypes: ['Boiler'] } })
    const { id } = await create(shop, '/tickets', { customerName: 'A', customerDeviceType: 'Boiler' })
    const [form] = await formsOf(shop, id)
    await pen.start(form.id)
    await shop.put(`/tickets/${id}`, { customerDeviceType: 'Phone' })
    assert.deepEqual(await statuses(shop, id), ['inProgress'])
    await shop.put(`/tickets/${id}`, { customerDeviceType: 'Boiler' })
    assert.deepEqual(await statuses(shop, id), ['inProgress'], 'and is not asked twice')
  })

  test('is judged by the device it is given, and by what that device becomes', async () => {
    const { shop } = await shopWith({ gate: 'completion', match: { deviceTypes: ['Boiler'] } })
    const ada = await create(shop, '/customers', { firstName: 'Ada' })
    const path = `/customers/${ada.id}/devices`
    const [phone, boiler] = [await create(shop, path, { type: 'Phone' }), await create(shop, path, { type: 'Boiler' })]
    const { id } = await create(shop, '/tickets', { customerId: ada.id, deviceId: phone.id })
    const closed = await create(shop, '/tickets', { customerId: ada.id, deviceId: phone.id, status: 'Closed' })
    const moved = await shop.put(`/tickets/${id}`, { deviceId: boiler.id })
    assert.deepEqual(openCounts(moved.body.data), [0, 1, 0])
    await shop.put(`/tickets/${id}`, { deviceId: null, customerDeviceType: null })
    assert.deepEqual(await statuses(shop, id), ['voided'])
    await shop.put(`/tickets/${id}`, { deviceId: phone.id })
    await shop.put(`${path}/${phone.id}`, { type: 'Boiler' })
    assert.deepEqual(await statuses(shop, id), ['open', 'voided'])
    assert.deepEqual(await formsOf(shop, closed.id), [], 'what is closed is history')
    await shop.put(`${path}/${phone.id}`, { type: 'Phone' })
    assert.deepEqual(await statuses(shop, id), ['voided', 'voided'])
  })

  test('is judged anew when its device is deleted', async () => {
    const shop = await organisation()
    const category = await create(shop, '/asset-categories', { name: 'Gas' })
    const match = { assetCategoryIds: [category.id] }
    await formWriter(database, shop.orgId).import([blank], [{ name: 'R', template: 'Blank', gate: 'start', match }])
    const ada = await create(shop, '/customers', { firstName: 'Ada' })
    const path = `/customers/${ada.id}/devices`
    const device = await create(shop, path, { type: 'Boiler', categoryId: category.id })
    const { id } = await create(shop, '/tickets', { customerId: ada.id, deviceId: device.id })
    assert.deepEqual(await statuses(shop, id), ['open'])
    assert.equal((await shop.delete(`${path}/${device.id}`)).status, 200)
    assert.deepEqual(await statuses(shop, id), ['voided'])
    assert.equal((await shop.delete(`${path}/${device.id}`)).status, 404)
  })

  test('takes its open forms along to another customer, device and technician; submitted ones stay as they were', async () => {
    const { shop, pen, templateId } = await shopWith({ gate: 'none' })
    const [ada, bea] = [
      await create(shop, '/customers', { firstName: 'Ada' }),
      await create(shop, '/customers', { firstName: 'Bea' }),
    ]
    const device = await create(shop, `/customers/${bea.id}/devices`, { type: 'Phone' })
    const { id } = await create(shop, '/tickets', { customerId: ada.id })
    const done = await pen.add(id, templateId, 'none')
    await pen.submit(done.id)
    const tess = await database.transaction('test', (transaction) =>
      addMember(transaction, vault, shop.orgId, { email: 'tess@forms.example', firstName: 'Tess', password: 'x' }),
    )
    await shop.put(`/tickets/${id}`, { customerId: bea.id, deviceId: device.id, assignedTechnician: tess.id })
    const about = (form: Any) => [form.status, form.customerId, form.deviceId, form.assignedToId]
    assert.deepEqual((await formsOf(shop, id)).map(about).sort(), [
      ['open', bea.id, device.id, tess.id],
      ['submitted', ada.id, null, null],
    ])
  })

  test('cannot pass a gate in the same breath as it gets the device that sets it up', async () => {
    const { shop } = await shopWith({ gate: 'completion', match: { deviceTypes: ['Boiler'] } })
    const { id } = await create(shop, '/tickets', { customerName: 'A' })
    const refusal = await shop.put(`/tickets/${id}`, { customerDeviceType: 'Boiler', status: 'Closed' })
    assert.equal(refusal.body.code, 'FORM_GATE_TRANSITION')
    assert.equal(refusal.body.data.submissionIds.length, 1)
    const { status, customerDeviceType } = await read(shop, id)
    assert.deepEqual([status, customerDeviceType], ['Open', null])
    assert.deepEqual(await formsOf(shop, id), [])
    await shop.put(`/tickets/${id}`, { customerDeviceType: 'Boiler' })
    assert.equal((await shop.put(`/tickets/${id}`, { status: 'Closed' })).status, 409)
    const freed = await shop.put(`/tickets/${id}`, { customerDeviceType: 'Phone', status: 'Closed' })
    assert.deepEqual([freed.status, freed.body.data.status, openCounts(freed.body.data)], [200, 'Closed', [0, 0, 0]])
  })
})

describe('a gate', () => {
  test('names the forms that hold a job before it, oldest first, until they are submitted or voided', async () => {
    const { shop, pen, templateId } = await shopWith({ gate: 'start' }, { gate: 'completion' })
    const { id } = await create(shop, '/tickets', { customerName: 'A' })
    const forms = await formsOf(shop, id)
    const start = forms.find(({ gate }) => gate === 'start')
    const completion = forms.find(({ gate }) => gate === 'completion')
    const later = await pen.add(id, templateId, 'start')
    const move = async (status: string) => {
      const reply = await shop.put(`/tickets/${id}/status`, { status })
      return reply.status === 200 ? reply.body.data.status : [reply.body.code, reply.body.data]
    }
    const [gated, submissionIds] = ['FORM_GATE_TRANSITION', [start.id, later.id]]
    assert.deepEqual(await move('In Progress'), [gated, { gate: 'start', outstanding: 2, submissionIds }])
    assert.deepEqual(await move('Closed'), [gated, { gate: 'start', outstanding: 2, submissionIds }])
    assert.equal(await move('Open'), 'Open')
    await pen.void(later.id)
    await pen.start(start.id)
    assert.deepEqual(await move('In Progress'), [gated, { gate: 'start', outstanding: 1, submissionIds: [start.id] }])
    await pen.submit(start.id)
    assert.equal(await move('In Progress'), 'In Progress')
    const one = { gate: 'completion', outstanding: 1, submissionIds: [completion.id] }
    assert.deepEqual(await move('Closed'), [gated, one])
    await pen.submit(completion.id)
    assert.equal(await move('Closed'), 'Closed')
    await pen.reopen(completion.id)
    assert.deepEqual(openCounts(await read(shop, id)), [0, 1, 0])
  })

  test('keeps a job from being deleted, and its customer with it, until the last form is done', async () => {
    const { shop, pen } = await shopWith(
      { gate: 'start' },
      { gate: 'completion' },
      { gate: 'invoice' },
      { gate: 'none' },
    )
    const ada = await create(shop, '/customers', { firstName: 'Ada' })
    const { id } = await create(shop, '/tickets', { customerId: ada.id })
    const forms = await formsOf(shop, id)
    for (const gate of ['start', 'completion', 'invoice']) {
      const refusal = await shop.delete(`/tickets/${id}`)
      assert.deepEqual([refusal.status, refusal.body.code, 'data' in refusal.body], [409, 'FORM_GATE_DELETE', false])
      const cascade = await shop.delete(`/customers/${ada.id}`)
      assert.deepEqual([cascade.body.code, cascade.body.data], ['FORM_GATE_DELETE', { ticketIds: [id] }])
      await pen.submit(forms.find((form) => form.gate === gate).id)
    }
    assert.equal((await formsOf(shop, id, '&status=open')).length, 1, 'the form that holds up nothing')
    assert.equal((await shop.delete(`/customers/${ada.id}`)).status, 200)
    const kept = await formsOf(shop, id)
    assert.deepEqual(
      kept.map(({ status, customerId }) => [status, customerId]),
      [1, 2, 3].map(() => ['submitted', ada.id]),
      'what was submitted outlives job and customer; the rest goes',
    )
    await assert.rejects(pen.reopen(kept[0].id), /The job of the form is gone/)
    const { signatures } = (await shop.get(`/form-submissions/${kept[0].id}/signatures`)).body.data
    assert.deepEqual(signatures, [])
  })
})
