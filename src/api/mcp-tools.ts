// Operations as tools: what is listed, to whom, and how a call becomes the same request that REST would make.
import { badRequest, capitalised } from './errors.ts'
import type { Admitted } from './guard.ts'
import type { JsonSchema } from './json-schema.ts'
import { type Arguments, answersObject, argumentsOf, outlineOf, type Page, pageOf, pageSize } from './mcp-schemas.ts'
import { type Operation, pdf } from './operation.ts'
import type { Request } from './perform.ts'
import type { Scope } from './scopes.ts'

export interface Hints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** A tool as `tools/list` shows it. */
export interface Listing {
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
  readonly takes: Arguments
  readonly page: Page | undefined
  readonly isStructured: boolean
  readonly listing: Listing
}

/** What a model is told beyond the operations themselves. */
export interface Advice {
  /** The operations that are tools of their own, by name, each with a word on its use. */
  readonly directTools: Readonly<Record<string, string>>
  /** Operations that somebody outside hears of. */
  readonly reachingOut: ReadonlySet<string>
}

/** `listCustomers` is `list_customers`. */
export const toolName = (operation: string): string =>
  operation.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Every operation but those that answer with a file, which a model cannot read. */
export function toolsFrom(operations: readonly Operation[], advice: Advice): readonly Tool[] {
  const readOne = (list: Operation) =>
    operations.find(({ method, path }) => method === 'GET' && path.replace(/\/:\w+$/, '/:') === `${list.path}/:`)
  return operations
    .filter(({ returns }) => returns !== pdf)
    .map((operation) => toolFrom(operation, advice, readOne(operation)))
}

function toolFrom(operation: Operation, { directTools, reachingOut }: Advice, one: Operation | undefined): Tool {
  const name = toolName(operation.name)
  const takes = argumentsOf(operation)
  const isStructured = answersObject(operation)
  const page = pageOf(operation)
  const words = [
    `${operation.summary}.`,
    directTools[operation.name],
    page && page.leftOut.length > 0 && one && `For ${page.leftOut.join(' and ')} read one: ${toolName(one.name)}.`,
    isPaged(operation) && pagingWords,
  ]
  return {
    name,
    operation,
    takes,
    page,
    isStructured,
    listing: {
      name,
      title: titleOf(name),
      description: words.filter(Boolean).join(' '),
      inputSchema: takes.schema,
      ...(isStructured && { outputSchema: outlineOf(operation) }),
      annotations: hintsOf(operation, reachingOut),
    },
  }
}

const titleOf = (name: string) => capitalised(name.replaceAll('_', ' ').replace(/\bticket/g, 'job'))

const isPaged = ({ query }: Operation) => 'startAfter' in query.properties
const pagingWords = 'Next page: startAfter = pagination.nextCursor.'

/** What only adds something is a POST that creates; every other write changes or ends what was there. */
const hintsOf = ({ name, method, status }: Operation, reachingOut: ReadonlySet<string>): Hints => ({
  readOnlyHint: method === 'GET',
  destructiveHint: method !== 'GET' && status !== 201,
  idempotentHint: method !== 'POST',
  openWorldHint: reachingOut.has(name),
})

/** Which tools a host wants, by `X-MCP-Toolsets`: those of daily use, all, those that read, or some resources. */
export function toolsets(tools: readonly Tool[], { directTools }: Advice) {
  const byName = new Map(tools.map((tool) => [tool.operation.name, tool]))
  const direct = Object.keys(directTools).map((name) => {
    const tool = byName.get(name)
    if (!tool) throw new Error(`There is no operation ${name}`)
    return tool
  })
  const entities = new Set<string>(tools.map(({ operation }) => operation.entity))
  const reads = tools.filter(({ operation }) => operation.method === 'GET')

  return (header: string | undefined): { readonly tools: readonly Tool[]; readonly isDirect: boolean } => {
    if (header === undefined || header.trim() === '') return { tools: direct, isDirect: true }
    const wanted = header.split(',').map((word) => word.trim().toLowerCase())
    const stranger = wanted.find((word) => word !== 'all' && word !== 'read' && !entities.has(word))
    if (stranger !== undefined) {
      throw badRequest(`X-MCP-Toolsets must be all, read, or a list of ${[...entities].join(', ')}`)
    }
    const some = wanted.includes('read') ? reads : tools
    const named = wanted.filter((word) => entities.has(word))
    const isAll = wanted.includes('all') || named.length === 0
    return { tools: isAll ? some : some.filter(({ operation }) => named.includes(operation.entity)), isDirect: false }
  }
}

/** A key is shown what it may do. A token is shown everything, because its user can allow more. */
export const isShown = ({ needs }: { readonly needs: readonly Scope[] }, { kind, scopes }: Admitted): boolean =>
  kind === 'token' || needs.every((scope) => scopes.has(scope))

/** A call as the request it stands for; what nobody declared goes along, so that it is reported as ignored. */
export function requestFor({ operation, takes }: Tool, given: Readonly<Record<string, unknown>>): Request {
  const rest = operation.method === 'GET' ? 'query' : 'body'
  const params: Record<string, string> = {}
  const parts: Record<'query' | 'body', Record<string, unknown>> = { query: {}, body: {} }
  for (const name in given) {
    const place = takes.places.get(name) ?? rest
    const value = takes.nested.has(name) ? unpacked(given[name]) : given[name]
    if (place !== 'params') parts[place][name] = value
    else params[name] = idFrom(name, value)
  }
  for (const [name, place] of takes.places) {
    if (place === 'params' && params[name] === undefined) throw badRequest(`${name} is required`)
  }
  if (takes.places.has('limit')) parts.query.limit ??= pageSize
  return { operation, params, query: parts.query, body: parts.body }
}

/** The number of a visit is an id too. */
function idFrom(name: string, value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') throw badRequest(`${name} must be a string`)
  return String(value)
}

/** Some clients send objects and lists as JSON text. What is no JSON stays text, and is refused as such. */
function unpacked(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
