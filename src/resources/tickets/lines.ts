// The lines of a job: services and parts, each a copy of the moment it was sold.
import { type TObject, type TProperties, Type as t } from 'typebox'
import { raw, sql } from '../../db/database.ts'
import { lineTotal } from '../../domain/totals.ts'
import { read, remove, withArticle } from '../../operations/crud.ts'
import { badRequest, notFound } from '../../operations/errors.ts'
import { decimal, id, integer, nullable, optional, price, text } from '../../operations/fields.ts'
import { newId } from '../../operations/ids.ts'
import { type Context, deletionMessage, type Json, operation, statement } from '../../operations/operation.ts'
import { asReadOnly } from '../../operations/record-schemas.ts'
import { toSnakeCase } from '../../operations/row-codec.ts'
import { type Table, table } from '../../operations/table.ts'
import { applyRules } from '../forms/apply-rules.ts'
import { actorOf } from '../forms/audit-trail.ts'
import { type LineFacts, type LineKind, lineFacts, lockLine } from './line-facts.ts'
import { touchTicket } from './touch.ts'

export const mostLines = 200
const parent = { table: 'tickets', column: 'ticket_id', noun: 'job' }
const prefixes = { service: 'sln', inventory: 'iln' }
const order = { column: 'created_at', type: 'timestamptz', direction: 'asc' } as const

export const taxSnapshot = t.Object(
  { name: t.String(), rate: decimal(4, 0, 100), isInclusive: t.Boolean() },
  { title: 'TaxSnapshot', examples: [{ name: 'VAT', rate: 20, isInclusive: false }] },
)
const writableFields = {
  name: t.Optional(text(200, { examples: ['Screen replacement'], description: 'Required unless a source is given.' })),
  description: optional(text(2_000)),
  quantity: t.Number({ exclusiveMinimum: 0, maximum: 1_000_000, decimals: 4, default: 1, examples: [1] }),
  unitPrice: t.Optional(price({ examples: [79.5], description: 'The price of the source, else 0, if left out.' })),
  taxRateId: optional(
    id({ description: 'The rate of the source, else the default rate, if left out; null is untaxed.' }),
  ),
  warrantyDays: optional(integer(0, 3_650, { examples: [90] })),
}
const computedFields = { taxRate: nullable(taxSnapshot), lineTotal: t.Number({ decimals: 4, examples: [79.5] }) }

export const serviceLines = table({
  name: 'service_lines',
  listKey: 'services',
  noun: 'service line',
  typeName: 'TicketService',
  prefix: prefixes.service,
  parent,
  writable: { serviceId: optional(id()), ...writableFields },
  readOnly: computedFields,
  order,
})

export const inventoryLines = table({
  name: 'inventory_lines',
  listKey: 'inventory',
  noun: 'inventory line',
  typeName: 'TicketInventory',
  prefix: prefixes.inventory,
  parent,
  writable: { inventoryItemId: optional(id()), ...writableFields, serialNumber: optional(text(120)) },
  readOnly: { sku: nullable(text(80)), ...computedFields },
  order,
})

export interface LineBody {
  readonly name?: string
  readonly description?: string | null
  readonly quantity: number
  readonly unitPrice?: number
  readonly taxRateId?: string | null
  readonly warrantyDays?: number | null
}

/** What is particular to a kind of line. */
interface LineDefinition {
  readonly lines: Table
  /** The field that names its source in the catalogue. */
  readonly source: 'serviceId' | 'inventoryItemId'
  readonly kind: LineKind
  readonly prefix: string
  /** Those that a line is written with. */
  readonly columns: string
  readonly advice?: string
}

const commonColumns = 'name, description, quantity, unit_price, tax_rate_id, tax_rate, warranty_days, line_total'
const definitions = {
  service: {
    lines: serviceLines,
    source: 'serviceId',
    kind: { table: 'service_lines', catalogue: 'services', sourceColumn: 'service_id' },
    prefix: prefixes.service,
    columns: `service_id, ${commonColumns}`,
    advice: 'Give serviceId from list_services to take over its name, price and tax, or a name and unitPrice.',
  },
  inventory: {
    lines: inventoryLines,
    source: 'inventoryItemId',
    kind: { table: 'inventory_lines', catalogue: 'inventory', sourceColumn: 'inventory_item_id' },
    prefix: prefixes.inventory,
    columns: `inventory_item_id, sku, ${commonColumns}`,
  },
} as const satisfies Record<string, LineDefinition>

export const serviceLineOperations = lineOperations('/tickets/:ticketId/services', definitions.service)
export const inventoryLineOperations = lineOperations('/tickets/:ticketId/inventory', definitions.inventory)

