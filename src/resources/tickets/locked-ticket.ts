// A job as it was before a change, locked until the transaction ends.
import { sql } from '../../db/database.ts'
import type { OpenForms, Stage } from '../../domain/gates.ts'
import { notFound } from '../../operations/errors.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { refuseJobOfAnother } from './own-jobs.ts'
import { tickets } from './record.ts'

export interface LockedTicket extends OpenForms {
  readonly ticketNumber: number
  readonly customerId: string | null
  readonly statusName: string
  readonly stage: Stage
  readonly assignedTechnician: string | null
  readonly technicianName: string | null
  readonly stationId: string | null
  readonly stationName: string | null
  readonly deviceId: string | null
  readonly deviceName: string | null
  readonly deviceType: string | null
  readonly serviceRequired: string | null
  readonly scheduledFrom: Date | null
  readonly scheduledTo: Date | null
  readonly scheduledAllDay: boolean
  readonly calendarEventId: string | null
  readonly recurringScheduleId: string | null
  readonly occurrenceIndex: number | null
}

/**
 * Locked first and read after that: what the lock was waited for may have changed the records the job refers to, and a
 * statement that locks still sees them as they were when it began.
 */
export async function lockTicket(ctx: Context, ticketId: string): Promise<LockedTicket> {
  await ctx.query(tickets.lock(ctx, ticketId))
  const ticket = await ctx.query(selectTicket(ctx, ticketId))
  refuseJobOfAnother(ctx, ticket.assignedTechnician)
  return ticket
}

export const selectTicket = ({ orgId }: Context, ticketId: string): Statement<LockedTicket> =>
  statement(
    sql`select ticket_number as "ticketNumber", customer_id as "customerId", status.name as "statusName", status.stage,
          assigned_technician as "assignedTechnician", concat_ws(' ', member.first_name, member.last_name) as "technicianName",
          station_id as "stationId", station.name as "stationName",
          device_id as "deviceId", customer_device_name as "deviceName", customer_device_type as "deviceType", service_required as "serviceRequired",
          scheduled_from as "scheduledFrom", scheduled_to as "scheduledTo", scheduled_all_day as "scheduledAllDay",
          calendar_event_id as "calendarEventId", recurring_schedule_id as "recurringScheduleId",
          occurrence_index as "occurrenceIndex", open_start_form_count as "openStartFormCount",
          open_completion_form_count as "openCompletionFormCount", open_invoice_form_count as "openInvoiceFormCount"
        from tickets ticket
        join ticket_statuses status on status.org_id = ticket.org_id and status.id = status_id
        left join members member on member.org_id = ticket.org_id and member.id = assigned_technician
        left join stations station on station.org_id = ticket.org_id and station.id = station_id
        where ticket.org_id = ${orgId} and ticket.id = ${ticketId}`,
    ([row]: LockedTicket[]) => {
      if (!row) throw notFound('job')
      return row
    },
  )
