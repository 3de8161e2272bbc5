// Writing a job: what it copies from the records it refers to, its schedule, its timeline, its gates.
import { badRequest, conflict, notFound } from '../../api/errors.ts'
import { newId } from '../../api/ids.ts'
import { type Context, type Json, type Statement, statement } from '../../api/operation.ts'
import { sql } from '../../database.ts'
import { gatesFor } from '../../domain/forms.ts'
import { closedGate, isBeyondGate, type OpenForms, type Stage } from '../../domain/gates.ts'
import type { Note } from '../../domain/timeline.ts'
import { applyRules, outstandingForms } from '../forms/asking.ts'
import { actorOf } from '../forms/trail.ts'
import { visitRescheduled } from '../recurring/of-ticket.ts'
import { type Facts, factsOf, type References, refuseHalfSchedule, refuseWrongReferences } from './facts.ts'
import { tickets } from './record.ts'
import { eventAdded, eventChanged, eventRemoved, newEventId, titleOf, type Visit } from './schedule.ts'
import { noted } from './timeline.ts'

export interface TicketBody extends References {
  readonly customerName?: string | null
  readonly customerEmail?: string | null
  readonly customerDeviceType?: string | null
  readonly customerDeviceName?: string | null
  readonly serviceRequired?: string | null
  readonly description?: string | null
  readonly priority?: string
  readonly address?: string | null
}

/** Who makes a job: a caller, people in the app, or a recurring schedule for one of its visits. */
export type Origin =
  | { readonly source: 'api' | 'app'; readonly visit?: undefined }
  | { readonly source: 'schedule'; readonly visit: Visit }

export async function createTicket(
  ctx: Context,
  body: TicketBody,
  { source, visit }: Origin = { source: 'api' },
): Promise<Json> {
  if (!body.customerId && !body.customerName) throw badRequest('customerId or customerName is required')
  refuseHalfSchedule(body.scheduledFrom, body.scheduledTo)
  const facts = await ctx.ask(factsOf(ctx, body))
  refuseWrongReferences(body, facts, body.customerId ?? null)
  if (!facts.status) throw badRequest('status is required: the organisation has no open status to begin in')

  const id = newId('tkt')
  const eventId = facts.scheduledFrom && newEventId()
  const values = {
    ...body,
    customerName: body.customerName ?? facts.customer?.name.slice(0, 200),
    customerEmail: body.customerEmail === undefined ? facts.customer?.email : body.customerEmail,
    address: body.address === undefined ? facts.customer?.address : body.address,
    ...deviceCopies(body.deviceId, facts),
    status: facts.status.id,
    scheduledFrom: facts.scheduledFrom,
    scheduledTo: facts.scheduledTo,
  }
  refuseBeyondGate(facts, values.customerDeviceType ?? null)
  const kept = {
    id,
    ticket_number: sql`take_ticket_number(${ctx.orgId})`,
    calendar_event_id: eventId,
    recurring_schedule_id: visit?.scheduleId,
    occurrence_index: visit?.index,
    closed_at: facts.status.stage === 'closed' ? sql`now()` : null,
  }
  const ticket = await ctx.ask(tickets.insert(ctx, values, undefined, kept))
  if (eventId) {
    const { ticketNumber } = JSON.parse(ticket.text)
    await ctx.ask(eventAdded(ctx, { ...scheduleOf({ ...values, ticketNumber }, id, eventId), visit }))
  }
  await ctx.ask(noted(ctx, id, [{ event: 'jobCreated', data: { source } }, ...scheduleNotes(null, facts)]))
  const isAsked = facts.rules.length > 0 && (await applyRules(ctx, actorOf(ctx), id))
  return isAsked ? ctx.ask(tickets.find(ctx, id)) : ticket
}

/** A job without lines yet, as rules see it. */
function refuseBeyondGate({ status, device, rules }: Facts, deviceType: string | null): void {
  const job = { serviceIds: [], deviceType, assetCategoryId: device?.categoryId ?? null, recurringScheduleId: null }
  if (isBeyondGate(status!.stage, gatesFor(job, rules))) throw conflict('FORM_GATE_CREATE', { status: status!.name })
}

/** The job as it was, held until the transaction ends. */
interface Before extends OpenForms {
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
export async function heldTicket(ctx: Context, ticketId: string): Promise<Before> {
  await ctx.ask(tickets.lock(ctx, ticketId))
  return ctx.ask(ticketBefore(ctx, ticketId))
}

const ticketBefore = ({ orgId }: Context, ticketId: string): Statement<Before> =>
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
    ([row]: Before[]) => {
      if (!row) throw notFound('job')
      return row
    },
  )

