// What narrows a list: each filter is declared once, and the query parameters, their types and the SQL come from that.
import { type Static, type TOptional, type TSchema, Type as t } from 'typebox'
import { join, raw, Sql, sql } from '../db/database.ts'
import { dateTime } from '../operations/fields.ts'
import type { Context, Json, Statement } from '../operations/operation.ts'
import type { Table } from '../operations/table.ts'

interface Filter<Schema extends TSchema = TSchema> {
  readonly schema: TOptional<Schema>
  /** The condition on the records that the value lets through. */
  condition(value: Static<Schema>, ctx: Context): Sql
  /** The connection that the list needs because of it. */
  readonly connection: Statement<unknown>['connection']
}

export const filter = <Schema extends TSchema>(
  schema: Schema,
  condition: (value: Static<Schema>, ctx: Context) => Sql,
  connection?: Statement<unknown>['connection'],
): Filter<Schema> => {
  // A default would be applied to every request: the list would never be whole.
  if ('default' in schema) throw new Error('A filter takes a field without a default')
  return { schema: t.Optional(schema) as TOptional<Schema>, condition, connection }
}

/** Records that changed after a moment: the best plan depends on how many those are. */
export const changedAfterFilter = (table: string, description: string) =>
  filter(dateTime({ description }), (moment) => sql`${raw(table)}.updated_at > ${moment}::timestamptz`, 'custom-plan')

/** A part of a record's text, without regard to case or accents. */
export const searchFilter = (
  table: string,
  options: { readonly description: string; readonly examples: readonly string[] },
) => filter(t.String({ maxLength: 100, ...options }), (search) => matchesText(table, search), 'slow')

/** Text of fewer than three characters has no trigrams: walking the list in its order finds such matches sooner. */
function matchesText(table: string, search: string): Sql {
  const column = search.length < 3 ? raw(`(${table}.search_text || '')`) : raw(`${table}.search_text`)
  // In a subselect the pattern is made once, not for every record; it is escaped after folding, which makes a wide
  // percent sign a plain one.
  return sql`${column} like (select '%' || regexp_replace(folded(${search}), '([\\\\%_])', '\\\\\\1', 'g') || '%')`
}

type QueryFields<Filters> = {
  readonly [Name in keyof Filters]: Filters[Name] extends Filter<infer S> ? TOptional<S> : never
}

interface ListQuery {
  readonly limit?: number
  readonly startAfter?: string
}

interface ListOptions {
  /** A condition besides the filters. */
  readonly where?: Sql | undefined
  /** The connection, where no filter needs one. */
  readonly connection?: Statement<unknown>['connection']
}

/** The filters of one list, in the order in which their conditions are written. */
export function filterSet<const Filters extends Readonly<Record<string, Filter>>>(filters: Filters) {
  const entries = Object.entries(filters)
  return {
    /** For the `query` of the operation. */
    query: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])) as QueryFields<Filters>,

    /** One page of a table's records, of those that pass all filters that were given. */
    page(
      table: Pick<Table, 'page'>,
      ctx: Context,
      { limit, startAfter, ...values }: ListQuery,
      { where, connection }: ListOptions = {},
    ): Statement<Json> {
      const given = entries.flatMap(([name, filter]) => {
        const value = (values as Readonly<Record<string, unknown>>)[name]
        return value === undefined || value === '' ? [] : [{ filter, value }]
      })
      const conditions = given.map(({ filter, value }) => filter.condition(value, ctx))
      return {
        ...table.page(ctx, { limit, startAfter }, { where: allOf([where, ...conditions]) }),
        connection: given.find(({ filter }) => filter.connection)?.filter.connection ?? connection,
      }
    },
  }
}

function allOf(conditions: readonly (Sql | undefined)[]): Sql | undefined {
  const given = conditions.filter((condition) => condition instanceof Sql)
  return given.length > 0 ? join(given, ' and ') : undefined
}
