// Between an app's request and its code stands a person: who they are, what they allow, and the way back.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import type { Database } from '../db/database.ts'
import { limitAuthPages } from '../http/auth-page-limit.ts'
import type { BrowserSession } from '../http/browser-session.ts'
import { addErrorPages } from '../http/error-pages.ts'
import { html } from '../http/html.ts'
import { cspSource, sendPage } from '../http/layout.ts'
import { withNext } from '../http/next-path.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { audit, findAuthor } from '../identity/audit.ts'
import { findRegistrant } from '../identity/clients.ts'
import { approve, findRememberedGrant, listApprovableOrganisations } from '../identity/grants.ts'
import { isOwnedHost } from '../identity/redirect-uris.ts'
import { findSession, type Session } from '../identity/sessions.ts'
import type { ScopeCatalogue } from '../operations/scope-catalogue.ts'
import { stepPath } from '../sign-in/member-session.ts'
import { answerOnce } from './answer-once.ts'
import type { ClientSource } from './client-validation.ts'
import {
  type ApprovalLifetime,
  approvalLifetimes,
  type ConsentRequest,
  cannotApprovePage,
  consentPage,
} from './consent-page.ts'
import type { Protocol } from './protocol.ts'

interface ConsentDependencies {
  readonly database: Database
  readonly limits: RateLimits
  readonly protocol: Protocol
  readonly scopeCatalogue: ScopeCatalogue
  readonly browser: BrowserSession
}
type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

const consentPath = (id: string) => `/approve/${id}`

/** A plugin: mount it where forms are read. */
export async function consentRoutes(
  app: FastifyInstance,
  { database, limits, protocol, scopeCatalogue, browser }: ConsentDependencies,
): Promise<void> {
  limitAuthPages(app, limits)
  addErrorPages(app, (error) => (protocol.isRefusal(error) ? expiredPage : undefined))

  app.get('/approve/:request', async (request, reply) => {
    const provider = await protocol.load()
    const interaction = await provider.interactionDetails(request.raw, reply.raw)
    const session = await requireApprover(request, reply, interaction)
    if (!session) return reply
    const consentRequest = await loadConsentRequest(provider, scopeCatalogue, interaction)
    const mayReuse =
      session.hasRecentCode && consentRequest.mayBeRemembered && !promptsOf(interaction).includes('consent')
    const existingGrantId = mayReuse
      ? await findRememberedGrant(database, session.personId, consentRequest.clientId, consentRequest.scopes)
      : undefined
    if (existingGrantId !== undefined)
      return finishInteraction(request, reply, approvalResult(session, existingGrantId))
    return showConsentPage(request, reply, interaction, consentRequest, session)
  })

  app.post('/approve/:request', async (request, reply) => {
    const provider = await protocol.load()
    const interaction = await provider.interactionDetails(request.raw, reply.raw)
    const form = browser.verifiedForm(request)
    const session = await requireApprover(request, reply, interaction)
    if (!session) return reply
    if (form.get('decision') !== 'allow') {
      return finishInteraction(request, reply, {
        error: 'access_denied',
        error_description: 'the person did not allow it',
      })
    }
    const consentRequest = await loadConsentRequest(provider, scopeCatalogue, interaction)
    const organisations = await listApprovableOrganisations(database, session.personId)
    if (organisations.length === 0 || !session.hasRecentCode)
      return showConsentPage(request, reply, interaction, consentRequest, session)
    // What the page named is what is meant, even if it is no longer there; only a page that named none may leave it out.
    const orgId = form.get('organisation') ?? (organisations.length === 1 ? organisations[0]!.id : null)
    const lifetime = approvalLifetimes[(form.get('expiry') ?? 'none') as ApprovalLifetime]
    const ticked = new Set(form.getAll('scope'))
    const allowed = consentRequest.scopes.filter((scope) => ticked.has(scope)) // fewer than requested, never more
    const wrong = !organisations.some(({ id }) => id === orgId)
      ? 'Choose an organisation of yours.'
      : !Object.hasOwn(approvalLifetimes, form.get('expiry') ?? 'none')
        ? 'Choose how long it may last.'
        : allowed.length === 0
          ? 'Tick at least one thing it may do, or deny it.'
          : undefined
    if (wrong !== undefined) return showConsentPage(request, reply, interaction, consentRequest, session, wrong)
    const approval = {
      orgId: orgId!,
      personId: session.personId,
      clientId: consentRequest.clientId,
      clientName: consentRequest.clientName,
      scopes: allowed,
      refusedScopes: consentRequest.scopes.filter((scope) => !ticked.has(scope)),
      lifeSeconds: lifetime.seconds,
      isRemembered: form.has('remember') && consentRequest.mayBeRemembered,
    }
    const grantId = await database.transaction(approval.orgId, (transaction) =>
      answerOnce(transaction, { requestId: interaction.uid, personId: session.personId }, async () => {
        const id = await approve(transaction, approval)
        if (id === undefined) return undefined
        const author = await findAuthor(transaction, approval.orgId, session.personId)
        const detail = { name: consentRequest.clientName, scopes: allowed, expiry: form.get('expiry') }
        await audit(transaction, approval.orgId, author, { action: 'grant.approved', subject: id, detail })
        return id
      }),
    )
    if (grantId === undefined)
      return showConsentPage(request, reply, interaction, consentRequest, session, 'Choose an organisation of yours.')
    return finishInteraction(request, reply, approvalResult(session, grantId))
  })

  /**
   * Who is here with both factors, the code as recent as the developer pages want it; others are sent to show them. A
   * request for a fresh sign-in is not met by one from before it.
   */
  async function requireApprover(
    request: FastifyRequest,
    reply: FastifyReply,
    interaction: Interaction,
  ): Promise<Session | undefined> {
    const session = await findSession(database, 'browser', browser.session(request))
    const waitedSeconds = Date.now() / 1_000 - (interaction as unknown as { iat: number }).iat
    const next = consentPath(interaction.uid)
    if (!session || (promptsOf(interaction).includes('login') && session.ageSeconds > waitedSeconds + 1)) {
      await reply.redirect(withNext('/sign-in', next), 303)
      return undefined
    }
    if (session.hasRecentCode) return session
    // Who may decide for nobody is told so, rather than made to set up what would not help.
    if ((await listApprovableOrganisations(database, session.personId)).length === 0) return session
    await reply.redirect(stepPath(session.isEnrolled ? 'code' : 'enrolment', next), 303)
    return undefined
  }

  async function showConsentPage(
    request: FastifyRequest,
    reply: FastifyReply,
    interaction: Interaction,
    consentRequest: ConsentRequest,
    { personId, email }: Session,
    wrong?: string,
  ) {
    const organisations = await listApprovableOrganisations(database, personId)
    const registrant =
      consentRequest.source === 'registered'
        ? await findRegistrant(database, consentRequest.clientId, personId)
        : undefined
    const csrfField = browser.csrfField(request, reply)
    const formTarget = cspSource(consentRequest.redirectUri)
    const details = {
      consentRequest,
      scopeCatalogue,
      registrant,
      email,
      path: consentPath(interaction.uid),
      csrfField,
      formTarget,
      wrong,
    }
    return sendPage(
      reply,
      organisations.length > 0 ? consentPage({ ...details, organisations }) : cannotApprovePage(details),
    )
  }

  async function finishInteraction(
    request: FastifyRequest,
    reply: FastifyReply,
    result: Parameters<Provider['interactionResult']>[2],
  ) {
    const provider = await protocol.load()
    return reply.redirect(await provider.interactionResult(request.raw, reply.raw, result), 303)
  }
}

