// What the sample shop counted and bought: corrections of its stock, with their reasons.
import { type Queryable, sql } from '../../db/database.ts'
import { dayMs } from '../../domain/durations.ts'
import { newId } from '../../operations/ids.ts'
import { baseColumns, insertRows } from './rows.ts'
import type { ShopSetup } from './shop-setup.ts'
import type { Week } from './week.ts'

/** SKU, how many days ago, the change, what was on hand after it, and why. */
const counted: readonly (readonly [string, number, number, number, string])[] = [
  ['FP5-DISPLAY', 34, 4, 6, 'Delivery from Fairphone'],
  ['FP5-DISPLAY', 12, -1, 5, 'Cracked when it was unpacked'],
  ['PORT-USBC', 12, -3, 22, 'Counted: three fewer than on the list'],
  ['BOILER-KIT', 5, 6, 9, 'Delivery from Thames Spares'],
]

/** Once: what is on hand is what the last of them says. */
export async function addCorrections(
  transaction: Queryable,
  orgId: string,
  { parts, members }: ShopSetup,
  { now }: Week,
): Promise<void> {
  const known = await transaction.query(sql`select from stock_corrections where org_id = ${orgId} limit 1`)
  if (known.length > 0) return
  const [maker] = members.values()
  const rows = counted.map(([sku, daysAgo, delta, after, reason]) => ({
    ...baseColumns(orgId, newId('cor'), now - daysAgo * dayMs),
    item_id: parts.get(sku)!.id,
    quantity_delta: delta,
    quantity_after: after,
    reason,
    maker_kind: 'member',
    maker_id: maker!.id,
    maker_name: maker!.name,
  }))
  await insertRows(transaction, 'stock_corrections', rows)
}
