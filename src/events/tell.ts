// What was captured, told as events: which types, which fields changed, what they were, and what is too long to be told.
import { systemActor } from '../db/actor.ts'
import { occurringSignals } from '../domain/signals.ts'
import type { EventCatalogue, ToldRecord } from '../operations/event-catalogue.ts'
import { newId } from '../operations/ids.ts'
import type { StatementContext } from '../operations/operation.ts'
import { type Captured, type CapturedRow, recordKey } from './captured.ts'
import type { EventColumns } from './event.ts'
import { maxFieldBytes, maxRecordBytes, withoutLongFields } from './long-fields.ts'

type Fields = Readonly<Record<string, unknown>>

/** In the order in which they were captured; positions go on after the last one there is. */
export function tellEvents(
  captured: Captured,
  ctx: StatementContext,
  catalogue: EventCatalogue,
  lastPosition: number,
): EventColumns[] {
  const afterwards = statesAfterwards(captured, catalogue)
  const events: EventColumns[] = []
  for (const row of captured.rows) {
    for (const happening of happeningsOf(row, captured, ctx, catalogue, afterwards))
      events.push(toColumns(row, happening, lastPosition + events.length + 1))
  }
  return events
}

interface Happening {
  readonly told: ToldRecord
  readonly name: string
  readonly changed: readonly string[]
  readonly previous: Fields | null
  /** The JSON of the record. */
  readonly data: string | null
  readonly omitted: readonly string[]
  readonly entity: string
}

function happeningsOf(
  row: CapturedRow,
  captured: Captured,
  ctx: StatementContext,
  { records, extensions }: EventCatalogue,
  afterwards: ReadonlyMap<number, Fields>,
): Happening[] {
  const part = extensions.get(row.source)
  const told = part?.told ?? records.get(row.source)
  if (!told) return [] // a table that a newer release tells of
  const { source, entity } = told
  const common = { told, changed: [], previous: null, data: null, omitted: [], entity }
  if (row.operation === 'signal') {
    const { name, data } = row.signal!
    return [{ ...common, name, data: JSON.stringify(data) }]
  }
  if (row.operation === 'deleted') {
    if (!source.changes.includes('deleted')) return []
    const { fields, omitted } = withoutLongFields(source.codec.toRow(captured.deleted.get(row.seq)!, ctx))
    return [{ ...common, name: 'deleted', previous: fields, omitted }]
  }
  const fields = part ? [part.extension.field] : changedFields(row, told)
  const before: Fields = part
    ? { [part.extension.field]: captured.parts.get(row.seq) ?? null }
    : pick(captured.before.get(row.seq) ?? {}, fields)
  const changed = fields.filter((field) => !source.hidden.includes(field))
  const names = part
    ? ['updated']
    : [...changesOf(row, changed, told), ...signalsOf(row, fields, before, told, afterwards)]
  if (names.length === 0) return []
  const previous = withoutLongFields(pick(before, changed))
  const encoded = captured.records.get(recordKey(source.table, row.recordId))
  const data = encodeData(encoded, told, ctx, maxRecordBytes - previous.bytes)
  const happening = {
    told,
    changed,
    previous: changed.length > 0 ? previous.fields : null,
    data: data.json,
    omitted: [...new Set([...data.omitted, ...previous.omitted])],
    entity: source.entityOf && data.record ? source.entityOf(data.record) : entity,
  }
  return names.map((name) => ({ ...happening, name }))
}

/** Nothing that callers see has changed: nothing is told. */
const changesOf = ({ operation }: CapturedRow, changed: readonly string[], { source }: ToldRecord): string[] =>
  source.changes.filter((kind) => kind === operation && (kind === 'created' || changed.length > 0))

/** Declared fields whose columns differ, in the order in which they are declared. */
const changedFields = ({ columns }: CapturedRow, { source }: ToldRecord) =>
  columns === null ? [] : Object.keys(source.columns).filter((field) => columns.includes(source.columns[field]!))

function signalsOf(
  { seq, operation }: CapturedRow,
  fields: readonly string[],
  before: Fields,
  { source }: ToldRecord,
  afterwards: ReadonlyMap<number, Fields>,
): string[] {
  const after = afterwards.get(seq)
  if (!after) return []
  const changed = operation === 'created' ? undefined : fields
  return occurringSignals(source.signals, { changed, before: { ...after, ...before }, after })
}

/**
 * The stored fields of each record right after each of its changes: from what it is now, one change after the other is taken
 * back. Captured rows and records are of one moment, so nothing is missing in between.
 */
function statesAfterwards({ rows, later, states, before }: Captured, { records }: EventCatalogue): Map<number, Fields> {
  const afterwards = new Map<number, Fields>()
  const current = new Map<string, Fields>()
  for (const row of [...rows, ...later].reverse()) {
    const told = records.get(row.source)
    if (!told || Object.keys(told.source.signals).length === 0) continue
    const key = recordKey(row.source, row.recordId)
    if (row.operation === 'deleted') {
      current.set(key, before.get(row.seq)!)
      continue
    }
    const state = current.get(key) ?? states.get(key)
    if (!state) continue
    afterwards.set(row.seq, state)
    if (row.operation === 'updated')
      current.set(key, { ...state, ...pick(before.get(row.seq)!, changedFields(row, told)) })
  }
  return afterwards
}

interface EncodedData {
  readonly json: string | null
  readonly record: Fields | undefined
  readonly omitted: readonly string[]
}

/** Most records are short: their JSON goes out as REST would write it, without becoming an object. */
function encodeData(
  encoded: string | undefined,
  { source }: ToldRecord,
  ctx: StatementContext,
  maxBytes: number,
): EncodedData {
  if (encoded === undefined) return { json: null, record: undefined, omitted: [] }
  if (!source.entityOf && Buffer.byteLength(encoded) <= maxFieldBytes)
    return { json: source.codec.toJson(encoded, ctx), record: undefined, omitted: [] }
  const { fields, omitted } = withoutLongFields(source.codec.toRow(encoded, ctx), maxBytes)
  return { json: JSON.stringify(fields), record: fields, omitted }
}

/**
 * The JSON is written out by hand: from an object it takes several times as long. No getters: one in a literal makes a shape of
 * its own of each object, which V8 keeps, with all that the getter can see, until its next major collection.
 */
function toColumns(row: CapturedRow, happening: Happening, position: number): EventColumns {
  const { told, name, changed, previous, data, omitted, entity } = happening
  const { recordId, parentId } = row
  const id = newId('chg')
  const type = `${told.source.noun}.${name}`
  const at = new Date(row.at).toISOString()
  const { resource } = told
  const body =
    `{"id":"${id}","position":${position},"type":"${type}","at":"${at}","actor":${row.actor || systemActorJson},` +
    `"resource":"${resource}","recordId":${JSON.stringify(recordId)},"parentId":${JSON.stringify(parentId)},` +
    `"changed":${JSON.stringify(changed)},"previous":${JSON.stringify(previous)},"data":${data},"omitted":${JSON.stringify(omitted)}}`
  return { id, position, type, at, resource, recordId, parentId, entity, body }
}

const systemActorJson = JSON.stringify(systemActor)

const pick = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, fields[name] ?? null]))
