// A table of the database as operations see it: which fields callers may write, which the server keeps, and the
// statements every resource shares. Each binds the organisation. All other SQL stands in the resource it belongs to.
import { type Static, type TObject, type TProperties, Type as t } from 'typebox'
import { join, raw, type Sql, sql } from '../db/database.ts'
import { badRequest, capitalise, notFound, toCamelCase } from './errors.ts'
import { dateTime, id } from './fields.ts'
import { newId } from './ids.ts'
import {
  type Context,
  type deletionMessage,
  Json,
  type Statement,
  type StatementContext,
  statement,
} from './operation.ts'
import { createFields, pagination, type Row, recordSchema, updateFields } from './record-schemas.ts'
import { embeddedRowJson, rowCodec, type Transforms, toSnakeCase } from './row-codec.ts'

interface TableDefinition<Writable extends TProperties, ReadOnlyFields extends TProperties> {
  readonly name: string
  /** What a list is keyed by, where that is not the table's name. */
  readonly listKey?: string
  /** What people call one record: it stands in error texts and names the operations. */
  readonly noun: string
  /** What operations and schemas are named by, where that is not the noun: `TicketStatus` for a job status. */
  readonly typeName?: string
  /** What its ids begin with. */
  readonly prefix: string
  /** The record this one lies under: its table, and the column that names it. */
  readonly parent?: { readonly table: string; readonly column: string; readonly noun: string }
  /** The fields that enter bodies. */
  readonly writable: Writable
  /** The fields only the server writes, and those that can be answered with more than may be written. */
  readonly readOnly?: ReadOnlyFields
  /** The SQL a field is read by, where that is not its column. */
  readonly read?: Readonly<Record<string, string>>
  /** What a field's JSON becomes on its way out, where that takes more than the database knows. */
  readonly transform?: Transforms<StatementContext>
  /** The column a field is written to, where that is not its own. */
  readonly write?: Readonly<Record<string, string>>
  readonly order: {
    readonly column: string
    readonly type: 'text' | 'integer' | 'timestamptz'
    readonly direction: 'asc' | 'desc'
    /** The column that decides between equals in a list that is shown whole; the id does after it. */
    readonly thenBy?: string
  }
  /** How many there can be, where a list shows all of them: `mostUnpaged`. */
  readonly maxRecords?: number
}

export const paging = {
  limit: t.Optional(
    t.Integer({ minimum: 1, default: 50, description: 'How many records at most; more than 100 are read as 100.' }),
  ),
  startAfter: t.Optional(id({ description: 'The id after which to go on: `nextCursor` of the page before.' })),
}
interface Page {
  readonly limit?: number | undefined
  readonly startAfter?: string | undefined
}
const maxPerPage = 100
const fetchSizes = [11, 26, 51, 101]
/** How many records a kind without pages can have. */
export const maxUnpaged = 500
/** The last place in a list that people arrange. */
export const maxIndex = 2_147_483_647

type ColumnValues = Readonly<Record<string, unknown>>

const records = new Map<string, TObject>()
/** The record of each table that a resource describes, by the table's name: what its rows may hold. */
export const describedRecords: ReadonlyMap<string, TObject> = records