/** To write the times of a visit is to move it, unless its schedule does so itself. */
export async function changeTicket(
  ctx: Context,
  id: string,
  body: TicketBody,
  { bySchedule = false } = {},
): Promise<Json> {
  if (Object.keys(body).length === 0) throw badRequest('At least one updatable field is required')
  const before = await heldTicket(ctx, id)
  const wanted = changedReferences(before, body)
  refuseHalfSchedule(wanted.scheduledFrom, wanted.scheduledTo)
  const facts = await ctx.ask(factsOf(ctx, wanted))
  const customerId = body.customerId === undefined ? before.customerId : body.customerId
  const deviceId = body.deviceId === undefined ? before.deviceId : body.deviceId
  refuseWrongReferences(wanted, facts, customerId)
  if (deviceId && deviceId === before.deviceId && customerId !== before.customerId) {
    throw badRequest('deviceId does not belong to this customer')
  }
  if (before.recurringScheduleId && before.scheduledFrom && !facts.scheduledFrom) {
    throw badRequest('scheduledFrom of a recurring visit cannot be cleared; skip the visit instead')
  }
  const status = wanted.status === undefined ? null : facts.status!
  // Another device may need other forms: the move is judged by those the job has in the end.
  const { customerDeviceType = before.deviceType } = body
  const hasOtherType = !deviceId && customerDeviceType !== before.deviceType
  const hasOtherDevice = wanted.deviceId !== undefined || hasOtherType
  if (status && !hasOtherDevice) await refuseClosedGate(ctx, id, status.stage, before)

  const { customerDeviceType: _type, customerDeviceName: _name, ...rest } = body
  const eventId = facts.scheduledFrom && (before.calendarEventId ?? newEventId())
  const values = {
    ...(wanted.customerId ? customerCopies(facts) : {}),
    ...(deviceId ? rest : body),
    ...(wanted.deviceId ? deviceCopies(wanted.deviceId, facts) : {}),
    ...(status ? { status: status.id } : {}),
    scheduledFrom: facts.scheduledFrom,
    scheduledTo: facts.scheduledTo,
  }
  if (!status) delete (values as { status?: string }).status
  const kept = { calendar_event_id: eventId, ...(status && { closed_at: closedAt(status.stage) }) }
  const ticket = await ctx.ask(tickets.change(ctx, id, values, undefined, kept))

  const after = { ...before, ...body, scheduledFrom: facts.scheduledFrom, scheduledTo: facts.scheduledTo }
  if (eventId && before.calendarEventId) await ctx.ask(eventChanged(ctx, scheduleOf(after, id, eventId)))
  else if (eventId) await ctx.ask(eventAdded(ctx, scheduleOf(after, id, eventId)))
  else if (before.calendarEventId) await ctx.ask(eventRemoved(ctx, before.calendarEventId))
  const change = bySchedule ? undefined : visitChange(before, facts)
  if (change) await ctx.ask(visitRescheduled(ctx, change))
  const notes = [
    ...notesOn(before, wanted, body, facts),
    ...(change ? visitNotes(change) : scheduleNotes(before, facts)),
  ]
  if (notes.length > 0) await ctx.ask(noted(ctx, id, notes))
  if (!hasOtherDevice) return ticket
  const isAsked = await applyRules(ctx, actorOf(ctx), id)
  if (status) await refuseClosedGate(ctx, id, status.stage, await ctx.ask(ticketBefore(ctx, id)))
  return isAsked ? ctx.ask(tickets.find(ctx, id)) : ticket
}

/** A reference is judged only when it changes; the schedule always as a whole. */
function changedReferences(before: Before, body: TicketBody): References {
  const changed = <T>(given: T | undefined, was: T) => (given === was ? undefined : given)
  const from = body.scheduledFrom === undefined ? (before.scheduledFrom?.toISOString() ?? null) : body.scheduledFrom
  const to = body.scheduledTo === undefined ? (before.scheduledTo?.toISOString() ?? null) : body.scheduledTo
  return {
    customerId: changed(body.customerId, before.customerId),
    deviceId: changed(body.deviceId, before.deviceId),
    assignedTechnician: changed(body.assignedTechnician, before.assignedTechnician),
    stationId: changed(body.stationId, before.stationId),
    status: changed(body.status, before.statusName),
    scheduledFrom: from,
    scheduledTo: to,
    scheduledAllDay: body.scheduledAllDay ?? before.scheduledAllDay,
  }
}

