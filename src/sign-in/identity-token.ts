// Identity tokens: what a program shows, with a code, to do the few things that a key or an app may not.
import type { FastifyError, FastifyInstance } from 'fastify'
import { networkOf } from '../config/networks.ts'
import type { Database } from '../db/database.ts'
import { toApiError } from '../http/envelope.ts'
import { logError } from '../http/log-error.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { clientAddress } from '../http/request.ts'
import { SemaphoreFull } from '../identity/fair-semaphore.ts'
import { createSession, identityLifeSeconds } from '../identity/sessions.ts'
import { oauthError } from '../oauth/oauth-error.ts'
import { findPersonByPassword } from './password.ts'

/** A plugin: mount it without a prefix. */
export async function identityTokenRoutes(
  app: FastifyInstance,
  { database, limits }: { database: Database; limits: RateLimits },
): Promise<void> {
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    if (toApiError(error).status !== 503) throw error
    if (!(error.cause instanceof SemaphoreFull)) logError(error, request) // a flood is not also one of the log
    return reply.code(503).send(oauthError('temporarily_unavailable', 'try again shortly'))
  })

  app.post<{ Body: unknown }>('/identity/token', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const { email, password } = (request.body ?? {}) as Record<string, unknown>
    if (typeof email !== 'string' || typeof password !== 'string') {
      return reply.code(400).send(oauthError('invalid_request', 'email and password are required, as text in JSON'))
    }
    const attempt = await limits.signInAttempt(clientAddress(request))
    if (attempt.isOver) {
      reply.header('retry-after', '60')
      return reply
        .code(429)
        .send(oauthError('temporarily_unavailable', 'Too many wrong tries; wait for the Retry-After seconds'))
    }
    const person = await findPersonByPassword(database, email, password, networkOf(clientAddress(request)))
    if (!person) return reply.code(401).send(oauthError('invalid_grant', 'The email or the password is wrong'))
    await attempt.refund()
    return {
      identity_token: await createSession(database, 'identity', person.id, false),
      expires_in: identityLifeSeconds,
    }
  })
}
