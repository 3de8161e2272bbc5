// An event as everybody is told it: the JSON that the feed, the stream and the bodies of webhooks show, exactly.
import type { Actor } from '../db/actor.ts'

export interface ServiceEvent {
  /** Begins with `chg_`. */
  readonly id: string
  /** 1, 2, 3 … in its organisation, without gaps; null only for `webhook.test`. */
  readonly position: number | null
  /** Such as `ticket.updated`. */
  readonly type: string
  /** When the change was made. */
  readonly at: string
  readonly actor: Actor
  /** The path of the collection without ids, such as `tickets/services`. */
  readonly resource: string
  readonly recordId: string
  readonly parentId: string | null
  /** Stored, declared fields whose value differs. */
  readonly changed: readonly string[]
  /** Their values before; the whole last record for a deletion. */
  readonly previous: Readonly<Record<string, unknown>> | null
  /** The record as REST answered it when the event was numbered; null once it is gone. */
  readonly data: Readonly<Record<string, unknown>> | null
  /** Fields that were too long to be told. */
  readonly omitted: readonly string[]
}

/** An event as it is stored: with the entity whose `:read` it needs, and the JSON text that is sent, byte for byte. */
export interface StoredEvent extends ServiceEvent {
  readonly entity: string
  readonly body: string
}

/** What an event is found by, and its JSON, which says the rest. */
export type EventColumns = Omit<StoredEvent, 'actor' | 'changed' | 'previous' | 'data' | 'omitted'>

/** The name of the entity whose `:read` a caller needs to be told. */
export const entityOf = ({ entity }: StoredEvent): string => entity
