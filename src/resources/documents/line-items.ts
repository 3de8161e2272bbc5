// The lines of a quote or an invoice: copies of the moment they were written, kept in the document itself.
import { type Static, type TProperties, Type as t } from 'typebox'
import { badRequest } from '../../api/errors.ts'
import { dateTime, id, nullable, oneOf, optional, price, text, whole } from '../../api/fields.ts'
import { readOnly } from '../../api/record.ts'
import { lineTotal } from '../../domain/totals.ts'
import { mostLines, taxSnapshot } from '../tickets/lines.ts'

const written = {
  kind: t.Optional(
    oneOf(['service', 'inventory', 'custom'], { examples: ['service'], description: 'By its source if left out.' }),
  ),
  serviceId: optional(id()),
  inventoryItemId: optional(id()),
  name: t.Optional(text(200, { examples: ['Screen replacement'], description: 'Required unless a source is given.' })),
  description: optional(text(2_000)),
  quantity: t.Optional(
    t.Number({ exclusiveMinimum: 0, maximum: 1_000_000, decimals: 4, examples: [1], description: '1 if left out.' }),
  ),
  unitPrice: t.Optional(price({ examples: [79.5], description: 'The price of the source, else 0, if left out.' })),
  taxRateId: optional(
    id({ description: 'The rate of the source, else the default rate, if left out; null is untaxed.' }),
  ),
  warrantyDays: optional(whole(0, 3_650, { examples: [90] })),
  serialNumber: optional(text(120)),
}
const kept = {
  sku: nullable(text(80)),
  taxRate: nullable(taxSnapshot),
  lineTotal: t.Number({ examples: [79.5] }),
}
/** What a line of a job has besides; it may be sent along, so that such a line can be put on a document as it is. */
const ofJobs = { id: id(), ticketId: id(), createdAt: dateTime(), updatedAt: dateTime() }

const lineItem = t.Object(
  {
    ...(Object.fromEntries(
      Object.entries(written).map(
        ([name, { '~optional': _, ...schema }]: [string, object & { '~optional'?: unknown }]) => [name, schema],
      ),
    ) as TProperties),
    ...kept,
  },
  { title: 'LineItem' },
)
const givenLine = t.Object(
  { ...written, ...readOnly({ ...kept, ...ofJobs }) },
  { title: 'LineItemWrite', additionalProperties: false },
)
export type GivenLine = Static<typeof givenLine>

export const lineItems = t.Array(lineItem)
export const givenLines = t.Optional(t.Array(givenLine, { maxItems: mostLines }))

export interface LineItem {
  readonly kind: 'service' | 'inventory' | 'custom'
  readonly serviceId: string | null
  readonly inventoryItemId: string | null
  readonly name: string
  readonly description: string | null
  readonly quantity: number
  readonly unitPrice: number
  readonly taxRateId: string | null
  readonly warrantyDays: number | null
  readonly serialNumber: string | null
  readonly sku: string | null
  readonly taxRate: Static<typeof taxSnapshot> | null
  readonly lineTotal: number
}

/** What the catalogue and the tax rates know of what lines refer to. */
export interface Sources {
  readonly services: readonly Source[]
  readonly inventory: readonly Source[]
  /** Those referred to, and the default one. */
  readonly taxRates: readonly (Static<typeof taxSnapshot> & { readonly id: string; readonly isDefault: boolean })[]
}
interface Source {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly price: number
  readonly warrantyDays: number | null
  readonly taxRateId: string | null
  readonly sku: string | null
}

/** The ids that lines refer to, for asking the catalogue about them once. */
export const referredTo = (lines: readonly GivenLine[]) => ({
  services: lines.flatMap(({ serviceId }) => serviceId ?? []),
  inventory: lines.flatMap(({ inventoryItemId }) => inventoryItemId ?? []),
  taxRates: lines.flatMap(({ taxRateId }) => taxRateId ?? []),
})

