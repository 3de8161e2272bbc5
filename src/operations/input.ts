// What a caller sent, made into what an operation takes: known fields only, tidied, checked, or refused by name.
import type { TObject } from 'typebox'
import { Compile } from 'typebox/schema'
import { toScaled } from '../domain/money.ts'
import { hasForbiddenCharacters } from '../domain/text.ts'
import { badRequest } from './errors.ts'
import { formats, idPattern, idRule, parseInstant } from './fields.ts'

export interface ParsedInput {
  readonly value: Record<string, unknown>
  /** Keys that nobody declared: they are left out, and reported to the caller. */
  readonly ignored: readonly string[]
}
export type InputParser = (input: unknown) => ParsedInput

type Normalize = (value: unknown, path: string) => unknown
/** The members of JSON Schema that are looked at here. */
interface InputSchema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly maxLength?: number
  readonly maxItems?: number
  readonly decimals?: number
  readonly default?: unknown
  /** Only the server writes it: what a caller sends back of it is ignored. */
  readonly readOnly?: boolean
  readonly items?: InputSchema
  readonly additionalProperties?: boolean | InputSchema
  readonly properties?: Readonly<Record<string, InputSchema>>
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly not?: { readonly required: readonly string[] }
}

export function createBodyParser(schema: TObject): InputParser {
  const parse = createParser(schema)
  return (given = {}) => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      throw badRequest('The body must be a JSON object')
    }
    return parse(given as Record<string, unknown>)
  }
}

/** A query is text: what its schema calls a number or a boolean is read as one, everything else stays text. */
export function createQueryParser(schema: TObject): InputParser {
  const parse = createParser(schema)
  const properties = Object.entries(schema.properties as Readonly<Record<string, InputSchema>>)
  return (given) => {
    const typed: Record<string, unknown> = { ...(given as object) }
    for (const [name, shape] of properties) {
      const value = typed[name]
      if (shape.type === 'array') {
        if (value !== undefined) typed[name] = splitList(value)
        continue
      }
      if (Array.isArray(value)) throw badRequest(`${name} must be given once`)
      if (typeof value === 'string') typed[name] = coerceText(value, shape)
    }
    return parse(typed)
  }
}

function createParser(schema: TObject): (given: Record<string, unknown>) => ParsedInput {
  const properties = Object.entries(schema.properties as Readonly<Record<string, InputSchema>>)
  const fields = properties
    .filter(([, shape]) => !shape.readOnly)
    .map(([name, shape]) => ({ name, normalize: createNormalizer(shape), defaultValue: shape.default }))
  const known = new Set(fields.map(({ name }) => name))
  const isClosed = (schema as { additionalProperties?: unknown }).additionalProperties === false
  const refuseCombination = createCombinationRule(schema as InputSchema)
  // Compiling those of all operations is a fifth of a start, and few of them are needed soon.
  let validator: ReturnType<typeof Compile<TObject>> | undefined
  return (given) => {
    const ignored = Object.keys(given).filter((name) => !known.has(name))
    const unknownKey = isClosed && ignored.find((name) => !Object.hasOwn(schema.properties, name))
    if (unknownKey) throw badRequest(`${unknownKey.slice(0, 60)} is not allowed`)
    const value: Record<string, unknown> = {}
    for (const { name, normalize, defaultValue } of fields) {
      if (Object.hasOwn(given, name)) value[name] = normalize(given[name], name)
      else if (defaultValue !== undefined) value[name] = defaultValue
    }
    refuseCombination(value)
    validator ??= Compile(schema)
    if (!validator.Check(value)) throw badRequest(validationMessage(validator.Errors(value)[1]))
    return { value, ignored }
  }
}

/** How many fields there are, and which of them exclude each other: told in words that name them. */
function createCombinationRule({ properties = {}, minProperties = 0, maxProperties, not }: InputSchema) {
  const names = Object.keys(properties)
  return (value: Readonly<Record<string, unknown>>): void => {
    const count = Object.keys(value).length
    if (maxProperties === 1 && count !== 1) throw badRequest(`Give exactly one of ${names.join(' and ')}`)
    if (count < minProperties) throw badRequest('At least one updatable field is required')
    if (not?.required.every((name) => Object.hasOwn(value, name)))
      throw badRequest(`Give ${not.required.join(' or ')}, not both`)
  }
}

/** A list is given one by one, or between commas. */
const splitList = (value: unknown): unknown[] =>
  [value].flat().flatMap((one) => (typeof one === 'string' ? one.split(',').filter(Boolean) : [one]))

function coerceText(value: string, { type, format }: InputSchema): unknown {
  // A plus that was not encoded arrives as a space.
  if (format === 'phone') return value.replace(/^ (?=\d)/, '+')
  // Hundreds of digits are a very large number, not none at all.
  if (type === 'integer' || type === 'number') {
    return /^-?\d+(\.\d+)?$/.test(value) ? Math.min(Number(value), Number.MAX_VALUE) : value
  }
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value
  return value
}

