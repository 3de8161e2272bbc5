// A page of a list of the desk: an organisation's records in their order, of those that match what was typed, if anything was.
import { raw, type Sql, sql } from '../db/database.ts'
import { allOf, searchedRows, type TextSearch } from '../operations/text-search.ts'

export const byName = { column: 'sort_name', direction: 'asc' } as const
export const newestFirst = { column: 'created_at', direction: 'desc' } as const

interface ListPage {
  readonly table: string
  readonly orgId: string
  readonly search: TextSearch | undefined
  readonly where?: Sql | undefined
  /** The last one of the page before. */
  readonly after?: string | undefined
  readonly order: typeof byName | typeof newestFirst
  readonly limit: number
}

/** What stands behind `from`, under the table's own name; whoever shows it puts it in order. */
export function pageOfRows({ table, orgId, search, where, after, order, limit }: ListPage): Sql {
  const name = raw(table)
  const [column, direction] = [raw(order.column), raw(order.direction)]
  const isAfter =
    after === undefined
      ? undefined
      : sql`(${name}.${column}, ${name}.id) ${raw(order.direction === 'asc' ? '>' : '<')} (
          select last.${column}, last.id from ${name} last where last.org_id = ${orgId} and last.id = ${after})`
  const tenant = sql`${name}.org_id = ${orgId}`
  const narrowed = allOf([where && sql`(${where})`, isAfter])
  if (search) return searchedRows({ table, tenant, search, where: narrowed, order, limit })
  return sql`(select * from ${name} where ${allOf([tenant, narrowed])}
    order by ${name}.${column} ${direction}, ${name}.id ${direction} limit ${raw(String(limit))}) ${name}`
}
