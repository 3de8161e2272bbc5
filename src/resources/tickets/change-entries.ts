// What a change of a job puts on its timeline.
import type { TimelineEntry } from '../../domain/timeline.ts'
import type { TicketFacts, TicketReferences } from './facts.ts'
import type { LockedTicket } from './locked-ticket.ts'
import type { TicketBody } from './record.ts'

export function changeEntries(
  before: LockedTicket,
  references: TicketReferences,
  body: TicketBody,
  facts: TicketFacts,
): TimelineEntry[] {
  const entries: TimelineEntry[] = []
  if (references.status !== undefined)
    entries.push({ event: 'statusChanged', data: { from: before.statusName, to: references.status } })
  if (references.assignedTechnician !== undefined) {
    entries.push({
      event: 'assigneeChanged',
      data: { from: before.technicianName || null, to: facts.technician?.name ?? null },
    })
  }
  if (references.stationId !== undefined) {
    entries.push({ event: 'stationChanged', data: { from: before.stationName, to: facts.station?.name ?? null } })
  }
  if (references.deviceId) entries.push({ event: 'deviceLinked', data: { name: facts.device!.name } })
  if (body.deviceId === null && before.deviceId)
    entries.push({ event: 'deviceUnlinked', data: { name: before.deviceName } })
  return entries
}

/** How a person changed the times of a visit. */
export function visitChange(before: LockedTicket, { scheduledFrom: from, scheduledTo: to }: TicketFacts) {
  const { recurringScheduleId: scheduleId, occurrenceIndex: index, scheduledFrom, scheduledTo } = before
  if (scheduleId === null || index === null || !from || !to || !scheduledFrom || !scheduledTo) return undefined
  const isMoved = +from !== +scheduledFrom
  const isResized = +to - +from !== +scheduledTo - +scheduledFrom
  return isMoved || isResized ? { scheduleId, index, from, to, isMoved, isResized } : undefined
}

export function visitEntries({
  from,
  to,
  isMoved,
  isResized,
}: NonNullable<ReturnType<typeof visitChange>>): TimelineEntry[] {
  const data = { from: from.toISOString(), to: to.toISOString() }
  return [
    ...(isMoved ? [{ event: 'occurrenceMoved', data } as const] : []),
    ...(isResized ? [{ event: 'occurrenceResized', data } as const] : []),
  ]
}

export function scheduleEntries(
  before: LockedTicket | null,
  { scheduledFrom, scheduledTo }: TicketFacts,
): TimelineEntry[] {
  const previousFrom = before?.scheduledFrom ?? null
  if (!scheduledFrom || !scheduledTo) return previousFrom ? [{ event: 'unscheduled', data: {} }] : []
  const isSame =
    previousFrom?.getTime() === scheduledFrom.getTime() && before?.scheduledTo?.getTime() === scheduledTo.getTime()
  if (isSame) return []
  const data = { from: scheduledFrom.toISOString(), to: scheduledTo.toISOString() }
  return [previousFrom ? { event: 'rescheduled', data } : { event: 'scheduled', data }]
}
