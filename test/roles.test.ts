// Every role over every operation, and the jobs of technicians: theirs, nobody's and somebody else's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../src/db/database.ts'
import { type Role, roles } from '../src/domain/roles.ts'
import { createContext, noDependencies } from '../src/operations/context.ts'
import { ApiError } from '../src/operations/errors.ts'
import { createExecute, type OperationResult } from '../src/operations/execute.ts'
import { idsIn } from '../src/operations/operation.ts'
import { addSubmission, startSubmission, voidSubmission } from '../src/resources/forms/submission-actions.ts'
import { operations, scopeCatalogue } from '../src/resources/index.ts'
import { createRoleScopes, memberCaller, roleScopes } from '../src/resources/roles.ts'
import { blank, formWriter } from './forms.ts'
import { untilWaiting } from './lock-waits.ts'
import { entities, managersLack, techniciansHold } from './specification.ts'
import { startTestService } from './test-service.ts'
import { person } from './visitor.ts'

const here = await startTestService()
const { database } = here
const execute = createExecute(database, operations, noDependencies, { strict: true })

const everyScope = Object.entries(entities).flatMap(([entity, { actions }]) =>
  actions.map((action) => `${entity}:${action}`),
)
const held: Readonly<Record<Role, readonly string[]>> = {
  admin: everyScope,
  manager: everyScope.filter((scope) => !(managersLack as readonly string[]).includes(scope)),
  technician: techniciansHold,
}

for (const role of roles) {
  test(`${role}: of every operation exactly those are refused whose scopes the role lacks`, async () => {
    const { orgId } = await here.organisation()
    const caller = memberCaller({ orgId, memberId: 'mem_x', memberName: 'Tess', role })
    assert.deepEqual([...caller.scopes].sort(), [...held[role]].sort())
    for (const operation of operations) {
      const params = Object.fromEntries(idsIn(operation.path).map((id) => [id, 'absent']))
      const answer = await execute({ operation, params, query: {}, body: {} }, caller).catch((error: ApiError) => error)
      const isRefused = answer instanceof ApiError && answer.details.code === 'insufficient_scope'
      const mayEnter = operation.needs.every((scope) => held[role].includes(scope))
      assert.equal(isRefused, !mayEnter, `${operation.name}: ${JSON.stringify(answer)}`)
    }
  })
}

test('an entity that nobody decided on keeps the service from starting', () => {
  const { scopes } = scopeCatalogue
  assert.throws(() => createRoleScopes({ scopes: [...scopes, 'reports:read'] }), /No role was decided for reports/)
  assert.throws(
    () => createRoleScopes({ scopes: scopes.filter((scope) => !scope.startsWith('quotes:')) }),
    /decided for quotes, which no resource declares/,
  )
  assert.equal(roleScopes.admin.size, scopes.length)
})

interface Shop {
  readonly shop: Awaited<ReturnType<typeof here.organisation>>
  readonly me: string
  readonly other: string
  run(name: string, params: Record<string, string>, body?: object): Promise<OperationResult>
}

async function shopWithTechnicians(role: Role = 'technician'): Promise<Shop> {
  const shop = await here.organisation()
  const { orgId } = shop
  const [me, other] = [await person(here, orgId, 'technician'), await person(here, orgId, 'technician')]
  const caller = memberCaller({ orgId, memberId: me.memberId, memberName: 'Tess', role })
  const run: Shop['run'] = (name, params, body = {}) => {
    const operation = operations.find((one) => one.name === name)!
    return execute({ operation, params, query: {}, body }, caller)
  }
  return { shop, me: me.memberId, other: other.memberId, run }
}

const newJob = async ({ shop }: Shop, assignedTechnician: string | null, more: object = {}) =>
  (await shop.post('/tickets', { customerName: 'Ada', serviceRequired: 'Oven', assignedTechnician, ...more })).body.data

const at = { from: '2027-01-04T09:00:00Z', to: '2027-01-04T10:00:00Z' }
const visit = { scheduledFrom: at.from, scheduledTo: at.to }

const isOthers = (error: ApiError) =>
  error.status === 403 && error.details.code === 'job_of_another' && /ask a manager/.test(error.message)

