// One attempt: an event is posted, signed, and what comes back is noted.
import packageFile from '../../package.json' with { type: 'json' }
import { secondMs } from '../domain/durations.ts'
import type { Destinations } from '../http/safe-fetch.ts'
import { signatureHeaders } from './signature.ts'

/** As the log of deliveries shows it. */
export interface Attempt {
  readonly at: string
  readonly statusCode: number | null
  readonly durationMs: number
  readonly response: string | null
  readonly error: string | null
}

export interface SentEvent {
  readonly url: string
  readonly secrets: readonly string[]
  readonly eventId: string
  /** The event, as JSON. */
  readonly body: string
  readonly signal?: AbortSignal
}

const timeoutSeconds = 15
const maxResponseCharacters = 1_000
/** A character takes four bytes at most. */
const maxResponseBytes = 4 * maxResponseCharacters
const userAgent = `Jobwright/${packageFile.version}`

/** Does not fail: what went wrong is in the attempt. */
export async function postEvent(
  destinations: Destinations,
  { url, secrets, eventId, body, signal }: SentEvent,
): Promise<{ readonly attempt: Attempt; readonly retryAfter: string | null }> {
  const now = Date.now()
  const startedAt = performance.now()
  const toAttempt = (outcome: Pick<Attempt, 'statusCode' | 'response' | 'error'>): Attempt => ({
    at: new Date(now).toISOString(),
    durationMs: Math.round(performance.now() - startedAt),
    ...outcome,
  })
  try {
    const answer = await destinations.request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': userAgent,
        ...signatureHeaders(secrets, { id: eventId, body, now }),
      },
      body,
      timeoutMs: timeoutSeconds * secondMs,
      signal,
      maxBytes: maxResponseBytes,
      longAnswer: 'cut',
    })
    const isRedirect = answer.status >= 300 && answer.status < 400
    const error = isRedirect ? 'Redirects are not followed: give the webhook the address it leads to' : null
    return {
      attempt: toAttempt({ statusCode: answer.status, response: printable(answer.body), error }),
      retryAfter: answer.headers['retry-after'] ?? null,
    }
  } catch (error) {
    return { attempt: toAttempt({ statusCode: null, response: null, error: describe(error) }), retryAfter: null }
  }
}

/** PostgreSQL takes no NUL, and half a character at the end is none. */
const printable = (body: Buffer): string =>
  body
    .toString('utf8')
    .replaceAll('\0', '')
    .toWellFormed()
    .slice(0, maxResponseCharacters)
    .replace(/[\uD800-\uDBFF]$/, '')

const maxErrorCharacters = 300

function describe(error: unknown): string {
  const { name, message, code } = error as Error & { code?: string }
  if (name === 'TimeoutError') return `There was no answer within ${timeoutSeconds} seconds`
  return (message || code || name)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .toWellFormed()
    .slice(0, maxErrorCharacters)
}
