// Every refusal the service can give: one class, conflicts as resources declare them, and what a broken constraint means.
import type { Static, TSchema } from 'typebox'
import { capitalise, toCamelCase } from './string-case.ts'

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

/** The requests that are right in themselves and refused with 400 for what was there before them. */
export const stateCodes = {
  ALREADY_USED: 'Another record has this value already.',
  EVENTS_GONE: 'Events from there on are no longer kept; `data.oldest` is the oldest there is.',
  IDEMPOTENCY_KEY_REUSED: 'The Idempotency-Key was used with a different body.',
  SCHEDULE_ENDED: 'The recurring schedule has ended.',
} as const

export const badRequest = (message: string, code?: keyof typeof stateCodes) =>
  new ApiError(400, message, code === undefined ? {} : { code })
export const notFound = (noun: string) => new ApiError(404, `${capitalise(noun)} not found`)
export const routeNotFound = () => new ApiError(404, 'There is no such address or method here; see /docs')
export const tooLarge = () => new ApiError(413, 'The body is larger than 1 MB')
export const notJson = () =>
  new ApiError(415, 'Content-Type must be application/json; where there is nothing to say, send {}')
export const unauthorised = (message: string) => new ApiError(401, message)

/** Every way to be refused with 403, and when: for programs, and for the documentation. */
export const permissionCodes = {
  insufficient_scope: 'A scope is missing; `requiredScopes` names it.',
  unknown_resource: 'The path names no resource of the service.',
  use_not_allowed: 'The key is not meant for REST, or not for MCP.',
  ip_not_allowed: 'The key is not meant for the address it is used from.',
  organisation_mismatch: 'The credential belongs to another organisation.',
  subscription_required: 'The organisation has no Pro subscription and no trial.',
  approver_not_admin: 'The admin who approved the app is no longer an active admin of the organisation.',
  origin_not_allowed: 'A page of an origin that is not among `CORS_ORIGINS` calls MCP.',
  admin_required: 'Only an active admin of the organisation may rotate its keys.',
  totp_required: 'Rotating a key needs a code in `X-TOTP-Code`.',
  totp_invalid: 'The code in `X-TOTP-Code` is wrong, or was used already.',
  totp_locked: 'There were too many wrong codes; wait 15 minutes.',
} as const
export type PermissionCode = keyof typeof permissionCodes

export const forbidden = (message: string, code: PermissionCode) => new ApiError(403, message, { code })
export const organisationMismatch = () =>
  forbidden('The credential belongs to another organisation; use one of this organisation', 'organisation_mismatch')
export const subscriptionRequired = () =>
  forbidden('An active Pro subscription is required to use the API', 'subscription_required')
export const unknownResource = () => forbidden('This is not a resource of the service; see /docs', 'unknown_resource')
export const insufficientScope = (requiredScopes: readonly string[]) =>
  new ApiError(403, `This needs the scope ${requiredScopes.join(' and ')}`, {
    code: 'insufficient_scope' satisfies PermissionCode,
    requiredScopes,
  })

export const tooManyRequests = (message: string, retryAfterSeconds: number) =>
  new ApiError(429, message, {}, { 'retry-after': String(retryAfterSeconds) })
export const unexpected = () => new ApiError(500, 'Unexpected error; quote the requestId to support')
export const unavailable = (cause?: unknown) =>
  Object.assign(new ApiError(503, 'The service is temporarily unavailable; try again shortly'), { cause })

/** A rule that can refuse an operation with 409: thrown as `throw stationInUse()`, listed in the operation's `conflicts`. */
export interface Conflict<Data extends readonly unknown[] = readonly never[]> {
  (...data: Data): ApiError
  readonly code: string
  /** What is in the way and what to do, for people. */
  readonly sentence: string
  /** The shape of `data`, where the refusal carries any. */
  readonly data: TSchema | undefined
}

export function conflictCode(code: string, sentence: string): Conflict<[]>
export function conflictCode<Data extends TSchema>(
  code: string,
  sentence: string,
  data: Data,
): Conflict<[data: Static<Data>]>
export function conflictCode(code: string, sentence: string, schema?: TSchema): Conflict<[data?: unknown]> {
  const refuse = (data?: unknown) => new ApiError(409, sentence, data === undefined ? { code } : { code, data })
  return Object.assign(refuse, { code, sentence, data: schema })
}

/** The same refusal where the request itself names what the data would. */
export const withoutData = ({ code, sentence }: Conflict): Conflict<[]> => conflictCode(code, sentence)

/**
 * Races are refused like rules: what a constraint's name means stands in the first migration. One that is named after a
 * code means that conflict, whichever operation meets it; where several tables have the rule, the table's name stands first.
 */
export function constraintToApiError(error: unknown, conflicts: readonly Conflict[]): unknown {
  const { constraint, code } = error as { constraint?: string; code?: string }
  if (!constraint || !code?.startsWith('23')) return error
  const names = [constraint, withoutTable(error, constraint).replace(/^t_/, '')].map((name) => name.toUpperCase())
  const conflict = conflicts.find((one) => names.includes(one.code))
  if (conflict) return new ApiError(409, conflict.sentence, { code: conflict.code })
  const [, column = '', rule] =
    /^[a-z]+?_(.+)_(parent|exists|unique|required)$/.exec(withoutTable(error, constraint)) ?? []
  if (rule === 'parent') return notFound(column.replace(/_id$/, '').replaceAll('_', ' '))
  if (rule === 'exists') return badRequest(`${toCamelCase(column)} does not exist`)
  if (rule === 'unique') return badRequest(`${toCamelCase(column)} is already used`, 'ALREADY_USED')
  if (rule === 'required') return badRequest(`${toCamelCase(column)} is required`)
  return error
}

/** Table names may hold underscores themselves, so the table's own name is cut off, not the first word. */
const withoutTable = (error: unknown, constraint: string) => {
  const { table = '' } = error as { table?: string }
  return constraint.startsWith(`${table}_`) ? `t${constraint.slice(table.length)}` : constraint
}
