// Reports on money: what came in, and what is still owed.
import { raw, sql } from '../../db/database.ts'
import { oneOf } from '../../operations/fields.ts'
import { t } from '../../operations/schemas.ts'
import {
  groupQuery,
  midnight,
  type PeriodQuery,
  type PeriodRow,
  periodColumns,
  periodFields,
  periodQuery,
  refuseGroups,
  shopCte,
  spanCtes,
  startField,
  startText,
} from './period.ts'
import { byGroupAndCurrency, report, sumOf, totalsByCurrency } from './report.ts'

const currency = t.String({ examples: ['GBP'] })
const amount = (description: string) => t.Number({ decimals: 4, examples: [126], description })
const number = (description: string) => t.Integer({ examples: [3], description })

const moneyFields = {
  currency,
  received: amount('All payments.'),
  refunded: amount('All refunds, as a number above zero.'),
  net: amount('What was received less what was refunded.'),
  payments: number('How many payments.'),
  refunds: number('How many refunds.'),
}

interface MoneyRow {
  readonly start: string
  readonly currency: string
  readonly received: number
  readonly refunded: number
  readonly payments: number
  readonly refunds: number
}

interface GroupedRow<Row> extends PeriodRow {
  readonly currency: string
  readonly starts: readonly string[]
  readonly found: readonly Row[]
}

/** A payment has the currency of its invoice. Where all invoices have one, which an index tells, none is looked at. */
const paymentSums = raw(`coalesce(sum(amount) filter (where amount > 0), 0) as received,
  coalesce(-sum(amount) filter (where amount < 0), 0) as refunded,
  count(*) filter (where amount > 0) as payments, count(*) filter (where amount < 0) as refunds`)

export const moneyIn = report<PeriodQuery, GroupedRow<MoneyRow>>({
  name: 'money-in',
  summary: 'Report what came in, by when it was paid: payments, refunds, and the difference',
  advice: 'Takings of a day, week or month. What was invoiced is not money in.',
  needs: ['payments:read', 'invoices:read'],
  query: { ...periodQuery, ...groupQuery },
  about: periodFields,
  row: t.Object({ start: startField, ...moneyFields }),
  total: t.Object(moneyFields),
  select: (orgId, query) => sql`
    with ${spanCtes(orgId, query)},
    currencies as (select min(currency) as lowest, max(currency) as highest from invoices where org_id = ${orgId})
    select ${periodColumns}, (select currency from shop) as currency,
      (select coalesce(json_agg(${startText} order by start), '[]') from spans) as starts,
      (select coalesce(json_agg(json_build_object('start', ${startText}, 'currency', money.currency, 'received', received,
          'refunded', refunded, 'payments', payments, 'refunds', refunds)), '[]')
        from spans cross join lateral (
          select (select lowest from currencies) as currency, ${paymentSums} from payments
          where (select lowest = highest from currencies)
            and payments.org_id = ${orgId} and payments.paid_at >= since and payments.paid_at < until
          having count(*) > 0
          union all
          select invoices.currency, ${paymentSums}
          from payments join invoices on invoices.org_id = ${orgId} and invoices.id = payments.invoice_id
          where (select lowest <> highest from currencies)
            and payments.org_id = ${orgId} and payments.paid_at >= since and payments.paid_at < until
          group by invoices.currency) money) as found
    from period`,
  figures(row, query) {
    refuseGroups(row, query)
    const nothing = { received: 0, refunded: 0, payments: 0, refunds: 0 }
    const withNet = byGroupAndCurrency(row.starts, row.found, row.currency, nothing).map(
      ({ start, currency, received, refunded, payments, refunds }) => {
        return { start, currency, received, refunded, net: sumOf([received, -refunded]), payments, refunds }
      },
    )
    const totals = totalsByCurrency(withNet, ['received', 'refunded', 'net', 'payments', 'refunds'])
    const { from, to, timeZone } = row
    return { from, to, timeZone, rows: withNet, totals }
  },
})

/** How late, in days of the shop; the first begins today and has no end, the last has no beginning. */
const ages = [
  { age: 'notDue', from: 0 },
  { age: '1-30', from: 30 },
  { age: '31-60', from: 60 },
  { age: '61-90', from: 90 },
  { age: 'over90', from: undefined },
] as const

const owedFields = {
  currency,
  invoices: number('How many invoices.'),
  balance: amount('What is still to be paid on them.'),
}

interface OwedRow {
  readonly age: string
  readonly currency: string
  readonly invoices: number
  readonly balance: number
}

const agesSql = ages
  .map(({ age, from }, index) => {
    const since = from === undefined ? `'-infinity'::timestamptz` : midnight(`today - ${from}`, 'zone')
    const until = index === 0 ? `'infinity'::timestamptz` : midnight(`today - ${ages[index - 1]!.from}`, 'zone')
    return `select '${age}' as age, ${since} as since, ${until} as until from shop`
  })
  .join(' union all ')

export const receivables = report<
  object,
  { on: string; timeZone: string; currency: string; found: readonly OwedRow[] }
>({
  name: 'receivables',
  summary: 'Report what is still owed today, by how late it is',
  advice: 'How much is owed and for how long. For who owes it: list_invoices with state=overdue.',
  needs: ['invoices:read'],
  query: {},
  about: {
    on: t.String({ format: 'date', examples: ['2026-11-16'], description: 'Today, where the organisation is.' }),
    timeZone: periodFields.timeZone,
  },
  row: t.Object({
    age: oneOf(
      ages.map(({ age }) => age),
      { examples: ['1-30'], description: 'Days since the due date. What is due today is not late yet.' },
    ),
    ...owedFields,
  }),
  total: t.Object(owedFields),
  select: (orgId) => sql`
    with ${shopCte(orgId)}, ages as (${raw(agesSql)})
    select to_char(today, 'YYYY-MM-DD') as "on", zone as "timeZone", currency,
      (select coalesce(json_agg(json_build_object('age', age, 'currency', owed.currency, 'invoices', owed.invoices,
          'balance', owed.balance)), '[]')
        from ages cross join lateral (
          select invoices.currency, count(*) as invoices, sum(balance) as balance from invoices
          where org_id = ${orgId} and status = 'sent' and has_balance and due_at >= since and due_at < until
          group by invoices.currency) owed) as found
    from shop`,
  figures({ on, timeZone, currency: shopCurrency, found }) {
    const asGroups = found.map(({ age, ...row }) => ({ start: age, ...row }))
    const nothing = { invoices: 0, balance: 0 }
    const rows = byGroupAndCurrency(
      ages.map(({ age }) => age),
      asGroups,
      shopCurrency,
      nothing,
    ).map(({ start, currency, invoices, balance }) => ({ age: start, currency, invoices, balance }))
    return { on, timeZone, rows, totals: totalsByCurrency<'invoices' | 'balance'>(rows, ['invoices', 'balance']) }
  },
})
