// What a tool answers: the operation's data without what has no value, or a refusal that tells a model what to do next.
import type { Config } from '../config/config.ts'
import type { ApiError } from '../operations/errors.ts'
import type { OperationResult } from '../operations/execute.ts'
import { type AuthenticatedCaller, scopeChallenge } from '../rest/guard.ts'
import type { ListShape } from './schemas.ts'

type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }

export interface ToolResult {
  readonly content: Content[]
  readonly structuredContent?: Record<string, unknown>
  readonly isError?: boolean
  readonly _meta?: Record<string, unknown>
  readonly [name: string]: unknown
}

const textContent = (text: string) => ({ type: 'text' as const, text: text })

/** Most fields of most records are empty; a model pays for each of them. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const compacted: Record<string, unknown> = {}
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name]
    if (member !== null) compacted[name] = withoutNulls(member)
  }
  return compacted
}

export async function toToolResult(
  { status, data, ignored, attachment }: OperationResult,
  page: ListShape | undefined,
  isStructured: boolean,
): Promise<ToolResult> {
  if (attachment?.mediaType.startsWith('text/')) {
    const text = Buffer.from(await attachment.bytes()).toString()
    return { content: [textContent(text)], ...(isStructured && { structuredContent: { text } }) }
  }
  if (attachment) {
    const picture = Buffer.from(await attachment.bytes()).toString('base64')
    return { content: [{ type: 'image', data: picture, mimeType: attachment.mediaType }] }
  }
  const given = JSON.parse(data)
  if (page && page.omitted.length > 0) {
    for (const record of given[page.key]) for (const name of page.omitted) delete record[name]
  }
  const value = withoutNulls(given)
  const content: Content[] = [textContent(JSON.stringify(value))]
  if (ignored.length > 0) {
    content.push(textContent(`Ignored, because there is no such argument: ${ignored.slice(0, 20).join(', ')}.`))
  }
  if (status === 202) content.push(textContent('It takes longer: the service goes on with it. Do not call it again.'))
  return isStructured ? { content, structuredContent: value as Record<string, unknown> } : { content }
}

export const structuredResult = (value: Record<string, unknown>): ToolResult => ({
  content: [textContent(JSON.stringify(value))],
  structuredContent: value,
})

export const errorResult = (text: string): ToolResult => ({ isError: true, content: [textContent(text)] })

interface RefusalContext {
  readonly caller: AuthenticatedCaller
  readonly requestId: string
  readonly config: Config
  /** Whether the call named a record by its id. */
  readonly namesRecords: boolean
}

/** `409 CUSTOMER_HAS_TICKETS: The customer still has jobs; … Details: {"ticketIds":[…]}` */
export function refusalResult(
  error: ApiError,
  { caller, requestId, config, namesRecords }: RefusalContext,
): ToolResult {
  const { status, message, details, headers } = error
  const { code, requiredScopes, data } = details
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`
  const sentences = [
    `${status}${code ? ` ${code}` : ''}: ${sentence}`,
    nextStep(error, { caller, namesRecords }, headers['retry-after']),
    data === undefined ? '' : `Details: ${JSON.stringify(data)}`,
    status >= 500 ? `requestId: ${requestId}` : '',
  ]
  return {
    ...errorResult(sentences.filter(Boolean).join(' ')),
    ...(code === 'insufficient_scope' && {
      _meta: { 'mcp/www_authenticate': [scopeChallenge(requiredScopes!, sentence, config)] },
    }),
  }
}

function nextStep(
  { status, details }: ApiError,
  { caller, namesRecords }: Pick<RefusalContext, 'caller' | 'namesRecords'>,
  seconds: string | undefined,
): string {
  if (details.code === 'insufficient_scope') return missingScopesAdvice(details.requiredScopes!, caller)
  switch (status) {
    case 400:
      return 'Correct the argument and call again.'
    case 404:
      return namesRecords ? 'Find the id with a list or lookup tool; do not guess it.' : 'Try other words.'
    case 429:
      return `Wait ${seconds ?? 60} seconds, then call again.`
    case 500:
      return 'Do not repeat a write without looking whether it happened.'
    case 503:
      return 'Try again in a moment.'
    default:
      return ''
  }
}

/** A token can be given more by asking the user; a key stays what it was made. */
function missingScopesAdvice(required: readonly string[], { kind, scopes }: AuthenticatedCaller): string {
  const missing = required.filter((scope) => !(scopes as ReadonlySet<string>).has(scope)).join(' and ')
  return kind === 'key'
    ? `The API key lacks ${missing}: tell the user that a key with that scope is needed.`
    : `The user has not allowed ${missing}: ask them to connect again and allow it.`
}

interface ValidationIssue {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** What a message lacks the library tells as a list of its validator's, mostly as an error of ours; it is the caller's. */
export function simplifyValidationErrors(response: string): string {
  if (!response.includes('"error":{"code":-326')) return response
  const { error, ...message } = JSON.parse(response) as { error?: { message: string } }
  if (error === undefined) return response // a record holds the same letters
  const [, list] = /^(?:Invalid tools\/call request: )?(\[\n[\s\S]*\])$/.exec(error.message) ?? []
  if (list === undefined) return response
  const problems = (JSON.parse(list) as ValidationIssue[]).map(
    ({ path, message }) => `${path.join('.')} ${message.replace(/^Invalid input: /, '')}`,
  )
  return JSON.stringify({ ...message, error: { code: -32_602, message: `Invalid params: ${problems.join('; ')}` } })
}
