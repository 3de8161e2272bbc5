// Operations as tools: what is listed, to whom, and how a call becomes the same request that REST would make.

import { fileKindOf } from '../operations/answers.ts'
import { badRequest } from '../operations/errors.ts'
import type { OperationRequest } from '../operations/execute.ts'
import type { JsonSchema } from '../operations/json-schema.ts'
import type { Operation } from '../operations/operation.ts'
import type { Scope } from '../operations/scopes.ts'
import { capitalise } from '../operations/string-case.ts'
import type { AuthenticatedCaller } from '../rest/guard.ts'
import {
  type ListShape,
  listShapeOf,
  outputSchemaOf,
  pageSize,
  repetitionKey,
  returnsObject,
  type ToolArguments,
  toolArguments,
} from './schemas.ts'

export interface Hints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** A tool as `tools/list` shows it. */
export interface ToolListing {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonSchema & { readonly type: 'object' }
  readonly outputSchema?: JsonSchema & { readonly type: 'object' }
  readonly annotations: Hints
}

export interface Tool {
  readonly name: string
  readonly operation: Operation
  readonly input: ToolArguments
  readonly listShape: ListShape | undefined
  readonly isStructured: boolean
  readonly listing: ToolListing
}

/** `listCustomers` is `list_customers`. */
export const toolName = (operation: string): string =>
  operation.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Every operation but those that answer with a PDF, which a model cannot read; pictures it can look at. */
export function* createTools(operations: readonly Operation[]): Generator<Tool> {
  const findReadOperation = (list: Operation) =>
    operations.find(({ method, path }) => method === 'GET' && path.replace(/\/:\w+$/, '/:') === `${list.path}/:`)
  for (const operation of operations) {
    const isReadable = fileKindOf(operation.returns)?.mediaTypes.every((type) => type.startsWith('image/')) ?? true
    if (isReadable) yield createTool(operation, findReadOperation(operation))
  }
}

function createTool(operation: Operation, one: Operation | undefined): Tool {
  const name = toolName(operation.name)
  const input = toolArguments(operation)
  const isStructured = returnsObject(operation)
  const listShape = listShapeOf(operation)
  const sentences = [
    `${operation.summary}.`,
    operation.mcp.advice,
    listShape &&
      listShape.omitted.length > 0 &&
      one &&
      `For ${listShape.omitted.join(' and ')} read one: ${toolName(one.name)}.`,
  ]
  return {
    name,
    operation,
    input,
    listShape,
    isStructured,
    listing: {
      name,
      title: titleOf(name),
      description: sentences.filter(Boolean).join(' '),
      inputSchema: input.schema,
      ...(isStructured && { outputSchema: outputSchemaOf(operation) }),
      annotations: toolHints(operation),
    },
  }
}

const titleOf = (name: string) => capitalise(name.replaceAll('_', ' ').replace(/\bticket/g, 'job'))

/** What only adds something is a POST that creates; every other write changes or ends what was there. */
const toolHints = ({ method, status, mcp }: Operation): Hints => ({
  readOnlyHint: method === 'GET',
  destructiveHint: method !== 'GET' && status !== 201,
  idempotentHint: method !== 'POST',
  openWorldHint: mcp.isOpenWorld ?? false,
})

/** Which tools a host wants, by `X-MCP-Toolsets`: those of daily use, all, those that read, or some resources. */
export function createToolSelector(tools: readonly Tool[], directTools: readonly string[]) {
  const byName = new Map(tools.map((tool) => [tool.operation.name, tool]))
  const direct = directTools.map((name) => {
    const tool = byName.get(name)
    if (!tool) throw new Error(`There is no operation ${name}`)
    return tool
  })
  const entities = new Set(tools.map(({ operation }) => operation.entity.name))
  const reads = tools.filter(({ operation }) => operation.method === 'GET')

  return (header: string | undefined): { readonly tools: readonly Tool[]; readonly isDirect: boolean } => {
    if (header === undefined || header.trim() === '') return { tools: direct, isDirect: true }
    const wanted = header.split(',').map((word) => word.trim().toLowerCase())
    const unknownName = wanted.find((word) => word !== 'all' && word !== 'read' && !entities.has(word))
    if (unknownName !== undefined) {
      throw badRequest(`X-MCP-Toolsets must be all, read, or a list of ${[...entities].join(', ')}`)
    }
    const candidates = wanted.includes('read') ? reads : tools
    const entityNames = wanted.filter((word) => entities.has(word))
    const isAll = wanted.includes('all') || entityNames.length === 0
    return {
      tools: isAll ? candidates : candidates.filter(({ operation }) => entityNames.includes(operation.entity.name)),
      isDirect: false,
    }
  }
}

/** A key is shown what it may do. A token is shown everything, because its user can allow more. */
export const isVisible = (
  { needs }: { readonly needs: readonly Scope[] },
  { kind, scopes }: AuthenticatedCaller,
): boolean => kind === 'app' || needs.every((scope) => scopes.has(scope))

/** A call as the request it stands for; what nobody declared goes along, so that it is reported as ignored. */
export function toOperationRequest(
  { operation, input }: Tool,
  given: Readonly<Record<string, unknown>>,
): OperationRequest {
  const defaultLocation = operation.method === 'GET' ? 'query' : 'body'
  const params: Record<string, string> = {}
  const parts: Record<'query' | 'body', Record<string, unknown>> = { query: {}, body: {} }
  const takesKey = operation.method === 'POST'
  for (const name in given) {
    if (takesKey && name === repetitionKey) continue
    const location = input.locations.get(name) ?? defaultLocation
    const value = input.nested.has(name) ? parseJsonText(given[name]) : given[name]
    if (location !== 'params') parts[location][name] = value
    else params[name] = parseId(name, value)
  }
  for (const [name, location] of input.locations) {
    if (location === 'params' && params[name] === undefined) throw badRequest(`${name} is required`)
  }
  if (input.locations.has('limit')) parts.query.limit ??= pageSize
  const idempotencyKey = takesKey ? parseKey(given[repetitionKey]) : undefined
  return { operation, params, query: parts.query, body: parts.body, idempotencyKey }
}

/** Null is what some clients send for what they leave out. */
function parseKey(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw badRequest(`${repetitionKey} must be a string`)
  return value
}

/** The number of a visit is an id too. */
function parseId(name: string, value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') throw badRequest(`${name} must be a string`)
  return String(value)
}

/** Some clients send objects and lists as JSON text. Empty text is none; what is no JSON stays text, and is refused as such. */
function parseJsonText(value: unknown): unknown {
  if (value === '') return null
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
