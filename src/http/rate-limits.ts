// Every rate limit of the service: who is counted, by what, and how many requests they may make.
import type { Config } from '../config/config.ts'
import { networkOf } from '../config/networks.ts'
import { unavailable } from '../operations/errors.ts'
import type { RateLimiter } from './memory-rate-limiter.ts'
import type { RateLimitStore } from './rate-limit-store.ts'

export interface RateLimitState {
  readonly limit: number
  readonly remaining: number
  readonly isOver: boolean
  /** Until the count starts anew. */
  readonly resetsInMs: number
}

export interface SignInAttempt {
  readonly isOver: boolean
  refund(): Promise<void>
}

export interface RateLimits {
  request(credential: string): Promise<RateLimitState>
  failedAuthentication(address: string): Promise<RateLimitState>
  /** Pages that anybody may open. */
  page(address: string): Promise<RateLimitState>
  /** A PDF made for anybody. */
  pdf(address: string): Promise<RateLimitState>
  /** A reading of a calendar feed, known or not. */
  calendarFeed(address: string): Promise<RateLimitState>
  /** The authorization server's own, by address. */
  authorize(address: string): Promise<RateLimitState>
  token(address: string): Promise<RateLimitState>
  register(address: string): Promise<RateLimitState>
  /** The way back to an app once a person has decided. */
  resume(address: string): Promise<RateLimitState>
  /** Pages of signing in and of consent: each may fetch the client metadata document of an unknown app. */
  authPage(address: string): Promise<RateLimitState>
  /**
   * A password may be guessed, unlike a key: once too many were wrong, none is verified. Each attempt counts before it
   * is verified, so that concurrent ones cannot pass together; a successful one is refunded.
   */
  signInAttempt(address: string): Promise<SignInAttempt>
  /** Pages of the portal that one person opens, and forms that they send. */
  portalPage(personId: string): Promise<RateLimitState>
  portalForm(personId: string): Promise<RateLimitState>
  /** The same of the desk, which is open all day, renews its pages by itself and saves while one types. */
  deskPage(personId: string): Promise<RateLimitState>
  deskForm(personId: string): Promise<RateLimitState>
  /** An address that an organisation tries to invite. */
  invitation(orgId: string): Promise<RateLimitState>
  /** Whether it can count at the moment. */
  isReady(): Promise<boolean>
  metrics(): RateLimitMetrics
  close(): void
}

/** For operators, since the process started. */
export interface RateLimitMetrics {
  /** How often each limit refused somebody. */
  readonly refused: ReadonlyMap<string, number>
  readonly failedAuthentications: number
  /** Those with a password: how many were attempted, and how many of them succeeded. */
  readonly signIns: { readonly attempted: number; readonly succeeded: number }
  /** How often it could not be counted, so that the answer was 503. */
  readonly storeFailures: number
}

/** Enough for an office behind one address, too few to try tokens. */
const pagesPerMinute = 120
/** One sign-in opens up to six of them. */
const authPagesPerMinute = 240
/** More than anybody reads and writes, fewer than a script that delays others. */
const portalPagesPerMinute = 240
const portalFormsPerMinute = 60
const deskPagesPerMinute = 600
const deskFormsPerMinute = 180
/** A shop takes on its people in an hour; nobody finds out in one whose addresses are known here. */
const invitationsPerHour = 30
/** Each takes up to seconds to make. */
const pdfsPerMinute = 10
/** Behind one address there may be a whole shop whose phones poll four times an hour. */
const calendarFeedsPerMinute = 60

