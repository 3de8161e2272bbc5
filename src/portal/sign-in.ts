// Signing in and out, in a browser: what leads to a session with a second factor.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Limits, networkOf } from '../api/limits.ts'
import { addressOf } from '../api/request.ts'
import type { Database } from '../database.ts'
import { hashOf } from '../identity/key-format.ts'
import { confirmSecret, judgeCode, pendingSecret } from '../identity/second-factor.ts'
import type { Vault } from '../identity/secrets.ts'
import { endSession, findSession, openSession, renewSession, type Session, SessionEnded } from '../identity/sessions.ts'
import { signIn } from '../identity/sign-in.ts'
import { type ExternalSignIn, externalSignIn } from './external.ts'
import { type Browser, limitEntrance, localPath, withNext } from './forms.ts'
import { show } from './layout.ts'
import { codePage, enrolmentPage, recoveryPage, type Setting, signInPage } from './sign-in-pages.ts'

export interface SignInParts {
  readonly database: Database
  readonly vault: Vault
  readonly limits: Limits
  readonly browser: Browser
  readonly external: ExternalSignIn | undefined
  /** What lies behind an address that signing in goes on to: the app that asks, and where its page may lead. */
  behind(next: string): Promise<{ app: string; leadsTo: string | undefined } | undefined>
}

const home = '/portal'
const sentences = {
  // The same for a person who is locked: another one would tell a stranger that the password is right.
  wrong:
    'The email, the password or the code is wrong. A code works only once: wait for the next one. After five wrong codes ' +
    'none works for 15 minutes.',
  wrongCode: 'The code is wrong, or it was used already. Wait for the next one.',
  locked: 'Too many wrong codes. Try again in 15 minutes.',
  tooMany: 'Too many wrong tries from your network. Try again in a minute.',
}

/** A plugin: mount it where forms are read. */
export async function signInRoutes(app: FastifyInstance, parts: SignInParts): Promise<void> {
  const { database, vault, limits, browser, external, behind } = parts

  limitEntrance(app, limits)

  const setting = async (
    request: FastifyRequest,
    reply: FastifyReply,
    next: string,
  ): Promise<Setting & { app?: string }> => ({
    next,
    seal: browser.seal(request, reply),
    ...(await behind(next)),
  })
  const entrance = async (
    request: FastifyRequest,
    reply: FastifyReply,
    next: string,
    tried?: Partial<Setting> & { email?: string },
  ) => {
    const { app, ...known } = await setting(request, reply, next)
    return show(reply, signInPage({ ...known, ...tried }, { email: tried?.email ?? '', app, provider: external?.name }))
  }

  app.get<{ Querystring: Query }>('/sign-in', async (request, reply) => entrance(request, reply, nextOf(request)))

  app.post('/sign-in', async (request, reply) => {
    const form = browser.fields(request)
    const next = localPath(form.get('next'), home)
    const email = (form.get('email') ?? '').trim()
    const attempt = await limits.signInTry(addressOf(request))
    if (attempt.isOver) {
      reply.header('retry-after', '60')
      return entrance(request, reply, next, { status: 429, wrong: sentences.tooMany, email })
    }
    const given = {
      email,
      password: form.get('password') ?? '',
      totp: form.get('totp') ?? '',
      network: networkOf(addressOf(request)),
    }
    const result = await signIn(database, vault, given)
    if (result.verdict !== 'right') {
      return entrance(request, reply, next, { status: 401, wrong: sentences.wrong, email })
    }
    await attempt.giveBack()
    const before = browser.session(request)
    if (before !== undefined) await endSession(database, before) // a session from before the sign-in is not carried on
    browser.startSession(reply, await openSession(database, 'browser', result.personId, result.hasSecondFactor))
    return reply.redirect(result.hasSecondFactor ? next : withNext('/sign-in/second-factor', next), 303)
  })

  app.post('/sign-out', async (request, reply) => {
    const next = localPath(browser.fields(request).get('next'), '/sign-in')
    const token = browser.session(request)
    if (token !== undefined) await endSession(database, token)
    browser.endSession(reply)
    return reply.redirect(next, 303)
  })

  /** Somebody whose password is known and whose second factor is not; others are sent where they belong. */
  const halfway = async (request: FastifyRequest, reply: FastifyReply, next: string, wantsEnrolled: boolean) => {
    const token = browser.session(request)
    const session = await findSession(database, 'browser', token)
    if (session && !session.hasSecondFactor && session.isEnrolled === wantsEnrolled) return { session, token: token! }
    await reply.redirect(session?.hasSecondFactor ? next : withNext('/sign-in', next), 303)
    return undefined
  }
  const whole = async (reply: FastifyReply, token: string) =>
    browser.startSession(reply, await renewSession(database, token, true))

  app.get<{ Querystring: Query }>('/sign-in/code', async (request, reply) => {
    const next = nextOf(request)
    const here = await halfway(request, reply, next, true)
    return here ? show(reply, codePage(await setting(request, reply, next), here.session.email)) : reply
  })
  app.post('/sign-in/code', async (request, reply) => {
    const form = browser.fields(request)
    const next = localPath(form.get('next'), home)
    const here = await halfway(request, reply, next, true)
    if (!here) return reply
    const verdict = await judgeCode(database, vault, here.session.personId, form.get('totp') ?? '')
    if (verdict !== 'right') {
      const wrong = verdict === 'locked' ? sentences.locked : sentences.wrongCode
      const tried = { ...(await setting(request, reply, next)), status: 401, wrong }
      return show(reply, codePage(tried, here.session.email))
    }
    await whole(reply, here.token)
    return reply.redirect(next, 303)
  })

  const enrolling = async (
    request: FastifyRequest,
    reply: FastifyReply,
    next: string,
    session: Session,
    token: string,
    wrong?: string,
  ) => {
    const secret = await pendingSecret(database, vault, hashOf(token))
    const tried = { ...(await setting(request, reply, next)), ...(wrong !== undefined && { wrong, status: 401 }) }
    return show(reply, enrolmentPage(tried, session.email, secret))
  }
  app.get<{ Querystring: Query }>('/sign-in/second-factor', async (request, reply) => {
    const next = nextOf(request)
    const here = await halfway(request, reply, next, false)
    return here ? enrolling(request, reply, next, here.session, here.token) : reply
  })
  app.post('/sign-in/second-factor', async (request, reply) => {
    const form = browser.fields(request)
    const next = localPath(form.get('next'), home)
    const here = await halfway(request, reply, next, false)
    if (!here) return reply
    const secret = await pendingSecret(database, vault, hashOf(here.token))
    const code = form.get('totp') ?? ''
    const codes = await confirmSecret(database, vault, { personId: here.session.personId, secret, code })
    if (!codes) return enrolling(request, reply, next, here.session, here.token, 'The code is wrong. Try the next one.')
    await whole(reply, here.token)
    return show(reply, recoveryPage(await setting(request, reply, next), codes))
  })

  // A form sent twice meets a session that the first one renewed: its page knows where that leads.
  const refuse = app.errorHandler
  app.setErrorHandler((error, request, reply) => {
    if (!(error instanceof SessionEnded)) return refuse.call(app, error as FastifyError, request, reply)
    const next = request.body instanceof URLSearchParams ? localPath(request.body.get('next'), home) : nextOf(request)
    return reply.redirect(withNext('/sign-in/second-factor', next), 303)
  })

  if (external) await app.register(externalSignIn, { ...parts, external })
}

export interface Query {
  readonly next?: string
}
const nextOf = ({ query }: { query: unknown }) => localPath((query as Query).next, home)
