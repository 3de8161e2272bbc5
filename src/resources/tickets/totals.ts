// What a job's lines add up to, worked out when somebody asks.
import { sql } from '../../db/database.ts'
import { type Discount, type PricedLine, type Totals, totals } from '../../domain/totals.ts'
import { notFound } from '../../operations/errors.ts'
import { id, nullable } from '../../operations/fields.ts'
import { type Context, operation, type Statement, statement } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'

const amount = (example: number) => t.Number({ examples: [example] })

export const taxTotal = t.Object(
  {
    taxRateId: nullable(id()),
    name: t.String({ examples: ['VAT'] }),
    rate: t.Number({ examples: [20], description: 'Percent.' }),
    isInclusive: t.Boolean({ examples: [false] }),
    taxable: amount(105),
    amount: amount(21),
  },
  { title: 'TaxTotal' },
)

/** The sums every document has. */
const totalFields = {
  subtotal: amount(105),
  discountTotal: amount(0),
  netTotal: amount(105),
  taxTotal: amount(21),
  total: amount(126),
  taxes: t.Array(taxTotal),
}

export const totalsOperation = operation('GET /tickets/:ticketId/totals', {
  name: 'getTicketTotals',
  summary: "Add up a job's lines, discount and taxes",
  returns: t.Object(
    {
      currency: t.String({ examples: ['GBP'] }),
      serviceSubtotal: amount(80),
      inventorySubtotal: amount(25),
      ...totalFields,
    },
    { title: 'Totals' },
  ),
  run: ({ params: { ticketId } }, ctx) => selectTicketTotals(ctx, ticketId),
})

const lineColumns = sql`quantity, unit_price as "unitPrice",
  case when tax_rate is not null then tax_rate || jsonb_build_object('taxRateId', tax_rate_id) end as tax`

const selectTicketTotals = ({ orgId }: Context, ticketId: string): Statement<Totals> =>
  statement(
    sql`select currency, discount, coalesce(
          (select json_agg(line) from (
            select 'service' as kind, ${lineColumns} from service_lines where org_id = ${orgId} and ticket_id = ${ticketId}
            union all
            select 'inventory' as kind, ${lineColumns} from inventory_lines where org_id = ${orgId} and ticket_id = ${ticketId}
          ) line), '[]') as lines
        from tickets join organisations using (org_id) where org_id = ${orgId} and tickets.id = ${ticketId}`,
    ([job]: { currency: string; discount: Discount | null; lines: PricedLine[] }[]) => {
      if (!job) throw notFound('job')
      return totals(job.lines, job.discount, job.currency)
    },
  )
