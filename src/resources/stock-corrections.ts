// Corrections of stock: what somebody counted, bought or lost, with the reason. What jobs use is told by their lines.
import { actorKinds } from '../db/actor.ts'
import { type Sql, sql } from '../db/database.ts'
import type { Json } from '../operations/answers.ts'
import { actorFor } from '../operations/context.ts'
import { read } from '../operations/crud.ts'
import { decimal, id, nullable, oneOf, optional, text } from '../operations/fields.ts'
import { exampleId } from '../operations/ids.ts'
import { type Context, operation, type Statement } from '../operations/operation.ts'
import { t } from '../operations/schemas.ts'
import { paging, table } from '../operations/table.ts'

const maxQuantity = 99_999_999_999
const maxDelta = 2 * maxQuantity

export const reasonField = optional(
  text(500, { examples: ['Counted: two were damaged'], description: 'Why the quantity is corrected; kept with it.' }),
)

export const corrections = table({
  name: 'stock_corrections',
  listKey: 'corrections',
  noun: 'stock correction',
  prefix: 'cor',
  parent: { table: 'inventory', column: 'item_id', noun: 'inventory item' },
  writable: { reason: reasonField },
  readOnly: {
    quantityDelta: decimal(4, -maxDelta, maxDelta, { examples: [-2], description: 'What was added, or taken away.' }),
    quantityAfter: decimal(4, -maxQuantity, maxQuantity, { examples: [10], description: 'What was on hand after it.' }),
    madeBy: t.Object(
      {
        kind: oneOf(actorKinds, { examples: ['member'] }),
        id: nullable(id({ examples: [exampleId('mem')] })),
        name: nullable(t.String({ examples: ['Tess Moreau'] })),
      },
      { description: 'The key, app or member.' },
    ),
  },
  read: {
    madeBy: `json_build_object('kind', stock_corrections.maker_kind, 'id', stock_corrections.maker_id, 'name', stock_corrections.maker_name)`,
  },
  // They go with their item, which tells of it.
  event: { changes: ['created'] },
  order: { column: 'created_at', type: 'timestamptz', direction: 'desc' },
})

const path = '/inventory/:itemId/corrections'

export const correctionOperations = [
  operation(`GET ${path}`, {
    name: 'listStockCorrections',
    summary: 'List the corrections of an item’s stock, newest first',
    query: t.Object(paging),
    returns: corrections.list,
    run: ({ params: { itemId }, query }, ctx) => corrections.page(ctx, query, { parentId: itemId }),
  }),
  read(`${path}/:correctionId`, corrections),
]

/** Who is said to have made it is who makes the change. */
export function keepCorrection(
  ctx: Context,
  itemId: string,
  { delta, after, reason }: { readonly delta: Sql; readonly after: number; readonly reason: string | null | undefined },
): Statement<Json> {
  const { kind, id: makerId, name } = actorFor(ctx.caller)
  return corrections.insert(
    ctx,
    { reason },
    {
      parentId: itemId,
      columns: {
        quantity_delta: delta,
        quantity_after: sql`${after}::numeric(15, 4)`,
        maker_kind: kind,
        maker_id: makerId,
        maker_name: name,
      },
    },
  )
}
