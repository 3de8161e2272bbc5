// Filters as a list declares them: what they make of a query.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../db/database.ts'
import type { Context } from '../operations/operation.ts'
import { t } from '../operations/schemas.ts'
import { customers } from './customers.ts'
import { changedAfterFilter, filter, filterSet, searchFilter } from './filters.ts'

const filters = filterSet({
  search: searchFilter('customers', { description: 'Part of a name.', examples: ['okafor'] }),
  isBusiness: filter(t.Boolean(), (value) => sql`(customers.business_name is not null) = ${value}`),
  updatedAfter: changedAfterFilter('customers', 'Customers that changed after this moment.'),
})
const ctx = { orgId: 'org_1' } as Context
const page = (query: object, options = {}) => {
  const { sql: statement, connection } = filters.page(customers, ctx, query, options)
  return { text: statement.text, connection }
}

test('each filter is an optional query parameter', () => {
  assert.deepEqual(Object.keys(filters.query), ['search', 'isBusiness', 'updatedAfter'])
  assert.deepEqual(t.Object(filters.query).required, undefined)
})

test('filters that are not given, or empty, leave no trace in the statement', () => {
  const { text } = customers.page(ctx, {}).sql
  for (const query of [{}, { search: '' }, { isBusiness: undefined }])
    assert.deepEqual(page(query), { text, connection: undefined })
})

test('false is a value to filter by', () => {
  assert.match(page({ isBusiness: false }).text, /and \(\(customers\.business_name is not null\) = \$3\)/)
})

test('conditions stand in the order of their declaration, not of the query', () => {
  const updatedAfter = '2026-01-01T00:00:00.000Z'
  const { text } = page({ updatedAfter, isBusiness: true })
  assert.match(text, /and \(\(customers\.business_name is not null\) = \$3 and customers\.updated_at > \$4/)
  assert.equal(text, page({ isBusiness: true, updatedAfter }).text)
})

test('the first filter that needs a connection of its own decides, before what the list has otherwise', () => {
  const updatedAfter = '2026-01-01T00:00:00.000Z'
  assert.equal(page({ updatedAfter, search: 'okafor' }).connection, 'slow')
  assert.equal(page({ updatedAfter, search: 'ok' }).connection, 'in-turns')
  assert.equal(page({ updatedAfter }, { connection: 'slow' }).connection, 'custom-plan')
  assert.equal(page({ isBusiness: true }, { connection: 'slow' }).connection, 'slow')
})

test('a field with a default is refused: it would narrow every list', () => {
  assert.throws(() => filter(t.String({ default: 'normal' }), (value) => sql`${value} = ''`), /without a default/)
})
