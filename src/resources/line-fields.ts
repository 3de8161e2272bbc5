// The fields that every line has, on a job, a quote, an invoice or a recurring schedule, and what it copies on sale.
import type { Static } from 'typebox'
import { decimal, id, integer, oneOf, optional, price, text } from '../operations/fields.ts'
import { t } from '../operations/schemas.ts'

/** How many lines of a kind a job can have, and how many a quote or an invoice. */
export const maxLines = 200

/** The tax a line was sold at, whatever becomes of the rate. */
export const taxSnapshot = t.Object(
  { name: t.String(), rate: decimal(4, 0, 100), isInclusive: t.Boolean() },
  { title: 'TaxSnapshot', examples: [{ name: 'VAT', rate: 20, isInclusive: false }] },
)
export type TaxSnapshot = Static<typeof taxSnapshot>

/** What a line is a copy of; a line of a document or a schedule names one of the two, or neither. */
export const sourceFields = (kindDescription: string) => ({
  kind: t.Optional(oneOf(['service', 'inventory', 'custom'], { examples: ['service'], description: kindDescription })),
  serviceId: optional(id()),
  inventoryItemId: optional(id()),
})

interface LineTexts {
  readonly nameExample: string
  readonly unitPrice: string
  readonly taxRateId: string
}
const soldNow: LineTexts = {
  nameExample: 'Screen replacement',
  unitPrice: 'That of the source, else 0.',
  taxRateId: 'That of the source, else the default; null is untaxed.',
}
const quantity = { exclusiveMinimum: 0, maximum: 1_000_000, decimals: 4 }

export const lineFields = (texts = soldNow) => ({
  name: t.Optional(text(200, { examples: [texts.nameExample], description: 'Required unless a source is given.' })),
  description: optional(text(2_000)),
  quantity: t.Optional(t.Number({ ...quantity, examples: [1], description: '1 if left out.' })),
  unitPrice: t.Optional(price({ examples: [79.5], description: texts.unitPrice })),
  taxRateId: optional(id({ description: texts.taxRateId })),
  warrantyDays: optional(integer(0, 3_650, { examples: [90] })),
})

/** The quantity of a line that is a record of its own: its table has a default. */
export const quantityWithDefault = t.Number({ ...quantity, default: 1, examples: [1] })

/** A service or a part as the catalogue has it at the moment. */
export interface CatalogueEntry {
  readonly name: string
  readonly description: string | null
  readonly price: number
  readonly warrantyDays: number | null
  readonly sku: string | null
}

interface WrittenLine {
  readonly name?: string
  readonly description?: string | null
  readonly unitPrice?: number
  readonly warrantyDays?: number | null
}

/** What a line leaves out comes from the catalogue, once; without a source the name can be missing. */
export const catalogueValues = (line: WrittenLine, source: CatalogueEntry | null | undefined) => ({
  name: line.name ?? source?.name,
  description: line.description === undefined ? (source?.description?.slice(0, 2_000) ?? null) : line.description,
  unitPrice: line.unitPrice ?? source?.price ?? 0,
  warrantyDays: line.warrantyDays === undefined ? (source?.warrantyDays ?? null) : line.warrantyDays,
})
