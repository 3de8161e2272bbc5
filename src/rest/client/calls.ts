// How the client calls an operation, read off its route: `PUT /tickets/:ticketId/status` is `tickets.setStatus(ticketId, …)`.
import { type FileKind, fileKindOf } from '../../operations/answers.ts'
import { isRequired, type JsonSchema } from '../../operations/json-schema.ts'
import type { Operation } from '../../operations/operation.ts'
import { capitalise, toCamelCase } from '../../operations/string-case.ts'

/** A collection on the way to a method: `devices`, which lies under a `customerId`. */
export interface CollectionStep {
  readonly name: string
  readonly parentId: string | undefined
}

export interface ClientCall {
  readonly operation: Operation
  readonly collections: readonly CollectionStep[]
  readonly method: string
  /** The record of the innermost collection that it is about. */
  readonly id: string | undefined
  readonly body: Argument | undefined
  readonly query: Argument | undefined
  /** The key of the list that it answers. */
  readonly listKey: string | undefined
  readonly file: FileKind | undefined
  /** What asks for the file, such as `format:csv`, where the operation answers records without it. */
  readonly fileQuery: string | undefined
}

export interface Argument {
  readonly schema: JsonSchema
  readonly isOptional: boolean
}

/** In the order of the operations. One that answers records or a file is two calls: `moneyIn` and `moneyInFile`. */
export function clientCalls(operations: readonly Operation[]): readonly ClientCall[] {
  const isCollection = createCollectionTest(operations)
  const methodsAt = Map.groupBy(operations, ({ path }) => path)
  return operations.flatMap((operation) => {
    const call = callOf(operation, isCollection, methodsAt.get(operation.path)!.length > 1)
    const { orFile } = operation
    if (!orFile) return [call]
    const records = withoutParameter(call, orFile.parameter)
    const value = call.query?.schema.properties?.[orFile.parameter]?.enum?.at(-1)
    const fileQuery = `${orFile.parameter}:${value}`
    return [records, { ...records, method: `${call.method}File`, listKey: undefined, file: orFile, fileQuery }]
  })
}

/** Such as `jobwright.customers.devices(customerId).get`. */
export const callName = ({ collections, method }: ClientCall, show = (parentId: string) => parentId): string =>
  [
    'jobwright',
    ...collections.map(({ name, parentId }) => (parentId === undefined ? name : `${name}(${show(parentId)})`)),
    method,
  ].join('.')

function callOf(operation: Operation, isCollection: (path: string) => boolean, hasOtherMethods: boolean): ClientCall {
  const { method, body, query, returns } = operation
  const { collections, id, rest } = split(operation, isCollection)
  const fields = writable(body as JsonSchema)
  const takesBody = (method === 'POST' || method === 'PUT') && Object.keys(fields.properties ?? {}).length > 0
  const listKey = listKeyOf(returns as JsonSchema)
  return {
    operation,
    collections,
    id,
    method: rest ? nameOfRest(operation, rest, id !== undefined, hasOtherMethods) : nameOfPlain(operation, id, listKey),
    body: takesBody ? toArgument(fields) : undefined,
    query: listKey !== undefined || hasProperties(query as JsonSchema) ? toArgument(query as JsonSchema) : undefined,
    listKey,
    file: fileKindOf(returns),
    fileQuery: undefined,
  }
}

/** The collections that lead to an operation, the record in the last of them, and what follows that. */
function split({ path }: Operation, isCollection: (path: string) => boolean) {
  const parts = path.split('/').filter(Boolean)
  const collections: CollectionStep[] = [{ name: toCamelCase(parts[0] ?? 'organisation'), parentId: undefined }]
  let [id, rest]: [string | undefined, string | undefined] = [undefined, undefined]
  for (const [index, part] of parts.entries()) {
    if (index === 0) continue
    if (part.startsWith(':')) id = part.slice(1)
    else if (id !== undefined && isCollection(`/${parts.slice(0, index + 1).join('/')}`)) {
      collections.push({ name: toCamelCase(part), parentId: id })
      id = undefined
    } else rest = part
  }
  return { collections, id, rest }
}

/** A path below a record is a collection if records are named below it, or if it is a list. */
function createCollectionTest(operations: readonly Operation[]) {
  const paths = new Set(
    operations.flatMap(({ path, returns }) => [
      ...(listKeyOf(returns as JsonSchema) === undefined ? [] : [path]),
      ...[...path.matchAll(/\/:\w+/g)].map(({ index }) => path.slice(0, index)),
    ]),
  )
  return (path: string) => paths.has(path)
}

function nameOfPlain({ method }: Operation, id: string | undefined, listKey: string | undefined): string {
  if (method === 'GET') return listKey !== undefined && id === undefined ? 'list' : 'get'
  return { POST: 'create', PUT: 'update', DELETE: 'delete' }[method as 'POST' | 'PUT' | 'DELETE']
}

/** `/convert` is an action; what has several methods is a part of the record, which they get, set, create and delete. */
function nameOfRest({ method }: Operation, rest: string, isOfRecord: boolean, hasOtherMethods: boolean): string {
  const noun = capitalise(toCamelCase(rest))
  if (!isOfRecord || (method === 'POST' && !hasOtherMethods)) return toCamelCase(rest)
  return `${{ GET: 'get', POST: 'create', PUT: 'set', DELETE: 'delete' }[method as 'GET']}${noun}`
}

export const listKeyOf = ({ properties = {} }: JsonSchema): string | undefined =>
  properties.pagination && Object.keys(properties).find((name) => properties[name]?.type === 'array')

const hasProperties = ({ properties = {} }: JsonSchema) => Object.keys(properties).length > 0

/** Without what only the service writes. */
export function writable(schema: JsonSchema): JsonSchema {
  const own = Object.entries(schema.properties ?? {}).filter(([, field]) => !field.readOnly)
  return { ...schema, properties: Object.fromEntries(own) }
}

const toArgument = (schema: JsonSchema): Argument => ({
  schema,
  isOptional: !Object.keys(schema.properties ?? {}).some((name) => isRequired(schema, name)),
})

function withoutParameter(call: ClientCall, parameter: string): ClientCall {
  const { [parameter]: _, ...properties } = call.query?.schema.properties ?? {}
  const schema = { ...call.query?.schema, properties }
  return { ...call, query: call.listKey !== undefined || hasProperties(schema) ? toArgument(schema) : undefined }
}
