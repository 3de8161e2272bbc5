// A record whose reference is cleared because the other record is deleted has changed, and is among those that
// `updatedAfter` finds. The triggers that do it are read off the catalogue: one that is added later is tried by itself.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Queryable, raw, sql } from '../src/db/database.ts'
import { makeDemo } from '../src/demo/demo.ts'
import { createVault } from '../src/identity/secrets.ts'
import { isOnCitus } from './test-database.ts'
import { startTestService } from './test-service.ts'

const { database, config, organisation } = await startTestService()
const { orgId } = await makeDemo(database, await createVault(config))

interface ForeignKey {
  readonly owner: string
  readonly column: string
  readonly target: string
}
const clearingKeys = await database.query<ForeignKey>(sql`
  select args[1] as owner, args[2] as column, target from (
    select tgrelid::regclass::text as target, string_to_array(rtrim(encode(tgargs, 'escape'), '\\000'), '\\000') as args
    from pg_trigger where tgname like 'when_deleted_clear_%') trigger
  where exists (select from pg_attribute where attrelid = args[1]::regclass and attname = 'updated_at')
  order by 1, 2`)

const ofOneServer = { skip: isOnCitus && 'it names rows by ctid, and compares moments, which are those of one server' }

class RolledBack extends Error {}

/** What is done to try a key is undone: the next finds the shop as it was. */
async function rollingBack(work: (transaction: Queryable) => Promise<void>): Promise<void> {
  const undone = database.transaction('test', async (transaction) => {
    await work(transaction)
    throw new RolledBack()
  })
  await assert.rejects(undone, RolledBack)
}

test('the catalogue names the references that are meant', () => {
  const names = clearingKeys.map(({ owner, column }) => `${owner}.${column}`)
  assert.ok(names.includes('tickets.device_id') && names.length >= 16, names.join())
})

for (const { owner, column, target } of clearingKeys) {
  test(`${owner}.${column} that is cleared because its record is deleted marks the row as changed`, ofOneServer, () =>
    rollingBack(async (transaction) => {
      const [own, other, field] = [raw(owner), raw(target), raw(column)]
      const [row] = await transaction.query<{ place: string; id: string | null }>(sql`
        select ctid::text as place, coalesce(${field}, (select id from ${other} where org_id = ${orgId} limit 1)) as id
        from ${own} where org_id = ${orgId} order by ${field} nulls last limit 1`)
      assert.ok(row?.id, `the demo has no rows of ${owner} and ${target}`)
      await transaction.query(sql`update ${own} set ${field} = ${row.id} where ctid = ${row.place}::tid`)
      const rows = await transaction.query<{ refers: boolean }>(sql`
        update ${own} set updated_at = '2020-01-01' where org_id = ${orgId} returning ${field} = ${row.id} as refers`)
      await transaction.query(sql`delete from ${other} where org_id = ${orgId} and id = ${row.id}`)
      const [changed] = await transaction.query<{ count: number }>(sql`
        select count(*) from ${own} where org_id = ${orgId} and ${field} is null and updated_at = now()::timestamptz(3)`)
      assert.equal(changed!.count, rows.filter(({ refers }) => refers).length)
    }),
  )
}

test('a write that clears nothing keeps the moment it is given', () =>
  rollingBack(async (transaction) => {
    const [kept] = await transaction.query<{ at: string | Date }>(sql`
      update tickets set device_id = device_id, station_id = null, updated_at = '2020-01-01'
      where org_id = ${orgId} and station_id is null and device_id is not null
      returning updated_at as at`)
    assert.equal(new Date(kept!.at).getUTCFullYear(), 2020)
  }))

test('a job whose device is deleted is found by updatedAfter', async () => {
  const shop = await organisation()
  const { id: customerId } = (await shop.post('/customers', { firstName: 'Ada' })).body.data
  const { id: deviceId } = (await shop.post(`/customers/${customerId}/devices`, { name: 'Phone' })).body.data
  const job = (await shop.post('/tickets', { customerId, deviceId })).body.data
  assert.equal((await shop.delete(`/customers/${customerId}/devices/${deviceId}`)).status, 200)
  const { tickets } = (await shop.get(`/tickets?updatedAfter=${encodeURIComponent(job.updatedAt)}`)).body.data
  assert.deepEqual(
    tickets.map(({ id, deviceId }: Record<string, unknown>) => [id, deviceId]),
    [[job.id, null]],
  )
})
