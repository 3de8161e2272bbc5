// A customer's agreements, which end when their customer is deleted.
import { sql } from '../../db/database.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'

/** Locked before the customer is: whoever generates a visit locks its schedule first, and the customer after that. */
export const lockSchedulesOfCustomer = ({ orgId }: Context, customerId: string): Statement<void> =>
  statement(
    sql`select 1 from recurring_schedules where org_id = ${orgId} and customer_id = ${customerId} order by id for update`,
    () => {},
  )

export const endSchedulesOfCustomer = ({ orgId }: Context, customerId: string): Statement<void> =>
  statement(
    sql`with ended as (
          update recurring_schedules set status = 'ended', ended_at = now(), due_at = null, next_planned_at = null,
            paused_at = null, resumes_at = null, pending_work = null, updated_at = now()
          where org_id = ${orgId} and customer_id = ${customerId} and status <> 'ended' returning id
        )
        update recurring_occurrences set status = 'cancelled', updated_at = now()
        where org_id = ${orgId} and schedule_id in (select id from ended) and status = 'planned'`,
    () => {},
  )
