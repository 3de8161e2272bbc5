// Adding people from the portal, and their passwords. Whoever makes somebody's first password could sign in as them, so an admin may make one
// only for a person who belongs to nobody else; people of several organisations are added by the operator.
import { formats } from '../api/fields.ts'
import { type Executor, sql } from '../database.ts'
import { hashOf } from './key-format.ts'
import { addMember, type Member, type NewMember } from './members.ts'
import { hashPassword, isPassword, newPassword, type Vault } from './secrets.ts'

/** The password is shown this once; the second factor is set up at the first sign-in. Run it in a transaction. */
export async function inviteMember(
  database: Executor,
  vault: Pick<Vault, 'seal'>,
  orgId: string,
  { email, firstName, lastName = null, role = 'technician' }: NewMember,
): Promise<Member & { password: string }> {
  if (!formats.email!.accepts(email)) throw new Error('The email address is not one')
  const password = newPassword()
  // Added as a technician first: an admin would be given a second factor that only we know.
  const member = await addMember(database, vault, orgId, { email, firstName, lastName, role: 'technician', password })
  // The person's row is held since, so nobody adds them elsewhere in between.
  const [elsewhere] = await database.query(sql`
    select 1 from members join people on people.id = person_id
    where lower(email) = lower(${email}) and org_id <> ${orgId}`)
  if (elsewhere)
    throw new Error(`${email} belongs to another organisation here as well; the operator can add them to yours`)
  await database.query(sql`update members set role = ${role} where org_id = ${orgId} and id = ${member.id}`)
  await beginAnew(database, member.id, orgId, password)
  return { ...member, role, password }
}

/** For somebody who lost their password or their device: both are set up anew. Run it in a transaction. */
export async function resetMember(database: Executor, orgId: string, memberId: string): Promise<{ password: string }> {
  const [elsewhere] = await database.query(sql`
    select 1 from members other join members own on own.person_id = other.person_id
    where own.org_id = ${orgId} and own.id = ${memberId} and other.org_id <> ${orgId}`)
  if (elsewhere) throw new Error('They belong to another organisation here as well; the operator can help them')
  const password = newPassword()
  await beginAnew(database, memberId, orgId, password)
  return { password }
}

/** Whoever knew the secrets before, knows none now, and is signed out. */
async function beginAnew(database: Executor, memberId: string, orgId: string, password: string): Promise<void> {
  await database.query(sql`
    with begun as (
      update people set password_hash = ${await hashPassword(password)}, totp_secret = null, totp_last_step = 0,
        totp_failures = 0, totp_failing_since = null, totp_locked_until = null, updated_at = now()
      from members where people.id = person_id and org_id = ${orgId} and members.id = ${memberId} returning people.id
    ), codes as (delete from recovery_codes using begun where person_id = begun.id)
    delete from sessions using begun where person_id = begun.id`)
}

const shortest = 12
const longest = 200

/** Ends every other session of the person. Run it in a transaction. */
export async function changePassword(
  database: Executor,
  personId: string,
  { current, wanted, session }: { current: string; wanted: string; session: string },
): Promise<void> {
  const [person] = await database.query<{ hash: string | null }>(
    sql`select password_hash as hash from people where id = ${personId} for update`,
  )
  if (!person?.hash || !(await isPassword(current.slice(0, longest), person.hash)))
    throw new Error('The password you have now is another one')
  if (wanted.length < shortest || wanted.length > longest)
    throw new Error(`A password has ${shortest} to ${longest} characters`)
  await database.query(sql`
    with changed as (
      update people set password_hash = ${await hashPassword(wanted)}, updated_at = now() where id = ${personId}
    )
    delete from sessions where person_id = ${personId} and hash <> ${hashOf(session)}`)
}
