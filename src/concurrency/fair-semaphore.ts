// A fair semaphore for costly work: few at once, a short queue, served round robin by key, so that one key with many
// entries does not delay the others.

/** The queue is full: the key already has entries in it, or one with fewer entries took its place. */
export class SemaphoreFull extends Error {
  constructor() {
    super('The queue of the semaphore is full')
  }
}

export interface FairSemaphore {
  /** Queued work is served round robin by `key`. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>
}

interface Limits {
  readonly maxConcurrent: number
  /** How many of one key run at once, also while there is room for more. */
  readonly maxPerKey?: number
  readonly maxQueued: number
}

interface Waiter {
  start(): void
  reject(): void
}

export function createFairSemaphore({ maxConcurrent, maxPerKey = maxConcurrent, maxQueued }: Limits): FairSemaphore {
  let waiting = 0
  let running = 0
  const runningByKey = new Map<string, number>()
  /** In the order in which they are next. */
  const queues = new Map<string, Waiter[]>()

  const hasTurn = (key: string) => running < maxConcurrent && (runningByKey.get(key) ?? 0) < maxPerKey

  function count(key: string, change: 1 | -1): void {
    running += change
    const ofKey = (runningByKey.get(key) ?? 0) + change
    if (ofKey > 0) runningByKey.set(key, ofKey)
    else runningByKey.delete(key)
  }

  function enqueue(key: string, waiter: Waiter): void {
    if (waiting >= maxQueued && !evictFor(key)) {
      waiter.reject()
      return
    }
    waiting++
    const queue = queues.get(key)
    if (queue) queue.push(waiter)
    else queues.set(key, [waiter])
  }

  /** Whoever has most places loses the last of them to somebody who would have fewer all the same. */
  function evictFor(key: string): boolean {
    const [longestKey, longestQueue] = [...queues].reduce((one, other) =>
      other[1].length > one[1].length ? other : one,
    )
    if (longestQueue.length <= (queues.get(key)?.length ?? 0) + 1) return false
    removeWaiter(longestKey, longestQueue, longestQueue.pop()!).reject()
    return true
  }

  function removeWaiter(key: string, queue: Waiter[], waiter: Waiter): Waiter {
    waiting--
    if (queue.length === 0) queues.delete(key)
    return waiter
  }

  /** One end makes room for one start: whoever else waited could not have started before either. */
  function startNext(): void {
    const next = queues.entries().find(([key]) => hasTurn(key))
    if (!next) return
    const [key, queue] = next
    queues.delete(key)
    const waiter = queue.shift()!
    if (queue.length > 0) queues.set(key, queue) // behind everybody else
    count(key, 1)
    removeWaiter(key, queue, waiter).start()
  }

  return {
    async run(key, work) {
      if (hasTurn(key)) count(key, 1)
      else
        await new Promise<void>((start, reject) => enqueue(key, { start, reject: () => reject(new SemaphoreFull()) }))
      try {
        return await work()
      } finally {
        count(key, -1)
        startNext()
      }
    },
  }
}
