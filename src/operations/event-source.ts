// How the changes of a table are told as events: which column is which field, and which transitions have a name of their own.
import type { TObject, TProperties } from 'typebox'
import type { Signals } from '../domain/signals.ts'
import { type ReadExpressions, type RowCodec, rowCodec, type Transforms, toSnakeCase } from './row-codec.ts'
import { t } from './schemas.ts'

export type ChangeKind = 'created' | 'updated' | 'deleted'
const changeKinds: readonly ChangeKind[] = ['created', 'updated', 'deleted']

/** What is particular to the events of a table. */
export interface EventDefinition<Field extends string = string, Hidden extends string = string> {
  /** What types begin with, where that is not the name of the record's type: `message`. */
  readonly noun?: string
  /** The changes that are told, where not all are. */
  readonly changes?: readonly ChangeKind[]
  readonly signals?: Signals<Field | NoInfer<Hidden>>
  /** Columns that no field shows, by the names that signals know them by. */
  readonly hidden?: readonly Hidden[]
  /** Columns that are answered elsewhere and belong to the record all the same: told as changes, never in `data`. */
  readonly apart?: TProperties
  /** Tables that hold a part of the record, one row for each: told as changes of a field, too. */
  readonly extensions?: readonly EventExtension[]
}

export interface EventExtension {
  readonly table: string
  readonly field: string
  readonly codec: RowCodec
}

/** The table whose triggers capture the changes, and how a captured row becomes what REST answers in a context. */
export interface EventSource<Context> {
  readonly table: string
  readonly noun: string
  readonly record: TObject
  /** The path of the collection; undefined where it is that of the operations that answer the record. */
  readonly path: string | undefined
  /** The changes that are told; of some records only signals are. */
  readonly changes: readonly ChangeKind[]
  readonly signals: Signals
  /** The column of each stored field, hidden ones included. What is reckoned has none, and is not told as a change. */
  readonly columns: Readonly<Record<string, string>>
  readonly hidden: readonly string[]
  readonly extensions: readonly EventExtension[]
  /** SQL of a record's id, and the column by which its table is searched for it. */
  readonly recordId: string
  readonly parentColumn: string | undefined
  /** The whole record, and its stored fields. */
  readonly codec: RowCodec<Context>
  readonly storedCodec: RowCodec<Context>
  /** The name of the entity whose `:read` an event needs, where that depends on the record. */
  readonly entityOf: ((record: Readonly<Record<string, unknown>>) => string) | undefined
}

interface SourceDefinition<Context> {
  readonly table: string
  readonly noun: string
  readonly record: TObject
  readonly fields: TProperties
  readonly read?: ReadExpressions | undefined
  readonly write?: Readonly<Record<string, string>> | undefined
  readonly transform?: Transforms<Context> | undefined
  readonly event?: EventDefinition | undefined
  readonly path?: string
  readonly recordId?: string
  readonly parentColumn?: string
  readonly entityOf?: EventSource<Context>['entityOf']
}

/** No change by themselves: the one never changes, the others say when something else did. */
const neverChanged: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt'])

export function eventSource<Context>(definition: SourceDefinition<Context>): EventSource<Context> {
  const { table, fields, read = {}, write = {}, transform, event = {} } = definition
  const { hidden = [], apart = {}, signals = {}, extensions = [] } = event
  const hiddenFields = Object.fromEntries(hidden.map((name) => [name, t.String()] as const))
  const told: TProperties = { ...fields, ...apart, ...hiddenFields }
  const columns = Object.fromEntries(
    Object.keys(told).flatMap((field) => {
      const column = neverChanged.has(field) ? undefined : storedColumn(field, read[field], write[field])
      return column === undefined ? [] : [[field, column] as const]
    }),
  )
  const storedFields = Object.fromEntries(Object.keys(columns).map((field) => [field, told[field]!] as const))
  return {
    table,
    noun: event.noun ?? definition.noun,
    record: definition.record,
    path: definition.path,
    changes: event.changes ?? changeKinds,
    signals,
    columns,
    hidden,
    extensions,
    recordId: definition.recordId ?? `${table}.id`,
    parentColumn: definition.parentColumn,
    codec: rowCodec<Context>(fields, table, read, transform),
    // The id comes first, for those whose form depends on it.
    storedCodec: rowCodec<Context>({ ...(fields.id && { id: fields.id }), ...storedFields }, table, read, transform),
    entityOf: definition.entityOf,
  }
}

/** A field read by SQL is stored if that is a column, or if it is written to one, such as the status of a job by its name. */
function storedColumn(field: string, read: string | undefined, written: string | undefined): string | undefined {
  if (read === undefined) return toSnakeCase(field)
  return /^(?:\w+\.)?(\w+)$/.exec(read)?.[1] ?? written
}
