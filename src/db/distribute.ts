// Distributes the tables over the nodes of a Citus cluster, by organisation: all of them in one transaction, or none. Run
// again, it distributes what has come since; where nothing is left to do it changes nothing.
import { type Database, type Queryable, raw, sql } from './database.ts'
import { type Placement, selectLayout, selectNodes, type TableLayout } from './layout.ts'

export interface Distribution {
  /** Tables that get another place, with the number of rows that move, and where all tables are in the end. */
  readonly moved: readonly { readonly table: string; readonly placement: Placement; readonly rows: number }[]
  readonly tables: Readonly<Record<Placement, number>>
}

interface Options {
  readonly isDryRun?: boolean
  onProgress?(progress: string): void
}

/** Why it cannot be done; the sentence says what to do first. */
export class CannotDistribute extends Error {}

export async function distribute(
  database: Database,
  { isDryRun = false, onProgress }: Options = {},
): Promise<Distribution> {
  if (!(await database.isCitus()))
    throw new CannotDistribute(
      'The extension citus is not in this database: connect to the coordinator of a cluster that was set up as deploy/citus/README.md says',
    )
  await refuseUnpreparedNodes(database)
  return database.longTransaction('read write', async (transaction) => {
    const layout = await selectLayout(transaction)
    refuseWrongPlaces(layout)
    const missing = orderOf(layout.filter(({ wanted, actual }) => wanted !== actual))
    const moved = []
    for (const { name, wanted } of missing) {
      const [count] = await transaction.query<{ rows: number }>(sql`select count(*)::int as rows from ${raw(name)}`)
      moved.push({ table: name, placement: wanted, rows: count!.rows })
    }
    if (!isDryRun && missing.length > 0) await move(transaction, layout, missing, onProgress)
    return { moved, tables: countPlacements(layout) }
  })
}

/** After each step of a migration: where tables are distributed already, new ones follow by themselves. */
export async function distributeNewTables(database: Database): Promise<void> {
  if (!(await database.isCitus())) return
  const layout = await selectLayout(database)
  const isDistributed = layout.some(({ actual }) => actual === 'distributed')
  if (isDistributed && layout.some(({ wanted, actual }) => wanted !== actual)) await distribute(database)
}

/** What reference tables hold is referred to by the others. */
const orderOf = (tables: readonly TableLayout[]): TableLayout[] =>
  [...tables].sort((a, b) => Number(b.wanted === 'reference') - Number(a.wanted === 'reference'))

const countPlacements = (layout: readonly TableLayout[]): Readonly<Record<Placement, number>> => {
  const count = (placement: Placement) => layout.filter(({ wanted }) => wanted === placement).length
  return { distributed: count('distributed'), reference: count('reference'), local: count('local') }
}

function refuseWrongPlaces(layout: readonly TableLayout[]): void {
  const wrong = layout.find(({ wanted, actual }) => actual !== 'local' && wanted !== actual)
  if (wrong)
    throw new CannotDistribute(
      `${wrong.name} is a ${wrong.actual} table and belongs among the ${wrong.wanted} ones: this database was distributed by hand`,
    )
}

const neededSettings = { timezone: 'UTC', 'citus.enable_unsafe_triggers': 'on' }

async function refuseUnpreparedNodes(database: Database): Promise<void> {
  const nodes = await selectNodes(database)
  if (!nodes.some(({ isCoordinator }) => isCoordinator))
    throw new CannotDistribute(
      'The coordinator does not know its own address: `select citus_set_coordinator_host(…)` first',
    )
  if (!nodes.some(({ isCoordinator, isActive }) => !isCoordinator && isActive))
    throw new CannotDistribute('The cluster has no worker: `select citus_add_node(…)` first')
  for (const [setting, value] of Object.entries(neededSettings)) {
    const found = await database.query<{ node: string; result: string }>(sql`
      select nodename || ':' || nodeport as node, result
      from run_command_on_all_nodes(${`show ${setting}`}) join pg_dist_node using (nodeid)`)
    const other = found.find(({ result }) => result !== value)
    if (other)
      throw new CannotDistribute(`${setting} is ${other.result} on ${other.node}: it must be ${value} on every node`)
  }
}

