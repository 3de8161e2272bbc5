// Writing a job: what it copies from the records it refers to, its schedule, its timeline, its gates.
import { sql } from '../../db/database.ts'
import { gatesOfNewJob } from '../../domain/forms.ts'
import { blockingGate, isBeyondGate, type OpenForms, type Stage } from '../../domain/gates.ts'
import type { Json } from '../../operations/answers.ts'
import { badRequest } from '../../operations/errors.ts'
import { newId } from '../../operations/ids.ts'
import type { Context } from '../../operations/operation.ts'
import { applyRules, selectOutstandingForms } from '../forms/apply-rules.ts'
import { actorOf } from '../forms/audit-trail.ts'
import { formGateCreate, formGateTransition } from '../forms/gate-conflicts.ts'
import { updateVisitTimes } from '../recurring/visit-times.ts'
import { changeEntries, scheduleEntries, visitChange, visitEntries } from './change-entries.ts'
import {
  refuseHalfSchedule,
  refuseWrongReferences,
  selectTicketFacts,
  type TicketFacts,
  type TicketReferences,
} from './facts.ts'
import { type LockedTicket, lockTicket, selectTicket } from './locked-ticket.ts'
import { refuseAssigningAnother } from './own-jobs.ts'
import { type TicketBody, tickets } from './record.ts'
import { deleteEvent, eventTitle, insertEvent, newEventId, updateEvent, type VisitRef } from './schedule.ts'
import { addTimelineEntries } from './timeline.ts'

/** Who makes a job: a caller, people in the app, or a recurring schedule for one of its visits. */
export type TicketOrigin =
  | { readonly source: 'api' | 'app'; readonly visit?: undefined; readonly brought?: BroughtTicket }
  | { readonly source: 'schedule'; readonly visit: VisitRef; readonly brought?: undefined }

/** A job from another system has been there for a while, and is known before it is written. */
interface BroughtTicket {
  readonly id: string
  readonly createdAt?: string | undefined
  readonly closedAt?: string | undefined
}

export async function createTicket(
  ctx: Context,
  body: TicketBody,
  { source, visit, brought }: TicketOrigin = { source: 'api' },
): Promise<{ id: string; json: Json }> {
  if (!body.customerId && !body.customerName) throw badRequest('customerId or customerName is required')
  refuseAssigningAnother(ctx, body.assignedTechnician)
  refuseHalfSchedule(body.scheduledFrom, body.scheduledTo)
  const facts = await ctx.query(selectTicketFacts(ctx, body))
  refuseWrongReferences(body, facts, body.customerId ?? null)
  if (!facts.status) throw badRequest('status is required: the organisation has no open status to begin in')

  const id = brought?.id ?? newId('tkt')
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
  const columns = {
    id,
    ticket_number: sql`take_ticket_number(${ctx.orgId})`,
    calendar_event_id: eventId,
    recurring_schedule_id: visit?.scheduleId,
    occurrence_index: visit?.index,
    closed_at: facts.status.stage === 'closed' ? (brought?.closedAt ?? sql`now()`) : null,
    ...(brought?.createdAt !== undefined && { created_at: brought.createdAt }),
  }
  const { json, row } = await ctx.query(tickets.withRow(ctx, tickets.insert(ctx, values, { columns })))
  if (eventId) {
    const { ticketNumber } = row
    await ctx.query(insertEvent(ctx, { ...eventOf({ ...values, ticketNumber }, id, eventId), visit }))
  }
  await ctx.query(
    addTimelineEntries(ctx, id, [{ event: 'jobCreated', data: { source } }, ...scheduleEntries(null, facts)]),
  )
  const haveFormsChanged = facts.rules.length > 0 && (await applyRules(ctx, actorOf(ctx), id))
  return { id, json: haveFormsChanged ? await ctx.query(tickets.find(ctx, id)) : json }
}

/** A job without lines yet, as rules see it. */
function refuseBeyondGate({ status, device, rules }: TicketFacts, deviceType: string | null): void {
  const job = { serviceIds: [], deviceType, assetCategoryId: device?.categoryId ?? null, recurringScheduleId: null }
  if (isBeyondGate(status!.stage, gatesOfNewJob(job, rules))) throw formGateCreate({ status: status!.name })
}

