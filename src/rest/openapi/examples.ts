// A believable example for any schema: what its author gave in `examples`, else the plainest value that fits.
import type { TSchema } from 'typebox'
import { idPattern } from '../../operations/fields.ts'
import { isNullable, type JsonSchema } from '../../operations/json-schema.ts'

/** `noun` is the record the value belongs to: an `id` without a name of its own is one of its ids. */
export const exampleOf = (schema: TSchema, noun: string): unknown => exampleValue(schema as JsonSchema, 'id', noun)

/** `customerId` → `cus_…`: ids begin with what they name, and the rest is the same everywhere so that examples agree. */
export const exampleId = (noun: string): string => `${noun.slice(0, 3).toLowerCase()}_01m7f6ymm0q3v8w2x5t9k4h7rd`

function exampleValue(schema: JsonSchema, name: string, noun: string): unknown {
  if (schema.examples) return schema.examples[0]
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (isNullable(schema)) return null
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return exampleValue(schema.anyOf[0]!, name, noun)
  switch (schema.type) {
    case 'object': {
      const owner = schema.title ?? noun
      const members = Object.entries(schema.properties ?? {}).filter(([, member]) => !member.readOnly)
      return Object.fromEntries(members.map(([key, member]) => [key, exampleValue(member, key, owner)]))
    }
    case 'array':
      return schema.items ? [exampleValue(schema.items, name, noun)] : []
    case 'string':
      return exampleText(schema, name, noun)
    case 'boolean':
      return false
    default:
      // A page of one record would be a strange example.
      return name === 'limit' ? 50 : (schema.minimum ?? (schema.exclusiveMinimum ?? 0) + 1)
  }
}

const exampleTexts: Readonly<Record<string, string>> = {
  email: 'amara@okafor-bakery.example',
  'date-time': '2026-11-15T09:00:00.000Z',
  'https-url': 'https://harbour-repairs.example/a',
  'time-zone': 'Europe/London',
  phone: '+44 7700 900123',
  locale: 'en-GB',
  currency: 'GBP',
}

function exampleText({ format, pattern }: JsonSchema, name: string, noun: string): string {
  if (pattern === idPattern || name === 'id') return exampleId(name === 'id' ? noun : name)
  return exampleTexts[format ?? ''] ?? 'Text'
}
