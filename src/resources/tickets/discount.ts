// A job's discount: at most one, a percentage or a sum.
import { type Query, returning, sql } from '../../db/database.ts'
import { decimalPlaces, decimalsOf, toScaled } from '../../domain/money.ts'
import { Json } from '../../operations/answers.ts'
import { badRequest, notFound } from '../../operations/errors.ts'
import { nullable } from '../../operations/fields.ts'
import { type Context, operation, type Statement, statement } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { type Discount, discount, maxDiscount } from './discount-record.ts'
import { refusePrices } from './own-jobs.ts'
import { tickets } from './record.ts'

const nullableDiscount = nullable(discount)
const path = '/tickets/:ticketId/discount'

export const discountOperations = [
  operation(`GET ${path}`, {
    name: 'getTicketDiscount',
    summary: "Read a job's discount; null if there is none",
    returns: nullableDiscount,
    lock: ({ ticketId }, ctx) => ctx.query(tickets.lock(ctx, ticketId)),
    run: ({ params: { ticketId } }, ctx) => discountStatement(selectDiscount(ctx.orgId, ticketId)),
  }),

  operation(`PUT ${path}`, {
    name: 'setTicketDiscount',
    summary: "Set a job's discount",
    body: discount,
    returns: nullableDiscount,
    transaction: true,
    async run({ params: { ticketId }, body }, ctx) {
      refusePrices(ctx, { discount: body })
      refuseOutOfRange(body, await ctx.query(selectCurrency(ctx)))
      return ctx.query(
        storeDiscount(ctx, ticketId, { type: body.type, value: body.value, reason: body.reason ?? null }),
      )
    },
  }),

  operation(`DELETE ${path}`, {
    name: 'removeTicketDiscount',
    summary: "Take a job's discount away",
    needs: ['tickets:write'],
    returns: t.Object({ message: t.String(), id: t.String() }),
    transaction: true,
    async run({ params: { ticketId } }, ctx) {
      refusePrices(ctx, { discount: null })
      await ctx.query(storeDiscount(ctx, ticketId, null))
      return { message: 'Discount removed', id: ticketId }
    },
  }),
]

export function refuseOutOfRange({ type, value }: Discount, currency: string, name = 'value'): void {
  const [ceiling, decimals] = type === 'percent' ? [100, decimalPlaces] : [maxDiscount, decimalsOf(currency)]
  if (value < 0 || value > ceiling) throw badRequest(`${name} must be between 0 and ${ceiling}`)
  if (toScaled(value, decimals) === undefined) throw badRequest(`${name} must have at most ${decimals} decimal places`)
}

const selectCurrency = ({ orgId }: Context): Statement<string> =>
  statement(
    sql`select currency from organisations where org_id = ${orgId}`,
    ([row]: { currency: string }[]) => row!.currency,
  )

const discountJson = sql`(select to_json(d) from jsonb_to_record(discount) d (type text, value numeric, reason text)
  where discount is not null)::text as data`

const selectDiscount = (orgId: string, ticketId: string) =>
  sql`select ${discountJson} from tickets where org_id = ${orgId} and id = ${ticketId}`

const storeDiscount = ({ orgId }: Context, ticketId: string, value: Discount | null): Statement<Json> =>
  discountStatement(
    returning(
      sql`update tickets set discount = ${value && JSON.stringify(value)}::jsonb, updated_at = now()
          where org_id = ${orgId} and id = ${ticketId}`,
      discountJson,
      selectDiscount(orgId, ticketId),
    ),
  )

const discountStatement = (query: Query): Statement<Json> =>
  statement(query, ([row]: { data: string | null }[]) => {
    if (!row) throw notFound('job')
    return new Json(row.data ?? 'null')
  })
