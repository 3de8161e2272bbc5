// Between an app's request and its code stands a person: who they are, what they allow, and the way back.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import { errors } from 'oidc-provider'
import type { Limits } from '../api/limits.ts'
import { scopes as allScopes, type Scope } from '../api/scopes.ts'
import type { Database } from '../database.ts'
import { authorOf, note } from '../identity/audit.ts'
import { registrantOf } from '../identity/clients.ts'
import { approve, organisationsOf, rememberedGrant } from '../identity/grants.ts'
import { isSomebodysHost } from '../identity/redirects.ts'
import { findSession, type Session } from '../identity/sessions.ts'
import { html } from '../pages/html.ts'
import { type Browser, limitEntrance, withNext } from '../portal/forms.ts'
import { placeOf, show } from '../portal/layout.ts'
import { showRefusals } from '../portal/refusals.ts'
import { answeredOnce } from './adapter.ts'
import type { Source } from './client-rules.ts'
import { type Asking, consentPage, type Life, lives, nothingToDecide } from './consent-page.ts'

interface Parts {
  readonly database: Database
  readonly limits: Limits
  readonly provider: Provider
  readonly browser: Browser
}
type Request = Awaited<ReturnType<Provider['interactionDetails']>>

const pathOf = (id: string) => `/approve/${id}`

/** A plugin: mount it where forms are read. */
export async function approval(app: FastifyInstance, { database, limits, provider, browser }: Parts): Promise<void> {
  limitEntrance(app, limits)
  showRefusals(app, (error) => (error instanceof errors.OIDCProviderError ? tooLate : undefined))

  app.get('/approve/:request', async (request, reply) => {
    const asked = await provider.interactionDetails(request.raw, reply.raw)
    const session = await signedIn(request, asked)
    if (!session) return reply.redirect(withNext('/sign-in', pathOf(asked.uid)), 303)
    const asking = await askingOf(provider, asked)
    const mayReuse = asking.mayBeRemembered && !promptsIn(asked).includes('consent')
    const before = mayReuse
      ? await rememberedGrant(database, session.personId, asking.clientId, asking.scopes)
      : undefined
    if (before !== undefined) return goBack(request, reply, approved(session, before))
    return ask(request, reply, asked, asking, session)
  })

  app.post('/approve/:request', async (request, reply) => {
    const asked = await provider.interactionDetails(request.raw, reply.raw)
    const form = browser.fields(request)
    const session = await signedIn(request, asked)
    if (!session) return reply.redirect(withNext('/sign-in', pathOf(asked.uid)), 303)
    if (form.get('decision') !== 'allow') {
      return goBack(request, reply, { error: 'access_denied', error_description: 'the person did not allow it' })
    }
    const asking = await askingOf(provider, asked)
    const organisations = await organisationsOf(database, session.personId)
    if (organisations.length === 0) return ask(request, reply, asked, asking, session)
    // What the page named is what is meant, even if it is no longer there; only a page that named none may leave it out.
    const orgId = form.get('organisation') ?? (organisations.length === 1 ? organisations[0]!.id : null)
    const life = lives[(form.get('expiry') ?? 'none') as Life]
    const ticked = new Set(form.getAll('scope'))
    const allowed = asking.scopes.filter((scope) => ticked.has(scope)) // fewer than asked for, never more
    const wrong = !organisations.some(({ id }) => id === orgId)
      ? 'Choose an organisation of yours.'
      : !Object.hasOwn(lives, form.get('expiry') ?? 'none')
        ? 'Choose how long it may last.'
        : allowed.length === 0
          ? 'Tick at least one thing it may do, or deny it.'
          : undefined
    if (wrong !== undefined) return ask(request, reply, asked, asking, session, wrong)
    const approval = {
      orgId: orgId!,
      personId: session.personId,
      clientId: asking.clientId,
      clientName: asking.clientName,
      scopes: allowed,
      refusedScopes: asking.scopes.filter((scope) => !ticked.has(scope)),
      lifeSeconds: life.seconds,
      isRemembered: form.has('remember') && asking.mayBeRemembered,
    }
    const grantId = await database.transaction((transaction) =>
      answeredOnce(transaction, { requestId: asked.uid, personId: session.personId }, async () => {
        const id = await approve(transaction, approval)
        if (id === undefined) return undefined
        const author = await authorOf(transaction, approval.orgId, session.personId)
        const detail = { name: asking.clientName, scopes: allowed, expiry: form.get('expiry') }
        await note(transaction, approval.orgId, author, { action: 'grant.approved', subject: id, detail })
        return id
      }),
    )
    if (grantId === undefined) return ask(request, reply, asked, asking, session, 'Choose an organisation of yours.')
    return goBack(request, reply, approved(session, grantId))
  })

  /** Who is here with both factors; a request for a fresh sign-in is not met by one from before it. */
  async function signedIn(request: FastifyRequest, asked: Request): Promise<Session | undefined> {
    const session = await findSession(database, 'browser', browser.session(request))
    if (!session?.hasSecondFactor) return undefined
    const waitedSeconds = Date.now() / 1_000 - (asked as unknown as { iat: number }).iat
    return promptsIn(asked).includes('login') && session.ageSeconds > waitedSeconds + 1 ? undefined : session
  }

  async function ask(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: Request,
    asking: Asking,
    { personId, email }: Session,
    wrong?: string,
  ) {
    const organisations = await organisationsOf(database, personId)
    const registrant =
      asking.source === 'registered' ? await registrantOf(database, asking.clientId, personId) : undefined
    const seal = browser.seal(request, reply)
    const leadsTo = placeOf(asking.redirectUri)
    const view = { asking, registrant, email, path: pathOf(asked.uid), seal, leadsTo, wrong }
    return show(reply, organisations.length > 0 ? consentPage({ ...view, organisations }) : nothingToDecide(view))
  }

  async function goBack(
    request: FastifyRequest,
    reply: FastifyReply,
    result: Parameters<Provider['interactionResult']>[2],
  ) {
    return reply.redirect(await provider.interactionResult(request.raw, reply.raw, result), 303)
  }
}

