// Whether a search takes longer among a million customers than among ten thousand, of one shop beside many small ones: for
// terms that are rare, frequent, in between and of nobody, requested alternately.
import pg from 'pg'
import { type ConnectionOptions, Database } from '../src/db/database.ts'
import { createKey } from '../src/identity/keys.ts'
import { createOrganisation } from '../src/identity/organisations.ts'
import { scopeCatalogue } from '../src/resources/index.ts'
import { median } from './percentiles.ts'

const sizes = [10_000, 100_000, 1_000_000] as const

const samples = 60
const warmUpSamples = 12

export interface SearchScaleMeasurement {
  /** The median latency in a shop of each size, in milliseconds. */
  readonly ms: Readonly<Record<number, number>>
  /** The largest against the smallest. */
  readonly ratio: number
}

const terms: Readonly<Record<string, string>> = {
  'five customers': 'quintus',
  'a fifth of all': 'okafor',
  all: 'customer',
  'one in a hundred': 'hundred',
  nobody: 'xylophone',
  'a name at the end of the list, one in two hundred': 'zuleika',
}

export async function measureSearchScale(
  connection: ConnectionOptions,
  port: number,
): Promise<ReadonlyMap<string, SearchScaleMeasurement>> {
  const shops: { readonly size: number; readonly id: string; readonly key: string }[] = []
  for (const size of sizes) shops.push({ size, ...(await createShop(connection, size)) })
  const timeSearch = async ({ id, key }: (typeof shops)[number], term: string): Promise<number> => {
    const start = performance.now()
    const response = await fetch(
      `http://127.0.0.1:${port}/api/v1/organisations/${id}/customers?limit=50&search=${term}`,
      { headers: { 'X-API-Key': key } },
    )
    const text = await response.text()
    if (!response.ok) throw new Error(`A search for ${term} was answered ${response.status}: ${text}`)
    return performance.now() - start
  }
  const measurements = new Map<string, SearchScaleMeasurement>()
  for (const [name, term] of Object.entries(terms)) {
    const latencies = new Map<number, number[]>(sizes.map((size) => [size, []]))
    for (let turn = 0; turn < samples + warmUpSamples; turn++)
      for (const shop of shops) {
        const ms = await timeSearch(shop, term)
        if (turn >= warmUpSamples) latencies.get(shop.size)!.push(ms)
      }
    const ms = Object.fromEntries([...latencies].map(([size, some]) => [size, median(some)]))
    measurements.set(name, { ms, ratio: ms[sizes.at(-1)!]! / ms[sizes[0]]! })
  }
  return measurements
}

async function createShop(connection: ConnectionOptions, customers: number): Promise<{ id: string; key: string }> {
  const database = new Database(connection)
  const client = new pg.Client({ ...connection, statement_timeout: 600_000 })
  try {
    await client.connect()
    await client.query(`set jobwright.events to 'off'`)
    const { id } = await createOrganisation(database, { name: `A shop with ${customers} customers` })
    const { key } = await createKey(database, id, { scopes: ['full'] }, scopeCatalogue)
    await client.query(
      `insert into customers (org_id, id, first_name, last_name, email)
       select $1, 'cus_' || lpad((n * 7919::bigint % $2)::text, 26, '0'),
         case when n % 200 = 0 then 'Zuleika' else initcap(substr(md5(n::text), 1, 8)) end,
         concat_ws(' ', 'Customer', case when n % 5 = 0 then 'Okafor' end, case when n % 100 = 1 then 'Hundred' end,
           case when n % ($2 / 5) = 1 then 'Quintus' end),
         'c' || n || '@mail.example'
       from generate_series(1, $2) n order by md5(n::text || 'stored')`,
      [id, customers],
    )
    await client.query('vacuum analyze customers')
    return { id, key }
  } finally {
    await client.end()
    await database.close()
  }
}