/** Trims text, turns what is empty into null where that is allowed, and writes date-times in one way. */
function createNormalizer(shape: InputSchema): Normalize {
  const types = [shape.type ?? []].flat()
  const members = Object.entries(shape.properties ?? {}).map(
    ([name, member]) => [name, createNormalizer(member)] as const,
  )
  const entry = shape.items && createNormalizer(shape.items)
  const { maxLength = Number.POSITIVE_INFINITY, maxItems = Number.POSITIVE_INFINITY, decimals } = shape
  const isClosed = shape.additionalProperties === false
  const others =
    typeof shape.additionalProperties === 'object' ? createNormalizer(shape.additionalProperties) : undefined
  const { maxProperties = Number.POSITIVE_INFINITY } = shape
  const isDateTime = shape.format === 'date-time'
  const emptyIsNull = types.includes('null')

  return (value, path) => {
    if (typeof value === 'string') {
      const trimmed = value.trim()
      if (hasForbiddenCharacters(trimmed)) throw badRequest(`${path} has characters that are not allowed`)
      if (trimmed === '' && emptyIsNull) return null
      // JSON Schema counts code points; we count as JavaScript, Java and C# do, which is never more generous.
      if (trimmed.length > maxLength) throw badRequest(`${path} must be at most ${maxLength} characters`)
      return isDateTime ? (parseInstant(trimmed)?.toISOString() ?? trimmed) : trimmed
    }
    if (typeof value === 'number' && decimals !== undefined && toScaled(value, decimals) === undefined) {
      throw badRequest(`${path} must have at most ${decimals} decimal places`)
    }
    // Before anything in them is looked at: a list of a million entries is refused for its length alone.
    if (Array.isArray(value) && value.length > maxItems)
      throw badRequest(`${path} must have at most ${maxItems} entries`)
    if (Array.isArray(value)) return entry ? value.map((item, index) => entry(item, `${path}[${index}]`)) : value
    if (typeof value === 'object' && value !== null && others)
      return normalizeEntries(value, path, others, maxProperties)
    if (typeof value === 'object' && value !== null && members.length > 0) {
      const unknownKey = isClosed && Object.keys(value).find((name) => !Object.hasOwn(shape.properties!, name))
      if (unknownKey) throw badRequest(`${path}.${unknownKey.slice(0, 60)} is not allowed`)
      const normalized: Record<string, unknown> = { ...value }
      for (const [name, normalize] of members) {
        if (Object.hasOwn(normalized, name)) normalized[name] = normalize(normalized[name], `${path}.${name}`)
      }
      return normalized
    }
    return value
  }
}

/** A table by names that callers choose: they are stored as they are, so they are text like any other. */
function normalizeEntries(value: object, path: string, normalize: Normalize, maxEntries: number): object {
  const entries = Object.entries(value)
  if (entries.length > maxEntries) throw badRequest(`${path} must have at most ${maxEntries} entries`)
  return Object.fromEntries(
    entries.map(([name, one]) => {
      if (hasForbiddenCharacters(name)) throw badRequest(`${path} has a name with characters that are not allowed`)
      return [name, normalize(one, `${path}.${name.slice(0, 60)}`)]
    }),
  )
}

interface ValidationFailure {
  readonly keyword: string
  readonly instancePath: string
  readonly params: object
}

/** The first failure in the order the fields are declared, in words: `lineItems[2].quantity must be greater than 0`. */
function validationMessage(failures: readonly ValidationFailure[]): string {
  // A key that is not allowed is reported twice; the one that names the schema `false` says nothing.
  const [first] = failures.filter(({ keyword }) => keyword !== 'boolean')
  if (!first) return 'The input is not valid'
  const path = formatPath(first.instancePath)
  const params = first.params as Record<string, unknown>
  const within = (name: unknown) => (path ? `${path}.${name}` : String(name))
  switch (first.keyword) {
    case 'required':
      return `${within((params.requiredProperties as string[])[0])} is required`
    case 'additionalProperties':
      return `${within((params.additionalProperties as string[])[0])} is not allowed`
    case 'type':
      return `${path} must be ${[params.type as string | string[]].flat().map(describeType).join(' or ')}`
    case 'minLength':
      return `${path} must not be empty`
    case 'maxLength':
      return `${path} must be at most ${params.limit} characters`
    case 'minimum':
      return `${path} must be at least ${params.limit}`
    case 'maximum':
      return `${path} must be at most ${params.limit}`
    case 'exclusiveMinimum':
      return `${path} must be greater than ${params.limit}`
    case 'maxItems':
      return `${path} must have at most ${params.limit} entries`
    case 'enum':
      return `${path} must be one of ${(params.allowedValues as unknown[]).filter((value) => value !== null).join(', ')}`
    case 'format':
      return `${path} ${formats[params.format as string]?.message ?? 'has the wrong format'}`
    case 'pattern':
      return `${path} ${params.pattern === idPattern ? idRule : `must match ${params.pattern}`}`
    default:
      return `${path} is not valid`
  }
}

const describeType = (type: string) => typeNames[type] ?? type
const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
}

/** `/lineItems/2/quantity` as people write it: `lineItems[2].quantity`. */
const formatPath = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
