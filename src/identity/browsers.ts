// The browsers that somebody is signed in at, each of which they can sign out.
import { type Queryable, sql } from '../db/database.ts'
import { tellAccessChanged } from './access-changed.ts'
import { hashSecret } from './key-format.ts'

export interface SignedInBrowser {
  readonly id: string
  readonly userAgent: string | null
  readonly signedInAt: Date
  readonly lastUsedAt: Date
  readonly isRemembered: boolean
  /** Whether it is the one that asks. */
  readonly isThisOne: boolean
}

/** The one that asks first, then by their last use. */
export const listBrowsers = (database: Queryable, personId: string, token: string): Promise<SignedInBrowser[]> =>
  database.query<SignedInBrowser>(sql`
    select id, user_agent as "userAgent", signed_in_at as "signedInAt", last_used_at as "lastUsedAt",
      is_remembered as "isRemembered", hash = ${hashSecret(token)} as "isThisOne"
    from sessions where person_id = ${personId} and kind = 'browser' and expires_at > now()
    order by hash = ${hashSecret(token)} desc, last_used_at desc, id`)

export async function signOutBrowser(database: Queryable, personId: string, id: string): Promise<void> {
  const ended = await database.query(sql`
    delete from sessions where person_id = ${personId} and id = ${id} and kind = 'browser' returning 1`)
  if (ended.length === 0) throw new Error('That browser is signed out already')
  await tellAccessChanged(database, personId)
}

/** Programs with an identity token are signed out as well. */
export async function signOutElsewhere(database: Queryable, personId: string, token: string): Promise<void> {
  await database.query(sql`delete from sessions where person_id = ${personId} and hash <> ${hashSecret(token)}`)
  await tellAccessChanged(database, personId)
}
