// What a shop takes along: every table of an organisation, read off the database, in an order in which rows can be written.
import { camel } from '../api/errors.ts'
import { momentJson } from '../api/packing.ts'
import { type Executor, sql } from '../database.ts'

export interface Column {
  readonly name: string
  /** What it is called in the file. */
  readonly field: string
  readonly type: string
  /** Is part of what tells a record from others. */
  readonly isKey: boolean
  /** Encrypted with the key of a server: it travels open and is sealed again on arrival. */
  readonly isSealed: boolean
  /** Stands in another table. */
  readonly isElsewhere: boolean
}

export interface Kind {
  readonly name: string
  readonly table: string
  readonly columns: readonly Column[]
  /** The fields of `row`, as a list of SQL. */
  readonly read: string
  readonly order: string
  /** Which rows go along. */
  readonly where: string
}

/** docs/decisions/export.md gives the reasons. */
export const staysBehind: ReadonlySet<string> = new Set([
  'api_keys',
  'api_key_secrets',
  'oauth_clients',
  'grants',
  'oauth_tokens',
  'calendar_feeds',
  'idempotency_keys',
])
const columnsThatStay: Readonly<Record<string, readonly string[]>> = {
  organisations: ['entitlement', 'trial_ends_at'], // the operator's word
  members: ['person_id'], // a person is known by their email
}
const rowsThatGo: Readonly<Record<string, string>> = {
  outbox: `row.status <> 'queued'`, // or both servers would send it
}
const readFromElsewhere: Readonly<Record<string, { column: Column; read: string }>> = {
  members: {
    column: { name: 'email', field: 'email', type: 'text', isKey: false, isSealed: false, isElsewhere: true },
    read: '(select people.email from people where people.id = row.person_id)',
  },
}

interface Found {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly isIdentity: boolean
  readonly isGenerated: boolean
  readonly keyPlace: number | null
}

export async function kindsOf(database: Executor): Promise<Kind[]> {
  const found = await database.query<Found>(sql`
    select class.relname as table, attname as name, format_type(atttypid, atttypmod) as type,
      attidentity <> '' as "isIdentity", attgenerated <> '' as "isGenerated",
      array_position(index.indkey::int2[], attnum) as "keyPlace"
    from pg_class class join pg_attribute on attrelid = class.oid and attnum > 0 and not attisdropped
    left join pg_index index on index.indrelid = class.oid and index.indisprimary
    where class.relkind in ('r', 'p') and class.relnamespace = current_schema()::regnamespace
    order by class.relname, attnum`)
  const tables = Map.groupBy(found, ({ table }) => table)
  const going = [...tables].filter(
    ([table, columns]) => columns.some(({ name }) => name === 'org_id') && !staysBehind.has(table),
  )
  const kinds = new Map(going.map(([table, columns]) => [table, kindOf(table, columns)]))
  return inOrder(kinds, await database.query<Reference>(references))
}

function kindOf(table: string, found: readonly Found[]): Kind {
  const isThere = (column: string) => found.some(({ name }) => name === column)
  const stays = new Set(['org_id', ...(columnsThatStay[table] ?? [])])
  if (isThere('sealed_token')) stays.add('token_hash') // follows from the token
  const own = found
    .filter(({ name, isIdentity, isGenerated }) => !isIdentity && !isGenerated && !stays.has(name))
    .map(({ name, type, keyPlace }) => ({
      name,
      field: camel(name.replace(/^sealed_/, '')),
      type,
      isKey: keyPlace !== null,
      isSealed: name.startsWith('sealed_'),
      isElsewhere: false,
    }))
  const elsewhere = readFromElsewhere[table]
  const keys = found.filter(({ keyPlace }) => keyPlace !== null).sort((a, b) => a.keyPlace! - b.keyPlace!)
  // A number that the server gives rows as they come is given anew: they go in its order.
  const order = found.find(({ isIdentity }) => isIdentity) ? found.filter(({ isIdentity }) => isIdentity) : keys
  return {
    name: camel(table),
    table,
    columns: elsewhere ? [...own, elsewhere.column] : own,
    read: [
      ...own.map(({ name, field, type }) => `${readBy(`row."${name}"`, type)} as "${field}"`),
      ...(elsewhere ? [`${elsewhere.read} as "${elsewhere.column.field}"`] : []),
    ].join(', '),
    order: order.map(({ name }) => `row."${name}"`).join(', '),
    where: rowsThatGo[table] ?? 'true',
  }
}

/** As the API writes it. What has more to say than that is left to PostgreSQL. */
function readBy(column: string, type: string): string {
  if (type === 'timestamp(3) with time zone') return momentJson(column)
  return type.startsWith('numeric') ? `trim_scale(${column})` : column
}

interface Reference {
  readonly from: string
  readonly to: string
}
const references = sql`
  select distinct source.relname as from, target.relname as to from pg_constraint
  join pg_class source on source.oid = conrelid join pg_class target on target.oid = confrelid
  where contype = 'f' and conrelid <> confrelid order by 1, 2`

/** What a record refers to comes before it. */
function inOrder(kinds: ReadonlyMap<string, Kind>, references: readonly Reference[]): Kind[] {
  const ordered = new Set<Kind>()
  const place = (table: string, trail: readonly string[]): void => {
    const kind = kinds.get(table)
    if (!kind || ordered.has(kind)) return
    if (trail.includes(table)) throw new Error(`Tables refer to each other in a circle: ${trail.join(', ')}`)
    for (const { from, to } of references) if (from === table) place(to, [...trail, table])
    ordered.add(kind)
  }
  place('organisations', [])
  for (const table of kinds.keys()) place(table, [])
  return [...ordered]
}
