// The report on jobs: how many were opened and closed.
import { sql } from '../../db/database.ts'
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

const number = (description: string) => t.Integer({ examples: [12], description })

interface JobsRow {
  readonly start: string
  readonly opened: number
  readonly closed: number
}

const jobFields = {
  opened: number('Jobs that were made.'),
  closed: number('Jobs that were closed then, and are closed still.'),
}

export const jobs = report<PeriodQuery, PeriodRow & { found: readonly JobsRow[] }>({
  name: 'jobs',
  summary: 'Report how many jobs were opened and closed',
  advice: 'How busy the shop is, and whether work piles up.',
  needs: ['tickets:read'],
  query: { ...periodQuery, ...groupQuery },
  about: periodFields,
  row: t.Object({ start: startField, ...jobFields }),
  total: t.Object(jobFields),
  select: (orgId, query) => sql`
    with ${spanCtes(orgId, query)}
    select ${periodColumns},
      (select coalesce(json_agg(json_build_object('start', ${startText}, 'opened', opened, 'closed', closed) order by start), '[]')
        from spans
        cross join lateral (select count(*) as opened from tickets
          where org_id = ${orgId} and created_at >= since and created_at < until) made
        cross join lateral (select count(*) as closed from tickets
          where org_id = ${orgId} and closed_at >= since and closed_at < until) done) as found
    from period`,
  figures(row, query) {
    refuseGroups(row, query)
    const { from, to, timeZone, found: rows } = row
    const sum = (field: 'opened' | 'closed') => rows.reduce((all, one) => all + one[field], 0)
    return { from, to, timeZone, rows, totals: [{ opened: sum('opened'), closed: sum('closed') }] }
  },
})
