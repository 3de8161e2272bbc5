// What narrows lists of a million records, of one shop or of many: read off an index.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planOf, pretendStatistics, stepsOf } from '../../test/plans.ts'
import { startOwnTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import type { Statement } from '../operations/operation.ts'
import { operations } from './index.ts'

// What other files put into the tables would be in the statistics.
const here = await startOwnTestService()

const narrowed: [list: string, query: object, index: string][] = [
  ['listCustomers', { externalSource: 'jobber' }, 'customers_by_source'],
  ['listServices', { externalSource: 'jobber' }, 'services_by_source'],
  ['listInventory', { externalSource: 'jobber' }, 'inventory_by_source'],
  ['listTickets', { externalSource: 'jobber' }, 'tickets_by_source'],
  ['listQuotes', { externalSource: 'jobber' }, 'quotes_by_source'],
  ['listInvoices', { externalSource: 'jobber' }, 'invoices_by_source'],
  ['listCustomers', { updatedAfter: '2090-01-01T00:00:00.000Z' }, 'customers_by_change'],
]

const whole: [list: string, index: string][] = [
  ['listCustomers', 'customers_by_name'],
  ['listServices', 'services_by_name'],
  ['listInventory', 'inventory_by_name'],
  ['listTickets', 'tickets_newest'],
  ['listQuotes', 'quotes_newest'],
  ['listInvoices', 'invoices_newest'],
]

const shop = await here.organisation()
const made = [
  ['customers', { firstName: 'Ada' }],
  ['services', { name: 'Screen' }],
  ['inventory', { name: 'Screen' }],
  ['tickets', { customerName: 'Ada' }],
  ['quotes', { customerName: 'Ada', lines: [] }],
  ['invoices', { customerName: 'Ada', lines: [] }],
] as const
for (const [path, body] of made) assert.equal((await shop.post(`/${path}`, body)).status, 201, path)
// Enough of them for statistics of when they changed.
await here.database.query(sql`
  insert into customers (org_id, id, first_name, updated_at)
  select ${shop.orgId}, 'cus_' || n, md5(n::text), now() - n * interval '1 day' from generate_series(1, 3000) n`)

/** The steps of a list of a million records, where they are of one shop, of some, and of so many that each has few. */
async function stepsOfList(list: string, query: object, index: string): Promise<string[][]> {
  const table = index.slice(0, index.indexOf('_'))
  const { run } = operations.find(({ name }) => name === list)!
  const { sql: statement, connection } = run(
    { params: {}, query, body: {} } as never,
    { orgId: shop.orgId } as never,
  ) as Statement<unknown>
  const mode = connection === 'custom-plan' ? 'force_custom_plan' : 'force_generic_plan'
  const client = await here.database.connect()
  try {
    await client.query(`analyze ${table}`)
    const all: string[][] = []
    for (const shops of [1, 20, 20_000, 30_000, 40_000, 50_000, 100_000]) {
      await client.query('begin')
      await pretendStatistics(client, table, { records: 1_000_000, shops })
      all.push(stepsOf(await planOf(client, statement, '', mode)))
      await client.query('rollback')
    }
    return all
  } finally {
    await client.end()
  }
}

test('records of another system, and customers who changed lately, are read off an index', async () => {
  for (const [list, query, index] of narrowed)
    for (const steps of await stepsOfList(list, query, index))
      assert.ok(steps.includes(`rest: ${index}`), `${list} ${JSON.stringify(query)}\n${steps.join('\n')}`)
})

test('a list is read in its order, however few records shops have on average', async () => {
  for (const [list, index] of whole)
    for (const steps of await stepsOfList(list, {}, index)) {
      assert.ok(steps.includes(`rest: ${index}`), `${list}\n${steps.join('\n')}`)
      assert.ok(!steps.includes('rest: sort'), `${list}\n${steps.join('\n')}`)
    }
})
