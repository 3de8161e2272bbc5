// Adding people from the portal. Whoever makes somebody's first password could sign in as them, so an admin may make one
// only for a person who belongs to nobody else; people of several organisations are added by the operator.
import { type Executor, sql } from '../database.ts'
import { addMember, type Member, type NewMember } from './members.ts'
import { hashPassword, newPassword, type Vault } from './secrets.ts'

const emailForm = /^[^\s@<>"']+@[^\s@<>"']+\.[^\s@<>"']+$/

/** The password is shown this once; the second factor is set up at the first sign-in. Run it in a transaction. */
export async function inviteMember(
  database: Executor,
  vault: Pick<Vault, 'seal'>,
  orgId: string,
  { email, firstName, lastName = null, role = 'technician' }: NewMember,
): Promise<Member & { password: string }> {
  if (!emailForm.test(email) || email.length > 254) throw new Error('The email address is not one')
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
  // Somebody who was here before, and belongs to nobody, begins anew.
  await database.query(sql`
    with begun as (
      update people set password_hash = ${await hashPassword(password)}, totp_secret = null, totp_last_step = 0,
        totp_failures = 0, totp_failing_since = null, totp_locked_until = null, updated_at = now()
      where lower(email) = lower(${email}) returning id
    ), codes as (delete from recovery_codes using begun where person_id = begun.id)
    delete from sessions using begun where person_id = begun.id`)
  return { ...member, role, password }
}
