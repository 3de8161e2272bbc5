// The X-RateLimit headers, which stand on every answer of REST and MCP.
import type { Config } from '../config/config.ts'
import type { RateLimitState } from './rate-limits.ts'

export function setRateLimitHeaders(
  { setHeader }: { setHeader(name: string, value: string): void },
  count: RateLimitState,
): void {
  setHeader('x-ratelimit-limit', String(count.limit))
  setHeader('x-ratelimit-remaining', String(count.remaining))
  setHeader('x-ratelimit-reset', String(Math.ceil((Date.now() + count.resetsInMs) / 1_000)))
}

export const secondsUntilReset = (count: RateLimitState) => Math.max(1, Math.ceil(count.resetsInMs / 1_000))

/** Where nothing could be counted, nothing is promised. */
export const uncountedHeaders = ({ rateLimitPerMinute }: Config) => ({
  'x-ratelimit-limit': String(rateLimitPerMinute),
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': String(Math.ceil(Date.now() / 1_000) + 1),
})
