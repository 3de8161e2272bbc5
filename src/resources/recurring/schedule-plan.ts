// A recurring schedule as those who change it or generate from it need it: its plan, its template, its state.
import { sql } from '../../db/database.ts'
import type { TakenSlots, VisitPlan } from '../../domain/visits.ts'
import { notFound } from '../../operations/errors.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { ruleOf, type Schedule } from './record.ts'

type Moments = 'startsAt' | 'pausedAt' | 'resumesAt' | 'generatedThrough'
type AsDates<T> = { readonly [Field in keyof T]: T[Field] extends string ? Date : Date | null }

/** What is left to do for a schedule after a first step. Moments are texts, as they are kept. */
export interface PendingWork {
  readonly generate?: Progress & { readonly through: string }
  readonly resync?: ResyncWork
  /** It ends at a moment, once everything else is done. */
  readonly end?: Progress & { readonly at: string }
}

interface Progress {
  readonly done: number
  readonly total: number
}

export interface ResyncWork extends Progress {
  readonly from: string
  /** The numbers of the visits that are still to be rewritten. */
  readonly nextIndex: number
  readonly lastIndex: number
  readonly updated: number
  readonly created: number
  readonly removed: number
  readonly kept: number
}

/** The record, with moments as dates, and the columns that callers do not see. */
type ScheduleRow = Omit<
  Schedule,
  Moments | 'name' | 'nextOccurrenceAt' | 'generatedCount' | 'pendingWork' | 'endedAt' | 'createdAt' | 'updatedAt'
> &
  AsDates<Pick<Schedule, Moments>> & {
    readonly firstIndex: number
    readonly indexOffset: number
    readonly shapeFrom: Date | null
    readonly plannedFrom: Date
    readonly pendingWork: PendingWork | null
    /** The time by the database's clock. */
    readonly now: Date
  }

export type ScheduleWithPlan = ScheduleRow & { readonly plan: VisitPlan }

export const scheduleColumns = sql`recurring_schedules.id, customer_id as "customerId", device_id as "deviceId",
  starts_at as "startsAt", time_zone as "timeZone", rrule, duration_minutes as "durationMinutes",
  service_required as "serviceRequired", description, assigned_technician as "assignedTechnician",
  station_id as "stationId", line_items as "lineItems", horizon_days as "horizonDays", status, paused_at as "pausedAt",
  resumes_at as "resumesAt", generated_through as "generatedThrough", first_index as "firstIndex",
  index_offset as "indexOffset", shape_from as "shapeFrom", planned_from as "plannedFrom",
  pending_work as "pendingWork", now() as now`

export const withPlan = (row: ScheduleRow): ScheduleWithPlan => ({
  ...row,
  plan: {
    series: {
      startsAt: row.startsAt,
      timeZone: row.timeZone,
      rule: ruleOf(row.rrule),
      durationMinutes: row.durationMinutes,
    },
    firstIndex: row.firstIndex,
    indexOffset: row.indexOffset,
    plannedFrom: row.plannedFrom,
  },
})

/** Locked before its visits and their jobs: nobody else generates, moves on or ends it meanwhile. */
export const lockSchedule = ({ orgId }: Context, scheduleId: string): Statement<ScheduleWithPlan> =>
  statement(
    sql`select ${scheduleColumns} from recurring_schedules where org_id = ${orgId} and id = ${scheduleId} for update`,
    ([row]: ScheduleRow[]) => {
      if (!row) throw notFound('recurring schedule')
      return withPlan(row)
    },
  )

/** What is no longer planned from a moment on. */
export const selectTakenSlots = ({ orgId }: Context, scheduleId: string, moment: Date): Statement<TakenSlots> =>
  statement(
    sql`select index, original_from as slot, status <> 'cancelled' as stays from recurring_occurrences
        where org_id = ${orgId} and schedule_id = ${scheduleId} and original_from >= ${moment}`,
    (rows: { index: number; slot: Date; stays: boolean }[]) => ({
      indexes: new Set(rows.map(({ index }) => index)),
      slots: new Set(rows.filter(({ stays }) => stays).map(({ slot }) => slot.getTime())),
    }),
  )

export const selectHighestIndex = ({ orgId }: Context, scheduleId: string): Statement<number> =>
  statement(
    sql`select coalesce(max(index), -1) as index from recurring_occurrences
        where org_id = ${orgId} and schedule_id = ${scheduleId}`,
    ([row]: { index: number }[]) => row!.index,
  )
