// One visit of a schedule by its number, planned or stored, with the schedule it belongs to: one statement.
import { sql } from '../../db/database.ts'
import { visitAt } from '../../domain/visits.ts'
import { notFound } from '../../operations/errors.ts'
import { type Statement, type StatementContext, statement } from '../../operations/operation.ts'
import { type ScheduleWithPlan, scheduleColumns, withPlan } from './schedule-plan.ts'
import { asStoredVisit, type StoredVisit, visitColumns } from './visits.ts'

interface Row {
  /** Moments as JSON has them. */
  readonly visit: StoredVisit | null
}

export interface OneOccurrence {
  readonly schedule: ScheduleWithPlan
  readonly visit: StoredVisit
}

export function selectOccurrence(
  { orgId }: Pick<StatementContext, 'orgId'>,
  scheduleId: string,
  index: number,
): Statement<OneOccurrence> {
  return statement(
    sql`select ${scheduleColumns}, (select to_json(one) from (select ${visitColumns} from recurring_occurrences visit
          where visit.org_id = ${orgId} and visit.schedule_id = ${scheduleId} and visit.index = ${index}) one) as visit
        from recurring_schedules where org_id = ${orgId} and id = ${scheduleId}`,
    ([row]: (Parameters<typeof withPlan>[0] & Row)[]) => {
      if (!row) throw notFound('recurring schedule')
      const schedule = withPlan(row)
      if (row.visit) return { schedule, visit: withMoments(row.visit) }
      const planned = schedule.status === 'ended' ? undefined : visitAt(schedule.plan, index, schedule.now)
      if (!planned) throw notFound('visit')
      return { schedule, visit: asStoredVisit(planned) }
    },
  )
}

/** As it comes out of JSON. */
export const withMoments = (visit: StoredVisit): StoredVisit => ({
  ...visit,
  originalFrom: new Date(visit.originalFrom),
  from: new Date(visit.from),
  to: new Date(visit.to),
})
