// Scopes as people read them: those of one entity together.
import type { Entity, Scope } from '../operations/scopes.ts'

export const groupScopesByEntity = (scopes: Iterable<Scope>): [Entity, Scope[]][] => [
  ...Map.groupBy(scopes, (scope) => scope.split(':')[0] as Entity),
]