/** Everything a technician can write on a job that exists: prepared for one job, then done as the member. */
const writes: Readonly<
  Record<string, (shop: Shop, ticketId: string) => Promise<() => Promise<{ readonly status: number }>>>
> = {
  updateTicket:
    async ({ run }, ticketId) =>
    () =>
      run('updateTicket', { ticketId }, { description: 'Hot' }),
  setTicketStatus:
    async ({ run }, ticketId) =>
    () =>
      run('setTicketStatus', { ticketId }, { status: 'Closed' }),
  addTicketService:
    async ({ run }, ticketId) =>
    () =>
      run('addTicketService', { ticketId }, { name: 'Cleaning' }),
  async updateTicketService({ shop, run }, ticketId) {
    const { id: lineId } = (await shop.post(`/tickets/${ticketId}/services`, { name: 'Work', unitPrice: 5 })).body.data
    return () => run('updateTicketService', { ticketId, lineId }, { quantity: 2 })
  },
  async deleteTicketService({ shop, run }, ticketId) {
    const { id: lineId } = (await shop.post(`/tickets/${ticketId}/services`, { name: 'Work' })).body.data
    return () => run('deleteTicketService', { ticketId, lineId })
  },
  addTicketInventory:
    async ({ run }, ticketId) =>
    () =>
      run('addTicketInventory', { ticketId }, { name: 'Fuse' }),
  async updateTicketInventory({ shop, run }, ticketId) {
    const { id: lineId } = (await shop.post(`/tickets/${ticketId}/inventory`, { name: 'Fuse' })).body.data
    return () => run('updateTicketInventory', { ticketId, lineId }, { quantity: 2 })
  },
  async deleteTicketInventory({ shop, run }, ticketId) {
    const { id: lineId } = (await shop.post(`/tickets/${ticketId}/inventory`, { name: 'Fuse' })).body.data
    return () => run('deleteTicketInventory', { ticketId, lineId })
  },
  setTicketSignature:
    async ({ run }, ticketId) =>
    () =>
      run('setTicketSignature', { ticketId }, { signature: null }),
  addTicketMessage:
    async ({ run }, ticketId) =>
    () =>
      run('addTicketMessage', { ticketId }, { text: 'Done' }),
  async updateTicketMessage({ shop, run }, ticketId) {
    const { id: messageId } = (await shop.post(`/tickets/${ticketId}/messages`, { text: 'Hm' })).body.data
    return () => run('updateTicketMessage', { ticketId, messageId }, { text: 'Done' })
  },
  createCalendarEvent:
    async ({ run }, ticketId) =>
    () =>
      run('createCalendarEvent', {}, { ...at, ticketId }),
  async updateCalendarEvent({ shop, run }, ticketId) {
    const { id: eventId } = (await shop.post('/calendar-events', { ...at, ticketId })).body.data
    return () => run('updateCalendarEvent', { eventId }, { notes: 'Ring twice' })
  },
  async 'give a free event to the job'({ run, shop }, ticketId) {
    const { id: eventId } = (await shop.post('/calendar-events', { ...at, title: 'Free' })).body.data
    return () => run('updateCalendarEvent', { eventId }, { ticketId })
  },
  async 'add a form'(shop, ticketId) {
    const { templates } = await formWriter(database, shop.shop.orgId).import([blank])
    return () =>
      fill(shop, (ctx, actor) => addSubmission(ctx, actor, { ticketId, templateId: templates[0]!, gate: 'none' }))
  },
  async 'fill a form in'(shop, ticketId) {
    const { templates } = await formWriter(database, shop.shop.orgId).import([blank])
    const { id } = await formWriter(database, shop.shop.orgId).add(ticketId, templates[0]!, 'none')
    return () => fill(shop, (ctx, actor) => startSubmission(ctx, actor, id))
  },
}

async function fill(
  { shop: { orgId }, me }: Shop,
  work: (ctx: Parameters<typeof startSubmission>[0], actor: { id: string; name: string }) => Promise<unknown>,
) {
  const caller = memberCaller({ orgId, memberId: me, memberName: 'Tess', role: 'technician' })
  await database.transaction(orgId, (transaction) =>
    work(createContext(transaction, caller, { ...noDependencies, restOrigin: here.origin }), { id: me, name: 'Tess' }),
  )
  return { status: 200 }
}

