// The visit that a job is, when somebody changes the job's times.
import { sql } from '../../db/database.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'

interface VisitChange {
  readonly scheduleId: string
  readonly index: number
  readonly from: Date
  readonly to: Date
  readonly isMoved: boolean
  readonly isResized: boolean
}

export const updateVisitTimes = ({ orgId }: Context, change: VisitChange): Statement<void> =>
  statement(
    sql`update recurring_occurrences set starts_at = ${change.from}, ends_at = ${change.to},
          is_moved = is_moved or ${change.isMoved}, is_resized = is_resized or ${change.isResized}, updated_at = now()
        where org_id = ${orgId} and schedule_id = ${change.scheduleId} and index = ${change.index}`,
    () => {},
  )
