// What a tool takes and answers, as schemas for a model: one flat set of arguments, and as few tokens as possible.
import type { TSchema } from 'typebox'
import { formats } from '../operations/fields.ts'
import { isNullable, isRequired, type JsonSchema } from '../operations/json-schema.ts'
import { idsIn, type Operation } from '../operations/operation.ts'
import { capitalise } from '../operations/string-case.ts'

/** Where an argument belongs when the operation is carried out. */
type ArgumentLocation = 'params' | 'query' | 'body'

export interface ToolArguments {
  readonly schema: JsonSchema & { readonly type: 'object' }
  readonly locations: ReadonlyMap<string, ArgumentLocation>
  /** Those that are objects or lists: some clients send them as text. */
  readonly nested: ReadonlySet<string>
}

/** The argument that makes a call safe to repeat, as the header does on REST; the instructions say what it is, once for all tools. */
export const repetitionKey = 'idempotencyKey'

/** A model reads every record it is given, so a page is shorter than REST's. */
export const pageSize = 25

export function toolArguments({ method, path, query, body, orFile }: Operation): ToolArguments {
  const properties: Record<string, JsonSchema> = {}
  const locations = new Map<string, ArgumentLocation>()
  const nested = new Set<string>()
  const required: string[] = []

  for (const id of idsIn(path)) {
    properties[id] = { type: 'string' }
    locations.set(id, 'params')
    required.push(id)
  }
  const addArguments = (given: TSchema, location: ArgumentLocation) => {
    const schema = given as JsonSchema
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      // A model reads the answer itself, not a file of it.
      if (member.readOnly || name === orFile?.parameter) continue
      if (locations.has(name)) throw new Error(`${method} ${path} takes ${name} in two places`)
      // Where a record is created, null says no more than leaving a field out; in a change, empty text says the same as null.
      properties[name] = name === 'limit' ? limitSchema : compactSchema(member, method === 'PUT')
      locations.set(name, location)
      if (isRequired(schema, name)) required.push(name)
      if ([member.type].flat().some((type) => type === 'object' || type === 'array')) nested.add(name)
    }
  }
  addArguments(query, 'query')
  if (method !== 'GET') addArguments(body, 'body')
  if (method === 'POST') properties[repetitionKey] = { type: 'string' }
  return {
    schema: { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false },
    locations,
    nested,
  }
}

const limitSchema: JsonSchema = { type: 'integer', minimum: 1, maximum: 100, default: pageSize }

/** Bounds that nobody meets by chance are left to the refusal that names them. */
const maxUsefulBound = 10_000
/** So are codes of a long list, of which the description names the usual ones. */
const maxListedChoices = 25

function compactSchema(schema: JsonSchema, withNull: boolean): JsonSchema {
  const { type, description, format, minimum, maximum, properties, items, anyOf, additionalProperties } = schema
  const text = description ?? formatText(format)
  // Several kinds at once are more than some hosts can read, so null stays only where no empty text can stand for it.
  const keepsNull = withNull && ![type].flat().some((one) => one === 'string' || one === 'object')
  const members = Object.entries(properties ?? {}).filter(([, member]) => !member.readOnly)
  const needed = members.map(([name]) => name).filter((name) => isRequired(schema, name))
  return {
    ...(type !== undefined && { type: keepsNull ? type : withoutNull(type) }),
    ...(text !== undefined && { description: text }),
    ...(format !== undefined && standardFormats.has(format) && { format }),
    ...(schema.enum &&
      schema.enum.length <= maxListedChoices && {
        enum: keepsNull ? schema.enum : schema.enum.filter((value) => value !== null),
      }),
    ...(schema.const !== undefined && { const: schema.const }),
    ...(schema.default !== undefined && { default: schema.default }),
    ...(minimum !== undefined && minimum !== 0 && Math.abs(minimum) <= maxUsefulBound && { minimum }),
    ...(maximum !== undefined && maximum <= maxUsefulBound && { maximum }),
    ...(properties && {
      properties: Object.fromEntries(members.map(([name, member]) => [name, compactSchema(member, withNull)])),
    }),
    ...(needed.length > 0 && { required: needed }),
    ...(additionalProperties === false && { additionalProperties }),
    ...(items && { items: compactSchema(items, withNull) }),
    ...(anyOf && { anyOf: anyOf.map((one) => compactSchema(one, withNull)) }),
  }
}

const standardFormats = new Set(['email', 'date', 'date-time'])

const formatText = (format: string | undefined): string | undefined => {
  const rule = format === undefined || standardFormats.has(format) ? undefined : formats[format]?.message
  return rule && `${capitalise(rule)}.`
}

function withoutNull(type: NonNullable<JsonSchema['type']>): NonNullable<JsonSchema['type']> {
  const [only, ...more] = [type].flat().filter((one) => one !== 'null')
  return more.length > 0 ? type : only!
}

/** A list of records, and what of each is only shown where one is read by itself: its own lists, such as an invoice's lines. */
export interface ListShape {
  readonly key: string
  readonly omitted: readonly string[]
}

export function listShapeOf({ returns }: Operation): ListShape | undefined {
  const { properties = {} } = returns as JsonSchema
  const [key, records] = Object.entries(properties).find(([, { type }]) => type === 'array') ?? []
  if (!properties.pagination || !key) return undefined
  const members = Object.entries(records!.items?.properties ?? {})
  return { key, omitted: members.filter(([, { items }]) => items?.properties !== undefined).map(([name]) => name) }
}

/**
 * The names and kinds of what is answered, and what is within a record only by its kind: a model sees the rest when it
 * reads the answer. What has no value is left out of answers, so nothing is required and nothing is null.
 */
export function outputSchemaOf(operation: Operation): JsonSchema & { readonly type: 'object' } {
  const schema = operation.returns as JsonSchema
  const isRecord = schema.properties?.id !== undefined
  return { ...outline(schema, isRecord ? 1 : 2, listShapeOf(operation)?.omitted ?? []), type: 'object' }
}

function outline(schema: JsonSchema, depth: number, omitted: readonly string[]): JsonSchema {
  const type = schema.type && withoutNull(schema.type)
  return {
    ...(type !== undefined && { type }),
    ...(depth > 0 && {
      ...(schema.properties && {
        properties: Object.fromEntries(
          Object.entries(schema.properties)
            .filter(([name]) => !omitted.includes(name))
            .map(([name, member]) => [name, outline(member, depth - 1, omitted)]),
        ),
      }),
      ...(schema.items && { items: outline(schema.items, depth, omitted) }),
    }),
  }
}

/** Whether an answer is an object, which structured content has to be. */
export const returnsObject = ({ returns }: Operation): boolean =>
  (returns as JsonSchema).type === 'object' && !isNullable(returns as JsonSchema)
