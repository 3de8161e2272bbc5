// What the triggers captured of one organisation, read at one moment together with what it takes to tell it: the records as
// they are, and the fields they had before.
import { type Queryable, raw, Sql, sql } from '../db/database.ts'
import { isOnEveryMachine } from '../db/layout.ts'
import type { EventCatalogue, ToldRecord } from '../operations/event-catalogue.ts'
import type { ChangeKind } from '../operations/event-source.ts'
import type { StatementContext } from '../operations/operation.ts'

type Fields = Readonly<Record<string, unknown>>

export interface CapturedRow {
  readonly seq: number
  /** In milliseconds since 1970, which is read faster than a date. */
  readonly at: number
  readonly source: string
  readonly operation: ChangeKind | 'signal'
  readonly recordId: string
  readonly parentId: string | null
  readonly actor: string | null
  /** The columns that an update changed; null for other operations. */
  readonly columns: readonly string[] | null
  /** What a signal tells. */
  readonly signal: { readonly name: string; readonly data: Fields } | null
}

export interface Captured {
  readonly rows: readonly CapturedRow[]
  /** Changes of the same records that a later batch will tell. */
  readonly later: readonly CapturedRow[]
  /** By source and record: the record as it is, encoded, and its stored fields where signals need them. */
  readonly records: ReadonlyMap<string, string>
  readonly states: ReadonlyMap<string, Fields>
  /** By sequence number: the stored fields before an update or a deletion, the whole record before a deletion. */
  readonly before: ReadonlyMap<number, Fields>
  readonly deleted: ReadonlyMap<number, string>
  /** The part in a table of its own, before it changed; null if there was none. */
  readonly parts: ReadonlyMap<number, Fields | null>
}

export const recordKey = (source: string, recordId: string) => `${source} ${recordId}`

const capturedColumns = sql`seq, (extract(epoch from at) * 1000)::float8 as at, source, operation, record_id as "recordId", parent_id as "parentId", actor,
  case when operation = 'updated' then array(select jsonb_object_keys(columns)) end as columns,
  case when operation = 'signal' then columns end as signal`

/** The oldest that were captured. Everything is read in one snapshot, which the transaction must have. */
export async function readCaptured(
  transaction: Queryable,
  ctx: StatementContext,
  { records, extensions }: EventCatalogue,
  { limit, isBehind }: { readonly limit: number; readonly isBehind: boolean },
): Promise<Captured> {
  const { orgId } = ctx
  // The statistics of a table that is nearly always empty say nothing: in its index the oldest are found without sorting
  // all there are.
  if (isBehind) await transaction.query(sql`set local enable_sort = off`)
  const rows = await transaction.query<CapturedRow>(sql`
    select ${capturedColumns} from event_inbox where org_id = ${orgId} order by org_id, seq limit ${limit}::int`)
  if (isBehind) await transaction.query(sql`set local enable_sort = on`)
  const captured = {
    rows,
    later: rows.length < limit ? [] : await readLater(transaction, orgId, rows, records),
    records: new Map<string, string>(),
    states: new Map<string, Fields>(),
    before: new Map<number, Fields>(),
    deleted: new Map<number, string>(),
    parts: new Map<number, Fields | null>(),
  }
  const known = [...rows, ...captured.later].filter(({ operation }) => operation !== 'signal')
  const readOne = async (told: ToldRecord) => {
    const { table, codec, storedCodec, signals } = told.source
    const own = known.filter(({ source }) => source === table)
    const parts = known.filter(({ source }) => extensions.get(source)?.told === told)
    const ids = [...new Set([...own, ...parts].map(({ recordId }) => recordId))]
    const seqsOf = (...operations: CapturedRow['operation'][]) =>
      own.filter(({ operation }) => operations.includes(operation)).map(({ seq }) => seq)
    const hasSignals = Object.keys(signals).length > 0
    await Promise.all([
      select(selectRecords(orgId, told, own, ids, codec.encoded), ({ recordId, encoded }) =>
        captured.records.set(recordKey(table, recordId!), encoded),
      ),
      hasSignals &&
        select(selectRecords(orgId, told, own, ids, storedCodec.encoded), ({ recordId, encoded }) =>
          captured.states.set(recordKey(table, recordId!), storedCodec.toRow(encoded, ctx)),
        ),
      select(
        selectPast(orgId, table, seqsOf('updated', ...(hasSignals ? (['deleted'] as const) : [])), storedCodec.encoded),
        ({ seq, encoded }) => captured.before.set(seq!, storedCodec.toRow(encoded, ctx)),
      ),
      select(selectPast(orgId, table, seqsOf('deleted'), codec.encoded), ({ seq, encoded }) =>
        captured.deleted.set(seq!, encoded),
      ),
      ...told.source.extensions.map((extension) =>
        select(
          selectPast(
            orgId,
            extension.table,
            parts.filter(({ columns }) => columns!.length > 0).map(({ seq }) => seq),
            extension.codec.encoded,
          ),
          ({ seq, encoded }) => captured.parts.set(seq!, extension.codec.toRow(encoded)),
        ),
      ),
    ])
  }
  const select = async (query: Sql | undefined, onRow: (row: EncodedRow) => void) => {
    if (query) for (const row of await transaction.query<EncodedRow>(query)) onRow(row)
  }
  const sources = new Set(known.map(({ source }) => records.get(source) ?? extensions.get(source)?.told))
  await Promise.all([...sources].map((told) => told && readOne(told)))
  return captured
}

