// Signing in through an external identity provider: it vouches for the email, the second factor stays ours.
import type { FastifyInstance } from 'fastify'
import * as client from 'openid-client'
import type { Config } from '../config.ts'
import type { Database } from '../database.ts'
import type { Vault } from '../identity/secrets.ts'
import { endSession, openSession } from '../identity/sessions.ts'
import { activePerson } from '../identity/sign-in.ts'
import { html } from '../pages/html.ts'
import { type Browser, localPath, withNext } from './forms.ts'
import { show } from './layout.ts'

export interface ExternalSignIn {
  /** What the button calls it. */
  readonly name: string
  readonly callback: string
  /** What the provider says about itself; asked for once. */
  discovered(): Promise<client.Configuration>
}

export function externalFrom(config: Config): ExternalSignIn | undefined {
  const { oidcIssuer, oidcClientId, oidcClientSecret } = config
  if (oidcIssuer === null || oidcClientId === null) return undefined
  const issuer = new URL(oidcIssuer)
  let asked: Promise<client.Configuration> | undefined
  return {
    name: issuer.host,
    callback: `${config.authUrl}/sign-in/callback`,
    discovered() {
      const options =
        issuer.protocol === 'http:' ? { execute: [client.allowInsecureRequests], timeout: 10 } : { timeout: 10 }
      asked ??= client
        .discovery(issuer, oidcClientId, oidcClientSecret ?? undefined, undefined, options)
        .catch((error) => {
          asked = undefined
          throw error
        })
      return asked
    },
  }
}

interface Parts {
  readonly database: Database
  readonly vault: Vault
  readonly browser: Browser
  readonly external: ExternalSignIn
}

/** What must still be known when the person comes back. */
interface Errand {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly next: string
}

const cookie = 'errand'
const path = '/sign-in'
const errandSeconds = 600

export async function externalSignIn(
  app: FastifyInstance,
  { database, vault, browser, external }: Parts,
): Promise<void> {
  const failed = (status: number, sentence: string) => ({
    title: 'Sign-in did not work',
    status,
    body: html`<h1>Sign-in did not work</h1>
<p>${sentence}</p>
<div class="buttons"><a class="button" href="/sign-in">Try again</a></div>`,
  })

  app.get<{ Querystring: { next?: string } }>('/sign-in/external', async (request, reply) => {
    const errand: Errand = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      next: localPath(request.query.next, '/portal'),
    }
    const provider = await external.discovered().catch((error: Error) => {
      request.log.error({ err: { message: error.message }, requestId: request.id }, 'the identity provider is away')
    })
    if (!provider) return show(reply, failed(502, `${external.name} cannot be reached. Try again shortly.`))
    const address = client.buildAuthorizationUrl(provider, {
      redirect_uri: external.callback,
      scope: 'openid email',
      state: errand.state,
      nonce: errand.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(errand.verifier),
      code_challenge_method: 'S256',
    })
    browser.note(
      reply,
      cookie,
      Buffer.from(vault.seal(JSON.stringify(errand))).toString('base64url'),
      path,
      errandSeconds,
    )
    return reply.redirect(address.href, 303)
  })

  app.get('/sign-in/callback', async (request, reply) => {
    const errand = errandFrom(browser.noted(request, cookie))
    browser.note(reply, cookie, null, path, 0)
    if (!errand) return show(reply, failed(400, 'It took too long, or was begun in another window.'))
    const email = await vouchedEmail(request.url, errand).catch((error: Error) => {
      request.log.warn({ err: { message: error.message }, requestId: request.id }, 'external sign-in failed')
    })
    if (!email) return show(reply, failed(401, `${external.name} did not vouch for a confirmed email address.`))
    const person = await activePerson(database, email)
    if (!person) return show(reply, failed(403, `Nobody here has the address ${email}. Ask an admin to add you.`))
    const before = browser.session(request)
    if (before !== undefined) await endSession(database, before)
    browser.startSession(reply, await openSession(database, 'browser', person.id, false))
    const step = person.isEnrolled ? '/sign-in/code' : '/sign-in/second-factor'
    return reply.redirect(withNext(step, errand.next), 303)
  })

  function errandFrom(sealed: string | undefined): Errand | undefined {
    try {
      return JSON.parse(vault.open(Buffer.from(sealed ?? '', 'base64url').toString()))
    } catch {
      return undefined
    }
  }

  async function vouchedEmail(url: string, { state, nonce, verifier }: Errand): Promise<string | undefined> {
    const answer = new URL(external.callback)
    answer.search = url.split('?')[1] ?? ''
    const tokens = await client.authorizationCodeGrant(await external.discovered(), answer, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    return claims?.email_verified === true && typeof claims.email === 'string' ? claims.email : undefined
  }
}
