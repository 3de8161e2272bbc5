// A table of the database as operations see it: which fields callers may write, which only the server writes, and the
// statements every resource shares. Each binds the organisation. All other SQL stands in the resource it belongs to.
import type { Static, TProperties } from 'typebox'
import { join, type Query, raw, returning, sql } from '../db/database.ts'
import { Json } from './answers.ts'
import { badRequest, notFound } from './errors.ts'
import { type EventDefinition, eventSource } from './event-source.ts'
import { dateTime, id } from './fields.ts'
import { newId } from './ids.ts'
import { type Context, type deletionMessage, type Statement, type StatementContext, statement } from './operation.ts'
import { createFields, pagination, type Row, recordSchema, updateSchema } from './record-schemas.ts'
import { embeddedRowJson, rowCodec, type Transforms, toSnakeCase } from './row-codec.ts'
import { t } from './schemas.ts'
import { capitalise, toCamelCase } from './string-case.ts'
import { type ListOrder, listStatements, type Parent } from './table-lists.ts'

interface TableDefinition<Writable extends TProperties, ReadOnlyFields extends TProperties, Hidden extends string> {
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
  readonly parent?: Parent
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
  readonly order: ListOrder
  /** What is particular to its events; `untold` for records whose changes nobody is told. */
  readonly event?: EventDefinition<NoInfer<keyof (Writable & ReadOnlyFields) & string>, Hidden> | 'untold'
  /** How many there can be, where a list shows all of them, and what several are called in the refusal of one more. */
  readonly maxRecords?: { readonly count: number; readonly plural: string }
}

export const paging = {
  limit: t.Optional(
    t.Integer({
      minimum: 1,
      default: 50,
      description: 'How many records at most; more than 100 are read as 100, and about 500 kB of them is a page.',
    }),
  ),
  startAfter: t.Optional(id({ description: 'The id after which to go on: `nextCursor` of the page before.' })),
}
/** The last place in a list that people arrange. */
export const maxIndex = 2_147_483_647

type ColumnValues = Readonly<Record<string, unknown>>

/** The record that another lies under, for tables that have one. */
interface ParentOption {
  readonly parentId?: string | undefined
}
interface WriteOptions extends ParentOption {
  /** Columns that the server fills, each with a value or with SQL. */
  readonly columns?: ColumnValues | undefined
}

export function table<
  Writable extends TProperties,
  ReadOnlyFields extends TProperties = Record<never, never>,
  Hidden extends string = never,
