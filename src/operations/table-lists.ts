// The lists of a table: all of its records, or page by page after a cursor.
import { type Query, raw, type Sql, sql } from '../db/database.ts'
import { badRequest, notFound } from './errors.ts'
import { type Context, Json, type Statement, type StatementContext, statement } from './operation.ts'
import { maxPageBytes, type RowCodec } from './row-codec.ts'

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

interface PageRequest {
  readonly limit?: number | undefined
  readonly startAfter?: string | undefined
}

interface PageQuery {
  readonly parentId: string | undefined
  readonly startAfter: string | undefined
  readonly where?: Sql | undefined
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
const fetchSizes = [11, 26, 51, 101]
/**
 * Pages that were cut because their records are long: PostgreSQL would read a hundred of them the next time again, to send
 * ten. How many of a tenant's records fit on a page is remembered, as one of the sizes above.
 */
function createPageSizes() {
  const sizes = new Map<string, number>()
  return {
    of: (orgId: string) => sizes.get(orgId) ?? maxPerPage,
    learn(orgId: string, records: number, characters: number): void {
      if (records === 0) return // tells nothing
      sizes.delete(orgId)
      const fitting = (maxPageBytes * records) / characters
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
  const { encoded, encodedRows, encodedPage, split, splitPage, idOf, toJson } = codec
  const tableSql = raw(name)
  const pageSizes = createPageSizes()
  const sortColumn = raw(`${name}.${order.column}`)
  const orderBy = order.thenBy
    ? sql`${sortColumn}, ${raw(`${name}.${order.thenBy}`)}, ${tableSql}.id`
    : sql`${sortColumn}, ${tableSql}.id`
  const parentExists = (ctx: Pick<Context, 'orgId'>, parentId: string | undefined) =>
    parent
      ? sql`exists (select from ${raw(parent.table)} where org_id = ${ctx.orgId} and id = ${parentId})`
      : raw('true')
  const toList = (ctx: Context, records: readonly string[], limit: number, next: string | null) =>
    new Json(
      `{"${listKey}":[${records.map((record) => toJson(record, ctx)).join()}],"pagination":{"limit":${limit},"hasMore":${next !== null},"nextCursor":${next && `"${next}"`}}}`,
    )

  const [direction, comparison] = order.direction === 'asc' ? [raw('asc'), raw('>')] : [raw('desc'), raw('<')]
  function pageQuery(orgId: string, { parentId, startAfter, where, fetchLimit }: PageQuery): Sql {
    const tenant = tenantCondition({ orgId }, parentId)
    const cursor = sql`
      select ${sortColumn} as key, id from ${tableSql} where ${tenant} and id = ${startAfter}
      union all select sort_key::${raw(order.type)}, id from tombstones
      where org_id = ${orgId} and collection = ${name} and id = ${startAfter}
        ${parent ? sql`and parent_id = ${parentId}` : raw('')} limit 1`
    return sql`${startAfter ? sql`with cursor as materialized (${cursor})` : raw('')}
      select cursor_exists, parent_exists, ${encodedPage} from (
        select ${startAfter ? raw('exists (select from cursor)') : raw('true')} as cursor_exists,
          ${parentExists({ orgId }, parentId)} as parent_exists, ${encodedRows} as encoded_rows
        from (
          select ${encoded} from ${tableSql} where ${tenant} ${where ? sql`and (${where})` : raw('')}
            ${startAfter ? sql`and (${sortColumn}, ${tableSql}.id) ${comparison} (select key, id from cursor)` : raw('')}
          order by ${sortColumn} ${direction}, ${tableSql}.id ${direction} limit ${raw(String(fetchLimit))}
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
          return toList(ctx, split(list!.encoded), maxUnpaged, null)
        },
      ),

    /** One page in the table's order. A cursor may name a record deleted since: its tombstone keeps the place. */
    page: (
      ctx: Context,
      { limit = 50, startAfter }: PageRequest,
      { where, parentId }: ListOptions = {},
    ): Statement<Json> => {
      const size = Math.min(limit, maxPerPage)
      const fetchedSize = Math.min(size, pageSizes.of(ctx.orgId))
      // The limit is written into the text, because a plan made for any number would be another one; there are few such
      // texts, and records beyond the page are dropped here.
      const fetchLimit = fetchSizes.find((most) => most > fetchedSize)!
      const query = where
        ? pageQuery(ctx.orgId, { parentId, startAfter, where, fetchLimit })
        : bindPage(ctx.orgId, { parentId, startAfter, fetchLimit })
      return statement(query, ([page]: PageRow[]) => {
        if (!page!.parent_exists) throw notFound(parent!.noun)
        if (!page!.cursor_exists) throw badRequest('startAfter is not a known cursor')
        const { records: found, isCut } = splitPage(page!.encoded)
        if (isCut || fetchedSize < size) pageSizes.learn(ctx.orgId, found.length, page!.encoded?.length ?? 0)
        const records = found.slice(0, fetchedSize)
        const hasMore = isCut || found.length > fetchedSize
        return toList(ctx, records, size, hasMore ? idOf(records.at(-1)!) : null)
      })
    },
  }
}
