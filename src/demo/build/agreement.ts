// A recurring agreement of the sample shop: the bakery's ovens, once a month, with one visit that had to be moved.
import { type Queryable, sql } from '../../db/database.ts'
import { hourMs } from '../../domain/durations.ts'
import { timelineSentence } from '../../domain/timeline.ts'
import { newId } from '../../operations/ids.ts'
import { generateNow } from '../../worker/recurring.ts'
import { manager } from '../data/staff.ts'
import { baseColumns, insertRows } from './rows.ts'
import { loadWeek } from './week.ts'

const preset = { name: 'Yearly boiler service', rrule: 'FREQ=YEARLY', durationMinutes: 75, service: 'Boiler service' }

interface ShopRecords {
  readonly customerId: string
  readonly deviceId: string
  readonly technicianId: string
  readonly stationId: string
  readonly manager: { readonly id: string; readonly name: string }
  readonly services: Readonly<Record<string, string>>
}

/** Beside the sample data that is there already. */
export async function addAgreement(transaction: Queryable, orgId: string, timeZone: string, now: Date): Promise<void> {
  const { at } = await loadWeek(transaction, timeZone, now)
  const records = await findShopRecords(transaction, orgId)
  const id = newId('rec')
  const line = (name: string, quantity = 1) => ({ kind: 'service', serviceId: records.services[name], name, quantity })
  await insertRows(transaction, 'recurring_schedules', [
    {
      ...baseColumns(orgId, id, now.getTime()),
      name: 'Okafor Bakery, ovens',
      customer_id: records.customerId,
      device_id: records.deviceId,
      starts_at: new Date(at(1, '13:00')),
      time_zone: timeZone,
      rrule: 'FREQ=MONTHLY;BYDAY=2TU',
      duration_minutes: 90,
      service_required: 'Monthly oven service',
      description: 'Clean, check seals and burners, log the temperatures. Not before one: they bake.',
      assigned_technician: records.technicianId,
      station_id: records.stationId,
      line_items: [line('Call-out'), line('Repair work, per hour', 1.5)],
      horizon_days: 120,
      status: 'active',
      first_index: 0,
      index_offset: 0,
      planned_from: now,
    },
  ])
  await insertRows(transaction, 'recurring_presets', [
    {
      ...baseColumns(orgId, newId('pre'), now.getTime()),
      name: preset.name,
      rrule: preset.rrule,
      duration_minutes: preset.durationMinutes,
      horizon_days: 30,
      service_required: preset.name,
      line_items: [line('Call-out'), line(preset.service)],
    },
  ])
  const visits = await generateNow(transaction, { orgId, scheduleId: id, by: records.manager })
  await moveToNextDay(transaction, orgId, visits[1]!.ticketId, records.manager)
}

async function findShopRecords(transaction: Queryable, orgId: string): Promise<ShopRecords> {
  const [records] = await transaction.query<ShopRecords>(sql`
    select device.customer_id as "customerId", device.id as "deviceId",
      (select id from members where org_id = ${orgId} and first_name = 'Tomasz') as "technicianId",
      (select id from stations where org_id = ${orgId} and name = 'Van') as "stationId",
      (select json_build_object('id', id, 'name', concat_ws(' ', first_name, last_name))
       from members where org_id = ${orgId} and first_name = ${manager}) as manager,
      (select json_object_agg(name, id) from services where org_id = ${orgId}) as services
    from devices device join customers customer on customer.org_id = device.org_id and customer.id = device.customer_id
    where device.org_id = ${orgId} and customer.business_name = 'Okafor Bakery' and device.type = 'Oven'`)
  return records!
}

/** As the service does it: the job, its event, the visit and the timeline. */
async function moveToNextDay(transaction: Queryable, orgId: string, ticketId: string, by: ShopRecords['manager']) {
  const [job] = await transaction.query<{ from: Date; to: Date; at: Date }>(sql`
    select scheduled_from as "from", scheduled_to as "to", created_at as at from tickets
    where org_id = ${orgId} and id = ${ticketId}`)
  const [from, to] = [job!.from, job!.to].map((moment) => new Date(moment.getTime() + 26 * hourMs)) as [Date, Date]
  await transaction.query(sql`
    with job as (
      update tickets set scheduled_from = ${from}, scheduled_to = ${to} where org_id = ${orgId} and id = ${ticketId}
    ), event as (
      update calendar_events set starts_at = ${from}, ends_at = ${to} where org_id = ${orgId} and ticket_id = ${ticketId}
    )
    update recurring_occurrences set starts_at = ${from}, ends_at = ${to}, is_moved = true
    where org_id = ${orgId} and ticket_id = ${ticketId}`)
  const data = { from: from.toISOString(), to: to.toISOString() }
  await insertRows(transaction, 'messages', [
    {
      ...baseColumns(orgId, newId('msg'), job!.at.getTime()),
      ticket_id: ticketId,
      text: timelineSentence({ event: 'occurrenceMoved', data }),
      visibility: 'internal',
      is_system: true,
      system_event: 'occurrenceMoved',
      system_data: data,
      author_id: by.id,
      author_name: by.name,
    },
  ])
}
