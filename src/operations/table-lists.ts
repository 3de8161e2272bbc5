// The lists of a table: all of its records, or page by page after a cursor.
import { type Query, raw, type Sql, sql } from '../db/database.ts'
import { Json } from './answers.ts'
import { badRequest, notFound } from './errors.ts'
import { type Context, type Statement, type StatementContext, statement } from './operation.ts'
import type { RowCodec } from './row-codec.ts'
import { maxPageBytes } from './row-format.ts'
import { allOf, searchedRows, type TextSearch } from './text-search.ts'

export interface ListOrder {
  readonly column: string
  readonly type: 'text' | 'integer' | 'timestamptz'
  readonly direction: 'asc' | 'desc'
  /** The column that decides between equals in a list that is shown whole; the id does after it. */
  readonly thenBy?: string
}

/** The record that the records of a table lie under: its table, and the column that names it. */
export interface Parent {
  readonly table: string
  readonly column: string
  readonly noun: string
}

interface ListedTable {
  readonly name: string
  /** What a list is keyed by. */
  readonly listKey: string
  readonly order: ListOrder
  readonly parent: Parent | undefined
  readonly codec: RowCodec<StatementContext>
  /** The records of one organisation, under one parent where there is one. */
  tenantCondition(ctx: Pick<Context, 'orgId'>, parentId: string | undefined): Sql
}

interface ListOptions {
  readonly where?: Sql | undefined
  readonly parentId?: string | undefined
}

interface PageOptions extends ListOptions {
  /** What is looked for in the text of the records. */
  readonly search?: TextSearch | undefined
}

interface PageRequest {
  readonly limit?: number | undefined
  readonly startAfter?: string | undefined
}

interface PageQuery {
  readonly parentId: string | undefined
  readonly startAfter: string | undefined
  readonly where?: Sql | undefined
  readonly search?: TextSearch | undefined
  readonly fetchLimit: number
}

interface ListRow {
  readonly parent_exists: boolean
  readonly encoded: string | null
}
interface PageRow extends ListRow {
  readonly cursor_exists: boolean
}

/** How many records the statement of a page may read: one more than the page holds tells whether there are more. */
const maxPerPage = 100
const fetchSizes = [2, 3, 4, 6, 8, 11, 26, 51, 101]
/**
 * Pages that were cut because their records are long: PostgreSQL would read a hundred of them the next time again, to send
 * ten. How many of a tenant's records fit on a page is remembered, as one of the sizes above.
 */
function createPageSizes() {
  const sizes = new Map<string, number>()
  return {
    of: (orgId: string) => sizes.get(orgId) ?? maxPerPage,
    learn(orgId: string, records: number, bytes: number): void {
      if (records === 0) return // tells nothing
      sizes.delete(orgId)
      const fitting = (maxPageBytes * records) / bytes
      const size = fetchSizes.findLast((most) => most - 1 <= fitting) ?? fetchSizes[0]!
      if (size > maxPerPage) return
      if (sizes.size >= maxRemembered) sizes.delete(sizes.keys().next().value!)
      sizes.set(orgId, size - 1)
    },
  }
}
const maxRemembered = 1_000

/** How many records a kind without pages can have. */
export const maxUnpaged = 500