export function createRateLimits(config: Config, store: RateLimitStore): RateLimits {
  const refused = new Map<string, number>()
  const counters = { failedAuthentications: 0, attempted: 0, succeeded: 0, storeFailures: 0 }
  const limiterNames = new Map<RateLimiter, string>()
  const createLimiter = (name: string, points: number, duration = 60): RateLimiter | undefined => {
    refused.set(name, 0)
    const limiter = store.limiter(name, points, duration)
    if (limiter) limiterNames.set(limiter, name)
    return limiter
  }
  const byAddress = (address: string) => store.networkKey(networkOf(address))
  const requests = createLimiter('requests', config.rateLimitPerMinute)
  const failures = createLimiter('failures', config.failedAuthPerMinute)
  const pages = createLimiter('pages', pagesPerMinute)
  const pdfs = createLimiter('pdfs', pdfsPerMinute)
  const calendarFeeds = createLimiter('calendar', calendarFeedsPerMinute)
  const signIns = createLimiter('sign-in', config.failedAuthPerMinute)
  const authorizations = createLimiter('authorize', config.authorizePerMinute)
  const tokens = createLimiter('token', config.tokenPerMinute)
  const resumptions = createLimiter('resume', config.authorizePerMinute)
  const authPages = createLimiter('auth-pages', Math.max(authPagesPerMinute, config.authorizePerMinute))
  const portalPages = createLimiter('portal-pages', portalPagesPerMinute)
  const portalForms = createLimiter('portal-forms', portalFormsPerMinute)
  const deskPages = createLimiter('desk-pages', deskPagesPerMinute)
  const deskForms = createLimiter('desk-forms', deskFormsPerMinute)
  const invitations = createLimiter('invitations', invitationsPerHour, 3_600)
  const registrations = createLimiter('register', config.registerPerMinute)
  const registrationsOfTheDay = createLimiter('register-day', config.registerPerDay, 86_400)

  /** Without a store nothing is counted, so nothing is served: the quota is never raised by a missing part. */
  async function consume(limiter: RateLimiter | undefined, key: string): Promise<RateLimitState> {
    const result = await limiter?.consume(key).catch(() => undefined)
    if (!limiter || !result) {
      counters.storeFailures++
      throw unavailable()
    }
    const isOver = result.consumedPoints > limiter.points
    if (isOver) {
      const name = limiterNames.get(limiter)!
      refused.set(name, refused.get(name)! + 1)
    }
    return {
      limit: limiter.points,
      remaining: Math.max(0, result.remainingPoints),
      isOver,
      resetsInMs: result.msBeforeNext,
    }
  }

  return {
    request: (credential) => consume(requests, credential),
    failedAuthentication(address) {
      counters.failedAuthentications++
      return consume(failures, byAddress(address))
    },
    page: (address) => consume(pages, byAddress(address)),
    pdf: (address) => consume(pdfs, byAddress(address)),
    calendarFeed: (address) => consume(calendarFeeds, byAddress(address)),
    authorize: (address) => consume(authorizations, byAddress(address)),
    token: (address) => consume(tokens, byAddress(address)),
    async register(address) {
      const perMinute = await consume(registrations, byAddress(address))
      // What the minute refuses does not use up the day.
      return perMinute.isOver
        ? perMinute
        : stricter(perMinute, await consume(registrationsOfTheDay, byAddress(address)))
    },
    resume: (address) => consume(resumptions, byAddress(address)),
    authPage: (address) => consume(authPages, byAddress(address)),
    portalPage: (personId) => consume(portalPages, personId),
    portalForm: (personId) => consume(portalForms, personId),
    deskPage: (personId) => consume(deskPages, personId),
    deskForm: (personId) => consume(deskForms, personId),
    invitation: (orgId) => consume(invitations, orgId),
    async signInAttempt(address) {
      counters.attempted++
      const { isOver } = await consume(signIns, byAddress(address))
      return {
        isOver,
        async refund() {
          counters.succeeded++
          // A correct password is accepted even if the refund fails; the count ends with its minute.
          await signIns?.reward(byAddress(address)).catch(() => {})
        },
      }
    },
    isReady: () => store.isReady(),
    metrics: () => ({
      ...counters,
      refused,
      signIns: { attempted: counters.attempted, succeeded: counters.succeeded },
    }),
    close: () => store.close(),
  }
}

const stricter = (one: RateLimitState, other: RateLimitState) =>
  other.isOver || other.remaining < one.remaining ? other : one
