// Who is said to have made a change: each kind of actor, and nobody in the place of another.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { commandLine, settingsFor } from '../../test/command-line.ts'
import { signIntoDesk } from '../../test/desk-user.ts'
import { type Told, teller } from '../../test/events.ts'
import { obtainTokens, register } from '../../test/oauth-app.ts'
import { agreement } from '../../test/recurring.ts'
import { startTestService } from '../../test/test-service.ts'
import { person } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import { runRecurring } from '../worker/recurring.ts'

const here = await startTestService()
const { database } = here

async function shop() {
  const client = await here.organisation()
  return { client, ...teller(here, client) }
}
const actorsOf = (events: readonly Told[]) => [
  ...new Map(events.map(({ actor }) => [JSON.stringify(actor), actor])).values(),
]

it('a key by its id and name, for single statements, transactions, steps and repeated requests alike', async () => {
  const { client, told } = await shop()
  const [key] = await database.query<{ name: string }>(sql`select name from api_keys where id = ${client.keyId}`)
  const expected = [{ kind: 'key', id: client.keyId, name: key!.name }]
  let id = ''
  const single = await told(async () => {
    id = (await client.post('/customers', { firstName: 'Amara' })).body.data.id
  })
  assert.deepEqual(actorsOf(single), expected)
  assert.deepEqual(actorsOf(await told(() => client.post('/tickets', { customerId: id }))), expected)
  const repeated = () => client.post('/customers', { firstName: 'Once' }, { 'idempotency-key': 'once' })
  assert.deepEqual(actorsOf(await told(repeated)), expected)
  assert.deepEqual(await told(repeated), [], 'and what is not done again is not told again')
  assert.deepEqual(actorsOf(await told(() => client.delete(`/customers/${id}`))), expected)
})

it('each of many who write on the same connections at once', async () => {
  const { client, told } = await shop()
  const callers = [client, ...(await Promise.all([1, 2, 3].map(() => here.client(client.orgId))))]
  const events = await told(() =>
    Promise.all(
      Array.from({ length: 80 }, (_, n) => {
        const caller = callers[n % callers.length]!
        return n % 3 === 0
          ? caller.post('/recurring-presets', { name: caller.keyId })
          : caller.post('/customers', { firstName: caller.keyId })
      }),
    ),
  )
  assert.equal(events.length, 80)
  for (const { actor, data } of events) assert.equal(data.firstName ?? data.name, actor.id)
})

it('an app by its grant', async () => {
  const { client, told } = await shop()
  const admin = await person(here, client.orgId)
  const app = await register(here)
  const { access_token: token } = await obtainTokens(here, app, admin, { parameters: { scope: 'write' } })
  const events = await told(() =>
    here.request('POST', `/api/v1/organisations/${client.orgId}/customers`, {
      body: { firstName: 'Amara' },
      headers: { authorization: `Bearer ${token}` },
    }),
  )
  const [grant] = await database.query<{ id: string }>(sql`select id from grants where org_id = ${client.orgId}`)
  assert.deepEqual([events[0]!.actor.kind, events[0]!.actor.id], ['app', grant!.id])
})

it('a member in the settings', async () => {
  const { client, told } = await shop()
  const admin = await signIntoDesk(here, client.orgId)
  const events = await told(() => admin.post('/settings/forms', { name: 'Record', status: 'draft', rows: '0' }))
  assert.deepEqual(
    events.map(({ type, actor }) => [type, actor.kind, actor.id]),
    [['form_template.created', 'member', admin.who.memberId]],
  )
})

it('a customer on the shared page', async () => {
  const { client, told } = await shop()
  const { id } = (
    await client.post('/quotes', {
      customerName: 'Amara',
      lineItems: [{ name: 'Labour', unitPrice: 10 }],
      status: 'sent',
    })
  ).body.data
  const { url } = (await client.post(`/quotes/${id}/share-link`)).body.data
  const path = new URL(url).pathname
  const viewed = await told(() => fetch(here.origin + path))
  assert.deepEqual(
    viewed.map(({ type, actor }) => [type, actor.kind, actor.id]),
    [
      ['quote.updated', 'customer', null],
      ['quote.viewed', 'customer', null],
    ],
  )
  const page = await (await fetch(here.origin + path)).text()
  const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(page) ?? []
  const body = new URLSearchParams({ csrf, answer: 'accept', name: 'Amara Okafor' })
  const accepted = await told(() => fetch(here.origin + path, { method: 'POST', body, redirect: 'manual' }))
  const signal = accepted.find(({ type }) => type === 'quote.accepted')!
  assert.deepEqual(signal.actor, { kind: 'customer', id: null, name: 'Amara Okafor' })
})

it('a schedule for what it makes, by the worker and by the command line', async () => {
  const { client, told } = await shop()
  const [one, two] = [await agreement(client, { horizonDays: 3 }), await agreement(client, { horizonDays: 3 })]
  const events = await told(() => runRecurring(database, { orgId: client.orgId }))
  const made = events.filter(({ type }) => type === 'ticket.created')
  assert.deepEqual(
    made.map(({ actor }) => [actor.kind, actor.id]).sort(),
    [one, two].map(({ id }) => ['schedule', id]).sort(),
  )
  const three = await agreement(client, { horizonDays: 3 })
  const run = commandLine(settingsFor(here))
  const byHand = await told(() => run('recurring', 'run', '--org', client.orgId))
  const ticket = byHand.find(({ type }) => type === 'ticket.created')!
  assert.deepEqual([ticket.actor.kind, ticket.actor.id], ['schedule', three.id])
})

it('the operator at the command line', async () => {
  const { client, told } = await shop()
  const run = commandLine(settingsFor(here))
  const expected = [{ kind: 'operator', id: null, name: 'command line' }]
  const renamed = await told(() => run('org', 'set', client.orgId, '--name', 'Harbour'))
  assert.deepEqual([renamed[0]?.type, actorsOf(renamed)], ['organisation.updated', expected])
  const joined = await told(() =>
    run(
      'member',
      'add',
      '--org',
      client.orgId,
      '--email',
      `${client.orgId}@x.example`,
      '--first-name',
      'Ida',
      '--role',
      'technician',
    ),
  )
  assert.deepEqual([joined[0]?.type, actorsOf(joined)], ['member.created', expected])
})
