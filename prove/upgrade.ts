// The next version of the service, for trials of an upgrade: this tree with migrations that change every table.
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Database, sql } from '../src/db/database.ts'

export interface NextVersion extends AsyncDisposable {
  readonly root: URL
  /** How many migrations it has that this version has not. */
  readonly migrations: number
}

const projectPath = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** Migrates only when a second process waits for it, so that the trial is about two that start at once. */
const firstMigration = `
create table upgrade_runs (was_waited_for boolean not null);
do $$
declare is_waited_for boolean := false;
begin
  for attempt in 1..1000 loop
    perform pg_stat_clear_snapshot();
    is_waited_for := exists (select from pg_stat_activity
      where pid <> pg_backend_pid() and datname = current_database() and query like 'select pg_try_advisory_lock(%');
    exit when is_waited_for;
    perform pg_sleep(0.05);
  end loop;
  insert into upgrade_runs values (is_waited_for);
end $$;
`

export async function buildNextVersion(database: Database): Promise<NextVersion> {
  const folder = await mkdtemp(join(tmpdir(), 'jobwright-next-'))
  for (const name of ['src', 'migrations', 'package.json'])
    await cp(projectPath(name), join(folder, name), { recursive: true })
  await symlink(projectPath('node_modules'), join(folder, 'node_modules'))
  const tables = await database.query<{ name: string }>(sql`
    select tablename as name from pg_tables where schemaname = current_schema() and tablename <> 'migrations' order by 1`)
  // One table in each: a migration that locks several may deadlock with a transaction that locks them in another order.
  const changes = tables.map(({ name }) => `alter table ${name} add column upgrade_note text;`)
  changes.push('create index customers_by_upgrade on customers (org_id, upgrade_note);')
  const migrations = [firstMigration, ...changes]
  for (const [index, text] of migrations.entries())
    await writeFile(join(folder, 'migrations', `${9_000 + index}-upgrade.sql`), text)
  return {
    root: pathToFileURL(`${folder}/`),
    migrations: migrations.length,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A transaction that has read a table and then does something slow, longer than any request may take. */
export async function holdSlowTransaction(database: Database): Promise<void> {
  const client = await database.connect()
  await client.query('begin; select from customers limit 1')
  const isWaitedFor = sql`select from pg_locks where not granted and relation = 'customers'::regclass`
  while ((await database.query(isWaitedFor)).length === 0) await delay(20)
  await delay(5_000)
  await client.query('commit')
  await client.end()
}

/** What the migrations left behind: how often the first ran, how many were recorded, and whether one process waited. */
export async function readUpgradeStats(
  database: Database,
): Promise<{ runs: number; recorded: number; waited: number }> {
  const [row] = await database.query<{ runs: number; recorded: number; waited: number }>(sql`
    select (select count(*) from upgrade_runs) as runs,
      (select count(*) from upgrade_runs where was_waited_for) as waited,
      (select count(*) from migrations where name like '9%-upgrade.sql') as recorded`)
  return row!
}
