// Job statuses through HTTP: what can be made and changed, what is built in, and what can be deleted.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { blank, formWriter } from '../../test/forms.ts'
import { isWaitingForLock } from '../../test/lock-waits.ts'
import { type Client, type Reply, startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { createOrganisation } from '../identity/organisations.ts'

const { organisation, client, database } = await startTestService()

interface Status {
  readonly id: string
  readonly name: string
  readonly index: number
  readonly stage: string
  readonly type: string
  readonly color: number
}
const listStatuses = async (shop: Client): Promise<Status[]> =>
  (await shop.get('/ticket-statuses')).body.data.ticketStatuses
const builtIn = async (shop: Client, name = 'Open') =>
  (await listStatuses(shop)).find((status) => status.name === name)!
const status = async (shop: Client, name: string, body: object = {}): Promise<string> =>
  (await shop.post('/ticket-statuses', { name, ...body })).body.data.id
/** An organisation that was made without the built-in ones. */
const bareOrganisation = async () =>
  client((await createOrganisation(database, { name: 'Bare', hasDefaultStatuses: false })).id)

let jobs = 0
const job = ({ orgId }: Client, statusId: string) =>
  database.query(sql`
    insert into tickets (org_id, id, ticket_number, status_id)
    values (${orgId}, ${`tic_${++jobs}`}, ${jobs}, ${statusId})`)

test('a new organisation has the three that are built in', async () => {
  const statuses = await listStatuses(await organisation())
  assert.deepEqual(
    statuses.map(({ name, index, stage, type }) => [name, index, stage, type]),
    [
      ['Open', 0, 'open', 'default'],
      ['In Progress', 1, 'inProgress', 'default'],
      ['Closed', 2, 'closed', 'default'],
    ],
  )
  for (const { id } of statuses) assert.match(id, /^sts_[0-9a-hjkmnp-tv-z]{26}$/)
  assert.deepEqual(await listStatuses(await bareOrganisation()), [])
})

describe('creating and changing', () => {
  test('answers 201 with every field, and the new one is custom whatever was asked', async () => {
    const shop = await organisation()
    const { status, body, headers } = await shop.post('/ticket-statuses', { name: 'Waiting', type: 'default' })
    const { id, createdAt, updatedAt, ...rest } = body.data
    assert.equal(status, 201)
    assert.match(id, /^sts_/)
    assert.equal(updatedAt, createdAt)
    assert.equal(headers.get('x-ignored-fields'), 'type')
    assert.deepEqual(rest, { name: 'Waiting', color: 4288585374, index: 3, stage: 'open', type: 'custom' })
    assert.deepEqual((await shop.get(`/ticket-statuses/${id}`)).body.data, body.data)
  })

  test('changes what is given, and never the type', async () => {
    const shop = await organisation()
    const id = await status(shop, 'Waiting')
    const change = { name: 'Parked', color: 4294967295, index: 0, stage: 'closed' }
    const { body } = await shop.put(`/ticket-statuses/${id}`, { ...change, type: 'default' })
    for (const [field, value] of Object.entries({ ...change, type: 'custom' })) assert.equal(body.data[field], value)
    const alone = await shop.put(`/ticket-statuses/${id}`, { type: 'default' })
    assert.equal(alone.body.error, 'At least one updatable field is required')
  })

  test('names the field and the reason when it refuses', async () => {
    const shop = await organisation()
    const refusals: [object, string, string?][] = [
      [{}, 'name is required'],
      [{ name: 'A'.repeat(61) }, 'name must be at most 60 characters'],
      [{ name: 'open' }, 'name is already used', 'ALREADY_USED'],
      [{ name: 'A', color: '#fff' }, 'color must be an integer'],
      [{ name: 'A', color: -1 }, 'color must be at least 0'],
      [{ name: 'A', color: 4294967296 }, 'color must be at most 4294967295'],
      [{ name: 'A', index: -1 }, 'index must be at least 0'],
      [{ name: 'A', stage: 'done' }, 'stage must be one of open, inProgress, closed'],
    ]
    for (const [given, error, code] of refusals) {
      const { status, body } = await shop.post('/ticket-statuses', given)
      assert.deepEqual([status, body], [400, { success: false, error, ...(code && { code }) }])
    }
    assert.equal((await listStatuses(shop)).length, 3, 'nothing was stored')
  })

  test('a name is used once, whatever its case, and only within the organisation', async () => {
    const shop = await organisation()
    const id = await status(shop, 'Ärger')
    assert.equal((await shop.post('/ticket-statuses', { name: 'äRGER' })).body.error, 'name is already used')
    assert.equal((await shop.put(`/ticket-statuses/${id}`, { name: 'CLOSED' })).body.error, 'name is already used')
    assert.equal((await shop.put(`/ticket-statuses/${id}`, { name: 'ÄRGER' })).body.data.name, 'ÄRGER')
    assert.equal((await (await organisation()).post('/ticket-statuses', { name: 'Ärger' })).status, 201)
  })

  test('of sixteen with the same name at the same time one is made', async () => {
    const shop = await organisation()
    const replies = await Promise.all(
      Array.from({ length: 16 }, () => shop.post('/ticket-statuses', { name: 'Waiting' })),
    )
    assert.equal(replies.filter(({ status }) => status === 201).length, 1)
    for (const { status, body } of replies) if (status !== 201) assert.equal(body.error, 'name is already used')
  })

  test('the five hundred and first is refused', async () => {
    const shop = await organisation()
    await database.query(sql`
      insert into ticket_statuses (org_id, id, name)
      select ${shop.orgId}, 'sts_' || n, 'Status ' || n from generate_series(1, 497) n`)
    const { status, body } = await shop.post('/ticket-statuses', { name: 'One more' })
    assert.deepEqual([status, body.error], [400, 'There can be at most 500 ticket statuses'])
  })
})

describe('a built-in one', () => {
  test('keeps its name and stage', async () => {
    const shop = await organisation()
    const open = await builtIn(shop)
    for (const change of [{ name: 'New' }, { name: 'open' }, { stage: 'closed' }]) {
      const { status, body } = await shop.put(`/ticket-statuses/${open.id}`, { ...change, color: 1 })
      const [field] = Object.keys(change)
      assert.deepEqual([status, body.error], [400, `${field} of a built-in status cannot be changed`])
    }
    assert.deepEqual(await builtIn(shop), open)
  })

  test('takes another colour and place, and its own name and stage put back', async () => {
    const shop = await organisation()
    const open = await builtIn(shop)
    const { status, body } = await shop.put(`/ticket-statuses/${open.id}`, { ...open, color: 7, index: 9 })
    assert.equal(status, 200)
    assert.deepEqual([body.data.name, body.data.stage, body.data.color, body.data.index], ['Open', 'open', 7, 9])
    assert.deepEqual(
      (await listStatuses(shop)).map(({ name }) => name),
      ['In Progress', 'Closed', 'Open'],
    )
  })

  test('cannot be deleted, even when a job has it', async () => {
    const shop = await organisation()
    const open = await builtIn(shop)
    await job(shop, open.id)
    const { status, body } = await shop.delete(`/ticket-statuses/${open.id}`)
    assert.deepEqual([status, body.error], [400, 'A built-in status cannot be deleted'])
  })
})

describe('a change of stage', () => {
  /** A status with two jobs, one of which has an open form at each of these gates. */
  async function statusWithForms(...gates: ('start' | 'completion' | 'invoice')[]) {
    const shop = await organisation()
    const pen = formWriter(database, shop.orgId)
    const { templates } = await pen.import([blank])
    const statusId = await status(shop, 'Waiting')
    const tickets = []
    for (let n = 0; n < 2; n++)
      tickets.push((await shop.post('/tickets', { customerName: 'Ada', status: 'Waiting' })).body.data.id)
    for (const gate of gates) await pen.add(tickets[1], templates[0]!, gate)
    const restage = (stage: string) => shop.put(`/ticket-statuses/${statusId}`, { stage, color: 7 })
    return { shop, pen, statusId, ticketId: tickets[1] as string, restage }
  }
  const outcomeOf = ({ status, body }: Reply) => [status, body.code, body.data]

  test('moves no job past a gate while forms are open, and names the jobs', async () => {
    const { shop, pen, statusId, ticketId, restage } = await statusWithForms('start', 'completion', 'completion')
    const before = (await shop.get(`/ticket-statuses/${statusId}`)).body.data
    const starting = [409, 'FORM_GATE_TRANSITION', { gate: 'start', outstanding: 1, ticketIds: [ticketId] }]
    assert.deepEqual(outcomeOf(await restage('inProgress')), starting)
    assert.deepEqual(outcomeOf(await restage('closed')), starting)
    assert.deepEqual((await shop.get(`/ticket-statuses/${statusId}`)).body.data, before, 'nothing was changed')
    const ticket = (await shop.get(`/tickets/${ticketId}`)).body.data
    assert.equal(ticket.closedAt, null)
    const forms = (await shop.get(`/form-submissions?ticketId=${ticketId}`)).body.data.formSubmissions
    const idsOf = (gate: string) => forms.filter((form: { gate: string }) => form.gate === gate)
    await pen.submit(idsOf('start')[0].id)
    assert.equal((await restage('inProgress')).status, 200)
    assert.deepEqual(outcomeOf(await restage('closed')), [
      409,
      'FORM_GATE_TRANSITION',
      { gate: 'completion', outstanding: 2, ticketIds: [ticketId] },
    ])
    for (const { id } of idsOf('completion')) await pen.void(id)
    assert.equal((await restage('closed')).status, 200)
    assert.notEqual((await shop.get(`/tickets/${ticketId}`)).body.data.closedAt, null)
  })

  test('goes back to an open stage, and past forms of other gates', async () => {
    const { restage, pen, ticketId, shop } = await statusWithForms('completion', 'invoice')
    assert.equal((await restage('inProgress')).status, 200)
    const [form] = (await shop.get(`/form-submissions?ticketId=${ticketId}&gate=completion`)).body.data.formSubmissions
    await pen.submit(form.id)
    assert.equal((await restage('closed')).status, 200)
    await pen.reopen(form.id)
    assert.equal((await restage('closed')).status, 200, 'no change of stage')
    assert.equal((await restage('open')).status, 200)
  })

  for (const [what, change] of [
    ['adds a form', 'update tickets set open_start_form_count = 1 where org_id = $1 and id = $2'],
    [
      'moves a job with an open form there',
      `with status as (select id from ticket_statuses where org_id = $1 and id = $3 for share)
       update tickets set open_start_form_count = 1, status_id = status.id from status
       where tickets.org_id = $1 and tickets.id = $2`,
    ],
  ] as const)
    test(`waits for whoever ${what} at the same moment, and is refused`, async () => {
      const { shop, statusId, restage } = await statusWithForms()
      const isMove = change.includes('$3')
      const body = { customerName: 'Bo', ...(isMove ? {} : { status: 'Waiting' }) }
      const { id } = (await shop.post('/tickets', body)).body.data
      const other = await database.connect()
      try {
        await other.query('begin')
        await other.query(change, isMove ? [shop.orgId, id, statusId] : [shop.orgId, id])
        let isAnswered = false
        const restaging = restage('inProgress').finally(() => {
          isAnswered = true
        })
        while (!isAnswered && !(await isWaitingForLock(database, '%ticket%'))) await delay(10)
        await other.query('commit')
        assert.deepEqual(outcomeOf(await restaging), [
          409,
          'FORM_GATE_TRANSITION',
          { gate: 'start', outstanding: 1, ticketIds: [id] },
        ])
      } finally {
        await other.end()
      }
    })
})

describe('deleting', () => {
  test('takes a custom one that no job has', async () => {
    const shop = await organisation()
    const id = await status(shop, 'Waiting')
    const { status: code, body } = await shop.delete(`/ticket-statuses/${id}`)
    assert.deepEqual([code, body.data], [200, { message: 'Job status deleted', id }])
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const reply = await shop.call(method, `/ticket-statuses/${id}`, method === 'PUT' ? { body: { index: 1 } } : {})
      assert.deepEqual([reply.status, reply.body.error], [404, 'Job status not found'], method)
    }
  })

  test('is refused while a job has it', async () => {
    const shop = await organisation()
    const id = await status(shop, 'Waiting')
    await job(shop, id)
    const { status: code, body } = await shop.delete(`/ticket-statuses/${id}`)
    assert.deepEqual([code, body.code], [409, 'STATUS_IN_USE'])
    assert.equal((await shop.get(`/ticket-statuses/${id}`)).status, 200)
  })

  test('is refused for the last one, before it is asked whether a job has it', async () => {
    const shop = await bareOrganisation()
    const id = await status(shop, 'Only')
    await job(shop, id)
    const { status: code, body } = await shop.delete(`/ticket-statuses/${id}`)
    assert.deepEqual([code, body.code], [409, 'LAST_STATUS'])
  })

  test('leaves one when all sixteen are deleted at the same time', async () => {
    const shop = await bareOrganisation()
    const ids: string[] = []
    for (let n = 0; n < 16; n++) ids.push(await status(shop, `Status ${n}`))
    const replies = await Promise.all(ids.map((id) => shop.delete(`/ticket-statuses/${id}`)))
    const refused = replies.filter(({ status }) => status !== 200)
    assert.deepEqual(
      refused.map(({ status, body }) => [status, body.code]),
      [[409, 'LAST_STATUS']],
    )
    assert.equal((await listStatuses(shop)).length, 1)
  })

  test('is refused in the same way when a job takes it at the same moment', async () => {
    const shop = await organisation()
    const ids: string[] = []
    for (let n = 0; n < 16; n++) ids.push(await status(shop, `Status ${n}`))
    await Promise.all(
      ids.map(async (id) => {
        const isTaken = job(shop, id).then(
          () => true,
          () => false,
        )
        const { status, body } = await shop.delete(`/ticket-statuses/${id}`)
        assert.deepEqual([status, body.code], (await isTaken) ? [409, 'STATUS_IN_USE'] : [200, undefined])
      }),
    )
  })
})