async function refuseClosedGate(ctx: Context, ticketId: string, stage: Stage, forms: OpenForms): Promise<void> {
  const closed = closedGate(stage, forms)
  if (!closed) return
  const submissionIds = await ctx.ask(outstandingForms(ctx, ticketId, closed.gate))
  throw conflict('FORM_GATE_TRANSITION', { ...closed, submissionIds })
}

/** Reopened jobs are not closed; moving between closed statuses does not change when a job was. */
const closedAt = (stage: Stage) => (stage === 'closed' ? sql`coalesce(closed_at, now())` : null)

/** A job that goes to another customer takes that one's name and address, unless told otherwise. */
const customerCopies = ({ customer }: Facts) => ({
  customerName: customer!.name.slice(0, 200),
  customerEmail: customer!.email,
  address: customer!.address,
})

const deviceCopies = (deviceId: string | null | undefined, { device }: Facts) =>
  deviceId ? { customerDeviceType: device!.type, customerDeviceName: device!.name } : {}

function scheduleOf(ticket: ScheduledTicket, ticketId: string, eventId: string) {
  const { ticketNumber, serviceRequired = null, assignedTechnician = null, scheduledAllDay = false } = ticket
  return {
    eventId,
    ticketId,
    title: titleOf(ticketNumber, serviceRequired),
    from: ticket.scheduledFrom!,
    to: ticket.scheduledTo!,
    allDay: scheduledAllDay,
    assignedToId: assignedTechnician,
  }
}

interface ScheduledTicket {
  readonly ticketNumber: number
  readonly serviceRequired?: string | null | undefined
  readonly assignedTechnician?: string | null | undefined
  readonly scheduledFrom: Date | null
  readonly scheduledTo: Date | null
  readonly scheduledAllDay?: boolean | undefined
}

function notesOn(before: Before, wanted: References, body: TicketBody, facts: Facts): Note[] {
  const notes: Note[] = []
  if (wanted.status !== undefined)
    notes.push({ event: 'statusChanged', data: { from: before.statusName, to: wanted.status } })
  if (wanted.assignedTechnician !== undefined) {
    notes.push({
      event: 'assigneeChanged',
      data: { from: before.technicianName || null, to: facts.technician?.name ?? null },
    })
  }
  if (wanted.stationId !== undefined) {
    notes.push({ event: 'stationChanged', data: { from: before.stationName, to: facts.station?.name ?? null } })
  }
  if (wanted.deviceId) notes.push({ event: 'deviceLinked', data: { name: facts.device!.name } })
  if (body.deviceId === null && before.deviceId)
    notes.push({ event: 'deviceUnlinked', data: { name: before.deviceName } })
  return notes
}

/** How a person changed the times of a visit. */
function visitChange(before: Before, { scheduledFrom: from, scheduledTo: to }: Facts) {
  const { recurringScheduleId: scheduleId, occurrenceIndex: index, scheduledFrom, scheduledTo } = before
  if (scheduleId === null || index === null || !from || !to || !scheduledFrom || !scheduledTo) return undefined
  const isMoved = +from !== +scheduledFrom
  const isResized = +to - +from !== +scheduledTo - +scheduledFrom
  return isMoved || isResized ? { scheduleId, index, from, to, isMoved, isResized } : undefined
}

function visitNotes({ from, to, isMoved, isResized }: NonNullable<ReturnType<typeof visitChange>>): Note[] {
  const data = { from: from.toISOString(), to: to.toISOString() }
  return [
    ...(isMoved ? [{ event: 'occurrenceMoved', data } as const] : []),
    ...(isResized ? [{ event: 'occurrenceResized', data } as const] : []),
  ]
}

function scheduleNotes(before: Before | null, { scheduledFrom, scheduledTo }: Facts): Note[] {
  const was = before?.scheduledFrom ?? null
  if (!scheduledFrom || !scheduledTo) return was ? [{ event: 'unscheduled', data: {} }] : []
  const isSame = was?.getTime() === scheduledFrom.getTime() && before?.scheduledTo?.getTime() === scheduledTo.getTime()
  if (isSame) return []
  const data = { from: scheduledFrom.toISOString(), to: scheduledTo.toISOString() }
  return [was ? { event: 'rescheduled', data } : { event: 'scheduled', data }]
}
