// What goes along and what does not is decided table by table: a table nobody thought of fails here.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { excludedTables, loadRecordKinds } from './record-kinds.ts'

const { database } = await startTestService()
const kinds = await loadRecordKinds(database)

/** Add a new table here, or to what stays behind, with the reason in docs/decisions/export.md. */
const exportedTables = [
  ...[
    'organisations',
    'members',
    'counters',
    'customers',
    'customer_deletions',
    'devices',
    'tickets',
    'service_lines',
    'inventory_lines',
  ],
  ...[
    'ticket_signatures',
    'messages',
    'services',
    'inventory',
    'stock_corrections',
    'quotes',
    'quote_answers',
    'invoices',
    'payments',
    'exports',
    'exported_records',
    'book_changes',
  ],
  ...['reminders', 'share_links', 'outbox', 'calendar_events', 'stations', 'tax_rates', 'ticket_statuses'],
  ...['inventory_categories', 'asset_categories', 'recurring_schedules', 'recurring_occurrences', 'recurring_presets'],
  ...['form_templates', 'form_rules', 'form_submissions', 'form_signatures', 'form_events', 'form_photos', 'audit_log'],
  'tombstones',
]
const globalTables = [
  'coordinator_writes',
  'migrations',
  'people',
  'recovery_codes',
  'sessions',
  'authorization_requests',
]

test('what follows from other columns does not go along', async () => {
  const searched = await database.query<{ table: string }>(sql`
    select attrelid::regclass::text as table from pg_attribute join pg_class on pg_class.oid = attrelid
    where relkind = 'r' and relnamespace = current_schema()::regnamespace and attname = 'search_text'`)
  assert.ok(searched.some(({ table }) => table === 'tickets'))
  for (const { table } of searched) {
    const kind = kinds.find((one) => one.table === table)!
    assert.ok(!kind.columns.some(({ name }) => name === 'search_text'), table)
  }
})

test('every table goes along, stays behind or belongs to no organisation, as somebody decided', async () => {
  const tables = await database.query<{ name: string }>(sql`
    select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace`)
  assert.deepEqual(
    tables.map(({ name }) => name).sort(),
    [...exportedTables, ...excludedTables, ...globalTables].sort(),
  )
  assert.deepEqual(kinds.map(({ table }) => table).sort(), exportedTables.sort())
})

test('of secrets, only share links and letters go along; photos and files are bytes, but no secret', () => {
  const secretFields = kinds.flatMap(({ name, columns }) =>
    columns
      .filter(
        ({ field, type, isEncrypted }) =>
          isEncrypted || type === 'bytea' || /hash|secret|token|password|totp/i.test(field),
      )
      .map(({ field }) => `${name}.${field}`),
  )
  assert.deepEqual(secretFields.sort(), [
    'exports.content',
    'formPhotos.bytes',
    'outbox.body',
    'quoteAnswers.addressHash',
    'shareLinks.token',
  ])
})

test('what a record refers to comes before it', () => {
  const position = (table: string) => kinds.findIndex((kind) => kind.table === table)
  for (const [first, then] of [
    ['organisations', 'customers'],
    ['customers', 'devices'],
    ['recurring_schedules', 'tickets'],
    ['tickets', 'recurring_occurrences'],
    ['invoices', 'payments'],
    ['inventory', 'inventory_lines'],
  ] as const)
    assert.ok(position(first) < position(then), `${first} before ${then}`)
})
