// Jobs as the service would have stored them: lines that copy prices, a timeline, an appointment.
import { type Queryable, type Row, sql } from '../../db/database.ts'
import { type TimelineEntry, timelineSentence } from '../../domain/timeline.ts'
import { newId } from '../../operations/ids.ts'
import { manager } from '../data/staff.ts'
import { type Billing, buildBilling } from './billing.ts'
import { addForms, buildForm } from './forms.ts'
import { buildTicketLines, type Shop } from './lines.ts'
import type { Plan } from './plans.ts'
import { baseColumns, insertRows } from './rows.ts'
import type { ShopSetup } from './shop-setup.ts'
import type { TimedEntry } from './timeline-entry.ts'

/** Adds jobs with the papers that belong to them, and counts those. */
export async function addTickets(
  transaction: Queryable,
  shop: Shop,
  plans: readonly Plan[],
): Promise<Billing['counts']> {
  const { orgId } = shop
  const [numbers] = await transaction.query<{ first: number }>(sql`
    update counters set next_ticket_number = next_ticket_number + ${plans.length}::int where org_id = ${orgId}
    returning next_ticket_number - ${plans.length}::int as first`)
  const [newest] = await transaction.query<{ at: Date | null }>(sql`
    select greatest((select max(created_at) from tickets where org_id = ${orgId}),
      (select max(created_at) from quotes where org_id = ${orgId}),
      (select max(created_at) from invoices where org_id = ${orgId})) as at`)
  const mapTime = createTimeMapping(newest!.at?.getTime(), plans[0]?.createdAt ?? shop.now, shop.now)
  const records = plans.map((plan, position) => buildTicket(plan, numbers!.first + position, shop, mapTime))
  const billing = await buildBilling(transaction, shop, records, mapTime)
  const add = (table: string, rowsOf: (one: (typeof records)[number]) => readonly Row[]) =>
    insertRows(transaction, table, records.flatMap(rowsOf))
  await add('tickets', ({ ticket }) => [ticket])
  await add('calendar_events', ({ event }) => event)
  await add('service_lines', ({ services }) => services)
  await withoutStockTracking(transaction, shop, () => add('inventory_lines', ({ parts }) => parts))
  await billing.write()
  await add('messages', ({ plan, ticket, form }) => {
    const ticketId = ticket.id as string
    return buildMessages(plan, ticketId, shop, mapTime, [
      ...(form?.entries ?? []),
      ...(billing.entries.get(ticketId) ?? []),
    ])
  })
  await addForms(
    transaction,
    records.flatMap(({ form }) => form ?? []),
    records.map(({ ticket }) => ticket),
  )
  return billing.counts
}

/**
 * Numbers go by the order of creation. Where there are jobs or papers already, everything that happened to the new ones
 * happened since the newest of those: in the same order, only faster.
 */
function createTimeMapping(newest: number | undefined, oldest: number, now: number): (moment: number) => number {
  if (newest === undefined || newest < oldest) return (moment) => Math.min(moment, now)
  const ratio = (now - newest) / (now - oldest)
  return (moment) => Math.min(Math.ceil(now - (now - moment) * ratio), now)
}

/**
 * What these jobs use was bought for them, so the shelf is left as it is. Counting it off line by line and adding it
 * again would come to the same, but in one transaction each step makes the next one slower.
 */
async function withoutStockTracking(
  transaction: Queryable,
  { orgId, setup }: Shop,
  work: () => Promise<void>,
): Promise<void> {
  const ids = [...setup.parts.values()].map(({ id }) => id)
  const tracked = await transaction.query<{ id: string }>(sql`
    update inventory set track_stock = false where org_id = ${orgId} and id = any(${ids}) and track_stock returning id`)
  await work()
  await transaction.query(sql`
    update inventory set track_stock = true, updated_at = now()
    where org_id = ${orgId} and id = any(${tracked.map(({ id }) => id)})`)
}

