// What narrows a list: each filter is declared once, and the query parameters, their types and the SQL come from that.
import type { Static, TOptional, TSchema, TString } from 'typebox'
import { raw, type Sql, sql } from '../db/database.ts'
import type { Json } from '../operations/answers.ts'
import { badRequest } from '../operations/errors.ts'
import { dateTime } from '../operations/fields.ts'
import type { Context, Statement } from '../operations/operation.ts'
import { t } from '../operations/schemas.ts'
import type { Table } from '../operations/table.ts'
import {
  allOf,
  connectionOf,
  maxWords,
  searchForText,
  searchForWords,
  type TextSearch,
  wordsIn,
} from '../operations/text-search.ts'

interface Filter<Schema extends TSchema = TSchema> {
  readonly schema: TOptional<Schema>
  /** The records that the value lets through: by a condition, or by what their text holds. */
  narrow(value: Static<Schema>, ctx: Context): Narrowing
  /** The connection that the list needs because of it. */
  connectionFor(value: Static<Schema>): Connection
}
type Connection = Statement<unknown>['connection']
type Narrowing = { readonly where: Sql } | { readonly search: TextSearch }

export const filter = <Schema extends TSchema>(
  schema: Schema,
  condition: (value: Static<Schema>, ctx: Context) => Sql,
  connection?: Connection | ((value: Static<Schema>) => Connection),
): Filter<Schema> => {
  // A default would be applied to every request: the list would never be whole.
  if ('default' in schema) throw new Error('A filter takes a field without a default')
  const connectionFor = typeof connection === 'function' ? connection : () => connection
  const narrow = (value: Static<Schema>, ctx: Context) => ({ where: condition(value, ctx) })
  return { schema: t.Optional(schema) as TOptional<Schema>, narrow, connectionFor }
}

/** Records that changed after a moment: the best plan depends on how many those are. */
export const changedAfterFilter = (table: string, description: string) =>
  filter(dateTime({ description }), (moment) => sql`${raw(table)}.updated_at > ${moment}::timestamptz`, 'custom-plan')

interface SearchWords {
  readonly description: string
  readonly examples: readonly string[]
}

const textFilter = (options: SearchWords, search: (text: string) => TextSearch): Filter<TString> => ({
  schema: t.Optional(t.String({ maxLength: 100, ...options })),
  narrow: (text: string) => ({ search: search(text) }),
  connectionFor: (text: string) => connectionOf(search(text)),
})

/** A part of a record's text, without regard to case or accents. */
export const searchFilter = (table: string, options: SearchWords) =>
  textFilter(options, (text) => searchForText(table, text))

/** Words that a record's text holds, all of them and in any order, without regard to case or accents. */
export const wordsFilter = (table: string, options: SearchWords) =>
  textFilter(options, (text) => {
    if (wordsIn(text).length > maxWords) throw badRequest(`search must have at most ${maxWords} words`)
    return searchForWords(table, text)
  })

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
  readonly connection?: Connection
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
        const isGiven = value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
        return isGiven ? [{ filter, value }] : []
      })
      const narrowings = given.map(({ filter, value }) => filter.narrow(value, ctx))
      const conditions = narrowings.flatMap((narrowing) => ('where' in narrowing ? [narrowing.where] : []))
      const search = narrowings.find((narrowing) => 'search' in narrowing)?.search
      return {
        ...table.page(ctx, { limit, startAfter }, { where: allOf([where, ...conditions]), search }),
        connection: firstGiven(given.map(({ filter, value }) => filter.connectionFor(value))) ?? connection,
      }
    },
  }
}

const firstGiven = (connections: readonly Connection[]) => connections.find((one) => one !== undefined)
