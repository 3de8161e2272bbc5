// When requests begin. A burst of one tenant begins a few at a time, so that the event loop comes to others in between; and
// while the loop is slow, a tenant that asks for far more than the others has few requests under way, so that it becomes
// quick again for them.

/** About four milliseconds of work. */
const startsPerRound = 16
/** A request takes several rounds of the event loop: where one takes longer than this, everybody waits. */
const slowRoundMs = 8
/** How many requests one tenant may have under way after a slow round, and how many more in each second after it. */
const limitAfterSlowRound = 1
const recoveryPerSecond = 1
/** Who has more than so many times the requests of others, under way or waiting, asks for more than a share. */
const fairMultiple = 2
/** How long after its last request somebody counts as being there. */
const presenceMs = 1_000
/** Whoever has long requests under way begins another this often all the same. */
const patienceMs = 100

export interface RequestTurns {
  /** Undefined: it may begin at once, as nearly always. Whoever began must leave. */
  enter(key: string): Promise<void> | undefined
  leave(key: string): void
}

interface Tenant {
  running: number
  startedThisRound: number
  lastStart: number
  readonly waiting: (() => void)[]
}

export function createRequestTurns(now: () => number = () => performance.now()): RequestTurns {
  const tenants = new Map<string, Tenant>()
  /** All requests that are under way or wait. */
  let total = 0
  let slowRoundAt = Number.NEGATIVE_INFINITY
  let lastKey: string | undefined
  let lastChangeOfKey = Number.NEGATIVE_INFINITY
  let roundStartedAt: number | undefined
  let looksAgain = false

  /** `own` are all its requests, under way or waiting, with the one that wants to start. */
  function mayStart(tenant: Tenant, own: number, at: number): boolean {
    if (tenant.startedThisRound >= startsPerRound) return false
    const isShared = at - lastChangeOfKey < presenceMs
    if (!isShared || !asksForMoreThanOthers(own)) return true
    const limit = limitAfterSlowRound + ((at - slowRoundAt) / 1_000) * recoveryPerSecond
    return tenant.running < Math.floor(limit) || at - tenant.lastStart >= patienceMs
  }

  /** Where everybody asks for much the machine is too small, and holding them all back would make it smaller still. */
  function asksForMoreThanOthers(own: number): boolean {
    const ofOthers = (total - own) / Math.max(1, tenants.size - 1)
    return own > fairMultiple * Math.max(1, ofOthers)
  }

  function start(tenant: Tenant, at: number): void {
    tenant.running++
    tenant.startedThisRound++
    tenant.lastStart = at
    scheduleNextRound(at)
  }

  function scheduleNextRound(at: number): void {
    if (roundStartedAt !== undefined) return
    roundStartedAt = at
    setImmediate(nextRound)
  }

  function nextRound(): void {
    const at = now()
    if (at - roundStartedAt! > slowRoundMs) slowRoundAt = at
    roundStartedAt = undefined
    let isAnybodyWaiting = false
    for (const [key, tenant] of tenants) {
      tenant.startedThisRound = 0
      while (tenant.waiting.length > 0 && mayStart(tenant, tenant.running + tenant.waiting.length, at)) {
        start(tenant, at)
        tenant.waiting.shift()!()
      }
      if (tenant.waiting.length > 0) isAnybodyWaiting = true
      else if (tenant.running === 0) tenants.delete(key)
    }
    if (!isAnybodyWaiting || looksAgain) return
    looksAgain = true
    setTimeout(lookAgain, patienceMs).unref()
  }

  function lookAgain(): void {
    looksAgain = false
    scheduleNextRound(now())
  }

  return {
    enter(key) {
      const at = now()
      if (key !== lastKey) {
        if (lastKey !== undefined) lastChangeOfKey = at
        lastKey = key
      }
      let tenant = tenants.get(key)
      if (!tenant) {
        tenant = { running: 0, startedThisRound: 0, lastStart: at, waiting: [] }
        tenants.set(key, tenant)
      }
      total++
      if (tenant.waiting.length === 0 && mayStart(tenant, tenant.running + 1, at)) {
        start(tenant, at)
        return undefined
      }
      scheduleNextRound(at)
      const { promise, resolve } = Promise.withResolvers<void>()
      tenant.waiting.push(resolve)
      return promise
    },
    leave(key) {
      const tenant = tenants.get(key)!
      tenant.running--
      total--
      if (tenant.waiting.length > 0) scheduleNextRound(now())
      else if (tenant.running === 0 && tenant.startedThisRound === 0) tenants.delete(key)
    },
  }
}
