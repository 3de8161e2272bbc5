// Where each table belongs when they are distributed over several machines, read off the catalogue, and where it is.
import { type Queryable, sql } from './database.ts'

/** `distributed` by organisation, a `reference` table with all rows on every node, or `local` to the coordinator. */
export type Placement = 'distributed' | 'reference' | 'local'

export interface TableKeys {
  readonly name: string
  /** Whether all its unique keys hold the organisation, without which rows of several nodes cannot be told apart. */
  readonly isKeyedByOrganisation: boolean
  /** The tables that its foreign keys lead to. */
  readonly refersTo: readonly string[]
}

/** What records of every organisation refer to, and what is looked up before the organisation is known. */
const referenceTables: readonly string[] = ['organisations', 'members']
export const isOnEveryMachine = (table: string): boolean => referenceTables.includes(table)

/**
 * A table whose keys all hold the organisation is distributed. One that is found by something else, such as the hash of a
 * secret, stays on the coordinator, with whatever it refers to.
 */
export function placementsOf(tables: readonly TableKeys[]): ReadonlyMap<string, Placement> {
  const local = new Set(tables.filter(({ isKeyedByOrganisation }) => !isKeyedByOrganisation).map(({ name }) => name))
  for (const name of local) {
    const { refersTo } = tables.find((table) => table.name === name)!
    for (const target of refersTo) if (!isOnEveryMachine(target)) local.add(target)
  }
  const placementOf = (name: string): Placement => {
    if (isOnEveryMachine(name)) return 'reference'
    return local.has(name) ? 'local' : 'distributed'
  }
  return new Map(tables.map(({ name }) => [name, placementOf(name)]))
}

export const selectTableKeys = (db: Queryable): Promise<TableKeys[]> =>
  db.query<TableKeys>(sql`
    select relname as name,
      (select coalesce(bool_and(org.attnum is not null and org.attnum = any(indkey::int2[])), false)
        from pg_index where indrelid = pg_class.oid and (indisunique or indisexclusion)) as "isKeyedByOrganisation",
      array(select target.relname::text from pg_constraint join pg_class target on target.oid = confrelid
        where conrelid = pg_class.oid and contype = 'f') as "refersTo"
    from pg_class left join pg_attribute org on org.attrelid = pg_class.oid and org.attname = 'org_id'
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`)

export interface TableLayout {
  readonly name: string
  readonly wanted: Placement
  readonly actual: Placement
}

/** Only where the extension is. */
export async function selectLayout(db: Queryable): Promise<TableLayout[]> {
  const wanted = placementsOf(await selectTableKeys(db))
  const found = await db.query<{ name: string; placement: Placement }>(sql`
    select relname as name, case when partmethod = 'h' then 'distributed' else 'reference' end as placement
    from pg_dist_partition join pg_class on pg_class.oid = logicalrelid where partmethod = 'h' or repmodel = 't'`)
  const actual = new Map(found.map(({ name, placement }) => [name, placement]))
  return [...wanted].map(([name, placement]) => ({ name, wanted: placement, actual: actual.get(name) ?? 'local' }))
}

export interface ClusterNode {
  readonly name: string
  readonly isCoordinator: boolean
  readonly isActive: boolean
  /** How many shards of the distributed tables it has, and what they take. */
  readonly shards: number
  readonly bytes: number
}

export const selectNodes = (db: Queryable): Promise<ClusterNode[]> =>
  db.query<ClusterNode>(sql`
    select nodename || ':' || nodeport as name, groupid = 0 as "isCoordinator", isactive as "isActive",
      count(shardid)::int as shards, coalesce(sum(shard_size), 0)::float8 as bytes
    from pg_dist_node left join (
      select shardid, shard_size, citus_shards.nodename as host, citus_shards.nodeport as port from citus_shards
      where citus_table_type = 'distributed') shard on host = nodename and port = nodeport
    where noderole = 'primary' group by 1, 2, 3 order by 2 desc, 1`)
