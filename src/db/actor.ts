// Who makes a change: told to the database together with it, where the triggers that capture changes read it.
import pg from 'pg'
import type { Query } from './connection.ts'

export const actorKinds = ['key', 'app', 'member', 'customer', 'schedule', 'operator', 'system'] as const
export type ActorKind = (typeof actorKinds)[number]

export interface Actor {
  readonly kind: ActorKind
  readonly id: string | null
  readonly name: string | null
}

/** Clocks, sweeping, and whatever nobody asked for. */
export const systemActor: Actor = { kind: 'system', id: null, name: null }
export const operatorActor: Actor = { kind: 'operator', id: null, name: 'command line' }

/** As it is captured; the system's own changes have none. */
export const actorText = (actor: Actor): string => (actor === systemActor ? '' : JSON.stringify(actor))

/**
 * The one place that makes these statements. Within a transaction the actor ends with it, and `set local` reaches the machines
 * of a cluster, as `set_config` does not; a shared connection keeps it until the next write of somebody else.
 */
export const setActor = (actor: Actor, scope: 'transaction' | 'connection'): Query => {
  const value = actorText(actor)
  return scope === 'transaction'
    ? { text: `set local jobwright.actor to ${pg.escapeLiteral(value)}`, values: [], isOneOff: true }
    : { text: `select set_config('jobwright.actor', $1, false)`, values: [value] }
}

/** Until the end of the transaction nothing is captured: for those who tell of what they did themselves, as one event. */
export const captureNothing: Query = { text: `set local jobwright.events to 'off'`, values: [] }

/** What a trigger found; a change without an actor is the system's own. */
export const parseActor = (text: string | null): Actor => (text ? (JSON.parse(text) as Actor) : systemActor)
