// The counters on a job equal a recount at any time: after any sequence of acts, and when acts race each other.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { blank, formWriter } from '../../../test/forms.ts'
import { type Client, type Reply, startTestService } from '../../../test/test-service.ts'
import { sql } from '../../db/database.ts'
import { formGates } from '../../domain/gates.ts'

const { organisation, database } = await startTestService()

async function shopWith(...gates: (typeof formGates)[number][]) {
  const shop = await organisation()
  const pen = formWriter(database, shop.orgId)
  const { id: serviceId } = (await shop.post('/services', { name: 'Gas' })).body.data
  const { templates } = await pen.import(
    [blank],
    gates.map((gate) => ({ name: `Rule ${gate}`, template: 'Blank', gate, match: { serviceIds: [serviceId] } })),
  )
  return { shop, pen, serviceId, templateId: templates[0]! }
}
const job = async (shop: Client): Promise<string> => (await shop.post('/tickets', { customerName: 'A' })).body.data.id
const formsOf = async (shop: Client, ticketId: string): Promise<{ id: string; status: string; gate: string }[]> =>
  (await shop.get(`/form-submissions?ticketId=${ticketId}&limit=100`)).body.data.formSubmissions
const outcomeOf = ({ status, body }: Reply) => (status < 300 ? 'done' : (body.code ?? body.error))

test('whatever is done to jobs and their forms, the counters are what a recount finds', async () => {
  const { shop, pen, serviceId, templateId } = await shopWith('start', 'completion', 'invoice')
  const action = fc.record({
    what: fc.constantFrom(
      ...(['addLine', 'dropLine', 'type', 'start', 'submit', 'void', 'reopen', 'add', 'move', 'delete'] as const),
    ),
    job: fc.nat(1),
    pick: fc.nat(9),
    gate: fc.constantFrom(...formGates),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 20 }), async (acts) => {
      const jobs = [await job(shop), await job(shop)]
      for (const { what, job: index, pick, gate } of acts) {
        const ticketId = jobs[index]!
        const forms = await formsOf(shop, ticketId)
        const form = forms[pick % Math.max(1, forms.length)]?.id ?? 'none'
        const path = `/tickets/${ticketId}`
        if (what === 'addLine') await shop.post(`${path}/services`, { serviceId })
        else if (what === 'dropLine') {
          const lines = (await shop.get(`${path}/services`)).body.data?.services ?? []
          if (lines.length > 0) await shop.delete(`${path}/services/${lines[pick % lines.length].id}`)
        } else if (what === 'type') await shop.put(path, { customerDeviceType: `Type ${pick}` })
        else if (what === 'move') await shop.put(`${path}/status`, { status: ['Open', 'Closed'][pick % 2] })
        else if (what === 'delete') await shop.delete(path)
        else if (what === 'add') await pen.add(ticketId, templateId, gate).catch(() => {})
        else await pen[what](form).catch(() => {})
        assert.deepEqual(await pen.miscounted(), [], what)
      }
    }),
    { numRuns: 25, endOnFailure: true },
  )
})

