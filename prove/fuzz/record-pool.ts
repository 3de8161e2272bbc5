// The records that generated requests can be about: those of the shop when it begins, and whatever is made on the way.
import { basePath, type DescribedOperation } from './openapi-document.ts'

/** Stands in a generated value for the id of a record, and is filled in when the request is sent. */
export class RecordRef {
  readonly name: string
  /** Which one of those there are, from 0 to 1. */
  readonly at: number
  readonly of: 'own' | 'foreign' | 'other kind'

  constructor(name: string, at: number, of: RecordRef['of'] = 'own') {
    this.name = name
    this.at = at
    this.of = of
  }
}

/** The ids that lead to a record: `{ customerId, deviceId }`. */
type PathIds = Readonly<Record<string, string>>

const maxPerKind = 150
/**
 * So many of each kind are neither deleted nor ended, or nothing is left for the other operations. Of fewer records some may be
 * deleted, and more may be ended: those stay in the pool.
 */
const protectedPerKind = 20
const protectedShare = { deleted: 0.8, ended: 0.5 }
const listSample = 5
/** Fields that are named after what a record is for, not after what it is. */
const alias: Readonly<Record<string, string>> = {
  inventoryItemId: 'itemId',
  assignedTechnician: 'memberId',
  assignedToId: 'memberId',
}
const unknownId = 'never_seen'

export type Pool = ReturnType<typeof createPool>