/** Lines that only need a job: what they copy is looked up. */
export interface PreparedLines {
  readonly rows: readonly { readonly kind: keyof typeof definitions; readonly row: object }[]
  /** Whether a rule might ask a job for a form because of them. */
  readonly mayNeedForms: boolean
}

interface NewLine {
  readonly kind: keyof typeof definitions
  readonly line: LineBody
}

/** What the same lines on many jobs copy from the catalogue is looked up once. */
export async function prepareLines(ctx: Context, lines: readonly NewLine[]): Promise<PreparedLines> {
  const rows: PreparedLines['rows'][number][] = []
  let mayNeedForms = false
  for (const { kind, line } of lines) {
    const { facts, sourceId, full, computedColumns } = await copyFromCatalogue(ctx, definitions[kind], '', line)
    mayNeedForms ||= kind === 'service' && sourceId !== null && facts.hasFormRules
    const columns = Object.fromEntries(Object.entries(full).map(([field, value]) => [toSnakeCase(field), value]))
    rows.push({
      kind,
      row: { ...columns, ...computedColumns, tax_rate: JSON.parse(computedColumns.tax_rate ?? 'null') },
    })
  }
  return { rows, mayNeedForms }
}

/** Writes lines to a job that is held. Whoever calls this applies the rules of forms once all is written. */
export async function writeLines(ctx: Context, ticketId: string, { rows }: PreparedLines): Promise<void> {
  for (const kind of ['service', 'inventory'] as const) {
    const those = rows.filter((one) => one.kind === kind).map(({ row }) => row)
    if (those.length > 0) await ctx.query(insertLines(ctx, definitions[kind], ticketId, those))
  }
}

function insertLines(
  { orgId }: Context,
  { kind, prefix, columns }: LineDefinition,
  ticketId: string,
  rows: readonly object[],
) {
  const [tableName, columnList] = [raw(kind.table), raw(columns)]
  const withIds = rows.map((row) => ({ ...row, id: newId(prefix) }))
  return statement(
    sql`insert into ${tableName} (org_id, ticket_id, id, ${columnList}) select ${orgId}, ${ticketId}, id, ${columnList}
        from jsonb_populate_recordset(null::${tableName}, ${JSON.stringify(withIds)}::jsonb)`,
    (): void => {},
  )
}

function lineOperations(
  path: '/tickets/:ticketId/services' | '/tickets/:ticketId/inventory',
  definition: LineDefinition,
) {
  const { lines, source, kind } = definition
  const plural = lines.typeName.replace(/e$/, 'es')
  const removeOperation = operation(`DELETE ${path}/:lineId`, {
    name: `delete${lines.typeName}`,
    summary: `Delete ${withArticle(lines.noun)}`,
    returns: deletionMessage,
    transaction: true,
    async run({ params: { ticketId, lineId } }, ctx) {
      await ctx.query(touchTicket(ctx, ticketId))
      const removed = await ctx.query(lines.remove(ctx, lineId, { parentId: ticketId }))
      await applyFormRules(ctx, kind, ticketId)
      return removed
    },
  })
  return [
    operation(`GET ${path}`, {
      name: `list${plural}`,
      summary: `List the ${lines.noun}s of a job`,
      returns: lines.list,
      run: ({ params: { ticketId } }, ctx) => lines.all(ctx, { parentId: ticketId }),
    }),

    operation(`POST ${path}`, {
      name: `add${lines.typeName}`,
      summary: `Add ${withArticle(lines.noun)} to a job`,
      mcp: definition.advice === undefined ? {} : { advice: definition.advice },
      body: strictBody(lines.createBody, lines),
      status: 201,
      returns: lines.record,
      transaction: true,
      async run({ params: { ticketId }, body }, ctx) {
        await ctx.query(touchTicket(ctx, ticketId))
        return addLine(ctx, definition, ticketId, body as unknown as LineBody)
      },
    }),

    read(`${path}/:lineId`, lines),

    operation(`PUT ${path}/:lineId`, {
      name: `update${lines.typeName}`,
      summary: `Change ${withArticle(lines.noun)} of a job`,
      body: strictBody(lines.updateBody, lines),
      returns: lines.record,
      transaction: true,
      async run({ params: { ticketId, lineId }, body }, ctx) {
        const change = body as Partial<LineBody>
        await ctx.query(touchTicket(ctx, ticketId))
        const before = await ctx.query(lockLine(ctx, kind, lineId, ticketId))
        if (!before) throw notFound(lines.noun)
        // A reference is judged only when it changes: the line outlives what it was copied from.
        const newSource = sourceOf(change, source)
        const sourceId = newSource === before.sourceId ? null : (newSource ?? null)
        const hasNewRate = change.taxRateId !== undefined && change.taxRateId !== before.taxRateId
        const taxRateId = hasNewRate ? (change.taxRateId ?? null) : null
        const facts = await ctx.query(lineFacts(ctx, kind, { ticketId, sourceId, taxRateId }))
        if (sourceId && !facts.source) throw badRequest(`${source} does not exist`)
        if (taxRateId && !facts.tax) throw badRequest('taxRateId does not exist')
        const snapshot = hasNewRate ? { tax_rate: taxSnapshotJson(facts) } : {}
        const columns = { ...lineTotalColumn({ ...before, ...change }, facts), ...snapshot }
        const changed = await ctx.query(lines.update(ctx, lineId, change, { parentId: ticketId, columns }))
        const hasNewSource = newSource !== undefined && newSource !== before.sourceId
        if (hasNewSource && facts.hasFormRules) await applyFormRules(ctx, kind, ticketId)
        return changed
      },
    }),

    {
      ...(kind.catalogue === 'services' ? removeOperation : remove(`${path}/:lineId`, lines)),
      needs: ['tickets:write'] as const,
    },
  ]
}

