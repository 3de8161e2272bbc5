// What a recurring schedule writes into the job of each visit, and the presets have ready: texts, people, lines.
import type { Static } from 'typebox'
import { sql } from '../../db/database.ts'
import { badRequest } from '../../operations/errors.ts'
import { id, integer, optional, text } from '../../operations/fields.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { lineFields, sourceFields } from '../line-fields.ts'

const templateLine = t.Object(
  {
    ...sourceFields('Follows from the source.'),
    ...lineFields({
      nameExample: 'Oven service',
      unitPrice: "The source's price of the day if left out.",
      taxRateId: "The source's or the default rate if left out; null is untaxed.",
    }),
  },
  { title: 'RecurringLine', additionalProperties: false },
)
export type TemplateLine = Static<typeof templateLine>

const maxTemplateLines = 50

export const templateFields = {
  description: optional(text(10_000)),
  assignedTechnician: optional(id({ description: 'An active member.' })),
  stationId: optional(id()),
  lineItems: t.Array(templateLine, {
    maxItems: maxTemplateLines,
    description: 'What is sold on each visit; the lines of its job.',
  }),
}
export const serviceRequired = text(500, { examples: ['Oven service'], description: "The title of each visit's job." })
export const rrule = text(200, {
  examples: ['FREQ=MONTHLY;BYDAY=2TU'],
  description:
    'An RRULE of RFC 5545: FREQ (DAILY, WEEKLY, MONTHLY, YEARLY), INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, COUNT or UNTIL.',
})
export const durationMinutes = integer(5, 10_080, { examples: [60] })
export const horizonDays = integer(1, 365, { examples: [30], description: 'How far ahead jobs are made.' })

/**
 * The lines as they are kept: each says what it is and has a name, so that it outlives its source. A reference that was
 * among the lines before is not judged again.
 */
export async function normalizeTemplateLines(
  ctx: Context,
  lines: readonly TemplateLine[],
  before: readonly TemplateLine[] = [],
): Promise<TemplateLine[]> {
  if (lines.length === 0) return []
  const { names, taxRates } = await ctx.query(selectSources(ctx, lines))
  const known = {
    names: new Map([
      ...before.map(({ serviceId, inventoryItemId, name = '' }) => [serviceId ?? inventoryItemId ?? '', name] as const),
      ...names,
    ]),
    taxRates: new Set([...before.map(({ taxRateId }) => taxRateId ?? ''), ...taxRates]),
  }
  return lines.map((line, index) => normalizeTemplateLine(line, `lineItems[${index}]`, known))
}

function normalizeTemplateLine(line: TemplateLine, path: string, { names, taxRates }: KnownSources): TemplateLine {
  const { serviceId, inventoryItemId, taxRateId } = line
  if (serviceId && inventoryItemId) throw badRequest(`${path} must not have both serviceId and inventoryItemId`)
  const kind = serviceId ? 'service' : inventoryItemId ? 'inventory' : (line.kind ?? 'custom')
  if (line.kind && line.kind !== kind) throw badRequest(`${path}.kind must be ${kind}, as its source is`)
  if (serviceId && !names.has(serviceId)) throw badRequest(`${path}.serviceId does not exist`)
  if (inventoryItemId && !names.has(inventoryItemId)) throw badRequest(`${path}.inventoryItemId does not exist`)
  if (taxRateId && !taxRates.has(taxRateId)) throw badRequest(`${path}.taxRateId does not exist`)
  const source = serviceId ?? inventoryItemId
  const name = line.name ?? (source ? names.get(source) : undefined)
  if (name === undefined) throw badRequest(`${path}.name is required unless a source is given`)
  return { ...line, kind, name, quantity: line.quantity ?? 1 }
}

/** The lines as they can be sold today: what the catalogue has lost since stays as a line of its own name and price. */
export async function findAvailableLines(ctx: Context, lines: readonly TemplateLine[]): Promise<TemplateLine[]> {
  if (lines.length === 0) return []
  const { names, taxRates } = await ctx.query(selectSources(ctx, lines))
  return lines.map(({ serviceId, inventoryItemId, taxRateId, ...line }) => ({
    ...line,
    ...(serviceId && names.has(serviceId) && { serviceId }),
    ...(inventoryItemId && names.has(inventoryItemId) && { inventoryItemId }),
    ...((taxRateId === null || (taxRateId && taxRates.has(taxRateId))) && { taxRateId }),
  }))
}

interface KnownSources {
  /** Of services and inventory items. */
  readonly names: ReadonlyMap<string, string>
  readonly taxRates: ReadonlySet<string>
}

function selectSources({ orgId }: Context, lines: readonly TemplateLine[]): Statement<KnownSources> {
  const idsOf = (field: 'serviceId' | 'inventoryItemId' | 'taxRateId') =>
    lines.map((line) => line[field]).filter((one) => typeof one === 'string')
  return statement(
    sql`select id, name, false as "isRate" from services where org_id = ${orgId} and id = any(${idsOf('serviceId')})
        union all
        select id, name, false from inventory where org_id = ${orgId} and id = any(${idsOf('inventoryItemId')})
        union all
        select id, name, true from tax_rates where org_id = ${orgId} and id = any(${idsOf('taxRateId')})`,
    (rows: { id: string; name: string; isRate: boolean }[]) => ({
      names: new Map(rows.filter(({ isRate }) => !isRate).map(({ id, name }) => [id, name])),
      taxRates: new Set(rows.filter(({ isRate }) => isRate).map(({ id }) => id)),
    }),
  )
}