for (const [name, prepare] of Object.entries(writes)) {
  test(`technicians, ${name}: their own jobs and nobody's, not somebody else's, decided once the job is locked`, async () => {
    const shop = await shopWithTechnicians()
    for (const assignee of [shop.me, null]) {
      const write = await prepare(shop, (await newJob(shop, assignee)).id)
      assert.ok((await write()).status < 300)
    }
    const refused = await prepare(shop, (await newJob(shop, shop.other)).id)
    await assert.rejects(refused, isOthers)

    // The job is given to somebody else while the write waits for it.
    const { id } = await newJob(shop, shop.me)
    const late = await prepare(shop, id)
    const writing = await database.transaction(shop.shop.orgId, async (transaction) => {
      await transaction.query(sql`update tickets set assigned_technician = ${shop.other}
        where org_id = ${shop.shop.orgId} and id = ${id}`)
      const pending = late().catch((error: unknown) => error)
      await untilWaiting(database, '%tickets%', pending)
      return { pending }
    })
    assert.ok(isOthers((await writing.pending) as ApiError))
  })
}

test('nothing of a refused write stays', async () => {
  const shop = await shopWithTechnicians()
  const { id: ticketId, updatedAt } = await newJob(shop, shop.other)
  await assert.rejects(shop.run('addTicketService', { ticketId }, { name: 'Cleaning' }), isOthers)
  await assert.rejects(shop.run('addTicketMessage', { ticketId }, { text: 'Done' }), isOthers)
  const { tickets, services, messages } = {
    tickets: (await shop.shop.get(`/tickets/${ticketId}`)).body.data,
    services: (await shop.shop.get(`/tickets/${ticketId}/services`)).body.data.services,
    messages: (await shop.shop.get(`/tickets/${ticketId}/messages`)).body.data.messages,
  }
  assert.deepEqual([tickets.updatedAt, services.length, messages.length], [updatedAt, 0, 1])
})

test('technicians take jobs and give them back, but hand none to others', async () => {
  const shop = await shopWithTechnicians()
  const { me, other, run } = shop
  const { id: ticketId } = await newJob(shop, null)
  for (const assignedTechnician of [me, null, me]) await run('updateTicket', { ticketId }, { assignedTechnician })
  await assert.rejects(run('updateTicket', { ticketId }, { assignedTechnician: other }), isOthers)
  await assert.rejects(run('createTicket', {}, { customerName: 'Ada', assignedTechnician: other }), isOthers)
  for (const assignedTechnician of [me, null])
    assert.equal((await run('createTicket', {}, { customerName: 'Ada', assignedTechnician, ...visit })).status, 201)
  await assert.rejects(run('createCalendarEvent', {}, { ...at, title: 'Lunch', assignedToId: other }), isOthers)
  const event = JSON.parse((await run('createCalendarEvent', {}, { ...at, title: 'Lunch', assignedToId: me })).data)
  await assert.rejects(run('updateCalendarEvent', { eventId: event.id }, { assignedToId: other }), isOthers)
})

test('an event of somebody else is theirs, also without a job', async () => {
  const { shop, other, run } = await shopWithTechnicians()
  const { id: eventId } = (await shop.post('/calendar-events', { ...at, title: 'Lunch', assignedToId: other })).body
    .data
  await assert.rejects(run('updateCalendarEvent', { eventId }, { notes: 'Mine now' }), isOthers)
})

test('a form that outlived its job belongs to who had the job', async () => {
  const shop = await shopWithTechnicians()
  const pen = formWriter(database, shop.shop.orgId)
  const { templates } = await pen.import([blank])
  const { id: ticketId } = await newJob(shop, shop.other)
  const { id } = await pen.add(ticketId, templates[0]!, 'none')
  await pen.submit(id)
  assert.equal((await shop.shop.delete(`/tickets/${ticketId}`)).status, 200)
  await assert.rejects(
    fill(shop, (ctx, actor) => voidSubmission(ctx, actor, id, null)),
    isOthers,
  )
})

