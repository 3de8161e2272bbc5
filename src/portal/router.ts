// The router behind every page of the portal: who is here, for which organisation, and that what they do is written down.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { type Database, type Queryable, sql } from '../db/database.ts'
import { lockOrganisationFor } from '../db/organisation-lock.ts'
import type { BrowserSession } from '../http/browser-session.ts'
import { type FileAnswer, sendFile } from '../http/file-reply.ts'
import { type Html, type HtmlPart, html } from '../http/html.ts'
import { type Page, sendPage } from '../http/layout.ts'
import { withNext } from '../http/next-path.ts'
import { secondsUntilReset } from '../http/rate-limit-headers.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { clientAddress } from '../http/request.ts'
import { audit, type NewAuditEntry } from '../identity/audit.ts'
import { entitledCondition } from '../identity/grants.ts'
import { NotRotatable } from '../identity/keys.ts'
import type { Role } from '../identity/members.ts'
import type { Vault } from '../identity/secrets.ts'
import { findSession } from '../identity/sessions.ts'
import { createContext, noDependencies } from '../operations/context.ts'
import { ApiError, tooManyRequests } from '../operations/errors.ts'
import type { Context, WebhookRules } from '../operations/operation.ts'
import { flashMessage, navigation, type Section } from './navigation.ts'

