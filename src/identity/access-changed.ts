// Says to all processes that somebody may no longer do what they could, so that pages that stay open look again at once.
import { type Queryable, sql } from '../db/database.ts'

export const accessChannel = 'access_changed'

/** The members of an organisation, or a person wherever they are signed in. In a transaction it is said with the commit. */
export const tellAccessChanged = (database: Queryable, orgOrPersonId: string): Promise<unknown> =>
  database.query(sql`select pg_notify(${accessChannel}, ${orgOrPersonId})`)
