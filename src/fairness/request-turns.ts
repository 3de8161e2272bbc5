// When requests begin. A burst of one tenant begins a few at a time, so that the event loop comes to others in between; and
// while the loop is slow, a tenant that asks for far more than the others has few requests under way, so that it becomes
// quick again for them; after long ones it rests, so that the processors have time for others.
import { availableParallelism } from 'node:os'
import { createPresence } from './presence.ts'
import { createRotation, type Rotation } from './rotation.ts'

/** About four milliseconds of work. */
const startsPerRound = 16
/** A request takes several rounds of the event loop: where one takes longer than this, everybody waits. */
const slowRoundMs = 8
/** How many requests one tenant may have under way after a slow round, and how many more in each second after it. */
const limitAfterSlowRound = 1
const recoveryPerSecond = 1
/** And how many at most: each may keep one of PostgreSQL's processes busy, of which no more run at once than there are cores. */
const besideOthers = { atLeast: 2, atMost: 4 }
/** Who has more than so many times the requests of others, under way or waiting, asks for more than a share. */
const fairMultiple = 2
/** So few are nobody's burst, however little the others ask for. */
const fewRequests = 1
/** Over which time requests are averaged: by chance one of several who ask for the same has more than the others for a moment. */
const averagingMs = 250
/** A burst counts at once, for this part of what it is: by chance nobody has so many. */
const burstShare = 1 / 4
/** Beside others, who asks for more than they do rests so many times as long as its requests took beyond what a short one takes. */
const shortMs = 8
const restMultiple = 3
/** How long after its last request somebody counts as being there. */
const presenceMs = 1_000
/** Whoever has long requests under way begins another this often all the same. */
const patienceMs = 100
/** How often it is looked whether somebody who waits has rested, or waited, long enough. */
const lookAgainMs = 10

export interface RequestTurns {
  /** Undefined: it may begin at once, as nearly always. Whoever began must leave, and tell when it began. */
  enter(key: string, credential: string): Promise<void> | undefined
  leave(key: string, beganAt: number): void
}

interface Tenant {
  readonly key: string
  running: number
  startedThisRound: number
  lastStart: number
  restsUntil: number
  /** By credential: the people of a shop do not wait behind all that its programs ask for. */
  readonly waiting: Rotation<() => void>
  readonly asked: MovingAverage
}

/** Of a number that changes now and then, with the last moments counting most. */
interface MovingAverage {
  average: number
  at: number
}

/** Up to a moment until which the number was the same. */
function averageUntil(moving: MovingAverage, number: number, at: number): number {
  moving.average = number + (moving.average - number) * Math.exp((moving.at - at) / averagingMs)
  moving.at = at
  return moving.average
}

export function createRequestTurns(
  now: () => number = () => performance.now(),
  cores = availableParallelism(),
): RequestTurns {
  const maxBesideOthers = Math.min(besideOthers.atMost, Math.max(besideOthers.atLeast, cores))
  const tenants = new Map<string, Tenant>()
  const started: Tenant[] = []
  const withWaiting = new Set<Tenant>()
  /** All requests that are under way or wait. */
  let total = 0
  const askedByAll: MovingAverage = { average: 0, at: 0 }
  let slowRoundAt = Number.NEGATIVE_INFINITY
  const presence = createPresence(presenceMs)
  let roundStartedAt: number | undefined
  let looksAgain = false
  let forgotAt = 0

  const requestsOf = ({ running, waiting }: Tenant) => running + waiting.size

  function mayStart(tenant: Tenant, at: number): boolean {
    if (tenant.startedThisRound >= startsPerRound) return false
    const recovered = limitAfterSlowRound + ((at - slowRoundAt) / 1_000) * recoveryPerSecond
    const limit = Math.min(Math.floor(recovered), maxBesideOthers)
    if ((tenant.running < limit && !isResting(tenant, at)) || at - tenant.lastStart >= patienceMs) return true
    return !presence.isBesideOthers(tenant.key, at) || !asksForMoreThanOthers(tenant, at)
  }

  /** Only who has most of all requests: on a machine that is too small for everybody all of them take long. */
  const isResting = (tenant: Tenant, at: number) => at < tenant.restsUntil && 2 * requestsOf(tenant) > total

  /** Where everybody asks for much the machine is too small, and holding them all back would make it smaller still. */
  function asksForMoreThanOthers(tenant: Tenant, at: number): boolean {
    const own = averageUntil(tenant.asked, requestsOf(tenant), at)
    const ofOthers = (averageUntil(askedByAll, total, at) - own) / Math.max(1, tenants.size - 1)
    return Math.max(own, requestsOf(tenant) * burstShare) > fairMultiple * Math.max(fewRequests, ofOthers)
  }

  function start(tenant: Tenant, at: number): void {
    tenant.running++
    if (tenant.startedThisRound++ === 0) started.push(tenant)
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
    for (const tenant of started.splice(0)) tenant.startedThisRound = 0
    for (const tenant of withWaiting) {
      while (tenant.waiting.size > 0 && mayStart(tenant, at)) {
        const begin = tenant.waiting.shift()
        start(tenant, at)
        begin()
      }
      if (tenant.waiting.size === 0) withWaiting.delete(tenant)
    }
    if (at - forgotAt >= presenceMs) forgetAbsent(at)
    if (withWaiting.size === 0 || looksAgain) return
    looksAgain = true
    setTimeout(lookAgain, lookAgainMs).unref()
  }

  function forgetAbsent(at: number): void {
    forgotAt = at
    for (const [key, tenant] of tenants)
      if (requestsOf(tenant) === 0 && at - tenant.lastStart >= presenceMs) tenants.delete(key)
  }

  function lookAgain(): void {
    looksAgain = false
    scheduleNextRound(now())
  }

  return {
    enter(key, credential) {
      const at = now()
      presence.note(key, at)
      let tenant = tenants.get(key)
      if (!tenant) {
        const asked = { average: 0, at }
        tenant = {
          key,
          running: 0,
          startedThisRound: 0,
          lastStart: at,
          restsUntil: at,
          waiting: createRotation(),
          asked,
        }
        tenants.set(key, tenant)
      }
      averageUntil(tenant.asked, requestsOf(tenant), at)
      averageUntil(askedByAll, total++, at)
      if (tenant.waiting.size === 0 && mayStart(tenant, at)) {
        start(tenant, at)
        return undefined
      }
      scheduleNextRound(at)
      const { promise, resolve } = Promise.withResolvers<void>()
      tenant.waiting.push(credential, resolve)
      withWaiting.add(tenant)
      return promise
    },
    leave(key, beganAt) {
      const at = now()
      const tenant = tenants.get(key)!
      averageUntil(tenant.asked, requestsOf(tenant), at)
      averageUntil(askedByAll, total--, at)
      tenant.running--
      const rest = restMultiple * (at - beganAt - shortMs)
      if (rest > 0) tenant.restsUntil = Math.min(Math.max(at, tenant.restsUntil) + rest, at + patienceMs)
      if (tenant.waiting.size > 0) scheduleNextRound(at)
    },
  }
}
