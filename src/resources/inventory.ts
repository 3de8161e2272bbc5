// Inventory: parts and goods that are kept in stock and used on jobs.
import { raw, returning, sql } from '../db/database.ts'
import { becomes } from '../domain/signals.ts'
import type { Json } from '../operations/answers.ts'
import { create, read, remove } from '../operations/crud.ts'
import { badRequest, notFound } from '../operations/errors.ts'
import { decimal, id, integer, optional, price, text } from '../operations/fields.ts'
import { type Context, operation, resource, statement } from '../operations/operation.ts'
import { notTogether } from '../operations/record-schemas.ts'
import { t } from '../operations/schemas.ts'
import { entity } from '../operations/scopes.ts'
import { paging, table } from '../operations/table.ts'
import { externalFields, externalFilters, externalIdTaken } from './external-ids.ts'
import { filter, filterSet, searchFilter } from './filters.ts'
import { correctionOperations, corrections, keepCorrection, reasonField } from './stock-corrections.ts'

const maxInStock = 1_000_000_000
const maxTrackedStock = 99_999_999_999
const stockMeaning = 'Below zero when more was used than counted.'

export const items = table({
  name: 'inventory',
  noun: 'inventory item',
  prefix: 'itm',
  writable: {
    name: text(200, { examples: ['Display for Fairphone 5'] }),
    sku: optional(text(80, { examples: ['FP5-DISPLAY'], description: 'Yours; no two items have the same.' })),
    barcode: optional(text(80, { examples: ['8719323020019'] })),
    description: optional(text(10_000)),
    categoryId: optional(id({ description: 'An inventory category.' })),
    price: price({ default: 0, examples: [99.95] }),
    cost: optional(price({ examples: [61.2], description: 'What the shop pays for it.' })),
    taxRateId: optional(id({ description: 'The tax rate its lines begin with.' })),
    trackStock: t.Boolean({ default: true, description: 'Whether jobs that use it change the quantity on hand.' }),
    quantityOnHand: decimal(4, -maxInStock, maxInStock, {
      default: 0,
      examples: [12],
      description: stockMeaning,
    }),
    reorderLevel: optional(decimal(4, 0, maxInStock, { examples: [3] })),
    supplier: optional(text(120, { examples: ['Fairphone B.V.'] })),
    warrantyDays: optional(integer(0, 3_650, { examples: [365] })),
    ...externalFields,
  },
  readOnly: {
    // What jobs use is counted, however far it goes.
    quantityOnHand: decimal(4, -maxTrackedStock, maxTrackedStock, {
      default: 0,
      examples: [12],
      description: stockMeaning,
    }),
    isLowStock: t.Boolean({ description: 'Whether a tracked item is at its reorder level or below.' }),
  },
  event: { signals: { low: becomes('isLowStock', true) } },
  order: { column: 'sort_name', type: 'text', direction: 'asc' },
})

const itemFilters = filterSet({
  categoryId: filter(
    id({ description: 'Only items of this category.' }),
    (categoryId) => sql`inventory.category_id = ${categoryId}`,
  ),
  sku: filter(
    text(80, { examples: ['FP5-DISPLAY'], description: 'Only the item with exactly this SKU.' }),
    (sku) => sql`inventory.sku = ${sku}`,
  ),
  barcode: filter(
    text(80, { examples: ['8719323020019'], description: 'Only items with exactly this barcode.' }),
    (barcode) => sql`inventory.barcode = ${barcode}`,
  ),
  isLow: filter(
    t.Boolean({ description: 'Only tracked items at their reorder level or below, or only the others.' }),
    (isLow) => (isLow ? sql`inventory.is_low_stock` : sql`not inventory.is_low_stock`),
  ),
  search: searchFilter('inventory', { examples: ['display'], description: 'Part of the name, SKU or barcode.' }),
  ...externalFilters('inventory'),
})

const inventoryEntity = entity('inventory', {
  title: 'Inventory',
  description: 'Parts and goods that are kept in stock and used on jobs.',
  scopeObject: 'inventory items',
})

