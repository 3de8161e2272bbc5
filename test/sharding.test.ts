// Whether the tables could be spread over several machines by organisation: its id is part of every key. What cannot have
// it there is named here with its reason. deploy/citus.sql is the same list as statements.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { raw, sql } from '../src/db/database.ts'
import { startTestService } from './test-service.ts'

/** Tables that hold nothing of an organisation. */
const global: Readonly<Record<string, string>> = {
  migrations: 'belongs to the database',
  people: 'somebody may be a member of several organisations, and signs in before one is chosen',
  recovery_codes: 'belongs to a person',
  sessions: 'belongs to a person',
  authorization_requests: 'waits for a person to choose the organisation',
}

/** Keys of an organisation's tables that must be unique beyond it. */
const globallyUnique: Readonly<Record<string, string>> = {
  api_key_secrets_pkey: 'a key is found by its hash, and says by that whose it is',
  oauth_tokens_pkey: 'a token is found by its hash, and says by that whose it is',
  calendar_feeds_by_token: 'a feed is found by the hash of its address, and says by that whose it is',
  oauth_clients_pkey: 'an app that registered itself belongs to no organisation',
  grants_by_id: 'a token of any organisation may be revoked by whoever holds it',
  grants_person_client: 'a new approval replaces the one before, whichever organisation that was for',
}

interface Table {
  readonly name: string
  readonly hasOrg: boolean
  readonly isNotified: boolean
  readonly keys: readonly { name: string; isPrimary: boolean; hasOrg: boolean }[]
  readonly references: readonly { name: string; to: string; bindsOrg: boolean }[]
}

delete process.env.TEST_POSTGRES_SOCKET // the plan is tried here as far as PostgreSQL alone goes
const here = await startTestService()
const tables = await here.database.query<Table>(sql`
  select one.relname as name, org.attnum is not null as "hasOrg",
    exists (select from pg_trigger join pg_proc on pg_proc.oid = tgfoid
      where tgrelid = one.oid and prosrc like '%pg_notify%') as "isNotified",
    (select coalesce(json_agg(json_build_object('name', indexrelid::regclass::text, 'isPrimary', indisprimary,
        'hasOrg', coalesce(org.attnum = any(indkey::int2[]), false))), '[]')
      from pg_index where indrelid = one.oid and (indisunique or indisexclusion)) as keys,
    (select coalesce(json_agg(json_build_object('name', conname, 'to', confrelid::regclass::text,
        'bindsOrg', exists (select from unnest(conkey, confkey) as pair (mine, theirs)
          join pg_attribute other on other.attrelid = confrelid and other.attnum = theirs
          where mine = org.attnum and other.attname = 'org_id'))), '[]')
      from pg_constraint where conrelid = one.oid and contype = 'f') as references
  from pg_class one left join pg_attribute org on org.attrelid = one.oid and org.attname = 'org_id'
  where one.relnamespace = current_schema()::regnamespace and one.relkind in ('r', 'p') order by 1`)
const names = tables.map(({ name }) => name)
const ofOrganisations = tables.filter(({ name }) => !(name in global))

test('every table but the global ones has the organisation in its primary key', () => {
  assert.deepEqual(
    tables.filter(({ hasOrg }) => !hasOrg).map(({ name }) => name),
    Object.keys(global).sort(),
  )
  const without = ofOrganisations.filter(({ keys }) => !keys.some(({ isPrimary, hasOrg }) => isPrimary && hasOrg))
  assert.deepEqual(
    without.map(({ name }) => name),
    ['api_key_secrets', 'oauth_clients', 'oauth_tokens'],
  )
})

test('the organisation is part of every unique key, but for those that tell whose something is', () => {
  const without = ofOrganisations.flatMap(({ keys }) => keys).filter(({ hasOrg }) => !hasOrg)
  assert.deepEqual(without.map(({ name }) => name).sort(), Object.keys(globallyUnique).sort())
})

test('the organisation is part of every foreign key between tables of an organisation', () => {
  const loose = ofOrganisations
    .flatMap(({ references }) => references)
    .filter(({ to, bindsOrg }) => !bindsOrg && !(to in global))
  assert.deepEqual(loose, [])
})

const plan = readFileSync(new URL('../deploy/citus.sql', import.meta.url), 'utf8')
const spread = [...plan.matchAll(/^select create_distributed_table\('(\w+)', 'org_id'.*\);$/gm)].map(
  ([, name]) => name!,
)
const local = [...plan.matchAll(/^-- local: (\w+)/gm)].map(([, name]) => name!)

test('the plan for several machines names every table once', () => {
  assert.deepEqual([...spread, ...local].sort(), names)
})

test('what the plan spreads has the organisation in every key, points only to what is spread before it, and sends no notification', () => {
  for (const [place, name] of spread.entries()) {
    const { keys, references, isNotified } = tables.find((table) => table.name === name)!
    for (const key of keys) assert.ok(key.hasOrg, key.name)
    for (const { name: reference, to } of references) {
      const isThere = to === name || spread.slice(0, place).includes(to)
      assert.ok(isThere || ['organisations', 'members'].includes(to), `${reference} to ${to}`) // the plan drops those
    }
    assert.equal(isNotified, false, `${name}: a notification of another machine is heard by nobody`)
  }
})

test('what the plan keeps on one machine points to nothing that is spread', () => {
  const away = tables
    .filter(({ name }) => local.includes(name))
    .flatMap(({ references }) => references.filter(({ to }) => spread.includes(to)))
  assert.deepEqual(away, [])
})

test('the plan drops every foreign key from what is spread to what is not, and no other', async () => {
  const [drops] = /^do \$\$.*?^end \$\$;$/ms.exec(plan)!
  await here.database.query(raw(drops))
  const left = await here.database.query<{ name: string }>(sql`
    select conname as name from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`)
  const kept = tables.flatMap(({ name, references }) =>
    references.filter(({ to }) => !(spread.includes(name) && local.includes(to))),
  )
  const sorted = (keys: readonly { name: string }[]) => keys.map(({ name }) => name).sort()
  assert.deepEqual(sorted(left), sorted(kept))
})
