// The people of an organisation. One person, known by their email, may belong to several organisations.
import { type Queryable, raw, sql } from '../db/database.ts'
import { lockOrganisationFor } from '../db/organisation-lock.ts'
import { type Role, roles } from '../domain/roles.ts'
import { newId } from '../operations/ids.ts'
import { tellAccessChanged } from './access-changed.ts'
import { type AuditAction, auditEntry, type NewAuditEntry } from './audit.ts'
import { hashPassword, newPassword } from './passwords.ts'
import { findOrCreatePerson, resetSignIn } from './people.ts'
import { replaceRecoveryCodes } from './recovery-codes.ts'
import { newTotpSecret, type Vault } from './secrets.ts'

export { type Role, roles }
export const roleTitles: Readonly<Record<Role, string>> = {
  admin: 'Admin',
  manager: 'Manager',
  technician: 'Technician',
}

export interface Member {
  readonly id: string
  readonly email: string
  readonly firstName: string
  readonly lastName: string | null
  readonly role: Role
  readonly isActive: boolean
}

export interface NewMember {
  readonly email: string
  readonly firstName: string
  readonly lastName?: string | null
  readonly role?: Role
  readonly password?: string
}

export const fullName = ({ firstName, lastName }: Pick<Member, 'firstName' | 'lastName'>): string =>
  [firstName, lastName].filter(Boolean).join(' ')

/** What the audit log says of somebody. */
export const memberAuditEntry = (
  action: AuditAction,
  member: Pick<Member, 'id' | 'firstName' | 'lastName'>,
  more: Readonly<Record<string, unknown>> = {},
): NewAuditEntry => auditEntry(action, { id: member.id, name: fullName(member) }, more)

export const memberAddedEntry = (member: Member): NewAuditEntry =>
  memberAuditEntry('member.added', member, { email: member.email, role: member.role })

const memberColumns = sql`members.id, email, first_name as "firstName", last_name as "lastName", role, is_active as "isActive"`

/** Null where the person had them already: they sign in as before. */
export interface InitialSecrets {
  readonly password: string | null
  readonly totpSecret: string | null
  /** They come with the second factor, as where people set it up themselves. */
  readonly recoveryCodes: readonly string[] | null
  /** Whether what they had no longer counts. */
  readonly isAnew: boolean
}

/**
 * For the operator. Whoever made somebody's password in the portal of another organisation could sign in as them, here
 * too: such a person begins anew. Run it in a transaction.
 */
export async function addMember(
  database: Queryable,
  vault: Pick<Vault, 'encrypt'>,
  orgId: string,
  { email, firstName, lastName = null, role = 'technician', ...given }: NewMember,
): Promise<Member & InitialSecrets> {
  const person = await findOrCreatePerson(database, email)
  const isAnew = person.madeByOrg !== null && person.madeByOrg !== orgId
  const password = person.hasPassword && !isAnew ? null : (given.password ?? newPassword())
  const totpSecret = role === 'admin' && (isAnew || !person.hasTotp) ? newTotpSecret() : null
  if (isAnew) await resetSignIn(database, person.id, { passwordHash: null, madeByOrg: null })
  await database.query(sql`
    update people set updated_at = now(),
      password_hash = coalesce(${password && (await hashPassword(password))}, password_hash),
      totp_secret = coalesce(${totpSecret && vault.encrypt(totpSecret)}, totp_secret)
    where id = ${person.id}`)
  const recoveryCodes = totpSecret === null ? null : await replaceRecoveryCodes(database, person.id)
  const [member] = await database.query<{ id: string }>(sql`
    insert into members (org_id, id, person_id, first_name, last_name, role)
    values (${orgId}, ${newId('mem')}, ${person.id}, ${firstName}, ${lastName}, ${role})
    on conflict (org_id, person_id) do nothing returning id`)
  if (!member) throw new Error(`${email} is already a member of this organisation`)
  const secrets = { password, totpSecret, recoveryCodes, isAnew }
  return { id: member.id, email, firstName, lastName, role, isActive: true, ...secrets }
}

/** Run it in a transaction, as the removal. */
export async function updateMember(
  database: Queryable,
  orgId: string,
  id: string,
  { role = null, isActive = null }: { role?: Role | null; isActive?: boolean | null },
): Promise<Member> {
  await lockOrganisationFor(database, orgId, 'change of members')
  await database.query(sql`
    update members set role = coalesce(${role}, role), is_active = coalesce(${isActive}, is_active), updated_at = now()
    where org_id = ${orgId} and id = ${id}`)
  await tellAccessChanged(database, orgId)
  return findMember(database, orgId, id)
}

export async function removeMember(database: Queryable, orgId: string, id: string): Promise<Member> {
  await lockOrganisationFor(database, orgId, 'change of members')
  const member = await findMember(database, orgId, id)
  await clearReferences(database, orgId, id)
  await database.query(sql`delete from members where org_id = ${orgId} and id = ${id}`)
  await tellAccessChanged(database, orgId)
  return member
}

/** What the triggers of `clear_when_deleted` do, before they could: where members are on every node, all delete at once. */
async function clearReferences(database: Queryable, orgId: string, id: string): Promise<void> {
  const references = await database.query<{ owner: string; column: string }>(sql`
    select args[1] as owner, args[2] as column from (
      select string_to_array(encode(tgargs, 'escape'), '\\000') as args from pg_trigger
      where tgrelid = 'members'::regclass and tgname like 'when_deleted_clear_%') trigger`)
  for (const { owner, column } of references)
    await database.query(sql`
      update ${raw(owner)} set ${raw(column)} = null, updated_at = now()
      where org_id = ${orgId} and ${raw(column)} = ${id}`)
}

async function findMember(database: Queryable, orgId: string, id: string): Promise<Member> {
  const [member] = await database.query<Member>(sql`
    select ${memberColumns} from members join people on people.id = person_id
    where org_id = ${orgId} and members.id = ${id}`)
  return member ?? memberNotFound(id)
}

export const listMembers = (database: Queryable, orgId: string): Promise<Member[]> =>
  database.query<Member>(sql`
    select ${memberColumns} from members join people on people.id = person_id
    where org_id = ${orgId} order by folded(first_name), members.id`)

function memberNotFound(id: string): never {
  throw new Error(`The organisation has no member ${id}`)
}
