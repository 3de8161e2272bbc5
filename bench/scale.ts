// Whether the latency of a page is higher in a shop with a million jobs than in one with ten thousand: the same pages,
// requested alternately.
import pg from 'pg'
import { type ConnectionOptions, Database } from '../src/db/database.ts'
import { createKey } from '../src/identity/keys.ts'
import { createOrganisation } from '../src/identity/organisations.ts'
import { scopeCatalogue } from '../src/resources/index.ts'
import { insertTickets } from './jobs.ts'
import { median } from './percentiles.ts'

const sizes = { small: 10_000, large: 1_000_000 } as const
type Size = keyof typeof sizes

const samples = 60
const warmUpSamples = 12

export interface ScaleMeasurement {
  readonly smallMs: number
  readonly largeMs: number
  readonly ratio: number
}

const jobId = (n: number) => `tkt_${String(n).padStart(26, '0')}`
const anHourAgo = () => encodeURIComponent(new Date(Date.now() - 3_600_000).toISOString())

/** Every way a page can be narrowed, and the first and the last pages. */
const pages: Readonly<Record<string, (size: Size) => string>> = {
  'first page': () => '',
  'last pages': () => `startAfter=${jobId(60)}`,
  open: () => 'status=Open',
  closed: () => 'status=Closed',
  'closed, last pages': () => `status=Closed&startAfter=${jobId(72)}`,
  'of a customer': () => 'customerId=cus_7',
  'changed lately': () => `updatedAfter=${anHourAgo()}`,
  'with customers': () => 'include=customer',
}

export async function measureScale(
  connection: ConnectionOptions,
  port: number,
): Promise<ReadonlyMap<string, ScaleMeasurement>> {
  const shops = { small: await createShop(connection, sizes.small), large: await createShop(connection, sizes.large) }
  const timeRequest = async (size: Size, query: string): Promise<number> => {
    const start = performance.now()
    const response = await fetch(
      `http://127.0.0.1:${port}/api/v1/organisations/${shops[size].id}/tickets?limit=50&${query}`,
      {
        headers: { 'X-API-Key': shops[size].key },
      },
    )
    const text = await response.text()
    if (!response.ok) throw new Error(`A page of jobs (${query}) was answered ${response.status}: ${text}`)
    return performance.now() - start
  }
  const measurements = new Map<string, ScaleMeasurement>()
  for (const [name, query] of Object.entries(pages)) {
    const latencies: Record<Size, number[]> = { small: [], large: [] }
    for (let turn = 0; turn < samples + warmUpSamples; turn++) {
      for (const size of ['small', 'large'] as const) {
        const ms = await timeRequest(size, query(size))
        if (turn >= warmUpSamples) latencies[size].push(ms)
      }
    }
    const [smallMs, largeMs] = [median(latencies.small), median(latencies.large)]
    measurements.set(name, { smallMs, largeMs, ratio: largeMs / smallMs })
  }
  return measurements
}

async function createShop(connection: ConnectionOptions, jobs: number): Promise<{ id: string; key: string }> {
  const database = new Database(connection)
  const client = new pg.Client({ ...connection, statement_timeout: 600_000 })
  try {
    await client.connect()
    const { id } = await createOrganisation(database, { name: `A shop with ${jobs} jobs` })
    const { key } = await createKey(database, id, { scopes: ['full'] }, scopeCatalogue)
    await client.query(
      `insert into customers (org_id, id, first_name) select $1, 'cus_' || n, 'Customer ' || n from generate_series(1, $2) n`,
      [id, jobs / 20],
    )
    await client.query('analyze customers')
    await insertTickets(client, id, jobs)
    await client.query('vacuum analyze')
    return { id, key }
  } finally {
    await client.end()
    await database.close()
  }
}