interface Trigger {
  readonly owner: string
  readonly name: string
  readonly definition: string
}

interface ForeignKey {
  readonly owner: string
  readonly target: string
  readonly name: string
  readonly definition: string
}

async function move(
  transaction: Queryable,
  layout: readonly TableLayout[],
  missing: readonly TableLayout[],
  onProgress?: (progress: string) => void,
): Promise<void> {
  await transaction.query(sql`set local citus.multi_shard_modify_mode = 'sequential'`)
  await transaction.query(sql`set local lock_timeout = '10s'`)
  await distributeFunctions(transaction)
  // Citus takes a table only once everything that it refers to has its place, and nothing refers to it that has none.
  const names = missing.map(({ name }) => name)
  const keys = await transaction.query<ForeignKey>(sql`
    select conrelid::regclass::text as owner, confrelid::regclass::text as target, conname as name,
      pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace and conparentid = 0
      and (conrelid::regclass::text = any(${names}) or confrelid::regclass::text = any(${names}))`)
  for (const { owner, name } of keys) await transaction.query(raw(`alter table ${owner} drop constraint "${name}"`))
  // Rows that are copied to other nodes are not new: triggers would count them again.
  const triggers = await transaction.query<Trigger>(sql`
    select tgrelid::regclass::text as owner, tgname as name, pg_get_triggerdef(oid) as definition from pg_trigger
    where not tgisinternal and tgrelid::regclass::text = any(${names})`)
  for (const { owner, name } of triggers) await transaction.query(raw(`drop trigger "${name}" on ${owner}`))
  for (const [index, { name, wanted }] of missing.entries()) {
    onProgress?.(`${index + 1} of ${missing.length}: ${name}`)
    await transaction.query(
      wanted === 'reference'
        ? sql`select create_reference_table(${name})`
        : sql`select create_distributed_table(${name}, 'org_id', colocate_with => ${colocatedWith(layout, missing, name)})`,
    )
  }
  // Those between a table of the coordinator and one that is on every node are left out: the triggers of 0014 do what
  // they did. Citus would take charge of all tables that they connect, and understands less SQL than PostgreSQL.
  const isLocal = (table: string) => layout.find(({ name }) => name === table)!.wanted === 'local'
  const kept = keys.filter(({ owner, target }) => isLocal(owner) === isLocal(target))
  onProgress?.(`${triggers.length} triggers and ${kept.length} foreign keys`)
  for (const { definition } of triggers) await transaction.query(raw(definition))
  for (const { owner, name, definition } of kept)
    await transaction.query(raw(`alter table ${owner} add constraint "${name}" ${definition}`))
  await transaction.query(sql`
    select citus_add_local_table_to_metadata('coordinator_writes')
    where not exists (select from pg_dist_partition where logicalrelid = 'coordinator_writes'::regclass)`)
}

/** All distributed tables have the rows of an organisation on the same node. */
function colocatedWith(layout: readonly TableLayout[], missing: readonly TableLayout[], name: string): string {
  const before = missing.slice(
    0,
    missing.findIndex((table) => table.name === name),
  )
  const first = [...layout.filter(({ actual }) => actual === 'distributed'), ...before].find(
    ({ wanted }) => wanted === 'distributed',
  )
  return first?.name ?? 'none'
}

/** Nodes that are added later get them, too. Those of extensions come with their extension. */
async function distributeFunctions(transaction: Queryable): Promise<void> {
  const functions = await transaction.query<{ signature: string }>(sql`
    select oid::regprocedure::text as signature from pg_proc
    where pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
      and not exists (select from pg_catalog.pg_dist_object where classid = 'pg_proc'::regclass and objid = pg_proc.oid)`)
  for (const { signature } of functions)
    await transaction.query(sql`select create_distributed_function(${signature}::text::regprocedure)`)
}
