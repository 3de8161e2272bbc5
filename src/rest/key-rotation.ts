// A new value for an API key, for the admin who shows an identity token and a code: the one REST address no key opens.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { type Database, sql } from '../db/database.ts'
import { secondsUntilReset, setRateLimitHeaders } from '../http/rate-limit-headers.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { bearer, clientAddress, firstHeader, refuseUnreadableBody } from '../http/request.ts'
import { audit, findAuthor } from '../identity/audit.ts'
import { entitledCondition } from '../identity/grants.ts'
import { NotRotatable, rotateKey } from '../identity/keys.ts'
import type { Vault } from '../identity/secrets.ts'
import { findSession, type Session } from '../identity/sessions.ts'
import {
  badRequest,
  forbidden,
  notFound,
  subscriptionRequired,
  tooManyRequests,
  unauthorised,
} from '../operations/errors.ts'
import { refuseMalformedIds } from '../operations/execute.ts'
import { integer } from '../operations/fields.ts'
import type { IdentityOperation } from '../operations/identity-operation.ts'
import { exampleId } from '../operations/ids.ts'
import { createBodyParser } from '../operations/input.ts'
import { t } from '../operations/schemas.ts'
import { isMissingCode, verifyCode } from '../sign-in/totp.ts'
import { challenge } from './guard.ts'

export interface KeyRotationDependencies {
  readonly config: Config
  readonly database: Database
  readonly vault: Vault
  readonly limits: RateLimits
}

const text = (example: string, description: string) => t.String({ description, examples: [example] })
const nullableText = (example: string | null, options: { format?: 'date-time' } = {}) =>
  t.Union([t.String(options), t.Null()], { examples: [example] })

export const rotateApiKey = {
  name: 'rotateApiKey',
  summary: 'Give an API key a new value',
  description:
    'For an active admin of the organisation, who shows an identity token and a code. The value before dies at ' +
    'once, or after `overlapHours`.',
  path: '/api-keys/:id/rotate',
  idPrefix: 'key',
  authentication: 'identity-token-and-code',
  body: t.Object({
    overlapHours: integer(0, 72, {
      default: 0,
      description: 'How long the value before is good for, besides the new one.',
    }),
  }),
  isBodyRequired: false,
  exampleBody: { overlapHours: 24 },
  /** A key as its admin sees it, with the new value. */
  returns: t.Object({
    id: text(exampleId('key'), 'Stays the same.'),
    name: text('Accounting', 'What the admin called it.'),
    key: text('sk_live_…', 'The new value. It is shown this once.'),
    prefix: text('sk_live_Ab3d', 'How the new value begins.'),
    scopes: t.Array(t.String(), { examples: [['read']] }),
    scopeVersion: t.Integer({ examples: [2] }),
    allowedUses: t.Array(t.Enum(['rest', 'mcp']), { examples: [['rest', 'mcp']] }),
    ipAllowlist: t.Array(t.String(), { examples: [[]] }),
    expiresAt: nullableText('2027-02-13T09:00:00.000Z', { format: 'date-time' }),
    lastUsedAt: nullableText(null, { format: 'date-time' }),
    lastUsedFor: t.Union([t.Enum(['rest', 'mcp']), t.Null()], { examples: [null] }),
    lastUsedFrom: nullableText(null),
    status: t.Enum(['active', 'paused', 'revoked', 'expired'], { examples: ['active'] }),
    createdBy: nullableText(exampleId('mem')),
  }),
} satisfies IdentityOperation

const parseBody = createBodyParser(rotateApiKey.body)

interface KeyAccess {
  readonly orgId: string
  readonly isAdmin: boolean
  readonly isEntitled: boolean
  readonly isRevoked: boolean
  readonly isExpired: boolean
}

