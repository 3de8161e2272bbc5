// A job's discount: at most one, a percentage or a sum.
import { type Static, Type as t } from 'typebox'
import { badRequest, notFound } from '../../api/errors.ts'
import { nullable, oneOf, optional, text } from '../../api/fields.ts'
import { type Context, Json, operation, type Statement, statement } from '../../api/operation.ts'
import { type Sql, sql } from '../../database.ts'
import { decimalsOf, places, scaled } from '../../domain/money.ts'

const most = 100_000_000
const fields = {
  type: oneOf(['percent', 'fixed'], { examples: ['percent'] }),
  value: t.Number({ examples: [10], description: 'Percent from 0 to 100, or a sum in the currency.' }),
}
export const discount = t.Object(
  { ...fields, reason: optional(text(200, { examples: ['Loyal customer'] })) },
  { title: 'Discount', additionalProperties: false },
)
export type Discount = Static<typeof discount>

const none = nullable(discount)
const path = '/tickets/:ticketId/discount'

export const discountOperations = [
  operation(`GET ${path}`, {
    name: 'getTicketDiscount',
    summary: "Read a job's discount; null if there is none",
    returns: none,
    run: ({ params: { ticketId } }, ctx) =>
      answered(sql`select ${shown} as data from tickets where org_id = ${ctx.orgId} and id = ${ticketId}`),
  }),

  operation(`PUT ${path}`, {
    name: 'setTicketDiscount',
    summary: "Set a job's discount",
    body: discount,
    returns: none,
    async run({ params: { ticketId }, body }, ctx) {
      refuseOutOfRange(body, await ctx.ask(currencyOf(ctx)))
      return ctx.ask(stored(ctx, ticketId, { type: body.type, value: body.value, reason: body.reason ?? null }))
    },
  }),

  operation(`DELETE ${path}`, {
    name: 'removeTicketDiscount',
    summary: "Take a job's discount away",
    needs: ['tickets:write'],
    returns: t.Object({ message: t.String(), id: t.String() }),
    async run({ params: { ticketId } }, ctx) {
      await ctx.ask(stored(ctx, ticketId, null))
      return { message: 'Discount removed', id: ticketId }
    },
  }),
]

export function refuseOutOfRange({ type, value }: Discount, currency: string, name = 'value'): void {
  const [ceiling, decimals] = type === 'percent' ? [100, places] : [most, decimalsOf(currency)]
  if (value < 0 || value > ceiling) throw badRequest(`${name} must be between 0 and ${ceiling}`)
  if (scaled(value, decimals) === undefined) throw badRequest(`${name} must have at most ${decimals} decimal places`)
}

const currencyOf = ({ orgId }: Context): Statement<string> =>
  statement(
    sql`select currency from organisations where org_id = ${orgId}`,
    ([row]: { currency: string }[]) => row!.currency,
  )

const shown = sql`(select to_json(d) from jsonb_to_record(discount) d (type text, value numeric, reason text)
  where discount is not null)::text`

const stored = ({ orgId }: Context, ticketId: string, value: Discount | null): Statement<Json> =>
  answered(sql`update tickets set discount = ${value && JSON.stringify(value)}::jsonb, updated_at = now()
    where org_id = ${orgId} and id = ${ticketId} returning ${shown} as data`)

const answered = (query: Sql): Statement<Json> =>
  statement(query, ([row]: { data: string | null }[]) => {
    if (!row) throw notFound('job')
    return new Json(row.data ?? 'null')
  })
