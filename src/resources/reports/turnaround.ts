// The report on how long jobs took from being made to being closed.
import { raw, type Sql, sql } from '../../db/database.ts'
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
import { report } from './report.ts'

interface TurnaroundRow {
  /** Null for the whole period. */
  readonly start: string | null
  readonly jobs: number
  /** Milliseconds: the two times between which the median lies, and those of nine tenths. Nulls where there are none. */
  readonly around: readonly (number | null)[]
}

const hours = (description: string) =>
  nullable(t.Number({ decimals: 2, examples: [26.5], description: `${description} Null where no job was closed.` }))

const turnaroundFields = {
  jobs: t.Integer({ examples: [12], description: 'Jobs that were closed.' }),
  medianHours: hours('Half of them took as long at most, from being made to being closed.'),
  p90Hours: hours('Nine of ten took as long at most.'),
}

/** Two decimal places: less than a minute. */
const toHours = (ms: number): number => Math.round(ms / 36_000) / 100

/** Between the two times where so many tenths of the others are before it, as spreadsheets do it. */
function hoursAt(tenths: number, jobs: number, low: number | null | undefined, high: number | null | undefined) {
  if (typeof low !== 'number' || typeof high !== 'number') return null
  return toHours(low + ((high - low) * ((tenths * (jobs - 1)) % 10)) / 10)
}

const durations = ({ jobs, around: [low5, high5, low9, high9] }: TurnaroundRow) => ({
  jobs,
  medianHours: hoursAt(5, jobs, low5, high5),
  p90Hours: hoursAt(9, jobs, low9, high9),
})

const jobTimes = (orgId: string): Sql => sql`
  select (date_part('epoch', closed_at - created_at) * 1000)::bigint as ms from tickets
  where org_id = ${orgId} and closed_at >= since and closed_at < until`

/** Of so many times in order, the two around the place that has so many tenths of the others before it. */
const around = (tenths: number, times: string, jobs: string, before = '0'): string =>
  `${times}[1 + ${tenths} * (${jobs} - 1) / 10 - ${before}], ${times}[1 + (${tenths} * (${jobs} - 1) + 9) / 10 - ${before}]`

/** Of times in order, how many are below a bound, and how many are not above it: found by halving, not by reading. */
const below = (bound: string): string => `width_bucket(${bound} - 1, times)`
const upTo = (bound: string): string => `width_bucket(${bound}, times)`

/**
 * Jobs are read and sorted once, by group. For the whole period they are not sorted again: its median lies between the lowest
 * and the highest of the groups' medians, so those between are put in order, and what is below is counted. The same goes for
 * nine tenths.
 */
export const turnaround = report<PeriodQuery, PeriodRow & { found: readonly TurnaroundRow[] }>({
  name: 'turnaround',
  summary: 'Report how long jobs took from being made to being closed',
  advice: 'How long customers wait. It counts jobs by when they were closed.',
  needs: ['tickets:read'],
  query: { ...periodQuery, ...groupQuery },
  about: periodFields,
  row: t.Object({ start: startField, ...turnaroundFields }),
  total: t.Object(turnaroundFields),
  select: (orgId, query) => sql`
    with ${spanCtes(orgId, query)},
    sorted as materialized (
      select start, times, cardinality(times) as jobs
      from (select start, array(${jobTimes(orgId)} order by 1) as times from spans offset 0) its),
    groups as materialized (
      select start, jobs, array[${raw(around(5, 'times', 'jobs'))}, ${raw(around(9, 'times', 'jobs'))}] as around from sorted),
    bounds as (
      select min(around[1]) as low5, max(around[2]) as high5, min(around[3]) as low9, max(around[4]) as high9 from groups),
    near as (
      select coalesce(sum(jobs), 0)::int as jobs,
        sum(${raw(below('low5'))})::int as below5, sum(${raw(below('low9'))})::int as below9,
        array(select unnest(times[${raw(below('low5'))} + 1 : ${raw(upTo('high5'))}]) from sorted, bounds order by 1) as near5,
        array(select unnest(times[${raw(below('low9'))} + 1 : ${raw(upTo('high9'))}]) from sorted, bounds order by 1) as near9
      from sorted, bounds offset 0),
    whole as (
      select jobs, array[${raw(around(5, 'near5', 'jobs', 'below5'))}, ${raw(around(9, 'near9', 'jobs', 'below9'))}] as around from near)
    select ${periodColumns},
      (select coalesce(json_agg(json_build_object('start', ${startText}, 'jobs', jobs, 'around', around) order by start), '[]')
        from (select start, jobs, around from groups union all select null, jobs, around from whole) found) as found
    from period`,
  figures(row, query) {
    refuseGroups(row, query)
    const { from, to, timeZone, found } = row
    const groups = found.filter(({ start }) => start !== null)
    return {
      from,
      to,
      timeZone,
      rows: groups.map((group) => ({ start: group.start, ...durations(group) })),
      totals: found.filter(({ start }) => start === null).map(durations),
    }
  },
})
