// Which credential a secret stands for: looked up by hash, cached for a minute, invalidated by a notification of the database.
import { hash as digest } from 'node:crypto'
import type { BlockList } from 'node:net'
import { createBlockList } from '../config/networks.ts'
import { type Database, sql } from '../db/database.ts'
import { listen } from '../db/listen.ts'
import type { ScopeCatalogue } from '../operations/scope-catalogue.ts'
import type { Scope, ScopeVersion } from '../operations/scopes.ts'
import { isWellFormedKey } from './key-format.ts'
import { createLastUsedWriter, type Use, type UseDetails } from './last-used.ts'
import { isWellFormedToken, type TokenFacts } from './tokens.ts'

export type { Use } from './last-used.ts'

export interface Credential {
  /** The key's id, or that of the grant a token was issued for. */
  readonly id: string
  readonly kind: 'key' | 'token'
  readonly name: string
  /** What its requests are counted by: a key, or an app in an organisation. */
  readonly rateLimitKey: string
  readonly orgId: string
  readonly scopes: ReadonlySet<Scope>
  readonly uses: ReadonlySet<Use>
  readonly allowlist: BlockList | undefined
  /** Why it cannot be used at the moment, as a sentence; undefined if it can. */
  invalidReason(): string | undefined
  /** Whether the organisation has an active Pro subscription or trial. */
  isEntitled(): boolean
  /** Whether the admin who approved it is still one; a key needs nobody's approval. */
  readonly isApproved: boolean
}

/** What a token stands for, by its SHA-256 in base64. */
export type Introspect = (hash: string) => Promise<TokenFacts | undefined>

export interface CredentialStore {
  /** Undefined: nobody holds this secret. */
  find(secret: string): Promise<Credential | undefined>
  /** Records that a credential was used; written in the background, at most once a minute for each. */
  recordUse(credential: Credential, details: UseDetails): void
  close(): Promise<void>
}

/** At most: each entry has a random lifetime, or those that were cached together would all expire together. */
const cacheMs = 60_000
const maxCached = 20_000

/** How tokens are looked up (those for any other audience are not for us), and what scopes allow. */
export interface CredentialOptions {
  readonly introspect: Introspect
  readonly audiences: ReadonlySet<string>
  readonly expandScopes: ScopeCatalogue['expand']
}

export function createCredentialStore(database: Database, options: CredentialOptions): CredentialStore {
  const cache = new Map<string, { credential: Credential; until: number }>()
  const pendingLookups = new Map<string, Promise<Credential | undefined>>()
  let isListening = false
  /** Counts notifications: a lookup that began before one must not be cached after it. */
  let invalidations = 0

  const listener = listen(database, {
    channels: {
      credentials_changed(orgId) {
        invalidations++
        for (const [hash, { credential }] of cache) if (credential.orgId === orgId) cache.delete(hash)
      },
    },
    connected() {
      invalidations++ // what was read before may have missed one
      isListening = true
    },
    disconnected() {
      isListening = false
      invalidations++
      cache.clear()
    },
  })

  async function lookUp(hash: string, findCredential: (hash: string) => Promise<Credential | undefined>) {
    const before = invalidations
    const credential = await findCredential(hash)
    if (credential && isListening && before === invalidations) {
      if (cache.size >= maxCached) cache.delete(cache.keys().next().value!)
      cache.set(hash, { credential, until: performance.now() + cacheMs * (0.5 + Math.random() / 2) })
    }
    return credential
  }

  async function findKeyCredential(hash: string): Promise<Credential | undefined> {
    const [row] = await database.query<KeyRow>(sql`
      select key.id, key.org_id, key.name, key.scopes, key.scope_version, key.allowed_uses, key.ip_allowlist,
        key.paused_at is not null as paused, key.revoked_at is not null as revoked,
        extract(epoch from least(key.expires_at, secret.valid_until) - now())::float8 as expires_in,
        organisation.entitlement, extract(epoch from organisation.trial_ends_at - now())::float8 as trial_ends_in
      from api_key_secrets secret
      join api_keys key on key.org_id = secret.org_id and key.id = secret.key_id
      join organisations organisation on organisation.org_id = key.org_id
      where secret.hash = decode(${hash}, 'base64')`)
    return row && keyCredential(row, options.expandScopes)
  }

  async function findTokenCredential(hash: string): Promise<Credential | undefined> {
    const facts = await options.introspect(hash)
    const isForUs = facts && (facts.audience === null || options.audiences.has(facts.audience))
    return isForUs ? tokenCredential(facts, options.expandScopes) : undefined
  }

  const lastUsed = createLastUsedWriter(database)
  return {
    async find(secret) {
      const hash = digest('sha256', secret, 'base64')
      const cached = cache.get(hash)
      if (cached && cached.until > performance.now()) return cached.credential
      // What cannot be a key or a token costs no look-up.
      const findCredential = isWellFormedKey(secret)
        ? findKeyCredential
        : isWellFormedToken(secret)
          ? findTokenCredential
          : undefined
      if (!findCredential) return undefined
      let lookup = pendingLookups.get(hash)
      if (!lookup) {
        lookup = lookUp(hash, findCredential).finally(() => pendingLookups.delete(hash))
        pendingLookups.set(hash, lookup)
      }
      return lookup
    },
    recordUse: lastUsed.record,
    async close() {
      await listener.close()
      await lastUsed.close()
    },
  }
}

