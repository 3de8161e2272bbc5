// Scopes: what exists, what a method asks of an entity, and what a set of granted scopes allows.

const actions = ['read', 'write', 'delete'] as const
type Action = (typeof actions)[number]

/** Every entity with the actions it knows. */
const entities = {
  organisation: ['read', 'write'],
  tickets: actions,
  customers: actions,
  devices: actions,
  services: actions,
  inventory: actions,
  quotes: actions,
  invoices: actions,
  payments: actions,
  calendar: actions,
  stations: actions,
  'tax-rates': actions,
  'ticket-statuses': actions,
  messages: actions,
  'recurring-schedules': actions,
  categories: actions,
  forms: ['read'],
  members: ['read'],
} as const satisfies Record<string, readonly Action[]>

export type Entity = keyof typeof entities
export type Scope = `${Entity}:${Action}`
export type ScopeVersion = 1 | 2
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export const scopes: readonly Scope[] = Object.entries(entities).flatMap(([entity, known]) =>
  known.map((action) => `${entity}:${action}` as Scope),
)

export const bundles = {
  read: scopes.filter((scope) => scope.endsWith(':read')),
  write: scopes.filter((scope) => !scope.endsWith(':delete')),
  full: scopes,
} as const satisfies Record<string, readonly Scope[]>

const actionByMethod = {
  GET: 'read',
  HEAD: 'read',
  POST: 'write',
  PUT: 'write',
  PATCH: 'write',
  DELETE: 'delete',
} as const

/** The scope may be one that nobody can hold (`organisation:delete`): such a request is always refused. */
export function scopeFor(entity: Entity, method: string): Scope {
  return `${entity}:${actionByMethod[method as keyof typeof actionByMethod] ?? 'write'}`
}

/** `offline_access` is accepted and changes nothing. */
export const isGrantable = (name: string): boolean =>
  name === 'offline_access' || Object.hasOwn(bundles, name) || scopes.includes(name as Scope)

/** Everything the granted scopes and bundles allow. Version 1 dates from when write included delete. */
export function expandScopes(granted: Iterable<string>, version: ScopeVersion): ReadonlySet<Scope> {
  const allowed = new Set<Scope>()
  for (const name of granted) {
    for (const scope of bundles[name as keyof typeof bundles] ?? [name as Scope]) {
      const [entity, action] = scope.split(':') as [Entity, Action]
      allowed.add(scope).add(`${entity}:read`)
      if (action === 'write' && version === 1) allowed.add(`${entity}:delete`)
    }
  }
  return new Set(scopes.filter((scope) => allowed.has(scope)))
}
