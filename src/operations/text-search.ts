// Searching a list: the records whose text holds what was typed, in the list's order, by whichever way reads the fewest.
// Why so, and what it takes: docs/decisions/search.md.
import { join, type ReadConnection, raw, type Sql, sql } from '../db/database.ts'

export interface TextSearch {
  /** What the index of the table's text answers; nothing where all words are too short for it. */
  readonly byIndex?: Sql | undefined
  /** What only reading a record tells. */
  readonly byReading?: Sql | undefined
}

/** Words beyond so many are not looked at. */
export const maxWords = 10
export const wordsIn = (text: string): string[] => text.split(/\s+/)

/** Text as LIKE is given it, without regard to case or accents: it is escaped after folding, which makes a wide percent sign a plain one. */
const escaped = (text: Sql | string): Sql => sql`regexp_replace(folded(${text}), '([\\\\%_])', '\\\\\\1', 'g')`
/** In a subselect the pattern is made once, not for every record. */
const partOf = (text: string): Sql => sql`(select '%' || ${escaped(text)} || '%')`
/** For what begins with the text. */
export const beginningOf = (text: string): Sql => sql`(select ${escaped(text)} || '%')`

/** The text as it stands. */
export const searchForText = (table: string, text: string): TextSearch => searchFor(table, [text])

/** All of its words, in any order. */
export const searchForWords = (table: string, text: string): TextSearch =>
  searchFor(table, wordsIn(text).slice(0, maxWords))

/** A word of fewer than three characters has no trigrams, so the index knows nothing of it; nor may PostgreSQL ask it. */
function searchFor(table: string, words: readonly string[]): TextSearch {
  const [long, short] = [words.filter(({ length }) => length >= 3), words.filter(({ length }) => length < 3)]
  return {
    byIndex: allOf(long.map((word) => sql`${raw(table)}.search_text like ${partOf(word)}`)),
    byReading: allOf(short.map((word) => sql`(${raw(table)}.search_text || '') like ${partOf(word)}`)),
  }
}

/** The same for a text that is in the database itself. */
export const searchForColumn = (table: string, column: string): TextSearch => ({
  byIndex: sql`${raw(table)}.search_text like '%' || ${escaped(raw(column))} || '%'`,
})

/** Where the index knows nothing, a term that nobody has is looked for in every record. */
export const connectionOf = (search: TextSearch | undefined): ReadConnection =>
  search && !search.byIndex ? 'in-turns' : 'slow'

interface SearchedTable {
  readonly table: string
  /** The records of one organisation. */
  readonly tenant: Sql
  readonly search: TextSearch
}

/** All records that match, in no order, or all where nothing is looked for: what stands behind `from`, under the table's own name. */
export const matchingRows = ({
  table,
  tenant,
  search,
}: Omit<SearchedTable, 'search'> & { search: TextSearch | undefined }): Sql =>
  search
    ? sql`(${indexedRows(table, tenant, search, raw('offset 0'))}) ${raw(table)}`
    : sql`(select * from ${raw(table)} where ${tenant}) ${raw(table)}`

/**
 * What the index finds. PostgreSQL plans for any organisation and any term: it takes the term to find 0.5 % of the records, and
 * the organisation to be as large as all are on average. So it would rather read an organisation from end to end where
 * most are small, and this one may be the largest. It cannot be told which index to use, but that reading a record is dear:
 * then what leaves the fewest to be read is best, whatever the statistics say, and that is this index. The fence
 * (`offset 0`, or a limit) keeps what is asked for outside from changing its mind.
 */
function indexedRows(table: string, tenant: Sql, { byIndex, byReading }: TextSearch, fence: Sql): Sql {
  const conditions = allOf([tenant, byIndex, byIndex && isDear(table), byReading])!
  return sql`select ctid, * from ${raw(table)} where ${conditions} ${fence}`
}

/** True of every record by its first half; the second, which is never carried out, is what PostgreSQL reckons with. */
const isDear = (table: string): Sql =>
  raw(`(${table}.id <> '' or (select 1 from generate_series(1, 1000000) where ${table}.id = '') = 1)`)