const approvalResult = ({ personId }: Session, grantId: string) => ({
  login: { accountId: personId, amr: ['pwd', 'otp'], remember: false },
  consent: { grantId },
})

const promptsOf = ({ params }: Interaction): string[] => String(params.prompt ?? '').split(' ')

async function loadConsentRequest(
  provider: Provider,
  scopeCatalogue: ScopeCatalogue,
  { params }: Interaction,
): Promise<ConsentRequest> {
  const client = await provider.Client.find(String(params.client_id))
  if (!client) {
    const { errors } = await import('oidc-provider')
    throw new errors.InvalidClient('the app is no longer registered', 'client_id')
  }
  const requestedScopes = new Set(String(params.scope).split(' '))
  const { source } = client as unknown as { source: ClientSource }
  const redirectUri = String(params.redirect_uri)
  return {
    clientId: client.clientId,
    clientName: client.clientName ?? client.clientId,
    source,
    redirectUri,
    // Without a page nobody sees who asks: then the address, or a secret, must prove that it is the same app.
    mayBeRemembered: source !== 'dynamic' && (client.tokenEndpointAuthMethod !== 'none' || isOwnedHost(redirectUri)),
    scopes: scopeCatalogue.scopes.filter((scope) => requestedScopes.has(scope)),
  }
}

/** What the sign-in page needs to know of the pending authorization request. */
export const describePendingRequest = (protocol: Protocol, scopeCatalogue: ScopeCatalogue) => async (next: string) => {
  const [, id] = /^\/approve\/([\w-]+)$/.exec(next) ?? []
  if (id === undefined) return undefined
  const provider = await protocol.load()
  const interaction = await provider.Interaction.find(id)
  const consentRequest =
    interaction &&
    (await loadConsentRequest(provider, scopeCatalogue, interaction as Interaction).catch(() => undefined)) // the page says so itself
  return consentRequest && { app: consentRequest.clientName, formTarget: cspSource(consentRequest.redirectUri) }
}

const expiredPage = {
  title: 'This page is no longer valid',
  status: 400,
  body: html`<h1>This page is no longer valid</h1>
<p>It was answered already, it is too old, or it was opened in another browser. Go back to the app and begin again.</p>`,
}
