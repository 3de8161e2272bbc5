// How PostgreSQL goes about the lists of jobs where there are many jobs of many shops.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startOwnTestService } from '../../../test/test-service.ts'
import { person } from '../../../test/visitor.ts'
import { sql } from '../../db/database.ts'
import { defaultSettings } from '../../db/embedded/launcher.ts'
import type { Context } from '../../operations/operation.ts'
import { ticketFilters, visitCondition } from './filters.ts'
import { tickets } from './record.ts'

// What other files put into the tables would be in the statistics.
const here = await startOwnTestService()
const { organisation, database } = here

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

test('the name of the status of each job of a list is read off an index, however few shops there are', async () => {
  await Promise.all(Array.from({ length: 20 }, () => organisation()))
  const client = await database.connect()
  try {
    await client.query(`set random_page_cost = ${defaultSettings.random_page_cost}`)
    await client.query('analyze ticket_statuses')
    const { rows } = await client.query(
      `explain (generic_plan) select (select name from ticket_statuses where org_id = $2 and id = status_id)
         from tickets where org_id = $1
       order by created_at desc, id desc limit 51`,
    )
    const steps = rows.map((row) => row['QUERY PLAN']).join('\n')
    assert.doesNotMatch(steps, /Seq Scan on ticket_statuses/, steps)
  } finally {
    await client.end()
  }
})

test('what narrows the list of a shop with very many jobs is read off an index', async () => {
  const { orgId } = await organisation()
  const { memberId } = await person(here, orgId, 'technician')
  const statuses = await database.query<{ id: string }>(sql`
    select id from ticket_statuses where org_id = ${orgId} order by index`)
  const [open, inProgress, closed] = statuses.map(({ id }) => id)
  // Of 8,000 jobs 2 % are not closed and 1 % nobody's; every other one has or had a visit.
  await database.longTransaction('read write', async (transaction) => {
    await transaction.query(sql`
      insert into tickets (org_id, id, ticket_number, customer_name, service_required, status_id, closed_at,
        assigned_technician, scheduled_from, scheduled_to, created_at)
      select ${orgId}, 'job_' || n, n, 'Customer ' || md5(n::text), 'Repair ' || n,
        case when n % 50 > 0 then ${closed} when n % 100 = 0 then ${open} else ${inProgress} end,
        case when n % 50 > 0 then moment end, case when n % 100 <> 1 then ${memberId} end,
        case when n % 2 = 0 then moment end, case when n % 2 = 0 then moment + interval '1 hour' end, moment
      from generate_series(1, 8000) n, lateral (select now() - (8000 - n) * interval '1 hour' as moment) at`)
    await transaction.query(sql`
      insert into calendar_events (org_id, id, ticket_id, title, starts_at, ends_at, assigned_to_id)
      select org_id, 'evt_' || id, id, 'Visit', scheduled_from, scheduled_to, assigned_technician
      from tickets where org_id = ${orgId} and scheduled_from is not null`)
  })
  const ctx = { orgId } as Context
  const client = await database.connect()
  const plan = async (query: object, where = visitCondition(ctx, undefined, undefined)) => {
    const { sql: statement, connection } = ticketFilters.page(tickets, ctx, query, { where })
    const isCustom = connection === 'custom-plan' || where !== undefined
    const { rows } = isCustom
      ? await client.query(`explain ${statement.text}`, statement.values as unknown[])
      : await client.query(`explain (generic_plan) ${statement.text}`)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }
  const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  try {
    await client.query('vacuum analyze tickets, calendar_events, ticket_statuses')
    const inOrder: [query: object, index: RegExp][] = [
      [{ stage: 'open' }, /using tickets_unclosed/],
      [{ stage: 'inProgress', isScheduled: false }, /using tickets_unclosed/],
      [{ stage: 'closed' }, /using tickets_newest/],
      [{ assignedTechnician: 'none' }, /using tickets_of_nobody/],
      [{ isScheduled: true }, /using tickets_by_planning/],
      [{ isScheduled: false }, /using tickets_by_planning/],
      [{ statusId: [open] }, /using tickets_by_status/],
    ]
    for (const [query, index] of inOrder) {
      const steps = await plan(query)
      assert.match(steps, index, `${JSON.stringify(query)}\n${steps}`)
      assert.doesNotMatch(steps, /Sort/, steps)
    }
    const few: [query: object, index: RegExp, where?: ReturnType<typeof visitCondition>][] = [
      [{ number: 17 }, /using tickets_number/],
      [{ search: 'repair 777' }, /on tickets_by_text/],
      [{ closedAfter: day(2) }, /tickets_by_closing/],
      [{ statusId: [open, inProgress] }, /tickets_by_status/],
      [{}, /calendar_events_by_time/, visitCondition(ctx, day(7), day(0))],
    ]
    for (const [query, index, where] of few) {
      const steps = await plan(query, where)
      assert.match(steps, index, `${JSON.stringify(query)}\n${steps}`)
    }
  } finally {
    await client.end()
  }
})
