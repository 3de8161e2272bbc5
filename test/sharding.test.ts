// Whether the tables could be spread over several machines by organisation: its id is part of every key. What cannot have
// it there is named here with its reason. `jobwright db distribute` does it; test/citus.test.ts does so on a cluster.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sql } from '../src/db/database.ts'
import { type Placement, placementsOf, selectTableKeys } from '../src/db/layout.ts'
import { splitSteps } from '../src/db/migration-steps.ts'
import { startTestService } from './test-service.ts'

/** Tables that hold nothing of an organisation. */
const global: Readonly<Record<string, string>> = {
  migrations: 'belongs to the database',
  coordinator_writes: 'always empty: tells Citus that a transaction writes on the coordinator',
  people: 'somebody may be a member of several organisations, and signs in before one is chosen',
  recovery_codes: 'belongs to a person',
  sessions: 'belongs to a person',
  authorization_requests: 'waits for a person to choose the organisation',
}

/** Tables of an organisation that are needed before it is known whose a credential is, or written where a statement arrives. */
const onCoordinator: Readonly<Record<string, string>> = {
  api_keys: 'the secrets refer to it',
  api_key_secrets: 'found by hash',
  oauth_clients: 'some belong to no organisation',
  grants: 'found by person and app',
  oauth_tokens: 'found by hash',
  calendar_feeds: 'found by hash',
  invitations: 'found by hash',
  shared_event_inbox: 'triggers of tables that are on every node write it',
}

/** Keys of an organisation's tables that must be unique beyond it. */
const globallyUnique: Readonly<Record<string, string>> = {
  api_key_secrets_pkey: 'a key is found by its hash, and says by that whose it is',
  oauth_tokens_pkey: 'a token is found by its hash, and says by that whose it is',
  calendar_feeds_by_token: 'a feed is found by the hash of its address, and says by that whose it is',
  invitations_by_token: 'an invitation is found by the hash in its link, and says by that whose it is',
  oauth_clients_pkey: 'an app that registered itself belongs to no organisation',
  grants_by_id: 'a token of any organisation may be revoked by whoever holds it',
  grants_person_client: 'a new approval replaces the one before, whichever organisation that was for',
  shared_event_inbox_pkey: 'counts with the inbox of all organisations',
}

interface Table {
  readonly name: string
  readonly hasOrg: boolean
  readonly isNotified: boolean
  readonly keys: readonly { name: string; isPrimary: boolean; hasOrg: boolean }[]
  readonly references: readonly { name: string; to: string; bindsOrg: boolean }[]
}

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
const placements = placementsOf(await selectTableKeys(here.database))
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
    ['api_key_secrets', 'oauth_clients', 'oauth_tokens', 'shared_event_inbox'],
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

const placed = (placement: Placement) => [...placements].filter(([, one]) => one === placement).map(([name]) => name)

test('identity stays on the coordinator, organisations and members are on every node, everything else is distributed', () => {
  assert.deepEqual(placed('reference'), ['members', 'organisations'])
  assert.deepEqual(placed('local'), Object.keys({ ...global, ...onCoordinator }).sort())
  assert.deepEqual([...placements.keys()], names)
})

test('what is distributed refers to nothing that stays on the coordinator, and the other way round', () => {
  const placeOf = (name: string) => placements.get(name)!
  const across = tables.flatMap(({ name, references }) =>
    references.filter(({ to }) => new Set([placeOf(name), placeOf(to), 'reference']).size > 2),
  )
  assert.deepEqual(across, [])
})

test('no trigger of a distributed table sends a notification, which would be heard by nobody', () => {
  const distributed = placed('distributed')
  const notified = tables.filter(({ name, isNotified }) => isNotified && distributed.includes(name))
  assert.deepEqual(notified, [])
})

test('no foreign key says ON DELETE SET NULL, which Citus refuses where the key holds the organisation', async () => {
  const keys = await here.database.query(sql`
    select conname from pg_constraint where contype = 'f' and confdeltype = 'n'
      and connamespace = current_schema()::regnamespace`)
  assert.deepEqual(keys, [])
})

test('a table whose rows are found by something else than their organisation stays, with what it refers to', () => {
  const table = (name: string, isKeyedByOrganisation: boolean, refersTo: readonly string[] = []) => ({
    name,
    isKeyedByOrganisation,
    refersTo,
  })
  const found = placementsOf([
    table('secrets', false, ['keys']),
    table('keys', true, ['owners', 'organisations']),
    table('owners', true),
    table('jobs', true, ['organisations']),
    table('organisations', true),
  ])
  assert.deepEqual(Object.fromEntries(found), {
    secrets: 'local',
    keys: 'local',
    owners: 'local',
    jobs: 'distributed',
    organisations: 'reference',
  })
})

test('an index on a table that may be distributed already is created in a block, or concurrently, which makes a block of it there', () => {
  const files = readdirSync('migrations').filter((file) => file >= '0017')
  assert.ok(files.length > 0)
  for (const file of files) {
    const text = readFileSync(`migrations/${file}`, 'utf8')
    const made = [...text.matchAll(/create table (\w+)/g)].map(([, name]) => name)
    const concurrent = splitSteps(text).filter(({ kind }) => kind === 'concurrently')
    assert.deepEqual(
      concurrent.flatMap(({ statements }) => statements.filter((one) => !/ index concurrently \w/.test(one))),
      [],
      file,
    )
    const indexed = [...text.replace(/do \$\$.*?\$\$;/gs, '').matchAll(/create (?:unique )?index \w+ on (\w+)/g)]
    assert.deepEqual(
      indexed.map(([, table]) => table).filter((table) => !made.includes(table)),
      [],
      file,
    )
  }
})
