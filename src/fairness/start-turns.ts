// A burst of requests of one tenant begins a few at a time, so that the event loop comes to others in between.

/** About four milliseconds of work. */
const startsPerTick = 16

export interface StartTurns {
  /** Undefined: it may begin at once, as nearly always. */
  wait(key: string): Promise<void> | undefined
}

export function createStartTurns(): StartTurns {
  const started = new Map<string, number>()
  const waiting = new Map<string, (() => void)[]>()
  let isScheduled = false

  function scheduleTick(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(tick)
  }

  function tick(): void {
    isScheduled = false
    started.clear()
    for (const [key, queue] of waiting) {
      const next = queue.splice(0, startsPerTick)
      started.set(key, next.length)
      if (queue.length === 0) waiting.delete(key)
      for (const start of next) start()
    }
    if (started.size > 0) scheduleTick()
  }

  return {
    wait(key) {
      const count = started.get(key) ?? 0
      if (count < startsPerTick) {
        started.set(key, count + 1)
        scheduleTick()
        return undefined
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      const queue = waiting.get(key)
      if (queue) queue.push(resolve)
      else waiting.set(key, [resolve])
      return promise
    },
  }
}
