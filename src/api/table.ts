// A table of the database as operations see it: which fields callers may write, which the server keeps, and the
// statements every resource shares. Each binds the organisation. All other SQL stands in the resource it belongs to.
import { type Static, type TObject, type TProperties, type TSchema, Type as t } from 'typebox'
import { join, raw, type Sql, sql } from '../database.ts'
import { badRequest, camel, capitalised, notFound } from './errors.ts'
import { dateTime, id } from './fields.ts'
import { newId } from './ids.ts'
import { type Context, Json, type message, type Statement, statement } from './operation.ts'

interface Description<Writable extends TProperties, Kept extends TProperties> {
  readonly name: string
  /** What people call one record: it stands in error texts and names the operations. */
  readonly noun: string
  /** What its ids begin with. */
  readonly prefix: string
  /** The record this one lies under: its table, and the column that names it. */
  readonly parent?: { readonly table: string; readonly column: string; readonly noun: string }
  /** The fields that enter bodies. */
  readonly writable: Writable
  /** The fields only the server writes. */
  readonly kept?: Kept
  /** The column a field is written to, where that is not the one it is read from. */
  readonly writtenTo?: Readonly<Record<string, string>>
  readonly order: { readonly column: string; readonly type: 'text' | 'timestamptz'; readonly direction: 'asc' | 'desc' }
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
const mostPerPage = 100

export function table<Writable extends TProperties, Kept extends TProperties = TProperties>(
  about: Description<Writable, Kept>,
) {
  const { name, noun, parent, order } = about
  const here = raw(name)
  const fields: TProperties = {
    id: id(),
    ...(parent && { [camel(parent.column)]: id() }),
    ...about.writable,
    ...about.kept,
    createdAt: dateTime(),
    updatedAt: dateTime(),
  }
  const title = noun.split(' ').map(capitalised).join('')
  const record = answered(fields, title)
  const data = projection(fields, name)
  const writable = Object.keys(about.writable)
  const columnOf = (field: string) => about.writtenTo?.[field] ?? snake(field)
  const columns = writable.map(columnOf)
  const listKey = camel(name)

  const one = (rows: { data: string }[]): Json => {
    if (!rows[0]) throw notFound(noun)
    return new Json(rows[0].data)
  }
  const inPlace = (ctx: Context, parentId?: string) =>
    parent
      ? sql`${here}.org_id = ${ctx.orgId} and ${here}.${raw(parent.column)} = ${parentId}`
      : sql`${here}.org_id = ${ctx.orgId}`

  return {
    noun,
    parent,
    record,
    create: t.Object(created(about.writable), { title: `${title}Create` }),
    update: t.Object(changed(about.writable), { title: `${title}Update` }),
    list: t.Object({ [listKey]: t.Array(record), pagination }, { title: `${title}List` }),
    data,

    find: (ctx: Context, recordId: string, parentId?: string): Statement<Json> =>
      statement(
        sql`select ${data} as data from ${here} where ${inPlace(ctx, parentId)} and ${here}.id = ${recordId}`,
        one,
      ),

    /** Holds the record until the transaction ends, so that what is judged of it stays true. */
    lock: (ctx: Context, recordId: string, parentId?: string): Statement<void> =>
      statement(
        sql`select 1 from ${here} where ${inPlace(ctx, parentId)} and ${here}.id = ${recordId} for update`,
        (rows) => {
          if (rows.length === 0) throw notFound(noun)
        },
      ),

    insert: (ctx: Context, values: object, parentId?: string): Statement<Json> => {
      const given = values as Record<string, unknown>
      const place = parent ? raw(`, ${parent.column}`) : raw('')
      return statement(
        sql`insert into ${here} (org_id, id${place}, ${raw(columns.join(', '))})
            values (${ctx.orgId}, ${newId(about.prefix)}${parent ? sql`, ${parentId}` : raw('')}, ${join(writable.map((field) => given[field] ?? null))})
            returning ${data} as data`,
        one,
      )
    },

    /** Writes the fields given and leaves the others; the text stays the same whichever fields those are. */
    change: (ctx: Context, recordId: string, values: object, parentId?: string): Statement<Json> => {
      const given = Object.entries(values).map(([field, value]) => [columnOf(field), value])
      if (given.length === 0) throw badRequest('At least one updatable field is required')
      return statement(
        sql`update ${here} set (updated_at, ${raw(columns.join(', '))}) =
              (select now(), ${raw(columns.map((column) => `changed.${column}`).join(', '))}
               from jsonb_populate_record(${here}, ${JSON.stringify(Object.fromEntries(given))}::jsonb) changed)
            where ${inPlace(ctx, parentId)} and ${here}.id = ${recordId} returning ${data} as data`,
        one,
      )
    },

    remove: (ctx: Context, recordId: string, parentId?: string): Statement<Static<typeof message>> =>
      statement(
        sql`delete from ${here} where ${inPlace(ctx, parentId)} and ${here}.id = ${recordId} returning id`,
        (rows) => {
          if (rows.length === 0) throw notFound(noun)
          return { message: `${capitalised(noun)} deleted`, id: recordId }
        },
      ),

    /** One page in the table's order. A cursor may name a record deleted since: its tombstone keeps the place. */
    page: (ctx: Context, { limit = 50, startAfter }: Page, where?: Sql, parentId?: string): Statement<Json> => {
      const size = Math.min(limit, mostPerPage)
      const sort = raw(`${name}.${order.column}`)
      const [direction, beyond] = order.direction === 'asc' ? [raw('asc'), raw('>')] : [raw('desc'), raw('<')]
      const cursor = sql`
        select ${sort} as key, id from ${here} where ${inPlace(ctx, parentId)} and id = ${startAfter}
        union all select sort_key::${raw(order.type)}, id from tombstones
        where org_id = ${ctx.orgId} and collection = ${name} and id = ${startAfter}
          ${parent ? sql`and parent_id = ${parentId}` : raw('')} limit 1`
      return statement(
        sql`${startAfter ? sql`with cursor as materialized (${cursor})` : raw('')}
          select ${startAfter ? raw('exists (select from cursor)') : raw('true')} as known,
            ${parent ? sql`exists (select from ${raw(parent.table)} where org_id = ${ctx.orgId} and id = ${parentId})` : raw('true')} as placed,
            count(*) > ${size}::int as more, (array_agg(id))[${size}::int] as last,
            string_agg(data, ',') filter (where place <= ${size}::int) as data
          from (
            select ${data} as data, id, row_number() over () as place from (
              select * from ${here} where ${inPlace(ctx, parentId)} ${where ? sql`and (${where})` : raw('')}
                ${startAfter ? sql`and (${sort}, ${here}.id) ${beyond} (select key, id from cursor)` : raw('')}
              order by ${sort} ${direction}, ${here}.id ${direction} limit ${size + 1}::int
            ) ${here}
          ) page`,
        ([page]: PageRow[]) => {
          if (!page!.placed) throw notFound(parent!.noun)
          if (!page!.known) throw badRequest('startAfter is not a known cursor')
          const next = page!.more ? `"${page!.last}"` : 'null'
          return new Json(
            `{"${listKey}":[${page!.data ?? ''}],"pagination":{"limit":${size},"hasMore":${page!.more},"nextCursor":${next}}}`,
          )
        },
      )
    },
  }
}
export type Table = ReturnType<typeof table>

interface PageRow {
  readonly known: boolean
  readonly placed: boolean
  readonly more: boolean
  readonly last: string
  readonly data: string | null
}

const pagination = t.Object(
  {
    limit: t.Integer(),
    hasMore: t.Boolean(),
    nextCursor: t.Unsafe<string | null>({ type: ['string', 'null'] }),
  },
  { title: 'Pagination' },
)

const snake = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The SQL that turns a row into the JSON text of exactly these fields. */
export function projection(fields: TProperties, row: string): Sql {
  const columns = Object.entries(fields).map(([field, schema]) => {
    const column = `${row}.${snake(field)}`
    const isDateTime = (schema as { format?: string }).format === 'date-time'
    return `${isDateTime ? `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : column} as "${field}"`
  })
  return raw(`(select row_to_json(fields) from (select ${columns.join(', ')}) fields)::text`)
}

/** As a record answers them: every field is there. */
const answered = (fields: TProperties, title: string): TObject => t.Object(mapped(fields, bare), { title })

/** As a new record takes them: a field with a default may be left out. */
const created = <Fields extends TProperties>(fields: Fields): Fields =>
  mapped(fields, (field) => ('default' in field ? t.Optional(field) : field))

/** As a change takes them: any may be left out, and defaults, which belong to creation, do not apply. */
const changed = <Fields extends TProperties>(fields: Fields): Fields =>
  mapped(fields, (field) => t.Optional(bare(field)))

/** The JSON Schema of a field alone: neither optional nor with a default. */
const bare = ({ default: _, ...schema }: TSchema & { default?: unknown }): TSchema => t.Unsafe(schema)

const mapped = <Fields extends TProperties>(fields: Fields, change: (field: TSchema) => TSchema): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field)])) as Fields