interface KeyRow {
  readonly id: string
  readonly org_id: string
  readonly name: string
  readonly scopes: string[]
  readonly scope_version: ScopeVersion
  readonly allowed_uses: Use[]
  readonly ip_allowlist: string[]
  readonly paused: boolean
  readonly revoked: boolean
  readonly expires_in: number | null
  readonly entitlement: string
  readonly trial_ends_in: number | null
}

type ExpandScopes = ScopeCatalogue['expand']

function keyCredential(row: KeyRow, expandScopes: ExpandScopes): Credential {
  const expires = deadline(row.expires_in)
  return {
    id: row.id,
    kind: 'key',
    name: row.name,
    rateLimitKey: row.id,
    orgId: row.org_id,
    scopes: expandScopes(row.scopes, row.scope_version),
    uses: new Set(row.allowed_uses),
    allowlist: row.ip_allowlist.length > 0 ? createBlockList(row.ip_allowlist) : undefined,
    invalidReason() {
      if (row.revoked) return 'The API key was revoked; make a new one'
      if (row.paused) return 'The API key is paused; resume it to go on'
      return performance.now() < expires ? undefined : 'The API key has expired; make a new one'
    },
    isEntitled: entitlementCheck(row.entitlement, row.trial_ends_in),
    isApproved: true,
  }
}

const allUses: ReadonlySet<Use> = new Set(['rest', 'mcp'])

function tokenCredential(facts: TokenFacts, expandScopes: ExpandScopes): Credential {
  const expires = deadline(facts.expiresInSeconds)
  return {
    id: facts.grantId,
    kind: 'token',
    name: facts.clientName,
    // A new approval of the same app is no new quota.
    rateLimitKey: `${facts.orgId} ${facts.clientId ?? facts.grantId}`,
    orgId: facts.orgId,
    scopes: expandScopes(facts.scopes, facts.scopeVersion),
    uses: allUses,
    allowlist: undefined,
    invalidReason: () => (performance.now() < expires ? undefined : 'The token has expired; refresh it'),
    isEntitled: entitlementCheck(facts.entitlement, facts.trialEndsInSeconds),
    isApproved: facts.isApproved,
  }
}

/** Expiry is by the database's clock, counted on from here by one that nobody can set. */
const deadline = (seconds: number | null) =>
  seconds === null ? Number.POSITIVE_INFINITY : performance.now() + seconds * 1000

function entitlementCheck(plan: string, trialEndsIn: number | null): () => boolean {
  const trialEnds = deadline(trialEndsIn)
  return () => plan === 'pro' || (plan === 'trial' && performance.now() < trialEnds)
}
