// Who makes a request, as far as operations may know.
import type { ActorKind } from '../db/actor.ts'
import type { Scope } from './scopes.ts'

/** Who makes the request, as far as an operation may know. */
export interface Caller {
  readonly orgId: string
  readonly kind: ActorKind
  readonly credentialId: string
  /** What people called the key or the app. */
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
  /** A member who writes only jobs that are theirs or nobody's, and no prices. Keys and apps are never held to it. */
  readonly onlyJobsOf?: string
}
