// Adding people from the portal, and their passwords. Whoever makes somebody's first password could sign in as them, so an admin may make one
// only for a person who belongs to nobody else; people of several organisations are added by the operator.
import { formats } from '../api/fields.ts'
import { newId } from '../api/ids.ts'
import { type Executor, sql } from '../database.ts'
import { hashOf } from './key-format.ts'
import type { Member, NewMember } from './members.ts'
import { beginAnew, personWith } from './people.ts'
import { hashPassword, isPassword, newPassword } from './secrets.ts'

/** The password is shown this once; the second factor is set up at the first sign-in. Run it in a transaction. */
export async function inviteMember(
  database: Executor,
  orgId: string,
  { email, firstName, lastName = null, role = 'technician' }: NewMember,
): Promise<Member & { password: string }> {
  if (!formats.email!.accepts(email)) throw new Error('The email address is not one')
  const { id: personId, madeByOrg } = await personWith(database, email)
  const [standing] = await database.query<{ isHere: boolean; isElsewhere: boolean }>(sql`
    select coalesce(bool_or(org_id = ${orgId}), false) as "isHere",
      coalesce(bool_or(org_id <> ${orgId}), false) as "isElsewhere"
    from members where person_id = ${personId}`)
  if (standing!.isHere) throw new Error(`${email} is already a member of this organisation`)
  if (standing!.isElsewhere || (madeByOrg !== null && madeByOrg !== orgId))
    throw new Error(
      `${email} belongs to another organisation here as well; ask whoever runs this server to add them to yours ` +
        '(member add)',
    )
  const id = newId('mem')
  await database.query(sql`
    insert into members (org_id, id, person_id, first_name, last_name, role)
    values (${orgId}, ${id}, ${personId}, ${firstName}, ${lastName}, ${role})`)
  const password = newPassword()
  await beginAnew(database, personId, { passwordHash: await hashPassword(password), madeByOrg: orgId })
  return { id, email, firstName, lastName, role, isActive: true, password }
}

/** For somebody who lost their password or their device: both are set up anew. Run it in a transaction. */
export async function resetMember(database: Executor, orgId: string, memberId: string): Promise<{ password: string }> {
  // Their row is held first, so that nobody adds them elsewhere in between.
  const [person] = await database.query<{ id: string }>(sql`
    select people.id from people join members on person_id = people.id
    where org_id = ${orgId} and members.id = ${memberId} for update of people`)
  if (!person) throw new Error('They are no member any more')
  const [elsewhere] = await database.query(
    sql`select 1 from members where person_id = ${person.id} and org_id <> ${orgId}`,
  )
  if (elsewhere) throw new Error('They belong to another organisation here as well; the operator can help them')
  const password = newPassword()
  await beginAnew(database, person.id, { passwordHash: await hashPassword(password), madeByOrg: orgId })
  return { password }
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
