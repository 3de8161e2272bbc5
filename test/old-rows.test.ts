// Rows that an earlier release wrote, after the migrations that came since: what they hold is what callers get.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { Database, sql } from '../src/db/database.ts'
import { migrate, migrationFiles, splitSteps } from '../src/db/migrate.ts'
import { createEmptyDatabase } from './test-database.ts'
import { startTestService } from './test-service.ts'

const here = await startTestService()

const textOf = (file: string) => readFile(new URL(`../migrations/${file}`, import.meta.url), 'utf8')

/** A database as it was before a migration, with rows of that time; then brought up to date. */
async function migratedFrom(firstMissing: string, rows: string): Promise<Database> {
  const database = new Database(await createEmptyDatabase(here))
  after(() => database.close())
  const client = await database.connect()
  await client.query('create table migrations (name text primary key, applied_at timestamptz not null default now())')
  for (const file of (await migrationFiles()).filter((name) => name < firstMissing)) {
    await client.query(await textOf(file))
    await client.query('insert into migrations (name) values ($1)', [file])
  }
  await client.query(rows)
  await client.end()
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

test('a migration that was cut off between its steps goes on with the next one', async () => {
  const file = '0017-narrower-lists.sql'
  const [first] = splitSteps(await textOf(file))
  const database = await migratedFrom(file, `${first} insert into migrations (name) values ('${file} (step 1)');`)
  const names = (await database.query<{ name: string }>(sql`select name from migrations order by 1`)).map(
    ({ name }) => name,
  )
  assert.deepEqual(names, await migrationFiles())
})
