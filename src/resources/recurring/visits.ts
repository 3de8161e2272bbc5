// The visits of a schedule that have a row: reading, holding and writing them.
import { raw, type Sql, sql } from '../../db/database.ts'
import type { PlannedVisit } from '../../domain/visits.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { hasWork } from './has-work.ts'
import type { Occurrence } from './record.ts'

export interface StoredVisit extends PlannedVisit {
  readonly originalFrom: Date
  readonly status: 'planned' | 'generated' | 'skipped' | 'cancelled'
  readonly ticketId: string | null
  readonly isMoved: boolean
  readonly isResized: boolean
  readonly skipReason: string | null
}

export const visitColumns = raw(`visit.index, visit.original_from as "originalFrom", visit.starts_at as "from",
  visit.ends_at as "to", visit.status, visit.ticket_id as "ticketId", visit.is_moved as "isMoved",
  visit.is_resized as "isResized", visit.skip_reason as "skipReason"`)

export const toOccurrence = (visit: StoredVisit): Occurrence => ({
  ...visit,
  originalFrom: visit.originalFrom.toISOString(),
  from: visit.from.toISOString(),
  to: visit.to.toISOString(),
})

/** A visit that is only planned, as if it had a row. */
export const asStoredVisit = (visit: PlannedVisit): StoredVisit => ({
  ...visit,
  originalFrom: visit.from,
  status: 'planned',
  ticketId: null,
  isMoved: false,
  isResized: false,
  skipReason: null,
})

const ofSchedule = ({ orgId }: Context, scheduleId: string) =>
  sql`visit.org_id = ${orgId} and visit.schedule_id = ${scheduleId}`

export const selectVisit = (ctx: Context, scheduleId: string, index: number): Statement<StoredVisit | undefined> =>
  statement(
    sql`select ${visitColumns} from recurring_occurrences visit where ${ofSchedule(ctx, scheduleId)} and index = ${index}`,
    ([row]: StoredVisit[]) => row,
  )

/** Whether there is a visit in a slot already, whatever its number. */
export const selectIsSlotTaken = (ctx: Context, scheduleId: string, slot: Date): Statement<boolean> =>
  statement(
    sql`select 1 from recurring_occurrences visit
        where ${ofSchedule(ctx, scheduleId)} and original_from = ${slot} and status <> 'cancelled'`,
    (rows) => rows.length > 0,
  )

/** Visits of earlier shapes that are still to be generated. */
export const selectPlannedVisits = (ctx: Context, scheduleId: string): Statement<StoredVisit[]> =>
  statement(
    sql`select ${visitColumns} from recurring_occurrences visit
        where ${ofSchedule(ctx, scheduleId)} and status = 'planned' order by starts_at`,
    (rows: StoredVisit[]) => rows,
  )

/** The jobs of visits are locked before anything is judged of them; others lock a job first and its visit after. */
export const lockJobs = (ctx: Context, scheduleId: string, condition: Sql): Statement<string[]> =>
  statement(
    sql`select id from tickets where org_id = ${ctx.orgId} and id in (
          select ticket_id from recurring_occurrences visit
          where ${ofSchedule(ctx, scheduleId)} and status = 'generated' and ${condition})
        order by id for update`,
    (rows: { id: string }[]) => rows.map(({ id }) => id),
  )

export interface GeneratedVisit extends StoredVisit {
  readonly ticketId: string
  readonly hasWork: boolean
  /** Its job belongs to another customer than the schedule. */
  readonly isElsewhere: boolean
}

/** Generated visits whose jobs are locked, each with a verdict on its job. */
export const selectGeneratedVisits = (
  ctx: Context,
  scheduleId: string,
  ticketIds: readonly string[],
  condition: Sql,
): Statement<GeneratedVisit[]> =>
  statement(
    sql`select ${visitColumns}, ${hasWork} as "hasWork",
          ticket.customer_id is distinct from schedule.customer_id as "isElsewhere"
        from recurring_occurrences visit
        join recurring_schedules schedule on schedule.org_id = visit.org_id and schedule.id = visit.schedule_id
        join tickets ticket on ticket.org_id = visit.org_id and ticket.id = visit.ticket_id
        where ${ofSchedule(ctx, scheduleId)} and visit.status = 'generated' and visit.ticket_id = any(${ticketIds}) and ${condition}
        order by visit.index`,
    (rows: GeneratedVisit[]) => rows,
  )

/** A visit has its job; one that was only planned until now gets its row. */
export const upsertGeneratedVisit = (
  { orgId }: Context,
  scheduleId: string,
  { index, from, to }: PlannedVisit,
  { ticketId, lineCount }: { readonly ticketId: string; readonly lineCount: number },
): Statement<void> =>
  statement(
    sql`insert into recurring_occurrences
          (org_id, schedule_id, index, original_from, starts_at, ends_at, status, ticket_id, written_at, line_count)
        values (${orgId}, ${scheduleId}, ${index}, ${from}, ${from}, ${to}, 'generated', ${ticketId}, now(), ${lineCount})
        on conflict (org_id, schedule_id, index) do update
        set status = 'generated', ticket_id = excluded.ticket_id, written_at = excluded.written_at,
          line_count = excluded.line_count, was_touched = false, updated_at = excluded.updated_at`,
    () => {},
  )

/** The schedule has written the job of a visit anew. */
export const markVisitRewritten = (
  ctx: Context,
  scheduleId: string,
  index: number,
  lineCount: number,
): Statement<void> =>
  statement(
    sql`update recurring_occurrences visit set written_at = now(), line_count = ${lineCount}, was_touched = false,
          updated_at = now()
        where ${ofSchedule(ctx, scheduleId)} and index = ${index}`,
    () => {},
  )

/** Rows for visits that were only planned, in one state. */
export function upsertVisits(
  { orgId }: Context,
  scheduleId: string,
  visits: readonly PlannedVisit[],
  status: 'planned' | 'skipped',
  reason: string | null = null,
): Statement<void> {
  return statement(
    sql`insert into recurring_occurrences
          (org_id, schedule_id, index, original_from, starts_at, ends_at, status, skip_reason)
        select ${orgId}, ${scheduleId}, visit.index, visit."from", visit."from", visit."to", ${status}, ${reason}
        from jsonb_to_recordset(${JSON.stringify(visits)}::jsonb)
          as visit (index integer, "from" timestamptz, "to" timestamptz)
        on conflict (org_id, schedule_id, index) do update
        set status = excluded.status, skip_reason = excluded.skip_reason, ticket_id = null,
          updated_at = excluded.updated_at, starts_at = excluded.starts_at, ends_at = excluded.ends_at, is_moved = false`,
    () => {},
  )
}

/** They will not take place; whoever calls this deletes their jobs. */
export const cancelVisits = (ctx: Context, scheduleId: string, visits: readonly PlannedVisit[]): Statement<void> =>
  statement(
    sql`update recurring_occurrences visit set status = 'cancelled', ticket_id = null, updated_at = now()
        where ${ofSchedule(ctx, scheduleId)} and index = any(${visits.map(({ index }) => index)})`,
    () => {},
  )
