// What an import may hold, how much of it a step reads, and what it tells and writes for whom.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { countsOf, createImportClient } from '../../../test/import-client.ts'
import { startTestService } from '../../../test/test-service.ts'
import { sql } from '../../db/database.ts'
import { maxCharacters } from '../../domain/moving-in/limits.ts'
import { createContext, noDependencies } from '../../operations/context.ts'
import { takeImportStep } from '../../worker/imports.ts'
import { wrongRowsInPieces } from './wrong-rows.ts'

const service = await startTestService()
const { database, organisation } = service
const { begin, work, judge, write, bring, problemsOf } = createImportClient(database)

type Client = Awaited<ReturnType<typeof organisation>>

/** A row of so many cells is read with the others only as far as a step goes. */
const longRow = (name: string, characters = 600_000) => [name, ...Array<string>(10).fill('x'.repeat(characters / 10))]
const wideColumns = ['Name', ...Array.from({ length: 10 }, (_, n) => `Filler ${n}`)]

async function beginLong(client: Client, names: readonly string[]): Promise<string> {
  const [first, ...others] = names as [string, ...string[]]
  const id = await begin(client, { kind: 'customers', columns: wideColumns, rows: [longRow(first)] })
  for (const name of others) {
    assert.equal((await client.post(`/imports/${id}/rows`, { rows: [longRow(name)] })).status, 200)
  }
  return id
}

describe('a step', () => {
  test('reads rows of a million characters and one more, whether it sorts, judges or writes', async () => {
    const client = await organisation()
    const id = await beginLong(client, ['Ann', 'Ben', 'Cleo', 'Dan', 'Eve'])
    const step = async () => {
      await takeImportStep(database, client.orgId, { importId: id })
      const { status, progress } = (await client.get(`/imports/${id}`)).body.data
      return [status, progress.done]
    }
    await client.post(`/imports/${id}/judge`)
    await step() // what was judged before is taken back
    const sorted = [await step(), await step(), await step()]
    assert.deepEqual(
      sorted,
      [2, 4, 5].map((done) => ['judging', done]),
    )
    await step()
    const judged = [await step(), await step(), await step()]
    assert.deepEqual(
      judged,
      [2, 4, 5].map((done) => ['judging', done]),
    )
    assert.equal((await work(client, id)).created, 5)
    await client.post(`/imports/${id}/write`)
    assert.deepEqual(await step(), ['writing', 2])
    assert.equal((await work(client, id)).status, 'written')
  })

  test('does not read all rows of a record that nobody could work with', async () => {
    const client = await organisation()
    const columns = ['Invoice number', 'Total', ...wideColumns.slice(1)]
    const row = ['R-1', '10', ...longRow('').slice(1)]
    const id = await begin(client, { kind: 'invoices', columns, rows: [row] })
    for (let more = 0; more < 3; more++) await client.post(`/imports/${id}/rows`, { rows: [row] })
    assert.deepEqual(countsOf(await judge(client, id)).wrong, 1)
    assert.match((await problemsOf(client, id))[0].reason, /^4 rows with 2400\d\d\d characters are about one record$/)
  })
})

test('what is told of an import stays short, whatever its cells hold', async () => {
  const client = await organisation()
  const rows = Array.from({ length: 5 }, (_, n) => [
    String(n),
    'Boiler',
    `${n} ${'s'.repeat(50_000)}`,
    `${n}/${'9'.repeat(9_000)}`,
  ])
  const id = await begin(client, { kind: 'jobs', columns: ['Job number', 'Title', 'Status', 'Created'], rows })
  const told = JSON.stringify([await judge(client, id), await problemsOf(client, id)])
  assert.ok(told.length < 30_000, `${told.length} characters`)
})

test('an import holds no more characters than it may, whichever way they come', async () => {
  const client = await organisation()
  const id = await begin(client, { kind: 'customers', columns: ['Name'], rows: [['Ann']] })
  await database.query(
    sql`update imports set characters = ${maxCharacters - 7}::int where org_id = ${client.orgId} and id = ${id}`,
  )
  assert.equal((await client.post(`/imports/${id}/rows`, { rows: [['Cleo']] })).status, 200)
  const { status, body } = await client.post(`/imports/${id}/rows`, { rows: [['B']] })
  assert.deepEqual([status, body.error.startsWith('rows must hold at most')], [400, true])
})

