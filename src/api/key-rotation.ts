// A new value for an API key, for the admin who shows an identity token and a code: the one REST address no key opens.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type as t } from 'typebox'
import type { Config } from '../config.ts'
import { type Database, sql } from '../database.ts'
import { authorOf, note } from '../identity/audit.ts'
import { entitled } from '../identity/grants.ts'
import { NotRotatable, rotateKey } from '../identity/keys.ts'
import { judgeCode } from '../identity/second-factor.ts'
import type { Vault } from '../identity/secrets.ts'
import { findSession, type Session } from '../identity/sessions.ts'
import { badRequest, forbidden, notFound, tooManyRequests, unauthorised } from './errors.ts'
import { whole } from './fields.ts'
import { bearer, challenge, secondsUntilReset, show } from './guard.ts'
import { bodyReader } from './input.ts'
import type { Limits } from './limits.ts'
import { refuseMalformedIds } from './perform.ts'
import { addressOf, only, refuseUnreadableBody } from './request.ts'

export interface RotationParts {
  readonly config: Config
  readonly database: Database
  readonly vault: Vault
  readonly limits: Limits
}

export const rotationBody = t.Object({
  overlapHours: whole(0, 72, {
    default: 0,
    description: 'How long the value before is good for, besides the new one.',
  }),
})
const wish = bodyReader(rotationBody)

interface Standing {
  readonly orgId: string
  readonly isAdmin: boolean
  readonly isEntitled: boolean
  readonly isRevoked: boolean
  readonly isExpired: boolean
}

/** A plugin: mount it among the REST routes. */
export async function keyRotation(
  app: FastifyInstance,
  { config, database, vault, limits }: RotationParts,
): Promise<void> {
  const sessions = new WeakMap<FastifyRequest, Session>()

  app.route<{ Params: { id: string } }>({
    method: 'POST',
    url: '/api-keys/:id/rotate',
    async onRequest(request, reply) {
      sessions.set(request, await identified(request, reply))
      refuseMalformedIds(request.params)
      if (hasBody(request)) refuseUnreadableBody(request)
    },
    async handler(request) {
      const { id } = request.params
      const session = sessions.get(request)!
      const { orgId } = await standing(id, session)
      const { overlapHours } = wish(request.body ?? {}).value as { overlapHours: number }
      await refuseWithoutCode(request, session)
      const { key, ...record } = await database
        .transaction(async (transaction) => {
          const rotated = await rotateKey(transaction, orgId, id, overlapHours)
          const author = await authorOf(transaction, orgId, session.personId)
          const detail = { name: rotated.name, overlapHours }
          await note(transaction, orgId, author, { action: 'key.rotated', subject: id, detail })
          return rotated
        })
        .catch((error: unknown) => {
          throw error instanceof NotRotatable ? badRequest(error.message) : error // it ended since it was looked at
        })
      return { success: true, data: { ...record, key } }
    },
  })

  async function identified(request: FastifyRequest, reply: FastifyReply): Promise<Session> {
    const token = request.headers['x-api-key'] === undefined ? bearer(request.headers.authorization) : undefined
    const session = await findSession(database, 'identity', token)
    const count = session
      ? await limits.request(session.personId)
      : await limits.failedAuthentication(addressOf(request))
    show({ header: (name, value) => void reply.header(name, value) }, count)
    if (!session) reply.header('www-authenticate', challenge('rest', config))
    if (count.isOver)
      throw tooManyRequests('Too many requests; wait for the Retry-After seconds', secondsUntilReset(count))
    if (!session)
      throw unauthorised('Rotating a key needs an identity token from POST /identity/token as a Bearer token')
    return session
  }

  /** A key of an organisation the person does not belong to is not there for them. */
  async function standing(keyId: string, { personId }: Session): Promise<Standing> {
    const [found] = await database.query<Standing>(sql`
      select key.org_id as "orgId", members.role = 'admin' as "isAdmin", ${entitled} as "isEntitled",
        key.revoked_at is not null as "isRevoked", coalesce(key.expires_at <= now(), false) as "isExpired"
      from api_keys key join members on members.org_id = key.org_id and members.person_id = ${personId}
      join organisations on organisations.org_id = key.org_id
      where key.id = ${keyId} and members.is_active`)
    if (!found) throw notFound('API key')
    if (!found.isAdmin) throw forbidden('Only an active admin of the organisation can rotate its keys')
    if (!found.isEntitled) throw forbidden('An active Pro subscription is required to use the API')
    if (found.isRevoked || found.isExpired) {
      throw badRequest(new NotRotatable(found.isRevoked ? 'revoked' : 'expired').message)
    }
    return found
  }

  async function refuseWithoutCode(request: FastifyRequest, { personId }: Session): Promise<void> {
    const code = only(request.headers['x-totp-code'])
    if (code === undefined) throw forbidden('Send a code of your authenticator app in X-TOTP-Code')
    const verdict = await judgeCode(database, vault, personId, code)
    if (verdict === 'locked') throw forbidden('Too many wrong codes; try again in 15 minutes')
    if (verdict === 'wrong') throw forbidden('The code in X-TOTP-Code is wrong or was used already')
  }
}

/** The body is optional here: who sends none need not say what it is. */
const hasBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
