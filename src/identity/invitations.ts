// Adding people from the portal. Whoever makes somebody's first password could sign in as them, so an admin may make
// one only for a person who belongs to nobody else; people of several organisations are added by the operator.
import { type Queryable, sql } from '../db/database.ts'
import { formats } from '../operations/fields.ts'
import { newId } from '../operations/ids.ts'
import type { Member, NewMember } from './members.ts'
import { hashPassword, newPassword } from './passwords.ts'
import { findOrCreatePerson, resetSignIn } from './people.ts'

/** A password to be shown once. Hashing is slow: do it before the transaction that stores it. */
export interface InitialPassword {
  readonly password: string
  readonly hash: string
}

export async function createInitialPassword(orgId: string): Promise<InitialPassword> {
  const password = newPassword()
  return { password, hash: await hashPassword(password, orgId) }
}

export function refuseUnlessEmail(email: string): void {
  if (!formats.email!.accepts(email)) throw new Error('The email address is not one')
}

/** The second factor is set up at the first sign-in. Run it in a transaction. */
export async function inviteMember(
  database: Queryable,
  orgId: string,
  initial: InitialPassword,
  { email, firstName, lastName = null, role = 'technician' }: NewMember,
): Promise<Member & { password: string }> {
  refuseUnlessEmail(email)
  const { id: personId, madeByOrg } = await findOrCreatePerson(database, email)
  const [membership] = await database.query<{ isHere: boolean; isElsewhere: boolean }>(sql`
    select coalesce(bool_or(org_id = ${orgId}), false) as "isHere",
      coalesce(bool_or(org_id <> ${orgId}), false) as "isElsewhere"
    from members where person_id = ${personId}`)
  if (membership!.isHere) throw new Error(`${email} is already a member of this organisation`)
  if (membership!.isElsewhere || (madeByOrg !== null && madeByOrg !== orgId))
    // Where else they are known, and whether they still are, is nobody's business here.
    throw new Error(`${email} cannot be added here; ask whoever runs this server to add them (member add)`)
  const id = newId('mem')
  await database.query(sql`
    insert into members (org_id, id, person_id, first_name, last_name, role)
    values (${orgId}, ${id}, ${personId}, ${firstName}, ${lastName}, ${role})`)
  await resetSignIn(database, personId, { passwordHash: initial.hash, madeByOrg: orgId })
  return { id, email, firstName, lastName, role, isActive: true, password: initial.password }
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