export function table<Writable extends TProperties, ReadOnlyFields extends TProperties = Record<never, never>>(
  definition: TableDefinition<Writable, ReadOnlyFields>,
) {
  const { name, noun, parent, order, maxRecords } = definition
  const tableSql = raw(name)
  const fields: TProperties = {
    id: id(),
    ...(parent && { [toCamelCase(parent.column)]: id() }),
    ...definition.writable,
    ...definition.readOnly,
    createdAt: dateTime(),
    updatedAt: dateTime(),
  }
  const title = definition.typeName ?? noun.split(' ').map(capitalise).join('')
  const record = recordSchema(fields, title)
  if (!records.has(name)) records.set(name, record)
  const { encoded, encodedRows, split, idOf, toJson, toRow } = rowCodec<StatementContext>(
    fields,
    name,
    definition.read,
    definition.transform,
  )
  const writable = Object.keys(definition.writable)
  const columnOf = (field: string) => definition.write?.[field] ?? toSnakeCase(field)
  const writableColumns = writable.map(columnOf)
  const listKey = definition.listKey ?? toCamelCase(name)
  const plural = name.replaceAll('_', ' ')

  const decodeOne =
    (ctx: StatementContext) =>
    (rows: { encoded: string }[]): Json => {
      if (!rows[0]) throw notFound(noun)
      return new Json(toJson(rows[0].encoded, ctx))
    }
  const decodeRow =
    (ctx: StatementContext) =>
    (rows: { encoded: string }[]): Row<Writable, ReadOnlyFields> => {
      if (!rows[0]) throw notFound(noun)
      return toRow(rows[0].encoded, ctx) as Row<Writable, ReadOnlyFields>
    }
  const tenantCondition = (ctx: Pick<Context, 'orgId'>, parentId?: string) =>
    parent
      ? sql`${tableSql}.org_id = ${ctx.orgId} and ${tableSql}.${raw(parent.column)} = ${parentId}`
      : sql`${tableSql}.org_id = ${ctx.orgId}`
  const parentExists = (ctx: Context, parentId?: string) =>
    parent
      ? sql`exists (select from ${raw(parent.table)} where org_id = ${ctx.orgId} and id = ${parentId})`
      : raw('true')
  const sortColumn = raw(`${name}.${order.column}`)
  const orderBy = order.thenBy
    ? sql`${sortColumn}, ${raw(`${name}.${order.thenBy}`)}, ${tableSql}.id`
    : sql`${sortColumn}, ${tableSql}.id`
  const hasCapacity = (ctx: Context, parentId?: string) =>
    sql`(select count(*) from ${tableSql} where ${tenantCondition(ctx, parentId)}) < ${maxRecords}::int`
  /** Where people arrange the list, a record that is given no place goes to the end. */
  const defaultFor = (ctx: Context, column: string, parentId?: string) =>
    column === order.column && order.type === 'integer'
      ? sql`(select least(coalesce(max(${sortColumn}), -1)::bigint + 1, ${maxIndex}::int) from ${tableSql}
             where ${tenantCondition(ctx, parentId)})`
      : null

  /** The most frequent text of all is made once. */
  const findText =
    sql`select ${encoded} from ${tableSql} where ${tenantCondition({ orgId: '' }, '')} and ${tableSql}.id = ${''}`.text
  const toList = (ctx: Context, records: readonly string[], limit: number, next: string | null) =>
    new Json(
      `{"${listKey}":[${records.map((record) => toJson(record, ctx)).join()}],"pagination":{"limit":${limit},"hasMore":${next !== null},"nextCursor":${next && `"${next}"`}}}`,
    )

  return {
    name,
    noun,
    typeName: title,
    parent,
    record,
    createBody: t.Object(createFields(definition.writable), { title: `${title}Create` }),
    updateBody: t.Object(updateFields(definition.writable), { title: `${title}Update` }),
    list: t.Object({ [listKey]: t.Array(record), pagination }, { title: `${title}List` }),
    /** For statements of a resource's own: a record as it leaves the database, how it is answered, and how it is embedded. */
    encoded,
    decodeOne: decodeOne,
    embeddedJson: embeddedRowJson(fields, name, definition.read),
    decodeRow,

    /** Of a statement that answers one record: the answer, and the row for code that goes on with what it read or wrote. */
    withRow: (
      ctx: StatementContext,
      { decode, ...rest }: Statement<Json>,
    ): Statement<{ json: Json; row: Row<Writable, ReadOnlyFields> }> => ({
      ...rest,
      decode: (rows: never[]) => ({ json: decode(rows), row: decodeRow(ctx)(rows) }),
    }),

    find: (ctx: Context, recordId: string, parentId?: string): Statement<Json> =>
      statement(
        { text: findText, values: parent ? [ctx.orgId, parentId, recordId] : [ctx.orgId, recordId] },
        decodeOne(ctx),
      ),

    /** Holds the record until the transaction ends, so that what is judged of it stays true. */
    lock: (ctx: Context, recordId: string, parentId?: string): Statement<void> =>
      statement(
        sql`select 1 from ${tableSql} where ${tenantCondition(ctx, parentId)} and ${tableSql}.id = ${recordId} for update`,
        (rows) => {
          if (rows.length === 0) throw notFound(noun)
        },
      ),

    /** `kept` are columns that the server fills, each with a value or with SQL. */
    insert: (ctx: Context, values: object, parentId?: string, columns: ColumnValues = {}): Statement<Json> => {
      const given = values as Record<string, unknown>
      const keys = { org_id: ctx.orgId, id: newId(definition.prefix), ...(parent && { [parent.column]: parentId }) }
      const fieldColumns = writable.map((field, index) => {
        const column = writableColumns[index]!
        return [column, given[field] ?? defaultFor(ctx, column, parentId)]
      })
      const row = { ...keys, ...Object.fromEntries(fieldColumns), ...columns }
      return statement(
        sql`insert into ${tableSql} (${raw(Object.keys(row).join(', '))}) select ${join(Object.values(row))}
            ${maxRecords === undefined ? raw('') : sql`where ${hasCapacity(ctx, parentId)}`} returning ${encoded}`,
        (rows: { encoded: string }[]) => {
          if (maxRecords !== undefined && rows.length === 0)
            throw badRequest(`There can be at most ${maxRecords} ${plural}`)
          return decodeOne(ctx)(rows)
        },
      )
    },

    /** Writes the fields given and leaves the others; the text stays the same whichever fields those are. */
    update: (
      ctx: Context,
      recordId: string,
      values: object,
      parentId?: string,
      columns: ColumnValues = {},
    ): Statement<Json> => {
      const given = Object.entries(values).map(([field, value]) => [columnOf(field), value])
      if (given.length === 0) throw badRequest('At least one updatable field is required')
      const extraAssignments = Object.entries(columns).map(([column, value]) => sql`, ${raw(column)} = ${value}`)
      return statement(
        sql`update ${tableSql} set (updated_at, ${raw(writableColumns.join(', '))}) =
              (select now(), ${raw(writableColumns.map((column) => `changed.${column}`).join(', '))}
               from jsonb_populate_record(${tableSql}, ${JSON.stringify(Object.fromEntries(given))}::jsonb) changed)
              ${extraAssignments.length > 0 ? join(extraAssignments, '') : raw('')}
            where ${tenantCondition(ctx, parentId)} and ${tableSql}.id = ${recordId} returning ${encoded}`,
        decodeOne(ctx),
      )
    },

    /** Writes columns that the server fills, and nothing else. */
    updateColumns: (ctx: Context, recordId: string, columns: ColumnValues, parentId?: string): Statement<Json> =>
      statement(
        sql`update ${tableSql} set updated_at = now(), ${join(Object.entries(columns).map(([column, value]) => sql`${raw(column)} = ${value}`))}
            where ${tenantCondition(ctx, parentId)} and ${tableSql}.id = ${recordId} returning ${encoded}`,
        decodeOne(ctx),
      ),

    remove: (ctx: Context, recordId: string, parentId?: string): Statement<Static<typeof deletionMessage>> =>
      statement(
        sql`delete from ${tableSql} where ${tenantCondition(ctx, parentId)} and ${tableSql}.id = ${recordId} returning id`,
        (rows) => {
          if (rows.length === 0) throw notFound(noun)
          return { message: `${capitalise(noun)} deleted`, id: recordId }
        },
      ),

    /** The whole list, of a kind there are never many of. */
    all: (ctx: Context, where?: Sql, parentId?: string): Statement<Json> =>
      statement(
        sql`select ${parentExists(ctx, parentId)} as placed, ${encodedRows} as encoded
            from (select ${encoded} from ${tableSql} where ${tenantCondition(ctx, parentId)}
              ${where ? sql`and (${where})` : raw('')} order by ${orderBy}) records`,
        ([list]: PageRow[]) => {
          if (!list!.placed) throw notFound(parent!.noun)
          return toList(ctx, split(list!.encoded), maxUnpaged, null)
        },
      ),

    /** One page in the table's order. A cursor may name a record deleted since: its tombstone keeps the place. */
    page: (ctx: Context, { limit = 50, startAfter }: Page, where?: Sql, parentId?: string): Statement<Json> => {
      const size = Math.min(limit, maxPerPage)
      const [direction, comparison] = order.direction === 'asc' ? [raw('asc'), raw('>')] : [raw('desc'), raw('<')]
      const cursor = sql`
        select ${sortColumn} as key, id from ${tableSql} where ${tenantCondition(ctx, parentId)} and id = ${startAfter}
        union all select sort_key::${raw(order.type)}, id from tombstones
        where org_id = ${ctx.orgId} and collection = ${name} and id = ${startAfter}
          ${parent ? sql`and parent_id = ${parentId}` : raw('')} limit 1`
      // One record more than asked for tells whether there are more. How many is written into the text, because a plan
      // made for any number would be another one; there are few such texts, and what is too much is left out here.
      const fetchLimit = fetchSizes.find((most) => most > size)!
      return statement(
        sql`${startAfter ? sql`with cursor as materialized (${cursor})` : raw('')}
          select ${startAfter ? raw('exists (select from cursor)') : raw('true')} as known,
            ${parentExists(ctx, parentId)} as placed, ${encodedRows} as encoded
          from (
            select ${encoded} from ${tableSql} where ${tenantCondition(ctx, parentId)} ${where ? sql`and (${where})` : raw('')}
              ${startAfter ? sql`and (${sortColumn}, ${tableSql}.id) ${comparison} (select key, id from cursor)` : raw('')}
            order by ${sortColumn} ${direction}, ${tableSql}.id ${direction} limit ${raw(String(fetchLimit))}
          ) records`,
        ([page]: PageRow[]) => {
          if (!page!.placed) throw notFound(parent!.noun)
          if (!page!.known) throw badRequest('startAfter is not a known cursor')
          const found = split(page!.encoded)
          const records = found.slice(0, size)
          const hasMore = found.length > size
          return toList(ctx, records, size, hasMore ? idOf(records.at(-1)!) : null)
        },
      )
    },
  }
}
export type Table = ReturnType<typeof table>

interface PageRow {
  readonly known: boolean
  readonly placed: boolean
  readonly encoded: string | null
}
