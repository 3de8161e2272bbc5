// What the pages of stock read: the list with its counts, what a scanner typed, and one item with its uses and corrections.
import { type Sql, sql } from '../db/database.ts'
import { allOf, matchingRows, searchForWords } from '../operations/text-search.ts'
import type { CatalogueRecord } from './catalogue-kinds.ts'
import { byName, pageOfRows } from './list-page.ts'
import type { DeskRequest } from './router.ts'

export const perPage = 50
const perList = 20

export interface StockFilter {
  readonly search: string
  /** The id of a category; empty for all. */
  readonly category: string
  readonly isLow: boolean
  readonly after: string | undefined
}

export const filterOf = (query: DeskRequest['query']): StockFilter => ({
  search: (query.q ?? '').trim().slice(0, 100),
  category: (query.category ?? '').slice(0, 128),
  isLow: query.low === '1',
  after: query.after?.slice(0, 128),
})

/** The address of what is shown, as `filterOf` reads it back. */
export function addressOf(path: string, { search, category, isLow, after }: Partial<StockFilter>): string {
  const given = { q: search ?? '', category: category ?? '', low: isLow ? '1' : '', after: after ?? '' }
  const query = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''))
  return `${path}${query.size > 0 ? `?${query}` : ''}`
}

export interface ListedItem {
  readonly id: string
  readonly name: string
  readonly sku: string | null
  readonly barcode: string | null
  readonly category: string | null
  readonly price: number
  readonly cost: number | null
  readonly quantity: number
  readonly isTracked: boolean
  readonly isLow: boolean
}

export const searchOf = ({ search }: StockFilter) => (search === '' ? undefined : searchForWords('inventory', search))
const isOfCategory = ({ category }: StockFilter): Sql | undefined =>
  category === '' ? undefined : sql`inventory.category_id = ${category}`

export function selectItems(orgId: string, filter: StockFilter, limit = perPage + 1): Sql {
  const where = allOf([isOfCategory(filter), filter.isLow ? sql`inventory.is_low_stock` : undefined])
  const { after } = filter
  return sql`
    select inventory.id, inventory.name, sku, barcode, inventory_categories.name as category, price::float8 as price,
      cost::float8 as cost, quantity_on_hand::float8 as quantity, track_stock as "isTracked", is_low_stock as "isLow"
    from ${pageOfRows({ table: 'inventory', orgId, search: searchOf(filter), where, after, order: byName, limit })}
    left join inventory_categories
      on inventory_categories.org_id = ${orgId} and inventory_categories.id = inventory.category_id
    order by inventory.sort_name, inventory.id`
}

export interface StockCounts {
  readonly all: number
  readonly low: number
  readonly categories: readonly { readonly id: string; readonly name: string }[]
}

export const selectCounts = (orgId: string, filter: StockFilter): Sql => sql`
  select count(*)::int as "all", count(*) filter (where is_low_stock)::int as low,
    (select coalesce(json_agg(json_build_object('id', id, 'name', name) order by index, sort_name, id), '[]')
      from inventory_categories where org_id = ${orgId}) as categories
  from ${matchingRows({ table: 'inventory', tenant: sql`inventory.org_id = ${orgId}`, search: searchOf(filter) })}
  where ${isOfCategory(filter) ?? sql`true`}`

/** Exactly that SKU or barcode, as a scanner types it; two where it is not one item's alone. */
export const selectScanned = (orgId: string, code: string): Sql => sql`
  select id from inventory where org_id = ${orgId} and sku = ${code}
  union select id from inventory where org_id = ${orgId} and barcode = ${code} limit 2`

export interface ItemRecord extends CatalogueRecord {
  readonly sku: string | null
  readonly barcode: string | null
  readonly description: string | null
  readonly price: number
  readonly cost: number | null
  readonly trackStock: boolean
  readonly quantityOnHand: number
  readonly reorderLevel: number | null
  readonly supplier: string | null
  readonly warrantyDays: number | null
  readonly isLowStock: boolean
}

/** Moments as the database writes them in JSON. */
export interface ItemDetails {
  readonly category: string | null
  readonly tax: string | null
  readonly useCount: number
  readonly uses: readonly {
    readonly lineId: string
    readonly jobId: string
    readonly number: number
    readonly title: string
    readonly customer: string | null
    readonly quantity: number
    readonly at: string
  }[]
  readonly corrections: readonly {
    readonly id: string
    readonly delta: number
    readonly after: number
    readonly reason: string | null
    readonly by: string | null
    readonly at: string
  }[]
}

export interface ItemPage {
  readonly item: ItemRecord
  readonly details: ItemDetails
}

export async function loadItem(request: DeskRequest): Promise<ItemPage> {
  const { orgId, database, params } = request
  const itemId = params.id!
  const [{ data: item }, [details]] = await Promise.all([
    request.readRecord<ItemRecord>('getInventoryItem', { itemId }),
    database.read<ItemDetails>(orgId, selectDetails(orgId, itemId), 'slow'),
  ])
  return { item, details: details! }
}

const selectDetails = (orgId: string, itemId: string): Sql => sql`
  select (select name from inventory_categories where org_id = ${orgId} and id = inventory.category_id) as category,
    (select name from tax_rates where org_id = ${orgId} and id = inventory.tax_rate_id) as tax,
    (select count(*)::int from inventory_lines where org_id = ${orgId} and inventory_item_id = inventory.id) as "useCount",
    (select coalesce(json_agg(used), '[]') from (
      select line.id as "lineId", ticket.id as "jobId", ticket_number as number,
        coalesce(service_required, 'Job without a title') as title, customer_name as customer, line.quantity, line.created_at as at
      from inventory_lines line join tickets ticket on ticket.org_id = ${orgId} and ticket.id = line.ticket_id
      where line.org_id = ${orgId} and line.inventory_item_id = inventory.id
      order by line.created_at desc, line.id desc limit ${perList}::int) used) as uses,
    (select coalesce(json_agg(made), '[]') from (
      select id, quantity_delta as delta, quantity_after as after, reason, maker_name as by, created_at as at
      from stock_corrections where org_id = ${orgId} and item_id = inventory.id
      order by created_at desc, id desc limit ${perList}::int) made) as corrections
  from inventory where org_id = ${orgId} and id = ${itemId}`
