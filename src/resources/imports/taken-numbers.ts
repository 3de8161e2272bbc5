// Numbers that documents of a batch had, and that others have here: those get one of ours, and whoever brings them is told.
import { raw, sql } from '../../db/database.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import type { Plan } from './plan.ts'

/** All of a batch are asked for at once. Those that are the same document are told nothing: they keep their number. */
export async function findTakenNumbers(
  ctx: Context,
  planned: readonly { readonly draft: { readonly kind: string }; readonly plan: Plan }[],
): Promise<ReadonlySet<string>> {
  const kind = planned[0]?.draft.kind
  const numbers = planned.flatMap(({ plan }) => plan.number ?? [])
  if (numbers.length === 0 || (kind !== 'quotes' && kind !== 'invoices')) return new Set()
  return new Set(await ctx.query(selectTaken(ctx, kind, numbers)))
}

export const takenWords = (number: string): string => `the number ${number} is taken here: it gets one of ours`

const selectTaken = (
  { orgId }: Context,
  kind: 'quotes' | 'invoices',
  numbers: readonly string[],
): Statement<string[]> => {
  const column = raw(kind === 'quotes' ? 'quote_number' : 'invoice_number')
  return statement(
    sql`select ${column} as number from ${raw(kind)} where org_id = ${orgId} and ${column} = any(${numbers})`,
    (rows: { number: string }[]) => rows.map(({ number }) => number),
  )
}