const sourceOf = (line: object, source: LineDefinition['source']) =>
  (line as Record<string, string | null | undefined>)[source]

async function addLine(ctx: Context, definition: LineDefinition, ticketId: string, line: LineBody): Promise<Json> {
  const { facts, sourceId, full, computedColumns } = await copyFromCatalogue(ctx, definition, ticketId, line)
  const record = await ctx.query(definition.lines.insert(ctx, full, { parentId: ticketId, columns: computedColumns }))
  if (sourceId && facts.hasFormRules) await applyFormRules(ctx, definition.kind, ticketId)
  return record
}

/** A line with everything it copies. */
async function copyFromCatalogue(
  ctx: Context,
  { lines, source, kind }: LineDefinition,
  ticketId: string,
  line: LineBody,
) {
  const sourceId = sourceOf(line, source) ?? null
  const facts = await ctx.query(lineFacts(ctx, kind, { ticketId, sourceId, taxRateId: line.taxRateId }))
  if (facts.count >= mostLines) throw badRequest(`A job can have at most ${mostLines} ${lines.noun}s`)
  if (sourceId && !facts.source) throw badRequest(`${source} does not exist`)
  if (line.taxRateId && !facts.tax) throw badRequest('taxRateId does not exist')
  const full = completeLine(line, facts)
  const copies = facts.source?.sku ? { sku: facts.source.sku } : {}
  return {
    facts,
    sourceId,
    full,
    computedColumns: { ...lineTotalColumn(full, facts), tax_rate: taxSnapshotJson(facts), ...copies },
  }
}

/** Form rules go by the services on a job; parts do not matter to them. */
async function applyFormRules(ctx: Context, kind: LineKind, ticketId: string): Promise<void> {
  if (kind.catalogue === 'services') await applyRules(ctx, actorOf(ctx), ticketId)
}

/** What is absent comes from the catalogue, once. */
function completeLine(line: LineBody, { source, tax }: LineFacts) {
  const name = line.name ?? source?.name
  if (name === undefined) throw badRequest('name is required unless a source is given')
  return {
    ...line,
    name,
    description: line.description === undefined ? (source?.description?.slice(0, 2_000) ?? null) : line.description,
    unitPrice: line.unitPrice ?? source?.price ?? 0,
    taxRateId: tax?.id ?? null,
    warrantyDays: line.warrantyDays === undefined ? (source?.warrantyDays ?? null) : line.warrantyDays,
  }
}

const lineTotalColumn = (line: { quantity: number; unitPrice: number }, { currency }: LineFacts) => ({
  line_total: lineTotal(line, currency),
})

const taxSnapshotJson = ({ tax }: LineFacts) =>
  tax && JSON.stringify({ name: tax.name, rate: tax.rate, isInclusive: tax.isInclusive })

/** A line refuses what it does not know, but takes back what it answered. */
function strictBody(body: TObject, { record }: Table): TObject {
  const { properties, title } = body as TObject & { title: string }
  const others = Object.entries(record.properties).filter(([name]) => !(name in properties))
  const unwritable = asReadOnly(Object.fromEntries(others) as TProperties)
  return t.Object({ ...properties, ...unwritable }, { additionalProperties: false, title })
}
