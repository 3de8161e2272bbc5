// A job as it is stored and answered.
import type { Static } from 'typebox'
import { changes, isEmptied, isFilled, isSet } from '../../domain/signals.ts'
import { dateTime, email, id, integer, nullable, oneOf, optional, text } from '../../operations/fields.ts'
import { t } from '../../operations/schemas.ts'
import { table } from '../../operations/table.ts'
import { externalFields } from '../external-ids.ts'
import { discount } from './discount-record.ts'
import { signatureExtension } from './signature-record.ts'

const count = integer(0, 1_000_000, { examples: [0] })

export const ticketDefinition = {
  name: 'tickets',
  noun: 'job',
  typeName: 'Ticket',
  prefix: 'tkt',
  writable: {
    customerId: optional(id()),
    customerName: optional(text(200, { examples: ['Amara Okafor'], description: "The customer's name if left out." })),
    customerEmail: optional(email({ examples: ['amara@okafor-bakery.example'] })),
    serviceRequired: optional(text(500, { examples: ['Oven does not heat'], description: "The job's title." })),
    description: optional(text(10_000)),
    status: t.Optional(text(60, { examples: ['Open'], description: 'The exact name of a job status.' })),
    assignedTechnician: optional(id({ description: 'An active member.' })),
    deviceId: optional(id({ description: 'A device of the customer.' })),
    customerDeviceType: optional(
      text(100, { examples: ['Oven'], description: 'Follows the device, if there is one.' }),
    ),
    customerDeviceName: optional(text(120, { description: 'Follows the device, if there is one.' })),
    stationId: optional(id()),
    priority: oneOf(['low', 'normal', 'high', 'urgent'], { default: 'normal', examples: ['normal'] }),
    address: optional(text(500, { description: "The customer's if left out." })),
    scheduledFrom: optional(dateTime()),
    scheduledTo: optional(dateTime()),
    scheduledAllDay: t.Boolean({ default: false, examples: [false] }),
    ...externalFields,
  },
  readOnly: {
    ticketNumber: integer(1, 2_147_483_647, { examples: [42] }),
    statusId: id(),
    calendarEventId: nullable(id()),
    openStartFormCount: count,
    openCompletionFormCount: count,
    openInvoiceFormCount: count,
    recurringScheduleId: nullable(id()),
    occurrenceIndex: nullable(integer(0, 1_000_000)),
    closedAt: nullable(dateTime()),
  },
  read: {
    status:
      '(select name from ticket_statuses where ticket_statuses.org_id = tickets.org_id and ticket_statuses.id = status_id)',
  },
  write: { status: 'status_id' },
  event: {
    signals: {
      status_changed: changes('statusId'),
      scheduled: isSet('scheduledFrom', 'scheduledTo'),
      closed: isFilled('closedAt'),
      reopened: isEmptied('closedAt'),
    },
    apart: { discount: nullable(discount) },
    extensions: [signatureExtension],
  },
  order: { column: 'created_at', type: 'timestamptz', direction: 'desc' },
} as const

export const tickets = table(ticketDefinition)

/** A job as a caller writes it; a change leaves out what stays. */
export type TicketBody = {
  readonly [Field in keyof typeof ticketDefinition.writable]?:
    | Static<(typeof ticketDefinition.writable)[Field]>
    | undefined
}
