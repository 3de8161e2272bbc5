// Who is signed in at a browser, and where they work: all that a page needs to know of its reader, in one statement.
import { type Database, type Queryable, sql } from '../db/database.ts'
import type { SecondFactorRule } from '../domain/second-factor.ts'
import { entitledCondition } from './grants.ts'
import { hashSecret } from './key-format.ts'
import type { Role } from './members.ts'
import { type Session, sessionColumns } from './sessions.ts'
import { isWellFormedToken } from './tokens.ts'

/** A place where a person works. */
export interface Membership {
  readonly orgId: string
  readonly orgName: string
  readonly timeZone: string
  readonly currency: string
  /** Whom the organisation asks for a second factor. */
  readonly secondFactor: SecondFactorRule
  /** Whether it is on Pro or a trial: the developer pages and the API need it, the desk does not. */
  readonly isEntitled: boolean
  readonly memberId: string
  readonly memberName: string
  /** As an ARGB number; null where they have none of their own. */
  readonly memberColor: number | null
  readonly role: Role
}

export interface SignedIn extends Session {
  /** Where they are active, as admins first. There is one at least. */
  readonly memberships: readonly Membership[]
  /** Whether it is time to note that the session is used. */
  readonly isNoteDue: boolean
}

/** A session ends with its time, or when the person is no active member of any organisation. */
export async function findSignedIn(database: Queryable, token: string | undefined): Promise<SignedIn | undefined> {
  if (token === undefined || !isWellFormedToken(token)) return undefined
  const [found] = await database.query<SignedIn & { memberships: Membership[] | null }>(sql`
    select ${sessionColumns}, last_used_at < now() - interval '1 hour' as "isNoteDue",
      (select json_agg(json_build_object('orgId', organisations.org_id, 'orgName', name, 'timeZone', time_zone,
          'currency', currency, 'secondFactor', second_factor, 'isEntitled', ${entitledCondition}, 'memberId', members.id,
          'memberName', concat_ws(' ', first_name, last_name), 'memberColor', members.color, 'role', role)
          order by role <> 'admin', folded(name), organisations.org_id)
        from members join organisations on organisations.org_id = members.org_id
        where members.person_id = sessions.person_id and is_active) as memberships
    from sessions join people on people.id = person_id
    where hash = ${hashSecret(token)} and kind = 'browser' and expires_at > now()`)
  return found?.memberships ? found : undefined
}

/** Once an hour at most: the list of browsers shows a day. A session that has ended meanwhile stays so. */
export const noteSessionUse = (database: Database, personId: string, token: string): Promise<unknown> =>
  database.write(
    personId,
    sql`update sessions set last_used_at = now() where hash = ${hashSecret(token)}
      and last_used_at < now() - interval '1 hour'`,
  )
