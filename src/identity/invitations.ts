// Invitations: an admin names somebody, a link with a secret goes to their address, and whoever opens it joins once. The
// account stays the person's own: an admin learns no password, and whether the address is known elsewhere shows only there.
import { type Database, type Queryable, sql } from '../db/database.ts'
import { type Admission, invitationDays, judgeAdmission } from '../domain/invitations.ts'
import type { SecondFactorRule } from '../domain/second-factor.ts'
import { formats } from '../operations/fields.ts'
import { newId } from '../operations/ids.ts'
import { audit } from './audit.ts'
import { hashSecret } from './key-format.ts'
import { fullName, memberAuditEntry, type Role } from './members.ts'
import { findOrCreatePerson, resetSignIn } from './people.ts'
import { isWellFormedToken, newToken } from './tokens.ts'

export interface NewInvitation {
  readonly email: string
  readonly firstName: string
  readonly lastName: string | null
  readonly role: Role
}

export interface Invitation extends NewInvitation {
  readonly id: string
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly isExpired: boolean
}

const invitationColumns = sql`invitations.id, invitations.email, first_name as "firstName", last_name as "lastName", role,
  invitations.created_at as "createdAt", expires_at as "expiresAt", expires_at <= now() as "isExpired"`
const lifetime = sql`${`${invitationDays} days`}::interval`

export function refuseUnlessEmail(email: string): void {
  if (!formats.email!.accepts(email)) throw new Error('The email address is not one')
}

/** `isMailed`: the link goes to the address itself and nobody else sees it. Run it in a transaction. */
export async function createInvitation(
  database: Queryable,
  orgId: string,
  { email, firstName, lastName, role }: NewInvitation,
  isMailed: boolean,
): Promise<Invitation & { token: string }> {
  refuseUnlessEmail(email)
  const members = await database.query(sql`
    select from members join people on people.id = person_id where org_id = ${orgId} and lower(email) = lower(${email})`)
  if (members.length > 0) throw new Error(`${email} is already a member of this organisation`)
  const token = newToken()
  const [invitation] = await database.query<Invitation>(sql`
    insert into invitations (org_id, id, email, first_name, last_name, role, token_hash, is_mailed, expires_at)
    values (${orgId}, ${newId('inv')}, ${email}, ${firstName}, ${lastName}, ${role}, ${hashSecret(token)}, ${isMailed},
      now() + ${lifetime})
    on conflict (org_id, lower(email)) do nothing returning ${invitationColumns}`)
  if (!invitation) throw new Error(`${email} is already invited; send the invitation again, or withdraw it first`)
  return { ...invitation, token }
}

/** A new link for seven more days; the one before no longer works. */
export async function renewInvitation(
  database: Queryable,
  orgId: string,
  id: string,
  isMailed: boolean,
): Promise<Invitation & { token: string }> {
  const token = newToken()
  const [invitation] = await database.query<Invitation>(sql`
    update invitations set token_hash = ${hashSecret(token)}, is_mailed = ${isMailed}, expires_at = now() + ${lifetime}
    where org_id = ${orgId} and id = ${id} returning ${invitationColumns}`)
  return { ...(invitation ?? invitationGone()), token }
}

export async function withdrawInvitation(database: Queryable, orgId: string, id: string): Promise<Invitation> {
  const [invitation] = await database.query<Invitation>(sql`
    delete from invitations where org_id = ${orgId} and id = ${id} returning ${invitationColumns}`)
  return invitation ?? invitationGone()
}

function invitationGone(): never {
  throw new Error('The invitation was accepted or withdrawn meanwhile')
}

/** Those who have not accepted yet, whether they still can or not; the newest first. */
export const listInvitations = (database: Queryable, orgId: string): Promise<Invitation[]> =>
  database.query<Invitation>(sql`
    select ${invitationColumns} from invitations where org_id = ${orgId} order by invitations.created_at desc, id desc`)

export interface OpenInvitation extends NewInvitation {
  readonly orgId: string
  readonly orgName: string
  readonly secondFactor: SecondFactorRule
  readonly admission: Admission
  /** The hash of the password they have, where they show it. */
  readonly passwordHash: string | null
}

