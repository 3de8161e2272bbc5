// Who stands behind a page: an active member of its organisation, with the factors that the page wants.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database, Queryable } from '../db/database.ts'
import { missingStep, type Wants } from '../domain/second-factor.ts'
import type { BrowserSession } from '../http/browser-session.ts'
import { html } from '../http/html.ts'
import { type Page, sendPage } from '../http/layout.ts'
import { withNext } from '../http/next-path.ts'
import { secondsUntilReset } from '../http/rate-limit-headers.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { findSignedIn, type Membership, noteSessionUse, type SignedIn } from '../identity/signed-in.ts'
import { ApiError, tooManyRequests } from '../operations/errors.ts'

export type { Membership, Wants }

export interface MemberSessionDependencies {
  readonly database: Database
  readonly browser: BrowserSession
  readonly limits: Pick<RateLimits, 'deskPage' | 'deskForm' | 'portalPage' | 'portalForm'>
}

/** An active member of one organisation, for whom its page may be made. */
export interface SignedInMember extends Membership {
  readonly personId: string
  readonly email: string
  /** Whether the person has an authenticator app set up. */
  readonly isEnrolled: boolean
  /** The value of the session cookie. */
  readonly session: string
  /** Wherever they work; the one of this page among them. */
  readonly memberships: readonly Membership[]
}

interface Door {
  readonly orgId: string | undefined
  readonly wants: Wants
}

/**
 * The member whose page it is; undefined: the request has been answered, with the way to sign in or to enter a code. The
 * desk is for every active member, the developer pages for admins of an organisation on Pro or a trial, with a code of
 * the last twelve hours. An organisation one does not belong to and one that does not exist get the same 403.
 */
export async function requireMember(
  dependencies: MemberSessionDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { orgId, wants }: Door,
): Promise<SignedInMember | undefined> {
  const signedIn = await requireSignedIn(dependencies, request, reply, wants)
  if (!signedIn) return undefined
  const judged = judge(signedIn, { orgId, wants })
  if (judged === undefined) throw notAllowed(wants)
  if (typeof judged !== 'string') return toMember(signedIn, judged, dependencies.browser.session(request)!)
  await leadTo(judged, signedIn, request, reply, wants)
  return undefined
}

/** The same without an answer, for what looks again later, such as a stream that stays open; undefined: no longer. */
export async function findMember(
  database: Queryable,
  session: string | undefined,
  door: Door,
): Promise<SignedInMember | undefined> {
  const signedIn = await findSignedIn(database, session)
  const judged = signedIn && judge(signedIn, door)
  return judged === undefined || typeof judged === 'string' ? undefined : toMember(signedIn!, judged, session!)
}

/** The membership that opens the door, the step that is missing first, or undefined where none would help. */
function judge(signedIn: SignedIn, { orgId, wants }: Door): Membership | Step | undefined {
  const mine = signedIn.memberships.find((one) => one.orgId === orgId)
  if (!mine || !mayOpen(wants, mine)) return undefined
  return missingStep(wants, mine, signedIn) ?? mine
}

const toMember = (
  { personId, email, isEnrolled, memberships }: SignedIn,
  mine: Membership,
  session: string,
): SignedInMember => ({ ...mine, personId, email, isEnrolled, memberships, session })

/** Whoever is signed in, wherever they work; everybody else has been answered. */
export async function requireSignedIn(
  { database, browser, limits }: MemberSessionDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  wants: Wants,
): Promise<SignedIn | undefined> {
  const token = browser.session(request)
  const signedIn = await findSignedIn(database, token)
  const isWrite = request.method === 'POST'
  if (!signedIn) {
    const signIn = withNext('/sign-in', nextOf(request, wants))
    await (isWrite ? sendPage(reply, signedOutPage(signIn)) : reply.redirect(signIn, 303))
    return undefined
  }
  const limiters =
    wants === 'desk'
      ? { page: limits.deskPage, form: limits.deskForm }
      : { page: limits.portalPage, form: limits.portalForm }
  const count = await limiters[isWrite ? 'form' : 'page'](signedIn.personId)
  if (count.isOver) throw tooManyPages(secondsUntilReset(count))
  if (signedIn.isNoteDue) await noteSessionUse(database, signedIn.personId, token!)
  return signedIn
}

/** Whether a member of such a role and plan may open such a page at all, whatever they sign in with. */
export const mayOpen = (wants: Wants, { role, isEntitled }: Pick<Membership, 'role' | 'isEntitled'>): boolean =>
  wants !== 'developer pages' || (role === 'admin' && isEntitled)

export const notAllowed = (wants: Wants): ApiError =>
  new ApiError(
    403,
    wants === 'developer pages'
      ? 'You may not use this page: it is for active admins of an organisation on Pro or a trial'
      : 'You may not use this page: it is for active members of the organisation',
  )

/** Where a member begins. */
export const deskHome = ({ orgId, role }: Pick<Membership, 'orgId' | 'role'>): string =>
  `/desk/${orgId}/${role === 'technician' ? 'my-day' : 'today'}`

type Step = NonNullable<ReturnType<typeof missingStep>>
const stepPaths: Readonly<Record<Step, string>> = { code: '/sign-in/code', enrolment: '/sign-in/second-factor' }

/** The address of a step, which leads back to a page of ours. */
export const stepPath = (step: Step, next: string): string => withNext(stepPaths[step], next)

/** What somebody lacks wherever they work, so that they are asked at once. */
export function stepEverywhere(signedIn: SignedIn): Step | undefined {
  const steps = signedIn.memberships.map((one) => missingStep('desk', one, signedIn))
  return steps.every((step) => step !== undefined) ? steps[0] : undefined
}

/** Where somebody goes on whose password is right: to that, or to where they were bound, which asks for what it wants. */
export async function pathAfterPassword(database: Queryable, token: string, next: string): Promise<string> {
  const signedIn = await findSignedIn(database, token)
  const step = signedIn && stepEverywhere(signedIn)
  return step === undefined ? next : stepPath(step, next)
}

/** The submission of a form cannot be repeated by a redirect. */
const nextOf = (request: FastifyRequest, wants: Wants) =>
  request.method === 'POST' ? (wants === 'developer pages' ? '/portal' : '/desk') : request.url

/** The developer pages answer 403 to who never showed a code, as the specification says of the portal without TOTP. */
export function leadTo(
  step: Step,
  { hasSecondFactor }: SignedIn,
  request: FastifyRequest,
  reply: FastifyReply,
  wants: Wants,
): FastifyReply {
  const path = stepPath(step, nextOf(request, wants))
  const isRefused = request.method === 'POST' || (wants === 'developer pages' && !hasSecondFactor)
  return isRefused ? sendPage(reply, secondFactorPage(path)) : reply.redirect(path, 303)
}

const tooManyPages = (seconds: number) =>
  tooManyRequests(`You opened or sent very many pages in a minute; wait ${seconds} seconds`, seconds)

const secondFactorPage = (step: string): Page => ({
  title: 'One more step',
  status: 403,
  body: html`<h1>One more step</h1>
<p>This page needs your second factor. Nothing of what you may have sent was done.</p>
<div class="buttons"><a class="button" href="${step}">Go on</a></div>`,
})

const signedOutPage = (signIn: string): Page => ({
  title: 'You are not signed in',
  status: 403,
  body: html`<h1>You are not signed in</h1>
<p>What you sent was not done. Sign in, then send it again.</p>
<div class="buttons"><a class="button" href="${signIn}">Sign in</a></div>`,
})