describe('acts that meet', () => {
  test('the same service added twice at once asks once', async () => {
    const { shop, pen, serviceId } = await shopWith('start')
    for (let round = 0; round < 5; round++) {
      const ticketId = await job(shop)
      const add = () => shop.post(`/tickets/${ticketId}/services`, { serviceId })
      assert.deepEqual((await Promise.all([add(), add(), add(), add()])).map(outcomeOf), [
        'done',
        'done',
        'done',
        'done',
      ])
      assert.deepEqual(
        (await formsOf(shop, ticketId)).map(({ status }) => status),
        ['open'],
      )
    }
    assert.deepEqual(await pen.miscounted(), [])
    const again = database.query(sql`
      insert into form_submissions (org_id, id, template_id, template_name, template_version, fields, signature_roles,
        rule_id, ticket_id, gate)
      select org_id, id || '_again', template_id, template_name, template_version, fields, signature_roles, rule_id,
        ticket_id, gate from form_submissions where org_id = ${shop.orgId}`)
    await assert.rejects(again, /form_submissions_once/, 'the database holds it, whoever writes')
  })

  test('a form is submitted once, however many try, and the count goes down by one', async () => {
    const { shop, pen, templateId } = await shopWith()
    const ticketId = await job(shop)
    const form = await pen.add(ticketId, templateId, 'start')
    await pen.add(ticketId, templateId, 'start')
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => pen.submit(form.id)))
    assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.equal((await shop.get(`/tickets/${ticketId}`)).body.data.openStartFormCount, 1)
  })

  test('a form is never submitted with a signature that was for other answers', async () => {
    const { shop, pen } = await shopWith()
    const formTemplate = { name: 'Signed', fields: [{ id: 'note', label: 'Note', type: 'text' as const }] }
    const { templates } = await pen.import([{ ...formTemplate, signatureRoles: ['technician'] }])
    const ticketId = await job(shop)
    for (let round = 0; round < 12; round++) {
      const { id } = await pen.add(ticketId, templates[0]!, 'none')
      await pen.sign(id, { role: 'technician', signerName: 'Tess', signature: 'Tess' })
      const [, submitted] = await Promise.allSettled([pen.answer(id, { note: 'Later' }), pen.submit(id)])
      const { signatures } = (await shop.get(`/form-submissions/${id}/signatures`)).body.data
      const { status, answers } = (await shop.get(`/form-submissions/${id}`)).body.data
      const isSubmitted = submitted.status === 'fulfilled'
      assert.deepEqual(
        [status, answers.length, signatures.length],
        isSubmitted ? ['submitted', 0, 1] : ['inProgress', 1, 0],
      )
    }
  })

  test('a job moves only after its last form is done, and never while one is being added', async () => {
    const { shop, pen, templateId } = await shopWith()
    const seen = new Set<string>()
    for (let round = 0; round < 12; round++) {
      const ticketId = await job(shop)
      const move = () => shop.put(`/tickets/${ticketId}/status`, { status: 'In Progress' })
      const form = await pen.add(ticketId, templateId, 'start')
      const [moved] = await Promise.all([move(), pen.submit(form.id)])
      seen.add(outcomeOf(moved))
      const [again, added] = await Promise.all([
        shop.put(`/tickets/${ticketId}/status`, { status: 'Closed' }),
        pen.add(ticketId, templateId, 'completion'),
      ])
      const { openCompletionFormCount, closedAt } = (await shop.get(`/tickets/${ticketId}`)).body.data
      assert.deepEqual([openCompletionFormCount, outcomeOf(again) === 'done'], [1, closedAt !== null])
      if (outcomeOf(again) !== 'done') assert.deepEqual(again.body.data.submissionIds, [added.id])
    }
    assert.ok([...seen].every((one) => one === 'done' || one === 'FORM_GATE_TRANSITION'))
    assert.deepEqual(await pen.miscounted(), [])
  })

  test('a job that is deleted while a form is voided, added or submitted leaves nothing half done', async () => {
    const { shop, pen, templateId } = await shopWith()
    for (let round = 0; round < 12; round++) {
      const ticketId = await job(shop)
      const form = await pen.add(ticketId, templateId, 'invoice')
      const action = round % 2 === 0 ? pen.void(form.id) : pen.submit(form.id)
      const [deletion] = await Promise.all([shop.delete(`/tickets/${ticketId}`), action])
      assert.ok(['done', 'FORM_GATE_DELETE'].includes(outcomeOf(deletion)))
      const isGone = (await shop.get(`/tickets/${ticketId}`)).status === 404
      assert.equal(isGone, outcomeOf(deletion) === 'done')
      const kept = (await formsOf(shop, ticketId)).map(({ status }) => status)
      assert.deepEqual(kept, isGone && round % 2 === 0 ? [] : [round % 2 === 0 ? 'voided' : 'submitted'])

      const other = await job(shop)
      const [gone, added] = await Promise.allSettled([
        shop.delete(`/tickets/${other}`),
        pen.add(other, templateId, 'invoice'),
      ])
      const wasDeleted = gone.status === 'fulfilled' && gone.value.status === 200
      assert.equal(added.status, wasDeleted ? 'rejected' : 'fulfilled', 'no form without its job')
      assert.equal((await formsOf(shop, other)).length, wasDeleted ? 0 : 1)
    }
    assert.deepEqual(await pen.miscounted(), [])
  })

  test('a customer and their jobs go together or not at all while forms come and go', async () => {
    const { shop, pen, templateId } = await shopWith()
    for (let round = 0; round < 6; round++) {
      const { id: customerId } = (await shop.post('/customers', { firstName: 'Ada' })).body.data
      const jobs = await Promise.all(
        [1, 2].map(async () => (await shop.post('/tickets', { customerId })).body.data.id as string),
      )
      const [deletion, added] = await Promise.allSettled([
        shop.delete(`/customers/${customerId}`),
        pen.add(jobs[1]!, templateId, 'completion'),
      ])
      assert.ok(deletion.status === 'fulfilled')
      const found = await Promise.all(jobs.map(async (id) => (await shop.get(`/tickets/${id}`)).status))
      if (added.status === 'rejected') assert.deepEqual(found, [404, 404])
      else {
        assert.deepEqual(found, [200, 200])
        assert.deepEqual(deletion.value.body.data, { ticketIds: [jobs[1]] })
      }
    }
  })
})
