// The report on the work of technicians: jobs closed, hours planned, and what was invoiced for their jobs.
import { sql } from '../../db/database.ts'
import { id, nullable } from '../../operations/fields.ts'
import { t } from '../../operations/schemas.ts'
import {
  type PeriodQuery,
  type PeriodRow,
  periodColumns,
  periodCtes,
  periodFields,
  periodQuery,
  refusePeriod,
} from './period.ts'
import { report, sumOf } from './report.ts'

const workFields = {
  jobsClosed: t.Integer({ examples: [12], description: 'Jobs that were closed in the period.' }),
  hoursPlanned: t.Number({
    decimals: 2,
    examples: [31.5],
    description:
      'How long visits of jobs that begin in the period were planned to take. Those of whole days have no hours.',
  }),
  invoiced: t.Array(
    t.Object({
      currency: t.String({ examples: ['GBP'] }),
      invoices: t.Integer({ examples: [9] }),
      total: t.Number({ decimals: 4, examples: [1_240.5] }),
    }),
    { description: 'Invoices for their jobs that were issued in the period, with tax; neither drafts nor void ones.' },
  ),
}

interface Invoiced {
  readonly currency: string
  readonly invoices: number
  readonly total: number
}

interface WorkRow {
  readonly technicianId: string | null
  readonly technician: string | null
  readonly jobsClosed: number
  readonly hoursPlanned: number
  readonly invoiced: readonly Invoiced[]
}

interface Found extends PeriodRow {
  readonly names: Readonly<Record<string, string>>
  readonly closed: readonly { readonly who: string | null; readonly jobs: number }[]
  readonly planned: readonly { readonly who: string | null; readonly ms: number }[]
  readonly invoiced: readonly (Invoiced & { readonly who: string | null })[]
}

/** A year of invoices with their jobs is what can be read while somebody waits. */
const maxDays = 400

/**
 * The jobs of these invoices lie near each other, since ids follow the clock: read from the first to the last they take a
 * third of the time of looking each of them up. `offset 0` keeps the planner from doing that.
 */
const jobsBetweenEnds = (orgId: string) => sql`
  select id, assigned_technician from tickets where org_id = ${orgId}
    and id >= (select ends.first from ends) and id <= (select ends.last from ends) offset 0`

/** Two decimal places: less than a minute. */
const toHours = (ms: number): number => Math.round(ms / 36_000) / 100

export const technicians = report<PeriodQuery, Found>({
  name: 'technicians',
  summary: 'Report the work of each technician: jobs closed, hours planned, invoiced',
  advice: 'Work goes to whoever the job is assigned to now. The row without a technician is work of nobody.',
  needs: ['tickets:read', 'invoices:read', 'members:read'],
  query: periodQuery,
  about: periodFields,
  row: t.Object({
    technicianId: nullable(id()),
    technician: nullable(t.String({ examples: ['Tess Moreau'] })),
    ...workFields,
  }),
  total: t.Object(workFields),
  select: (orgId, query) => sql`
    with ${periodCtes(orgId, query, maxDays)},
    billed as materialized (
      select ticket_id, invoices.currency, total from period join invoices on org_id = ${orgId} and status = 'sent'
        and issued_at >= since and issued_at < until),
    ends as (select min(ticket_id) as first, max(ticket_id) as last from billed)
    select ${periodColumns},
      (select coalesce(json_object_agg(id, trim(first_name || ' ' || coalesce(last_name, ''))), '{}')
        from members where org_id = ${orgId}) as names,
      (select coalesce(json_agg(work), '[]') from (
        select assigned_technician as who, count(*) as jobs from tickets
        where org_id = ${orgId} and closed_at >= since and closed_at < until group by 1) work) as closed,
      (select coalesce(json_agg(work), '[]') from (
        select assigned_technician as who, sum(date_part('epoch', scheduled_to - scheduled_from) * 1000) as ms from tickets
        where org_id = ${orgId} and scheduled_from >= since and scheduled_from < until and not scheduled_all_day group by 1) work) as planned,
      (select coalesce(json_agg(work), '[]') from (
        select assigned_technician as who, currency, count(*) as invoices, sum(total) as total
        from billed left join (${jobsBetweenEnds(orgId)}) job on job.id = billed.ticket_id
        group by 1, 2) work) as invoiced
    from period`,
  figures(row) {
    refusePeriod(row, maxDays)
    const { from, to, timeZone, names, closed, planned, invoiced } = row
    const who = new Set([...closed, ...planned, ...invoiced].map((one) => one.who))
    const rows = [...who].map((technicianId): WorkRow => {
      const isTheirs = (one: { readonly who: string | null }) => one.who === technicianId
      return {
        technicianId,
        technician: technicianId === null ? null : (names[technicianId] ?? null),
        jobsClosed: closed.find(isTheirs)?.jobs ?? 0,
        hoursPlanned: toHours(planned.find(isTheirs)?.ms ?? 0),
        invoiced: byCurrency(invoiced.filter(isTheirs)),
      }
    })
    const total = {
      jobsClosed: closed.reduce((sum, { jobs }) => sum + jobs, 0),
      hoursPlanned: toHours(planned.reduce((sum, { ms }) => sum + ms, 0)),
      invoiced: byCurrency(invoiced),
    }
    return { from, to, timeZone, rows: rows.sort(byName), totals: [total] }
  },
  table({ rows, totals }) {
    const currencies = (totals as unknown as readonly WorkRow[])[0]!.invoiced.map(({ currency }) => currency)
    const cells = (rows as unknown as readonly WorkRow[]).map((row) => [
      row.technicianId,
      row.technician,
      row.jobsClosed,
      row.hoursPlanned,
      ...currencies.map((one) => row.invoiced.find(({ currency }) => currency === one)?.total ?? 0),
    ])
    const header = ['technicianId', 'technician', 'jobsClosed', 'hoursPlanned']
    return [[...header, ...currencies.map((currency) => `invoiced ${currency}`)], ...cells]
  },
})

const byCurrency = (some: readonly Invoiced[]): Invoiced[] =>
  [...Map.groupBy(some, ({ currency }) => currency)]
    .map(([currency, all]) => ({
      currency,
      invoices: all.reduce((sum, { invoices }) => sum + invoices, 0),
      total: sumOf(all.map(({ total }) => total)),
    }))
    .sort((one, other) => (one.currency < other.currency ? -1 : 1))

/** What nobody has comes last. */
function byName(one: WorkRow, other: WorkRow): number {
  if (one.technicianId === null || other.technicianId === null) return one.technicianId === null ? 1 : -1
  const [a, b] = [one.technician ?? '', other.technician ?? '']
  return a === b ? (one.technicianId < other.technicianId ? -1 : 1) : a < b ? -1 : 1
}
