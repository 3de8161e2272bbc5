// How searched lists are read: the same records as by the plainest statement, by the same indexes whatever the statistics say.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { planOf, pretendStatistics, stepsOf } from '../../test/plans.ts'
import { isOnCitus } from '../../test/test-database.ts'
import { type Client, startOwnTestService } from '../../test/test-service.ts'
import { plannedAnew, type Query, raw, sql } from '../db/database.ts'
import { defaultSettings } from '../db/embedded/launcher.ts'
import { operations } from '../resources/index.ts'
import type { Statement } from './operation.ts'
import { searchedRows, searchForText, searchForWords } from './text-search.ts'

// What other files put into the tables would be in the statistics.
const here = await startOwnTestService()
const ofOneServer = { skip: isOnCitus && 'a cluster plans anew on each machine, and tells of it in another way' }
const { database } = here
const shop = await manyCustomers()
const tenant = sql`customers.org_id = ${shop.orgId}`

/** Terms that are answered in every way, and the names of 13,000 customers, of whom many have the same. */
async function manyCustomers(): Promise<Client> {
  const client = await here.organisation()
  await database.longTransaction('read write', async (transaction) => {
    await transaction.query(sql`set local jobwright.events to 'off'`)
    await transaction.query(sql`
      insert into customers (org_id, id, first_name, last_name, email, business_name)
      select ${client.orgId}, 'cus_' || lpad((n * 7919 % 13000)::text, 5, '0'),
        case when n <= 60 then 'Aaron' when n <= 10500 then 'Name ' || lpad((n / 40)::text, 3, '0') else 'Zoé' end,
        concat_ws(' ', 'everywhere', case when n % 5 = 0 then 'often' end, case when n % 50 = 0 then 'sometimes' end,
          case when n = 7777 then 'once 100%' end, case when n <= 12 then 'earliest' end),
        'c' || n || '@mail.example', case when n % 3 = 0 then 'Ltd' end
      from generate_series(1, 13000) n`)
  })
  await database.query(sql`analyze customers`)
  return client
}

const terms = ['everywhere', 'often', 'sometimes', 'once', 'earliest', 'ZOE', 'nobody', '100%', '10_%', 'ev', 'qq', 'z']
const phrases = [...terms, 'everywhere often', 'zoe sometimes', 'e sometimes', 'once often', 'a b', '  ']

interface Page {
  readonly text: string
  readonly limit: number
  readonly direction: 'asc' | 'desc'
  readonly isLtd: boolean
  /** The place of the customer after whom the page begins, by id. */
  readonly after: number | null
}

async function comparePage({ text, limit, direction, isLtd, after }: Page): Promise<void> {
  const words = text.split(' ').map((word) => `%${word.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`)
  const way = raw(direction)
  const isAfter = sql`(customers.sort_name, customers.id) ${raw(direction === 'asc' ? '>' : '<')} (
    select sort_name, id from customers last where org_id = ${shop.orgId} order by id offset ${after}::int - 1 limit 1)`
  const where = sql`(not ${isLtd}::boolean or customers.business_name = 'Ltd') and ${after === null ? sql`true` : isAfter}`
  const search = searchForWords('customers', text)
  const searched = searchedRows({
    table: 'customers',
    tenant,
    search,
    where,
    order: { column: 'sort_name', direction },
    limit,
  })
  const read = (query: Query) => database.read(shop.orgId, plannedAnew(query), 'slow')
  const found = await read(sql`select id from ${searched} order by sort_name ${way}, id ${way}`)
  const plain = await read(sql`
    select id from customers where ${tenant} and search_text || '' like all(${words}) and ${where}
    order by sort_name ${way}, id ${way} limit ${limit}::int`)
  assert.deepEqual(found, plain)
}

