// The names of what is one of a few words, so that clients have a type for it: `priority` of a `TicketCreate` is a `TicketPriority`.
import type { JsonSchema } from '../operations/json-schema.ts'
import { capitalise } from '../operations/string-case.ts'

/** Where a schema stands: in which titled one, and under which name there. */
export interface SchemaPlace {
  readonly owner: string | undefined
  readonly field: string
}

export const outermost: SchemaPlace = { owner: undefined, field: '' }

/** The bodies of a record, and the record with what can be read along, speak of the record's own words. */
const ownerSuffix = /(Create|Update|Write|Including)$/

export interface NamedEnum {
  readonly name: string
  readonly values: readonly unknown[]
}

/** Gives each name to the first list of words that asks for it; another list stays without. */
export function createEnumNames(isTaken: (name: string) => boolean) {
  const known = new Map<string, string>()
  return ({ owner, field }: SchemaPlace, schema: JsonSchema): NamedEnum | undefined => {
    const values = schema.enum?.filter((value) => value !== null) ?? []
    if (owner === undefined || values.length < 2) return undefined
    const name = owner.replace(ownerSuffix, '') + capitalise(field)
    const words = JSON.stringify(values)
    if (isTaken(name) || (known.get(name) ?? words) !== words) return undefined
    known.set(name, words)
    return { name, values }
  }
}
