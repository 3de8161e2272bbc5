// Scopes: what they are made of, the entities that they guard, and which one a method needs.

const allActions = ['read', 'write', 'delete'] as const
export type Action = (typeof allActions)[number]
/** Which of these exist is known to the catalogue of scopes; an operation that names another is refused at boot. */
export type Scope = `${string}:${Action}`
export type ScopeVersion = 1 | 2
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

interface EntityDefinition {
  readonly title: string
  /** What it is, as a sentence. */
  readonly description: string
  /** What a scope on it opens, as it stands after "see" or "delete". */
  readonly scopeObject: string
  /** The actions it knows, where that is not all of them. */
  readonly actions?: readonly Action[]
  /** What a holder of the write scope can do, where that is not both. */
  readonly writeVerbs?: readonly ('create' | 'change')[]
}

/** What a group of operations is about, in the words of the people who read the reference or grant a scope. */
export interface Entity extends Required<EntityDefinition> {
  /** What its scopes begin with. */
  readonly name: string
}

export const entity = (name: string, definition: EntityDefinition): Entity => ({
  actions: allActions,
  writeVerbs: ['create', 'change'],
  ...definition,
  name,
})

const actionByMethod = {
  GET: 'read',
  HEAD: 'read',
  POST: 'write',
  PUT: 'write',
  PATCH: 'write',
  DELETE: 'delete',
} as const

/** The scope may be one that nobody can hold (`organisation:delete`): nothing needs it. */
export function scopeFor({ name }: Entity, method: string): Scope {
  return `${name}:${actionByMethod[method as keyof typeof actionByMethod] ?? 'write'}`
}
