// The life of an API key: made, paused, resumed, rotated, revoked. Its value is shown once and kept only as a hash.
import { cidr } from '../config/setting-values.ts'
import { type Queryable, type Sql, sql } from '../db/database.ts'
import { newId } from '../operations/ids.ts'
import type { ScopeCatalogue } from '../operations/scope-catalogue.ts'
import type { ScopeVersion } from '../operations/scopes.ts'
import { auditEntry, type NewAuditEntry } from './audit.ts'
import type { Use } from './credentials.ts'
import { hashSecret, keyPrefix, newKey } from './key-format.ts'

export interface Key {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly scopes: readonly string[]
  readonly scopeVersion: ScopeVersion
  readonly allowedUses: readonly Use[]
  readonly ipAllowlist: readonly string[]
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
  readonly lastUsedFor: Use | null
  readonly lastUsedFrom: string | null
  readonly status: 'active' | 'paused' | 'revoked' | 'expired'
  readonly createdBy: string | null
}

const keyColumns = sql`id, name, prefix, scopes, scope_version as "scopeVersion", allowed_uses as "allowedUses",
  ip_allowlist as "ipAllowlist", expires_at as "expiresAt", last_used_at as "lastUsedAt",
  last_used_for as "lastUsedFor", last_used_from as "lastUsedFrom", created_by as "createdBy",
  case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired'
    when paused_at is not null then 'paused' else 'active' end as status`

export interface NewKey {
  readonly name?: string
  /** Scopes and bundles. */
  readonly scopes?: readonly string[]
  readonly uses?: readonly string[]
  readonly allowlist?: readonly string[]
  /** Null: never. */
  readonly expiresAt?: Date | null
  readonly scopeVersion?: ScopeVersion
  readonly createdBy?: string
}

/** What the audit log says of a new key. */
export const keyCreatedEntry = (key: Key): NewAuditEntry => {
  const { scopes, allowedUses, ipAllowlist, expiresAt } = key
  return auditEntry('key.created', key, { scopes, allowedUses, ipAllowlist, expiresAt })
}

const defaultLifeDays = 90
const allUses: readonly Use[] = ['rest', 'mcp']

export async function createKey(
  database: Queryable,
  orgId: string,
  options: NewKey,
  { isGrantable }: Pick<ScopeCatalogue, 'isGrantable'>,
): Promise<Key & { key: string }> {
  const {
    name = 'API key',
    scopes = ['read'],
    uses = allUses,
    allowlist = [],
    scopeVersion = 2,
    createdBy = null,
  } = options
  const unknown = scopes.filter((scope) => !isGrantable(scope))
  if (scopes.length === 0 || unknown.length > 0) throw new Error(`There is no scope ${unknown.join(', ') || 'given'}`)
  const wrongUses = uses.filter((use) => !allUses.includes(use as Use))
  if (uses.length === 0 || wrongUses.length > 0)
    throw new Error(`A key's uses are rest and mcp, not ${wrongUses.join(', ')}`)
  const expires =
    options.expiresAt === undefined
      ? sql`now() + ${`${defaultLifeDays} days`}::interval`
      : sql`${options.expiresAt}::timestamptz`

  const key = newKey()
  const [created] = await database.query<Key>(sql`
    with made as (
      insert into api_keys (org_id, id, name, prefix, scopes, scope_version, allowed_uses, ip_allowlist, expires_at, created_by)
      values (${orgId}, ${newId('key')}, ${name}, ${keyPrefix(key)}, ${[...scopes]}::text[], ${scopeVersion}::smallint,
        ${[...uses]}::text[], ${allowlist.map(cidr)}::text[], ${expires}, ${createdBy})
      returning *
    ), secret as (
      insert into api_key_secrets (hash, org_id, key_id) select ${hashSecret(key)}, org_id, id from made
    )
    select ${keyColumns} from made`)
  return { ...created!, key }
}

/** Newest first; those that can no longer be used are among them. */
export const listKeys = (database: Queryable, orgId: string): Promise<Key[]> =>
  database.query<Key>(sql`select ${keyColumns} from api_keys where org_id = ${orgId} order by created_at desc, id desc`)

/** The key that has, or in an overlap still has, this value. */
export async function findKeyByValue(database: Queryable, orgId: string, value: string): Promise<Key | undefined> {
  const [key] = await database.query<Key>(sql`
    select ${keyColumns} from api_keys where org_id = ${orgId} and id in (
      select key_id from api_key_secrets where org_id = ${orgId} and hash = ${hashSecret(value)}
        and (valid_until is null or valid_until > now()))`)
  return key
}

export const pauseKey = (database: Queryable, orgId: string, id: string) =>
  updateKey(database, orgId, id, sql`paused_at = coalesce(paused_at, now())`)

export const resumeKey = (database: Queryable, orgId: string, id: string) =>
  updateKey(database, orgId, id, sql`paused_at = null`)

export const revokeKey = (database: Queryable, orgId: string, id: string) =>
  updateKey(database, orgId, id, sql`revoked_at = coalesce(revoked_at, now())`)

/** Its end was decided when it was made: a new value would be as dead, and a new end is a new decision. */
export class NotRotatable extends Error {
  constructor(status: 'revoked' | 'expired') {
    super(`${status === 'revoked' ? 'A revoked' : 'An expired'} key cannot be rotated; make a new one`)
  }
}

/** A new value for the same key. The one before dies at once, or after the overlap. Run it in a transaction. */
export async function rotateKey(
  database: Queryable,
  orgId: string,
  id: string,
  overlapHours = 0,
): Promise<Key & { key: string }> {
  const key = newKey()
  const rotated = await updateKey(database, orgId, id, sql`prefix = ${keyPrefix(key)}`)
  if (rotated.status === 'revoked' || rotated.status === 'expired') throw new NotRotatable(rotated.status)
  await database.query(sql`
    update api_key_secrets set valid_until = least(valid_until, now() + ${`${overlapHours} hours`}::interval)
    where org_id = ${orgId} and key_id = ${id}`)
  await database.query(
    sql`insert into api_key_secrets (hash, org_id, key_id) values (${hashSecret(key)}, ${orgId}, ${id})`,
  )
  return { ...rotated, key }
}

async function updateKey(database: Queryable, orgId: string, id: string, assignment: Sql): Promise<Key> {
  const [key] = await database.query<Key>(sql`
    update api_keys set ${assignment}, updated_at = now() where org_id = ${orgId} and id = ${id} returning ${keyColumns}`)
  if (!key) throw new Error(`The organisation has no key ${id}`)
  return key
}
