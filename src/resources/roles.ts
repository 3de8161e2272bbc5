// What a member who is signed in may do, as the set of scopes of their role: judged like the scopes of a key.
import { type Role, worksOnOwnJobsOnly } from '../domain/roles.ts'
import type { Caller } from '../operations/caller.ts'
import type { ScopeCatalogue } from '../operations/scope-catalogue.ts'
import type { Action, Scope } from '../operations/scopes.ts'
import { scopeCatalogue } from './index.ts'

/** How far a role goes with the records of an entity; each includes what stands before it. */
type Access = 'nothing' | 'read' | 'write' | 'everything'

const actionsOf: Readonly<Record<Access, readonly Action[]>> = {
  nothing: [],
  read: ['read'],
  write: ['read', 'write'],
  everything: ['read', 'write', 'delete'],
}

type Decision = Readonly<Record<Exclude<Role, 'admin'>, Access>>

/** Admins may do everything. Whatever is not decided here keeps the service from starting, so that nothing opens unseen. */
const decisions: Readonly<Record<string, Decision>> = {
  organisation: { manager: 'read', technician: 'read' },
  tickets: { manager: 'everything', technician: 'write' },
  customers: { manager: 'everything', technician: 'read' },
  devices: { manager: 'everything', technician: 'read' },
  services: { manager: 'everything', technician: 'read' },
  inventory: { manager: 'everything', technician: 'read' },
  quotes: { manager: 'everything', technician: 'nothing' },
  invoices: { manager: 'everything', technician: 'nothing' },
  payments: { manager: 'everything', technician: 'nothing' },
  calendar: { manager: 'everything', technician: 'write' },
  stations: { manager: 'everything', technician: 'read' },
  'tax-rates': { manager: 'everything', technician: 'read' },
  'ticket-statuses': { manager: 'everything', technician: 'read' },
  messages: { manager: 'everything', technician: 'write' },
  'recurring-schedules': { manager: 'everything', technician: 'read' },
  categories: { manager: 'everything', technician: 'read' },
  forms: { manager: 'everything', technician: 'read' },
  members: { manager: 'read', technician: 'read' },
  events: { manager: 'everything', technician: 'nothing' },
  webhooks: { manager: 'nothing', technician: 'nothing' },
  imports: { manager: 'everything', technician: 'nothing' },
}

/** Refuses entities that nobody decided on, and decisions on entities that there are not. */
export function createRoleScopes(
  { scopes }: Pick<ScopeCatalogue, 'scopes'>,
  decided: Readonly<Record<string, Decision>> = decisions,
): Readonly<Record<Role, ReadonlySet<Scope>>> {
  const entities = new Set(scopes.map((scope) => scope.split(':')[0]!))
  const undecided = [...entities].filter((entity) => !Object.hasOwn(decided, entity))
  const unknown = Object.keys(decided).filter((entity) => !entities.has(entity))
  if (undecided.length > 0) throw new Error(`No role was decided for ${undecided.join(', ')}; add it to roles.ts`)
  if (unknown.length > 0) throw new Error(`Roles are decided for ${unknown.join(', ')}, which no resource declares`)
  const scopesOf = (role: keyof Decision) =>
    new Set(
      scopes.filter((scope) => {
        const [entity, action] = scope.split(':') as [string, Action]
        return actionsOf[decided[entity]![role]].includes(action)
      }),
    )
  return { admin: new Set(scopes), manager: scopesOf('manager'), technician: scopesOf('technician') }
}

export const roleScopes = createRoleScopes(scopeCatalogue)

interface ActingMember {
  readonly orgId: string
  readonly memberId: string
  readonly memberName: string
  readonly role: Role
}

/** A member as the caller of operations: the one place that says what their role comes to. */
export const memberCaller = ({ orgId, memberId, memberName, role }: ActingMember): Caller => ({
  orgId,
  kind: 'member',
  credentialId: memberId,
  name: memberName,
  scopes: roleScopes[role],
  ...(worksOnOwnJobsOnly(role) && { onlyJobsOf: memberId }),
})
