// Accepting an invitation: the link leads to a page where somebody chooses a password, or shows theirs, and joins.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { networkOf } from '../config/networks.ts'
import type { Database } from '../db/database.ts'
import { limitAuthPages } from '../http/auth-page-limit.ts'
import type { BrowserSession } from '../http/browser-session.ts'
import { sendPage } from '../http/layout.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { clientAddress } from '../http/request.ts'
import { acceptInvitation, findInvitation, InvitationEnded, type OpenInvitation } from '../identity/invitations.ts'
import { refuseUnlessPassword } from '../identity/password-change.ts'
import { hashPassword, verifyPassword } from '../identity/passwords.ts'
import { createSession, endSession, rememberedSeconds } from '../identity/sessions.ts'
import { endedInvitationPage, invitationPage, refusedInvitationPage } from './invitation-pages-view.ts'
import { deskHome, pathAfterPassword } from './member-session.ts'
import { maxPasswordLength } from './password.ts'

interface InvitationDependencies {
  readonly database: Database
  readonly limits: RateLimits
  readonly browser: BrowserSession
}
interface Route {
  readonly Params: { readonly token: string }
}

/** Where the link of an invitation leads. */
export const invitationPath = (token: string): string => `/invitation/${token}`

/** A plugin: mount it where forms are read. */
export async function invitationRoutes(
  app: FastifyInstance,
  { database, limits, browser }: InvitationDependencies,
): Promise<void> {
  limitAuthPages(app, limits)

  const show = (
    request: FastifyRequest<Route>,
    reply: FastifyReply,
    invitation: OpenInvitation,
    tried?: { readonly status: number; readonly wrong: string },
  ) => {
    if (invitation.admission === 'refused') return sendPage(reply, refusedInvitationPage(invitation))
    const csrfField = browser.csrfField(request, reply)
    return sendPage(
      reply,
      invitationPage(invitation, { action: invitationPath(request.params.token), csrfField, ...tried }),
    )
  }

  app.get<Route>('/invitation/:token', async (request, reply) => {
    const invitation = await findInvitation(database, request.params.token)
    return invitation ? show(request, reply, invitation) : sendPage(reply, endedInvitationPage)
  })

  app.post<Route>('/invitation/:token', async (request, reply) => {
    const form = browser.verifiedForm(request)
    const { token } = request.params
    const invitation = await findInvitation(database, token)
    if (!invitation) return sendPage(reply, endedInvitationPage)
    const { admission } = invitation
    if (admission === 'refused') return show(request, reply, invitation)
    const address = clientAddress(request)
    const attempt = await limits.signInAttempt(address)
    if (attempt.isOver) {
      reply.header('retry-after', '60')
      return show(request, reply, invitation, { status: 429, wrong: sentences.tooMany })
    }
    const password = form.get('password') ?? ''
    const proof = await (admission === 'new password' ? choosePassword : showPassword)(invitation, password, address)
    if (proof === undefined) return show(request, reply, invitation, { status: 401, wrong: sentences.wrongPassword })
    await attempt.refund()
    if (typeof proof !== 'string') return show(request, reply, invitation, { status: 400, wrong: `${proof.message}.` })
    const joined = await acceptInvitation(database, invitation, token, { admission, passwordHash: proof }).catch(
      (error: unknown) => {
        if (!(error instanceof InvitationEnded)) throw error
      },
    )
    if (!joined) return sendPage(reply, endedInvitationPage)
    const before = browser.session(request)
    if (before !== undefined) await endSession(database, before)
    const isRemembered = form.has('remember')
    const userAgent = request.headers['user-agent']
    const session = await createSession(database, 'browser', { personId: joined.personId, isRemembered, userAgent })
    browser.startSession(reply, session, isRemembered ? rememberedSeconds : undefined)
    return reply.redirect(await pathAfterPassword(database, session, deskHome(joined)), 303)
  })
}

const sentences = {
  wrongPassword: 'That is not the password of your account.',
  tooMany: 'Too many wrong tries from your network. Try again in a minute.',
}

/** The hash of what they chose, or what is wrong with it. */
async function choosePassword(_: OpenInvitation, password: string, address: string): Promise<string | Error> {
  try {
    refuseUnlessPassword(password)
  } catch (error) {
    return error as Error
  }
  return hashPassword(password, networkOf(address))
}

/** The hash that it was verified against; undefined: it is another one. */
async function showPassword(
  { passwordHash }: OpenInvitation,
  password: string,
  address: string,
): Promise<string | undefined> {
  const isRight = await verifyPassword(password.slice(0, maxPasswordLength), passwordHash!, networkOf(address))
  return isRight ? passwordHash! : undefined
}
