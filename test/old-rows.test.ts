// Rows that an earlier release wrote, after the migrations that came since: what they hold is what callers get.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Database, raw, sql } from '../src/db/database.ts'
import { migrate, migrationFiles } from '../src/db/migrate.ts'
import { splitSteps } from '../src/db/migration-steps.ts'
import { createEmptyDatabase, isOnCitus } from './test-database.ts'
import { startTestService } from './test-service.ts'

const here = await startTestService()

const textOf = (file: string) => readFile(new URL(`../migrations/${file}`, import.meta.url), 'utf8')

/** A database as it was before a migration, with rows of that time. */
async function databaseBefore(firstMissing: string, rows: string): Promise<Database> {
  const database = new Database(await createEmptyDatabase(here))
  after(() => database.close())
  const client = await database.connect()
  await client.query('create table migrations (name text primary key, applied_at timestamptz not null default now())')
  for (const file of (await migrationFiles()).filter((name) => name < firstMissing)) {
    // All of it at once, while there is nothing: indexes need not be built beside others' work.
    await client.query((await textOf(file)).replaceAll(' index concurrently', ' index'))
    await client.query('insert into migrations (name) values ($1)', [file])
  }
  await client.query(rows)
  await client.end()
  return database
}

/** The same, brought up to date. */
async function migratedFrom(firstMissing: string, rows: string): Promise<Database> {
  const database = await databaseBefore(firstMissing, rows)
  assert.equal((await migrate(database))[0], firstMissing)
  return database
}

const shop = `insert into organisations (org_id, name) values ('org_1', 'Old');
  insert into ticket_statuses (org_id, id, name) values ('org_1', 'sts_1', 'Open');
  insert into tickets (org_id, id, ticket_number, status_id) values ('org_1', 'tkt_1', 1, 'sts_1');`

test('photos inside answers become rows of their own, and broken ones do not stop the migration', async () => {
  const answers = [
    { fieldId: 'a', label: 'A', type: 'photo', value: 'data:image/png;base64,iVBORw0KGgo=' },
    { fieldId: 'b', label: 'B', type: 'photo', value: 'https://photos.example/1.jpg' },
    { fieldId: 'c', label: 'C', type: 'photo', value: 'data:image/jpeg;base64,AAAAA' },
    { fieldId: 'd', label: 'D', type: 'photo', value: 'data:image/gif;base64,R0lGODlhAQABAA' },
    { fieldId: 'e', label: 'E', type: 'text', value: 'data:image/png;base64,iVBORw0KGgo=' },
    { fieldId: 'f', label: 'F', type: 'photo', value: 'data:image/png;base64,iVBORw0KGgo=' },
  ]
  const database = await migratedFrom(
    '0013-photos-stock-changes.sql',
    `${shop} insert into form_templates (org_id, id, name) values ('org_1', 'tem_1', 'Old form');
     insert into form_submissions (org_id, id, template_id, template_name, template_version, fields, signature_roles,
       ticket_id, gate, answers, updated_at)
     values ('org_1', 'sub_1', 'tem_1', 'Old form', 1, '[]', '[]', 'tkt_1', 'none', '${JSON.stringify(answers)}', '2020-01-01');`,
  )
  const photos = await database.query<{ id: string; mediaType: string; hex: string }>(sql`
    select id, media_type as "mediaType", encode(bytes, 'hex') as hex from form_photos where submission_id = 'sub_1'`)
  const photoWith = (hex: string) => `photo:${photos.find((photo) => photo.hex === hex)?.id}`
  const [form] = await database.query<{ values: string[]; year: number }>(sql`
    select array(select value ->> 'value' from jsonb_array_elements(answers)) as values,
      extract(year from updated_at)::int as year from form_submissions`)
  const png = photoWith('89504e470d0a1a0a')
  assert.deepEqual(form, {
    values: [png, answers[1]!.value, photoWith('000000'), photoWith('47494638396101000100'), answers[4]!.value, png],
    year: 2020,
  })
  assert.deepEqual(photos.map(({ mediaType }) => mediaType).sort(), ['image/gif', 'image/jpeg', 'image/png'])
})

test('lines give back what their item says it was tracked for, and stock stays as it was counted', async () => {
  const database = await migratedFrom(
    '0013-photos-stock-changes.sql',
    `${shop} insert into inventory (org_id, id, name, track_stock, quantity_on_hand)
       values ('org_1', 'itm_1', 'Tracked', true, 10), ('org_1', 'itm_2', 'Not', false, 10);
     insert into inventory_lines (org_id, id, ticket_id, inventory_item_id, name, quantity, unit_price, line_total)
       select 'org_1', 'iln_' || place, 'tkt_1', item, 'Part', 4, 1, 4
       from unnest(array['itm_1', 'itm_2', 'itm_gone', null]) with ordinality line (item, place);`,
  )
  const onHand = async () =>
    (
      await database.query<{ quantity: number }>(sql`
        select quantity_on_hand::int as quantity from inventory order by id`)
    ).map(({ quantity }) => quantity)
  assert.deepEqual(await onHand(), [6, 10])
  await database.query(sql`update inventory set track_stock = not track_stock`)
  await database.query(sql`delete from tickets`)
  assert.deepEqual(await onHand(), [10, 10])
})

