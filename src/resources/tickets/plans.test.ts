// How PostgreSQL goes about the lists of jobs where there are many jobs of many shops.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../../../test/test-service.ts'
import { sql } from '../../db/database.ts'

const { organisation, database } = await startTestService()

test('a page of the jobs of one status is read off an index, however many there are', async () => {
  const shops = await Promise.all(Array.from({ length: 12 }, () => organisation()))
  // One after the other of all shops, as the jobs of a day come in.
  await database.longTransaction('read write', (transaction) =>
    transaction.query(sql`
      insert into tickets (org_id, id, ticket_number, customer_name, status_id, created_at)
      select org_id, 'job_' || n, n, 'Ada',
        (array_agg(id order by name))[1 + n % count(*)::int], now() + n * interval '1 second'
      from ticket_statuses, generate_series(1, 2000) n
      where org_id = any(${shops.map(({ orgId }) => orgId)}) group by org_id, n order by n`),
  )
  const client = await database.connect()
  try {
    await client.query('analyze tickets')
    const { rows } = await client.query(
      `explain (generic_plan) select id, customer_name from tickets where org_id = $1
         and status_id = (select id from ticket_statuses where org_id = $2 and name = $3)
       order by created_at desc, id desc limit 51`,
    )
    const steps = rows.map((row) => row['QUERY PLAN']).join('\n')
    assert.match(steps, /Index Scan using tickets_/, steps)
    assert.doesNotMatch(steps, /Sort/, steps)
  } finally {
    await client.end()
  }
})
