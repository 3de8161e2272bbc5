// The period of a report as a caller gives it, and as SQL: days of the shop, which begin at midnight on its walls.
import { raw, type Sql, sql } from '../../db/database.ts'
import { type Grouping, groupings, longestPeriod, periodProblem } from '../../domain/report-periods.ts'
import { badRequest } from '../../operations/errors.ts'
import { day, oneOf } from '../../operations/fields.ts'
import { t } from '../../operations/schemas.ts'

export const periodQuery = {
  from: t.Optional(
    day({ examples: ['2026-11-01'], description: 'The first day; the first of the month of `to` if left out.' }),
  ),
  to: t.Optional(
    day({
      examples: ['2026-11-16'],
      description: 'The last day, inclusive; today where the organisation is if left out.',
    }),
  ),
}

const defaultGrouping: Grouping = 'week'

export const groupQuery = {
  groupBy: t.Optional(oneOf(groupings, { default: defaultGrouping, description: 'Weeks begin on Monday.' })),
}

/** What every report of a period says of it. */
export const periodFields = {
  from: t.String({ format: 'date', examples: ['2026-11-01'] }),
  to: t.String({ format: 'date', examples: ['2026-11-16'] }),
  timeZone: t.String({ examples: ['Europe/London'] }),
}

/** The day that names a group. */
export const startField = t.String({
  format: 'date',
  examples: ['2026-11-16'],
  description: 'The first day of the group, also where the period begins within it.',
})

export interface PeriodQuery {
  readonly from?: string
  readonly to?: string
  readonly groupBy?: Grouping
}

/** What a statement over a period tells of it. */
export interface PeriodRow {
  readonly from: string
  readonly to: string
  readonly timeZone: string
}

/**
 * The first moment of a day. Where midnight comes twice, because clocks are put back over it, PostgreSQL takes the second;
 * the hour between belongs to the day all the same.
 */
export const midnight = (date: string, zone: string): string => {
  const late = `((${date})::timestamp at time zone ${zone})`
  return `case when (${late} - interval '1 hour') at time zone ${zone} >= (${date})::timestamp
    then ${late} - interval '1 hour' else ${late} end`
}

/** The shop's clock: `shop` has one row, with `zone`, `currency` and `today`. */
export const shopCte = (orgId: string): Sql => sql`
  shop as (select time_zone as zone, currency, (now() at time zone time_zone)::date as today
    from organisations where org_id = ${orgId})`

/** One row, with the moments between which the period lies; they are null where it is too long, and then nothing is read. */
export const periodCtes = (orgId: string, { from, to }: PeriodQuery, maxDays: number): Sql => sql`${shopCte(orgId)},
  days as (
    select zone, coalesce(${to}::date, today) as last,
      coalesce(${from}::date, date_trunc('month', coalesce(${to}::date, today))::date) as first
    from shop),
  period as (
    select first, last, zone, ${raw(midnight('first', 'zone'))} as since,
      case when last - first < ${raw(String(maxDays))} then ${raw(midnight('last + 1', 'zone'))} end as until
    from days)`

/** And its groups: `spans` has a row for each, with the moments between which it lies. */
export const spanCtes = (orgId: string, query: PeriodQuery): Sql => {
  const grouping = query.groupBy ?? defaultGrouping
  const [name, step] = [raw(`'${grouping}'`), raw(`interval '1 ${grouping}'`)]
  return sql`${periodCtes(orgId, query, longestPeriod(grouping))},
  spans as (
    select group_start::date as start,
      ${raw(midnight('greatest(group_start::date, first)', 'zone'))} as since,
      ${raw(midnight(`least((group_start + interval '1 ${grouping}')::date, last + 1)`, 'zone'))} as until
    from period, generate_series(date_trunc(${name}, first::timestamp), case when until is not null then last end::timestamp, ${step}) group_start)`
}

/** For the list of columns of a statement on `period`. */
export const periodColumns = raw(
  `to_char(first, 'YYYY-MM-DD') as "from", to_char(last, 'YYYY-MM-DD') as "to", zone as "timeZone"`,
)
export const startText = raw(`to_char(start, 'YYYY-MM-DD')`)

/** Judged with the days that the shop's clock filled in. */
export function refusePeriod({ from, to }: PeriodRow, maxDays: number): void {
  const problem = periodProblem(from, to, maxDays)
  if (problem) throw badRequest(problem)
}

export const refuseGroups = (period: PeriodRow, { groupBy = defaultGrouping }: PeriodQuery): void =>
  refusePeriod(period, longestPeriod(groupBy))
