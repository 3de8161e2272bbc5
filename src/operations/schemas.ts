// The schemas that fields are made of: JSON Schema with the types of typebox. They are made here because typebox loads hundreds of files
// to make them, which took 0.2 s of every command and 0.1 s of every start.
import type { TProperties, TSchema, Type } from 'typebox'

type Kind = 'Any' | 'Array' | 'Boolean' | 'Enum' | 'Integer' | 'Null' | 'Number' | 'Object' | 'String' | 'Union'
type Options = Readonly<Record<string, unknown>>

/** Names in it are those of typebox, and so is what they make. */
export const t = {
  Any: (options?: Options) => ({ ...options }),
  Array: (items: TSchema, options?: Options) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Options) => ({ type: 'boolean', ...options }),
  Enum: (values: readonly unknown[], options?: Options) => ({ enum: values, ...options }),
  Integer: (options?: Options) => ({ type: 'integer', ...options }),
  Null: (options?: Options) => ({ type: 'null', ...options }),
  Number: (options?: Options) => ({ type: 'number', ...options }),
  Object: (properties: TProperties, options?: Options) => {
    const required = Object.keys(properties).filter((name) => !isOptional(properties[name]!))
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
  },
  String: (options?: Options) => ({ type: 'string', ...options }),
  Union: (anyOf: readonly TSchema[], options?: Options) => ({ anyOf, ...options }),
  /** Hidden, so that it is no part of the JSON Schema, and gone from a copy that is spread. */
  Optional: (schema: TSchema) => Object.defineProperty({ ...schema }, optionalMark, { value: true }),
  Unsafe: (schema: TSchema) => ({ ...schema }),
} as unknown as Pick<typeof Type, Kind | 'Optional' | 'Unsafe'>

const optionalMark = '~optional'
const isOptional = (schema: TSchema): boolean => Object.hasOwn(schema, optionalMark)

/** Of a value what its schema declares, however deep it is. */
export function onlyDeclared(schema: TSchema, value: unknown): unknown {
  const { properties, items, additionalProperties } = schema as {
    readonly properties?: Readonly<Record<string, TSchema>>
    readonly items?: TSchema
    readonly additionalProperties?: unknown
  }
  if (Array.isArray(value)) return items ? value.map((item) => onlyDeclared(items, item)) : value
  if (!properties || typeof value !== 'object' || value === null || additionalProperties) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => Object.hasOwn(properties, name))
      .map(([name, member]) => [name, onlyDeclared(properties[name]!, member)]),
  )
}
