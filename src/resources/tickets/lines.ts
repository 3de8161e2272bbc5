// The lines of a job: services and parts, each a copy of the moment it was sold.
import { type TObject, type TProperties, Type as t } from 'typebox'
import { badRequest, notFound } from '../../api/errors.ts'
import { decimal, id, nullable, optional, price, text, whole } from '../../api/fields.ts'
import { newId } from '../../api/ids.ts'
import { type Context, type Json, message, operation, statement } from '../../api/operation.ts'
import { snake } from '../../api/packing.ts'
import { one, read, remove } from '../../api/plain.ts'
import { readOnly } from '../../api/record.ts'
import { type Table, table } from '../../api/table.ts'
import { raw, sql } from '../../database.ts'
import { lineTotal } from '../../domain/totals.ts'
import { applyRules } from '../forms/asking.ts'
import { actorOf } from '../forms/trail.ts'
import { heldLine, type LineFacts, type LineKind, lineFactsOf } from './line-facts.ts'
import { ticketTouched } from './touch.ts'

export const mostLines = 200
const parent = { table: 'tickets', column: 'ticket_id', noun: 'job' }
const prefixes = { service: 'sln', inventory: 'iln' }
const order = { column: 'created_at', type: 'timestamptz', direction: 'asc' } as const

export const taxSnapshot = t.Object(
  { name: t.String(), rate: decimal(4, 0, 100), isInclusive: t.Boolean() },
  { title: 'TaxSnapshot', examples: [{ name: 'VAT', rate: 20, isInclusive: false }] },
)
const written = {
  name: t.Optional(text(200, { examples: ['Screen replacement'], description: 'Required unless a source is given.' })),
  description: optional(text(2_000)),
  quantity: t.Number({ exclusiveMinimum: 0, maximum: 1_000_000, decimals: 4, default: 1, examples: [1] }),
  unitPrice: t.Optional(price({ examples: [79.5], description: 'The price of the source, else 0, if left out.' })),
  taxRateId: optional(
    id({ description: 'The rate of the source, else the default rate, if left out; null is untaxed.' }),
  ),
  warrantyDays: optional(whole(0, 3_650, { examples: [90] })),
}
const kept = { taxRate: nullable(taxSnapshot), lineTotal: t.Number({ decimals: 4, examples: [79.5] }) }

export const serviceLines = table({
  name: 'service_lines',
  listKey: 'services',
  noun: 'service line',
  inCode: 'TicketService',
  prefix: prefixes.service,
  parent,
  writable: { serviceId: optional(id()), ...written },
  kept,
  order,
})

export const inventoryLines = table({
  name: 'inventory_lines',
  listKey: 'inventory',
  noun: 'inventory line',
  inCode: 'TicketInventory',
  prefix: prefixes.inventory,
  parent,
  writable: { inventoryItemId: optional(id()), ...written, serialNumber: optional(text(120)) },
  kept: { sku: nullable(text(80)), ...kept },
  order,
})

export interface Line {
  readonly name?: string
  readonly description?: string | null
  readonly quantity: number
  readonly unitPrice?: number
  readonly taxRateId?: string | null
  readonly warrantyDays?: number | null
}

/** What is particular to a kind of line. */
interface Lines {
  readonly lines: Table
  /** The field that names its source in the catalogue. */
  readonly source: 'serviceId' | 'inventoryItemId'
  readonly kind: LineKind
  readonly prefix: string
  /** Those that a line is written with. */
  readonly columns: string
}

const common = 'name, description, quantity, unit_price, tax_rate_id, tax_rate, warranty_days, line_total'
const kinds = {
  service: {
    lines: serviceLines,
    source: 'serviceId',
    kind: { table: 'service_lines', catalogue: 'services', sourceColumn: 'service_id' },
    prefix: prefixes.service,
    columns: `service_id, ${common}`,
  },
  inventory: {
    lines: inventoryLines,
    source: 'inventoryItemId',
    kind: { table: 'inventory_lines', catalogue: 'inventory', sourceColumn: 'inventory_item_id' },
    prefix: prefixes.inventory,
    columns: `inventory_item_id, sku, ${common}`,
  },
} as const satisfies Record<string, Lines>