test('technicians set no prices', async () => {
  const shop = await shopWithTechnicians()
  const { run } = shop
  const { id: ticketId } = await newJob(shop, shop.me)
  const isPrice = (field: string) => (error: ApiError) =>
    error.status === 403 && error.details.code === 'price_not_allowed' && error.message.startsWith(`${field} `)
  await assert.rejects(run('setTicketDiscount', { ticketId }, { type: 'percent', value: 5 }), isPrice('discount'))
  await assert.rejects(run('removeTicketDiscount', { ticketId }), isPrice('discount'))
  await assert.rejects(run('addTicketService', { ticketId }, { name: 'Work', unitPrice: 0 }), isPrice('unitPrice'))
  await assert.rejects(run('addTicketService', { ticketId }, { name: 'Work', taxRateId: null }), isPrice('taxRateId'))
  const { id: taxRateId } = (await shop.shop.post('/tax-rates', { name: 'VAT', rate: 20 })).body.data
  const added = await shop.shop.post(`/tickets/${ticketId}/services`, { name: 'Work', unitPrice: 5, taxRateId })
  const params = { ticketId, lineId: added.body.data.id }
  await assert.rejects(run('updateTicketService', params, { unitPrice: 6 }), isPrice('unitPrice'))
  await assert.rejects(run('updateTicketService', params, { taxRateId: null }), isPrice('taxRateId'))
  const kept = await run('updateTicketService', params, { quantity: 3, unitPrice: 5, taxRateId })
  assert.equal(JSON.parse(kept.data).lineTotal, 15)
})

test('managers, keys and apps write every job and set prices', async () => {
  const shop = await shopWithTechnicians('manager')
  const { id: ticketId } = await newJob(shop, shop.other)
  await shop.run('updateTicket', { ticketId }, { assignedTechnician: shop.me })
  await shop.run('updateTicket', { ticketId }, { assignedTechnician: shop.other })
  await shop.run('setTicketDiscount', { ticketId }, { type: 'percent', value: 5 })
  await shop.run('addTicketService', { ticketId }, { name: 'Work', unitPrice: 5 })
  assert.equal((await shop.shop.post(`/tickets/${ticketId}/messages`, { text: 'From a key' })).status, 201)
})

test('a job that a member makes says that it was made in the app', async () => {
  const shop = await shopWithTechnicians()
  const { id } = JSON.parse((await shop.run('createTicket', {}, { customerName: 'Ada' })).data)
  const [made] = (await shop.shop.get(`/tickets/${id}/messages`)).body.data.messages
  assert.deepEqual(made.systemData, { source: 'app' })
})

test('an operation runs in the transaction it is given, and only one that can', async () => {
  const { shop, me } = await shopWithTechnicians()
  const { orgId } = shop
  const caller = memberCaller({ orgId, memberId: me, memberName: 'Tess', role: 'admin' })
  const find = (name: string) => operations.find((one) => one.name === name)!
  const createCustomer = { operation: find('createCustomer'), params: {}, query: {}, body: { firstName: 'Ada' } }
  const customers = async () => (await shop.get('/customers')).body.data.customers.length
  const undone = database.transaction(orgId, async (transaction) => {
    await execute({ ...createCustomer, transaction }, caller)
    const list = await execute(
      { operation: find('listCustomers'), params: {}, query: {}, body: {}, transaction },
      caller,
    )
    assert.equal(JSON.parse(list.data).customers.length, 1)
    assert.equal(await customers(), 0)
    throw new Error('undone')
  })
  await assert.rejects(undone, /undone/)
  assert.equal(await customers(), 0)
  await database.transaction(orgId, (transaction) => execute({ ...createCustomer, transaction }, caller))
  assert.equal(await customers(), 1)

  const [{ id: customerId }] = (await shop.get('/customers')).body.data.customers
  const remove = { operation: find('deleteCustomer'), params: { customerId }, query: {}, body: {} }
  const within = (request: Parameters<typeof execute>[0]) =>
    database.transaction(orgId, (transaction) => execute({ ...request, transaction }, caller))
  await assert.rejects(within(remove), /deleteCustomer runs in steps/)
  await assert.rejects(within({ ...createCustomer, idempotencyKey: 'a' }), /cannot be repeated by a key/)
  assert.equal(await customers(), 1)
})
