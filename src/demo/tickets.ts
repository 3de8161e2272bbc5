// Jobs as the service would have stored them: lines that copy prices, a timeline, an appointment.
import { newId } from '../api/ids.ts'
import { type Executor, type Row, sql } from '../database.ts'
import { type Note, sentenceOf } from '../domain/timeline.ts'
import { addForms, formOf } from './forms.ts'
import { linesOf, type Shop } from './lines.ts'
import type { Noted } from './noted.ts'
import { type Papers, papersOf } from './papers.ts'
import type { Plan } from './plans.ts'
import { insert, written } from './rows.ts'
import { manager } from './staff.ts'
import type { Workshop } from './workshop.ts'

/** Adds jobs with the papers that belong to them, and counts those. */
export async function addTickets(transaction: Executor, shop: Shop, plans: readonly Plan[]): Promise<Papers['counts']> {
  const { orgId } = shop
  const [numbers] = await transaction.query<{ first: number }>(sql`
    update counters set next_ticket_number = next_ticket_number + ${plans.length}::int where org_id = ${orgId}
    returning next_ticket_number - ${plans.length}::int as first`)
  const [newest] = await transaction.query<{ at: Date | null }>(sql`
    select greatest((select max(created_at) from tickets where org_id = ${orgId}),
      (select max(created_at) from quotes where org_id = ${orgId}),
      (select max(created_at) from invoices where org_id = ${orgId})) as at`)
  const lived = livedSince(newest!.at?.getTime(), plans[0]?.createdAt ?? shop.now, shop.now)
  const records = plans.map((plan, place) => recordsOf(plan, numbers!.first + place, shop, lived))
  const papers = await papersOf(transaction, shop, records, lived)
  const add = (table: string, rowsOf: (one: (typeof records)[number]) => readonly Row[]) =>
    insert(transaction, table, records.flatMap(rowsOf))
  await add('tickets', ({ ticket }) => [ticket])
  await add('calendar_events', ({ event }) => event)
  await add('service_lines', ({ services }) => services)
  await uncounted(transaction, shop, () => add('inventory_lines', ({ parts }) => parts))
  await papers.write()
  await add('messages', ({ plan, ticket, form }) => {
    const ticketId = ticket.id as string
    return messagesOf(plan, ticketId, shop, lived, [...(form?.notes ?? []), ...(papers.notes.get(ticketId) ?? [])])
  })
  await addForms(
    transaction,
    records.flatMap(({ form }) => form ?? []),
    records.map(({ ticket }) => ticket),
  )
  return papers.counts
}

/**
 * Numbers go by the order of creation. Where there are jobs or papers already, everything that happened to the new ones
 * happened since the newest of those: in the same order, only faster.
 */
function livedSince(newest: number | undefined, oldest: number, now: number): (moment: number) => number {
  if (newest === undefined || newest < oldest) return (moment) => Math.min(moment, now)
  const pace = (now - newest) / (now - oldest)
  return (moment) => Math.min(Math.ceil(now - (now - moment) * pace), now)
}

/**
 * What these jobs use was bought for them, so the shelf is left as it is. Counting it off line by line and adding it
 * again would come to the same, but in one transaction each step makes the next one slower.
 */
async function uncounted(transaction: Executor, { orgId, workshop }: Shop, work: () => Promise<void>): Promise<void> {
  const ids = [...workshop.parts.values()].map(({ id }) => id)
  const counted = await transaction.query<{ id: string }>(sql`
    update inventory set track_stock = false where org_id = ${orgId} and id = any(${ids}) and track_stock returning id`)
  await work()
  await transaction.query(sql`
    update inventory set track_stock = true, updated_at = now()
    where org_id = ${orgId} and id = any(${counted.map(({ id }) => id)})`)
}