describe('wrong rows as a file', () => {
  const csvOf = async (client: Client, id: string) => {
    const url = `${service.origin}/api/v1/organisations/${client.orgId}/imports/${id}/problems?format=csv`
    const reply = await fetch(url, { headers: { 'x-api-key': client.key } })
    return { status: reply.status, text: await reply.text() }
  }

  test('are refused where they are more than an answer takes, and written in pieces then', async () => {
    const client = await organisation()
    const names = Array<string>(7).fill('')
    const id = await beginLong(client, names)
    await client.post(`/imports/${id}/rows`, { rows: [['', 'short']] })
    assert.equal((await judge(client, id)).wrong, 8)
    const { status, text } = await csvOf(client, id)
    assert.equal(status, 400)
    assert.match(text, /bring problems/)
    const caller = {
      orgId: client.orgId,
      kind: 'operator',
      credentialId: 'test',
      name: 'test',
      scopes: new Set<never>(),
    }
    let whole = ''
    for await (const piece of wrongRowsInPieces(createContext(database, caller as never, noDependencies), id, 0))
      whole += piece
    const lines = whole.trimEnd().split('\r\n')
    assert.equal(lines.length, 9, 'the names of the columns once, and each row')
    assert.match(lines.at(-1)!, /^,short,.*there is no name/)
  })

  test('are found by their record among thousands', async () => {
    const client = await organisation()
    const rows = Array.from({ length: 1_500 }, (_, n) => ['', `note ${n}`])
    const id = await begin(client, { kind: 'customers', columns: ['Name', 'Notes'], rows })
    assert.equal((await judge(client, id)).wrong, 1_500)
    const { status, text } = await csvOf(client, id)
    assert.deepEqual([status, text.split('\r\n').length], [200, 1_502])
    const plan = await database.query<{ 'QUERY PLAN': string }>(
      sql`explain select from import_problems where org_id = ${client.orgId} and import_id = ${id} and position = 7`,
    )
    assert.match(plan.map((line) => line['QUERY PLAN']).join('\n'), /Index Cond: .*position\W+= 7/)
  })
})

