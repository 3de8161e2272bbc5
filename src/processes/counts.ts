// Rate limits of several processes on one machine: the first process counts for all of them, so that quotas are exact without Redis.
import { type CountWindow, createCountWindows } from '../http/memory-rate-limiter.ts'
import type { Count, Counted } from './protocol.ts'

/** Asks a process to give back what it has not used of its lease. */
export type Recall = (limit: string, key: string) => Promise<number>

/**
 * A lease is a hundredth of what is left, so that a limit in the thousands costs a message now and then, and one of a hundred
 * is told to the last request. What others hold counts as used, and is recalled before anybody is refused because of it.
 */
const maxLease = 1_000
const leaseOf = (left: number): number => Math.min(maxLease, Math.floor(left / 100))

export function createCounts(): (counts: readonly Count[], recall: Recall) => Promise<readonly Counted[]> {
  const limits = new Map<string, (key: string) => CountWindow>()
  const holders = new WeakMap<CountWindow, Set<Recall>>()
  const recalls = new WeakMap<CountWindow, Promise<void>>()

  function windowOf({ limit, seconds, key }: Count): CountWindow {
    const name = `${limit} ${seconds}`
    const windows = limits.get(name) ?? createCountWindows(seconds)
    limits.set(name, windows)
    return windows(key)
  }

  async function count(one: Count, recall: Recall): Promise<Counted> {
    if (one.by === -1) {
      const window = windowOf(one)
      window.used = Math.max(0, window.used - 1)
      return told(window, window.used)
    }
    if (windowOf(one).used >= one.points) await recallLeases(one)
    const window = windowOf(one) // another one may have begun meanwhile
    if (window.used >= one.points) return told(window, one.points + 1)
    const used = ++window.used
    const lease = leaseOf(one.points - used)
    if (lease > 0) {
      window.used += lease
      holders.set(window, (holders.get(window) ?? new Set()).add(recall))
    }
    return told(window, used, lease)
  }

  /** Whoever comes while that is under way waits for it, too. */
  function recallLeases(one: Count): Promise<void> | undefined {
    const window = windowOf(one)
    const held = holders.get(window)
    if (!held) return recalls.get(window)
    holders.delete(window)
    // What a process that has ended held is lost until the span is over.
    const returned = [...held].map((recall) => recall(one.limit, one.key).catch(() => 0))
    const recalled = Promise.all(returned).then((counts) => {
      for (const unused of counts) window.used -= unused
    })
    recalls.set(window, recalled)
    return recalled
  }

  return (counts, recall) => Promise.all(counts.map((one) => count(one, recall)))
}

const told = ({ endsAt }: CountWindow, used: number, lease = 0): Counted => ({
  used,
  lease,
  msBeforeNext: endsAt - performance.now(),
})
