// What a shop takes along: every table of an organisation, read off the database, in an order in which rows can be written.
import { type Queryable, sql } from '../db/database.ts'
import { timestampJson } from '../operations/row-codec.ts'
import { toCamelCase } from '../operations/string-case.ts'

export interface Column {
  readonly name: string
  /** What it is called in the file. */
  readonly field: string
  readonly type: string
  /** Is part of what tells a record from others. */
  readonly isKey: boolean
  /** Encrypted with the key of a server: it travels as plaintext and is encrypted again on import. */
  readonly isEncrypted: boolean
  /** Stands in another table. */
  readonly isForeign: boolean
}

export interface RecordKind {
  readonly name: string
  readonly table: string
  readonly columns: readonly Column[]
  /** The fields of `row`, as a list of SQL. */
  readonly selectList: string
  readonly order: string
  /** Which rows go along. */
  readonly where: string
}

/** docs/decisions/export.md gives the reasons. */
export const excludedTables: ReadonlySet<string> = new Set([
  'api_keys',
  'api_key_secrets',
  'oauth_clients',
  'grants',
  'oauth_tokens',
  'calendar_feeds',
  'invitations',
  'idempotency_keys',
  'organisation_locks',
  'event_inbox',
  'shared_event_inbox',
  'events',
  'event_counters',
  'webhooks',
  'webhook_deliveries',
  'webhook_queues',
  'deleted_webhooks',
  'imports',
  'import_rows',
  'import_records',
  'import_keys',
  'import_problems',
])
const excludedColumns: Readonly<Record<string, readonly string[]>> = {
  organisations: ['entitlement', 'trial_ends_at'], // the operator's word
  members: ['person_id'], // a person is known by their email
}
/** It follows from the other columns. */
const writtenByTriggers = 'search_text'
const rowFilters: Readonly<Record<string, string>> = {
  outbox: `row.status <> 'queued' and not row.is_private`, // or both servers would send it; and a link to join is for one
}
const foreignColumns: Readonly<Record<string, { column: Column; expression: string }>> = {
  members: {
    column: { name: 'email', field: 'email', type: 'text', isKey: false, isEncrypted: false, isForeign: true },
    expression: '(select people.email from people where people.id = row.person_id)',
  },
}

interface CatalogColumn {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly isIdentity: boolean
  readonly isGenerated: boolean
  readonly keyPlace: number | null
}

export async function loadRecordKinds(database: Queryable): Promise<RecordKind[]> {
  const found = await database.query<CatalogColumn>(sql`
    select class.relname as table, attname as name, format_type(atttypid, atttypmod) as type,
      attidentity <> '' as "isIdentity", attgenerated <> '' as "isGenerated",
      array_position(index.indkey::int2[], attnum) as "keyPlace"
    from pg_class class join pg_attribute on attrelid = class.oid and attnum > 0 and not attisdropped
    left join pg_index index on index.indrelid = class.oid and index.indisprimary
    where class.relkind in ('r', 'p') and class.relnamespace = current_schema()::regnamespace
    order by class.relname, attnum`)
  const tables = Map.groupBy(found, ({ table }) => table)
  const exportedTables = [...tables].filter(
    ([table, columns]) => columns.some(({ name }) => name === 'org_id') && !excludedTables.has(table),
  )
  const kinds = new Map(exportedTables.map(([table, columns]) => [table, buildRecordKind(table, columns)]))
  return sortByReferences(kinds, await database.query<Reference>(references))
}

function buildRecordKind(table: string, found: readonly CatalogColumn[]): RecordKind {
  const hasColumn = (column: string) => found.some(({ name }) => name === column)
  const excluded = new Set(['org_id', writtenByTriggers, ...(excludedColumns[table] ?? [])])
  if (hasColumn('sealed_token')) excluded.add('token_hash') // follows from the token
  const ownColumns = found
    .filter(({ name, isIdentity, isGenerated }) => !isIdentity && !isGenerated && !excluded.has(name))
    .map(({ name, type, keyPlace }) => ({
      name,
      field: toCamelCase(name.replace(/^sealed_/, '')),
      type,
      isKey: keyPlace !== null,
      isEncrypted: name.startsWith('sealed_'),
      isForeign: false,
    }))
  const foreignColumn = foreignColumns[table]
  const keys = found.filter(({ keyPlace }) => keyPlace !== null).sort((a, b) => a.keyPlace! - b.keyPlace!)
  // A number that the server gives rows as they come is given anew: they go in its order.
  const order = found.find(({ isIdentity }) => isIdentity) ? found.filter(({ isIdentity }) => isIdentity) : keys
  return {
    name: toCamelCase(table),
    table,
    columns: foreignColumn ? [...ownColumns, foreignColumn.column] : ownColumns,
    selectList: [
      ...ownColumns.map(({ name, field, type }) => `${selectExpression(`row."${name}"`, type)} as "${field}"`),
      ...(foreignColumn ? [`${foreignColumn.expression} as "${foreignColumn.column.field}"`] : []),
    ].join(', '),
    order: order.map(({ name }) => `row."${name}"`).join(', '),
    where: rowFilters[table] ?? 'true',
  }
}

/** As the API writes it. What has more to say than that is left to PostgreSQL. */
function selectExpression(column: string, type: string): string {
  if (type === 'timestamp(3) with time zone') return timestampJson(column)
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
function sortByReferences(kinds: ReadonlyMap<string, RecordKind>, references: readonly Reference[]): RecordKind[] {
  const ordered = new Set<RecordKind>()
  const visitTable = (table: string, path: readonly string[]): void => {
    const kind = kinds.get(table)
    if (!kind || ordered.has(kind)) return
    if (path.includes(table)) throw new Error(`Tables refer to each other in a circle: ${path.join(', ')}`)
    for (const { from, to } of references) if (from === table) visitTable(to, [...path, table])
    ordered.add(kind)
  }
  visitTable('organisations', [])
  for (const table of kinds.keys()) visitTable(table, [])
  return [...ordered]
}
