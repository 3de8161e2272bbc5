// Rate limits as a process counts them whose first process keeps the counts: it asks, and has a lease of what is used much.
import { limiterResult, type WindowCount } from '../http/memory-rate-limiter.ts'
import { bucketsBy, type RateLimitStore } from '../http/rate-limit-store.ts'
import type { Recall } from './counts.ts'
import type { Count, Counted } from './protocol.ts'

interface Lease {
  left: number
  used: number
  readonly endsAt: number
}

export interface SharedStore extends RateLimitStore {
  readonly recall: Recall
}

export function createSharedStore(
  send: (counts: readonly Count[]) => Promise<readonly Counted[]>,
  bucketSecret: Buffer,
): SharedStore {
  const leases = new Map<string, Lease>()
  const nameOf = (limit: string, key: string) => `${limit} ${key}`
  let gathered: { readonly counts: Count[]; readonly answer: Promise<readonly Counted[]> } | undefined

  /** What is counted in one round of the event loop goes out together. */
  function gather() {
    const counts: Count[] = []
    const answer = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      gathered = undefined
      return send(counts)
    })
    return { counts, answer }
  }

  async function ask(one: Count): Promise<Counted> {
    gathered ??= gather()
    const position = gathered.counts.push(one) - 1
    return (await gathered.answer)[position]!
  }

  async function consume(one: Count): Promise<WindowCount> {
    const name = nameOf(one.limit, one.key)
    const askedAt = performance.now()
    const lease = leases.get(name)
    if (lease && lease.left > 0 && lease.endsAt > askedAt) {
      lease.left--
      lease.used++
      return { used: lease.used, msBeforeNext: lease.endsAt - askedAt }
    }
    const counted = await ask(one)
    if (counted.lease > 0) keep(name, counted, askedAt + counted.msBeforeNext) // so it never ends after the span itself
    return counted
  }

  function keep(name: string, { used, lease }: Counted, endsAt: number): void {
    const now = performance.now()
    for (const [old, { endsAt }] of leases) {
      if (endsAt > now) break
      leases.delete(old)
    }
    const known = leases.get(name)
    const alreadyLeft = known && known.endsAt > now ? known.left : 0
    leases.delete(name) // the oldest stand in front
    leases.set(name, { used, left: lease + alreadyLeft, endsAt })
  }

  return {
    limiter: (limit, points, seconds) => ({
      points,
      consume: async (key) => limiterResult(points, await consume({ limit, points, seconds, key, by: 1 })),
      reward: (key) => ask({ limit, points, seconds, key, by: -1 }),
    }),
    async recall(limit, key) {
      await new Promise<void>((resolve) => setImmediate(resolve)) // a lease that came just before is written down by then
      const name = nameOf(limit, key)
      const lease = leases.get(name)
      leases.delete(name)
      return lease && lease.endsAt > performance.now() ? lease.left : 0
    },
    networkKey: bucketsBy(bucketSecret),
    isReady: async () => true,
    close() {},
  }
}
