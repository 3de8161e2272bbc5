// What an admin allowed an app: approved, remembered, listed, revoked, or carried over from an earlier system.
import { type Queryable, sql } from '../db/database.ts'
import { lockOrganisationFor } from '../db/organisation-lock.ts'
import { newId } from '../operations/ids.ts'
import type { ScopeCatalogue } from '../operations/scope-catalogue.ts'
import type { Scope, ScopeVersion } from '../operations/scopes.ts'
import { auditEntry, type NewAuditEntry } from './audit.ts'
import { hashSecret } from './key-format.ts'
import { newToken } from './tokens.ts'

export interface Grant {
  readonly id: string
  readonly memberId: string | null
  readonly email: string
  readonly clientId: string | null
  readonly clientName: string
  readonly scopes: readonly string[]
  readonly scopeVersion: ScopeVersion
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly lastUsedFor: 'rest' | 'mcp' | null
  readonly lastUsedFrom: string | null
  readonly expiresAt: Date | null
  readonly status: 'active' | 'expired' | 'revoked'
}

export interface Approval {
  readonly orgId: string
  readonly personId: string
  readonly clientId: string
  readonly clientName: string
  readonly scopes: readonly Scope[]
  /** What was requested and not allowed: no new consent is needed for it while the approval is remembered. */
  readonly refusedScopes: readonly Scope[]
  /** Null: until it is revoked. */
  readonly lifeSeconds: number | null
  readonly isRemembered: boolean
}

const rememberedDays = 90

/**
 * Replaces what this person allowed this app before, tokens included. Undefined: they may no longer decide for the
 * organisation. Run it in a transaction.
 */
export async function approve(database: Queryable, approval: Approval): Promise<string | undefined> {
  const { orgId, personId, clientId, lifeSeconds } = approval
  await database.query(sql`select 1 from people where id = ${personId} for update`) // of two approvals at once one is last
  // Locked until the grant is there: whoever takes the admin's role away meanwhile then finds the grant, too.
  await lockOrganisationFor(database, orgId, 'acting member')
  const admins = await database.query(sql`
    select from members join organisations using (org_id)
    where org_id = ${orgId} and person_id = ${personId} and is_active and role = 'admin' and ${entitledCondition}`)
  if (admins.length === 0) return undefined
  await database.query(sql`delete from grants where person_id = ${personId} and client_id = ${clientId}`)
  const id = newId('grt')
  await database.query(sql`
    insert into grants (org_id, id, person_id, client_id, client_name, scopes, refused_scopes, scope_version, expires_at,
      remembered_until)
    values (${orgId}, ${id}, ${personId}, ${clientId}, ${approval.clientName}, ${[...approval.scopes]}::text[],
      ${[...approval.refusedScopes]}::text[], 2, now() + ${lifeSeconds}::float8 * interval '1 second',
      case when ${approval.isRemembered} then now() + ${`${rememberedDays} days`}::interval end)`)
  return id
}

/** An approval that is still valid for everything requested, or undefined. */
export async function findRememberedGrant(
  database: Queryable,
  personId: string,
  clientId: string,
  scopes: readonly Scope[],
): Promise<string | undefined> {
  const [grant] = await database.query<{ id: string }>(sql`
    select grants.id from grants
    join members on members.org_id = grants.org_id and members.person_id = grants.person_id
    join organisations on organisations.org_id = grants.org_id
    where grants.person_id = ${personId} and client_id = ${clientId} and remembered_until > now() and revoked_at is null
      and (grants.expires_at is null or grants.expires_at > now()) and ${[...scopes]}::text[] <@ (scopes || refused_scopes)
      and ${[...scopes]}::text[] && scopes and members.is_active and members.role = 'admin' and ${entitledCondition}`)
  return grant?.id
}

/** A condition on `organisations`: Pro, or a trial that goes on. */
export const entitledCondition = sql`(organisations.entitlement = 'pro' or (organisations.entitlement = 'trial'
  and (organisations.trial_ends_at is null or organisations.trial_ends_at > now())))`

