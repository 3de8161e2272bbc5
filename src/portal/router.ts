// The router behind every page of the portal: who is here, for which organisation, and that what they do is written down.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { type Queryable, sql } from '../db/database.ts'
import { lockOrganisationFor } from '../db/organisation-lock.ts'
import { sendFrame } from '../desk/frame.ts'
import { frameContext, usesKeysIn } from '../desk/frame-context.ts'
import { withReadableErrors } from '../desk/readable-errors.ts'
import { type FileAnswer, sendFile } from '../http/file-reply.ts'
import { type Html, type HtmlPart, html } from '../http/html.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { clientAddress } from '../http/request.ts'
import { audit, type NewAuditEntry } from '../identity/audit.ts'
import { entitledCondition } from '../identity/grants.ts'
import type { Vault } from '../identity/secrets.ts'
import { createContext, noDependencies } from '../operations/context.ts'
import { ApiError } from '../operations/errors.ts'
import type { Context } from '../operations/operation.ts'
import type { WebhookRules } from '../operations/webhook-rules.ts'
import { memberCaller } from '../resources/roles.ts'
import {
  type MemberSessionDependencies,
  type Membership,
  mayOpen,
  notAllowed,
  requireMember,
  type SignedInMember,
  type Wants,
} from '../sign-in/member-session.ts'
import { flashMessage, type Section, sectionList } from './navigation.ts'

export interface PortalDependencies extends MemberSessionDependencies {
  readonly config: Config
  readonly vault: Vault
  readonly webhookRules: WebhookRules
  readonly limits: MemberSessionDependencies['limits'] & Pick<RateLimits, 'signInAttempt' | 'invitation'>
}

/** What a page of the portal is made of. */
export interface View {
  readonly title: string
  readonly section: Section
  readonly body: HtmlPart
  readonly status?: number
}

/** A request by an active member of one organisation, with the factors that the page wants. */
export interface PortalRequest extends SignedInMember {
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
/** Admins run the portal; members fill in the forms of their jobs, which is work as at the desk. */
export type Audience = 'admins' | 'members'
const wantsOf: Readonly<Record<Audience, Wants>> = { admins: 'developer pages', members: 'desk' }

export function createRouter(app: FastifyInstance, dependencies: PortalDependencies): Router {
  const { database, browser } = dependencies

  const createHandler =
    (handler: Handler, audience: Audience) => async (request: FastifyRequest, reply: FastifyReply) => {
      const params = request.params as Record<string, string>
      const mine = await requireMember(dependencies, request, reply, { orgId: params.org, wants: wantsOf[audience] })
      if (!mine) return reply
      const form = request.method === 'POST' ? browser.verifiedForm(request) : new URLSearchParams()
      const csrfField = browser.csrfField(request, reply)
      const href = (path: string) => `/portal/${mine.orgId}${path}`
      const portalRequest: PortalRequest = {
        ...mine,
        address: clientAddress(request),
        params,
        query: request.query as Record<string, string>,
        form,
        csrfField,
        href,
        render: ({ section, body, ...page }) =>
          sendFrame(reply, frameContext(mine, csrfField, usesKeysIn(browser, request)), {
            ...page,
            place: section === 'account' ? 'account' : 'developers',
            // Its forms answer with pages, which Turbo does not take.
            body: html`<div class="office" data-turbo="false">${sectionList(mine, section)}
<div class="office-page">${flashMessage((request.query as { done?: string }).done)}${body}</div></div>`,
          }),
        sendFile: (file) => sendFile(reply.header('cache-control', 'no-store'), file),
        redirect: (path, done) => reply.redirect(`${href(path)}${done === undefined ? '' : `?done=${done}`}`, 303),
        runAudited: (work, toAuditEntry) =>
          database.transaction(
            mine.orgId,
            async (transaction) => {
              await assertStillMember(transaction, mine, wantsOf[audience])
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

/** Locked until the action is committed: who is shut out concurrently is so before or after it. */
async function assertStillMember(transaction: Queryable, { orgId, memberId }: Membership, wants: Wants): Promise<void> {
  await lockOrganisationFor(transaction, orgId, 'acting member')
  const [member] = await transaction.query<Pick<Membership, 'role' | 'isEntitled'>>(sql`
    select role, ${entitledCondition} as "isEntitled" from members join organisations using (org_id)
    where org_id = ${orgId} and members.id = ${memberId} and is_active`)
  if (!member || !mayOpen(wants, member)) throw notAllowed(wants)
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
  member: PortalRequest,
): Context {
  return createContext(transaction, memberCaller(member), {
    restOrigin: config.restOrigin,
    vault,
    webhookRules,
    pdf: noDependencies.pdf,
  })
}
