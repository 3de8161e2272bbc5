// One loop over every place an id can stand: nothing of another organisation is seen, changed or even confirmed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TObject } from 'typebox'
import { raw, sql } from '../src/db/database.ts'
import { fileKindOf, streamType } from '../src/operations/answers.ts'
import { idsIn, type Operation } from '../src/operations/operation.ts'
import { operations } from '../src/resources/index.ts'
import { numberAll, testSequencer } from './events.ts'
import { address, bodyFor, createRecords, recordFor } from './one-of-each.ts'
import { startTestService } from './test-service.ts'

const canary = 'CanaryOfTheOther'
const service = await startTestService()
const { organisation, database } = service
const mine = await organisation()
const other = await organisation({ name: `${canary} Ltd` })
const own = await createRecords(service, mine, 'Mine')
const foreign = await createRecords(service, other, canary)
// What is told already is not told by somebody else's worker meanwhile.
await numberAll(await testSequencer(service), other.orgId)

const isStream = ({ returns }: Operation) => fileKindOf(returns)?.mediaTypes.includes(streamType)

/** The number of a visit is no id: every schedule has one of each. */
const idsOf = (operation: Operation) =>
  idsIn(operation.path)
    .filter((name) => name !== 'index')
    .map((name) => recordFor(operation, name))
const otherRows = async () => {
  const tables = await database.query<{ name: string }>(sql`
    select table_name as name from information_schema.columns where column_name = 'org_id' and table_schema = 'public'
    and table_name not in ('api_keys', 'tombstones') order by 1`)
  const rows: unknown[] = []
  for (const { name } of tables) {
    const all = await database.query(
      sql`select to_jsonb(t) as row from ${raw(name)} t where org_id = ${other.orgId} order by 1`,
    )
    rows.push([name, all])
  }
  return JSON.stringify(rows)
}

for (const operation of operations) {
  test(`${operation.method} ${operation.path} keeps to the caller's organisation`, async () => {
    const before = await otherRows()
    for (const id of idsOf(operation)) {
      assert.ok(own[id] && foreign[id], `no record was made for ${id}`)
      // A foreign id in this place and own ones in the others, then foreign ones everywhere.
      for (const ids of [{ ...own, [id]: foreign[id]! }, foreign]) {
        const { status, body } = await mine.call(operation.method, address(operation, ids), {
          body: bodyFor(operation),
        })
        assert.equal(status, 404, `${id} of the other organisation is not found`)
        assert.ok(!JSON.stringify(body).includes(canary))
      }
    }
    for (const field of [
      ...(isStream(operation) ? [] : referencesIn(operation.query)), // it would not end
      ...(operation.query.properties.startAfter ? ['startAfter'] : []),
    ]) {
      const value = foreign[recordFor(operation, field)] ?? foreign.customerId
      const { status, body } = await mine.get(`${address(operation, own)}?${field}=${value}`)
      const unknown = await mine.get(`${address(operation, own)}?${field}=never_seen`)
      assert.deepEqual({ status, body }, { status: unknown.status, body: unknown.body }, `${field} tells nothing`)
    }
    for (const field of referencesIn(operation.body)) {
      const { status, body } = await mine.call(operation.method, address(operation, own), {
        body: { ...bodyFor(operation), [field]: foreign[recordFor(operation, field)] },
      })
      assert.ok(status === 400 || status === 404, `${field} of the other organisation is refused`)
      assert.ok(!JSON.stringify(body).includes(canary))
    }
    const elsewhere = await mine.call(operation.method, `/../${other.orgId}${address(operation, foreign)}`, {
      body: bodyFor(operation),
    })
    assert.equal(elsewhere.status, 403, 'the other organisation’s address is refused before anything is looked up')
    assert.equal(await otherRows(), before, 'nothing of the other organisation changed')
  })
}

test('lists show the caller’s records only', async () => {
  for (const operation of operations.filter(({ returns }) => 'pagination' in ((returns as TObject).properties ?? {}))) {
    const { body } = await mine.get(`${address(operation, own)}?limit=100`)
    assert.ok(!JSON.stringify(body).includes(canary), operation.path)
  }
  assert.equal((await mine.get(`/customers?search=${canary}`)).body.data.customers.length, 0)
  assert.equal((await mine.get(`/customers/lookup?email=${canary}@shop.example`)).status, 404)
  const { matches } = (await mine.get('/customers/lookup?phone=%2B441')).body.data
  assert.deepEqual(
    matches.map(({ id }: { id: string }) => id),
    [own.customerId],
    'a phone number that both have finds the caller’s',
  )
})

test('the place of a record that the other organisation deleted is no cursor', async () => {
  const { id } = (await other.post('/customers', { firstName: canary })).body.data
  await other.delete(`/customers/${id}`)
  assert.equal((await other.get(`/customers?startAfter=${id}`)).status, 200, 'there it is one')
  const [deleted, unknown] = [
    await mine.get(`/customers?startAfter=${id}`),
    await mine.get('/customers?startAfter=never_seen'),
  ]
  assert.deepEqual([deleted.status, deleted.body], [unknown.status, unknown.body])
})

/** Fields that name a record, but for those that only the server writes. */
function referencesIn({ properties }: Operation['query']): string[] {
  const isWritten = (field: string) => !(properties[field] as { readOnly?: boolean }).readOnly
  // An id in another system or with the tax office leads nowhere here.
  const isOurs = (field: string) => /Id$|^assignedTechnician$/.test(field) && !['externalId', 'vatId'].includes(field)
  return Object.keys(properties).filter((field) => isOurs(field) && isWritten(field))
}
