// Every way a call can fail: one class for all, and one below it for each kind that programs tell apart.
import type { ConflictData } from './generated/conflicts.ts'

/** What a refusal says of itself. */
export interface Refusal {
  readonly code?: string | undefined
  readonly data?: unknown
  readonly requiredScopes?: readonly string[] | undefined
  readonly requestId?: string | undefined
}

export class JobwrightError extends Error {
  override readonly name: string = 'JobwrightError'
  /** Of the answer; 0 where none came. */
  readonly status: number
  /** What is wrong, for programs: on every 403, 409 and 412, and on some 400. */
  readonly code: string | undefined
  /** What belongs to the code. */
  readonly data: unknown
  /** Names the request; quote it to support. */
  readonly requestId: string | undefined
  /** What a `ScopeError` asks for. */
  readonly requiredScopes: readonly string[]

  constructor(status: number, message: string, refusal: Refusal = {}, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.code = refusal.code
    this.data = refusal.data
    this.requestId = refusal.requestId
    this.requiredScopes = refusal.requiredScopes ?? []
  }
}

/** 429: too many requests in this minute, and waiting did not help. */
export class RateLimitError extends JobwrightError {
  override readonly name = 'RateLimitError'
}

export type ConflictCode = keyof ConflictData

/** 409: a rule is in the way. `error.is('CUSTOMER_HAS_TICKETS')` tells which, and types `data`. */
export class ConflictError<Code extends ConflictCode = ConflictCode> extends JobwrightError {
  override readonly name = 'ConflictError'
  declare readonly code: Code
  declare readonly data: ConflictData[Code]

  is<Other extends ConflictCode>(code: Other): this is ConflictError<Other> {
    return (this.code as ConflictCode) === code
  }
}

/** 403 `insufficient_scope`: the credential lacks `requiredScopes`. */
export class ScopeError extends JobwrightError {
  override readonly name = 'ScopeError'
}

/** 404: there is no such record. */
export class NotFoundError extends JobwrightError {
  override readonly name = 'NotFoundError'
}

/** An attempt took longer than `timeoutMs`. What it asked for may have been done nevertheless. */
export class TimeoutError extends JobwrightError {
  override readonly name = 'TimeoutError'
}

/** What was posted to a webhook is not what the service signed. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

interface ErrorBody extends Refusal {
  readonly error?: string
}

/** The refusal that an answer is. What is not JSON was not said by the service, but by something before it. */
export async function toError(response: Response): Promise<JobwrightError> {
  const { status, headers } = response
  const text = await response.text()
  let body: ErrorBody = {}
  try {
    body = JSON.parse(text)
  } catch {}
  const message = body.error ?? `The service answered ${status}: ${text.slice(0, 200)}`
  const refusal = { ...body, requestId: body.requestId ?? headers.get('x-request-id') ?? undefined }
  return new (classFor(status, body.code))(status, message, refusal)
}

function classFor(status: number, code: string | undefined): typeof JobwrightError {
  if (status === 404) return NotFoundError
  if (status === 409) return ConflictError
  if (status === 429) return RateLimitError
  return code === 'insufficient_scope' ? ScopeError : JobwrightError
}