/** A plugin: mount it among the REST routes. */
export async function keyRotation(
  app: FastifyInstance,
  { config, database, vault, limits }: KeyRotationDependencies,
): Promise<void> {
  const sessions = new WeakMap<FastifyRequest, Session>()

  app.route<{ Params: { id: string } }>({
    method: 'POST',
    url: rotateApiKey.path,
    async onRequest(request, reply) {
      sessions.set(request, await requireSession(request, reply))
      refuseMalformedIds(request.params)
      if (announcesBody(request)) refuseUnreadableBody(request)
    },
    async handler(request) {
      if (Object.keys((request.body ?? {}) as object).length > 0) refuseUnreadableBody(request)
      const { id } = request.params
      const session = sessions.get(request)!
      const { orgId } = await requireKeyAccess(id, session)
      const { overlapHours } = parseBody(request.body ?? {}).value as { overlapHours: number }
      await requireTotpCode(request, session)
      const { key, ...record } = await database
        .transaction(orgId, async (transaction) => {
          const rotated = await rotateKey(transaction, orgId, id, overlapHours)
          const author = await findAuthor(transaction, orgId, session.personId)
          const detail = { name: rotated.name, overlapHours }
          await audit(transaction, orgId, author, { action: 'key.rotated', subject: id, detail })
          return rotated
        })
        .catch((error: unknown) => {
          throw error instanceof NotRotatable ? badRequest(error.message) : error // it ended since it was looked at
        })
      return { success: true, data: { ...record, key } }
    },
  })

  async function requireSession(request: FastifyRequest, reply: FastifyReply): Promise<Session> {
    const token = request.headers['x-api-key'] === undefined ? bearer(request.headers.authorization) : undefined
    const session = await findSession(database, 'identity', token)
    const count = session
      ? await limits.request(session.personId)
      : await limits.failedAuthentication(clientAddress(request))
    setRateLimitHeaders({ setHeader: (name, value) => void reply.header(name, value) }, count)
    if (!session) reply.header('www-authenticate', challenge('rest', config))
    if (count.isOver)
      throw tooManyRequests('Too many requests; wait for the Retry-After seconds', secondsUntilReset(count))
    if (!session)
      throw unauthorised('Rotating a key needs an identity token from POST /identity/token as a Bearer token')
    return session
  }

  /** A key of an organisation the person does not belong to is not there for them. */
  async function requireKeyAccess(keyId: string, { personId }: Session): Promise<KeyAccess> {
    const [found] = await database.query<KeyAccess>(sql`
      select key.org_id as "orgId", members.role = 'admin' as "isAdmin", ${entitledCondition} as "isEntitled",
        key.revoked_at is not null as "isRevoked", coalesce(key.expires_at <= now(), false) as "isExpired"
      from api_keys key join members on members.org_id = key.org_id and members.person_id = ${personId}
      join organisations on organisations.org_id = key.org_id
      where key.id = ${keyId} and members.is_active`)
    if (!found) throw notFound('API key')
    if (!found.isAdmin) {
      throw forbidden('Only an active admin of the organisation can rotate its keys', 'admin_required')
    }
    if (!found.isEntitled) throw subscriptionRequired()
    if (found.isRevoked || found.isExpired) {
      throw badRequest(new NotRotatable(found.isRevoked ? 'revoked' : 'expired').message)
    }
    return found
  }

  async function requireTotpCode(request: FastifyRequest, { personId }: Session): Promise<void> {
    const code = firstHeader(request.headers['x-totp-code'])
    if (code === undefined || isMissingCode(code)) {
      throw forbidden('Send a code of your authenticator app in X-TOTP-Code', 'totp_required')
    }
    const verdict = await verifyCode(database, vault, personId, code)
    if (verdict === 'locked') throw forbidden('Too many wrong codes; try again in 15 minutes', 'totp_locked')
    if (verdict === 'wrong') {
      throw forbidden('The code in X-TOTP-Code is wrong or was used already; wait for the next one', 'totp_invalid')
    }
  }
}

/** The body is optional here: who sends none need not say what it is. Of a chunked one only its type is known before. */
const announcesBody = ({ headers }: FastifyRequest) =>
  Number(headers['content-length'] ?? 0) > 0 ||
  (headers['transfer-encoding'] !== undefined && headers['content-type'] !== undefined)
