// The plain operations on a table. They take no flags and call no hooks, and are not to grow any: an operation with a
// rule of its own is written out in its resource.
import type { TObject } from 'typebox'
import { deletionMessage, idsIn, operation } from './operation.ts'
import type { Table } from './table.ts'

type Path = `/${string}`

export function create(path: Path, records: Table) {
  const { noun, parentId } = resolveNames(path, records)
  return operation(`POST ${path}`, {
    name: `create${noun}`,
    summary: `Create ${withArticle(records.noun)}`,
    body: records.createBody as TObject,
    status: 201,
    returns: records.record,
    run: ({ params, body }, ctx) => records.insert(ctx, body, { parentId: parentId(params) }),
  })
}

export function read(path: Path, records: Table) {
  const { noun, recordId, parentId } = resolveNames(path, records)
  return operation(`GET ${path}`, {
    name: `get${noun}`,
    summary: `Read ${withArticle(records.noun)}`,
    returns: records.record,
    lock: (params, ctx) => ctx.query(records.lock(ctx, recordId(params), { parentId: parentId(params) })),
    run: ({ params }, ctx) => records.find(ctx, recordId(params), { parentId: parentId(params) }),
  })
}

export function update(path: Path, records: Table) {
  const { noun, recordId, parentId } = resolveNames(path, records)
  return operation(`PUT ${path}`, {
    name: `update${noun}`,
    summary: `Change ${withArticle(records.noun)}`,
    body: records.updateBody as TObject,
    returns: records.record,
    run: ({ params, body }, ctx) => records.update(ctx, recordId(params), body, { parentId: parentId(params) }),
  })
}

export function remove(path: Path, records: Table) {
  const { noun, recordId, parentId } = resolveNames(path, records)
  return operation(`DELETE ${path}`, {
    name: `delete${noun}`,
    summary: `Delete ${withArticle(records.noun)}`,
    returns: deletionMessage,
    run: ({ params }, ctx) => records.remove(ctx, recordId(params), { parentId: parentId(params) }),
  })
}

/** A device, an inventory item. */
export const withArticle = (noun: string) => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`

/** The parent's id comes first in a path, the record's own last. */
function resolveNames(path: Path, records: Table) {
  const names = idsIn(path)
  const value = (params: unknown, name: string | undefined) => (params as Record<string, string>)[name ?? '']!
  return {
    noun: records.typeName,
    recordId: (params: unknown) => value(params, names.at(-1)),
    parentId: (params: unknown) => (records.parent ? value(params, names[0]) : undefined),
  }
}
