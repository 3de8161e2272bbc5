// How long pages of the desk take in a large shop: 50,000 jobs, 500 of them on the board, one reader at a time.
import pg from 'pg'
import { type ConnectionOptions, Database, sql } from '../src/db/database.ts'
import { addMember } from '../src/identity/members.ts'
import { createOrganisation } from '../src/identity/organisations.ts'
import { createSession } from '../src/identity/sessions.ts'
import { newId } from '../src/operations/ids.ts'
import { percentile } from './percentiles.ts'

const jobCount = 50_000
const openCount = 500
const customerCount = 5_000
/** All pages together stay under the limit of pages a minute. */
const samples = 40
const warmUpSamples = 8

export interface DeskMeasurement {
  readonly p50Ms: number
  readonly p95Ms: number
  readonly bytes: number
}

/** The whole answer, as a browser on the same machine gets it. */
export async function measureDesk(
  connection: ConnectionOptions,
  port: number,
): Promise<ReadonlyMap<string, DeskMeasurement>> {
  const { orgId, session, jobId, customerId } = await createLargeShop(connection)
  const pages = {
    today: '/today',
    board: '/board',
    'my day': '/my-day',
    'calendar, week': '/calendar',
    'calendar, day': '/calendar?view=day',
    job: `/jobs/${jobId}`,
    customers: '/customers',
    'customers, search': '/customers?q=customer%204',
    customer: `/customers/${customerId}`,
    search: '/search?q=cracked',
  }
  const measurements = new Map<string, DeskMeasurement>()
  for (const [name, path] of Object.entries(pages)) {
    const latencies: number[] = []
    let bytes = 0
    for (let turn = 0; turn < samples + warmUpSamples; turn++) {
      const startedAt = performance.now()
      const response = await fetch(`http://127.0.0.1:${port}/desk/${orgId}${path}`, {
        headers: { cookie: `jobwright_session=${session}` },
      })
      bytes = (await response.arrayBuffer()).byteLength
      if (!response.ok) throw new Error(`${path} was answered ${response.status}`)
      if (turn >= warmUpSamples) latencies.push(performance.now() - startedAt)
    }
    measurements.set(name, { p50Ms: percentile(latencies, 0.5), p95Ms: percentile(latencies, 0.95), bytes })
  }
  return measurements
}

async function createLargeShop(connection: ConnectionOptions) {
  const database = new Database(connection)
  const client = new pg.Client({ ...connection, statement_timeout: 120_000 })
  await client.connect()
  try {
    await client.query(`set jobwright.events to 'off'`)
    const { id: orgId } = await createOrganisation(database, { name: 'Large shop', entitlement: 'pro' })
    const vault = { encrypt: (text: string) => text }
    const member = await addMember(database, vault, orgId, {
      email: `${newId('mem')}@mail.example`,
      firstName: 'Robin',
      role: 'admin',
    })
    const [person] = await database.query<{ id: string }>(
      sql`select person_id as id from members where org_id = ${orgId} and id = ${member.id}`,
    )
    const session = await createSession(database, 'browser', { personId: person!.id, hasSecondFactor: true })
    await client.query(
      `insert into customers (org_id, id, first_name, last_name, phone)
       select $1, 'cus_' || n, 'Customer ' || n, 'Of many', '020 7946 ' || lpad((n % 10000)::text, 4, '0') from generate_series(1, $2) n`,
      [orgId, customerCount],
    )
    await client.query(
      `insert into tickets (org_id, id, ticket_number, customer_id, customer_name, service_required, status_id, assigned_technician,
         closed_at, created_at, updated_at)
       select $1, 'tkt_' || lpad(n::text, 26, '0'), n, 'cus_' || (n % $3 + 1), 'Customer ' || (n % $3 + 1), 'Screen is cracked',
         status.id, case when n % 2 = 0 then $5 end, case when status.stage = 'closed' then now() - (n % 700 + 1) * interval '1 day' end,
         now() - ($2 - n) * interval '10 minutes', now() - ($2 - n) * interval '10 minutes'
       from generate_series(1, $2) n join ticket_statuses status on status.org_id = $1
         and status.name = case when n > $2 - $4 then 'Open' else 'Closed' end`,
      [orgId, jobCount, customerCount, openCount, member.id],
    )
    await client.query('vacuum analyze tickets, customers')
    return { orgId, session, jobId: `tkt_${String(jobCount).padStart(26, '0')}`, customerId: 'cus_1' }
  } finally {
    await client.end()
    await database.close()
  }
}