function buildTicket(plan: Plan, ticketNumber: number, shop: Shop, mapTime: (moment: number) => number) {
  const { customer, device, workSpec, changes, visit } = plan
  const { orgId, setup } = shop
  const id = newId('tkt')
  const status = setup.statuses.get(changes.at(-1)?.to ?? 'Open')!
  const technician = workSpec.who && setup.members.get(workSpec.who)!
  const station = workSpec.where && setup.stations.get(workSpec.where)!
  const [createdAt, assignedAt] = [mapTime(plan.createdAt), mapTime(plan.assignedAt ?? plan.createdAt)]
  const soldAt = workSpec.does || workSpec.uses ? mapTime(plan.soldAt) : createdAt
  const lastChange = mapTime(changes.at(-1)?.at ?? plan.createdAt)
  const eventId = visit ? newId('evt') : null
  const [from, to] = visit ? [new Date(visit.from), new Date(visit.to)] : [null, null]
  const ticket: Row = {
    ...baseColumns(orgId, id, createdAt, Math.max(assignedAt, soldAt, lastChange)),
    ticket_number: ticketNumber,
    customer_id: customer.id,
    customer_name: customer.business_name ?? [customer.first_name, customer.last_name].filter(Boolean).join(' '),
    customer_email: customer.email,
    address: customer.address,
    service_required: workSpec.asks,
    description: workSpec.details,
    status_id: status.id,
    assigned_technician: technician?.id,
    station_id: station?.id,
    device_id: device?.id,
    customer_device_type: device?.type,
    customer_device_name: device && (device.given_name ?? `${device.brand} ${device.model}`),
    priority: workSpec.priority ?? 'normal',
    scheduled_from: from,
    scheduled_to: to,
    scheduled_all_day: false,
    calendar_event_id: eventId,
    discount: plan.discount,
    open_start_form_count: 0,
    open_completion_form_count: 0,
    open_invoice_form_count: 0,
    closed_at: status.stage === 'closed' ? new Date(lastChange) : null,
  }
  const event: Row[] = visit
    ? [
        {
          ...baseColumns(orgId, eventId!, createdAt, assignedAt),
          ticket_id: id,
          title: `#${ticketNumber} ${workSpec.asks}`,
          has_own_title: false,
          starts_at: from,
          ends_at: to,
          all_day: false,
          assigned_to_id: technician?.id,
        },
      ]
    : []
  const form = buildForm(plan, ticket, setup.gasSafety, setup.members, mapTime)
  return { plan, ticket, event, form, ...buildTicketLines(workSpec, id, soldAt, shop) }
}

interface TimelineMessage extends Pick<TimedEntry, 'at' | 'by'> {
  readonly entry?: TimelineEntry
  readonly text?: string
  readonly visibility?: 'customer'
}

function buildMessages(
  plan: Plan,
  ticketId: string,
  { orgId, setup }: Shop,
  mapTime: (moment: number) => number,
  otherEntries: readonly TimelineMessage[],
): Row[] {
  const remarks = plan.remarks.map(
    ({ at, remark: [by, text, visibility] }) => ({ at, by, text, visibility }) as TimelineMessage,
  )
  const all: TimelineMessage[] = [...systemEntries(plan, setup), ...remarks, ...otherEntries].sort(
    (a, b) => a.at - b.at,
  )
  return all.map(({ at, by, entry, text, visibility = 'internal' }) => {
    const author = typeof by === 'string' ? setup.members.get(by)! : by
    return {
      ...baseColumns(orgId, newId('msg'), mapTime(at)),
      ticket_id: ticketId,
      text: entry ? timelineSentence(entry) : text,
      visibility,
      is_system: entry !== undefined,
      system_event: entry?.event,
      system_data: entry?.data,
      author_id: author.id,
      author_name: author.name,
    }
  })
}

/** What the service notes of its own accord: creation, schedule, assignment, and each status. */
function systemEntries(
  { createdAt, assignedAt, visit, workSpec, changes }: Plan,
  { members, stations, statuses }: ShopSetup,
) {
  const entries: TimedEntry[] = []
  const add = (at: number, by: string, entry: TimelineEntry) => entries.push({ at, by, entry })
  add(createdAt, manager, { event: 'jobCreated', data: { source: 'app' } })
  if (visit) {
    const data = { from: new Date(visit.from).toISOString(), to: new Date(visit.to).toISOString() }
    add(createdAt, manager, { event: 'scheduled', data })
  }
  if (assignedAt !== undefined) {
    const to = members.get(workSpec.who!)!.name
    add(assignedAt, manager, { event: 'assigneeChanged', data: { from: null, to } })
    const station = stations.get(workSpec.where!)!.name
    add(assignedAt, manager, { event: 'stationChanged', data: { from: null, to: station } })
  }
  let from = statuses.get('Open')!.name
  for (const { at, by, to } of changes) {
    const { name } = statuses.get(to)!
    add(at, by, { event: 'statusChanged', data: { from, to: name } })
    from = name
  }
  return entries
}
