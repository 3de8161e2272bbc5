// What follows from an attempt to deliver an event to a webhook: it is delivered, tried again after a while, or given up.
import { hourMs, minuteMs, secondMs } from './durations.ts'

/** What came back. Without a status nothing did, and `error` says why. */
export interface AttemptAnswer {
  readonly statusCode: number | null
  readonly retryAfter: string | null
}

export type AttemptVerdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly waitMs: number }
  /** `isGone`: the receiver wants nothing any more. */
  | { readonly kind: 'failed'; readonly isGone: boolean }

/** How long after each attempt the next one comes; after the last, the delivery has failed. */
export const waitsMs: readonly number[] = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs),
]
/** So that what failed together does not come back together: a tenth more or less. */
const jitter = 0.1
const maxRetryAfterMs = hourMs
/** Those that may say when to come back. */
const busyStatuses = [429, 503]

/** `tries` counts this attempt; `random` is from 0 to 1. */
export function judgeAttempt(
  { statusCode, retryAfter }: AttemptAnswer,
  tries: number,
  { now, random }: { readonly now: number; readonly random: number },
): AttemptVerdict {
  if (statusCode !== null && statusCode >= 200 && statusCode < 300) return { kind: 'delivered' }
  if (statusCode === 410) return { kind: 'failed', isGone: true }
  const wait = waitsMs[tries - 1]
  if (wait === undefined) return { kind: 'failed', isGone: false }
  const wished = statusCode !== null && busyStatuses.includes(statusCode) ? parseRetryAfter(retryAfter, now) : undefined
  return { kind: 'retry', waitMs: wished ?? Math.round(wait * (1 - jitter + 2 * jitter * random)) }
}

/** Seconds, or a moment as HTTP writes it; at least a second, at most an hour. */
function parseRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  const wished = /^\s*\d{1,9}\s*$/.test(value) ? Number(value) * secondMs : Date.parse(value) - now
  return Number.isNaN(wished) ? undefined : Math.min(Math.max(wished, secondMs), maxRetryAfterMs)
}

/** After failing for so long without a success a webhook is paused. */
export const maxFailingDays = 5
