// A schema in the words of the reference: what kind of value, within which limits.
import { formats, idPattern } from '../operations/fields.ts'
import { isNullable, type JsonSchema } from '../operations/json-schema.ts'

/** `name` is how a titled schema is referred to. */
export function describeType(schema: JsonSchema, name: (title: string) => string): string {
  const isEmpty = schema.default === undefined || (Array.isArray(schema.default) && schema.default.length === 0)
  const defaultText = isEmpty ? '' : `, ${code(schema.default)} unless given`
  return describeBareType(schema, name) + (isNullable(schema) ? ', or null' : '') + defaultText
}

function describeBareType(schema: JsonSchema, name: (title: string) => string): string {
  const [type] = [schema.type ?? []].flat().filter((one) => one !== 'null')
  if (schema.title) return name(schema.title)
  if (schema.const !== undefined) return code(schema.const)
  if (Array.isArray(schema.enum))
    return `one of ${schema.enum
      .filter((value) => value !== null)
      .map(code)
      .join(', ')}`
  if (schema.anyOf) return schema.anyOf.map((one) => describeType(one, name)).join(' or ')
  switch (type) {
    case 'string':
      return describeText(schema)
    case 'integer':
      return `whole number${range(schema)}`
    case 'number':
      return `number${range(schema)}${atMost(schema.decimals, 'decimal places')}`
    case 'boolean':
      return 'true or false'
    case 'array':
      return `list of ${describeType(schema.items ?? {}, name)}${atMost(schema.maxItems, 'entries')}`
    default:
      return 'object'
  }
}

function describeText({ format, pattern, minLength, maxLength }: JsonSchema): string {
  if (pattern === idPattern) return 'id'
  if (format === 'date-time') return 'date-time'
  const kind = (formats[format ?? '']?.message ?? 'text').replace(/^must be (a valid |an? )?|,? such as .*$/g, '')
  const limits = minLength ? `, ${minLength} to ${maxLength} characters` : atMost(maxLength, 'characters')
  return kind + limits + (pattern ? ` matching ${code(pattern)}` : '')
}

const atMost = (most: number | undefined, what: string) => (most === undefined ? '' : `, at most ${most} ${what}`)

function range({ minimum, maximum, exclusiveMinimum }: JsonSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` from ${minimum}`
  if (exclusiveMinimum !== undefined)
    return ` above ${exclusiveMinimum}${maximum === undefined ? '' : `, at most ${maximum}`}`
  return maximum === undefined ? '' : ` up to ${maximum}`
}

export const code = (value: unknown) => `\`${value}\``
