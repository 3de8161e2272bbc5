// Signing in with email, password and a code. Whether it was the email, the password or the code that was wrong stays here.
import { type Database, sql } from '../db/database.ts'
import { hashPassword, newPassword, verifyPassword } from '../identity/passwords.ts'
import type { Vault } from '../identity/secrets.ts'
import { isMissingCode, type Verdict, verifyCode } from './totp.ts'

interface Person {
  readonly id: string
  readonly hash: string | null
  readonly isEnrolled: boolean
}

export type SignInResult =
  | { readonly verdict: 'right'; readonly personId: string; readonly hasSecondFactor: boolean }
  | { readonly verdict: Exclude<Verdict, 'right'> | 'missingCode' }

export const maxPasswordLength = 200

/** The person whose password it is; hashing is queued by network. An unknown email takes as long as a known one. */
export async function findPersonByPassword(
  database: Database,
  email: string,
  password: string,
  network: string,
): Promise<Person | undefined> {
  const person = await findActivePerson(database, email)
  const isRight = await verifyPassword(
    password.slice(0, maxPasswordLength),
    person?.hash ?? (await getDummyHash()),
    network,
  )
  return person?.hash && isRight ? person : undefined
}

/** Somebody who is an active member somewhere. */
export async function findActivePerson(database: Database, email: string): Promise<Person | undefined> {
  const given = email.replaceAll('\0', '')
  // Only the letters of ASCII are the same in both cases: whoever owns K (Kelvin) at a host does not own k there.
  const [person] = await database.query<Person>(sql`
    select id, password_hash as hash, totp_secret is not null as "isEnrolled" from people
    where lower(email) = lower(${given}) and lower(email collate "C") = lower(${given} collate "C")
      and exists (select from members where person_id = people.id and is_active)`)
  return person
}

/**
 * Without a second factor yet, the password alone signs in as far as setting one up. Without a code nobody else learns
 * whether the password is right: it is judged all the same, so that the answer takes as long.
 */
export async function signIn(
  database: Database,
  vault: Vault,
  { email, password, totp, network }: { email: string; password: string; totp: string; network: string },
): Promise<SignInResult> {
  const person = await findPersonByPassword(database, email, password, network)
  if (person && !person.isEnrolled) return { verdict: 'right', personId: person.id, hasSecondFactor: false }
  if (isMissingCode(totp)) return { verdict: 'missingCode' }
  if (!person) return { verdict: 'wrong' }
  const verdict = await verifyCode(database, vault, person.id, totp)
  return verdict === 'right' ? { verdict, personId: person.id, hasSecondFactor: true } : { verdict }
}

let dummyHash: Promise<string> | undefined
function getDummyHash(): Promise<string> {
  dummyHash ??= hashPassword(newPassword()).catch((error) => {
    dummyHash = undefined
    throw error
  })
  return dummyHash
}
