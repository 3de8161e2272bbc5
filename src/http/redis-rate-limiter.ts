// Rate limits counted in Redis, where several processes share the count.
import { Redis } from 'ioredis'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimiter } from './memory-rate-limiter.ts'
import type { RateLimitStore } from './rate-limit-store.ts'

/** The timeout of a command: a frozen Redis must not delay a request, which is answered 503 then. */
const redisTimeoutMs = 500
/** The timeout of a silent connection, which is then replaced: the network may have dropped it. */
const redisSocketTimeoutMs = 1_000

export function redisStore(url: string): RateLimitStore {
  const redis = connectRedis(url)
  return {
    limiter: (name, points, durationSeconds) => redisRateLimiter(redis, name, points, durationSeconds),
    networkKey: (network) => network,
    isReady: () =>
      redis.ping().then(
        () => true,
        () => false,
      ),
    close: () => redis.disconnect(),
  }
}

function connectRedis(url: string): Redis {
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

function redisRateLimiter(redis: Redis, keyPrefix: string, points: number, duration: number): RateLimiter {
  const limiter = new RateLimiterRedis({ storeClient: redis, keyPrefix, points, duration, useRedisPackage: false })
  return {
    points,
    // The library throws the count of whoever is over the limit.
    consume: (key) =>
      limiter.consume(key).catch((error: unknown) => {
        if (error instanceof RateLimiterRes) return error
        throw error
      }),
    reward: (key) => limiter.reward(key),
  }
}
