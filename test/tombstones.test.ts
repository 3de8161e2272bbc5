// A page goes on after a deleted record by its tombstone, which must hold what the list is sorted by.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../src/db/database.ts'
import type { JsonSchema } from '../src/operations/json-schema.ts'
import { resources } from '../src/resources/index.ts'
import { startTestService } from './test-service.ts'

const { database } = await startTestService()

/** Nothing deletes these through the API; deliveries go with age, or all at once with their webhook. */
const neverDeleted = new Set(['members', 'organisations', 'webhook_deliveries'])

test('the tombstone of every paged table keeps the column that its list is sorted by, and its parent', async () => {
  const triggers = await database.query<{ table: string; args: string[] }>(sql`
    select tgrelid::regclass::text as "table", string_to_array(rtrim(encode(tgargs, 'escape'), '\\000'), '\\000') as args
    from pg_trigger where tgfoid = 'bury'::regproc order by 1`)
  const kept = new Map(triggers.map(({ table, args }) => [table, args]))
  const paged = resources.flatMap(({ tables, operations }) =>
    tables.filter(({ typeName }) =>
      operations.some(
        ({ returns, query }) => (returns as JsonSchema).title === `${typeName}List` && 'startAfter' in query.properties,
      ),
    ),
  )
  const expected = paged
    .filter(({ name }) => !neverDeleted.has(name))
    .map(({ name, order, parent }) => [name, [order.column, ...(parent ? [parent.column] : [])]] as const)
  assert.ok(expected.some(([name]) => name === 'tickets') && expected.length > 10)
  assert.deepEqual(
    expected.map(([name]) => [name, kept.get(name)]),
    expected,
  )
})
