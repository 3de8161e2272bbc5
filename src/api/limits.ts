// How often a caller may ask: counted in memory on one machine, in Redis where several processes share the count.
import { createHmac, randomBytes } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { Redis } from 'ioredis'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '../config.ts'
import { unavailable } from './errors.ts'
import { type Counter, memoryCounter } from './memory-counter.ts'

export interface Count {
  readonly limit: number
  readonly remaining: number
  readonly isOver: boolean
  /** Until the count starts anew. */
  readonly resetsInMs: number
}

export interface Try {
  readonly isOver: boolean
  giveBack(): Promise<void>
}

export interface Limits {
  request(credential: string): Promise<Count>
  failedAuthentication(address: string): Promise<Count>
  /** Pages that anybody may open. */
  page(address: string): Promise<Count>
  /** A PDF made for anybody. */
  pdf(address: string): Promise<Count>
  /** A reading of a calendar feed, known or not. */
  calendarReading(address: string): Promise<Count>
  /** The authorization server's own, by address. */
  authorize(address: string): Promise<Count>
  token(address: string): Promise<Count>
  register(address: string): Promise<Count>
  /** The way back to an app once a person has decided. */
  resume(address: string): Promise<Count>
  /** Pages of signing in and deciding: each may cost a look at a stranger's document. */
  entrance(address: string): Promise<Count>
  /**
   * A password may be guessed, unlike a key: once too many were wrong, none is looked at. Each try counts before it is
   * judged, so that tries at once cannot pass together; one that was right is given back.
   */
  signInTry(address: string): Promise<Try>
  /** Pages of the portal that one person opens, and forms that they send. */
  portalPage(personId: string): Promise<Count>
  portalForm(personId: string): Promise<Count>
  /** An address that an organisation tries to invite. */
  invitation(orgId: string): Promise<Count>
  /** Whether it can count at the moment. */
  isReady(): Promise<boolean>
  figures(): LimitsFigures
  close(): Promise<void>
}

/** For operators, since the process started. */
export interface LimitsFigures {
  /** How often each limit refused somebody. */
  readonly refused: ReadonlyMap<string, number>
  readonly failedAuthentications: number
  /** Those with a password: how many were tried, and how many of them were right. */
  readonly signIns: { readonly tried: number; readonly right: number }
  /** How often it could not be counted, so that the answer was 503. */
  readonly uncounted: number
}

/** Enough for an office behind one address, too few to try tokens. */
const pagesPerMinute = 120
/** One sign-in opens up to six of them. */
const entrancesPerMinute = 240
/** More than anybody reads and writes, fewer than a script that holds up others. */
const portalPagesPerMinute = 240
const portalFormsPerMinute = 60
/** A shop takes on its people in an hour; nobody finds out in one whose addresses are known here. */
const invitationsPerHour = 30
/** Each takes up to seconds to make. */
const pdfsPerMinute = 10
/** Behind one address there may be a whole shop whose phones ask four times an hour. */
const calendarReadingsPerMinute = 60

/** A frozen Redis must not hold a request: past this, the answer is 503. */
const redisTimeoutMs = 500
/** A connection that stays silent so long is given up for a new one: the network may have forgotten it. */
const redisSilenceMs = 1_000

