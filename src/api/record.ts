// The fields of a record in the forms they are needed in: as it answers, as a body gives them, as SQL that makes its JSON.
import { type TObject, type TProperties, type TSchema, Type as t } from 'typebox'
import { raw, type Sql } from '../database.ts'

export const pagination = t.Object(
  {
    limit: t.Integer(),
    hasMore: t.Boolean(),
    nextCursor: t.Unsafe<string | null>({ type: ['string', 'null'] }),
  },
  { title: 'Pagination' },
)

export const snake = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The SQL that turns a row into the JSON of exactly these fields; `read` has the expressions that are no plain column. */
export function projection(fields: TProperties, row: string, read: Readonly<Record<string, string>> = {}): Sql {
  const columns = Object.entries(fields).map(([field, schema]) => {
    const value = read[field] ?? `${row}.${snake(field)}`
    return `${printed(value, schema as { format?: string; decimals?: number })} as "${field}"`
  })
  return raw(`(select row_to_json(fields) from (select ${columns.join(', ')}) fields)`)
}

function printed(value: string, { format, decimals }: { format?: string; decimals?: number }): string {
  if (format === 'date-time') return `to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  // 12.5000 is 12.5 to everybody but PostgreSQL.
  return decimals === undefined ? value : `trim_scale(${value})`
}

/** As a record answers them: every field is there. */
export const answered = (fields: TProperties, title: string): TObject => t.Object(mapped(fields, bare), { title })

/** As a new record takes them: a field with a default may be left out. */
export const created = <Fields extends TProperties>(fields: Fields): Fields =>
  mapped(fields, (field) => ('default' in field ? t.Optional(field) : field))

/** As a body may send them back: named, and ignored. */
export const readOnly = (fields: TProperties): TProperties =>
  mapped(fields, (field) => t.Optional(t.Unsafe({ ...bare(field), readOnly: true })))

/** As a change takes them: any may be left out, and defaults, which belong to creation, do not apply. */
export const changed = <Fields extends TProperties>(fields: Fields): Fields =>
  mapped(fields, (field) => t.Optional(bare(field)))

/** The JSON Schema of a field alone: neither optional nor with a default. */
const bare = ({ default: _, ...schema }: TSchema & { default?: unknown }): TSchema => t.Unsafe(schema)

const mapped = <Fields extends TProperties>(fields: Fields, change: (field: TSchema) => TSchema): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field)])) as Fields
