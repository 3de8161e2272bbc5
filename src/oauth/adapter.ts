// The storage of oidc-provider: in our tables, and never the secret value itself.
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import type { Config } from '../config/config.ts'
import { type Database, sql } from '../db/database.ts'
import { ownWork } from '../fairness/tenant.ts'
import { findClient } from '../identity/clients.ts'
import { endGrant } from '../identity/grants.ts'
import { hashSecret } from '../identity/key-format.ts'
import { type ClientSource, encodeSecretHash } from './client-validation.ts'
import { mcpResource } from './resource-indicators.ts'

/** A refresh token used again this soon after its rotation is refused, but nothing is revoked: parallel refreshes happen. */
const parallelSeconds = 10
const centurySeconds = 100 * 365 * 86_400

export function createAdapters(database: Database, config: Config): (model: string) => Adapter {
  const byModel: Readonly<Record<string, Partial<Adapter>>> = {
    Client: clientAdapter(database),
    Grant: grantAdapter(database, mcpResource(config)),
    AuthorizationCode: tokenAdapter(database, 'code'),
    AccessToken: tokenAdapter(database, 'access'),
    RefreshToken: tokenAdapter(database, 'refresh'),
    Interaction: authorizationRequestAdapter(database, config),
    // Who is signed in is known by our own sessions; the library's would be a second truth.
    Session: { upsert: async () => {}, destroy: async () => {} },
  }
  return (model) => ({ ...readOnlyAdapter(model), ...byModel[model] })
}

/** What a model does not write it must not be asked to write. */
const readOnlyAdapter = (model: string): Adapter => {
  const rejectWrite = async () => {
    throw new Error(`${model} is not written this way`)
  }
  const nothing = async () => undefined
  return {
    upsert: rejectWrite,
    consume: rejectWrite,
    destroy: rejectWrite,
    find: nothing,
    findByUid: nothing,
    findByUserCode: nothing,
    revokeByGrantId: nothing,
  }
}

const clientAdapter = (database: Database): Partial<Adapter> => ({
  async find(id) {
    const client = await findClient(database, id)
    if (!client) return undefined
    const source: ClientSource = client.source
    return {
      ...client.metadata,
      client_id: id,
      source,
      ...(client.secretHash && { client_secret: encodeSecretHash(client.secretHash) }),
    } as AdapterPayload
  },
})

interface GrantRow {
  readonly personId: string
  readonly clientId: string
  readonly scopes: string[]
  readonly refused: string[]
  readonly ageSeconds: number
  readonly leftSeconds: number | null
}

/** Only consent writes grants, through `approve`. */
const grantAdapter = (database: Database, resource: string): Partial<Adapter> => ({
  async find(id) {
    const [grant] = await database.query<GrantRow>(sql`
      select person_id as "personId", client_id as "clientId", scopes, refused_scopes as refused,
        extract(epoch from now() - created_at)::float8 as "ageSeconds",
        extract(epoch from expires_at - now())::float8 as "leftSeconds"
      from grants where id = ${id} and client_id is not null and revoked_at is null`)
    if (!grant) return undefined
    return {
      jti: id,
      kind: 'Grant',
      iat: toProcessTime(-grant.ageSeconds),
      exp: toProcessTime(grant.leftSeconds ?? centurySeconds),
      accountId: grant.personId,
      clientId: grant.clientId,
      resources: { [resource]: grant.scopes.join(' ') },
      ...(grant.refused.length > 0 && { rejected: { resources: { [resource]: grant.refused.join(' ') } } }),
    }
  },
  destroy: async (id) => void (await database.transaction(ownWork, (transaction) => endGrant(transaction, id))),
})

/**
 * The library goes by the clock of this process, which may be wrong or jump; what has ended is for the database to say. So
 * the times it is given are reckoned from what is left by the database's clock.
 */
const toProcessTime = (seconds: number): number => Math.floor(Date.now() / 1_000) + Math.ceil(seconds)

function shiftToProcessClock(payload: AdapterPayload, leftSeconds: number): AdapterPayload {
  const { iat = 0, exp = 0 } = payload
  const ends = toProcessTime(leftSeconds)
  return { ...payload, iat: ends - (exp - iat), exp: ends }
}

interface TokenRow {
  readonly payload: AdapterPayload
  readonly leftSeconds: number
  readonly consumed: number | null
  readonly isParallel: boolean
  /** Used up, and what it is worth not yet given: a refresh token is what comes last. */
  readonly isUnderWay: boolean
}

type TokenKind = 'code' | 'access' | 'refresh'

