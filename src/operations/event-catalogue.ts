// Every event that can be told, read off the resources: by the table it is captured from, and by its type.
import type { ChangeKind, EventExtension, EventSource } from './event-source.ts'
import type { Operation, Resource, StatementContext } from './operation.ts'

/** A kind of record whose changes are told. */
export interface ToldRecord {
  readonly source: EventSource<StatementContext>
  /** The path of its collection without ids: `tickets/services`. */
  readonly resource: string
  /** The name of the entity whose `:read` its events need. */
  readonly entity: string
}

export interface EventType {
  readonly type: string
  readonly told: ToldRecord
  /** What happens to the record; undefined for a signal. */
  readonly change: ChangeKind | undefined
}

export interface EventCatalogue {
  readonly types: readonly EventType[]
  readonly records: ReadonlyMap<string, ToldRecord>
  /** Tables that hold a part of a record, with that record. */
  readonly extensions: ReadonlyMap<string, { readonly told: ToldRecord; readonly extension: EventExtension }>
}

export function createEventCatalogue(resources: readonly Resource[]): EventCatalogue {
  const all = resources.flatMap(({ entity, tables, told = [], operations }) =>
    [...tables.flatMap(({ event }) => event ?? []), ...told].map(
      (source): ToldRecord => ({
        source,
        resource: withoutIds(source.path ?? pathOf(source, operations)) || entity.name,
        entity: entity.name,
      }),
    ),
  )
  return {
    types: all.flatMap((told) => [
      ...told.source.changes.map((change) => ({ type: `${told.source.noun}.${change}`, told, change })),
      ...Object.keys(told.source.signals).map((signal) => ({
        type: `${told.source.noun}.${signal}`,
        told,
        change: undefined,
      })),
    ]),
    records: new Map(all.map((told) => [told.source.table, told])),
    extensions: new Map(
      all.flatMap((told) => told.source.extensions.map((extension) => [extension.table, { told, extension }] as const)),
    ),
  }
}

/** The shortest path that answers the record is that of its collection, or of the record in it. */
function pathOf({ record, table }: EventSource<StatementContext>, operations: readonly Operation[]): string {
  const paths = operations.filter(({ returns }) => returns === record).map(({ path }) => path)
  if (paths.length === 0) throw new Error(`No operation answers a record of ${table}`)
  return paths.reduce((one, other) => (other.length < one.length ? other : one))
}

const withoutIds = (path: string) =>
  path
    .split('/')
    .filter((part) => part && !part.startsWith(':'))
    .join('/')
