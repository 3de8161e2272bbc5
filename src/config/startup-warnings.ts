// What is said when a start works, but not as its operator may think. `doctor` says the same at length.
import type { Config } from './config.ts'
import { isInsecureOrigin } from './networks.ts'

export function startupWarnings({ restOrigin, authUrl, rateLimitStore, redisUrl }: Config): string[] {
  const isInsecure = [restOrigin, authUrl].some(isInsecureOrigin)
  const isUncounted = rateLimitStore === 'redis' && redisUrl === null
  return [
    ...(isInsecure
      ? ['REST_ORIGIN or AUTH_URL is http off this machine: keys and passwords can be read on the way. Use https.']
      : []),
    ...(isUncounted
      ? [
          'Requests are answered 503: they are counted in Redis, and REDIS_URL is not set. Set it, or RATE_LIMIT_STORE=memory for one instance.',
        ]
      : []),
  ]
}
