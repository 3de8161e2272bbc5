// Three tools that reach every operation without listing it: find one by words, then execute it by name.
import { badRequest } from '../operations/errors.ts'
import type { AuthenticatedCaller } from '../rest/guard.ts'
import { structuredResult, type ToolResult } from './results.ts'
import { isVisible, type Tool, type ToolListing, toolName } from './tools.ts'

const readHints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const writeHints = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }

const operationCallSchema = {
  type: 'object',
  properties: {
    operation: { type: 'string', description: 'Its name, from find_operations.' },
    arguments: { type: 'object', description: 'By the inputSchema that find_operations gave.' },
  },
  required: ['operation'],
  additionalProperties: false,
} as const

const maxResults = 20
const defaultResults = 5
/** What a model asks for fits in a sentence; a longer text would only keep others waiting. */
const maxQueryLength = 200

/** What the search needs to know about the operations of this service. */
export interface SearchGuidance {
  /** Words to search by, as examples for a model. */
  readonly searchExamples: string
  /** What a model should use for what no tool does. */
  readonly searchLimits: string
  /** What people say for the nouns of the operations, by the operations' word. */
  readonly synonyms: readonly (readonly [word: string, others: string])[]
}

const createFindTool = ({ searchExamples, searchLimits }: SearchGuidance): ToolListing => ({
  name: 'find_operations',
  title: 'Find an operation',
  description:
    `Search all operations of the service by words such as ${searchExamples}. Answers their names, what they do, their ` +
    `inputSchema and which tool runs them. Use it when no other tool fits. ${searchLimits}`,
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'A verb and a noun.' },
      limit: { type: 'integer', minimum: 1, maximum: maxResults, default: defaultResults },
    },
    required: ['query'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: { operations: { type: 'array', items: { type: 'object' } } },
  },
  annotations: readHints,
})

const readOperation: ToolListing = {
  name: 'read_operation',
  title: 'Carry out an operation that reads',
  description: 'Carry out any operation that only reads, by the name and inputSchema that find_operations gave.',
  inputSchema: operationCallSchema,
  annotations: readHints,
}

const writeOperation: ToolListing = {
  name: 'write_operation',
  title: 'Carry out an operation that writes',
  description:
    'Carry out any operation that creates, changes, sends or deletes, by the name and inputSchema that find_operations ' +
    'gave. Ask the user before deleting or sending.',
  inputSchema: operationCallSchema,
  annotations: writeHints,
}

