// Which credential a secret stands for, remembered for a minute and forgotten at once when the database says so.

import { hash as digest } from 'node:crypto'
import type { BlockList } from 'node:net'
import { allowedBy, type Scope, type ScopeVersion } from '../api/scopes.ts'
import { networks } from '../config.ts'
import { type Database, raw, sql } from '../database.ts'
import { listen } from '../notices.ts'
import { isWellFormedKey } from './key-format.ts'
import { isWellFormedToken, type TokenFacts } from './tokens.ts'

export type Use = 'rest' | 'mcp'

export interface Credential {
  /** The key's id, or that of the grant a token was issued for. */
  readonly id: string
  readonly kind: 'key' | 'token'
  readonly name: string
  /** What its requests are counted by: a key, or an app in an organisation. */
  readonly countedAs: string
  readonly orgId: string
  readonly scopes: ReadonlySet<Scope>
  readonly uses: ReadonlySet<Use>
  readonly allowlist: BlockList | undefined
  /** Why it cannot be used at the moment, as a sentence; undefined if it can. */
  refusal(): string | undefined
  /** Whether the organisation has an active Pro subscription or trial. */
  isEntitled(): boolean
  /** Whether the admin who approved it is still one; a key needs nobody's approval. */
  readonly isApproved: boolean
}

/** What a use was for, and where it came from. */
export interface UseMade {
  readonly use: Use
  readonly address: string
}

/** Asks what a token stands for, by its SHA-256 in base64. */
export type Introspection = (hash: string) => Promise<TokenFacts | undefined>

export interface Credentials {
  /** Undefined: nobody holds this secret. */
  find(secret: string): Promise<Credential | undefined>
  /** Notes that a credential was used; written behind the requests, at most once a minute for each. */
  used(credential: Credential, how: UseMade): void
  close(): Promise<void>
}

/** At most; each for a while of its own, or those that came together would all be asked for again together. */
const rememberMs = 60_000
const mostRemembered = 20_000
const writeUsesEveryMs = 30_000

/** Tokens for any other audience are not for us. */
export interface Tokens {
  readonly introspect: Introspection
  readonly audiences: ReadonlySet<string>
}

