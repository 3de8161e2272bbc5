// The desk behind every page of the portal: who is here, for which organisation, and that what they do is written down.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { contextOf, plainSurroundings } from '../api/context.ts'
import { ApiError, forbidden, tooManyRequests } from '../api/errors.ts'
import { secondsUntilReset } from '../api/guard.ts'
import type { Limits } from '../api/limits.ts'
import type { Context } from '../api/operation.ts'
import { addressOf } from '../api/request.ts'
import type { Config } from '../config.ts'
import { type Database, type Executor, sql } from '../database.ts'
import { type NewLine, note } from '../identity/audit.ts'
import { entitled } from '../identity/grants.ts'
import { NotRotatable } from '../identity/keys.ts'
import type { Role } from '../identity/members.ts'
import type { Vault } from '../identity/secrets.ts'
import { findSession } from '../identity/sessions.ts'
import { type Html, html, type Part } from '../pages/html.ts'
import { type Browser, withNext } from './forms.ts'
import { type Page, show } from './layout.ts'
import { navigation, noticeOf, type Section } from './navigation.ts'

export interface DeskParts {
  readonly config: Config
  readonly database: Database
  readonly vault: Vault
  readonly browser: Browser
  readonly limits: Pick<Limits, 'signInTry' | 'portalPage' | 'portalForm' | 'invitation'>
}

export interface Membership {
  readonly orgId: string
  readonly orgName: string
  readonly timeZone: string
  readonly memberId: string
  readonly memberName: string
  readonly role: Role
}

/** What a page of the portal is made of. */
export interface Sheet {
  readonly title: string
  readonly section: Section
  readonly body: Part
  readonly status?: number
  readonly scripts?: readonly string[]
}

/** Somebody at the desk: an active member of one organisation, with both factors. */
export interface Visit extends Membership {
  readonly personId: string
  readonly email: string
  /** What the browser holds. */
  readonly session: string
  readonly address: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | undefined>>
  /** Empty where nothing was sent. */
  readonly form: URLSearchParams
  /** The hidden field of our forms. */
  readonly seal: Html
  /** A page of this organisation. */
  at(path: string): string
  show(sheet: Sheet): FastifyReply
  /** Off to another page, which says what was done. */
  goTo(path: string, done?: string): FastifyReply
  /**
   * Carries a deed out and writes it down, both or neither; refuses who was shut out in the meantime. It holds one of the
   * few transactions there are: what takes long, such as a password's hash, is done before.
   */
  act<T>(work: (transaction: Executor) => Promise<T>, told: (result: T) => NewLine): Promise<T>
}

type Handler = (visit: Visit) => Promise<unknown>

export interface Desk extends DeskParts {
  get(path: string, handler: Handler, audience?: Audience): void
  post(path: string, handler: Handler, audience?: Audience): void
}
/** Admins run the portal; members fill in the forms of their jobs. */
export type Audience = 'admins' | 'members'

/** Where a person may use the portal, best first: as an admin, then as anybody. */
export const membershipsOf = (database: Executor, personId: string): Promise<Membership[]> =>
  database.query<Membership>(sql`
    select organisations.org_id as "orgId", name as "orgName", time_zone as "timeZone", members.id as "memberId",
      concat_ws(' ', first_name, last_name) as "memberName", role
    from members join organisations using (org_id)
    where person_id = ${personId} and is_active and ${entitled}
    order by role <> 'admin', folded(name), org_id`)