const lists = '0017-narrower-lists.sql'
/** The first steps of that migration, and what tells that they were done. */
async function firstSteps(count: number): Promise<string> {
  const steps = splitSteps(await textOf(lists)).slice(0, count)
  const done = steps.map((_, index) => `insert into migrations (name) values ('${lists} (step ${index + 1})');`)
  return `${steps.flatMap(({ statements }) => statements).join(';')}; ${done.join('')}`
}

test('a migration that was cut off between its steps goes on with the next one', async () => {
  const database = await migratedFrom(lists, await firstSteps(1))
  const names = (await database.query<{ name: string }>(sql`select name from migrations order by 1`)).map(
    ({ name }) => name,
  )
  assert.deepEqual(names, await migrationFiles())
})

test('an index that was left behind when a migration was cut off is built anew', async () => {
  const database = await migratedFrom(lists, 'create index tickets_unclosed on tickets (id)')
  const [index] = await database.query<{ definition: string; isValid: boolean }>(sql`
    select pg_get_indexdef(indexrelid) as definition, indisvalid as "isValid" from pg_index
    where indexrelid = 'tickets_unclosed'::regclass`)
  assert.match(index!.definition, /\(org_id, created_at DESC, id DESC\)/)
  assert.equal(index!.isValid, true)
})

/** More than are filled at once. */
const manyJobs = `insert into tickets (org_id, id, ticket_number, status_id, service_required)
  select 'org_1', 'tkt_' || n, n, 'sts_1', 'Écran ' || n from generate_series(2, 600) n;`

const countUnfilled = async (database: Database, table: string) =>
  (await database.query(sql`select from ${raw(table)} where search_text is null`)).length

test('jobs and documents of before are found by their words, each of them, and nobody is told of it', async () => {
  const database = await migratedFrom(
    lists,
    `${shop} ${manyJobs}
     insert into quotes (org_id, id, quote_number, customer_name, title, currency)
       values ('org_1', 'quo_1', 'Q-0007', 'Zoë', 'Ovens', 'GBP');
     insert into invoices (org_id, id, invoice_number, customer_name, due_at, currency)
       values ('org_1', 'inv_1', 'INV-0042', 'Zoë', now() + interval '1 day', 'GBP');
     delete from event_inbox;`,
  )
  for (const table of ['tickets', 'quotes', 'invoices']) assert.equal(await countUnfilled(database, table), 0, table)
  const texts = await database.query<{ text: string }>(sql`
    select search_text as text from tickets where id = 'tkt_600' union all select search_text from quotes
    union all select search_text from invoices`)
  assert.deepEqual(
    texts.map(({ text }) => text),
    ['#600\necran 600\n\n\n\n', 'q-0007\nzoe\novens', 'inv-0042\nzoe\n'],
  )
  assert.deepEqual(await database.query(sql`select from event_inbox`), [])
})

test('a job that somebody holds is given its words when they let go of it, and the others meanwhile', {
  skip: isOnCitus && 'who waits on a worker is not seen on the coordinator',
}, async () => {
  const database = await databaseBefore(lists, `${shop} ${manyJobs} ${await firstSteps(3)}`)
  const holder = await database.connect()
  await holder.query(`begin; select from tickets where id = 'tkt_300' for update`)
  const migrating = migrate(database)
  const isWaitedFor = sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'transactionid'`
  while ((await database.query(isWaitedFor)).length === 0) await delay(20)
  assert.equal(await countUnfilled(database, 'tickets'), 1)
  await holder.query('commit')
  await holder.end()
  await migrating
  assert.equal(await countUnfilled(database, 'tickets'), 0)
})

test('what was told as void before stays told, and what is void or a draft again and was not told will be', async () => {
  const invoice = (id: string, status: string, isBooked: boolean) =>
    `('org_1', '${id}', 'N-${id}', now(), '${status}', 'GBP', 100, ${isBooked})`
  const database = await migratedFrom(
    '0027-what-became-of-booked-records.sql',
    `${shop} insert into invoices (org_id, id, invoice_number, due_at, status, currency, total, booked_elsewhere) values
      ${invoice('told', 'void', false)}, ${invoice('void', 'void', false)}, ${invoice('draft', 'draft', true)},
      ${invoice('sent', 'sent', false)}, ${invoice('never', 'void', false)};
     insert into exports (org_id, id, kind, format, first_day, last_day, count, content)
       select 'org_1', id, 'invoices', 'csv', now(), now(), 0, '' from unnest(array['exp_1', 'exp_2']) id;
     insert into exported_records (org_id, export_id, record_id, kind, again) values
       ('org_1', 'exp_1', 'told', 'invoices', false), ('org_1', 'exp_1', 'void', 'invoices', false),
       ('org_1', 'exp_1', 'sent', 'invoices', false), ('org_1', 'exp_2', 'told', 'withdrawn', false);`,
  )
  const changes = await database.query(
    sql`select record_id as id, number, is_gone as "isGone", was_booked as "wasBooked" from book_changes order by 1`,
  )
  assert.deepEqual(changes, [
    { id: 'draft', number: 'N-draft', isGone: true, wasBooked: true },
    { id: 'void', number: 'N-void', isGone: true, wasBooked: false },
  ])
  const held = await database.query(
    sql`select record_id as id, count(*) filter (where taken_out_at is null)::int as held from exported_records
        where kind = 'invoices' group by 1 order by 1`,
  )
  assert.deepEqual(held, [
    { id: 'sent', held: 1 },
    { id: 'told', held: 0 },
    { id: 'void', held: 1 },
  ])
  assert.deepEqual(await database.query(sql`select id from invoices where booked_elsewhere`), [])
})
