// The catalogue of scopes, made from the entities of all resources: which exist, what they allow, and how to say so.
import type { Operation } from './operation.ts'
import type { Action, Entity, Scope, ScopeVersion } from './scopes.ts'
import { capitalise } from './string-case.ts'

const bundleNames = ['read', 'write', 'full'] as const
export type Bundle = (typeof bundleNames)[number]

/** Whether granted scopes and bundles allow to read an entity, as each of its scopes and each bundle does in both versions. */
export const grantsRead = (granted: readonly string[], entity: string): boolean =>
  granted.some((name) => (bundleNames as readonly string[]).includes(name) || name.startsWith(`${entity}:`))

export interface ScopeCatalogue {
  readonly scopes: readonly Scope[]
  readonly bundles: Readonly<Record<Bundle, readonly Scope[]>>
  /** Whether a credential can be given this name: a scope, a bundle or `offline_access`, which changes nothing. */
  isGrantable(name: string): boolean
  /** Everything the granted scopes and bundles allow. Version 1 dates from when write included delete. */
  expand(granted: Iterable<string>, version: ScopeVersion): ReadonlySet<Scope>
  /** The scopes of each entity, in the order given. */
  groupByEntity(scopes: Iterable<Scope>): readonly (readonly [Entity, readonly Scope[]])[]
  /** What a scope lets its holder do, as a verb that its entity's `scopeObject` can follow. */
  verbOf(scope: Scope): string
  /** What holding a scope allows, as a sentence for the person who grants it. */
  describe(scope: Scope): string
}

/** Scopes are listed in the order of the entities. */
export function createScopeCatalogue(entities: readonly Entity[]): ScopeCatalogue {
  const byName = new Map(entities.map((entity) => [entity.name, entity]))
  const scopes = entities.flatMap(({ name, actions }) => actions.map((action): Scope => `${name}:${action}`))
  const known = new Set<string>(scopes)
  const bundles = {
    read: scopes.filter((scope) => scope.endsWith(':read')),
    write: scopes.filter((scope) => !scope.endsWith(':delete')),
    full: scopes,
  }
  const parse = (scope: Scope): { readonly entity: Entity; readonly action: Action } => {
    const [name, action] = scope.split(':') as [string, Action]
    return { entity: byName.get(name)!, action }
  }
  const verbsOf = (scope: Scope): readonly string[] => {
    const { entity, action } = parse(scope)
    return action === 'write' ? entity.writeVerbs : [action === 'read' ? 'see' : 'delete']
  }

  return {
    scopes,
    bundles,
    isGrantable: (name) => name === 'offline_access' || Object.hasOwn(bundles, name) || known.has(name),
    expand(granted, version) {
      const allowed = new Set<Scope>()
      for (const name of granted) {
        for (const scope of bundles[name as Bundle] ?? [name as Scope]) {
          const [entity, action] = scope.split(':') as [string, Action]
          allowed.add(scope).add(`${entity}:read`)
          if (action === 'write' && version === 1) allowed.add(`${entity}:delete`)
        }
      }
      return new Set(scopes.filter((scope) => allowed.has(scope)))
    },
    groupByEntity: (some) => [...Map.groupBy(some, (scope) => parse(scope).entity)],
    verbOf: (scope) => capitalise(listWords(verbsOf(scope))),
    describe(scope) {
      const { entity } = parse(scope)
      const verbs = scope.endsWith(':read') ? ['see'] : ['see', ...verbsOf(scope)]
      return `${capitalise(listWords(verbs))} ${entity.scopeObject}.`
    },
  }
}

/** Nobody can be granted a scope that does not exist: an operation that needs one could never be executed. */
export function refuseUnknownScopes({ scopes }: ScopeCatalogue, operations: readonly Operation[]): void {
  for (const { name, needs, mayNeed } of operations) {
    const unknown = [...needs, ...mayNeed].find((scope) => !scopes.includes(scope))
    if (unknown !== undefined) throw new Error(`${name} needs ${unknown}, which no resource declares`)
  }
}

/** Such as "see, create and change". */
const listWords = (words: readonly string[]) =>
  words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${words.at(-1)}` : words.join('')
