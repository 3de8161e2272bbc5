// Signing in through an external identity provider: it vouches for the email, the second factor stays ours.
import type { FastifyInstance } from 'fastify'
import type { Configuration } from 'openid-client'
import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import type { BrowserSession } from '../http/browser-session.ts'
import { html } from '../http/html.ts'
import { sendPage } from '../http/layout.ts'
import { localPath } from '../http/next-path.ts'
import type { Vault } from '../identity/secrets.ts'
import { createSession, endSession } from '../identity/sessions.ts'
import { pathAfterPassword } from './member-session.ts'
import { findActivePerson } from './password.ts'

export interface ExternalSignIn {
  /** What the button calls it. */
  readonly name: string
  readonly callback: string
  /** The provider's metadata; fetched once. */
  discover(): Promise<Configuration>
}

/** Few shops have such a provider: the others do without the library. */
const library = () => import('openid-client')

export function createExternalSignIn(config: Config): ExternalSignIn | undefined {
  const { oidcIssuer, oidcClientId, oidcClientSecret } = config
  if (oidcIssuer === null || oidcClientId === null) return undefined
  const issuer = new URL(oidcIssuer)
  let discovery: Promise<Configuration> | undefined
  return {
    name: issuer.host,
    callback: `${config.authUrl}/sign-in/callback`,
    discover() {
      discovery ??= library()
        .then(({ allowInsecureRequests, discovery: discoverServer }) => {
          const options =
            issuer.protocol === 'http:' ? { execute: [allowInsecureRequests], timeout: 10 } : { timeout: 10 }
          return discoverServer(issuer, oidcClientId, oidcClientSecret ?? undefined, undefined, options)
        })
        .catch((error) => {
          discovery = undefined
          throw error
        })
      return discovery
    },
  }
}

interface ExternalSignInDependencies {
  readonly database: Database
  readonly vault: Vault
  readonly browser: BrowserSession
  readonly external: ExternalSignIn
}

/** What must still be known when the person comes back. */
interface PendingSignIn {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly next: string
}

const cookieName = 'sign_in'
const cookiePath = '/sign-in'
const pendingSeconds = 600

export async function externalSignInRoutes(
  app: FastifyInstance,
  { database, vault, browser, external }: ExternalSignInDependencies,
): Promise<void> {
  const failurePage = (status: number, sentence: string) => ({
    title: 'Sign-in did not work',
    status,
    body: html`<h1>Sign-in did not work</h1>
<p>${sentence}</p>
<div class="buttons"><a class="button" href="/sign-in">Try again</a></div>`,
  })

  app.get<{ Querystring: { next?: string } }>('/sign-in/external', async (request, reply) => {
    const client = await library()
    const pending: PendingSignIn = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      next: localPath(request.query.next, '/desk'),
    }
    const provider = await external.discover().catch((error: Error) => {
      request.log.error(
        { err: { message: error.message }, requestId: request.id },
        'the identity provider is unreachable',
      )
    })
    if (!provider) return sendPage(reply, failurePage(502, `${external.name} cannot be reached. Try again shortly.`))
    const address = client.buildAuthorizationUrl(provider, {
      redirect_uri: external.callback,
      scope: 'openid email',
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
    })
    browser.setCookie(
      reply,
      cookieName,
      Buffer.from(vault.encrypt(JSON.stringify(pending))).toString('base64url'),
      cookiePath,
      pendingSeconds,
    )
    return reply.redirect(address.href, 303)
  })

  app.get('/sign-in/callback', async (request, reply) => {
    const pending = decodePending(browser.cookie(request, cookieName))
    browser.setCookie(reply, cookieName, null, cookiePath, 0)
    if (!pending) return sendPage(reply, failurePage(400, 'It took too long, or was begun in another window.'))
    const email = await fetchVerifiedEmail(request.url, pending).catch((error: Error) => {
      request.log.warn({ err: { message: error.message }, requestId: request.id }, 'external sign-in failed')
    })
    if (!email)
      return sendPage(reply, failurePage(401, `${external.name} did not vouch for a confirmed email address.`))
    const person = await findActivePerson(database, email)
    if (!person)
      return sendPage(reply, failurePage(403, `Nobody here has the address ${email}. Ask an admin to add you.`))
    const before = browser.session(request)
    if (before !== undefined) await endSession(database, before)
    const token = await createSession(database, 'browser', {
      personId: person.id,
      userAgent: request.headers['user-agent'],
    })
    browser.startSession(reply, token)
    return reply.redirect(await pathAfterPassword(database, token, pending.next), 303)
  })

  function decodePending(encrypted: string | undefined): PendingSignIn | undefined {
    try {
      return JSON.parse(vault.decrypt(Buffer.from(encrypted ?? '', 'base64url').toString()))
    } catch {
      return undefined
    }
  }

  async function fetchVerifiedEmail(
    url: string,
    { state, nonce, verifier }: PendingSignIn,
  ): Promise<string | undefined> {
    const callbackUrl = new URL(external.callback)
    callbackUrl.search = url.split('?')[1] ?? ''
    const { authorizationCodeGrant } = await library()
    const tokens = await authorizationCodeGrant(await external.discover(), callbackUrl, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    return claims?.email_verified === true && typeof claims.email === 'string' ? claims.email : undefined
  }
}
