// Services and stock out of price lists.
import { fitNotes, readExternalId, skippedBecause } from './customers.ts'
import type { Draft } from './draft.ts'
import type { Profile } from './profile.ts'
import { cut, type RecordReader, truncate } from './reader.ts'

const longestName = 200
const longestDescription = 10_000

export function readService(reader: RecordReader, profile: Profile | undefined): Draft {
  return {
    kind: 'services',
    values: { ...readSold(reader, profile), durationMinutes: whole(reader.amount('durationMinutes')) },
    skipped: skippedBecause(reader),
    problems: reader.problems,
    repairs: reader.repairs,
  }
}

/** A list of goods may hold work, too, and rows that are only headings. */
export function readItem(reader: RecordReader, profile: Profile | undefined): Draft {
  const type = reader.text('itemType') ?? ''
  const isStocked = reader.flag('isStocked')
  const isHeading = /^(category|bundle|group|discount|subtotal)/i.test(type)
  const isWork = /service/i.test(type) || (profile?.unstockedIsService === true && isStocked === false)
  const skipped = skippedBecause(reader) ?? (isHeading ? `it is a ${type.toLowerCase()}` : undefined)
  if (isWork && !skipped) return { ...readService(reader, profile), skipped }
  const quantity = reader.amount('quantityOnHand')
  const reorderLevel = reader.amount('reorderLevel')
  return {
    kind: 'inventory',
    values: {
      ...readSold(reader, profile),
      sku: trimmed(reader, 'sku', 80),
      barcode: trimmed(reader, 'barcode', 80),
      supplier: trimmed(reader, 'supplier', 120),
      quantityOnHand: quantity,
      reorderLevel: reorderLevel !== undefined && reorderLevel > 0 ? reorderLevel : undefined,
      ...((isStocked === false || /non.?inventory/i.test(type)) && { trackStock: false }),
    },
    // Of `Phones:Displays` and `Phones, Displays` the last one is the most particular.
    category: reader.text('category')?.split(/[:>]/).at(-1)?.trim().slice(0, 80).trim() || undefined,
    skipped,
    problems: reader.problems,
    repairs: reader.repairs,
  }
}

function readSold(reader: RecordReader, profile: Profile | undefined) {
  const variation = reader.text('variation')
  const bare = reader.text('name')?.split(':').at(-1)?.trim()
  const full = bare && variation && !/^(regular|default|standard)$/i.test(variation) ? `${bare}, ${variation}` : bare
  const rest: string[] = []
  const name = cut(reader, 'name', full, longestName, rest)
  if (name === undefined) reader.problem(null, 'there is no name', 'write a name into the row, or take it out')
  const description = [reader.text('description'), ...rest].filter((text) => text !== undefined)
  // Square writes so where the price is asked for at the till.
  const isVariable = /^variable$/i.test(reader.text('price') ?? '')
  if (isVariable) reader.repair('price', reader.text('price')!, 'its price is a variable one: it was left out')
  const price = isVariable ? undefined : reader.amount('price')
  const cost = reader.amount('cost')
  if (price !== undefined && price < 0) reader.problem('price', 'the price is below zero', 'write a price of 0 or more')
  return {
    name,
    description: description.length > 0 ? fitNotes(reader, description, longestDescription) : undefined,
    price: price === undefined ? undefined : fourPlaces(price),
    // Many programs write 0 where they do not know it.
    cost: cost !== undefined && cost > 0 ? fourPlaces(cost) : undefined,
    warrantyDays: whole(reader.amount('warrantyDays')),
    externalId: readExternalId(reader, profile),
    externalNumber: trimmed(reader, 'externalNumber', 120),
  }
}

const trimmed = (reader: RecordReader, name: string, length: number): string | undefined => {
  const text = reader.text(name)
  if (text !== undefined && text.length > length) reader.repair(name, text, `cut after ${length} characters`)
  return text === undefined ? undefined : truncate(text, length)
}
const whole = (value: number | undefined) => (value === undefined ? undefined : Math.round(value))
const fourPlaces = (value: number) => Math.round(value * 10_000) / 10_000
