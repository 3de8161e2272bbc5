// A fair semaphore for costly work: few at once, a short queue, served round robin by key, so that one key with many
// entries does not delay the others.

/** There is no place in the queue, or none came up in time. */
export class SemaphoreFull extends Error {
  constructor() {
    super('The queue of the semaphore is full')
  }
}

export interface FairSemaphore {
  /**
   * Queued work is served round robin by `key`; who waits longer than `maxWaitMs` is refused. Work may have its key rest after
   * it: the key's place stays taken for so long, and others have theirs.
   */
  run<T>(key: string, work: (rest: (ms: number) => void) => Promise<T>, maxWaitMs?: number): Promise<T>
  /** For operators: how many run, and how many wait. */
  metrics(): { readonly running: number; readonly waiting: number }
}

interface FairSemaphoreLimits {
  readonly maxConcurrent: number
  /** How many of one key run at once, which may depend on who else is there; all of them if left out. */
  readonly maxPerKey?: number | ((key: string) => number)
  readonly maxQueued: number
}

interface Waiter {
  start(): void
  reject(): void
}

export function createFairSemaphore({
  maxConcurrent,
  maxPerKey = maxConcurrent,
  maxQueued,
}: FairSemaphoreLimits): FairSemaphore {
  let running = 0
  let waiting = 0
  const runningByKey = new Map<string, number>()
  /** In the order in which they are next. */
  const queues = new Map<string, Waiter[]>()
  const mostOf = typeof maxPerKey === 'number' ? () => maxPerKey : maxPerKey
  const mayStart = (key: string) => running < maxConcurrent && (runningByKey.get(key) ?? 0) < mostOf(key)

  function enter(key: string): void {
    running++
    runningByKey.set(key, (runningByKey.get(key) ?? 0) + 1)
  }

  function leave(key: string, restMs: number): void {
    running--
    if (restMs > 0) {
      setTimeout(freePlace, restMs, key).unref()
      startNext() // of others
    } else freePlace(key)
  }

  function freePlace(key: string): void {
    const left = runningByKey.get(key)! - 1
    if (left === 0) runningByKey.delete(key)
    else runningByKey.set(key, left)
    startNext()
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
    const evicted = longestQueue.at(-1)!
    remove(longestKey, evicted)
    evicted.reject()
    return true
  }

  function remove(key: string, waiter: Waiter): boolean {
    const queue = queues.get(key)
    const place = queue?.indexOf(waiter) ?? -1
    if (place < 0) return false
    queue!.splice(place, 1)
    waiting--
    if (queue!.length === 0) queues.delete(key)
    return true
  }

  function startNext(): void {
    for (const [key, queue] of queues) {
      if (!mayStart(key)) continue
      const waiter = queue[0]!
      remove(key, waiter)
      if (queue.length > 0) {
        queues.delete(key)
        queues.set(key, queue) // behind everybody else
      }
      enter(key)
      waiter.start()
      return
    }
  }

  const waitForTurn = (key: string, maxWaitMs: number | undefined) =>
    new Promise<void>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const waiter: Waiter = {
        start() {
          clearTimeout(timer)
          resolve()
        },
        reject() {
          clearTimeout(timer)
          reject(new SemaphoreFull())
        },
      }
      if (maxWaitMs !== undefined) timer = setTimeout(() => remove(key, waiter) && waiter.reject(), maxWaitMs)
      enqueue(key, waiter)
    })

  return {
    async run(key, work, maxWaitMs) {
      if (mayStart(key)) enter(key)
      else await waitForTurn(key, maxWaitMs)
      let restMs = 0
      try {
        return await work((ms) => {
          restMs = ms
        })
      } finally {
        leave(key, restMs)
      }
    },
    metrics: () => ({ running, waiting }),
  }
}
