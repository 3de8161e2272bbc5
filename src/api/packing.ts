// How records leave PostgreSQL: packed into one text of exactly the declared fields, which is written out as JSON here.
// Having PostgreSQL write the JSON takes it more than twice as long, and rows turned into objects take us as long again.
import type { TProperties } from 'typebox'
import { raw, type Sql } from '../database.ts'

/** The SQL a field is read by, where that is not its column. */
export type Reads = Readonly<Record<string, string>>

/** What a field's JSON becomes on its way out, where that takes more than the database knows. */
export type Finishes<With> = Readonly<Record<string, (json: string, using: With) => string>>

interface Shape {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly decimals?: number
}

/** The characters that ASCII has for this; what callers write cannot hold them. */
const unitSeparator = '\u001f'
const recordSeparator = '\u001e'
const nothing = '\u001d'

export interface Packing<With = void> {
  /** A record in one text. */
  readonly packed: Sql
  /** Many such texts, in one. */
  readonly together: Sql
  /** The texts that were put together. */
  apart(text: string | null): string[]
  /** A record begins with its id. */
  idOf(text: string): string
  json(text: string, using: With): string
}

export function packing<With = void>(
  fields: TProperties,
  row: string,
  read: Reads = {},
  finish: Finishes<With> = {},
): Packing<With> {
  const entries = Object.entries(fields) as [string, Shape][]
  const columns = entries.map(([field, shape]) => `coalesce(${readBy(field, shape, row, read)}::text, '${nothing}')`)
  const names = entries.map(([field], place) => `${place === 0 ? '{' : ','}"${field}":`)
  const kinds = entries.map(([, shape]) => kindOf(shape))
  const finishing = entries.flatMap(([field], place) => (finish[field] ? [{ place, finished: finish[field] }] : []))
  return {
    packed: raw(`concat_ws('${unitSeparator}', ${columns.join(', ')}) as packed`),
    together: raw(`string_agg(packed, '${recordSeparator}')`),
    apart: (text) => (text === null ? [] : text.split(recordSeparator)),
    idOf: (text) => text.slice(0, text.indexOf(unitSeparator)),
    json(text, using) {
      const values = text.split(unitSeparator)
      if (values.length !== names.length) throw new Error(`A record of ${row} holds a separator`)
      for (const { place, finished } of finishing) {
        if (values[place] !== nothing) values[place] = finished(values[place]!, using)
      }
      let json = ''
      for (let place = 0; place < names.length; place++) json += names[place]! + written(values[place]!, kinds[place]!)
      return `${json}}`
    },
  }
}

/** The JSON of one row, for a statement that embeds it in another record. */
export function embedded(fields: TProperties, row: string, read: Reads = {}): string {
  const columns = Object.entries(fields).map(([field, shape]) => {
    const value = readBy(field, shape as Shape, row, read)
    return `${(shape as Shape).format === 'date-time' ? momentJson(value) : value} as "${field}"`
  })
  return `(select row_to_json(record) from (select ${columns.join(', ')}) record)`
}

/** A moment within JSON that PostgreSQL writes. */
export const momentJson = (value: string) => `to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

export const snake = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** 12.5000 is 12.5 to everybody but PostgreSQL. */
function readBy(field: string, { decimals }: Shape, row: string, read: Reads): string {
  const value = read[field] ?? `${row}.${snake(field)}`
  return decimals === undefined ? value : `trim_scale(${value})`
}

/** What must be escaped in the text of a JSON string. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among it
const unsafe = /["\\\u0000-\u001f]/

type Kind = 'text' | 'moment' | 'other'

const kindOf = ({ type, format }: Shape): Kind =>
  ![type].flat().includes('string') ? 'other' : format === 'date-time' ? 'moment' : 'text'

function written(value: string, kind: Kind): string {
  if (value === nothing) return 'null'
  if (kind === 'text') return unsafe.test(value) ? JSON.stringify(value) : `"${value}"`
  return kind === 'moment' ? moment(value) : value
}

/** `2026-11-15 03:35:16.21+00`, as PostgreSQL prints it in UTC, in our one way: its length tells what it left out. */
function moment(printed: string): string {
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
