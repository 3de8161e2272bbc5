// Our schemas as OpenAPI shows them: plain JSON Schema, in which whatever has a title is written once and referred to.
import type { TSchema } from 'typebox'
import { formats } from '../../operations/fields.ts'
import { isNullable, isRequired, type JsonSchema } from '../../operations/json-schema.ts'
import { capitalise } from '../../operations/string-case.ts'
import { createEnumNames, outermost, type SchemaPlace } from '../enum-names.ts'
import { ref } from './components.ts'

/** Collects the titled schemas it comes across; `toSchema` returns the reference in their place. */
export function createSchemaRegistry() {
  const schemas: Record<string, JsonSchema> = {}
  const titles = new Set<string>()
  const enumAt = createEnumNames((name) => titles.has(name))

  const toSchema = (schema: TSchema): JsonSchema => convert(schema as JsonSchema, outermost)

  function convert({ readOnly, ...schema }: JsonSchema, place: SchemaPlace): JsonSchema {
    return readOnly ? { ...convertTitled(schema, place), readOnly } : convertTitled(schema, place)
  }

  /** What a field is unless given is said in words: generators take a field with `default` for one that is always there. */
  function convertField({ default: value, ...field }: JsonSchema, place: SchemaPlace): JsonSchema {
    const schema = convert(field, place)
    if (value === undefined) return schema
    const words = `\`${JSON.stringify(value)}\` unless given.`
    return { ...schema, description: [schema.description, words].filter(Boolean).join(' ') }
  }

  function convertTitled(schema: JsonSchema, place: SchemaPlace): JsonSchema {
    const { title, ...rest } = schema
    if (!title) return convertEnum(schema, place) ?? toStandardSchema(schema, place)
    titles.add(title)
    const within = { owner: title, field: '' }
    if (!isNullable(schema)) return register(title, toStandardSchema(rest, within))
    const [type] = [schema.type!].flat().filter((one) => one !== 'null')
    return { anyOf: [register(title, toStandardSchema({ ...rest, type: type! }, within)), { type: 'null' }] }
  }

  /** What is said of it belongs to the place, the words to the name. */
  function convertEnum(schema: JsonSchema, place: SchemaPlace): JsonSchema | undefined {
    const named = enumAt(place, schema)
    if (!named) return undefined
    const reference = register(named.name, { type: 'string', enum: named.values })
    const { description } = schema
    return {
      ...(isNullable(schema) ? { anyOf: [reference, { type: 'null' }] } : reference),
      ...(description && { description }),
    }
  }

  function register(title: string, schema: JsonSchema): JsonSchema {
    const known = schemas[title]
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`Two schemas are titled ${title}`)
    schemas[title] = schema
    return ref('schemas', title)
  }

  function toStandardSchema(schema: JsonSchema, place: SchemaPlace): JsonSchema {
    const { format, decimals, required, properties, items, anyOf, ...rest } = schema
    const needed = required?.filter((name) => isRequired(schema, name)) ?? []
    return {
      ...rest,
      ...(format && standardFormat(format, rest)),
      ...(decimals !== undefined && { multipleOf: Number(`1e-${decimals}`) }),
      ...(needed.length > 0 && { required: needed }),
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, one]) => [name, convertField(one, { ...place, field: name })]),
        ),
      }),
      ...(items && { items: convert(items, place) }),
      ...(anyOf && { anyOf: anyOf.map((one) => convert(one, place)) }),
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
