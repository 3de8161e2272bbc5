// What all schedules of an organisation plan between two moments, for a calendar: one statement, and nothing is stored.
import { type Sql, sql } from '../../db/database.ts'
import { minuteMs } from '../../domain/durations.ts'
import { plannedVisits } from '../../domain/visits.ts'
import { scheduleColumns, withPlan } from './schedule-plan.ts'

export interface PlannedOccurrence {
  readonly scheduleId: string
  readonly index: number
  readonly from: Date
  readonly to: Date
  readonly title: string
  readonly technician: string | null
  readonly customer: string | null
}

type PlannedRow = Parameters<typeof withPlan>[0] & {
  readonly customerName: string | null
  readonly takenIndexes: readonly number[]
  readonly takenSlots: readonly Date[]
  /** Kept from an earlier shape; moments as JSON has them. */
  readonly kept: readonly { readonly index: number; readonly from: string; readonly to: string }[]
}

const maxSchedules = 500

/** Those that are under way and have something planned before the end; how often each visits is bounded by the time between. */
export const selectPlanned = (orgId: string, from: Date, to: Date): Sql => {
  const visits = sql`recurring_occurrences visit where visit.org_id = ${orgId} and visit.schedule_id = recurring_schedules.id`
  const near = sql`visit.original_from > ${from}::timestamptz - make_interval(mins => duration_minutes) and visit.original_from < ${to}`
  return sql`
    select ${scheduleColumns},
      (select coalesce(business_name, concat_ws(' ', first_name, last_name)) from customers
        where customers.org_id = ${orgId} and customers.id = recurring_schedules.customer_id) as "customerName",
      array(select visit.index from ${visits} and ${near}) as "takenIndexes",
      array(select visit.original_from from ${visits} and ${near} and visit.status <> 'cancelled') as "takenSlots",
      (select coalesce(json_agg(json_build_object('index', visit.index, 'from', visit.starts_at, 'to', visit.ends_at)), '[]')
        from ${visits} and visit.status = 'planned' and visit.starts_at < ${to} and visit.ends_at > ${from}) as kept
    from recurring_schedules
    where org_id = ${orgId} and status = 'active' and next_planned_at < ${to}
    order by next_planned_at, id limit ${maxSchedules}::int`
}

export function plannedBetween(rows: readonly PlannedRow[], from: Date, to: Date): PlannedOccurrence[] {
  return rows.flatMap((row) => {
    const { id, serviceRequired, assignedTechnician, customerName, durationMinutes, plan } = withPlan(
      row,
    ) as PlannedRow & ReturnType<typeof withPlan>
    const named = (visit: { readonly index: number; readonly from: Date; readonly to: Date }): PlannedOccurrence => ({
      scheduleId: id,
      index: visit.index,
      from: visit.from,
      to: visit.to,
      title: serviceRequired,
      technician: assignedTechnician,
      customer: customerName,
    })
    const taken = { indexes: new Set(row.takenIndexes), slots: new Set(row.takenSlots.map(Number)) }
    const found = row.kept.map((visit) => named({ ...visit, from: new Date(visit.from), to: new Date(visit.to) }))
    for (const visit of plannedVisits(plan, taken, from.getTime() - durationMinutes * minuteMs + 1)) {
      if (visit.from >= to) break
      found.push(named(visit))
    }
    return found
  })
}
