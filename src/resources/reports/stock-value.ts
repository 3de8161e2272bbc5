// The report on what the stock is worth: what is on hand at what it costs, by category.
import { sql } from '../../db/database.ts'
import { decimalPlaces, decimalsOf, divideRounded, fromScaled } from '../../domain/money.ts'
import { id, nullable } from '../../operations/fields.ts'
import { t } from '../../operations/schemas.ts'
import { shopCte } from './period.ts'
import { report, sumOf } from './report.ts'

const stockFields = {
  items: t.Integer({ examples: [14], description: 'Items whose stock is tracked.' }),
  quantity: t.Number({ decimals: 4, examples: [52], description: 'On hand; what is below zero counts as that.' }),
  value: t.Number({
    decimals: 4,
    examples: [843.2],
    description: 'Quantity times cost, rounded once for the category.',
  }),
  itemsWithoutCost: t.Integer({ examples: [1], description: 'Items without a cost: they count as worth nothing.' }),
}

interface CategoryRow {
  readonly categoryId: string | null
  readonly category: string | null
  readonly items: number
  readonly quantity: number
  /** In units of ten to the minus eight, as text: quantity and cost have four decimal places each. */
  readonly units: string
  readonly itemsWithoutCost: number
}

/** The rows add up to the total, since each is rounded before it is added. */
const worth = (units: string, decimals: number): number =>
  fromScaled(divideRounded(BigInt(units), 10n ** BigInt(2 * decimalPlaces - decimals)), decimals)

export const stockValue = report<object, { currency: string; found: readonly CategoryRow[] }>({
  name: 'stock-value',
  summary: 'Report what the stock is worth now, by category',
  advice: 'What the shop paid for what it has on hand. Prices to customers play no part.',
  needs: ['inventory:read', 'categories:read'],
  query: {},
  about: { currency: t.String({ examples: ['GBP'] }) },
  row: t.Object({
    categoryId: nullable(id()),
    category: nullable(t.String({ examples: ['Displays'], description: 'Null for items without a category.' })),
    ...stockFields,
  }),
  total: t.Object(stockFields),
  select: (orgId) => sql`
    with ${shopCte(orgId)}
    select currency,
      (select coalesce(json_agg(stock order by index, name, "categoryId"), '[]') from (
        select inventory.category_id as "categoryId", inventory_categories.name as category, inventory_categories.name,
          inventory_categories.index, count(*) as items, sum(quantity_on_hand) as quantity,
          (coalesce(sum(quantity_on_hand * cost), 0) * 100000000)::numeric(60, 0)::text as units,
          count(*) filter (where cost is null) as "itemsWithoutCost"
        from inventory left join inventory_categories
          on inventory_categories.org_id = ${orgId} and inventory_categories.id = inventory.category_id
        where inventory.org_id = ${orgId} and track_stock
        group by 1, 2, inventory_categories.index) stock) as found
    from shop`,
  figures({ currency, found }) {
    const rows = found.map(({ categoryId, category, items, quantity, units, itemsWithoutCost }) => {
      return { categoryId, category, items, quantity, value: worth(units, decimalsOf(currency)), itemsWithoutCost }
    })
    const sum = (field: 'items' | 'quantity' | 'value' | 'itemsWithoutCost') => sumOf(rows.map((row) => row[field]))
    const total = {
      items: sum('items'),
      quantity: sum('quantity'),
      value: sum('value'),
      itemsWithoutCost: sum('itemsWithoutCost'),
    }
    return { currency, rows, totals: [total] }
  },
})