export function limitsFrom(config: Config): Limits {
  const redis = config.rateLimitStore === 'redis' && config.redisUrl !== null ? connect(config.redisUrl) : undefined
  const refused = new Map<string, number>()
  const tally = { failedAuthentications: 0, tried: 0, right: 0, uncounted: 0 }
  const names = new Map<Counter, string>()
  const counter = (name: string, points: number, duration = 60): Counter | undefined => {
    refused.set(name, 0)
    const made = counterOf(name, points, duration)
    if (made) names.set(made, name)
    return made
  }
  const counterOf = (keyPrefix: string, points: number, duration: number): Counter | undefined => {
    if (config.rateLimitStore === 'memory') return memoryCounter(points, duration)
    return redis && new RateLimiterRedis({ storeClient: redis, keyPrefix, points, duration, useRedisPackage: false })
  }
  const byAddress = (address: string) =>
    config.rateLimitStore === 'memory' ? bucketOf(networkOf(address)) : networkOf(address)
  const requests = counter('requests', config.rateLimitPerMinute)
  const failures = counter('failures', config.failedAuthPerMinute)
  const pages = counter('pages', pagesPerMinute)
  const pdfs = counter('pdfs', pdfsPerMinute)
  const readings = counter('calendar', calendarReadingsPerMinute)
  const signIns = counter('sign-in', config.failedAuthPerMinute)
  const authorizations = counter('authorize', config.authorizePerMinute)
  const tokens = counter('token', config.tokenPerMinute)
  const resumptions = counter('resume', config.authorizePerMinute)
  const entrances = counter('entrance', Math.max(entrancesPerMinute, config.authorizePerMinute))
  const portalPages = counter('portal-pages', portalPagesPerMinute)
  const portalForms = counter('portal-forms', portalFormsPerMinute)
  const invitations = counter('invitations', invitationsPerHour, 3_600)
  const registrations = counter('register', config.registerPerMinute)
  const registrationsOfTheDay = counter('register-day', config.registerPerDay, 86_400)

  /** Without a store nothing is counted, so nothing is served: the quota is never raised by a missing part. */
  async function count(counter: Counter | undefined, key: string): Promise<Count> {
    const result = await counter?.consume(key).catch((error: unknown) => {
      if (error instanceof RateLimiterRes) return error
    })
    if (!counter || !result) {
      tally.uncounted++
      throw unavailable()
    }
    const isOver = result.consumedPoints > counter.points
    if (isOver) {
      const name = names.get(counter)!
      refused.set(name, refused.get(name)! + 1)
    }
    return {
      limit: counter.points,
      remaining: Math.max(0, result.remainingPoints),
      isOver,
      resetsInMs: result.msBeforeNext,
    }
  }

  return {
    request: (credential) => count(requests, credential),
    failedAuthentication(address) {
      tally.failedAuthentications++
      return count(failures, byAddress(address))
    },
    page: (address) => count(pages, byAddress(address)),
    pdf: (address) => count(pdfs, byAddress(address)),
    calendarReading: (address) => count(readings, byAddress(address)),
    authorize: (address) => count(authorizations, byAddress(address)),
    token: (address) => count(tokens, byAddress(address)),
    async register(address) {
      const now = await count(registrations, byAddress(address))
      // What the minute refuses does not use up the day.
      return now.isOver ? now : fuller(now, await count(registrationsOfTheDay, byAddress(address)))
    },
    resume: (address) => count(resumptions, byAddress(address)),
    entrance: (address) => count(entrances, byAddress(address)),
    portalPage: (personId) => count(portalPages, personId),
    portalForm: (personId) => count(portalForms, personId),
    invitation: (orgId) => count(invitations, orgId),
    async signInTry(address) {
      tally.tried++
      const { isOver } = await count(signIns, byAddress(address))
      return {
        isOver,
        async giveBack() {
          tally.right++
          // Who was right is let in even if the count cannot be mended; it ends with its minute.
          await signIns?.reward(byAddress(address)).catch(() => {})
        },
      }
    },
    async isReady() {
      if (config.rateLimitStore === 'memory') return true
      const answer = await redis?.ping().catch(() => undefined)
      return answer !== undefined
    },
    figures: () => ({ ...tally, refused, signIns: { tried: tally.tried, right: tally.right } }),
    async close() {
      redis?.disconnect()
    },
  }
}

const fuller = (one: Count, other: Count) => (other.isOver || other.remaining < one.remaining ? other : one)

function connect(url: string): Redis {
  const redis = new Redis(url, {
    commandTimeout: redisTimeoutMs,
    connectTimeout: redisTimeoutMs,
    socketTimeout: redisSilenceMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  })
  redis.on('error', () => {}) // each command that fails says so itself
  return redis
}

/** One household or office has a whole IPv6 /64: counting single addresses there would count nobody. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const left = head.split(':').filter(Boolean)
  const right = (tail ?? '').split(':').filter(Boolean)
  const groups = tail === undefined ? left : [...left, ...Array(8 - left.length - right.length).fill('0'), ...right]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/** A million sources must not fill the memory: they share 65,536 counts, which can only delay those who fail. */
const bucketOf = (key: string): string => createHmac('sha256', ownKey).update(key).digest('hex').slice(0, 4)
/** Which sources share a count is nobody's to find out. */
const ownKey = randomBytes(32)