export const serviceLineOperations = lineOperations('/tickets/:ticketId/services', kinds.service)
export const inventoryLineOperations = lineOperations('/tickets/:ticketId/inventory', kinds.inventory)

/** Lines that only need a job: what they copy is looked up. */
export interface ReadyLines {
  readonly rows: readonly { readonly kind: keyof typeof kinds; readonly row: object }[]
  /** Whether a rule might ask a job for a form because of them. */
  readonly areJudged: boolean
}

interface NewLine {
  readonly kind: keyof typeof kinds
  readonly line: Line
}

/** What the same lines on many jobs copy from the catalogue is looked up once. */
export async function readyLines(ctx: Context, lines: readonly NewLine[]): Promise<ReadyLines> {
  const rows: ReadyLines['rows'][number][] = []
  let areJudged = false
  for (const { kind, line } of lines) {
    const { facts, sourceId, full, kept } = await copied(ctx, kinds[kind], '', line)
    areJudged ||= kind === 'service' && sourceId !== null && facts.hasFormRules
    const columns = Object.fromEntries(Object.entries(full).map(([field, value]) => [snake(field), value]))
    rows.push({ kind, row: { ...columns, ...kept, tax_rate: JSON.parse(kept.tax_rate ?? 'null') } })
  }
  return { rows, areJudged }
}

/** Writes lines to a job that is held. Whoever calls this applies the rules of forms once all is written. */
export async function writeLines(ctx: Context, ticketId: string, { rows }: ReadyLines): Promise<void> {
  for (const kind of ['service', 'inventory'] as const) {
    const those = rows.filter((one) => one.kind === kind).map(({ row }) => row)
    if (those.length > 0) await ctx.ask(linesWritten(ctx, kinds[kind], ticketId, those))
  }
}

function linesWritten({ orgId }: Context, { kind, prefix, columns }: Lines, ticketId: string, rows: readonly object[]) {
  const [here, written] = [raw(kind.table), raw(columns)]
  const withIds = rows.map((row) => ({ ...row, id: newId(prefix) }))
  return statement(
    sql`insert into ${here} (org_id, ticket_id, id, ${written}) select ${orgId}, ${ticketId}, id, ${written}
        from jsonb_populate_recordset(null::${here}, ${JSON.stringify(withIds)}::jsonb)`,
    (): void => {},
  )
}

function lineOperations(path: '/tickets/:ticketId/services' | '/tickets/:ticketId/inventory', about: Lines) {
  const { lines, source, kind } = about
  const plural = lines.inCode.replace(/e$/, 'es')
  const removal = operation(`DELETE ${path}/:lineId`, {
    name: `delete${lines.inCode}`,
    summary: `Delete ${one(lines.noun)}`,
    returns: message,
    async run({ params: { ticketId, lineId } }, ctx) {
      await ctx.ask(ticketTouched(ctx, ticketId))
      const removed = await ctx.ask(lines.remove(ctx, lineId, ticketId))
      await servicesChanged(ctx, kind, ticketId)
      return removed
    },
  })
  return [
    operation(`GET ${path}`, {
      name: `list${plural}`,
      summary: `List the ${lines.noun}s of a job`,
      returns: lines.list,
      run: ({ params: { ticketId } }, ctx) => lines.all(ctx, undefined, ticketId),
    }),

    operation(`POST ${path}`, {
      name: `add${lines.inCode}`,
      summary: `Add ${one(lines.noun)} to a job`,
      body: closed(lines.create, lines),
      status: 201,
      returns: lines.record,
      async run({ params: { ticketId }, body }, ctx) {
        await ctx.ask(ticketTouched(ctx, ticketId))
        return added(ctx, about, ticketId, body as unknown as Line)
      },
    }),

    read(`${path}/:lineId`, lines),

    operation(`PUT ${path}/:lineId`, {
      name: `update${lines.inCode}`,
      summary: `Change ${one(lines.noun)} of a job`,
      body: closed(lines.update, lines),
      returns: lines.record,
      async run({ params: { ticketId, lineId }, body }, ctx) {
        const change = body as Partial<Line>
        await ctx.ask(ticketTouched(ctx, ticketId))
        const before = await ctx.ask(heldLine(ctx, kind, lineId, ticketId))
        if (!before) throw notFound(lines.noun)
        // A reference is judged only when it changes: the line outlives what it was copied from.
        const newSource = sourceOf(change, source)
        const sourceId = newSource === before.sourceId ? null : (newSource ?? null)
        const hasNewRate = change.taxRateId !== undefined && change.taxRateId !== before.taxRateId
        const taxRateId = hasNewRate ? (change.taxRateId ?? null) : null
        const facts = await ctx.ask(lineFactsOf(ctx, kind, { ticketId, sourceId, taxRateId }))
        if (sourceId && !facts.source) throw badRequest(`${source} does not exist`)
        if (taxRateId && !facts.tax) throw badRequest('taxRateId does not exist')
        const snapshot = hasNewRate ? { tax_rate: taxOf(facts) } : {}
        const kept = { ...worth({ ...before, ...change }, facts), ...snapshot }
        const changed = await ctx.ask(lines.change(ctx, lineId, change, ticketId, kept))
        const hasNewSource = newSource !== undefined && newSource !== before.sourceId
        if (hasNewSource && facts.hasFormRules) await servicesChanged(ctx, kind, ticketId)
        return changed
      },
    }),

    {
      ...(kind.catalogue === 'services' ? removal : remove(`${path}/:lineId`, lines)),
      needs: ['tickets:write'] as const,
    },
  ]
}

