// A table of the database as operations see it: which fields callers may write, which the server keeps, and the
// statements every resource shares. Each binds the organisation. All other SQL stands in the resource it belongs to.
import { type Static, type TObject, type TProperties, Type as t } from 'typebox'
import { join, raw, type Sql, sql } from '../database.ts'
import { badRequest, camel, capitalised, notFound } from './errors.ts'
import { dateTime, id } from './fields.ts'
import { newId } from './ids.ts'
import { type Context, Json, type message, type Place, type Statement, statement } from './operation.ts'
import { embedded, type Finishes, packing, snake } from './packing.ts'
import { answered, changed, created, pagination } from './record.ts'

interface Description<Writable extends TProperties, Unwritable extends TProperties> {
  readonly name: string
  /** What a list is keyed by, where that is not the table's name. */
  readonly listKey?: string
  /** What people call one record: it stands in error texts and names the operations. */
  readonly noun: string
  /** What operations and schemas are named by, where that is not the noun: `TicketStatus` for a job status. */
  readonly inCode?: string
  /** What its ids begin with. */
  readonly prefix: string
  /** The record this one lies under: its table, and the column that names it. */
  readonly parent?: { readonly table: string; readonly column: string; readonly noun: string }
  /** The fields that enter bodies. */
  readonly writable: Writable
  /** The fields only the server writes, and those that can be answered with more than may be written. */
  readonly kept?: Unwritable
  /** The SQL a field is read by, where that is not its column. */
  readonly read?: Readonly<Record<string, string>>
  /** What a field's JSON becomes on its way out, where that takes more than the database knows. */
  readonly finish?: Finishes<Place>
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
  readonly most?: number
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
const fetchSizes = [11, 26, 51, 101]
/** How many records a kind without pages can have. */
export const mostUnpaged = 500
/** The last place in a list that people arrange. */
export const mostIndex = 2_147_483_647

type Kept = Readonly<Record<string, unknown>>

const records = new Map<string, TObject>()
/** The record of each table that a resource describes, by the table's name: what its rows may hold. */
export const describedRecords: ReadonlyMap<string, TObject> = records

export function table<Writable extends TProperties, Unwritable extends TProperties = TProperties>(
  about: Description<Writable, Unwritable>,
) {
  const { name, noun, parent, order, most } = about
  const here = raw(name)
  const fields: TProperties = {
    id: id(),
    ...(parent && { [camel(parent.column)]: id() }),
    ...about.writable,
    ...about.kept,
    createdAt: dateTime(),
    updatedAt: dateTime(),
  }
  const title = about.inCode ?? noun.split(' ').map(capitalised).join('')
  const record = answered(fields, title)
  if (!records.has(name)) records.set(name, record)
  const { packed, together, apart, idOf, json } = packing<Place>(fields, name, about.read, about.finish)
  const writable = Object.keys(about.writable)
  const columnOf = (field: string) => about.write?.[field] ?? snake(field)
  const columns = writable.map(columnOf)
  const listKey = about.listKey ?? camel(name)
  const plural = name.replaceAll('_', ' ')

  const one =
    (ctx: Place) =>
    (rows: { packed: string }[]): Json => {
      if (!rows[0]) throw notFound(noun)
      return new Json(json(rows[0].packed, ctx))
    }
  const inPlace = (ctx: Pick<Context, 'orgId'>, parentId?: string) =>
    parent
      ? sql`${here}.org_id = ${ctx.orgId} and ${here}.${raw(parent.column)} = ${parentId}`
      : sql`${here}.org_id = ${ctx.orgId}`
  const isPlaced = (ctx: Context, parentId?: string) =>
    parent
      ? sql`exists (select from ${raw(parent.table)} where org_id = ${ctx.orgId} and id = ${parentId})`
      : raw('true')
  const sort = raw(`${name}.${order.column}`)
  const inOrder = order.thenBy ? sql`${sort}, ${raw(`${name}.${order.thenBy}`)}, ${here}.id` : sql`${sort}, ${here}.id`
  const hasRoom = (ctx: Context, parentId?: string) =>
    sql`(select count(*) from ${here} where ${inPlace(ctx, parentId)}) < ${most}::int`
  /** Where people arrange the list, a record that is given no place goes to the end. */
  const otherwise = (ctx: Context, column: string, parentId?: string) =>
    column === order.column && order.type === 'integer'
      ? sql`(select least(coalesce(max(${sort}), -1)::bigint + 1, ${mostIndex}::int) from ${here}
             where ${inPlace(ctx, parentId)})`
      : null

  /** The most frequent text of all is made once. */
  const finding = sql`select ${packed} from ${here} where ${inPlace({ orgId: '' }, '')} and ${here}.id = ${''}`.text
  const listed = (ctx: Context, records: readonly string[], limit: number, next: string | null) =>
    new Json(
      `{"${listKey}":[${records.map((record) => json(record, ctx)).join()}],"pagination":{"limit":${limit},"hasMore":${next !== null},"nextCursor":${next && `"${next}"`}}}`,
    )

  return {
    name,
    noun,
    inCode: title,
    parent,
    record,
    create: t.Object(created(about.writable), { title: `${title}Create` }),
    update: t.Object(changed(about.writable), { title: `${title}Update` }),
    list: t.Object({ [listKey]: t.Array(record), pagination }, { title: `${title}List` }),
    /** For statements of a resource's own: a record as it leaves the database, how it is answered, and how it is embedded. */
    packed,
    answer: one,
    embedded: embedded(fields, name, about.read),

    find: (ctx: Context, recordId: string, parentId?: string): Statement<Json> =>
      statement({ text: finding, values: parent ? [ctx.orgId, parentId, recordId] : [ctx.orgId, recordId] }, one(ctx)),

    /** Holds the record until the transaction ends, so that what is judged of it stays true. */
    lock: (ctx: Context, recordId: string, parentId?: string): Statement<void> =>
      statement(
        sql`select 1 from ${here} where ${inPlace(ctx, parentId)} and ${here}.id = ${recordId} for update`,
        (rows) => {
          if (rows.length === 0) throw notFound(noun)
        },
      ),

    /** `kept` are columns that the server fills, each with a value or with SQL. */
    insert: (ctx: Context, values: object, parentId?: string, kept: Kept = {}): Statement<Json> => {
      const given = values as Record<string, unknown>
      const place = { org_id: ctx.orgId, id: newId(about.prefix), ...(parent && { [parent.column]: parentId }) }
      const written = writable.map((field, index) => {
        const column = columns[index]!
        return [column, given[field] ?? otherwise(ctx, column, parentId)]
      })
      const row = { ...place, ...Object.fromEntries(written), ...kept }
      return statement(
        sql`insert into ${here} (${raw(Object.keys(row).join(', '))}) select ${join(Object.values(row))}
            ${most === undefined ? raw('') : sql`where ${hasRoom(ctx, parentId)}`} returning ${packed}`,
        (rows: { packed: string }[]) => {
          if (most !== undefined && rows.length === 0) throw badRequest(`There can be at most ${most} ${plural}`)
          return one(ctx)(rows)
        },
      )
    },

    /** Writes the fields given and leaves the others; the text stays the same whichever fields those are. */
    change: (ctx: Context, recordId: string, values: object, parentId?: string, kept: Kept = {}): Statement<Json> => {
      const given = Object.entries(values).map(([field, value]) => [columnOf(field), value])
      if (given.length === 0) throw badRequest('At least one updatable field is required')
      const alsoKept = Object.entries(kept).map(([column, value]) => sql`, ${raw(column)} = ${value}`)
      return statement(
        sql`update ${here} set (updated_at, ${raw(columns.join(', '))}) =
              (select now(), ${raw(columns.map((column) => `changed.${column}`).join(', '))}
               from jsonb_populate_record(${here}, ${JSON.stringify(Object.fromEntries(given))}::jsonb) changed)
              ${alsoKept.length > 0 ? join(alsoKept, '') : raw('')}
            where ${inPlace(ctx, parentId)} and ${here}.id = ${recordId} returning ${packed}`,
        one(ctx),
      )
    },

    /** Writes columns that the server fills, and nothing else. */
    keep: (ctx: Context, recordId: string, kept: Kept, parentId?: string): Statement<Json> =>
      statement(
        sql`update ${here} set updated_at = now(), ${join(Object.entries(kept).map(([column, value]) => sql`${raw(column)} = ${value}`))}
            where ${inPlace(ctx, parentId)} and ${here}.id = ${recordId} returning ${packed}`,
        one(ctx),
      ),

    remove: (ctx: Context, recordId: string, parentId?: string): Statement<Static<typeof message>> =>
      statement(
        sql`delete from ${here} where ${inPlace(ctx, parentId)} and ${here}.id = ${recordId} returning id`,
        (rows) => {
          if (rows.length === 0) throw notFound(noun)
          return { message: `${capitalised(noun)} deleted`, id: recordId }
        },
      ),

    /** The whole list, of a kind there are never many of. */
    all: (ctx: Context, where?: Sql, parentId?: string): Statement<Json> =>
      statement(
        sql`select ${isPlaced(ctx, parentId)} as placed, ${together} as packed
            from (select ${packed} from ${here} where ${inPlace(ctx, parentId)}
              ${where ? sql`and (${where})` : raw('')} order by ${inOrder}) records`,
        ([list]: PageRow[]) => {
          if (!list!.placed) throw notFound(parent!.noun)
          return listed(ctx, apart(list!.packed), mostUnpaged, null)
        },
      ),

    /** One page in the table's order. A cursor may name a record deleted since: its tombstone keeps the place. */
    page: (ctx: Context, { limit = 50, startAfter }: Page, where?: Sql, parentId?: string): Statement<Json> => {
      const size = Math.min(limit, mostPerPage)
      const [direction, beyond] = order.direction === 'asc' ? [raw('asc'), raw('>')] : [raw('desc'), raw('<')]
      const cursor = sql`
        select ${sort} as key, id from ${here} where ${inPlace(ctx, parentId)} and id = ${startAfter}
        union all select sort_key::${raw(order.type)}, id from tombstones
        where org_id = ${ctx.orgId} and collection = ${name} and id = ${startAfter}
          ${parent ? sql`and parent_id = ${parentId}` : raw('')} limit 1`
      // One record more than asked for tells whether there are more. How many is written into the text, because a plan
      // made for any number would be another one; there are few such texts, and what is too much is left out here.
      const fetched = fetchSizes.find((most) => most > size)!
      return statement(
        sql`${startAfter ? sql`with cursor as materialized (${cursor})` : raw('')}
          select ${startAfter ? raw('exists (select from cursor)') : raw('true')} as known,
            ${isPlaced(ctx, parentId)} as placed, ${together} as packed
          from (
            select ${packed} from ${here} where ${inPlace(ctx, parentId)} ${where ? sql`and (${where})` : raw('')}
              ${startAfter ? sql`and (${sort}, ${here}.id) ${beyond} (select key, id from cursor)` : raw('')}
            order by ${sort} ${direction}, ${here}.id ${direction} limit ${raw(String(fetched))}
          ) records`,
        ([page]: PageRow[]) => {
          if (!page!.placed) throw notFound(parent!.noun)
          if (!page!.known) throw badRequest('startAfter is not a known cursor')
          const found = apart(page!.packed)
          const records = found.slice(0, size)
          const hasMore = found.length > size
          return listed(ctx, records, size, hasMore ? idOf(records.at(-1)!) : null)
        },
      )
    },
  }
}
export type Table = ReturnType<typeof table>

interface PageRow {
  readonly known: boolean
  readonly placed: boolean
  readonly packed: string | null
}
