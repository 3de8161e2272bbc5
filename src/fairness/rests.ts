// Work in the background that nobody waits for: one of a key at a time, and after each a rest three times as long as it took,
// so that a flood of it takes a quarter of a processor at most.
import { setTimeout as delay } from 'node:timers/promises'

export interface Rests {
  run<T>(key: string, work: () => Promise<T>): Promise<T>
}

const restMultiple = 3
const pause = (ms: number): Promise<unknown> => delay(ms, undefined, { ref: false })

export function createRests(rest = pause): Rests {
  /** What the key's next work waits for. */
  const tails = new Map<string, Promise<void>>()
  return {
    async run(key, work) {
      const { promise: rested, resolve } = Promise.withResolvers<void>()
      const before = tails.get(key)
      tails.set(key, rested)
      await before
      const startedAt = performance.now()
      try {
        return await work()
      } finally {
        void rest(restMultiple * (performance.now() - startedAt)).then(() => {
          if (tails.get(key) === rested) tails.delete(key)
          resolve()
        })
      }
    },
  }
}