export interface PortalDependencies {
  readonly config: Config
  readonly database: Database
  readonly vault: Vault
  readonly webhookRules: WebhookRules
  readonly browser: BrowserSession
  readonly limits: Pick<RateLimits, 'signInAttempt' | 'portalPage' | 'portalForm' | 'invitation'>
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
export interface View {
  readonly title: string
  readonly section: Section
  readonly body: HtmlPart
  readonly status?: number
  readonly scripts?: readonly string[]
}

/** A request by an active member of one organisation, with both factors. */
export interface PortalRequest extends Membership {
  readonly personId: string
  readonly email: string
  /** The value of the session cookie. */
  readonly session: string
  readonly address: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | undefined>>
  /** Empty where nothing was sent. */
  readonly form: URLSearchParams
  /** The hidden field of our forms. */
  readonly csrfField: Html
  /** A page of this organisation. */
  href(path: string): string
  render(view: View): FastifyReply
  /** A file in place of a page, under the rights of the page that shows it. */
  sendFile(file: FileAnswer): Promise<FastifyReply>
  /** Off to another page, which says what was done. */
  redirect(path: string, done?: string): FastifyReply
  /**
   * Executes an action and its audit entry in one transaction; refuses who was shut out in the meantime. It takes one of
   * the few connections for transactions: what is slow, such as hashing a password, is done before.
   */
  runAudited<T>(work: (transaction: Queryable) => Promise<T>, toAuditEntry: (result: T) => NewAuditEntry): Promise<T>
}

type Handler = (request: PortalRequest) => Promise<unknown>

export interface Router extends PortalDependencies {
  get(path: string, handler: Handler, audience?: Audience): void
  post(path: string, handler: Handler, audience?: Audience): void
}
/** Admins run the portal; members fill in the forms of their jobs. */
export type Audience = 'admins' | 'members'

/** Where a person may use the portal, best first: as an admin, then as anybody. */
export const findMemberships = (database: Queryable, personId: string): Promise<Membership[]> =>
  database.query<Membership>(sql`
    select organisations.org_id as "orgId", name as "orgName", time_zone as "timeZone", members.id as "memberId",
      concat_ws(' ', first_name, last_name) as "memberName", role
    from members join organisations using (org_id)
    where person_id = ${personId} and is_active and ${entitledCondition}
    order by role <> 'admin', folded(name), org_id`)

export function createRouter(app: FastifyInstance, dependencies: PortalDependencies): Router {
  const { database, browser } = dependencies

  const createHandler =
    (handler: Handler, audience: Audience) => async (request: FastifyRequest, reply: FastifyReply) => {
      const session = await requireFullSession(dependencies, request, reply)
      if (!session) return reply
      const params = request.params as Record<string, string>
      const memberships = await findMemberships(database, session.personId)
      const mine = memberships.find(({ orgId }) => orgId === params.org)
      if (!mine || (audience === 'admins' && mine.role !== 'admin')) throw notAllowed()
      const form = request.method === 'POST' ? browser.verifiedForm(request) : new URLSearchParams()
      const csrfField = browser.csrfField(request, reply)
      const href = (path: string) => `/portal/${mine.orgId}${path}`
      const portalRequest: PortalRequest = {
        ...session,
        ...mine,
        session: browser.session(request)!,
        address: clientAddress(request),
        params,
        query: request.query as Record<string, string>,
        form,
        csrfField,
        href,
        render: ({ section, body, ...page }) =>
          sendPage(reply, {
            ...page,
            navigation: navigation({ ...mine, email: session.email, memberships, section, csrfField }),
            body: html`${flashMessage((request.query as { done?: string }).done)}${body}`,
          }),
        sendFile: (file) => sendFile(reply.header('cache-control', 'no-store'), file),
        redirect: (path, done) => reply.redirect(`${href(path)}${done === undefined ? '' : `?done=${done}`}`, 303),
        runAudited: (work, toAuditEntry) =>
          database.transaction(
            mine.orgId,
            async (transaction) => {
              await assertStillMember(transaction, mine, audience)
              const result = await withReadableErrors(() => work(transaction))
              await audit(transaction, mine.orgId, { id: mine.memberId, name: mine.memberName }, toAuditEntry(result))
              return result
            },
            { kind: 'member', id: mine.memberId, name: mine.memberName },
          ),
      }
      return handler(portalRequest)
    }
  return {
    ...dependencies,
    get: (path, handler, audience = 'admins') => void app.get(`/portal/:org${path}`, createHandler(handler, audience)),
    post: (path, handler, audience = 'admins') =>
      void app.post(`/portal/:org${path}`, createHandler(handler, audience)),
  }
}

/** Who is signed in with both factors; everybody else has been answered. */
export async function requireFullSession(
  dependencies: PortalDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { database, browser, limits } = dependencies
  const session = await findSession(database, 'browser', browser.session(request))
  const isWrite = request.method === 'POST'
  if (session?.hasSecondFactor) {
    const count = await (isWrite ? limits.portalForm : limits.portalPage)(session.personId)
    if (count.isOver) throw tooManyPages(secondsUntilReset(count))
    return session
  }
  // The submission of a form cannot be repeated by a redirect.
  const next = isWrite ? '/portal' : request.url
  if (!session && !isWrite) await reply.redirect(withNext('/sign-in', next), 303)
  else if (!session) await sendPage(reply, signedOutPage(withNext('/sign-in', next)))
  else {
    const step = session.isEnrolled ? '/sign-in/code' : '/sign-in/second-factor'
    await sendPage(reply, secondFactorPage(withNext(step, next)))
  }
  return undefined
}

const tooManyPages = (seconds: number) =>
  tooManyRequests(`You opened or sent very many pages in a minute; wait ${seconds} seconds`, seconds)

const secondFactorPage = (step: string): Page => ({
  title: 'One more step',
  status: 403,
  body: html`<h1>One more step</h1>
<p>The portal needs your second factor.</p>
<div class="buttons"><a class="button" href="${step}">Go on</a></div>`,
})

const signedOutPage = (signIn: string): Page => ({
  title: 'You are not signed in',
  status: 403,
  body: html`<h1>You are not signed in</h1>
<p>What you sent was not done. Sign in with your password and a code, then send it again.</p>
<div class="buttons"><a class="button" href="${signIn}">Sign in</a></div>`,
})

const notAllowed = () =>
  new ApiError(403, 'You may not use this page: it is for active admins of an organisation on Pro or a trial')

/** Locked until the action is committed: who is shut out concurrently is so before or after it. */
async function assertStillMember(
  transaction: Queryable,
  { orgId, memberId }: Membership,
  audience: Audience,
): Promise<void> {
  await lockOrganisationFor(transaction, orgId, 'acting member')
  const [member] = await transaction.query<{ role: Role }>(sql`
    select role from members join organisations using (org_id)
    where org_id = ${orgId} and members.id = ${memberId} and is_active and ${entitledCondition}`)
  if (!member || (audience === 'admins' && member.role !== 'admin')) throw notAllowed()
}

/** The sentences of `identity` are for people. */
export async function withReadableErrors<T>(work: () => Promise<T>): Promise<T> {
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

/** What the person behind a request acts through, on the records of their organisation. Nothing is printed here. */
export function createPortalContext(
  { config, vault, webhookRules }: Router,
  transaction: Queryable,
  { orgId, memberId, memberName }: PortalRequest,
): Context {
  const caller = {
    orgId,
    kind: 'member' as const,
    credentialId: memberId,
    name: memberName,
    scopes: new Set<never>(),
  }
  return createContext(transaction, caller, {
    restOrigin: config.restOrigin,
    vault,
    webhookRules,
    pdf: noDependencies.pdf,
  })
}
