// The operations on the lines of a job.
import type { TObject, TProperties } from 'typebox'
import type { Json } from '../../operations/answers.ts'
import { read, withArticle } from '../../operations/crud.ts'
import { badRequest, notFound } from '../../operations/errors.ts'
import { type Context, deletionMessage, operation } from '../../operations/operation.ts'
import { asReadOnly } from '../../operations/record-schemas.ts'
import { t } from '../../operations/schemas.ts'
import type { Table } from '../../operations/table.ts'
import { applyRules } from '../forms/apply-rules.ts'
import { actorOf } from '../forms/audit-trail.ts'
import { copyFromCatalogue, lineTotalColumn, sourceOf, taxSnapshotOf } from './line-copy.ts'
import { type LineKind, lockLine, selectLineFacts } from './line-facts.ts'
import { type LineBody, type LineDefinition, lineDefinitions } from './line-tables.ts'
import { refusePrices } from './own-jobs.ts'
import { tickets } from './record.ts'
import { touchTicket } from './touch.ts'

export const serviceLineOperations = lineOperations('/tickets/:ticketId/services', lineDefinitions.service)
export const inventoryLineOperations = lineOperations('/tickets/:ticketId/inventory', lineDefinitions.inventory)

function lineOperations(
  path: '/tickets/:ticketId/services' | '/tickets/:ticketId/inventory',
  definition: LineDefinition,
) {
  const { lines, plural, source, kind } = definition
  return [
    operation(`GET ${path}`, {
      name: definition.listName,
      summary: `List the ${plural} of a job`,
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
        const { unitPrice, taxRateId } = body as unknown as LineBody
        refusePrices(ctx, { unitPrice, taxRateId })
        return addLine(ctx, definition, ticketId, body as unknown as LineBody)
      },
    }),

    {
      ...read(`${path}/:lineId`, lines),
      async lock({ ticketId = '', lineId = '' }: Readonly<Record<string, string>>, ctx: Context) {
        await ctx.query(tickets.lock(ctx, ticketId))
        await ctx.query(lines.lock(ctx, lineId, { parentId: ticketId }))
      },
    },

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
        const hasNewPrice = change.unitPrice !== undefined && change.unitPrice !== before.unitPrice
        refusePrices(ctx, { unitPrice: hasNewPrice ? change.unitPrice : undefined })
        // A reference is judged only when it changes: the line outlives what it was copied from.
        const newSource = sourceOf(change, source)
        const sourceId = newSource === before.sourceId ? null : (newSource ?? null)
        const hasNewRate = change.taxRateId !== undefined && change.taxRateId !== before.taxRateId
        refusePrices(ctx, { taxRateId: hasNewRate ? change.taxRateId : undefined })
        const taxRateId = hasNewRate ? (change.taxRateId ?? null) : null
        const facts = await ctx.query(selectLineFacts(ctx, kind, { ticketId, sourceId, taxRateId }))
        if (sourceId && !facts.source) throw badRequest(`${source} does not exist`)
        if (taxRateId && !facts.tax) throw badRequest('taxRateId does not exist')
        const snapshot = hasNewRate ? { tax_rate: taxSnapshotOf(facts) } : {}
        const columns = { ...lineTotalColumn({ ...before, ...change }, facts), ...snapshot }
        const changed = await ctx.query(lines.update(ctx, lineId, change, { parentId: ticketId, columns }))
        const hasNewSource = newSource !== undefined && newSource !== before.sourceId
        if (hasNewSource && facts.hasFormRules) await applyFormRules(ctx, kind, ticketId)
        return changed
      },
    }),

    operation(`DELETE ${path}/:lineId`, {
      name: `delete${lines.typeName}`,
      summary: `Delete ${withArticle(lines.noun)}`,
      needs: ['tickets:write'],
      returns: deletionMessage,
      transaction: true,
      async run({ params: { ticketId, lineId } }, ctx) {
        await ctx.query(touchTicket(ctx, ticketId))
        const removed = await ctx.query(lines.remove(ctx, lineId, { parentId: ticketId }))
        await applyFormRules(ctx, kind, ticketId)
        return removed
      },
    }),
  ]
}

async function addLine(ctx: Context, definition: LineDefinition, ticketId: string, line: LineBody): Promise<Json> {
  const { facts, sourceId, full, computedColumns } = await copyFromCatalogue(ctx, definition, ticketId, line)
  const record = await ctx.query(definition.lines.insert(ctx, full, { parentId: ticketId, columns: computedColumns }))
  if (sourceId && facts.hasFormRules) await applyFormRules(ctx, definition.kind, ticketId)
  return record
}

/** Form rules go by the services on a job; parts do not matter to them. */
async function applyFormRules(ctx: Context, kind: LineKind, ticketId: string): Promise<void> {
  if (kind.catalogue === 'services') await applyRules(ctx, actorOf(ctx), ticketId)
}

/** A line refuses what it does not know, but takes back what it answered. */
function strictBody(body: TObject, { record }: Table): TObject {
  const { properties, title, minProperties } = body as TObject & { title: string; minProperties?: number }
  const others = Object.entries(record.properties).filter(([name]) => !(name in properties))
  const unwritable = asReadOnly(Object.fromEntries(others) as TProperties)
  return t.Object(
    { ...properties, ...unwritable },
    { additionalProperties: false, title, ...(minProperties && { minProperties }) },
  )
}
