// Somebody changes their own password: the one they have is verified, and their other sessions end.
import { type Queryable, sql } from '../db/database.ts'
import { signOutElsewhere } from './browsers.ts'
import { hashPassword, verifyPassword } from './passwords.ts'

const minPasswordLength = 12
const maxPasswordLength = 200

interface PasswordChange {
  readonly personId: string
  readonly hash: string
  readonly hashBefore: string
}

/** Verifies the current password and hashes the new one: both are slow, so this runs outside of the transaction. */
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
  refuseUnlessPassword(wanted)
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
  await signOutElsewhere(database, personId, session)
}

export function refuseUnlessPassword(wanted: string): void {
  if (wanted.length < minPasswordLength || wanted.length > maxPasswordLength)
    throw new Error(`A password has ${minPasswordLength} to ${maxPasswordLength} characters`)
}

const wrongPasswordError = () => new Error('The password you have now is another one')