test('a search finds what the plainest statement finds, in the same order, on every page', async () => {
  // Those that are answered each in another way, whatever chance brings.
  for (const text of phrases)
    for (const direction of ['asc', 'desc'] as const)
      await comparePage({ text, limit: 51, direction, isLtd: false, after: null })
  const page = fc.record<Page>({
    text: fc.constantFrom(...phrases),
    limit: fc.integer({ min: 1, max: 101 }),
    direction: fc.constantFrom('asc', 'desc'),
    isLtd: fc.boolean(),
    after: fc.option(fc.integer({ min: 1, max: 13_000 })),
  })
  const severalPages = fc.array(page, { minLength: 5, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(severalPages, async (pages) => {
      for (const one of pages) await comparePage(one)
    }),
    { numRuns: 20, endOnFailure: true },
  )
})

test('callers get page after page of it', async () => {
  for (const [term, count] of [
    ['zoe', 2500],
    ['sometimes', 260],
    ['nobody', 0],
  ] as const) {
    const ids = new Set<string>()
    let startAfter = ''
    for (;;) {
      const { body } = await shop.get(`/customers?limit=100&search=${term}${startAfter}`)
      for (const { id } of body.data.customers) ids.add(id)
      if (!body.data.pagination.hasMore) break
      startAfter = `&startAfter=${body.data.pagination.nextCursor}`
    }
    assert.equal(ids.size, count, term)
  }
})

const sorted = (steps: Iterable<string>) => [...new Set(steps)].toSorted()

test('of the ways to answer, those that are not needed are not tried', ofOneServer, async () => {
  const near = ['near: customers_by_name', 'page: places']
  const expected: [term: string, steps: string[]][] = [
    ['everywhere', near],
    ['aaron', near],
    ['once', [...near, 'indexed: customers_by_text']],
    ['nobody', ['near: customers_by_name', 'indexed: customers_by_text']],
    ['often', [...near, 'further: customers_by_name']],
    ['ev', near],
    ['earliest', [...near, 'further: customers_by_name', 'rest: customers_by_text']],
    ['zoe', [...near, 'indexed: customers_by_text', 'further: customers_by_name', 'rest: customers_by_text']],
  ]
  const client = await database.connect()
  try {
    for (const [term, steps] of expected) {
      const rows = searchedRows({
        table: 'customers',
        tenant,
        search: searchForText('customers', term),
        order: { column: 'sort_name', direction: 'asc' },
        limit: 26,
      })
      const plan = await planOf(client, sql`select id from ${rows}`, ', analyze')
      const taken = stepsOf(plan).filter((step) => !step.endsWith(': sort'))
      assert.deepEqual(sorted(taken), sorted(steps), term)
    }
  } finally {
    await client.end()
  }
})

/** The lists that are searched, and the index that has their order. */
const searchedLists: Readonly<Record<string, string>> = {
  listCustomers: 'customers_by_name',
  listTickets: 'tickets_newest',
  listServices: 'services_by_name',
  listInventory: 'inventory_by_name',
  listQuotes: 'quotes_newest',
  listInvoices: 'invoices_newest',
}

test(
  'every search is answered by the same indexes, however many records there are, of however many shops',
  ofOneServer,
  async () => {
    const searched = operations.filter(({ query }) => query?.properties.search)
    assert.deepEqual(sorted(searched.map(({ name }) => name)), sorted(Object.keys(searchedLists)))
    await shop.post('/services', { name: 'Screen' })
    await shop.post('/inventory', { name: 'Screen' })
    await shop.post('/tickets', { customerName: 'Ada' })
    for (const kind of ['quotes', 'invoices']) {
      const { status, body } = await shop.post(`/${kind}`, { customerName: 'Ada', lines: [] })
      assert.equal(status, 201, JSON.stringify(body))
    }
    const client = await database.connect()
    try {
      for (const { name, run } of searched) {
        const order = searchedLists[name]!
        const table = order.slice(0, order.indexOf('_'))
        await client.query(`analyze ${table}`)
        const statementFor = (search: string) =>
          (
            run(
              { params: {}, query: { search }, body: {} } as never,
              { orgId: shop.orgId } as never,
            ) as Statement<unknown>
          ).sql
        // As PostgreSQL has it by itself, and as the embedded one has it.
        for (const pageCost of [4, defaultSettings.random_page_cost])
          for (const records of [10_000, 1_000_000])
            for (const shops of [1, 20, records / 50]) {
              await client.query('begin')
              await client.query(`set local random_page_cost = ${pageCost}`)
              await pretendStatistics(client, table, { records, shops })
              const message = `${name} of ${records} in ${shops} at ${pageCost}`
              const steps = stepsOf(await planOf(client, statementFor('okafor')))
              const ofText = [`indexed: ${table}_by_text`, `rest: ${table}_by_text`]
              const all = [`near: ${order}`, `further: ${order}`, ...ofText, 'page: places']
              // What the page shows of other tables is not the search's.
              const isOwn = (step: string) => step.includes(`: ${table}_`) || step.endsWith(`: all of ${table}`)
              const own = steps.filter((step) => isOwn(step) || /^(near|further): sort/.test(step))
              const other = own.filter((step) => !all.includes(step))
              assert.deepEqual(
                [all.filter((step) => !steps.includes(step)), other],
                [[], []],
                `${message}\n${steps.join('\n')}`,
              )
              const short = stepsOf(await planOf(client, statementFor('qz')))
              assert.deepEqual(
                short.filter((step) => step.endsWith('_by_text')),
                [],
                message,
              )
              await client.query('rollback')
            }
      }
    } finally {
      await client.end()
    }
  },
)

test('a statement is neither compiled nor spread over processors', async () => {
  for (const connection of [undefined, 'slow', 'custom-plan'] as const) {
    const [settings] = await database.read(
      shop.orgId,
      sql`select current_setting('jit') as jit, current_setting('max_parallel_workers_per_gather') as workers`,
      connection,
    )
    assert.deepEqual(settings, { jit: 'off', workers: '0' })
  }
})
