// Adding people from the portal, and their passwords. Whoever makes somebody's first password could sign in as them, so an admin may make one
// only for a person who belongs to nobody else; people of several organisations are added by the operator.
import { type Queryable, sql } from '../db/database.ts'
import { formats } from '../operations/fields.ts'
import { newId } from '../operations/ids.ts'
import { hashSecret } from './key-format.ts'
import type { Member, NewMember } from './members.ts'
import { findOrCreatePerson, resetSignIn } from './people.ts'
import { hashPassword, newPassword, verifyPassword } from './secrets.ts'

/** A password to be shown once. Its hash takes long: make it before the transaction that writes it. */
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

/** Their row is held, so that nobody adds them elsewhere in between. */
async function lockPersonOf(database: Queryable, orgId: string, memberId: string): Promise<string> {
  const [person] = await database.query<{ id: string }>(sql`
    select people.id from people join members on person_id = people.id
    where org_id = ${orgId} and members.id = ${memberId} for update of people`)
  if (!person) throw new Error('They are no member any more')
  return person.id
}

const minPasswordLength = 12
const maxPasswordLength = 200

interface PasswordChange {
  readonly personId: string
  readonly hash: string
  readonly hashBefore: string
}

/** Judges the password there is and makes the hash of the one wanted, both of which take long. */
export async function preparePasswordChange(
  database: Queryable,
  personId: string,
  { current, wanted }: { current: string; wanted: string },
): Promise<PasswordChange> {
  const [person] = await database.query<{ hash: string | null }>(
    sql`select password_hash as hash from people where id = ${personId}`,
  )
  if (!person?.hash || !(await verifyPassword(current.slice(0, maxPasswordLength), person.hash, personId)))
    throw wrongPasswordError()
  if (wanted.length < minPasswordLength || wanted.length > maxPasswordLength)
    throw new Error(`A password has ${minPasswordLength} to ${maxPasswordLength} characters`)
  return { personId, hashBefore: person.hash, hash: await hashPassword(wanted, personId) }
}

/** Ends every other session of the person. Run it in a transaction. */
export async function changePassword(
  database: Queryable,
  { personId, hash, hashBefore }: PasswordChange,
  session: string,
): Promise<void> {
  const changed = await database.query(sql`
    update people set password_hash = ${hash}, updated_at = now()
    where id = ${personId} and password_hash = ${hashBefore} returning 1`)
  if (changed.length === 0) throw wrongPasswordError()
  await database.query(sql`delete from sessions where person_id = ${personId} and hash <> ${hashSecret(session)}`)
}

const wrongPasswordError = () => new Error('The password you have now is another one')