function recordsOf(plan: Plan, ticketNumber: number, shop: Shop, lived: (moment: number) => number) {
  const { customer, device, errand, changes, visit } = plan
  const { orgId, workshop } = shop
  const id = newId('tkt')
  const status = workshop.statuses.get(changes.at(-1)?.to ?? 'Open')!
  const technician = errand.who && workshop.members.get(errand.who)!
  const station = errand.where && workshop.stations.get(errand.where)!
  const [createdAt, assignedAt] = [lived(plan.createdAt), lived(plan.assignedAt ?? plan.createdAt)]
  const soldAt = errand.does || errand.uses ? lived(plan.soldAt) : createdAt
  const lastChange = lived(changes.at(-1)?.at ?? plan.createdAt)
  const eventId = visit ? newId('evt') : null
  const [from, to] = visit ? [new Date(visit.from), new Date(visit.to)] : [null, null]
  const ticket: Row = {
    ...written(orgId, id, createdAt, Math.max(assignedAt, soldAt, lastChange)),
    ticket_number: ticketNumber,
    customer_id: customer.id,
    customer_name: customer.business_name ?? [customer.first_name, customer.last_name].filter(Boolean).join(' '),
    customer_email: customer.email,
    address: customer.address,
    service_required: errand.asks,
    description: errand.details,
    status_id: status.id,
    assigned_technician: technician?.id,
    station_id: station?.id,
    device_id: device?.id,
    customer_device_type: device?.type,
    customer_device_name: device && (device.given_name ?? `${device.brand} ${device.model}`),
    priority: errand.priority ?? 'normal',
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
          ...written(orgId, eventId!, createdAt, assignedAt),
          ticket_id: id,
          title: `#${ticketNumber} ${errand.asks}`,
          has_own_title: false,
          starts_at: from,
          ends_at: to,
          all_day: false,
          assigned_to_id: technician?.id,
        },
      ]
    : []
  const form = formOf(plan, ticket, workshop.gasSafety, workshop.members, lived)
  return { plan, ticket, event, form, ...linesOf(errand, id, soldAt, shop) }
}

interface Said extends Pick<Noted, 'at' | 'by'> {
  readonly note?: Note
  readonly text?: string
  readonly visibility?: 'customer'
}

function messagesOf(
  plan: Plan,
  ticketId: string,
  { orgId, workshop }: Shop,
  lived: (moment: number) => number,
  ofOthers: readonly Said[],
): Row[] {
  const remarks = plan.remarks.map(({ at, remark: [by, text, visibility] }) => ({ at, by, text, visibility }) as Said)
  const all: Said[] = [...notesOf(plan, workshop), ...remarks, ...ofOthers].sort((a, b) => a.at - b.at)
  return all.map(({ at, by, note, text, visibility = 'internal' }) => {
    const author = typeof by === 'string' ? workshop.members.get(by)! : by
    return {
      ...written(orgId, newId('msg'), lived(at)),
      ticket_id: ticketId,
      text: note ? sentenceOf(note) : text,
      visibility,
      is_system: note !== undefined,
      system_event: note?.event,
      system_data: note?.data,
      author_id: author.id,
      author_name: author.name,
    }
  })
}

/** What the service notes of its own accord: creation, schedule, assignment, and each status. */
function notesOf({ createdAt, assignedAt, visit, errand, changes }: Plan, { members, stations, statuses }: Workshop) {
  const notes: Noted[] = []
  const add = (at: number, by: string, note: Note) => notes.push({ at, by, note })
  add(createdAt, manager, { event: 'jobCreated', data: { source: 'app' } })
  if (visit) {
    const data = { from: new Date(visit.from).toISOString(), to: new Date(visit.to).toISOString() }
    add(createdAt, manager, { event: 'scheduled', data })
  }
  if (assignedAt !== undefined) {
    const to = members.get(errand.who!)!.name
    add(assignedAt, manager, { event: 'assigneeChanged', data: { from: null, to } })
    const station = stations.get(errand.where!)!.name
    add(assignedAt, manager, { event: 'stationChanged', data: { from: null, to: station } })
  }
  let from = statuses.get('Open')!.name
  for (const { at, by, to } of changes) {
    const { name } = statuses.get(to)!
    add(at, by, { event: 'statusChanged', data: { from, to: name } })
    from = name
  }
  return notes
}
