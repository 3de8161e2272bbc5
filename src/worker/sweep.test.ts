// What is swept: what was kept only for a while.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../../test/test-service.ts'
import { person } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import { newId } from '../operations/ids.ts'
import { sweep } from './sweep.ts'

const { database, ...here } = await startTestService()

test('apps that registered themselves go when too many were never used: the oldest first, none in use, none of today', async () => {
  const { orgId } = await here.organisation()
  const admin = await person({ database, ...here }, orgId)
  const client = async (age: string) => {
    const id = newId('dyn')
    await database.query(sql`
      insert into oauth_clients (id, source, name, metadata, created_at, expires_at)
      values (${id}, 'dynamic', 'Bench Helper', '{}', now() - ${age}::interval, now() + interval '1 day')`)
    return id
  }
  const [unused, used, fresh] = [await client('300 days'), await client('300 days'), await client('1 hour')]
  await database.query(sql`
    insert into grants (org_id, id, person_id, client_id, client_name, scopes)
    select ${orgId}, ${newId('gra')}, person_id, ${used}, 'Bench Helper', '{read}' from members
    where org_id = ${orgId} and id = ${admin.memberId}`)
  const left = async () =>
    (await database.query<{ id: string }>(sql`select id from oauth_clients where id = any(${[unused, used, fresh]})`))
      .map(({ id }) => id)
      .sort()
  await sweep(database)
  assert.deepEqual(await left(), [unused, used, fresh].sort(), 'few enough')
  await sweep(database, { maxUnused: 0 })
  assert.deepEqual(await left(), [used, fresh].sort())
})

test('a deletion can be read for a week after its end, and one that runs is kept', async () => {
  const { orgId, get } = await here.organisation()
  await database.query(sql`
    insert into customer_deletions (org_id, customer_id, total, finished_at, due_at) values
      (${orgId}, 'cus_old', 60, now() - interval '8 days', null), (${orgId}, 'cus_new', 60, now() - interval '6 days', null)`)
  await database.query(sql`
    insert into customer_deletions (org_id, customer_id, total, started_at) values
      (${orgId}, 'cus_running', 60, now() - interval '8 days')`)
  await sweep(database)
  const statuses = await Promise.all(
    ['cus_old', 'cus_new', 'cus_running'].map(async (id) => (await get(`/customers/${id}/deletion`)).status),
  )
  assert.deepEqual(statuses, [404, 200, 200])
})

test('what the next file for the bookkeeper would tell is kept for more than a year', async () => {
  const { orgId } = await here.organisation()
  for (const days of [401, 399]) {
    await database.query(sql`
      insert into book_changes (org_id, kind, record_id, number, amount, was_booked, is_gone, noted_at)
      values (${orgId}, 'invoices', ${`inv_${days}`}, 'INV-1', 10, true, true, now() - make_interval(days => ${days}::int))`)
  }
  await sweep(database)
  const left = await database.query(sql`select record_id as id from book_changes where org_id = ${orgId}`)
  assert.deepEqual(left, [{ id: 'inv_399' }])
})
