// Rate limits counted in Redis, where several processes share the count.
import { Redis } from 'ioredis'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import type { RateLimiter } from './memory-rate-limiter.ts'

/** The timeout of a command: a frozen Redis must not delay a request, which is answered 503 then. */
const redisTimeoutMs = 500
/** The timeout of a silent connection, which is then replaced: the network may have dropped it. */
const redisSocketTimeoutMs = 1_000

export function connectRedis(url: string): Redis {
  const redis = new Redis(url, {
    commandTimeout: redisTimeoutMs,
    connectTimeout: redisTimeoutMs,
    socketTimeout: redisSocketTimeoutMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  })
  redis.on('error', () => {}) // each command that fails says so itself
  return redis
}

export const redisRateLimiter = (redis: Redis, keyPrefix: string, points: number, duration: number): RateLimiter =>
  new RateLimiterRedis({ storeClient: redis, keyPrefix, points, duration, useRedisPackage: false })
