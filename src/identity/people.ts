// A person: one email, one password and one second factor, whichever organisations they belong to.
import { type Queryable, sql } from '../db/database.ts'
import { newId } from '../operations/ids.ts'
import { tellAccessChanged } from './access-changed.ts'

export interface PersonState {
  readonly id: string
  readonly hasPassword: boolean
  readonly hasTotp: boolean
  /** The organisation whose portal made their password; null: the operator. */
  readonly madeByOrg: string | null
}

/** Made if there is none. Their row is locked until the transaction ends. */
export async function findOrCreatePerson(database: Queryable, email: string): Promise<PersonState> {
  const [person] = await database.query<PersonState>(sql`
    insert into people (id, email) values (${newId('per')}, ${email})
    on conflict (lower(email)) do update set updated_at = now()
    returning id, password_hash is not null as "hasPassword", totp_secret is not null as "hasTotp",
      made_by_org as "madeByOrg"`)
  return person!
}

/** The secrets before no longer work, every session ends, and every app asks for consent again. */
export async function resetSignIn(
  database: Queryable,
  personId: string,
  { passwordHash, madeByOrg }: { passwordHash: string | null; madeByOrg: string | null },
): Promise<void> {
  await database.query(sql`
    with begun as (
      update people set password_hash = ${passwordHash}, made_by_org = ${madeByOrg}, totp_secret = null,
        totp_last_step = 0, totp_failures = 0, totp_failing_since = null, totp_locked_until = null, updated_at = now()
      where id = ${personId}
    ), codes as (delete from recovery_codes where person_id = ${personId}),
      forgotten as (update grants set remembered_until = null where person_id = ${personId})
    delete from sessions where person_id = ${personId}`)
  await tellAccessChanged(database, personId)
}