const tokenAdapter = (database: Database, kind: TokenKind): Partial<Adapter> => ({
  async upsert(id, { jti: _, ...payload }, ttl) {
    const inserted = await database
      .write(
        ownWork,
        sql`
        insert into oauth_tokens (hash, kind, org_id, grant_id, scopes, audience, rotations, payload, expires_at)
        select ${hashSecret(id)}, ${kind}, org_id, id, ${splitScopes(payload.scope)}::text[],
          ${payload.aud ?? null}, ${payload.rotations ?? 0}::int, ${JSON.stringify(payload)}::jsonb,
          now() + ${ttl}::float8 * interval '1 second'
        from grants where id = ${payload.grantId} returning 1`,
      )
      .catch((error: { code?: string }) => {
        if (error.code === foreignKeyViolation) return []
        throw error
      })
    if (inserted.length === 0) throw new errors.InvalidGrant('the approval was replaced')
  },
  async find(id) {
    const [token] = await database.query<TokenRow>(sql`
      select payload, extract(epoch from expires_at - now())::float8 as "leftSeconds",
        floor(extract(epoch from consumed_at))::bigint as consumed,
        consumed_at > now() - ${parallelSeconds} * interval '1 second' and not exists (
          select from oauth_tokens later where later.org_id = token.org_id and later.grant_id = token.grant_id
            and later.kind = 'refresh' and later.rotations > token.rotations and later.consumed_at is not null
        ) as "isParallel",
        consumed_at is not null and not exists (
          select from oauth_tokens given where given.org_id = token.org_id and given.grant_id = token.grant_id
            and given.kind = 'refresh' and given.created_at >= date_trunc('milliseconds', token.consumed_at)
        ) as "isUnderWay"
      from oauth_tokens token where hash = ${hashSecret(id)} and kind = ${kind}`)
    if (!token || (kind === 'refresh' && token.isParallel)) return undefined
    // Found used, it would end the approval, and with it the tokens that the first is about to be given.
    if (kind === 'code' && token.isUnderWay) return undefined
    const { payload, leftSeconds } = token
    return {
      ...shiftToProcessClock(payload, leftSeconds),
      jti: id,
      ...(token.consumed !== null && { consumed: token.consumed }),
    }
  },
  // One statement: of any number at once exactly one finds it unused.
  async consume(id) {
    if (!(await consumeToken(database, kind, id))) throw new errors.InvalidGrant('it was used already')
  },
  destroy: async (id) =>
    void (await database.write(ownWork, sql`delete from oauth_tokens where hash = ${hashSecret(id)}`)),
  revokeByGrantId: async (id) =>
    void (await database.write(ownWork, sql`delete from oauth_tokens where grant_id = ${id} and kind = ${kind}`)),
})

/** Uses a code or a refresh token up. False: it is used up already, or was never there. */
export async function consumeToken(database: Database, kind: TokenKind, token: string): Promise<boolean> {
  const used = await database.write(
    ownWork,
    sql`
    update oauth_tokens set consumed_at = clock_timestamp()
    where hash = ${hashSecret(token)} and kind = ${kind} and consumed_at is null returning 1`,
  )
  return used.length === 1
}

const foreignKeyViolation = '23503'
const splitScopes = (scope: string | undefined): string[] => scope?.split(' ').filter(Boolean) ?? []

/** Pending authorization requests. Their id is in a cookie of the browser, and in the URL to return to. */
const authorizationRequestAdapter = (database: Database, { authUrl }: Config): Partial<Adapter> => ({
  async upsert(id, { jti: _, returnTo: __, ...payload }, ttl) {
    await database.write(
      ownWork,
      sql`
      insert into authorization_requests (hash, payload, expires_at)
      values (${hashSecret(id)}, ${JSON.stringify(payload)}::jsonb, now() + ${ttl}::float8 * interval '1 second')
      on conflict (hash) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
    )
  },
  async find(id) {
    const [request] = await database.query<Pick<TokenRow, 'payload' | 'leftSeconds'>>(sql`
      select payload, extract(epoch from expires_at - now())::float8 as "leftSeconds"
      from authorization_requests where hash = ${hashSecret(id)} and expires_at > now()`)
    if (!request) return undefined
    return {
      ...shiftToProcessClock(request.payload, request.leftSeconds),
      jti: id,
      returnTo: `${authUrl}/authorize/${id}`,
    }
  },
  destroy: async (id) =>
    void (await database.write(ownWork, sql`delete from authorization_requests where hash = ${hashSecret(id)}`)),
})
