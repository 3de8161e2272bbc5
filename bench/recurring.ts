// Recurring visits by the thousand: the worker's throughput for a year of them, and how long it holds locks.
import pg from 'pg'
import { type ConnectionOptions, Database } from '../src/db/database.ts'
import { createKey } from '../src/identity/keys.ts'
import { createOrganisation } from '../src/identity/organisations.ts'
import { newId } from '../src/operations/ids.ts'
import { scopeCatalogue } from '../src/resources/index.ts'
import { runRecurring } from '../src/worker/recurring.ts'

const scheduleCount = 1_000
const horizonDays = 365
/** Once a month mostly, as agreements are; some come every week or every other week. */
const rules = ['FREQ=MONTHLY;BYDAY=2TU', 'FREQ=MONTHLY;BYMONTHDAY=-1', 'FREQ=WEEKLY;INTERVAL=2', 'FREQ=WEEKLY;BYDAY=MO']

export interface RecurringMeasurement {
  readonly schedules: number
  readonly jobs: number
  readonly jobsPerSecond: number
  readonly transactions: number
  /** The longest time that a transaction of the worker held its locks. */
  readonly maxTransactionMs: number
  /** The highest latency meanwhile of creating a job in the same organisation. */
  readonly othersMaxLatencyMs: number
}

export async function measureRecurring(connection: ConnectionOptions, port: number): Promise<RecurringMeasurement> {
  const database = new Database(connection)
  try {
    const shop = await createShopWithSchedules(connection, database)
    let isOver = false
    const others = createJobsMeanwhile(port, shop, () => isOver)
    const startedAt = performance.now()
    const run = await runRecurring(database, { orgId: shop.id })
    const seconds = (performance.now() - startedAt) / 1_000
    isOver = true
    if (run.failed > 0) throw new Error(`${run.failed} recurring schedules failed`)
    return {
      schedules: scheduleCount,
      jobs: run.generated,
      jobsPerSecond: run.generated / seconds,
      transactions: run.transactions,
      maxTransactionMs: run.maxTransactionMs,
      othersMaxLatencyMs: await others,
    }
  } finally {
    await database.close()
  }
}

interface Shop {
  readonly id: string
  readonly key: string
}

async function createShopWithSchedules(connection: ConnectionOptions, database: Database): Promise<Shop> {
  const client = new pg.Client({ ...connection, statement_timeout: 60_000 })
  await client.connect()
  try {
    const { id } = await createOrganisation(database, { name: 'A shop with agreements' })
    const { key } = await createKey(database, id, { scopes: ['full'] }, scopeCatalogue)
    await client.query(
      `insert into customers (org_id, id, first_name) select $1, 'cus_' || n, 'Customer ' || n from generate_series(1, $2) n`,
      [id, scheduleCount],
    )
    const lines = JSON.stringify([{ kind: 'custom', name: 'Service', quantity: 1, unitPrice: 79.5 }])
    await client.query(
      `insert into recurring_schedules (org_id, id, customer_id, starts_at, time_zone, rrule, duration_minutes,
         service_required, line_items, horizon_days, planned_from, due_at)
       select $1, $2 || n, 'cus_' || n, date_trunc('hour', now()) + n * interval '7 minutes', 'Europe/London',
         ($3::text[])[1 + n % $4::int], 60, 'Service', $5, $6, now(), now()
       from generate_series(1, $7) n`,
      [id, `${newId('rec')}_`, rules, rules.length, lines, horizonDays, scheduleCount],
    )
    await client.query('vacuum analyze')
    return { id, key }
  } finally {
    await client.end()
  }
}

/** Somebody at the front desk goes on opening jobs; numbers are taken from the same counter. */
async function createJobsMeanwhile(port: number, { id, key }: Shop, isOver: () => boolean): Promise<number> {
  let maxLatencyMs = 0
  while (!isOver()) {
    const startedAt = performance.now()
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/organisations/${id}/tickets`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ customerName: 'Walk-in' }),
    })
    await response.text()
    if (!response.ok) throw new Error(`A job was answered ${response.status} while visits were generated`)
    maxLatencyMs = Math.max(maxLatencyMs, performance.now() - startedAt)
  }
  return maxLatencyMs
}
