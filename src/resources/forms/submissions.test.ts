// Forms as callers read them: lists with their filters, one at a time, and never written.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blank, formWriter } from '../../../test/forms.ts'
import { startTestService } from '../../../test/test-service.ts'

const { organisation, client, database } = await startTestService()

const shop = await organisation()
const pen = formWriter(database, shop.orgId)
const { templates, rules } = await pen.import(
  [
    { ...blank, name: 'élan' },
    { ...blank, name: 'Zed', status: 'draft' },
    { ...blank, name: 'Abc' },
  ],
  [
    { name: 'second', template: 'Abc', gate: 'none', match: { deviceTypes: ['Phone'] } },
    { name: 'First', template: 'élan', gate: 'start', match: { deviceTypes: ['Phone'] } },
  ],
)
const job = async () => (await shop.post('/tickets', { customerName: 'A', customerDeviceType: 'phone' })).body.data.id
const [one, two] = [await job(), await job()]
const ids = async (path: string, key: string): Promise<string[]> => {
  const { status, body } = await shop.get(path)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data[key].map(({ id }: { id: string }) => id)
}
const submissions = (query: string) => ids(`/form-submissions?${query}`, 'formSubmissions')

test('templates and rules are listed by name without regard to case and accents, and filtered', async () => {
  assert.deepEqual(await ids('/form-templates', 'formTemplates'), [templates[2], templates[0], templates[1]])
  assert.deepEqual(await ids('/form-templates?status=draft', 'formTemplates'), [templates[1]])
  assert.equal((await shop.get('/form-templates?status=gone')).status, 400)
  assert.deepEqual(await ids('/form-rules', 'formRules'), [rules[1], rules[0]])
  assert.deepEqual(await ids(`/form-rules?templateId=${templates[0]}`, 'formRules'), [rules[1]])
  const { data } = (await shop.get('/form-templates?limit=1')).body
  assert.deepEqual(await ids(`/form-templates?startAfter=${data.pagination.nextCursor}`, 'formTemplates'), [
    templates[0],
    templates[1],
  ])
})

test('submissions are listed newest first, and every filter can be combined with the others', async () => {
  const all = await submissions('')
  assert.equal(all.length, 4)
  const [first] = await submissions(`ticketId=${one}&gate=start`)
  await pen.submit(first!)
  assert.deepEqual(await submissions('status=submitted'), [first])
  assert.deepEqual(await submissions(`status=submitted&ticketId=${two}`), [])
  assert.deepEqual(new Set(await submissions(`templateId=${templates[0]}`)).size, 2)
  assert.deepEqual(await submissions(`templateId=${templates[0]}&gate=none`), [])
  assert.deepEqual((await submissions(`ticketId=${two}`)).toSorted(), all.slice(0, 2).toSorted())
  assert.equal((await shop.get('/form-submissions?gate=other')).status, 400)
  const page = (await shop.get('/form-submissions?limit=1')).body.data
  assert.deepEqual(
    [...page.formSubmissions.map(({ id }: { id: string }) => id), ...(await submissions(`startAfter=${all[0]}`))],
    all,
  )
})

test('a walk through the pages survives the deletion of the record its cursor names', async () => {
  const gone = await job()
  const [cursor] = await submissions(`ticketId=${gone}`)
  for (const id of await submissions(`ticketId=${gone}&gate=start`)) await pen.void(id)
  assert.equal((await shop.delete(`/tickets/${gone}`)).status, 200)
  assert.equal((await shop.get(`/form-submissions/${cursor}`)).status, 404)
  assert.ok((await submissions(`startAfter=${cursor}`)).length >= 4)
})

test('signatures and events belong to a submission that exists', async () => {
  const [id] = await submissions(`ticketId=${two}`)
  const { data } = (await shop.get(`/form-submissions/${id}/signatures`)).body
  assert.deepEqual(data, { signatures: [], pagination: { limit: 500, hasMore: false, nextCursor: null } })
  for (const what of ['signatures', 'events']) {
    const unknown = await shop.get(`/form-submissions/nope/${what}`)
    assert.deepEqual([unknown.status, unknown.body.error], [404, 'Form submission not found'])
  }
})

test('nothing is written over REST', async () => {
  const [id] = await submissions(`ticketId=${two}`)
  const before = (await shop.get(`/form-submissions/${id}`)).body
  const paths = ['/form-templates', '/form-rules', '/form-submissions', `/form-submissions/${id}`]
  for (const path of paths) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status } = await shop.call(method, path, { body: { status: 'voided' } })
      assert.ok([403, 404, 405].includes(status), `${method} ${path} ${status}`)
    }
  }
  assert.deepEqual((await shop.get(`/form-submissions/${id}`)).body, before)
  const stranger = await client(shop.orgId, { scopes: ['tickets:read'] })
  assert.equal((await stranger.get('/form-submissions')).body.code, 'insufficient_scope')
})