const approved = ({ personId }: Session, grantId: string) => ({
  login: { accountId: personId, amr: ['pwd', 'otp'], remember: false },
  consent: { grantId },
})

const promptsIn = ({ params }: Request): string[] => String(params.prompt ?? '').split(' ')

async function askingOf(provider: Provider, { params }: Request): Promise<Asking> {
  const client = await provider.Client.find(String(params.client_id))
  if (!client) throw new errors.InvalidClient('the app is no longer registered', 'client_id')
  const asked = new Set(String(params.scope).split(' '))
  const { source } = client as unknown as { source: Source }
  const redirectUri = String(params.redirect_uri)
  return {
    clientId: client.clientId,
    clientName: client.clientName ?? client.clientId,
    source,
    redirectUri,
    // Without a page nobody sees who asks: then the address, or a secret, must prove that it is the same app.
    mayBeRemembered:
      source !== 'dynamic' && (client.tokenEndpointAuthMethod !== 'none' || isSomebodysHost(redirectUri)),
    scopes: allScopes.filter((scope: Scope) => asked.has(scope)),
  }
}

/** What the sign-in page needs to know of a request that waits behind it. */
export const behindRequest = (provider: Provider) => async (next: string) => {
  const [, id] = /^\/approve\/([\w-]+)$/.exec(next) ?? []
  const asked = id === undefined ? undefined : await provider.Interaction.find(id)
  const asking = asked && (await askingOf(provider, asked as Request).catch(() => undefined)) // the page says so itself
  return asking && { app: asking.clientName, leadsTo: placeOf(asking.redirectUri) }
}

const tooLate = {
  title: 'This page is no longer valid',
  status: 400,
  body: html`<h1>This page is no longer valid</h1>
<p>It was answered already, it is too old, or it was opened in another browser. Go back to the app and begin again.</p>`,
}
