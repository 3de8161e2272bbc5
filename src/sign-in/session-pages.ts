// Signing in and out, in a browser: what leads to a session with a second factor.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { networkOf } from '../config/networks.ts'
import type { Database } from '../db/database.ts'
import { limitAuthPages } from '../http/auth-page-limit.ts'
import type { BrowserSession } from '../http/browser-session.ts'
import { sendPage } from '../http/layout.ts'
import { localPath, withNext } from '../http/next-path.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { clientAddress } from '../http/request.ts'
import { hashSecret } from '../identity/key-format.ts'
import type { Vault } from '../identity/secrets.ts'
import {
  confirmSession,
  createSession,
  endSession,
  findSession,
  rememberedSeconds,
  type Session,
  SessionEnded,
} from '../identity/sessions.ts'
import { type ExternalSignIn, externalSignInRoutes } from './external-provider.ts'
import { pathAfterPassword } from './member-session.ts'
import { signIn } from './password.ts'
import { codePage, enrolmentPage, recoveryPage, type SignInContext, signInPage } from './session-pages-view.ts'
import { confirmTotpSecret, ensurePendingSecret, isMissingCode, verifyCode } from './totp.ts'

export interface SignInDependencies {
  readonly database: Database
  readonly vault: Vault
  readonly limits: RateLimits
  readonly browser: BrowserSession
  readonly external: ExternalSignIn | undefined
  /** What lies behind an address that signing in goes on to: the app that requests access, and where its page may lead. */
  findPendingRequest(next: string): Promise<{ app: string; formTarget: string | undefined } | undefined>
}

const defaultNext = '/desk'
const sentences = {
  // The same for a person who is locked: another one would reveal that the password is right.
  wrong:
    'The email, the password or the code is wrong. A code works only once: wait for the next one. After five wrong codes ' +
    'none works for 15 minutes.',
  // Said whatever the password was, to who has a second factor and who has none.
  missingCode:
    'The email or the password is wrong, or your code is missing: if you have set up a second factor, enter the six ' +
    'digits that your authenticator app shows, or a recovery code.',
  enterCode: 'Enter the six digits that your authenticator app shows, or a recovery code.',
  wrongCode: 'The code is wrong, or it was used already. Wait for the next one.',
  locked: 'Too many wrong codes. Try again in 15 minutes.',
  tooMany: 'Too many wrong tries from your network. Try again in a minute.',
}