export function credentialStore(database: Database, tokens: Tokens): Credentials {
  const remembered = new Map<string, { credential: Credential; until: number }>()
  const asked = new Map<string, Promise<Credential | undefined>>()
  let listening = false
  /** Counts notices: an answer that set out before one must not be remembered after it. */
  let notices = 0

  const line = listen(database, 'credentials_changed', {
    up() {
      notices++ // what was read before may have missed one
      listening = true
    },
    down() {
      listening = false
      notices++
      remembered.clear()
    },
    notice(orgId) {
      notices++
      for (const [hash, { credential }] of remembered) if (credential.orgId === orgId) remembered.delete(hash)
    },
  })

  async function ask(hash: string, whose: (hash: string) => Promise<Credential | undefined>) {
    const before = notices
    const credential = await whose(hash)
    if (credential && listening && before === notices) {
      if (remembered.size >= mostRemembered) remembered.delete(remembered.keys().next().value!)
      remembered.set(hash, { credential, until: performance.now() + rememberMs * (0.5 + Math.random() / 2) })
    }
    return credential
  }

  async function keyWith(hash: string): Promise<Credential | undefined> {
    const [row] = await database.query<KeyRow>(sql`
      select key.id, key.org_id, key.name, key.scopes, key.scope_version, key.allowed_uses, key.ip_allowlist,
        key.paused_at is not null as paused, key.revoked_at is not null as revoked,
        extract(epoch from least(key.expires_at, secret.valid_until) - now())::float8 as expires_in,
        organisation.entitlement, extract(epoch from organisation.trial_ends_at - now())::float8 as trial_ends_in
      from api_key_secrets secret
      join api_keys key on key.org_id = secret.org_id and key.id = secret.key_id
      join organisations organisation on organisation.org_id = key.org_id
      where secret.hash = decode(${hash}, 'base64')`)
    return row && fromKey(row)
  }

  async function tokenWith(hash: string): Promise<Credential | undefined> {
    const facts = await tokens.introspect(hash)
    const isForUs = facts && (facts.audience === null || tokens.audiences.has(facts.audience))
    return isForUs ? fromToken(facts) : undefined
  }

  const uses = useLog(database)
  return {
    async find(secret) {
      const hash = digest('sha256', secret, 'base64')
      const known = remembered.get(hash)
      if (known && known.until > performance.now()) return known.credential
      // What cannot be a key or a token costs no look-up.
      const whose = isWellFormedKey(secret) ? keyWith : isWellFormedToken(secret) ? tokenWith : undefined
      if (!whose) return undefined
      let answer = asked.get(hash)
      if (!answer) {
        answer = ask(hash, whose).finally(() => asked.delete(hash))
        asked.set(hash, answer)
      }
      return answer
    },
    used: uses.note,
    async close() {
      await line.close()
      await uses.close()
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

function fromKey(row: KeyRow): Credential {
  const expires = deadline(row.expires_in)
  return {
    id: row.id,
    kind: 'key',
    name: row.name,
    countedAs: row.id,
    orgId: row.org_id,
    scopes: allowedBy(row.scopes, row.scope_version),
    uses: new Set(row.allowed_uses),
    allowlist: row.ip_allowlist.length > 0 ? networks(row.ip_allowlist) : undefined,
    refusal() {
      if (row.revoked) return 'The API key was revoked; make a new one'
      if (row.paused) return 'The API key is paused; resume it to go on'
      return performance.now() < expires ? undefined : 'The API key has expired; make a new one'
    },
    isEntitled: entitlement(row.entitlement, row.trial_ends_in),
    isApproved: true,
  }
}

const allUses: ReadonlySet<Use> = new Set(['rest', 'mcp'])

function fromToken(facts: TokenFacts): Credential {
  const expires = deadline(facts.expiresInSeconds)
  return {
    id: facts.grantId,
    kind: 'token',
    name: facts.clientName,
    // A new approval of the same app is no new quota.
    countedAs: `${facts.orgId} ${facts.clientId ?? facts.grantId}`,
    orgId: facts.orgId,
    scopes: allowedBy(facts.scopes, facts.scopeVersion),
    uses: allUses,
    allowlist: undefined,
    refusal: () => (performance.now() < expires ? undefined : 'The token has expired; refresh it'),
    isEntitled: entitlement(facts.entitlement, facts.trialEndsInSeconds),
    isApproved: facts.isApproved,
  }
}

/** Expiry is by the database's clock, counted on from here by one that nobody can set. */
const deadline = (seconds: number | null) =>
  seconds === null ? Number.POSITIVE_INFINITY : performance.now() + seconds * 1000

function entitlement(plan: string, trialEndsIn: number | null): () => boolean {
  const trialEnds = deadline(trialEndsIn)
  return () => plan === 'pro' || (plan === 'trial' && performance.now() < trialEnds)
}

type Used = Pick<Credential, 'id' | 'kind' | 'orgId'> & UseMade

/** Gathers uses and writes them together. */
function useLog(database: Database) {
  let pending = new Map<string, Used>()
  const written = new Map<string, number>()

  async function write(): Promise<void> {
    const now = performance.now()
    const due = [...pending.values()].filter(({ id }) => now - (written.get(id) ?? Number.NEGATIVE_INFINITY) >= 60_000)
    pending = new Map()
    if (due.length === 0) return
    for (const [id, at] of written) if (now - at >= 60_000) written.delete(id)
    for (const { id } of due) written.set(id, now)
    await touch(
      'api_keys',
      due.filter(({ kind }) => kind === 'key'),
    )
    await touch(
      'grants',
      due.filter(({ kind }) => kind === 'token'),
    )
  }
  async function touch(table: 'api_keys' | 'grants', used: readonly Used[]): Promise<void> {
    if (used.length === 0) return
    await database.write(sql`
      update ${raw(table)} credential set last_used_at = now(), last_used_for = used.use, last_used_from = used.address
      from unnest(${used.map(({ orgId }) => orgId)}::text[], ${used.map(({ id }) => id)}::text[],
        ${used.map(({ use }) => use)}::text[], ${used.map(({ address }) => address)}::text[])
        used (org_id, id, use, address)
      where credential.org_id = used.org_id and credential.id = used.id`)
  }
  // A note that is lost with the database is written again with the key's next use.
  const timer = setInterval(() => void write().catch(() => {}), writeUsesEveryMs).unref()
  return {
    note: ({ id, kind, orgId }: Credential, { use, address }: UseMade) =>
      void pending.set(id, { id, kind, orgId, use, address }),
    async close() {
      clearInterval(timer)
      await write().catch(() => {})
    },
  }
}
