// The plain operations on a table. They take no flags and call no hooks, and are not to grow any: an operation with a
// rule of its own is written out in its resource.
import type { TObject } from 'typebox'
import { idsIn, message, operation } from './operation.ts'
import type { Table } from './table.ts'

type Path = `/${string}`

export function create(path: Path, records: Table) {
  const { noun, parentId } = naming(path, records)
  return operation(`POST ${path}`, {
    name: `create${noun}`,
    summary: `Create ${one(records.noun)}`,
    body: records.create as TObject,
    status: 201,
    returns: records.record,
    run: ({ params, body }, ctx) => records.insert(ctx, body, parentId(params)),
  })
}

export function read(path: Path, records: Table) {
  const { noun, recordId, parentId } = naming(path, records)
  return operation(`GET ${path}`, {
    name: `get${noun}`,
    summary: `Read ${one(records.noun)}`,
    returns: records.record,
    run: ({ params }, ctx) => records.find(ctx, recordId(params), parentId(params)),
  })
}

export function update(path: Path, records: Table) {
  const { noun, recordId, parentId } = naming(path, records)
  return operation(`PUT ${path}`, {
    name: `update${noun}`,
    summary: `Change ${one(records.noun)}`,
    body: records.update as TObject,
    returns: records.record,
    run: ({ params, body }, ctx) => records.change(ctx, recordId(params), body, parentId(params)),
  })
}

export function remove(path: Path, records: Table) {
  const { noun, recordId, parentId } = naming(path, records)
  return operation(`DELETE ${path}`, {
    name: `delete${noun}`,
    summary: `Delete ${one(records.noun)}`,
    returns: message,
    run: ({ params }, ctx) => records.remove(ctx, recordId(params), parentId(params)),
  })
}

/** A device, an inventory item. */
export const one = (noun: string) => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`

/** The parent's id comes first in a path, the record's own last. */
function naming(path: Path, records: Table) {
  const names = idsIn(path)
  const value = (params: unknown, name: string | undefined) => (params as Record<string, string>)[name ?? '']!
  return {
    noun: records.inCode,
    recordId: (params: unknown) => value(params, names.at(-1)),
    parentId: (params: unknown) => (records.parent ? value(params, names[0]) : undefined),
  }
}
