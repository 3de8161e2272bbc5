// The lock of an organisation as a whole, held until the transaction ends. It is a row of its own: that of the organisation
// is on every machine where tables are distributed, and locked there with those of all others.
import { type Queryable, raw, type Sql, sql } from './database.ts'

/**
 * From weak to strong; each is held by many at once up to `one judge`, and who holds it keeps out:
 * `acting member` those who change members; `document writer` judges; `one judge` other judges and writers of documents;
 * `change of members` everybody.
 */
const strengths = {
  'acting member': 'key share',
  'document writer': 'share',
  'one judge': 'no key update',
  'change of members': 'update',
}

export const organisationLock = (orgId: string, strength: keyof typeof strengths): Sql =>
  sql`select 1 from organisation_locks where org_id = ${orgId} for ${raw(strengths[strength])}`

export const lockOrganisationFor = async (
  transaction: Queryable,
  orgId: string,
  strength: keyof typeof strengths,
): Promise<void> => {
  await transaction.query(organisationLock(orgId, strength))
}
