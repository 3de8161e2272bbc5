// Our schemas as OpenAPI shows them: plain JSON Schema, in which whatever has a title is written once and referred to.
import type { TSchema } from 'typebox'
import { capitalised } from './errors.ts'
import { formats } from './fields.ts'
import { isNullable, isRequired, type JsonSchema } from './json-schema.ts'
import { refer } from './openapi-components.ts'

/** Collects the titled schemas it comes across; `show` gives back what stands in their place. */
export function schemaCollection() {
  const named: Record<string, JsonSchema> = {}

  const show = (schema: TSchema): JsonSchema => shown(schema as JsonSchema)

  function shown({ readOnly, ...schema }: JsonSchema): JsonSchema {
    return readOnly ? { ...written(schema), readOnly } : written(schema)
  }

  function written(schema: JsonSchema): JsonSchema {
    const { title, ...rest } = schema
    if (!title) return standard(schema)
    if (!isNullable(schema)) return keep(title, standard(rest))
    const [type] = [schema.type!].flat().filter((one) => one !== 'null')
    return { anyOf: [keep(title, standard({ ...rest, type: type! })), { type: 'null' }] }
  }

  function keep(title: string, schema: JsonSchema): JsonSchema {
    const known = named[title]
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`Two schemas are titled ${title}`)
    named[title] = schema
    return refer('schemas', title)
  }

  function standard(schema: JsonSchema): JsonSchema {
    const { format, decimals, required, properties, items, anyOf, ...rest } = schema
    const needed = required?.filter((name) => isRequired(schema, name)) ?? []
    return {
      ...rest,
      ...(format && formatOf(format, rest)),
      ...(decimals !== undefined && { multipleOf: Number(`1e-${decimals}`) }),
      ...(needed.length > 0 && { required: needed }),
      ...(properties && {
        properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, shown(one)])),
      }),
      ...(items && { items: shown(items) }),
      ...(anyOf && { anyOf: anyOf.map(shown) }),
    }
  }

  return { named, show }
}

/** Formats that only we know are told in words; the others keep their names. */
function formatOf(format: string, { description }: JsonSchema): JsonSchema {
  if (format === 'https-url') return { format: 'uri', pattern: '^https://' }
  const words = standardFormats.has(format) ? undefined : formats[format]?.words
  if (words === undefined) return { format }
  return description ? {} : { description: `${capitalised(words)}.` }
}

const standardFormats = new Set(['email', 'date', 'date-time', 'uri'])