>(definition: TableDefinition<Writable, ReadOnlyFields, Hidden>) {
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
  const codec = rowCodec<StatementContext>(fields, name, definition.read, definition.transform)
  const { encoded, toJson, toRow } = codec
  const writable = Object.keys(definition.writable)
  const columnOf = (field: string) => definition.write?.[field] ?? toSnakeCase(field)
  const writableColumns = writable.map(columnOf)
  const listKey = definition.listKey ?? toCamelCase(name)

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
  const sortColumn = raw(`${name}.${order.column}`)
  const hasCapacity = (ctx: Context, parentId?: string) =>
    sql`(select count(*) from ${tableSql} where ${tenantCondition(ctx, parentId)}) < ${maxRecords?.count}::int`
  /** Where people arrange the list, a record that is given no place goes to the end. */
  const defaultFor = (ctx: Context, column: string, parentId?: string) =>
    column === order.column && order.type === 'integer'
      ? sql`(select least(coalesce(max(${sortColumn}), -1)::bigint + 1, ${maxIndex}::int) from ${tableSql}
             where ${tenantCondition(ctx, parentId)})`
      : null

  /** The most frequent statement of all: its text is made once. */
  const findText = [
    `select ${encoded.text} from ${name} where ${name}.org_id = $1`,
    ...(parent ? [`${name}.${parent.column} = $2`, `${name}.id = $3`] : [`${name}.id = $2`]),
  ].join(' and ')

  const findQuery = (ctx: Pick<Context, 'orgId'>, recordId: string, parentId?: string): Query => ({
    text: findText,
    values: parent ? [ctx.orgId, parentId, recordId] : [ctx.orgId, recordId],
  })

  const { event: eventDefinition, read, write, transform } = definition
  const event =
    eventDefinition === 'untold'
      ? undefined
      : eventSource<StatementContext>({
          table: name,
          noun: toSnakeCase(title).slice(1),
          record,
          fields,
          read,
          write,
          transform,
          event: eventDefinition as EventDefinition | undefined,
        })

  return {
    name,
    noun,
    event,
    typeName: title,
    prefix: definition.prefix,
    parent,
    order,
    record,
    createBody: t.Object(createFields(definition.writable), { title: `${title}Create` }),
    updateBody: updateSchema(definition.writable, `${title}Update`),
    list: t.Object({ [listKey]: t.Array(record), pagination }, { title: `${title}List` }),
    /** For statements of a resource's own: a record as the database encodes it, how it is decoded, and how it is embedded. */
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

    find: (ctx: Context, recordId: string, { parentId }: ParentOption = {}): Statement<Json> =>
      statement(findQuery(ctx, recordId, parentId), decodeOne(ctx)),

    /** Locks the record until the transaction ends, so that what is judged of it stays true. */
    lock: (ctx: Context, recordId: string, { parentId }: ParentOption = {}): Statement<void> =>
      statement(
        sql`select 1 from ${tableSql} where ${tenantCondition(ctx, parentId)} and ${tableSql}.id = ${recordId} for update`,
        (rows) => {
          if (rows.length === 0) throw notFound(noun)
        },
      ),

    insert: (ctx: Context, values: object, { parentId, columns }: WriteOptions = {}): Statement<Json> => {
      const given = values as Record<string, unknown>
      const keys = { org_id: ctx.orgId, id: newId(definition.prefix), ...(parent && { [parent.column]: parentId }) }
      const fieldColumns = writable.map((field, index) => {
        const column = writableColumns[index]!
        return [column, given[field] ?? defaultFor(ctx, column, parentId)]
      })
      const row: { readonly id: string } = { ...keys, ...Object.fromEntries(fieldColumns), ...columns }
      const target = sql`insert into ${tableSql} (${raw(Object.keys(row).join(', '))})`
      const columnValues = join(Object.values(row))
      return statement(
        returning(
          maxRecords === undefined
            ? sql`${target} values (${columnValues})`
            : sql`${target} select ${columnValues} where ${hasCapacity(ctx, parentId)}`,
          encoded,
          findQuery(ctx, row.id, parentId),
        ),
        (rows: { encoded: string }[]) => {
          if (maxRecords !== undefined && rows.length === 0)
            throw badRequest(`There can be at most ${maxRecords.count} ${maxRecords.plural}`)
          return decodeOne(ctx)(rows)
        },
      )
    },

    /** Writes the fields given and leaves the others; the text stays the same whichever fields those are. */
    update: (
      ctx: Context,
      recordId: string,
      values: object,
      { parentId, columns = {} }: WriteOptions = {},
    ): Statement<Json> => {
      const given = Object.entries(values).map(([field, value]) => [columnOf(field), value])
      if (given.length === 0) throw badRequest('At least one updatable field is required')
      const extraAssignments = Object.entries(columns).map(([column, value]) => sql`, ${raw(column)} = ${value}`)
      return statement(
        returning(
          sql`update ${tableSql} set (updated_at, ${raw(writableColumns.join(', '))}) =
                (select now(), ${raw(writableColumns.map((column) => `changed.${column}`).join(', '))}
                 from jsonb_populate_record(${tableSql}, ${JSON.stringify(Object.fromEntries(given))}::jsonb) changed)
                ${extraAssignments.length > 0 ? join(extraAssignments, '') : raw('')}
              where ${tenantCondition(ctx, parentId)} and ${tableSql}.id = ${recordId}`,
          encoded,
          findQuery(ctx, recordId, parentId),
        ),
        decodeOne(ctx),
      )
    },

    /** Writes columns that the server fills, and nothing else. */
    updateColumns: (
      ctx: Context,
      recordId: string,
      columns: ColumnValues,
      { parentId }: ParentOption = {},
    ): Statement<Json> =>
      statement(
        returning(
          sql`update ${tableSql} set updated_at = now(), ${join(Object.entries(columns).map(([column, value]) => sql`${raw(column)} = ${value}`))}
              where ${tenantCondition(ctx, parentId)} and ${tableSql}.id = ${recordId}`,
          encoded,
          findQuery(ctx, recordId, parentId),
        ),
        decodeOne(ctx),
      ),

    remove: (
      ctx: Context,
      recordId: string,
      { parentId }: ParentOption = {},
    ): Statement<Static<typeof deletionMessage>> =>
      statement(
        sql`delete from ${tableSql} where ${tenantCondition(ctx, parentId)} and ${tableSql}.id = ${recordId} returning id`,
        (rows) => {
          if (rows.length === 0) throw notFound(noun)
          return { message: `${capitalise(noun)} deleted`, id: recordId }
        },
      ),

    ...listStatements({ name, listKey, order, parent, codec, tenantCondition }),
  }
}
export type Table = ReturnType<typeof table>