export function listStatements({ name, listKey, order, parent, codec, tenantCondition }: ListedTable) {
  const { encoded, encodedRows, encodedPage, writePage } = codec
  const tableSql = raw(name)
  const pageSizes = createPageSizes()
  // What is read of other tables is of this organisation. Citus must see that for each of them, and does not where the record
  // comes out of a subselect, or out of one whose limit it cannot tell.
  const encodedOfTenant = raw(encoded.text.replaceAll(`${name}.org_id`, 'tenant.org_id'))
  const sortColumn = raw(`${name}.${order.column}`)
  const orderBy = order.thenBy
    ? sql`${sortColumn}, ${raw(`${name}.${order.thenBy}`)}, ${tableSql}.id`
    : sql`${sortColumn}, ${tableSql}.id`
  const parentExists = (ctx: Pick<Context, 'orgId'>, parentId: string | undefined) =>
    parent
      ? sql`exists (select from ${raw(parent.table)} where org_id = ${ctx.orgId} and id = ${parentId})`
      : raw('true')
  /** A JSON list of the first records of a page, `most` at most; `limit` is what it is said to hold. */
  const toList = (ctx: Context, page: string | null, most: number, limit: number) =>
    writePage(page, most, ctx, {
      before: `{"${listKey}":[`,
      after: ({ hasMore, lastId }) =>
        `],"pagination":{"limit":${limit},"hasMore":${hasMore},"nextCursor":${hasMore ? `"${lastId}"` : null}}}`,
    })

  const [direction, comparison] = order.direction === 'asc' ? [raw('asc'), raw('>')] : [raw('desc'), raw('<')]
  function pageQuery(orgId: string, { parentId, startAfter, where, search, fetchLimit }: PageQuery): Sql {
    const tenant = tenantCondition({ orgId }, parentId)
    const cursor = sql`
      select ${sortColumn} as key, id from ${tableSql} where ${tenant} and id = ${startAfter}
      union all select sort_key::${raw(order.type)}, id from tombstones
      where org_id = ${orgId} and collection = ${name} and id = ${startAfter}
        ${parent ? sql`and parent_id = ${parentId}` : raw('')} limit 1`
    const isAfter = startAfter
      ? sql`(${sortColumn}, ${tableSql}.id) ${comparison} (select key, id from cursor)`
      : undefined
    const narrowed = allOf([where && sql`(${where})`, isAfter])
    const rows = search
      ? searchedRows({ table: name, tenant, search, where: narrowed, order, limit: fetchLimit })
      : sql`${tableSql} where ${allOf([tenant, narrowed])}`
    // Where organisations have fewer records on average than a page, PostgreSQL would read all of the largest one and sort them
    // (5 s of a million); a limit that it does not know it takes for a tenth of them, and reads them in order.
    const most = where ? raw(String(fetchLimit)) : raw(`(select ${fetchLimit})`)
    return sql`${startAfter ? sql`with cursor as materialized (${cursor})` : raw('')}
      select cursor_exists, parent_exists, ${encodedPage} from (
        select ${startAfter ? raw('exists (select from cursor)') : raw('true')} as cursor_exists,
          ${parentExists({ orgId }, parentId)} as parent_exists, ${encodedRows} as encoded_rows
        from (
          select ${encodedOfTenant} from (select ${orgId}::text as org_id) tenant cross join ${rows}
          order by ${sortColumn} ${direction}, ${tableSql}.id ${direction} limit ${most}
        ) records
      ) page`
  }

  /** A list without filters is frequent, and always the same text: it is made once, with names in the place of values. */
  const templates = new Map<string, Query>()
  const placeholders = { orgId: 'the organisation', parentId: 'the parent', startAfter: 'the cursor' }
  function bindPage(orgId: string, { parentId, startAfter, fetchLimit }: PageQuery): Query {
    const key = `${fetchLimit} ${startAfter ? 'after' : 'first'}`
    let template = templates.get(key)
    if (!template) {
      const cursor = startAfter && placeholders.startAfter
      const { text, values } = pageQuery(placeholders.orgId, { ...placeholders, startAfter: cursor, fetchLimit })
      template = { text, values }
      templates.set(key, template)
    }
    const bound = template.values.map((value) => {
      if (value === placeholders.orgId) return orgId
      if (value === placeholders.parentId) return parentId
      return value === placeholders.startAfter ? startAfter : value
    })
    return { text: template.text, values: bound }
  }

  return {
    /** The whole list, of a kind there are never many of. */
    all: (ctx: Context, { where, parentId }: ListOptions = {}): Statement<Json> =>
      statement(
        sql`select ${parentExists(ctx, parentId)} as parent_exists, ${encodedRows} as encoded
            from (select ${encoded} from ${tableSql} where ${tenantCondition(ctx, parentId)}
              ${where ? sql`and (${where})` : raw('')} order by ${orderBy}) records`,
        ([list]: ListRow[]) => {
          if (!list!.parent_exists) throw notFound(parent!.noun)
          return new Json(toList(ctx, list!.encoded, Number.POSITIVE_INFINITY, maxUnpaged).json)
        },
      ),

    /** One page in the table's order. A cursor may name a record deleted since: its tombstone keeps the place. */
    page: (
      ctx: Context,
      { limit = 50, startAfter }: PageRequest,
      { where, search, parentId }: PageOptions = {},
    ): Statement<Json> => {
      const size = Math.min(limit, maxPerPage)
      const fetchedSize = Math.min(size, pageSizes.of(ctx.orgId))
      // The limit is written into the text, because a plan made for any number would be another one; there are few such
      // texts, and records beyond the page are dropped here.
      const fetchLimit = fetchSizes.find((most) => most > fetchedSize)!
      const query =
        where || search
          ? pageQuery(ctx.orgId, { parentId, startAfter, where, search, fetchLimit })
          : bindPage(ctx.orgId, { parentId, startAfter, fetchLimit })
      return statement(query, ([page]: PageRow[]) => {
        if (!page!.parent_exists) throw notFound(parent!.noun)
        if (!page!.cursor_exists) throw badRequest('startAfter is not a known cursor')
        const { json, isCut, found, bytes } = toList(ctx, page!.encoded, fetchedSize, size)
        if (isCut || fetchedSize < size) pageSizes.learn(ctx.orgId, found, bytes)
        return new Json(json)
      })
    },
  }
}