export function createPool(operations: readonly DescribedOperation[]) {
  /** By the template that names one record. */
  const pathIdsByRecord = new Map<string, PathIds[]>()
  const kindOf = new Map<string, string[]>()
  let turn = 0
  for (const { template } of operations) {
    const [recordPath] = /^.*\{(\w+)\}/.exec(template) ?? ['', '']
    const name = /\{(\w+)\}$/.exec(recordPath)![1]!
    if (name === 'orgId' || pathIdsByRecord.has(recordPath)) continue
    pathIdsByRecord.set(recordPath, [])
    kindOf.set(name, [...(kindOf.get(name) ?? []), recordPath])
  }
  const below = new Map(
    [...pathIdsByRecord.keys()].map((recordPath) => [recordPath.replace(/\/\{\w+\}$/, ''), recordPath]),
  )
  /** Records that no list shows, such as photos: other records hold their addresses. */
  const addressed = [...below]
    .filter(([list]) => !operations.some(({ method, template }) => method === 'GET' && template === list))
    .map(([, recordPath]) => [recordPath, new RegExp(recordPath.replace(/\{(\w+)\}/g, '(?<$1>\\w+)'), 'g')] as const)

  function remember(recordPath: string, pathIds: PathIds): void {
    const records = pathIdsByRecord.get(recordPath)!
    const ids = Object.keys(pathIds)
    if (records.some((one) => ids.every((id) => one[id] === pathIds[id]))) return
    if (records.length < maxPerKind) records.push(pathIds)
    else records[turn++ % maxPerKind] = pathIds
  }

  const pickAt = <T>(list: readonly T[], at: number): T | undefined =>
    list[Math.min(list.length - 1, Math.floor(at * list.length))]

  function learnRecord(recordPath: string, parents: PathIds, record: unknown): void {
    const name = /\{(\w+)\}$/.exec(recordPath)![1]!
    const id = (record as Record<string, unknown>)?.[name.endsWith('Id') ? 'id' : name]
    if (typeof id === 'string' || typeof id === 'number') remember(recordPath, { ...parents, [name]: String(id) })
  }

  return {
    /** Ids for the places of an operation, of one record where there is one. */
    pathIdsFor({ method, template, ids }: DescribedOperation, at: number): PathIds {
      const [recordPath] = /^.*\{\w+\}/.exec(template)!
      const records = pathIdsByRecord.get(recordPath) ?? []
      const isDeleted = method === 'DELETE' && recordPath === template
      const isLast = isDeleted || template.endsWith('/end')
      const share = protectedShare[isDeleted ? 'deleted' : 'ended']
      const kept = isLast ? Math.min(protectedPerKind, Math.ceil(records.length * share)) : 0
      return pickAt(records.slice(kept), at) ?? Object.fromEntries(ids.map((name) => [name, unknownId]))
    },

    /** Any id that may stand under a name. A list's cursor is one of its records. */
    idFor(name: string, at: number, { template }: { readonly template: string }): string {
      if (name === 'startAfter') {
        const recordPath = below.get(template) ?? ''
        return Object.values(pickAt(pathIdsByRecord.get(recordPath) ?? [], at) ?? {}).at(-1) ?? unknownId
      }
      const known = alias[name] ?? name
      const all = (kindOf.get(known) ?? []).flatMap((recordPath) => pathIdsByRecord.get(recordPath)!)
      return pickAt(all, at)?.[known] ?? unknownId
    },

    anyId(at: number): string {
      const all = [...pathIdsByRecord.values()].flat()
      return Object.values(pickAt(all, at) ?? {}).at(-1) ?? unknownId
    },

    /** The customer a device belongs to, so that both can be named together. */
    ownerOf: (deviceId: string): string | undefined =>
      (kindOf.get('deviceId') ?? [])
        .flatMap((recordPath) => pathIdsByRecord.get(recordPath)!)
        .find((pathIds) => pathIds.deviceId === deviceId)?.customerId,

    knows: (name: string) => kindOf.has(alias[name] ?? name),

    /** Updates the pool from an answer: a record created, a page of records, a record gone. */
    learn({ template, method }: DescribedOperation, pathIds: PathIds, data: unknown): void {
      if (method === 'DELETE' && pathIdsByRecord.has(template)) {
        const records = pathIdsByRecord.get(template)!
        const name = /\{(\w+)\}$/.exec(template)![1]!
        const at = records.findIndex((one) => one[name] === pathIds[name])
        if (at >= 0) records.splice(at, 1)
        return
      }
      const text = JSON.stringify(data) ?? ''
      for (const [path, address] of addressed)
        for (const { groups } of text.matchAll(address)) {
          const { orgId: _, ...ids } = groups!
          remember(path, ids as Record<string, string>)
        }
      const recordPath = below.get(template)
      if (recordPath === undefined || typeof data !== 'object' || data === null) return
      if (method === 'POST') learnRecord(recordPath, pathIds, data)
      const list = Object.values(data).find((one) => Array.isArray(one)) as unknown[] | undefined
      // A few of a long list, so that the records of others stay known; the latest take the place of the oldest.
      if (method === 'GET' && list)
        for (const record of pathIdsByRecord.get(recordPath)!.length < maxPerKind / 2
          ? list
          : list.slice(0, listSample))
          learnRecord(recordPath, pathIds, record)
    },

    /** Reads every list there is, so that nothing the document names is out of reach from the start. */
    async fill(origin: string, orgId: string, key: string): Promise<void> {
      const lists = operations.filter(({ method, template }) => method === 'GET' && below.has(template))
      for (const list of lists.sort((a, b) => a.ids.length - b.ids.length)) {
        const parents =
          list.ids.length === 0 ? [{}] : pathIdsByRecord.get(/^.*\{\w+\}/.exec(list.template)![0])!.slice(0, 12)
        for (const pathIds of parents) {
          const path = fillTemplate(list.template, { orgId, ...pathIds })
          const response = await fetch(`${origin}${basePath}${path}`, { headers: { 'x-api-key': key } })
          const { data } = (await response.json()) as { data: unknown }
          this.learn(list, pathIds, data)
        }
      }
    },

    size: () => [...pathIdsByRecord.values()].reduce((sum, list) => sum + list.length, 0),
  }
}

export const fillTemplate = (template: string, ids: Readonly<Record<string, string>>) =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? unknownId)
