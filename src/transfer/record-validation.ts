// Whether a record of a file is one that this server could have written. The file may come from anybody.
import type { TObject, TSchema } from 'typebox'
import { hasForbiddenCharacters } from '../domain/text.ts'
import { isDate } from '../domain/wall-clock.ts'
import { ApiError } from '../operations/errors.ts'
import { idPattern, idRule, parseInstant } from '../operations/fields.ts'
import { createBodyParser } from '../operations/input.ts'
import { t } from '../operations/schemas.ts'
import { resources } from '../resources/index.ts'
import { isObject } from './file-format.ts'
import type { Column, RecordKind } from './record-kinds.ts'

/** Says what is wrong with a record, or nothing. */
export type RecordCheck = (record: unknown) => string | undefined

/** What the rows of each table may hold, as far as a resource describes it. */
const recordSchemas = new Map(resources.flatMap(({ tables }) => tables.map(({ name, record }) => [name, record])))

export function createRecordCheck(kind: RecordKind): RecordCheck {
  const columns = new Map(kind.columns.map((column) => [column.field, column]))
  const recordSchema = recordSchemas.get(kind.table)
  const checkSchema = recordSchema && createSchemaCheck(recordSchema, columns)
  return (record) => {
    if (!isObject(record)) return 'has no record'
    for (const [field, value] of Object.entries(record)) {
      const column = columns.get(field)
      if (!column) return `${kind.name} have no field ${JSON.stringify(field.slice(0, 60))}`
      if (value === null) continue
      const wrong = findTypeError(value, column)
      if (wrong) return `${field} ${wrong}`
    }
    for (const { field, isKey } of columns.values()) if (isKey && record[field] == null) return `${field} is required`
    return checkSchema?.(record)
  }
}

const isId = new RegExp(idPattern)

function findTypeError(value: unknown, { type, isKey }: Column): string | undefined {
  if (type === 'text' || type === 'text[]') {
    const texts = type === 'text' ? [value] : Array.isArray(value) ? value : [undefined]
    if (!texts.every((text) => typeof text === 'string'))
      return `must be ${type === 'text' ? 'text' : 'a list of texts'}`
    if (texts.some(hasForbiddenCharacters)) return 'has characters that are not allowed'
    return isKey && !isId.test(value as string) ? idRule : undefined
  }
  if (type.startsWith('timestamp'))
    return typeof value === 'string' && parseInstant(value) ? undefined : 'must be a date-time from 1970 on'
  if (/^(numeric|integer|bigint|smallint)/.test(type)) return typeof value === 'number' ? undefined : 'must be a number'
  if (type === 'date')
    return typeof value === 'string' && isDate(value) ? undefined : 'must be a day such as 2026-11-16'
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : 'must be true or false'
  if (type === 'json' || type === 'jsonb') return undefined
  if (type === 'bytea')
    return typeof value === 'string' && /^\\x([0-9a-f]{2})*$/.test(value)
      ? undefined
      : 'must be bytes such as \\x89504e47'
  throw new Error(`Nothing is known about values of type ${type}`)
}

/** The fields that callers are answered as they stand, in the words of the API. */
function createSchemaCheck({ properties }: TObject, columns: ReadonlyMap<string, Column>): RecordCheck {
  const sharedFields = Object.entries(properties as Record<string, TSchema>).filter(([field]) => columns.has(field))
  const read = createBodyParser(
    t.Object(
      Object.fromEntries(sharedFields.map(([field, fieldSchema]) => [field, t.Optional(withoutLimits(fieldSchema))])),
    ),
  )
  return (record) => {
    try {
      read(record)
      return undefined
    } catch (error) {
      if (error instanceof ApiError) return error.message
      throw error
    }
  }
}

const limitKeywords = new Set([
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'minItems',
  'maxItems',
  'decimals',
])

/** How long and how large a value may be is checked when it is written; what was written under other limits may stay. */
function withoutLimits<Schema>(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(withoutLimits) as Schema
  if (!isObject(schema)) return schema
  const unlimited = Object.entries(schema).filter(
    ([name, value]) => !limitKeywords.has(name) || typeof value !== 'number',
  )
  return Object.fromEntries(unlimited.map(([name, value]) => [name, withoutLimits(value)])) as Schema
}
