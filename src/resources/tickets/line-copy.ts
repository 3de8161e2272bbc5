// A new line with everything it copies from the catalogue: texts, price, warranty, tax, and what it comes to.
import { lineTotal } from '../../domain/totals.ts'
import { badRequest } from '../../operations/errors.ts'
import type { Context } from '../../operations/operation.ts'
import { catalogueValues, maxLines } from '../line-fields.ts'
import { type LineFacts, selectLineFacts } from './line-facts.ts'
import type { LineBody, LineDefinition } from './line-tables.ts'

export async function copyFromCatalogue(ctx: Context, definition: LineDefinition, ticketId: string, line: LineBody) {
  const references = { ticketId, ...referencesOf(definition, line) }
  return completeFromCatalogue(definition, line, await ctx.query(selectLineFacts(ctx, definition.kind, references)))
}

/** What of a line decides what is looked up for it. */
export const referencesOf = ({ source }: LineDefinition, line: LineBody) => ({
  sourceId: sourceOf(line, source) ?? null,
  taxRateId: line.taxRateId,
})

/** From what was looked up for its references. */
export function completeFromCatalogue(definition: LineDefinition, line: LineBody, facts: LineFacts) {
  const { plural, source } = definition
  const { sourceId } = referencesOf(definition, line)
  if (facts.count >= maxLines) throw badRequest(`A job can have at most ${maxLines} ${plural}`)
  if (sourceId && !facts.source) throw badRequest(`${source} does not exist`)
  if (line.taxRateId && !facts.tax) throw badRequest('taxRateId does not exist')
  const full = completeLine(line, facts)
  const copies = facts.source?.sku ? { sku: facts.source.sku } : {}
  return {
    facts,
    sourceId,
    full,
    computedColumns: { ...lineTotalColumn(full, facts), tax_rate: taxSnapshotOf(facts), ...copies },
  }
}

export const sourceOf = (line: object, source: LineDefinition['source']) =>
  (line as Record<string, string | null | undefined>)[source]

function completeLine(line: LineBody, { source, tax }: LineFacts) {
  const { name, ...values } = catalogueValues(line, source)
  if (name === undefined) throw badRequest('name is required unless a source is given')
  return { ...line, name, ...values, taxRateId: tax?.id ?? null }
}

export const lineTotalColumn = (line: { quantity: number; unitPrice: number }, { currency }: LineFacts) => ({
  line_total: lineTotal(line, currency),
})

export const taxSnapshotOf = ({ tax }: LineFacts) =>
  tax && { name: tax.name, rate: tax.rate, isInclusive: tax.isInclusive }