/** What a link leads to, while it is good. */
export async function findInvitation(database: Queryable, token: string): Promise<OpenInvitation | undefined> {
  if (!isWellFormedToken(token)) return undefined
  const [found] = await database.query<Omit<OpenInvitation, 'admission' | 'passwordHash'>>(sql`
    select invitations.org_id as "orgId", organisations.name as "orgName", second_factor as "secondFactor",
      invitations.email, first_name as "firstName", last_name as "lastName", role
    from invitations join organisations on organisations.org_id = invitations.org_id
    where token_hash = ${hashSecret(token)} and expires_at > now()`)
  if (!found) return undefined
  const person = await findPerson(database, found)
  return { ...found, admission: judgeAdmission(found.orgId, person), passwordHash: person?.passwordHash ?? null }
}

/** What they bring: a password they chose, hashed, or the hash that theirs was verified against. */
export interface Proof {
  readonly admission: Exclude<Admission, 'refused'>
  readonly passwordHash: string
}

/** The link was used, withdrawn or replaced, or the account has changed since its page was shown. */
export class InvitationEnded extends Error {}

/** The invitation is taken out first: of several who use a link at once, one joins. */
export function acceptInvitation(
  database: Database,
  { orgId, firstName, lastName }: OpenInvitation,
  token: string,
  { admission, passwordHash }: Proof,
): Promise<{ orgId: string; personId: string; role: Role }> {
  const memberId = newId('mem')
  const author = { id: memberId, name: fullName({ firstName, lastName }) }
  const work = async (transaction: Queryable) => {
    const [invitation] = await transaction.query<NewInvitation & { isMailed: boolean }>(sql`
      delete from invitations where org_id = ${orgId} and token_hash = ${hashSecret(token)} and expires_at > now()
      returning email, first_name as "firstName", last_name as "lastName", role, is_mailed as "isMailed"`)
    if (!invitation) throw new InvitationEnded()
    const { email, role, isMailed } = invitation
    const { id: personId } = await findOrCreatePerson(transaction, email) // locked from here on
    const person = await findPerson(transaction, { orgId, email })
    const isAsShown = judgeAdmission(orgId, person) === admission
    const isStillTheirs = admission === 'new password' || person?.passwordHash === passwordHash
    if (!isAsShown || !isStillTheirs) throw new InvitationEnded()
    const added = await transaction.query(sql`
      insert into members (org_id, id, person_id, first_name, last_name, role)
      values (${orgId}, ${memberId}, ${personId}, ${invitation.firstName}, ${invitation.lastName}, ${role})
      on conflict (org_id, person_id) do nothing returning 1`)
    if (added.length === 0) throw new InvitationEnded()
    // Whoever was mailed the link reads the mail of the address; a link that an admin saw may have been used by them.
    if (admission === 'new password')
      await resetSignIn(transaction, personId, { passwordHash, madeByOrg: isMailed ? null : orgId })
    await audit(
      transaction,
      orgId,
      author,
      memberAuditEntry('member.joined', { ...invitation, id: memberId }, { email, role }),
    )
    return { orgId, personId, role }
  }
  return database.transaction(orgId, work, { kind: 'member', ...author })
}

interface FoundPerson {
  readonly hasPassword: boolean
  readonly passwordHash: string | null
  readonly madeByOrg: string | null
  readonly isElsewhere: boolean
  readonly isSameAddress: boolean
}

/** Only the letters of ASCII are the same in both cases: whoever owns K (Kelvin) at a host does not own k there. */
async function findPerson(
  database: Queryable,
  { orgId, email }: { orgId: string; email: string },
): Promise<FoundPerson | undefined> {
  const [person] = await database.query<FoundPerson>(sql`
    select password_hash is not null as "hasPassword", password_hash as "passwordHash", made_by_org as "madeByOrg",
      lower(email collate "C") = lower(${email} collate "C") as "isSameAddress",
      exists (select from members where person_id = people.id and org_id <> ${orgId}) as "isElsewhere"
    from people where lower(email) = lower(${email})`)
  return person
}
