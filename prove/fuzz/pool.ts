// The records that generated requests can be about: those of the shop when it begins, and whatever is made on the way.
import { basePath, type Described } from './document.ts'

/** Stands in a generated value for the id of a record, and is filled in when the request is sent. */
export class Chosen {
  readonly name: string
  /** Which one of those there are, from 0 to 1. */
  readonly at: number
  readonly of: 'own' | 'foreign' | 'other kind'

  constructor(name: string, at: number, of: Chosen['of'] = 'own') {
    this.name = name
    this.at = at
    this.of = of
  }
}

/** The ids that lead to a record: `{ customerId, deviceId }`. */
type Way = Readonly<Record<string, string>>

const kept = 150
/** So many of each kind are neither deleted nor ended, or nothing is left for the other operations. */
const spared = 20
const few = 5
/** Fields that are named after what a record is for, not after what it is. */
const alias: Readonly<Record<string, string>> = {
  inventoryItemId: 'itemId',
  assignedTechnician: 'memberId',
  assignedToId: 'memberId',
}
const nothing = 'never_seen'

export type Pool = ReturnType<typeof poolFrom>

export function poolFrom(operations: readonly Described[]) {
  /** By the template that names one record. */
  const ways = new Map<string, Way[]>()
  const kindOf = new Map<string, string[]>()
  let turn = 0
  for (const { template } of operations) {
    const [place] = /^.*\{(\w+)\}/.exec(template) ?? ['', '']
    const name = /\{(\w+)\}$/.exec(place)![1]!
    if (name === 'orgId' || ways.has(place)) continue
    ways.set(place, [])
    kindOf.set(name, [...(kindOf.get(name) ?? []), place])
  }
  const below = new Map([...ways.keys()].map((place) => [place.replace(/\/\{\w+\}$/, ''), place]))

  function keep(place: string, way: Way): void {
    const there = ways.get(place)!
    const ids = Object.keys(way)
    if (there.some((one) => ids.every((id) => one[id] === way[id]))) return
    if (there.length < kept) there.push(way)
    else there[turn++ % kept] = way
  }

  const chosen = <T>(list: readonly T[], at: number): T | undefined =>
    list[Math.min(list.length - 1, Math.floor(at * list.length))]

  function learnOne(place: string, parents: Way, record: unknown): void {
    const name = /\{(\w+)\}$/.exec(place)![1]!
    const id = (record as Record<string, unknown>)?.[name.endsWith('Id') ? 'id' : name]
    if (typeof id === 'string' || typeof id === 'number') keep(place, { ...parents, [name]: String(id) })
  }

  return {
    /** Ids for the places of an operation, of one record where there is one. */
    wayTo({ method, template, ids }: Described, at: number): Way {
      const [place] = /^.*\{\w+\}/.exec(template)!
      const there = ways.get(place) ?? []
      const isLast = method === 'DELETE' ? place === template : template.endsWith('/end')
      const within = isLast ? there.slice(spared) : there
      return chosen(within, at) ?? Object.fromEntries(ids.map((name) => [name, nothing]))
    },

    /** Any id that may stand under a name. A list's cursor is one of its records. */
    idFor(name: string, at: number, { template }: { readonly template: string }): string {
      if (name === 'startAfter') {
        const place = below.get(template) ?? ''
        return Object.values(chosen(ways.get(place) ?? [], at) ?? {}).at(-1) ?? nothing
      }
      const known = alias[name] ?? name
      const all = (kindOf.get(known) ?? []).flatMap((place) => ways.get(place)!)
      return chosen(all, at)?.[known] ?? nothing
    },

    anyId(at: number): string {
      const all = [...ways.values()].flat()
      return Object.values(chosen(all, at) ?? {}).at(-1) ?? nothing
    },

    /** The customer a device belongs to, so that both can be named together. */
    ownerOf: (deviceId: string): string | undefined =>
      (kindOf.get('deviceId') ?? []).flatMap((place) => ways.get(place)!).find((way) => way.deviceId === deviceId)
        ?.customerId,

    knows: (name: string) => kindOf.has(alias[name] ?? name),

    /** Takes note of what an answer tells: a record made, a page of records, a record gone. */
    learn({ template, method }: Described, way: Way, data: unknown): void {
      if (method === 'DELETE' && ways.has(template)) {
        const there = ways.get(template)!
        const name = /\{(\w+)\}$/.exec(template)![1]!
        const at = there.findIndex((one) => one[name] === way[name])
        if (at >= 0) there.splice(at, 1)
        return
      }
      const place = below.get(template)
      if (place === undefined || typeof data !== 'object' || data === null) return
      if (method === 'POST') learnOne(place, way, data)
      const list = Object.values(data).find((one) => Array.isArray(one)) as unknown[] | undefined
      // A few of a long list, so that the records of others stay known; the latest take the place of the oldest.
      if (method === 'GET' && list)
        for (const record of ways.get(place)!.length < kept / 2 ? list : list.slice(0, few))
          learnOne(place, way, record)
    },

    /** Reads every list there is, so that nothing the document names is out of reach from the start. */
    async fill(origin: string, orgId: string, key: string): Promise<void> {
      const lists = operations.filter(({ method, template }) => method === 'GET' && below.has(template))
      for (const list of lists.sort((a, b) => a.ids.length - b.ids.length)) {
        const parents = list.ids.length === 0 ? [{}] : ways.get(/^.*\{\w+\}/.exec(list.template)![0])!.slice(0, 12)
        for (const way of parents) {
          const path = addressed(list.template, { orgId, ...way })
          const response = await fetch(`${origin}${basePath}${path}`, { headers: { 'x-api-key': key } })
          const { data } = (await response.json()) as { data: unknown }
          this.learn(list, way, data)
        }
      }
    },

    size: () => [...ways.values()].reduce((sum, list) => sum + list.length, 0),
  }
}

export const addressed = (template: string, ids: Readonly<Record<string, string>>) =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? nothing)
