// What must be known of the records a job refers to before it is written, read in one statement.
import { sql } from '../../db/database.ts'
import type { RuleMatch } from '../../domain/forms.ts'
import type { FormGate, Stage } from '../../domain/gates.ts'
import { badRequest, conflictCode, notFound } from '../../operations/errors.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { activeRulesJson } from '../forms/apply-rules.ts'

export interface TicketReferences {
  readonly customerId?: string | null | undefined
  readonly deviceId?: string | null | undefined
  readonly assignedTechnician?: string | null | undefined
  readonly stationId?: string | null | undefined
  /** A status by its name; undefined asks for the one new jobs begin in. */
  readonly status?: string | undefined
  readonly scheduledFrom?: string | null | undefined
  readonly scheduledTo?: string | null | undefined
  readonly scheduledAllDay?: boolean | undefined
}

export interface TicketFacts {
  readonly status: { id: string; name: string; stage: Stage } | null
  readonly customer: { name: string; email: string | null; address: string | null; isBeingDeleted: boolean } | null
  readonly device: { customerId: string; type: string | null; name: string; categoryId: string | null } | null
  readonly technician: { name: string; isActive: boolean } | null
  readonly station: { name: string } | null
  /** The schedule as it is stored: whole days begin and end at the shop's midnight. */
  readonly scheduledFrom: Date | null
  readonly scheduledTo: Date | null
  /** The rules that ask new jobs for forms. */
  readonly rules: readonly { readonly gate: FormGate; readonly match: RuleMatch }[]
}

/** Who was not refused in time goes along: nothing is added for ever to somebody who is deleted. */
export const customerBeingDeleted = conflictCode(
  'CUSTOMER_BEING_DELETED',
  'The customer is being deleted; choose another one.',
)

/** The status and the device are locked, so that what is copied or judged of them stays true. */
export function selectTicketFacts({ orgId }: Context, references: TicketReferences): Statement<TicketFacts> {
  const { customerId = null, deviceId = null, assignedTechnician = null, stationId = null, status = null } = references
  const { scheduledFrom = null, scheduledTo = null, scheduledAllDay = false } = references
  return statement(
    sql`select
      (select to_json(s) from (
        select id, name, stage from ticket_statuses where org_id = ${orgId}
          and case when ${status}::text is null then stage = 'open' else name = ${status} end
        order by index, id limit 1 for share) s) as status,
      (select to_json(c) from (
        select coalesce(business_name, concat_ws(' ', first_name, last_name)) as name, email, address,
          exists (select from customer_deletions deletion where deletion.org_id = ${orgId}
            and deletion.customer_id = ${customerId} and finished_at is null) as "isBeingDeleted"
        from customers where org_id = ${orgId} and id = ${customerId}) c) as customer,
      (select to_json(d) from (
        select customer_id as "customerId", type, name, category_id as "categoryId"
        from devices where org_id = ${orgId} and id = ${deviceId} for share) d) as device,
      (select to_json(m) from (
        select concat_ws(' ', first_name, last_name) as name, is_active as "isActive"
        from members where org_id = ${orgId} and id = ${assignedTechnician}) m) as technician,
      (select to_json(s) from (select name from stations where org_id = ${orgId} and id = ${stationId}) s) as station,
      case when ${scheduledAllDay} then local_day_start(${scheduledFrom}::timestamptz, time_zone)
        else ${scheduledFrom}::timestamptz end as "scheduledFrom",
      case when ${scheduledAllDay} then local_day_end(${scheduledTo}::timestamptz, time_zone)
        else ${scheduledTo}::timestamptz end as "scheduledTo",
      ${activeRulesJson(orgId)} as rules
      from organisations where org_id = ${orgId}`,
    ([facts]: TicketFacts[]) => facts!,
  )
}

/** Each reference is judged only if it was given. `customerId` is the customer the job has in the end. */
export function refuseWrongReferences(
  references: TicketReferences,
  facts: TicketFacts,
  customerId: string | null,
): void {
  if (references.customerId && !facts.customer) throw notFound('customer')
  if (references.customerId && facts.customer!.isBeingDeleted) throw customerBeingDeleted()
  if (references.status !== undefined && !facts.status) {
    throw badRequest(`status "${references.status}" is not a status of this organisation`)
  }
  if (references.deviceId && !facts.device) throw badRequest('deviceId does not exist')
  if (references.deviceId && facts.device?.customerId !== customerId) {
    throw badRequest('deviceId does not belong to this customer')
  }
  if (references.assignedTechnician && !facts.technician) throw badRequest('assignedTechnician does not exist')
  if (references.assignedTechnician && !facts.technician!.isActive) {
    throw badRequest('assignedTechnician is not an active member')
  }
  if (references.stationId && !facts.station) throw badRequest('stationId does not exist')
}

/** Both ends or neither, in order. */
export function refuseHalfSchedule(from: string | null | undefined, to: string | null | undefined): void {
  if (from && !to) throw badRequest('scheduledTo is required with scheduledFrom')
  if (to && !from) throw badRequest('scheduledFrom is required with scheduledTo')
  if (from && to && Date.parse(from) >= Date.parse(to)) throw badRequest('scheduledTo must be after scheduledFrom')
}