interface SearchedPage extends SearchedTable {
  /** What else narrows the list, and the place after which it goes on. */
  readonly where?: Sql | undefined
  readonly order: { readonly column: string; readonly direction: 'asc' | 'desc' }
  readonly limit: number
}

/** How many records at the beginning of the list tell whether a term is frequent. */
const sampleSize = 32
/** With so many matches among those the list is walked on. */
const frequentMatches = 3
/** So many of what the index finds are looked at before the list is walked instead. */
const maxIndexed = 2_000
/** How far it is walked: a term that fills no page by then is rarer than it seemed, or at the end of the list. */
const maxWalked = 10_000

/**
 * The first records of a list that match, at most `limit`: what stands behind `from`, under the table's own name. Each part
 * of the statement is carried out only if those before it did not answer:
 *   near     the beginning of the list, which is all of a short one, and a sample of a long one;
 *   indexed  for a term that is rare there: what the index finds, unless that is much;
 *   further  for a frequent one: the list in its order, until the page is full;
 *   rest     where that did not fill it: all that the index finds, or the whole list where the index knows nothing.
 * Each finds the places of records in the table, by which those of the page are read.
 */
export function searchedRows({ table, tenant, search, where: narrowing, order, limit }: SearchedPage): Sql {
  const { byIndex, byReading } = search
  const where = narrowing && sql`(${narrowing})`
  const name = raw(table)
  const row = sql`${name}.ctid as place, ${name}.id, ${raw(`${table}.${order.column}`)} as key`
  const direction = raw(order.direction)
  const firstOnes = sql`order by key ${direction}, id ${direction} limit ${raw(String(limit))}`
  // Planned for a number that is not known, a walk takes a tenth of the records, so it is worth an index that has their order.
  // If all of an organisation were fewer than the limit on average, PostgreSQL might read all of this one and sort them.
  const walk = (length: number) => sql`
    select ${row}, (${allOf([byIndex, byReading])}) as is_match from ${name} where ${allOf([tenant, where])}
    order by ${raw(`${table}.${order.column}`)} ${direction}, ${name}.id ${direction} limit (select ${raw(String(length))})`
  const indexed = sql`indexed as materialized (
    select ${row}, (${allOf([byReading, where]) ?? raw('true')}) as is_match
    from (${indexedRows(table, tenant, { byIndex }, raw(`limit ${maxIndexed}`))}) ${name}),`
  const ifIndexed = sql`
    when matches < ${raw(String(frequentMatches))} and (select count(*) < ${raw(String(maxIndexed))} from indexed)
      then array(select place from indexed where is_match ${firstOnes})`
  const rest = byIndex
    ? sql`${matchingRows({ table, tenant, search })} ${where ? sql`where ${where}` : raw('')}`
    : sql`${name} where ${allOf([tenant, byReading, where])}`
  return sql`(
    with near as materialized (${walk(sampleSize)}),
    sample as materialized (
      select count(*) < ${raw(String(sampleSize))} as is_all, count(*) filter (where is_match) as matches from near),
    ${byIndex ? indexed : raw('')}
    further as materialized (
      select array(select place from (${walk(maxWalked)}) walked where is_match ${firstOnes}) as places)
    select ${name}.* from unnest((
      select case
        when is_all or matches >= ${raw(String(limit))} then array(select place from near where is_match limit ${raw(String(limit))})
        ${byIndex ? ifIndexed : raw('')}
        when (select cardinality(places) = ${raw(String(limit))} from further) then (select places from further)
        else array(select place from (select ${row} from ${rest} ${firstOnes}) found) end
      from sample)) as found (place)
    cross join lateral (select * from ${name} where ${tenant} and ${name}.ctid = found.place offset 0) ${name}
  ) ${name}`
}

/** Those conditions that there are. */
export function allOf(conditions: readonly (Sql | undefined)[]): Sql | undefined {
  const given = conditions.filter((condition) => condition !== undefined)
  return given.length > 0 ? join(given, ' and ') : undefined
}
