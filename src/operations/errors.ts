// Every refusal the service can give: one class, the catalogue of conflicts, and what a broken constraint means.

/** The 409 codes and what each says. */
export const conflicts = {
  CALENDAR_EVENT_EXISTS: 'The job already has a calendar event; change that one instead.',
  CUSTOMER_HAS_TICKETS: 'The customer still has jobs; delete them first, or delete with cascade=true.',
  FORM_GATE_CREATE: 'A job cannot be created in this status: forms must be completed first.',
  FORM_GATE_DELETE: 'Open forms must be submitted or voided before this can be deleted.',
  FORM_GATE_INVOICE: 'The job has open invoice forms; submit or void them first.',
  FORM_GATE_TRANSITION: 'Open forms must be submitted or voided before the job can move to this status.',
  IDEMPOTENCY_IN_PROGRESS: 'A request with this Idempotency-Key is still running; repeat it in a moment.',
  LAST_STATUS: 'An organisation needs at least one job status.',
  OCCURRENCE_NOT_GENERATED: 'The visit has no job yet; generate it first.',
  OCCURRENCE_WORKED: 'The visit already has work on its job.',
  PAYMENT_ACCOUNTING_MANAGED: 'The payment is managed by a payment processor or accounting system; change it there.',
  QUOTE_ALREADY_INVOICED: 'The quote was already converted; repeat with force=true to convert it again.',
  RECURRING_VISIT: 'The visit belongs to a recurring schedule; move it through the schedule.',
  SCHEDULE_IN_USE: 'The schedule still has visits; end it instead.',
  SERIES_SHAPE_CHANGE: 'This changes the shape of the series; repeat with resync=thisAndFuture.',
  STATION_IN_USE: 'An active job is assigned to the station.',
  STATUS_IN_USE: 'A job still has this status.',
} as const
export type ConflictCode = keyof typeof conflicts

/** The codes that carry `data`, and its shape. */
interface ConflictData {
  CUSTOMER_HAS_TICKETS: { ticketIds: string[] }
  FORM_GATE_CREATE: { status: string }
  FORM_GATE_DELETE: { ticketIds: string[] } | undefined
  FORM_GATE_INVOICE: { outstanding: number }
  FORM_GATE_TRANSITION: { gate: 'start' | 'completion'; outstanding: number; submissionIds: string[] }
}

interface ErrorDetails {
  readonly code?: string
  readonly requiredScopes?: readonly string[]
  readonly data?: unknown
}

export class ApiError extends Error {
  readonly status: number
  readonly details: ErrorDetails
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, details: ErrorDetails = {}, headers: Record<string, string> = {}) {
    super(message)
    this.status = status
    this.details = details
    this.headers = headers
  }
}

export const badRequest = (message: string) => new ApiError(400, message)
export const notFound = (noun: string) => new ApiError(404, `${capitalise(noun)} not found`)
export const routeNotFound = () => new ApiError(404, 'There is no such address or method here; see /docs')
export const tooLarge = () => new ApiError(413, 'The body is larger than 1 MB')
export const notJson = () =>
  new ApiError(415, 'Content-Type must be application/json; where there is nothing to say, send {}')
export const unauthorised = (message: string) => new ApiError(401, message)
export const forbidden = (message: string, code?: string) => new ApiError(403, message, code ? { code } : {})
export const unknownResource = () => forbidden('This is not a resource of the service; see /docs', 'unknown_resource')
export const insufficientScope = (requiredScopes: readonly string[]) =>
  new ApiError(403, `This needs the scope ${requiredScopes.join(' and ')}`, {
    code: 'insufficient_scope',
    requiredScopes,
  })
export const tooManyRequests = (message: string, retryAfterSeconds: number) =>
  new ApiError(429, message, {}, { 'retry-after': String(retryAfterSeconds) })
export const unexpected = () => new ApiError(500, 'Unexpected error; quote the requestId to support')
export const unavailable = (cause?: unknown) =>
  Object.assign(new ApiError(503, 'The service is temporarily unavailable; try again shortly'), { cause })

export function conflict<Code extends ConflictCode>(
  code: Code,
  ...[data]: Code extends keyof ConflictData ? [data: ConflictData[Code]] : []
): ApiError {
  return new ApiError(409, conflicts[code], data === undefined ? { code } : { code, data })
}

/** Races are refused like rules: what a constraint's name means stands in the first migration. */
export function constraintToApiError(error: unknown): unknown {
  const { constraint, code } = error as { constraint?: string; code?: string }
  if (!constraint || !code?.startsWith('23')) return error
  const conflictCode = constraint.toUpperCase()
  if (Object.hasOwn(conflicts, conflictCode))
    return new ApiError(409, conflicts[conflictCode as ConflictCode], { code: conflictCode })
  const [, column = '', rule] =
    /^[a-z]+?_(.+)_(parent|exists|unique|required)$/.exec(withoutTable(error, constraint)) ?? []
  if (rule === 'parent') return notFound(column.replace(/_id$/, '').replaceAll('_', ' '))
  if (rule === 'exists') return badRequest(`${toCamelCase(column)} does not exist`)
  if (rule === 'unique') return badRequest(`${toCamelCase(column)} is already used`)
  if (rule === 'required') return badRequest(`${toCamelCase(column)} is required`)
  return error
}

export const toCamelCase = (name: string) => name.replace(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase())
export const capitalise = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

/** Table names may hold underscores themselves, so the table's own name is cut off, not the first word. */
const withoutTable = (error: unknown, constraint: string) => {
  const { table = '' } = error as { table?: string }
  return constraint.startsWith(`${table}_`) ? `t${constraint.slice(table.length)}` : constraint
}
