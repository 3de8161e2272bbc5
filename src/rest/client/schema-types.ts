// Schemas as TypeScript: an interface for each that has a title, the expression of a type for any other.
import { isNullable, isRequired, type JsonSchema } from '../../operations/json-schema.ts'
import { createEnumNames, outermost, type SchemaPlace } from '../enum-names.ts'
import { writable } from './calls.ts'

export interface TypeWriter {
  /** The type of a value: as it is answered, or as it is sent. */
  typeOf(schema: JsonSchema): string
  /** Every interface and every list of words that was referred to so far, in that order. */
  interfaces(): readonly string[]
  /** The names of these. */
  names(): readonly string[]
}

export function createTypeWriter(): TypeWriter {
  const written = new Map<string, string>()
  const titles = new Set<string>()
  const enumAt = createEnumNames((name) => titles.has(name))

  const typeOf = (schema: JsonSchema, place = outermost): string => {
    const type = bareType(schema, place)
    return isNullable(schema) && !type.split(' | ').includes('null') ? `${type} | null` : type
  }

  function bareType(schema: JsonSchema, place: SchemaPlace): string {
    if (schema.title) return reference(schema.title, schema)
    if (schema.const !== undefined) return literal(schema.const)
    if (schema.enum) return enumType(schema, place)
    if (schema.anyOf) return [...new Set(schema.anyOf.map((one) => typeOf(one, place)))].join(' | ')
    const [type] = [schema.type ?? []].flat().filter((one) => one !== 'null')
    switch (type) {
      case 'string':
        return 'string'
      case 'integer':
      case 'number':
        return 'number'
      case 'boolean':
        return 'boolean'
      case 'array':
        return arrayOf(typeOf(schema.items ?? {}, place))
      case 'object':
        return objectType(schema, place)
      default:
        return 'unknown'
    }
  }

  function reference(title: string, { title: _, ...schema }: JsonSchema): string {
    if (!written.has(title)) {
      titles.add(title)
      written.set(title, '') // it may refer to itself
      const within = { owner: title, field: '' }
      written.set(title, `${comment(schema.description, '')}export interface ${title} ${members(schema, within, '')}`)
    }
    return title
  }

  function enumType(schema: JsonSchema, place: SchemaPlace): string {
    const named = enumAt(place, schema)
    if (!named) return schema.enum!.map(literal).join(' | ')
    written.set(named.name, `export type ${named.name} = ${named.values.map(literal).join(' | ')}`)
    return named.name
  }

  function objectType(schema: JsonSchema, place: SchemaPlace, indent = '  '): string {
    if (schema.properties && Object.keys(schema.properties).length > 0) return members(schema, place, indent)
    const { additionalProperties } = schema
    const values =
      typeof additionalProperties === 'object' ? typeOf(additionalProperties as JsonSchema, place) : 'unknown'
    return `Record<string, ${values}>`
  }

  function members(schema: JsonSchema, { owner }: SchemaPlace, indent: string): string {
    const own = writable(schema)
    const lines = Object.entries(own.properties ?? {}).map(([name, field]) => {
      const place = { owner, field: name }
      const shape =
        field.type === 'object' && !field.title ? objectType(field, place, `${indent}  `) : typeOf(field, place)
      return `${comment(describe(field), `${indent}  `)}${indent}  ${name}${isRequired(schema, name) ? '' : '?'}: ${shape}`
    })
    return `{\n${lines.join('\n')}\n${indent}}`
  }

  return { typeOf, interfaces: () => [...written.values()], names: () => [...written.keys()] }
}

/** What is said of a field, and what it is unless given. */
const describe = ({ description, default: value }: JsonSchema) =>
  [description, value !== undefined && `Unless given: \`${JSON.stringify(value)}\`.`].filter(Boolean).join(' ')

export function comment(text: string | undefined, indent: string): string {
  if (!text) return ''
  const lines = text.replaceAll('*/', '* /').split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

const arrayOf = (type: string) => (/[ |{]/.test(type) ? `(${type})[]` : `${type}[]`)
const literal = (value: unknown) => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value))
