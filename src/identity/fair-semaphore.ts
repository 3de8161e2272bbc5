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

interface Waiter {
  start(): void
  reject(): void
}

export function createFairSemaphore({
  maxConcurrent,
  maxQueued,
}: {
  maxConcurrent: number
  maxQueued: number
}): FairSemaphore {
  let running = 0
  let waiting = 0
  /** In the order in which they are next. */
  const queues = new Map<string, Waiter[]>()

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

  function startNext(): void {
    const first = queues.entries().next().value
    if (!first) {
      running--
      return
    }
    const [key, queue] = first
    queues.delete(key)
    const waiter = queue.shift()!
    if (queue.length > 0) queues.set(key, queue) // behind everybody else
    removeWaiter(key, queue, waiter).start()
  }

  return {
    async run(key, work) {
      if (running < maxConcurrent) running++
      else
        await new Promise<void>((start, reject) => enqueue(key, { start, reject: () => reject(new SemaphoreFull()) }))
      try {
        return await work()
      } finally {
        startNext()
      }
    },
  }
}
