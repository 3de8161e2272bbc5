// Identity tokens: what a program shows, with a code, to do the few things that a key or an app may not.
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { networkOf } from '../config/networks.ts'
import type { Database } from '../db/database.ts'
import { SemaphoreFull } from '../fairness/fair-semaphore.ts'
import { toApiError } from '../http/envelope.ts'
import { logError } from '../http/log-error.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { clientAddress, refuseUnreadableBody } from '../http/request.ts'
import { createSession, identityLifeSeconds } from '../identity/sessions.ts'
import type { OAuthOperation } from '../operations/identity-operation.ts'
import { t } from '../operations/schemas.ts'
import { findPersonByPassword } from './password.ts'

const text = (example: string, description: string) => t.String({ description, examples: [example] })
const refusal = (description: string, error: string, error_description: string) => ({
  description,
  body: { error, error_description },
})

export const createIdentityToken = {
  name: 'createIdentityToken',
  summary: 'Show who you are, with email and password',
  description: 'The token rotates keys, together with a code, and does nothing else.',
  path: '/identity/token',
  authentication: 'none',
  body: t.Object({
    email: text('amara@okafor-bakery.example', 'Of an active member.'),
    password: text('a long and secret sentence', 'The one of the portal.'),
  }),
  isBodyRequired: true,
  returns: t.Object({
    identity_token: text('…', 'For `Authorization: Bearer`.'),
    expires_in: t.Integer({ description: 'Seconds.', examples: [identityLifeSeconds] }),
  }),
  errors: {
    400: refusal(
      'The email or the password is missing, or the body is not JSON.',
      'invalid_request',
      'email and password are required, as text in JSON',
    ),
    401: refusal('The email or the password is wrong.', 'invalid_grant', 'The email or the password is wrong'),
    429: refusal(
      'Too many wrong tries from this address; `Retry-After` says how long to wait.',
      'temporarily_unavailable',
      'Too many wrong tries; wait for the Retry-After seconds',
    ),
  },
} satisfies OAuthOperation
const { errors } = createIdentityToken

/** A plugin: mount it without a prefix. */
export async function identityTokenRoutes(
  app: FastifyInstance,
  { database, limits }: { database: Database; limits: RateLimits },
): Promise<void> {
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const { status, message } = toApiError(error)
    if (status < 500) return reply.code(status).send({ error: 'invalid_request', error_description: message })
    if (status !== 503) throw error
    if (!(error.cause instanceof SemaphoreFull)) logError(error, request) // a flood is not also one of the log
    return reply.code(503).send({ error: 'temporarily_unavailable', error_description: 'try again shortly' })
  })

  const onRequest = async (request: FastifyRequest) => refuseUnreadableBody(request)
  app.post<{ Body: unknown }>(createIdentityToken.path, { onRequest }, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const { email, password } = (request.body ?? {}) as Record<string, unknown>
    if (typeof email !== 'string' || typeof password !== 'string') {
      return reply.code(400).send(errors[400].body)
    }
    const attempt = await limits.signInAttempt(clientAddress(request))
    if (attempt.isOver) {
      reply.header('retry-after', '60')
      return reply.code(429).send(errors[429].body)
    }
    const person = await findPersonByPassword(database, email, password, networkOf(clientAddress(request)))
    if (!person) return reply.code(401).send(errors[401].body)
    await attempt.refund()
    return {
      identity_token: await createSession(database, 'identity', { personId: person.id }),
      expires_in: identityLifeSeconds,
    }
  })
}
