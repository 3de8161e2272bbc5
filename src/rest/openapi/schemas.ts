// Our schemas as OpenAPI shows them: plain JSON Schema, in which whatever has a title is written once and referred to.
import type { TSchema } from 'typebox'
import { formats } from '../../operations/fields.ts'
import { isNullable, isRequired, type JsonSchema } from '../../operations/json-schema.ts'
import { capitalise } from '../../operations/string-case.ts'
import { ref } from './components.ts'

/** Collects the titled schemas it comes across; `toSchema` returns the reference in their place. */
export function createSchemaRegistry() {
  const schemas: Record<string, JsonSchema> = {}

  const toSchema = (schema: TSchema): JsonSchema => convert(schema as JsonSchema)

  function convert({ readOnly, ...schema }: JsonSchema): JsonSchema {
    return readOnly ? { ...convertTitled(schema), readOnly } : convertTitled(schema)
  }

  function convertTitled(schema: JsonSchema): JsonSchema {
    const { title, ...rest } = schema
    if (!title) return toStandardSchema(schema)
    if (!isNullable(schema)) return register(title, toStandardSchema(rest))
    const [type] = [schema.type!].flat().filter((one) => one !== 'null')
    return { anyOf: [register(title, toStandardSchema({ ...rest, type: type! })), { type: 'null' }] }
  }

  function register(title: string, schema: JsonSchema): JsonSchema {
    const known = schemas[title]
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`Two schemas are titled ${title}`)
    schemas[title] = schema
    return ref('schemas', title)
  }

  function toStandardSchema(schema: JsonSchema): JsonSchema {
    const { format, decimals, required, properties, items, anyOf, ...rest } = schema
    const needed = required?.filter((name) => isRequired(schema, name)) ?? []
    return {
      ...rest,
      ...(format && standardFormat(format, rest)),
      ...(decimals !== undefined && { multipleOf: Number(`1e-${decimals}`) }),
      ...(needed.length > 0 && { required: needed }),
      ...(properties && {
        properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, convert(one)])),
      }),
      ...(items && { items: convert(items) }),
      ...(anyOf && { anyOf: anyOf.map(convert) }),
    }
  }

  return { schemas, toSchema }
}

/** Formats of our own are described in words; standard ones keep their names. */
function standardFormat(format: string, { description }: JsonSchema): JsonSchema {
  if (format === 'https-url') return { format: 'uri', pattern: '^https://' }
  const words = standardFormats.has(format) ? undefined : formats[format]?.message
  if (words === undefined) return { format }
  return description ? {} : { description: `${capitalise(words)}.` }
}

const standardFormats = new Set(['email', 'date', 'date-time', 'uri'])