export function createOperationSearch(tools: readonly Tool[], guidance: SearchGuidance) {
  const findOperations = createFindTool(guidance)
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const synonyms = [...verbSynonyms, ...guidance.synonyms]
  const entries = tools.map((tool) => ({ tool, words: searchTerms(tool, synonyms) }))

  const weights = termWeights(entries.map(({ words }) => words))

  function search(query: string, caller: AuthenticatedCaller, limit: number): Tool[] {
    const words = new Set(stems(query.slice(0, maxQueryLength)))
    const queryTerms = [...words].map((word) => ({ word, weight: weights.get(word) ?? 0 }))
    return entries
      .filter(({ tool }) => isVisible(tool.operation, caller))
      .map(({ tool, words }) => ({
        tool,
        score: queryTerms.reduce((sum, { word, weight }) => sum + weight * (words.get(word) ?? 0), 0),
      }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, limit)
      .map(({ tool }) => tool)
  }

  return {
    /** Whoever may change nothing is not shown the tool that changes things. */
    tools: (caller: AuthenticatedCaller): ToolListing[] => [
      findOperations,
      readOperation,
      ...(tools.some(({ operation }) => operation.method !== 'GET' && isVisible(operation, caller))
        ? [writeOperation]
        : []),
    ],

    isSearchTool: (name: string): boolean =>
      name === findOperations.name || name === readOperation.name || name === writeOperation.name,

    byName: (name: string): Tool | undefined => byName.get(name),

    find(
      { query, limit = defaultResults }: Readonly<Record<string, unknown>>,
      caller: AuthenticatedCaller,
    ): ToolResult {
      if (typeof query !== 'string') throw badRequest('query is required, as text')
      const maxFound = Math.min(Math.max(1, Number(limit) || defaultResults), maxResults)
      const operations = search(query, caller, maxFound).map((tool) => ({
        name: tool.name,
        summary: tool.operation.summary,
        runWith: runnerFor(tool),
        inputSchema: tool.input.schema,
      }))
      return structuredResult({
        operations,
        ...(operations.length === 0 && {
          hint: `Nothing is called that. There are: ${visibleEntities(tools, caller)}.`,
        }),
      })
    },

    /** The operation that a call names, and its arguments; the error for a wrong name suggests others. */
    resolveTarget(runner: string, given: Readonly<Record<string, unknown>>, caller: AuthenticatedCaller) {
      const { operation, arguments: wanted = {}, ...others } = given
      if (typeof operation !== 'string') throw badRequest('operation is required: its name, from find_operations')
      const tool = byName.get(toolName(operation.slice(0, maxQueryLength)))
      if (!tool) {
        const suggestions = search(operation.replaceAll('_', ' '), caller, 3).map(({ name }) => name)
        const hint = suggestions.length > 0 ? `did you mean ${suggestions.join(', ')}?` : 'call find_operations'
        throw badRequest(`There is no operation ${operation.slice(0, 60)}; ${hint}`)
      }
      const expectedRunner = runnerFor(tool)
      if (runner !== expectedRunner) throw badRequest(`${tool.name} is carried out with ${expectedRunner}`)
      const args = parseArguments(wanted)
      // Arguments that were put beside the operation instead of into `arguments` are meant all the same.
      return { tool, args: { ...others, ...args } }
    },
  }
}

const runnerFor = ({ operation }: Tool) => (operation.method === 'GET' ? readOperation.name : writeOperation.name)

function parseArguments(given: unknown): Record<string, unknown> {
  let value = given
  if (typeof value === 'string') {
    try {
      value = JSON.parse(value)
    } catch {
      throw badRequest('arguments must be an object')
    }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('arguments must be an object')
  }
  return value as Record<string, unknown>
}

/** The words an operation is found by, and how much each says: its name most, then what it does, then what it takes. */
function searchTerms(
  { name, operation, input }: Tool,
  synonyms: SearchGuidance['synonyms'],
): ReadonlyMap<string, number> {
  const { title, description } = operation.entity
  const words = new Map<string, number>()
  const addTerms = (text: string, weight: number) => {
    for (const word of stems(text)) words.set(word, Math.max(weight, words.get(word) ?? 0))
  }
  addTerms([...input.locations.keys()].join(' '), 0.3)
  addTerms(description, 0.4)
  addTerms(operation.summary, 1)
  addTerms(`${title} ${operation.path}`, 1)
  addTerms(name.replaceAll('_', ' '), 2)
  for (const [word, others] of synonyms) if (words.has(word)) addTerms(others, words.get(word)!)
  return words
}

/** How often a word is found counts less than how rare it is among all operations. */
function termWeights(entries: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const documentCounts = new Map<string, number>()
  for (const words of entries)
    for (const word of words.keys()) documentCounts.set(word, (documentCounts.get(word) ?? 0) + 1)
  return new Map([...documentCounts].map(([word, count]) => [word, Math.log(1 + entries.length / count)]))
}

/** What people say for the verbs of the operations. */
const verbSynonyms: SearchGuidance['synonyms'] = [
  ['list', 'show see all find search'],
  ['get', 'read show see open one'],
  ['create', 'add new make'],
  ['add', 'create new make'],
  ['update', 'change edit modify set rename'],
  ['delete', 'remove cancel erase'],
  ['remove', 'delete cancel erase'],
  ['send', 'email mail'],
]

/** Words without their endings: `categories` and `category` are one, so are `statuses` and `status`. */
const stems = (text: string): string[] =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1 && !stopWords.has(word))
    .map((word) =>
      word
        .replace(/ies$/, 'y')
        .replace(/(us|ss|x|ch|sh)es$/, '$1')
        .replace(/(?<![us])s$/, ''),
    )

const stopWords = new Set('the of an in on to for its it is by with and or that this their'.split(' '))

function visibleEntities(tools: readonly Tool[], caller: AuthenticatedCaller): string {
  const visible = tools.filter(({ operation }) => isVisible(operation, caller))
  return [...new Set(visible.map(({ operation }) => operation.entity.name))].join(', ')
}
