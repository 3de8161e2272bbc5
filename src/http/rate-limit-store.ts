// Where the counts of rate limits are kept: in the memory of this process, or in Redis. Of several processes on one machine, the
// first one keeps them (src/processes/counts.ts).
import { createHmac, randomBytes } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { memoryRateLimiter, type RateLimiter } from './memory-rate-limiter.ts'

export interface RateLimitStore {
  /** Undefined where nothing can be counted. */
  limiter(name: string, points: number, durationSeconds: number): RateLimiter | undefined
  /** Under what name those who come from a network are counted. */
  networkKey(network: string): string
  /** Whether it can count at the moment. */
  isReady(): Promise<boolean>
  close(): void
}

export async function openRateLimitStore({ rateLimitStore, redisUrl }: Config): Promise<RateLimitStore> {
  if (rateLimitStore === 'memory') return memoryStore()
  if (redisUrl === null) return missingStore
  const { redisStore } = await import('./redis-rate-limiter.ts') // a client that most installations do without
  return redisStore(redisUrl)
}

const memoryStore = (): RateLimitStore => ({
  limiter: (_name, points, durationSeconds) => memoryRateLimiter(points, durationSeconds),
  networkKey: bucketsBy(randomBytes(32)),
  isReady: async () => true,
  close() {},
})

/** Redis is wanted, and nobody says where it is. */
const missingStore: RateLimitStore = {
  limiter: () => undefined,
  networkKey: (network) => network,
  isReady: async () => false,
  close() {},
}

/**
 * A million sources must not fill the memory: they share 65,536 counts, which can only delay those who fail. Which sources
 * share one is nobody's to find out, so it depends on a secret.
 */
export const bucketsBy =
  (secret: Buffer) =>
  (network: string): string =>
    createHmac('sha256', secret).update(network).digest('hex').slice(0, 4)
