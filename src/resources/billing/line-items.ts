// The lines of a quote or an invoice: copies of the moment they were written, kept in the document itself.
import type { Static } from 'typebox'
import { plainUnit, unitCodes } from '../../domain/code-lists.ts'
import { lineTotal } from '../../domain/totals.ts'
import { badRequest } from '../../operations/errors.ts'
import { dateTime, id, nullable, oneOf, optional, text } from '../../operations/fields.ts'
import { asReadOnly, recordSchema } from '../../operations/record-schemas.ts'
import { t } from '../../operations/schemas.ts'
import {
  type CatalogueEntry,
  catalogueValues,
  lineFields,
  maxLines,
  sourceFields,
  type TaxSnapshot,
  taxSnapshot,
} from '../line-fields.ts'

/** Lines that were written before there were units have none: they are pieces. */
const unitCode = t.Optional(
  oneOf(unitCodes, {
    examples: [plainUnit],
    description: 'C62 pieces (if left out), HUR hours, DAY, KMT, MTR …',
  }),
)
const writableFields = {
  ...sourceFields('By its source if left out.'),
  ...lineFields(),
  serialNumber: optional(text(120)),
}
const computedFields = {
  sku: nullable(text(80)),
  taxRate: nullable(taxSnapshot),
  lineTotal: t.Number({ examples: [79.5] }),
}
/** What a line of a job has besides; it may be sent along, so that such a line can be put on a document as it is. */
const jobLineFields = { id: id(), ticketId: id(), createdAt: dateTime(), updatedAt: dateTime() }

const lineItem = t.Object(
  {
    ...(recordSchema(writableFields, '').properties as unknown as typeof writableFields),
    unitCode,
    ...computedFields,
  },
  { title: 'LineItem' },
)
const lineItemInput = t.Object(
  { ...writableFields, unitCode, ...asReadOnly({ ...computedFields, ...jobLineFields }) },
  { title: 'LineItemWrite', additionalProperties: false },
)
export type LineItemInput = Static<typeof lineItemInput>

export const lineItems = t.Array(lineItem)
export const lineItemInputs = t.Optional(t.Array(lineItemInput, { maxItems: maxLines }))

/** A line as it is stored and answered: every field is there. */
export type LineItem = Readonly<Required<Static<typeof lineItem>>>

/** What the catalogue and the tax rates know of what lines refer to. */
export interface CatalogueSources {
  readonly services: readonly CatalogueSource[]
  readonly inventory: readonly CatalogueSource[]
  /** Those referred to, and the default one. */
  readonly taxRates: readonly (TaxSnapshot & { readonly id: string; readonly isDefault: boolean })[]
}
interface CatalogueSource extends CatalogueEntry {
  readonly id: string
  readonly taxRateId: string | null
}

/** The ids that lines refer to, for asking the catalogue about them once. */
export const referencedIds = (lines: readonly LineItemInput[]) => ({
  services: lines.flatMap(({ serviceId }) => serviceId ?? []),
  inventory: lines.flatMap(({ inventoryItemId }) => inventoryItemId ?? []),
  taxRates: lines.flatMap(({ taxRateId }) => taxRateId ?? []),
})

/** What is absent comes from the catalogue. `before` are the document's lines until now: what they refer to still counts. */
export function completeLineItems(
  lines: readonly LineItemInput[],
  sources: CatalogueSources,
  currency: string,
  before: readonly LineItem[] = [],
): LineItem[] {
  return lines.map((input, index) => {
    const path = `lineItems[${index}]`
    const source = findSource(input, sources, before, path)
    const { name, description, unitPrice, warrantyDays } = catalogueValues(input, source)
    if (name === undefined) throw badRequest(`${path}.name is required unless a source is given`)
    const previous = findPreviousLine(input, before, index)
    const { taxRateId, taxRate } = resolveTax(input, source, sources, before, index, previous)
    const line = {
      kind: input.kind ?? (input.serviceId ? 'service' : input.inventoryItemId ? 'inventory' : 'custom'),
      serviceId: input.serviceId ?? null,
      inventoryItemId: input.inventoryItemId ?? null,
      name,
      description,
      quantity: input.quantity ?? 1,
      unitPrice,
      taxRateId,
      warrantyDays,
      serialNumber: input.serialNumber ?? null,
      unitCode: input.unitCode ?? previous?.unitCode ?? plainUnit,
      sku: (previous ?? source)?.sku ?? null,
      taxRate,
    } as const
    return { ...line, lineTotal: lineTotal(line, currency) }
  })
}

/** The line as it was before, if it is one that was there: the same thing at the same rate, wherever it stood. */
function findPreviousLine(input: LineItemInput, before: readonly LineItem[], index: number): LineItem | undefined {
  const isSame = (line: LineItem) =>
    line.serviceId === (input.serviceId ?? null) &&
    line.inventoryItemId === (input.inventoryItemId ?? null) &&
    (input.name === undefined || line.name === input.name) &&
    line.taxRateId === input.taxRateId
  const [sameIndex] = before.slice(index, index + 1)
  return sameIndex && isSame(sameIndex) ? sameIndex : before.find(isSame)
}

type CatalogueValues = Omit<CatalogueSource, 'id'>

function findSource(
  input: LineItemInput,
  sources: CatalogueSources,
  before: readonly LineItem[],
  path: string,
): CatalogueValues | undefined {
  const { serviceId, inventoryItemId } = input
  if (serviceId && inventoryItemId) throw badRequest(`${path} can have serviceId or inventoryItemId, not both`)
  const [field, sourceId, catalogue] = serviceId
    ? (['serviceId', serviceId, sources.services] as const)
    : (['inventoryItemId', inventoryItemId, sources.inventory] as const)
  if (!sourceId) return undefined
  const entry = catalogue.find(({ id }) => id === sourceId)
  // A line outlives what it was copied from.
  const earlierLine = before.find((line) => line[field] === sourceId)
  if (!entry && !earlierLine) throw badRequest(`${path}.${field} does not exist`)
  return entry ?? (earlierLine && { ...earlierLine, price: earlierLine.unitPrice })
}

function resolveTax(
  { taxRateId: requestedId }: LineItemInput,
  source: CatalogueValues | undefined,
  { taxRates }: CatalogueSources,
  before: readonly LineItem[],
  index: number,
  previous: LineItem | undefined,
): Pick<LineItem, 'taxRateId' | 'taxRate'> {
  if (requestedId === null) return { taxRateId: null, taxRate: null }
  // A rate that a line already has is the rate it was sold at, whatever became of that since.
  if (previous) return previous
  const rate =
    taxRates.find(({ id }) => id === (requestedId ?? source?.taxRateId)) ??
    (requestedId ? undefined : taxRates.find(({ isDefault }) => isDefault))
  if (rate) {
    return { taxRateId: rate.id, taxRate: { name: rate.name, rate: rate.rate, isInclusive: rate.isInclusive } }
  }
  const earlierLine = before.find(({ taxRateId }) => taxRateId === requestedId)
  if (requestedId && !earlierLine) throw badRequest(`lineItems[${index}].taxRateId does not exist`)
  return earlierLine ?? { taxRateId: null, taxRate: null }
}
