// Access tokens: what one looks like, and what the database says of it.
import { randomBytes } from 'node:crypto'
import { type Queryable, sql } from '../db/database.ts'
import type { ScopeVersion } from '../operations/scopes.ts'

/** Everything that decides what the bearer of a token may do, at the moment of the lookup. */
export interface TokenFacts {
  readonly grantId: string
  readonly orgId: string
  readonly clientId: string | null
  readonly clientName: string
  readonly scopes: readonly string[]
  readonly scopeVersion: ScopeVersion
  /** Null: issued before tokens were bound to an audience. */
  readonly audience: string | null
  readonly expiresInSeconds: number
  readonly entitlement: string
  readonly trialEndsInSeconds: number | null
  /** Whether whoever approved it is still an active admin of the organisation. */
  readonly isApproved: boolean
}

/** 256 random bits, as the tokens and secrets of an app are. */
export const newToken = (): string => randomBytes(32).toString('base64url')

export const isWellFormedToken = (text: string): boolean => /^[\w-]{43}$/.test(text)

/** By the token's SHA-256 in base64. Undefined: it was never issued, has expired or was revoked. */
export async function findToken(database: Queryable, hash: string): Promise<TokenFacts | undefined> {
  const [facts] = await database.query<TokenFacts>(sql`
    select approval.id as "grantId", approval.org_id as "orgId", approval.client_id as "clientId",
      approval.client_name as "clientName", token.scopes, approval.scope_version as "scopeVersion", token.audience,
      extract(epoch from least(token.expires_at, approval.expires_at) - now())::float8 as "expiresInSeconds",
      organisation.entitlement, extract(epoch from organisation.trial_ends_at - now())::float8 as "trialEndsInSeconds",
      member.id is not null as "isApproved"
    from oauth_tokens token
    join grants approval on approval.org_id = token.org_id and approval.id = token.grant_id
    join organisations organisation on organisation.org_id = approval.org_id
    left join members member on member.org_id = approval.org_id and member.person_id = approval.person_id
      and member.is_active and member.role = 'admin'
    where token.hash = decode(${hash}, 'base64') and token.kind = 'access' and token.expires_at > now()
      and (approval.expires_at is null or approval.expires_at > now())
      -- Where the approving admin is gone the bearer is told so; any other revocation ends the token.
      and (approval.revoked_at is null or member.id is null)`)
  return facts
}
