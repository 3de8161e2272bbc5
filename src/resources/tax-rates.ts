// Tax rates: what lines are taxed at. One of them can be the default, and lines keep the rate they were written with.
import { sql } from '../db/database.ts'
import { type VatCategory, vatCategories, vatCategoryProblem } from '../domain/code-lists.ts'
import type { Json } from '../operations/answers.ts'
import { read, remove } from '../operations/crud.ts'
import { badRequest } from '../operations/errors.ts'
import { decimal, oneOf, optional, text } from '../operations/fields.ts'
import { type Context, operation, resource, type Statement, statement } from '../operations/operation.ts'
import { t } from '../operations/schemas.ts'
import { entity } from '../operations/scopes.ts'
import { table } from '../operations/table.ts'
import { maxUnpaged } from '../operations/table-lists.ts'
import { lockOrganisation } from './organisation.ts'

export const taxRates = table({
  name: 'tax_rates',
  noun: 'tax rate',
  prefix: 'tax',
  writable: {
    name: text(80, { examples: ['VAT 20 %'] }),
    rate: decimal(4, 0, 100, { examples: [20], description: 'Percent.' }),
    isInclusive: t.Boolean({ default: false, description: 'Whether prices contain it already.' }),
    defaultEnabled: t.Boolean({ default: false, description: 'Whether it is the default; no other one is then.' }),
    vatCategory: optional(
      oneOf(vatCategories, {
        examples: ['S'],
        description:
          'For e-invoices: S standard, Z zero rated, E exempt, AE reverse charge, O outside VAT. S, or Z at 0 %, if left out; E, AE and O need an `exemptionReason`.',
      }),
    ),
    exemptionReason: optional(
      text(200, {
        examples: ['Small business, section 19 UStG'],
        description: 'Why no tax is charged, on e-invoices.',
      }),
    ),
  },
  read: { vatCategory: `coalesce(tax_rates.vat_category, case when tax_rates.rate > 0 then 'S' else 'Z' end)` },
  write: { vatCategory: 'vat_category' },
  order: { column: 'sort_name', type: 'text', direction: 'asc' },
  maxRecords: { count: maxUnpaged, plural: 'tax rates' },
})

const taxRateEntity = entity('tax-rates', {
  title: 'Tax rates',
  description: 'The rates that lines are taxed at; one of them can be the default.',
  scopeObject: 'tax rates',
})

export default resource({ entity: taxRateEntity, tables: [taxRates] }, [
  operation('GET /tax-rates', {
    name: 'listTaxRates',
    summary: 'List all tax rates by name',
    returns: taxRates.list,
    run: (_, ctx) => taxRates.all(ctx),
  }),

  operation('POST /tax-rates', {
    name: 'createTaxRate',
    summary: 'Create a tax rate',
    body: taxRates.createBody,
    status: 201,
    returns: taxRates.record,
    transaction: true,
    async run({ body }, ctx) {
      if (body.defaultEnabled) await clearDefault(ctx)
      return writeTaxRate(ctx, body, (values) => taxRates.insert(ctx, values))
    },
  }),

  {
    ...read('/tax-rates/:taxRateId', taxRates),
    async lock({ taxRateId = '' }, ctx) {
      await ctx.query(lockOrganisation(ctx))
      await ctx.query(taxRates.lock(ctx, taxRateId))
    },
  },

  operation('PUT /tax-rates/:taxRateId', {
    name: 'updateTaxRate',
    summary: 'Change a tax rate',
    body: taxRates.updateBody,
    returns: taxRates.record,
    transaction: true,
    async run({ params: { taxRateId }, body }, ctx) {
      if (body.defaultEnabled) await clearDefault(ctx, taxRateId)
      return writeTaxRate(ctx, body, (values) => taxRates.update(ctx, taxRateId, values))
    },
  }),

  remove('/tax-rates/:taxRateId', taxRates),
])

/** Makes room for a new default. Whoever sets another one at the same time is blocked until this is committed, and clears it. */
async function clearDefault(ctx: Context, except = ''): Promise<void> {
  await ctx.query(lockOrganisation(ctx))
  await ctx.query(
    statement(
      sql`update tax_rates set default_enabled = false, updated_at = now()
          where org_id = ${ctx.orgId} and default_enabled and id <> ${except}`,
      () => {},
    ),
  )
}

/**
 * Judged by what the rate is after it is written, because a change may name one of the two fields alone. Categories that the
 * rate says by itself are not kept: they follow it.
 */
async function writeTaxRate<Body extends { readonly vatCategory?: VatCategory | null }>(
  ctx: Context,
  body: Body,
  write: (values: Body) => Statement<Json>,
): Promise<Json> {
  const { vatCategory } = body
  const isSaidByRate = vatCategory === 'S' || vatCategory === 'Z'
  const values = isSaidByRate ? { ...body, vatCategory: null } : body
  const { json, row } = await ctx.query(taxRates.withRow(ctx, write(values)))
  const problem = vatCategoryProblem(vatCategory ?? (row.vatCategory as VatCategory), row.rate)
  if (problem) throw badRequest(problem)
  return json
}
