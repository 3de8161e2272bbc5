// A believable example for any schema: what its author gave in `examples`, else the plainest value that fits.
import type { TSchema } from 'typebox'
import { idPattern } from '../../operations/fields.ts'
import { exampleId } from '../../operations/ids.ts'
import { isNullable, type JsonSchema } from '../../operations/json-schema.ts'
import type { Resource } from '../../operations/operation.ts'

export interface Examples {
  /** `path` is the operation's: an `id` in a schema without a title is one of the record that the path names. */
  valueOf(schema: TSchema, path: string): unknown
  /** An id for the last parameter of a path. */
  idAt(path: string): string
}

/** Ids begin with the prefix of the table that they lead to: what a path leads to is what reading it returns. */
export function createExamples(resources: readonly Resource[]): Examples {
  const prefixes = new Map(
    resources.flatMap(({ tables, parts = [] }) =>
      [...tables, ...parts].map(({ typeName, prefix }) => [typeName, prefix] as const),
    ),
  )
  const readPaths = new Map(
    resources
      .flatMap(({ operations }) => operations)
      .filter(({ method, path }) => method === 'GET' && /:\w+$/.test(path))
      .map(({ path, returns }) => [path, prefixes.get((returns as JsonSchema).title ?? '')] as const),
  )
  /** `customerId`, as paths call it, and `recurringScheduleId`, as fields do. */
  const byName = new Map([
    ...[...readPaths].map(([path, prefix]) => [path.slice(path.lastIndexOf(':') + 1), prefix] as const),
    ...[...prefixes].map(([title, prefix]) => [`${title.charAt(0).toLowerCase()}${title.slice(1)}Id`, prefix] as const),
  ])
  const idAt = (path: string) => exampleId(readPaths.get(path.slice(0, lastParameterEnd(path))))
  return {
    idAt,
    valueOf: (schema, path) =>
      exampleValue(schema as JsonSchema, 'id', {
        owner: undefined,
        idOf: (owner) => (owner === undefined ? idAt(path) : exampleId(prefixes.get(owner))),
        idNamed: (name) => exampleId(byName.get(name)),
      }),
  }
}

const lastParameterEnd = (path: string) => /^.*:\w+/.exec(path)?.[0].length ?? path.length

interface IdSource {
  /** The title of the record that a value belongs to. */
  readonly owner: string | undefined
  idOf(owner: string | undefined): string
  idNamed(name: string): string
}

function exampleValue(schema: JsonSchema, name: string, ids: IdSource): unknown {
  if (schema.examples) return schema.examples[0]
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (isNullable(schema)) return null
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return exampleValue(schema.anyOf[0]!, name, ids)
  switch (schema.type) {
    case 'object': {
      const own = { ...ids, owner: schema.title ?? ids.owner }
      const [, ...excluded] = schema.not?.required ?? []
      const members = Object.entries(schema.properties ?? {})
        .filter(([key, member]) => !member.readOnly && !excluded.includes(key))
        .slice(0, schema.maxProperties)
      return Object.fromEntries(members.map(([key, member]) => [key, exampleValue(member, key, own)]))
    }
    case 'array':
      return schema.items ? [exampleValue(schema.items, name, ids)] : []
    case 'string':
      return exampleText(schema, name, ids)
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
  date: '2026-11-16',
  'https-url': 'https://harbour-repairs.example/a',
  'time-zone': 'Europe/London',
  phone: '+44 7700 900123',
  locale: 'en-GB',
  currency: 'GBP',
}

function exampleText({ format, pattern }: JsonSchema, name: string, ids: IdSource): string {
  if (name === 'id') return ids.idOf(ids.owner)
  if (pattern === idPattern) return ids.idNamed(name)
  return exampleTexts[format ?? ''] ?? 'Text'
}