describe('who may', () => {
  test('make services of a list of goods: only with their scope, however the column came to its meaning', async () => {
    const shop = await organisation()
    const stocker = await service.client(shop.orgId, {
      scopes: ['imports:read', 'imports:write', 'inventory:write', 'categories:write'],
    })
    const columns = ['Name', 'SKU', 'What it is']
    const map = { 'What it is': 'itemType' }
    const mapped = await stocker.post('/imports', { kind: 'inventory', columns, options: { map } })
    assert.deepEqual([mapped.status, mapped.body.requiredScopes], [403, ['imports:write', 'services:write']])
    const id = await begin(stocker, { kind: 'inventory', columns, rows: [['Advice', 'a', 'Service']] })
    assert.equal((await stocker.post(`/imports/${id}/judge`, { options: { map } })).status, 403)
    assert.equal((await judge(stocker, id)).created, 1)
    await write(stocker, id)
    assert.equal((await shop.get('/services')).body.data.services.length, 0)
  })

  test('learn the names of customers: only who may read them', async () => {
    const shop = await organisation()
    await shop.post('/customers', { firstName: 'Amara', lastName: 'Okafor', email: 'amara@okafor.example' })
    for (const firstName of ['Bo', 'Bea']) await shop.post('/customers', { firstName, phone: '07700 900111' })
    const clerk = await service.client(shop.orgId, {
      scopes: ['imports:read', 'imports:write', 'tickets:write', 'messages:write'],
    })
    const sent = {
      kind: 'jobs',
      columns: ['Job number', 'Title', 'Customer name', 'Customer email', 'Customer phone'],
      rows: [
        ['1', 'Boiler', 'Somebody', 'amara@okafor.example', ''],
        ['2', 'Fan', 'Nobody', '', '07700 900111'],
      ],
    }
    const told = async (client: Client) => {
      const { id, repairs } = await judge(client, await begin(client, sent))
      return JSON.stringify([repairs, await problemsOf(client, id)])
    }
    assert.doesNotMatch(await told(clerk), /Amara|Okafor|Bea|cus_/)
    const all = await told(shop)
    assert.match(all, /“Somebody” was taken for “Amara Okafor”/)
    assert.match(all, /2 customers could be meant: Be?o?a? \(cus_/)
  })

  test('add rows: only who may write what they are', async () => {
    const shop = await organisation()
    const id = await begin(shop, { columns: ['Name', 'Email'], rows: [['Ann', 'ann@x.example']] })
    const bare = await service.client(shop.orgId, { scopes: ['imports:write'] })
    const { status, body } = await bare.post(`/imports/${id}/rows`, { rows: [['Bo', 'bo@x.example']] })
    assert.deepEqual([status, body.requiredScopes], [403, ['imports:write', 'customers:write']])
  })

  test('take back without the right to delete: only who had it written, not who began it', async () => {
    const shop = await organisation()
    const clerk = await service.client(shop.orgId, { scopes: ['imports:write', 'imports:read', 'customers:write'] })
    const id = await begin(clerk, { columns: ['Name', 'Email'], rows: [['Ann', 'ann@x.example']] })
    await judge(shop, id)
    await write(shop, id)
    assert.equal((await clerk.post(`/imports/${id}/undo`)).status, 403)
    assert.equal((await shop.post(`/imports/${id}/undo`)).status, 200)
  })

  test('send a map of more columns than a file has, or a name that is none: nobody', async () => {
    const shop = await organisation()
    const send = (map: object) =>
      shop.post('/imports', { kind: 'customers', columns: ['Name', 'Email'], options: { map } })
    const statusOf = async (map: object) => (await send(map)).status
    const columns = Array.from({ length: 1_001 }, (_, n) => [`Name${'!'.repeat(n % 40)}${'?'.repeat(n / 40)}`, null])
    const { status: refused, body: tooMany } = await send(Object.fromEntries(columns))
    assert.deepEqual([refused, tooMany.error], [400, 'options.map must have at most 1000 entries'])
    assert.equal(await statusOf({ [`Name${'!'.repeat(500)}`]: null }), 400)
    for (const map of [{ 'Name\u0000': 'fullName' }, { 'Name\ud800': 'fullName' }, { Name: 'notes#\u0000' }])
      assert.equal(await statusOf(map), 400)
    assert.equal(await statusOf({ Name: 'fullName' }), 201)
    const id = await begin(shop, { columns: ['Name', 'Email'], rows: [['Ann', 'ann@x.example']] })
    const { status, body } = await shop.post(`/imports/${id}/judge`, { options: { '\u0000': '', update: 'none' } })
    assert.deepEqual([status, body.data.options], [200, { update: 'none' }])
  })

  test('give a column the name of what every object has: nobody', async () => {
    const client = await organisation()
    for (const target of ['constructor', '__proto__', 'toString']) {
      const map = JSON.parse(`{"Name": "${target}"}`)
      const { status, body } = await client.post('/imports', { kind: 'customers', columns: ['Name'], options: { map } })
      assert.deepEqual([status, /which customers do not have/.test(body.error)], [400, true])
    }
    const columns = ['constructor', '__proto__', 'Name']
    const { id } = (await client.post('/imports', { kind: 'customers', columns })).body.data
    const map = JSON.parse('{"__proto__": "notes", "constructor": "email"}')
    assert.equal((await client.post(`/imports/${id}/judge`, { options: { map } })).status, 200)
    const { files } = await work(client, id)
    assert.deepEqual(Object.entries(files[0].map), [
      ['constructor', 'email'],
      ['__proto__', 'notes'],
      ['Name', 'fullName'],
    ])
  })
})

describe('an import that was judged', () => {
  const sent = { columns: ['Name', 'Email'], rows: [['Ann', 'ann@x.example']] }

  test('before another was written, or taken back, is judged again first', async () => {
    const client = await organisation()
    const [one, other] = [await begin(client, sent), await begin(client, sent)]
    assert.deepEqual([(await judge(client, one)).created, (await judge(client, other)).created], [1, 1])
    const answers = await Promise.all([one, other].map((id) => client.post(`/imports/${id}/write`)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    const [winner, loser] = answers[0]!.status === 200 ? [one, other] : [other, one]
    const stale = async () => (await client.post(`/imports/${loser}/write`)).body.code
    assert.equal(await stale(), 'IMPORT_IS_STALE', 'while the other is being written')
    await work(client, winner)
    assert.equal(await stale(), 'IMPORT_IS_STALE', 'after it was')
    assert.equal((await judge(client, loser)).same, 1)
    await client.post(`/imports/${winner}/undo`)
    await work(client, winner)
    assert.equal(await stale(), 'IMPORT_IS_STALE', 'after it was taken back')
    assert.equal((await judge(client, loser)).created, 1)
    assert.equal((await write(client, loser)).status, 'written')
    assert.equal((await client.get('/customers')).body.data.customers.length, 1)
  })

  test('as a trial is not written', async () => {
    const client = await organisation()
    const id = await begin(client, sent)
    await database.query(sql`update imports set is_dry_run = true where org_id = ${client.orgId} and id = ${id}`)
    assert.equal((await judge(client, id)).status, 'judged')
    const { status, body } = await client.post(`/imports/${id}/write`)
    assert.deepEqual([status, body.code], [409, 'IMPORT_IS_TRIAL'])
  })

  test('and failed while it was written can be taken back', async () => {
    const client = await organisation()
    const { id } = await bring(client, sent)
    await database.query(
      sql`update imports set status = 'failed', failure = 'for a test' where org_id = ${client.orgId} and id = ${id}`,
    )
    assert.equal((await client.post(`/imports/${id}/undo`)).status, 200)
    const { status, undo, failure } = await work(client, id)
    assert.deepEqual([status, undo.reversed, failure], ['undone', 1, null])
  })
})
