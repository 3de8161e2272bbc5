// Somebody who lost their password or device begins anew. Whoever makes a password could sign in with it, so an admin may
// make one only for a person who belongs to nobody else; the operator may for anybody.
import { type Queryable, sql } from '../db/database.ts'
import { hashPassword, newPassword } from './passwords.ts'
import { resetSignIn } from './people.ts'

/** A password to be shown once. Hashing is slow: do it before the transaction that stores it. */
export interface InitialPassword {
  readonly password: string
  readonly hash: string
}

export async function createInitialPassword(orgId: string): Promise<InitialPassword> {
  const password = newPassword()
  return { password, hash: await hashPassword(password, orgId) }
}

/** For somebody who lost their password or their device: both are set up anew. Run it in a transaction. */
export async function resetMember(
  database: Queryable,
  orgId: string,
  initial: InitialPassword,
  memberId: string,
): Promise<void> {
  const personId = await lockPersonOf(database, orgId, memberId)
  const [elsewhere] = await database.query(
    sql`select 1 from members where person_id = ${personId} and org_id <> ${orgId}`,
  )
  if (elsewhere) throw new Error('They belong to another organisation here as well; the operator can help them')
  await resetSignIn(database, personId, { passwordHash: initial.hash, madeByOrg: orgId })
}

/** The same by the operator, who may do it for anybody. Run it in a transaction. */
export async function resetByOperator(
  database: Queryable,
  orgId: string,
  initial: InitialPassword,
  memberId: string,
): Promise<void> {
  const personId = await lockPersonOf(database, orgId, memberId)
  await resetSignIn(database, personId, { passwordHash: initial.hash, madeByOrg: null })
}

/** Their row is locked, so that nobody adds them elsewhere in between. */
async function lockPersonOf(database: Queryable, orgId: string, memberId: string): Promise<string> {
  const [member] = await database.query<{ personId: string }>(sql`
    select person_id as "personId" from members where org_id = ${orgId} and id = ${memberId}`)
  if (!member) throw new Error('They are no member any more')
  await database.query(sql`select from people where id = ${member.personId} for update`)
  return member.personId
}
