// The data of every target: 100,000 customers in 20 organisations unless others are wanted, each organisation
// with a key that may do everything.
import pg from 'pg'
import { type ConnectionOptions, Database } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { createRandom, type Random } from '../src/demo/build/random.ts'
import { createKey } from '../src/identity/keys.ts'
import { createOrganisation } from '../src/identity/organisations.ts'
import { newId } from '../src/operations/ids.ts'
import { scopeCatalogue } from '../src/resources/index.ts'
import { type Customer, randomCustomer } from './customers.ts'
import { insertJobs, jobsPerOrganisation } from './jobs.ts'

/** How many organisations, and how many customers each of them has. */
export interface DatasetSize {
  readonly organisations: number
  readonly customersPerOrganisation: number
}
export const fullDataset: DatasetSize = { organisations: 20, customersPerOrganisation: 5_000 }

export interface Organisation {
  readonly id: string
  readonly key: string
  /** Those that requests are about: all, or where there are very many a part of them. */
  readonly customers: readonly (Customer & { readonly id: string })[]
  readonly jobs: readonly string[]
}

const statementTimeoutMs = 600_000
/** What one statement inserts. */
const batchSize = 20_000
/** More than there are requests in a workload; a million would take the memory that is measured elsewhere. */
const maxKept = 50_000

export async function loadData(
  connection: ConnectionOptions,
  { organisations: count, customersPerOrganisation }: DatasetSize = fullDataset,
): Promise<readonly Organisation[]> {
  const rng = createRandom(1)
  const database = new Database(connection)
  const client = new pg.Client({ ...connection, statement_timeout: statementTimeoutMs })
  try {
    await migrate(database)
    await client.connect()
    // The worker would tell of it for half a minute, in the middle of the first rounds.
    await client.query(`set jobwright.events to 'off'`)
    const organisations: Organisation[] = []
    for (let number = 1; number <= count; number++) {
      const { id } = await createOrganisation(database, { name: `Repair shop ${number}` })
      const { key } = await createKey(database, id, { scopes: ['full'] }, scopeCatalogue)
      const customers = await insertCustomers(client, id, customersPerOrganisation, rng)
      organisations.push({ id, key, customers, jobs: await insertJobs(client, id, jobsOf(count)) })
    }
    // Everything the inserts left for later is done now, so that it does not happen in the middle of a round.
    await client.query('vacuum analyze')
    await client.query('checkpoint')
    return organisations
  } finally {
    await client.end()
    await database.close()
  }
}

/** Many small shops together have about as many as few larger ones. */
const jobsOf = (organisations: number) =>
  Math.max(20, Math.min(jobsPerOrganisation, Math.round(10_000 / organisations)))

export async function insertCustomers(
  client: pg.Client,
  orgId: string,
  count: number,
  rng: Random,
): Promise<Organisation['customers']> {
  const kept: Organisation['customers'][number][] = []
  for (let left = count; left > 0; left -= batchSize) {
    const batch = await insertBatch(client, orgId, Math.min(left, batchSize), rng)
    const everyNth = Math.ceil(count / maxKept)
    kept.push(...batch.filter((_, n) => n % everyNth === 0))
  }
  return kept
}

async function insertBatch(
  client: pg.Client,
  orgId: string,
  count: number,
  rng: Random,
): Promise<Organisation['customers']> {
  const customers = Array.from({ length: count }, () => ({ id: newId('cus'), ...randomCustomer(rng) }))
  const column = (field: keyof (typeof customers)[number]) => customers.map((one) => one[field])
  await client.query(
    `insert into customers (org_id, id, first_name, last_name, email, phone, business_name, address, notes)
     select $1, * from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])`,
    [
      orgId,
      column('id'),
      column('firstName'),
      column('lastName'),
      column('email'),
      column('phone'),
      column('businessName'),
      column('address'),
      column('notes'),
    ],
  )
  return customers
}
