// The authorization server as a whole: its protocol, its pages, and what other processes of ours may ask it.
import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { unavailable } from '../api/errors.ts'
import { bearer } from '../api/guard.ts'
import type { Limits } from '../api/limits.ts'
import { addressOf } from '../api/request.ts'
import { logged } from '../api/rest.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database.ts'
import { introspectionPath, introspectionProof } from '../identity/introspection.ts'
import type { Vault } from '../identity/secrets.ts'
import { findToken } from '../identity/tokens.ts'
import { externalFrom } from '../portal/external.ts'
import { browserFrom, readForms, refuseUnstorable } from '../portal/forms.ts'
import { home } from '../portal/home.ts'
import { identityRoutes } from '../portal/identity.ts'
import { styleSheet } from '../portal/layout.ts'
import { showRefusals } from '../portal/refusals.ts'
import { signInRoutes } from '../portal/sign-in.ts'
import { approval, behindRequest } from './approve.ts'
import { endpoints } from './endpoints.ts'
import { authMetadata } from './metadata.ts'
import { documentFetch, type Outside } from './outside.ts'
import { providerFrom } from './provider.ts'

export interface AuthParts {
  readonly config: Config
  readonly database: Database
  readonly vault: Vault
  readonly limits: Limits
  readonly outside?: Outside | undefined
  /** Whether the tables are there yet. */
  isPrepared(): boolean
}

/** A plugin: mount it without a prefix. */
export async function oauth(app: FastifyInstance, parts: AuthParts): Promise<void> {
  const { config, database, vault } = parts
  const provider = providerFrom({
    ...parts,
    fetchDocument: documentFetch(parts.outside),
    unexpected: (error) => logged(error, { log: app.log, id: undefined }),
  })
  const browser = browserFrom(config, vault.keysFor('forms'))

  app.addHook('onRequest', async () => {
    if (!parts.isPrepared()) throw unavailable()
  })
  await app.register(authMetadata, { config })
  await app.register(endpoints, { ...parts, provider })
  await app.register(styleSheet)
  await app.register(async (pages) => {
    readForms(pages)
    refuseUnstorable(pages)
    showRefusals(pages)
    await pages.register(approval, { ...parts, provider, browser })
    await pages.register(signInRoutes, {
      ...parts,
      browser,
      external: externalFrom(config),
      behind: behindRequest(provider),
    })
    await pages.register(home, { ...parts, browser })
  })
  await app.register(identityRoutes, parts)

  if (config.introspectionSecret !== null) {
    const proof = introspectionProof(config.introspectionSecret)
    app.post<{ Body: { hash?: unknown } }>(introspectionPath, async (request, reply) => {
      reply.header('cache-control', 'no-store')
      if (!isSame(bearer(request.headers.authorization) ?? '', proof)) {
        const { isOver } = await parts.limits.failedAuthentication(addressOf(request))
        return reply.code(isOver ? 429 : 401).send({ error: isOver ? 'temporarily_unavailable' : 'invalid_client' })
      }
      const { hash } = request.body ?? {}
      const isHash = typeof hash === 'string' && /^[A-Za-z0-9+/]{43}=$/.test(hash)
      return { token: (isHash && (await findToken(database, hash))) || null }
    })
  }
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