/** The organisations a person may decide for: where they are an active admin, on Pro or trial. */
export const listApprovableOrganisations = (
  database: Queryable,
  personId: string,
): Promise<{ id: string; name: string }[]> =>
  database.query(sql`
    select organisations.org_id as id, name from members join organisations using (org_id)
    where person_id = ${personId} and is_active and role = 'admin' and ${entitledCondition} order by folded(name), org_id`)

const grantColumns = sql`grants.id, members.id as "memberId", email, client_id as "clientId", client_name as "clientName",
  scopes, scope_version as "scopeVersion", grants.created_at as "createdAt", last_used_at as "lastUsedAt",
  last_used_for as "lastUsedFor", last_used_from as "lastUsedFrom", expires_at as "expiresAt",
  case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' else 'active' end as status`
const joinParties = sql`join people on people.id = grants.person_id
  left join members on members.org_id = grants.org_id and members.person_id = grants.person_id`

/** Newest first. */
export const listGrants = (database: Queryable, orgId: string): Promise<Grant[]> =>
  database.query<Grant>(sql`
    select ${grantColumns} from grants ${joinParties} where grants.org_id = ${orgId}
    order by grants.created_at desc, grants.id desc`)

/** What the audit log says of its end. */
export const grantRevokedEntry = ({ id, clientName, email }: Grant): NewAuditEntry =>
  auditEntry('grant.revoked', { id, name: clientName }, { allowedBy: email })

/** Ends it with all its tokens. Run it in a transaction. */
export async function revokeGrant(database: Queryable, orgId: string, id: string): Promise<Grant> {
  const [grant] = await database.query<Grant>(
    sql`select ${grantColumns} from grants ${joinParties} where grants.org_id = ${orgId} and grants.id = ${id}`,
  )
  if (!grant) throw new Error(`The organisation has no grant ${id}`)
  await endGrant(database, id)
  return { ...grant, status: 'revoked' }
}

/** The grant stays, marked: a token that is being issued at this moment is then as dead as those there are. */
export const endGrant = (database: Queryable, id: string): Promise<unknown> =>
  database.query(sql`
    with ended as (
      update grants set revoked_at = coalesce(revoked_at, now()) where id = ${id} returning org_id, id
    )
    delete from oauth_tokens token using ended where token.org_id = ended.org_id and token.grant_id = ended.id`)

/** Holding an access or a refresh token is enough to end what it stands for. */
export async function revokeByToken(database: Queryable, token: string): Promise<void> {
  const [found] = await database.query<{ grant_id: string }>(
    sql`select grant_id from oauth_tokens where hash = ${hashSecret(token)} and kind in ('access', 'refresh')`,
  )
  if (found) await endGrant(database, found.grant_id)
}

export interface ImportedToken {
  readonly memberId: string
  readonly clientName: string
  readonly scopes: readonly string[]
  readonly scopeVersion: ScopeVersion
  readonly audience: string | null
  readonly lifeSeconds: number
}

/** A token as an earlier system issued them. Run it in a transaction. */
export async function importToken(
  database: Queryable,
  orgId: string,
  { memberId, clientName, scopes, scopeVersion, audience, lifeSeconds }: ImportedToken,
  { isGrantable }: Pick<ScopeCatalogue, 'isGrantable'>,
): Promise<{ accessToken: string; grantId: string }> {
  const unknown = scopes.filter((scope) => !isGrantable(scope))
  if (scopes.length === 0 || unknown.length > 0) throw new Error(`There is no scope ${unknown.join(', ') || 'given'}`)
  const accessToken = newToken()
  const [grant] = await database.query<{ id: string }>(sql`
    insert into grants (org_id, id, person_id, client_name, scopes, scope_version)
    select org_id, ${newId('grt')}, person_id, ${clientName}, ${[...scopes]}::text[], ${scopeVersion}::smallint
    from members where org_id = ${orgId} and id = ${memberId} and is_active and role = 'admin' returning id`)
  if (!grant) throw new Error(`The organisation has no active admin ${memberId}`)
  await database.query(sql`
    insert into oauth_tokens (hash, kind, org_id, grant_id, scopes, audience, expires_at)
    values (${hashSecret(accessToken)}, 'access', ${orgId}, ${grant.id}, ${[...scopes]}::text[], ${audience},
      now() + ${lifeSeconds}::float8 * interval '1 second')`)
  return { accessToken, grantId: grant.id }
}
