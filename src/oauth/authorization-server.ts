// The authorization server as a whole: its protocol, its pages, and token introspection for our other processes.
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import { desk } from '../desk/desk.ts'
import { createBrowserSession } from '../http/browser-session.ts'
import { addErrorPages } from '../http/error-pages.ts'
import { acceptForms, addUnstorableTextCheck } from '../http/forms.ts'
import { styleSheet } from '../http/layout.ts'
import { logError } from '../http/log-error.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { bearer, clientAddress } from '../http/request.ts'
import { createSafeFetch, type Network } from '../http/safe-fetch.ts'
import { introspectionPath, introspectionProof } from '../identity/introspection.ts'
import { isSameSecret, type Vault } from '../identity/secrets.ts'
import { findToken } from '../identity/tokens.ts'
import { unavailable } from '../operations/errors.ts'
import type { Execute } from '../operations/execute.ts'
import type { Operation } from '../operations/operation.ts'
import type { ScopeCatalogue } from '../operations/scope-catalogue.ts'
import type { WebhookRules } from '../operations/webhook-rules.ts'
import { portal } from '../portal/portal.ts'
import { createExternalSignIn } from '../sign-in/external-provider.ts'
import { frontDoor } from '../sign-in/front-door.ts'
import { identityTokenRoutes } from '../sign-in/identity-token.ts'
import { invitationRoutes } from '../sign-in/invitation-pages.ts'
import { signInRoutes } from '../sign-in/session-pages.ts'
import { consentRoutes, describePendingRequest } from './consent.ts'
import { endpoints } from './endpoints.ts'
import { authMetadata } from './metadata.ts'
import { lazyProtocol } from './protocol.ts'

export interface AuthorizationServerDependencies {
  readonly config: Config
  readonly database: Database
  readonly vault: Vault
  readonly limits: RateLimits
  readonly scopeCatalogue: ScopeCatalogue
  readonly network?: Network | undefined
  readonly webhookRules: WebhookRules
  readonly execute: Execute
  readonly operations: readonly Operation[]
  /** Whether the tables are there yet. */
  isPrepared(): boolean
}

/** A plugin: mount it without a prefix. */
export async function authorizationServer(
  app: FastifyInstance,
  dependencies: AuthorizationServerDependencies,
): Promise<void> {
  const { config, database, vault } = dependencies
  const protocol = lazyProtocol({
    ...dependencies,
    fetchDocument: createSafeFetch(dependencies.network),
    onUnexpectedError: (error) => logError(error, { log: app.log, id: undefined }),
  })
  const browser = createBrowserSession(config, vault.keysFor('forms'))

  app.addHook('onRequest', async () => {
    if (!dependencies.isPrepared()) throw unavailable()
  })
  await app.register(authMetadata, dependencies)
  await app.register(endpoints, { ...dependencies, protocol })
  await app.register(styleSheet)
  await app.register(async (pages) => {
    acceptForms(pages)
    addUnstorableTextCheck(pages)
    addErrorPages(pages)
    await pages.register(consentRoutes, { ...dependencies, protocol, browser })
    await pages.register(signInRoutes, {
      ...dependencies,
      browser,
      external: createExternalSignIn(config),
      findPendingRequest: describePendingRequest(protocol, dependencies.scopeCatalogue),
    })
    await pages.register(invitationRoutes, { ...dependencies, browser })
    await pages.register(frontDoor, { ...dependencies, browser })
    await pages.register(portal, { ...dependencies, browser })
    await pages.register(desk, { ...dependencies, browser })
  })
  await app.register(identityTokenRoutes, dependencies)

  if (config.introspectionSecret !== null) {
    const proof = Buffer.from(introspectionProof(config.introspectionSecret))
    app.post<{ Body: { hash?: unknown } }>(introspectionPath, async (request, reply) => {
      reply.header('cache-control', 'no-store')
      if (!isSameSecret(Buffer.from(bearer(request.headers.authorization) ?? ''), proof)) {
        const { isOver } = await dependencies.limits.failedAuthentication(clientAddress(request))
        return reply.code(isOver ? 429 : 401).send({ error: isOver ? 'temporarily_unavailable' : 'invalid_client' })
      }
      const { hash } = request.body ?? {}
      const isHash = typeof hash === 'string' && /^[A-Za-z0-9+/]{43}=$/.test(hash)
      return { token: (isHash && (await findToken(database, hash))) || null }
    })
  }
}