/** To write the times of a visit is to move it, unless its schedule does so itself. */
export async function updateTicket(
  ctx: Context,
  id: string,
  body: TicketBody,
  { bySchedule = false } = {},
): Promise<Json> {
  const before = await lockTicket(ctx, id)
  const references = changedReferences(before, body)
  refuseAssigningAnother(ctx, references.assignedTechnician)
  refuseHalfSchedule(references.scheduledFrom, references.scheduledTo)
  const facts = await ctx.query(selectTicketFacts(ctx, references))
  const customerId = body.customerId === undefined ? before.customerId : body.customerId
  const deviceId = body.deviceId === undefined ? before.deviceId : body.deviceId
  refuseWrongReferences(references, facts, customerId)
  if (deviceId && deviceId === before.deviceId && customerId !== before.customerId) {
    throw badRequest('deviceId does not belong to this customer')
  }
  if (before.recurringScheduleId && before.scheduledFrom && !facts.scheduledFrom) {
    throw badRequest('scheduledFrom of a recurring visit cannot be cleared; skip the visit instead')
  }
  const status = references.status === undefined ? null : facts.status!
  // Another device may need other forms: the move is judged by those the job has in the end.
  const { customerDeviceType = before.deviceType } = body
  const hasOtherType = !deviceId && customerDeviceType !== before.deviceType
  const hasOtherDevice = references.deviceId !== undefined || hasOtherType
  if (status && !hasOtherDevice) await refuseClosedGate(ctx, id, status.stage, before)

  const { customerDeviceType: _type, customerDeviceName: _name, ...rest } = body
  const eventId = facts.scheduledFrom && (before.calendarEventId ?? newEventId())
  const values = {
    ...(references.customerId ? customerCopies(facts) : {}),
    ...(deviceId ? rest : body),
    ...(references.deviceId ? deviceCopies(references.deviceId, facts) : {}),
    ...(status ? { status: status.id } : {}),
    scheduledFrom: facts.scheduledFrom,
    scheduledTo: facts.scheduledTo,
  }
  if (!status) delete (values as { status?: string }).status
  const columns = { calendar_event_id: eventId, ...(status && { closed_at: closedAt(status.stage) }) }
  const ticket = await ctx.query(tickets.update(ctx, id, values, { columns }))

  const after = { ...before, ...body, scheduledFrom: facts.scheduledFrom, scheduledTo: facts.scheduledTo }
  if (eventId && before.calendarEventId) await ctx.query(updateEvent(ctx, eventOf(after, id, eventId)))
  else if (eventId) await ctx.query(insertEvent(ctx, eventOf(after, id, eventId)))
  else if (before.calendarEventId) await ctx.query(deleteEvent(ctx, before.calendarEventId))
  const change = bySchedule ? undefined : visitChange(before, facts)
  if (change) await ctx.query(updateVisitTimes(ctx, change))
  const entries = [
    ...changeEntries(before, references, body, facts),
    ...(change ? visitEntries(change) : scheduleEntries(before, facts)),
  ]
  if (entries.length > 0) await ctx.query(addTimelineEntries(ctx, id, entries))
  if (!hasOtherDevice) return ticket
  const haveFormsChanged = await applyRules(ctx, actorOf(ctx), id)
  if (status) await refuseClosedGate(ctx, id, status.stage, await ctx.query(selectTicket(ctx, id)))
  return haveFormsChanged ? ctx.query(tickets.find(ctx, id)) : ticket
}

/** A reference is judged only when it changes; the schedule always as a whole. */
function changedReferences(before: LockedTicket, body: TicketBody): TicketReferences {
  const ifChanged = <T>(value: T | undefined, previous: T) => (value === previous ? undefined : value)
  const from = body.scheduledFrom === undefined ? (before.scheduledFrom?.toISOString() ?? null) : body.scheduledFrom
  const to = body.scheduledTo === undefined ? (before.scheduledTo?.toISOString() ?? null) : body.scheduledTo
  return {
    customerId: ifChanged(body.customerId, before.customerId),
    deviceId: ifChanged(body.deviceId, before.deviceId),
    assignedTechnician: ifChanged(body.assignedTechnician, before.assignedTechnician),
    stationId: ifChanged(body.stationId, before.stationId),
    status: ifChanged(body.status, before.statusName),
    scheduledFrom: from,
    scheduledTo: to,
    scheduledAllDay: body.scheduledAllDay ?? before.scheduledAllDay,
  }
}

async function refuseClosedGate(ctx: Context, ticketId: string, stage: Stage, forms: OpenForms): Promise<void> {
  const blocking = blockingGate(stage, forms)
  if (!blocking) return
  const submissionIds = await ctx.query(selectOutstandingForms(ctx, ticketId, blocking.gate))
  throw formGateTransition({ ...blocking, submissionIds })
}

/** Reopened jobs are not closed; moving between closed statuses does not change when a job was. */
const closedAt = (stage: Stage) => (stage === 'closed' ? sql`least(closed_at, now())` : null)

/** A job that goes to another customer takes that one's name and address, unless the body says otherwise. */
const customerCopies = ({ customer }: TicketFacts) => ({
  customerName: customer!.name.slice(0, 200),
  customerEmail: customer!.email,
  address: customer!.address,
})

const deviceCopies = (deviceId: string | null | undefined, { device }: TicketFacts) =>
  deviceId ? { customerDeviceType: device!.type, customerDeviceName: device!.name } : {}

function eventOf(ticket: ScheduledTicket, ticketId: string, eventId: string) {
  const { ticketNumber, serviceRequired = null, assignedTechnician = null, scheduledAllDay = false } = ticket
  return {
    eventId,
    ticketId,
    title: eventTitle(ticketNumber, serviceRequired),
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