const sourceOf = (line: object, source: Lines['source']) => (line as Record<string, string | null | undefined>)[source]

async function added(ctx: Context, about: Lines, ticketId: string, line: Line): Promise<Json> {
  const { facts, sourceId, full, kept } = await copied(ctx, about, ticketId, line)
  const record = await ctx.ask(about.lines.insert(ctx, full, ticketId, kept))
  if (sourceId && facts.hasFormRules) await servicesChanged(ctx, about.kind, ticketId)
  return record
}

/** A line with everything it copies. */
async function copied(ctx: Context, { lines, source, kind }: Lines, ticketId: string, line: Line) {
  const sourceId = sourceOf(line, source) ?? null
  const facts = await ctx.ask(lineFactsOf(ctx, kind, { ticketId, sourceId, taxRateId: line.taxRateId }))
  if (facts.count >= mostLines) throw badRequest(`A job can have at most ${mostLines} ${lines.noun}s`)
  if (sourceId && !facts.source) throw badRequest(`${source} does not exist`)
  if (line.taxRateId && !facts.tax) throw badRequest('taxRateId does not exist')
  const full = completed(line, facts)
  const copies = facts.source?.sku ? { sku: facts.source.sku } : {}
  return { facts, sourceId, full, kept: { ...worth(full, facts), tax_rate: taxOf(facts), ...copies } }
}

/** Form rules go by the services on a job; parts do not matter to them. */
async function servicesChanged(ctx: Context, kind: LineKind, ticketId: string): Promise<void> {
  if (kind.catalogue === 'services') await applyRules(ctx, actorOf(ctx), ticketId)
}

/** What is absent comes from the catalogue, once. */
function completed(line: Line, { source, tax }: LineFacts) {
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

const worth = (line: { quantity: number; unitPrice: number }, { currency }: LineFacts) => ({
  line_total: lineTotal(line, currency),
})

const taxOf = ({ tax }: LineFacts) =>
  tax && JSON.stringify({ name: tax.name, rate: tax.rate, isInclusive: tax.isInclusive })

/** A line refuses what it does not know, but takes back what it answered. */
function closed(body: TObject, { record }: Table): TObject {
  const { properties, title } = body as TObject & { title: string }
  const others = Object.entries(record.properties).filter(([name]) => !(name in properties))
  const unwritable = readOnly(Object.fromEntries(others) as TProperties)
  return t.Object({ ...properties, ...unwritable }, { additionalProperties: false, title })
}