/** A plugin: mount it where forms are read. */
export async function signInRoutes(app: FastifyInstance, dependencies: SignInDependencies): Promise<void> {
  const { database, vault, limits, browser, external, findPendingRequest } = dependencies

  limitAuthPages(app, limits)

  const loadSignInContext = async (
    request: FastifyRequest,
    reply: FastifyReply,
    next: string,
  ): Promise<SignInContext & { app?: string }> => ({
    next,
    csrfField: browser.csrfField(request, reply),
    ...(await findPendingRequest(next)),
  })
  const showSignInPage = async (
    request: FastifyRequest,
    reply: FastifyReply,
    next: string,
    tried?: Partial<SignInContext> & { email?: string },
  ) => {
    const { app, ...known } = await loadSignInContext(request, reply, next)
    return sendPage(
      reply,
      signInPage({ ...known, ...tried }, { email: tried?.email ?? '', app, provider: external?.name }),
    )
  }

  app.get<{ Querystring: Query }>('/sign-in', async (request, reply) => showSignInPage(request, reply, nextOf(request)))

  app.post('/sign-in', async (request, reply) => {
    const form = browser.verifiedForm(request)
    const next = localPath(form.get('next'), defaultNext)
    const email = (form.get('email') ?? '').trim()
    const attempt = await limits.signInAttempt(clientAddress(request))
    if (attempt.isOver) {
      reply.header('retry-after', '60')
      return showSignInPage(request, reply, next, { status: 429, wrong: sentences.tooMany, email })
    }
    const given = {
      email,
      password: form.get('password') ?? '',
      totp: form.get('totp') ?? '',
      network: networkOf(clientAddress(request)),
    }
    const result = await signIn(database, vault, given)
    // The try is counted whatever the password was: what is given back for a right one would tell it.
    if (result.verdict === 'missingCode') {
      return showSignInPage(request, reply, next, { status: 403, wrong: sentences.missingCode, email })
    }
    if (result.verdict !== 'right') {
      return showSignInPage(request, reply, next, { status: 401, wrong: sentences.wrong, email })
    }
    await attempt.refund()
    const before = browser.session(request)
    if (before !== undefined) await endSession(database, before) // a session from before the sign-in is not carried on
    const isRemembered = form.has('remember')
    const token = await createSession(database, 'browser', {
      ...result,
      isRemembered,
      userAgent: request.headers['user-agent'],
    })
    browser.startSession(reply, token, isRemembered ? rememberedSeconds : undefined)
    return reply.redirect(await pathAfterPassword(database, token, next), 303)
  })

  app.post('/sign-out', async (request, reply) => {
    const next = localPath(browser.verifiedForm(request).get('next'), '/sign-in')
    const token = browser.session(request)
    if (token !== undefined) await endSession(database, token)
    browser.endSession(reply)
    return reply.redirect(next, 303)
  })

  /** Somebody whose password is known and whose code is not, or no longer; others are sent where they belong. */
  const requirePasswordSession = async (
    request: FastifyRequest,
    reply: FastifyReply,
    next: string,
    wantsEnrolled: boolean,
  ) => {
    const token = browser.session(request)
    const session = await findSession(database, 'browser', token)
    if (session && !session.hasRecentCode && session.isEnrolled === wantsEnrolled) return { session, token: token! }
    await reply.redirect(session?.hasRecentCode ? next : withNext('/sign-in', next), 303)
    return undefined
  }
  const confirm = async (reply: FastifyReply, before: string, form: URLSearchParams) => {
    const { token, cookieSeconds } = await confirmSession(database, before, { isRemembered: form.has('remember') })
    browser.startSession(reply, token, cookieSeconds)
  }

  app.get<{ Querystring: Query }>('/sign-in/code', async (request, reply) => {
    const next = nextOf(request)
    const pending = await requirePasswordSession(request, reply, next, true)
    return pending ? sendPage(reply, codePage(await loadSignInContext(request, reply, next), pending.session)) : reply
  })
  app.post('/sign-in/code', async (request, reply) => {
    const form = browser.verifiedForm(request)
    const next = localPath(form.get('next'), defaultNext)
    const pending = await requirePasswordSession(request, reply, next, true)
    if (!pending) return reply
    const showCodePage = async (status: number, wrong: string) =>
      sendPage(reply, codePage({ ...(await loadSignInContext(request, reply, next)), status, wrong }, pending.session))
    const code = form.get('totp') ?? ''
    if (isMissingCode(code)) return showCodePage(403, sentences.enterCode)
    const verdict = await verifyCode(database, vault, pending.session.personId, code)
    if (verdict !== 'right') return showCodePage(401, verdict === 'locked' ? sentences.locked : sentences.wrongCode)
    await confirm(reply, pending.token, form)
    return reply.redirect(next, 303)
  })

  const showEnrolmentPage = async (
    request: FastifyRequest,
    reply: FastifyReply,
    next: string,
    session: Session,
    token: string,
    wrong?: string,
  ) => {
    const secret = await ensurePendingSecret(database, vault, hashSecret(token))
    const tried = {
      ...(await loadSignInContext(request, reply, next)),
      ...(wrong !== undefined && { wrong, status: 401 }),
    }
    return sendPage(reply, enrolmentPage(tried, session, secret))
  }
  app.get<{ Querystring: Query }>('/sign-in/second-factor', async (request, reply) => {
    const next = nextOf(request)
    const pending = await requirePasswordSession(request, reply, next, false)
    return pending ? showEnrolmentPage(request, reply, next, pending.session, pending.token) : reply
  })
  app.post('/sign-in/second-factor', async (request, reply) => {
    const form = browser.verifiedForm(request)
    const next = localPath(form.get('next'), defaultNext)
    const pending = await requirePasswordSession(request, reply, next, false)
    if (!pending) return reply
    const secret = await ensurePendingSecret(database, vault, hashSecret(pending.token))
    const code = form.get('totp') ?? ''
    const codes = await confirmTotpSecret(database, vault, { personId: pending.session.personId, secret, code })
    if (!codes)
      return showEnrolmentPage(
        request,
        reply,
        next,
        pending.session,
        pending.token,
        'The code is wrong. Try the next one.',
      )
    await confirm(reply, pending.token, form)
    return sendPage(reply, recoveryPage(await loadSignInContext(request, reply, next), codes))
  })

  // A form sent twice meets a session that the first one renewed: its page knows where that leads.
  const defaultErrorHandler = app.errorHandler
  app.setErrorHandler((error, request, reply) => {
    if (!(error instanceof SessionEnded)) return defaultErrorHandler.call(app, error as FastifyError, request, reply)
    const next =
      request.body instanceof URLSearchParams ? localPath(request.body.get('next'), defaultNext) : nextOf(request)
    return reply.redirect(withNext('/sign-in/second-factor', next), 303)
  })

  if (external) await app.register(externalSignInRoutes, { ...dependencies, external })
}

export interface Query {
  readonly next?: string
}
const nextOf = ({ query }: { query: unknown }) => localPath((query as Query).next, defaultNext)
