// The report on quotes: how many were made, and what became of them.
import { sql } from '../../db/database.ts'
import { nullable } from '../../operations/fields.ts'
import { t } from '../../operations/schemas.ts'
import {
  groupQuery,
  type PeriodQuery,
  type PeriodRow,
  periodColumns,
  periodFields,
  periodQuery,
  refuseGroups,
  spanCtes,
  startField,
  startText,
} from './period.ts'
import { byGroupAndCurrency, report, totalsByCurrency } from './report.ts'

const number = (description: string) => t.Integer({ examples: [7], description })
const amount = (description: string) => t.Number({ decimals: 4, examples: [2_150], description })

const quoteFields = {
  currency: t.String({ examples: ['GBP'] }),
  made: number('Quotes that were written in the group, whatever became of them since.'),
  accepted: number('Of those, accepted or invoiced by now.'),
  declined: number('Of those, declined by now.'),
  open: number('Of those, without an answer so far: drafts, sent ones, and those that have expired.'),
  madeTotal: amount('What the quotes come to, with tax.'),
  acceptedTotal: amount('What the accepted ones come to.'),
  rateWon: nullable(
    t.Number({
      examples: [62.5],
      description: 'Accepted ones of those with an answer, in per cent; null without any.',
    }),
  ),
}

interface QuotesRow {
  readonly start: string
  readonly currency: string
  readonly made: number
  readonly accepted: number
  readonly declined: number
  readonly open: number
  readonly madeTotal: number
  readonly acceptedTotal: number
}

interface Found extends PeriodRow {
  readonly currency: string
  readonly starts: readonly string[]
  readonly found: readonly QuotesRow[]
}

const sums = ['made', 'accepted', 'declined', 'open', 'madeTotal', 'acceptedTotal'] as const
const nothing = { made: 0, accepted: 0, declined: 0, open: 0, madeTotal: 0, acceptedTotal: 0 }

/** In per cent, with one decimal place. */
function withRate<Row extends { readonly accepted: number; readonly declined: number }>(row: Row) {
  const answered = row.accepted + row.declined
  return { ...row, rateWon: answered === 0 ? null : Math.round((row.accepted / answered) * 1_000) / 10 }
}

export const quotes = report<PeriodQuery, Found>({
  name: 'quotes',
  summary: 'Report how many quotes were made, and how many of them were won',
  advice: 'A quote counts where it was written; what became of it may have happened later.',
  needs: ['quotes:read'],
  query: { ...periodQuery, ...groupQuery },
  about: periodFields,
  row: t.Object({ start: startField, ...quoteFields }),
  total: t.Object(quoteFields),
  select: (orgId, query) => sql`
    with ${spanCtes(orgId, query)}
    select ${periodColumns}, (select currency from shop) as currency,
      (select coalesce(json_agg(${startText} order by start), '[]') from spans) as starts,
      (select coalesce(json_agg(json_build_object('start', ${startText}, 'currency', offered.currency, 'made', made,
          'accepted', accepted, 'declined', declined, 'open', made - accepted - declined,
          'madeTotal', made_total, 'acceptedTotal', accepted_total)), '[]')
        from spans cross join lateral (
          select quotes.currency, count(*) as made, sum(total) as made_total,
            count(*) filter (where status in ('accepted', 'invoiced')) as accepted,
            coalesce(sum(total) filter (where status in ('accepted', 'invoiced')), 0) as accepted_total,
            count(*) filter (where status = 'declined') as declined
          from quotes where org_id = ${orgId} and created_at >= since and created_at < until
          group by quotes.currency) offered) as found
    from period`,
  figures(row, query) {
    refuseGroups(row, query)
    const { from, to, timeZone, starts, found, currency } = row
    const rows = byGroupAndCurrency(starts, found, currency, nothing)
    return { from, to, timeZone, rows: rows.map(withRate), totals: totalsByCurrency(rows, sums).map(withRate) }
  },
})