export default resource({ entity: inventoryEntity, tables: [items, corrections] }, [
  operation('GET /inventory', {
    name: 'listInventory',
    summary: 'List inventory items by name',
    mcp: { advice: 'Parts and goods with their prices and stock.' },
    query: t.Object({ ...paging, ...itemFilters.query }),
    returns: items.list,
    run: ({ query }, ctx) => itemFilters.page(items, ctx, query),
  }),

  { ...create('/inventory', items), conflicts: [externalIdTaken] },
  read('/inventory/:itemId', items),

  operation('PUT /inventory/:itemId', {
    name: 'updateInventoryItem',
    summary: 'Change an inventory item',
    body: t.Object(
      {
        ...items.updateBody.properties,
        quantityDelta: t.Optional(
          decimal(4, -maxInStock, maxInStock, {
            examples: [-2],
            description: 'Added to the quantity on hand, whatever that is by then; in place of quantityOnHand.',
          }),
        ),
        reason: reasonField,
      },
      { title: 'InventoryItemUpdate', minProperties: 1, ...notTogether('quantityOnHand', 'quantityDelta') },
    ),
    returns: items.record,
    conflicts: [externalIdTaken],
    transaction: true,
    async run({ params: { itemId }, body: { quantityDelta, reason, ...fields } }, ctx) {
      if (quantityDelta === undefined && fields.quantityOnHand === undefined) {
        if (reason) throw badRequest('reason is kept with a correction: give quantityDelta or quantityOnHand, too')
        return ctx.query(items.update(ctx, itemId, fields))
      }
      if (quantityDelta === undefined) return setStock(ctx, itemId, fields, reason)
      const { json, row } = await ctx.query(items.withRow(ctx, adjustStock(ctx, itemId, quantityDelta)))
      if (quantityDelta !== 0) {
        const delta = sql`${quantityDelta}::numeric(16, 4)`
        await ctx.query(keepCorrection(ctx, itemId, { delta, after: row.quantityOnHand, reason }))
      }
      return Object.keys(fields).length > 0 ? ctx.query(items.update(ctx, itemId, fields)) : json
    },
  }),

  remove('/inventory/:itemId', items),

  ...correctionOperations,
])

/** What is counted corrects what was there, which nobody changes meanwhile. */
async function setStock(
  ctx: Context,
  itemId: string,
  fields: object,
  reason: string | null | undefined,
): Promise<Json> {
  await ctx.query(items.lock(ctx, itemId))
  const before = (await ctx.query(items.withRow(ctx, items.find(ctx, itemId)))).row.quantityOnHand
  const { json, row } = await ctx.query(items.withRow(ctx, items.update(ctx, itemId, fields)))
  const after = row.quantityOnHand
  if (after !== before) {
    const delta = sql`${after}::numeric(16, 4) - ${before}::numeric(16, 4)`
    await ctx.query(keepCorrection(ctx, itemId, { delta, after, reason }))
  }
  return json
}

const adjustedColumns = sql`${items.encoded}, abs(quantity_on_hand) <= ${raw(String(maxInStock))} as fits`

/** Adds to what is there at that moment, so that nobody's count is lost. */
const adjustStock = (ctx: Context, itemId: string, delta: number) =>
  statement(
    returning(
      sql`update inventory set quantity_on_hand = quantity_on_hand + ${delta}::numeric(15, 4), updated_at = now()
          where org_id = ${ctx.orgId} and id = ${itemId}`,
      adjustedColumns,
      sql`select ${adjustedColumns} from inventory where org_id = ${ctx.orgId} and id = ${itemId}`,
    ),
    ([item]: { encoded: string; fits: boolean }[]) => {
      if (!item) throw notFound(items.noun)
      if (!item.fits) throw badRequest(`quantityOnHand must stay between ${-maxInStock} and ${maxInStock}`)
      return items.decodeOne(ctx)([item])
    },
  )
