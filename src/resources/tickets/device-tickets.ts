// What a device means to the jobs that refer to it: the copies of its type and name, and the forms it calls for.
import { raw, sql } from '../../db/database.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { applyRules, hasFormRules } from '../forms/apply-rules.ts'
import { actorOf } from '../forms/audit-trail.ts'

/**
 * Locks what refers to a device before the device itself is written: schedules, then jobs, in the order in which
 * everybody else locks them.
 */
export async function lockDeviceUsers(ctx: Context, deviceId: string): Promise<void> {
  await ctx.query(lockUsers(ctx, 'recurring_schedules', deviceId))
  await ctx.query(lockUsers(ctx, 'tickets', deviceId))
}

const lockUsers = ({ orgId }: Context, users: 'recurring_schedules' | 'tickets', deviceId: string): Statement<void> =>
  statement(
    sql`select 1 from ${raw(users)} where org_id = ${orgId} and device_id = ${deviceId} order by id for no key update`,
    () => {},
  )

/** Jobs show a device by what it is called now. */
export const copyDeviceToTickets = ({ orgId }: Context, deviceId: string): Statement<void> =>
  statement(
    sql`update tickets set customer_device_type = devices.type, customer_device_name = devices.name, updated_at = now()
        from devices where devices.org_id = tickets.org_id and devices.id = tickets.device_id
          and tickets.org_id = ${orgId} and tickets.device_id = ${deviceId}
          and (customer_device_type, customer_device_name) is distinct from (devices.type, devices.name)`,
    () => {},
  )

/** The jobs that are not closed yet, locked if any rule could ask them for a form; what is closed is history. */
export const lockOpenTicketsOfDevice = ({ orgId }: Context, deviceId: string): Statement<string[]> =>
  statement(
    sql`select id from tickets where org_id = ${orgId} and device_id = ${deviceId} and closed_at is null
          and ${hasFormRules(orgId)} order by id for no key update`,
    (rows: { id: string }[]) => rows.map(({ id }) => id),
  )

/** Rules go by what a device is. */
export async function applyRulesToTickets(ctx: Context, ticketIds: readonly string[]): Promise<void> {
  for (const ticketId of ticketIds) await applyRules(ctx, actorOf(ctx), ticketId)
}
