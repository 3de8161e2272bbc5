// Who made a webhook, and what follows from that: how long it lives, and what it may tell.
import { type Queryable, sql } from '../db/database.ts'
import { grantsRead } from '../operations/scope-catalogue.ts'

export type MakerKind = 'key' | 'app' | 'member' | 'operator'

export interface Maker {
  readonly kind: MakerKind
  readonly id: string | null
}

export interface MakerRights {
  /** `held`: refused at the moment, as a paused key is, and perhaps not for ever. */
  readonly state: 'active' | 'held' | 'ended'
  mayRead(entity: string): boolean
}

/** A webhook of a member or of the operator is the organisation's own. */
const ownRights: MakerRights = { state: 'active', mayRead: () => true }
const endedRights: MakerRights = { state: 'ended', mayRead: () => false }

interface CredentialRow {
  readonly id: string
  readonly scopes: readonly string[]
  readonly state: MakerRights['state']
}

const credentialQueries = {
  key: (orgId: string, ids: readonly string[]) => sql`
    select id, scopes, case when revoked_at is not null or expires_at <= now() then 'ended'
      when paused_at is not null then 'held' else 'active' end as state
    from api_keys where org_id = ${orgId} and id = any(${ids})`,
  app: (orgId: string, ids: readonly string[]) => sql`
    select id, scopes, case when revoked_at is not null or expires_at <= now() then 'ended' else 'active' end as state
    from grants where org_id = ${orgId} and id = any(${ids})`,
}

/** What makers may do at this moment. A credential that is no longer there has ended. */
export async function loadMakerRights(
  db: Queryable,
  orgId: string,
  makers: readonly Maker[],
): Promise<(maker: Maker) => MakerRights> {
  const load = async (kind: 'key' | 'app'): Promise<[string, MakerRights][]> => {
    const ids = [...new Set(makers.flatMap((maker) => (maker.kind === kind && maker.id !== null ? [maker.id] : [])))]
    if (ids.length === 0) return []
    const rows = await db.query<CredentialRow>(credentialQueries[kind](orgId, ids))
    return rows.map(({ id, scopes, state }) => [id, { state, mayRead: (entity) => grantsRead(scopes, entity) }])
  }
  const found = new Map([...(await load('key')), ...(await load('app'))])
  return ({ kind, id }) => (kind === 'member' || kind === 'operator' ? ownRights : (found.get(id ?? '') ?? endedRights))
}
