// What narrows a list: a part of its text without regard to case or accents, a time of change, several conditions.
import { Type as t } from 'typebox'
import { join, raw, Sql, sql } from '../db/database.ts'

export const searchField = (options: { readonly description: string; readonly examples: readonly string[] }) =>
  t.Optional(t.String({ maxLength: 100, ...options }))

/** Text of fewer than three characters has no trigrams: walking the list in its order finds such matches sooner. */
export function matchesText(table: string, search: string): Sql {
  const column = search.length < 3 ? raw(`(${table}.search_text || '')`) : raw(`${table}.search_text`)
  // In a subselect the pattern is made once, not for every record; it is escaped after folding, which makes a wide
  // percent sign a plain one.
  return sql`${column} like (select '%' || regexp_replace(folded(${search}), '([\\\\%_])', '\\\\\\1', 'g') || '%')`
}

export const changedAfter = (table: string, moment: string): Sql =>
  sql`${raw(table)}.updated_at > ${moment}::timestamptz`

/** Those conditions that were asked for, together. */
export function allOf(...conditions: readonly (Sql | '' | undefined)[]): Sql | undefined {
  const given = conditions.filter((condition) => condition instanceof Sql)
  return given.length > 0 ? join(given, ' and ') : undefined
}