export function deskAt(app: FastifyInstance, parts: DeskParts): Desk {
  const { database, browser } = parts

  const serve = (handler: Handler, audience: Audience) => async (request: FastifyRequest, reply: FastifyReply) => {
    const signedIn = await wholeSession(parts, request, reply)
    if (!signedIn) return reply
    const params = request.params as Record<string, string>
    const memberships = await membershipsOf(database, signedIn.personId)
    const mine = memberships.find(({ orgId }) => orgId === params.org)
    if (!mine || (audience === 'admins' && mine.role !== 'admin')) throw shutOut()
    const form = request.method === 'POST' ? browser.fields(request) : new URLSearchParams()
    const seal = browser.seal(request, reply)
    const at = (path: string) => `/portal/${mine.orgId}${path}`
    const visit: Visit = {
      ...signedIn,
      ...mine,
      session: browser.session(request)!,
      address: addressOf(request),
      params,
      query: request.query as Record<string, string>,
      form,
      seal,
      at,
      show: ({ section, body, ...page }) =>
        show(reply, {
          ...page,
          navigation: navigation({ ...mine, email: signedIn.email, memberships, section, seal }),
          body: html`${noticeOf((request.query as { done?: string }).done)}${body}`,
        }),
      goTo: (path, done) => reply.redirect(`${at(path)}${done === undefined ? '' : `?done=${done}`}`, 303),
      act: (work, told) =>
        database.transaction(async (transaction) => {
          await stillIn(transaction, mine, audience)
          const result = await said(() => work(transaction))
          await note(transaction, mine.orgId, { id: mine.memberId, name: mine.memberName }, told(result))
          return result
        }),
    }
    return handler(visit)
  }
  return {
    ...parts,
    get: (path, handler, audience = 'admins') => void app.get(`/portal/:org${path}`, serve(handler, audience)),
    post: (path, handler, audience = 'admins') => void app.post(`/portal/:org${path}`, serve(handler, audience)),
  }
}

/** Who is signed in with both factors; everybody else has been answered. */
export async function wholeSession(parts: DeskParts, request: FastifyRequest, reply: FastifyReply) {
  const { database, browser, limits } = parts
  const session = await findSession(database, 'browser', browser.session(request))
  // What was asked for by a form cannot be asked for again by an address.
  const next = request.method === 'GET' ? request.url : '/portal'
  if (!session) {
    await reply.redirect(withNext('/sign-in', next), 303)
    return undefined
  }
  if (session.hasSecondFactor) {
    const counted = await (request.method === 'POST' ? limits.portalForm : limits.portalPage)(session.personId)
    if (counted.isOver) throw tooOften(secondsUntilReset(counted))
    return session
  }
  await show(reply, oneMoreStep(withNext(session.isEnrolled ? '/sign-in/code' : '/sign-in/second-factor', next)))
  return undefined
}

const tooOften = (seconds: number) =>
  tooManyRequests(`You opened or sent very many pages in a minute; wait ${seconds} seconds`, seconds)

const oneMoreStep = (step: string): Page => ({
  title: 'One more step',
  status: 403,
  body: html`<h1>One more step</h1>
<p>The portal needs your second factor.</p>
<div class="buttons"><a class="button" href="${step}">Go on</a></div>`,
})

const shutOut = () =>
  forbidden('You may not use this page: it is for active admins of an organisation on Pro or a trial')

/** The member is held until the deed is done: who is shut out at the same moment is shut out before or after it. */
async function stillIn(transaction: Executor, { orgId, memberId }: Membership, audience: Audience): Promise<void> {
  const [member] = await transaction.query<{ role: Role }>(sql`
    select role from members join organisations using (org_id)
    where org_id = ${orgId} and members.id = ${memberId} and is_active and ${entitled} for share of members`)
  if (!member || (audience === 'admins' && member.role !== 'admin')) throw shutOut()
}

/** The sentences of `identity` are for people. */
export async function said<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isSentence = (error as Error).constructor === Error || error instanceof NotRotatable
    throw isSentence ? new ApiError(400, (error as Error).message) : error
  }
}

/** What was wrong with what was sent, to be said where it was filled in. */
export async function attempt<T>(work: () => Promise<T>): Promise<{ result: T } | { wrong: string }> {
  try {
    return { result: await work() }
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return { wrong: `${error.message}.` }
    throw error
  }
}

/** What the person on a visit acts through, on the records of their organisation. Nothing is printed here. */
export function actingIn(
  { config, vault }: Desk,
  transaction: Executor,
  { orgId, memberId, memberName }: Visit,
): Context {
  const caller = { orgId, credentialId: memberId, name: memberName, scopes: new Set<never>() }
  return contextOf(transaction, caller, { restOrigin: config.restOrigin, vault, pdf: plainSurroundings.pdf })
}