interface EncodedRow {
  readonly recordId?: string
  readonly seq?: number
  readonly encoded: string
}

/** Where more is captured than a batch holds: what will be told later of the records of this one. */
function readLater(
  transaction: Queryable,
  orgId: string,
  rows: readonly CapturedRow[],
  records: EventCatalogue['records'],
): Promise<CapturedRow[]> {
  const withSignals = rows.filter(({ source }) => Object.keys(records.get(source)?.source.signals ?? {}).length > 0)
  return transaction.query<CapturedRow>(sql`
    select ${capturedColumns} from event_inbox
    where org_id = ${orgId} and seq > ${rows.at(-1)!.seq}::bigint and operation in ('updated', 'deleted')
      and (source, record_id) in (select * from unnest(
        ${withSignals.map(({ source }) => source)}::text[], ${withSignals.map(({ recordId }) => recordId)}::text[]))
    order by seq`)
}

/** Records as they are now. */
function selectRecords(
  orgId: string,
  { source: { table, recordId, parentColumn } }: ToldRecord,
  rows: readonly CapturedRow[],
  ids: readonly string[],
  encoded: Sql,
): Sql | undefined {
  if (ids.length === 0) return undefined
  const parents = parentColumn && [...new Set(rows.map(({ parentId }) => parentId))]
  return sql`select ${raw(recordId)} as "recordId", ${encoded} from ${raw(table)}
    where ${raw(table)}.org_id = ${orgId} and ${raw(recordId)} = any(${ids}::text[])
      ${parents ? sql`and ${raw(`${table}.${parentColumn}`)} = any(${parents}::text[])` : raw('')}`
}

/**
 * The columns that were captured, as a row of their table: what it does not say is null. Records that are on every machine may be
 * told with what is on the coordinator alone, such as a person's address, which Citus joins with what it has fetched.
 */
function selectPast(orgId: string, table: string, seqs: readonly number[], encoded: Sql): Sql | undefined {
  if (seqs.length === 0) return undefined
  const materialized = raw(isOnEveryMachine(table) ? 'materialized' : 'not materialized')
  return sql`with captured as ${materialized} (
      select seq as captured_seq, columns || jsonb_build_object('org_id', org_id, 'id', record_id) as captured_columns
      from event_inbox where org_id = ${orgId} and seq = any(${seqs}::bigint[])
    )
    select captured_seq as seq, ${inOrganisation(orgId, table, encoded)}
    from captured, lateral jsonb_populate_record(null::${raw(table)}, captured_columns) ${raw(table)}`
}

/** What a row of captured columns reads of other tables is found on one machine only where the organisation is a value. */
function inOrganisation(orgId: string, table: string, encoded: Sql): Sql {
  const parts = encoded.text.split(`${table}.org_id`)
  return new Sql(parts, Array<string>(parts.length - 1).fill(orgId))
}
