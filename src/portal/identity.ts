// Identity tokens: what a program shows, with a code, to do the few things that a key or an app may not.
import type { FastifyError, FastifyInstance } from 'fastify'
import { type Limits, networkOf } from '../api/limits.ts'
import { addressOf } from '../api/request.ts'
import { asRefusal, logged } from '../api/rest.ts'
import type { Database } from '../database.ts'
import { identityLifeSeconds, openSession } from '../identity/sessions.ts'
import { personWithPassword } from '../identity/sign-in.ts'
import { NoTurn } from '../identity/turns.ts'

/** A plugin: mount it without a prefix. */
export async function identityRoutes(
  app: FastifyInstance,
  { database, limits }: { database: Database; limits: Limits },
): Promise<void> {
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    if (asRefusal(error).status !== 503) throw error
    if (!(error.cause instanceof NoTurn)) logged(error, request) // a flood is not also one of the log
    return reply.code(503).send(fault('temporarily_unavailable', 'try again shortly'))
  })

  app.post<{ Body: unknown }>('/identity/token', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const { email, password } = (request.body ?? {}) as Record<string, unknown>
    if (typeof email !== 'string' || typeof password !== 'string') {
      return reply.code(400).send(fault('invalid_request', 'email and password are required, as text in JSON'))
    }
    const attempt = await limits.signInTry(addressOf(request))
    if (attempt.isOver) {
      reply.header('retry-after', '60')
      return reply
        .code(429)
        .send(fault('temporarily_unavailable', 'Too many wrong tries; wait for the Retry-After seconds'))
    }
    const person = await personWithPassword(database, email, password, networkOf(addressOf(request)))
    if (!person) return reply.code(401).send(fault('invalid_grant', 'The email or the password is wrong'))
    await attempt.giveBack()
    return {
      identity_token: await openSession(database, 'identity', person.id, false),
      expires_in: identityLifeSeconds,
    }
  })
}

const fault = (error: string, error_description: string) => ({ error, error_description })