/** What is absent comes from the catalogue. `before` are the document's lines until now: what they refer to still counts. */
export function completed(
  lines: readonly GivenLine[],
  sources: Sources,
  currency: string,
  before: readonly LineItem[] = [],
): LineItem[] {
  return lines.map((given, place) => {
    const path = `lineItems[${place}]`
    const source = sourceOf(given, sources, before, path)
    const name = given.name ?? source?.name
    if (name === undefined) throw badRequest(`${path}.name is required unless a source is given`)
    const was = earlier(given, before, place)
    const { taxRateId, taxRate } = taxOf(given, source, sources, before, place, was)
    const line = {
      kind: given.kind ?? (given.serviceId ? 'service' : given.inventoryItemId ? 'inventory' : 'custom'),
      serviceId: given.serviceId ?? null,
      inventoryItemId: given.inventoryItemId ?? null,
      name,
      description: given.description === undefined ? (source?.description?.slice(0, 2_000) ?? null) : given.description,
      quantity: given.quantity ?? 1,
      unitPrice: given.unitPrice ?? source?.price ?? 0,
      taxRateId,
      warrantyDays: given.warrantyDays === undefined ? (source?.warrantyDays ?? null) : given.warrantyDays,
      serialNumber: given.serialNumber ?? null,
      sku: (was ?? source)?.sku ?? null,
      taxRate,
    } as const
    return { ...line, lineTotal: lineTotal(line, currency) }
  })
}

/** The line as it was before, if it is one that was there: the same thing at the same rate, wherever it stood. */
function earlier(given: GivenLine, before: readonly LineItem[], place: number): LineItem | undefined {
  const isSame = (line: LineItem) =>
    line.serviceId === (given.serviceId ?? null) &&
    line.inventoryItemId === (given.inventoryItemId ?? null) &&
    (given.name === undefined || line.name === given.name) &&
    line.taxRateId === given.taxRateId
  const [there] = before.slice(place, place + 1)
  return there && isSame(there) ? there : before.find(isSame)
}

type Copied = Omit<Source, 'id'>

function sourceOf(given: GivenLine, sources: Sources, before: readonly LineItem[], path: string): Copied | undefined {
  const { serviceId, inventoryItemId } = given
  if (serviceId && inventoryItemId) throw badRequest(`${path} can have serviceId or inventoryItemId, not both`)
  const [field, sourceId, catalogue] = serviceId
    ? (['serviceId', serviceId, sources.services] as const)
    : (['inventoryItemId', inventoryItemId, sources.inventory] as const)
  if (!sourceId) return undefined
  const found = catalogue.find(({ id }) => id === sourceId)
  // A line outlives what it was copied from.
  const known = before.find((line) => line[field] === sourceId)
  if (!found && !known) throw badRequest(`${path}.${field} does not exist`)
  return found ?? (known && { ...known, price: known.unitPrice })
}

function taxOf(
  { taxRateId: wanted }: GivenLine,
  source: Copied | undefined,
  { taxRates }: Sources,
  before: readonly LineItem[],
  place: number,
  was: LineItem | undefined,
): Pick<LineItem, 'taxRateId' | 'taxRate'> {
  if (wanted === null) return { taxRateId: null, taxRate: null }
  // A rate that a line already has is the rate it was sold at, whatever became of that since.
  if (was) return was
  const rate =
    taxRates.find(({ id }) => id === (wanted ?? source?.taxRateId)) ??
    (wanted ? undefined : taxRates.find(({ isDefault }) => isDefault))
  if (rate) {
    return { taxRateId: rate.id, taxRate: { name: rate.name, rate: rate.rate, isInclusive: rate.isInclusive } }
  }
  const known = before.find(({ taxRateId }) => taxRateId === wanted)
  if (wanted && !known) throw badRequest(`lineItems[${place}].taxRateId does not exist`)
  return known ?? { taxRateId: null, taxRate: null }
}
