// How records leave PostgreSQL: encoded into one text of exactly the declared fields, which is written out as JSON here.
// Having PostgreSQL write the JSON takes it more than twice as long, and rows turned into objects take us as long again.
import type { TProperties } from 'typebox'
import { raw, type Sql } from '../db/database.ts'
import { type RecordWriter, recordWriter, type ValueKind } from './record-writer.ts'
import { maxPageBytes, separators } from './row-format.ts'

/** The SQL a field is read by, where that is not its column. */
export type ReadExpressions = Readonly<Record<string, string>>

/** What a field's JSON becomes on its way out, where that takes more than the database knows. */
export type Transforms<Context> = Readonly<Record<string, (json: string, context: Context, id: string) => string>>

interface FieldShape {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly decimals?: number
}

const unitSeparator = String.fromCharCode(separators.unit)
const recordSeparator = String.fromCharCode(separators.record)
const nullMarker = String.fromCharCode(separators.nothing)
const cutMarker = String.fromCharCode(separators.cut)

/**
 * The length of a text in bytes is known to PostgreSQL: a page that is not far too long costs nothing more, and is cut here.
 * Counting characters takes longer than reading the records, so that only as many are counted as are sent.
 */
const encodedPage = `case when octet_length(encoded_rows) > ${2 * maxPageBytes} and strpos(encoded_rows, '${recordSeparator}') > 0
  then left(encoded_rows, greatest(strpos(encoded_rows, '${recordSeparator}'), ${maxPageBytes})) || '${cutMarker}'
  else encoded_rows end as encoded`

export interface RowCodec<Context = void> {
  /** A record in one text. */
  readonly encoded: Sql
  /** Many such texts, in one. */
  readonly encodedRows: Sql
  /** Of many such texts in the column `encoded_rows` as many as a page may hold; then the last one is cut off in between. */
  readonly encodedPage: Sql
  /** The texts that were put together. */
  split(text: string | null): string[]
  /** The JSON of all of a page. */
  readonly writePage: RecordWriter<Context>['writePage']
  toJson(text: string, context: Context): string
  /** The same record as an object, for code that goes on with it: moments are ISO strings, as in JSON. */
  toRow(text: string, context: Context): Record<string, unknown>
}

export function rowCodec<Context = void>(
  fields: TProperties,
  row: string,
  reads: ReadExpressions = {},
  transforms: Transforms<Context> = {},
): RowCodec<Context> {
  const entries = Object.entries(fields) as [string, FieldShape][]
  const columns = entries.map(
    ([field, shape]) => `coalesce(${readExpression(field, shape, row, reads)}::text, '${nullMarker}')`,
  )
  const names = entries.map(([field], index) => `${index === 0 ? '{' : ','}"${field}":`)
  const valueKinds = entries.map(([, shape]) => valueKind(shape))
  const transformed = entries.flatMap(([field], place) =>
    transforms[field] ? [{ place, transform: transforms[field] }] : [],
  )
  const splitFields = (text: string, context: Context): string[] => {
    const values = text.split(unitSeparator)
    if (values.length !== names.length) throw new Error(`A record of ${row} holds a separator`)
    for (const { place, transform } of transformed) {
      if (values[place] !== nullMarker) values[place] = transform(values[place]!, context, values[0]!)
    }
    return values
  }
  const split = (text: string | null) => (text === null ? [] : text.split(recordSeparator))
  const writtenFields = entries.map(([name], index) => {
    const [kind, transform] = [valueKinds[index]!, transforms[name]]
    const toJson =
      transform && ((value: string, context: Context, id: string) => valueToJson(transform(value, context, id), kind))
    return { name, kind, toJson }
  })
  return {
    encoded: raw(`concat_ws('${unitSeparator}', ${columns.join(', ')}) as encoded`),
    encodedRows: raw(`string_agg(encoded, '${recordSeparator}')`),
    encodedPage: raw(encodedPage),
    split,
    writePage: recordWriter<Context>(row, writtenFields).writePage,
    toJson(text, context) {
      const values = splitFields(text, context)
      let json = ''
      for (let index = 0; index < names.length; index++)
        json += names[index]! + valueToJson(values[index]!, valueKinds[index]!)
      return `${json}}`
    },
    toRow(text, context) {
      const values = splitFields(text, context)
      return Object.fromEntries(
        entries.map(([field], index) => [field, decodeValue(values[index]!, valueKinds[index]!)]),
      )
    },
  }
}

export interface EmbeddedJson {
  /** The one that a condition finds, or null. */
  one(where: string): string
  /** All of them, the oldest first. */
  list(where: string): string
}

/** The JSON of rows, for a statement that embeds them in another record. */
export function embeddedRowJson(fields: TProperties, row: string, reads: ReadExpressions = {}): EmbeddedJson {
  const columns = Object.entries(fields).map(([field, shape]) => {
    const value = readExpression(field, shape as FieldShape, row, reads)
    return `${(shape as FieldShape).format === 'date-time' ? timestampJson(value) : value} as "${field}"`
  })
  const rows = (where: string) => `(select ${columns.join(', ')} from ${row} where ${where}) record`
  return {
    one: (where) => `(select row_to_json(record) from ${rows(where)})`,
    list: (where) =>
      `(select coalesce(json_agg(row_to_json(record) order by record."createdAt", record.id), '[]') from ${rows(where)})`,
  }
}

/** A moment within JSON that PostgreSQL writes. */
export const timestampJson = (value: string) => `to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

export const toSnakeCase = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** 12.5000 is 12.5 to everybody but PostgreSQL. */
function readExpression(field: string, { decimals }: FieldShape, row: string, reads: ReadExpressions): string {
  const value = reads[field] ?? `${row}.${toSnakeCase(field)}`
  return decimals === undefined ? value : `trim_scale(${value})`
}

/** What must be escaped in the text of a JSON string. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among it
const needsEscaping = /["\\\u0000-\u001f]/

const valueKind = ({ type, format }: FieldShape): ValueKind =>
  ![type].flat().includes('string') ? 'other' : format === 'date-time' ? 'moment' : 'text'

function valueToJson(value: string, kind: ValueKind): string {
  if (value === nullMarker) return 'null'
  if (kind === 'text') return needsEscaping.test(value) ? JSON.stringify(value) : `"${value}"`
  return kind === 'moment' ? timestampToJson(value) : value
}

/** A number, a boolean or JSON is printed by PostgreSQL as JSON prints it. */
function decodeValue(value: string, kind: ValueKind): unknown {
  if (value === nullMarker) return null
  return kind === 'text' ? value : JSON.parse(kind === 'moment' ? timestampToJson(value) : value)
}

/** `2026-11-15 03:35:16.21+00`, as PostgreSQL prints it in UTC, in our one way: its length tells what it left out. */
function timestampToJson(printed: string): string {
  const day = printed.slice(0, 10)
  switch (printed.length) {
    case 26:
      return `"${day}T${printed.slice(11, 23)}Z"`
    case 25:
      return `"${day}T${printed.slice(11, 22)}0Z"`
    case 24:
      return `"${day}T${printed.slice(11, 21)}00Z"`
    default:
      return `"${day}T${printed.slice(11, 19)}.000Z"`
  }
}
