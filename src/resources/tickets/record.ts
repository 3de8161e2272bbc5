// A job as it is stored and answered, alone or with the records that belong to it.
import { type Static, type TProperties, type TSchema, Type as t } from 'typebox'
import { dateTime, email, id, integer, nullable, oneOf, optional, text } from '../../operations/fields.ts'
import type { Context } from '../../operations/operation.ts'
import type { Scope } from '../../operations/scopes.ts'
import { table } from '../../operations/table.ts'
import { customers } from '../customers.ts'
import { devices } from '../devices.ts'
import { inventoryLines, serviceLines } from './line-tables.ts'

const count = integer(0, 1_000_000, { examples: [0] })

const definition = {
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
  order: { column: 'created_at', type: 'timestamptz', direction: 'desc' },
} as const

export const tickets = table(definition)

/** A job as a caller writes it; a change leaves out what stays. */
export type TicketBody = {
  readonly [Field in keyof typeof definition.writable]?: Static<(typeof definition.writable)[Field]> | undefined
}

/** What `include` can add to a job: the scope that reads it, its schema, and the SQL that brings it along. */
const includable: Readonly<Record<string, { schema: TSchema; read: string; needs: Scope }>> = {
  customer: {
    needs: 'customers:read',
    schema: nullable(customers.record),
    read: `(select ${customers.embeddedJson} from customers where customers.org_id = tickets.org_id and customers.id = tickets.customer_id)`,
  },
  device: {
    needs: 'devices:read',
    schema: nullable(devices.record),
    read: `(select ${devices.embeddedJson} from devices where devices.org_id = tickets.org_id and devices.id = tickets.device_id)`,
  },
  lines: {
    needs: 'tickets:read',
    schema: t.Object(
      { services: t.Array(serviceLines.record), inventory: t.Array(inventoryLines.record) },
      { title: 'TicketLines' },
    ),
    read: `json_build_object('services', ${linesJson('service_lines', serviceLines.embeddedJson)}, 'inventory', ${linesJson('inventory_lines', inventoryLines.embeddedJson)})`,
  },
}

function linesJson(name: string, json: string): string {
  return `(select coalesce(json_agg(${json} order by ${name}.created_at, ${name}.id), '[]') from ${name}
    where ${name}.org_id = tickets.org_id and ${name}.ticket_id = tickets.id)`
}

const additionNames = Object.keys(includable)

export const include = t.Optional(
  t.String({
    maxLength: 60,
    pattern: `^(${additionNames.join('|')})(,(${additionNames.join('|')}))*$`,
    examples: ['customer,lines'],
    description: `What to send along: ${additionNames.join(', ')}, separated by commas.`,
  }),
)

const included = Object.fromEntries(
  additionNames.map((name) => [name, t.Optional(includable[name]!.schema)]),
) as TProperties

export const ticketRecord = t.Object({ ...tickets.record.properties, ...included }, { title: 'TicketIncluding' })
export const ticketList = t.Object(
  { tickets: t.Array(ticketRecord), pagination: tickets.list.properties.pagination! },
  { title: 'TicketList' },
)

const variants = new Map<string, typeof tickets>()

/** The table of jobs that sends those records along; there are eight, each made when first asked for. */
export function ticketsWith(ctx: Context, requested: string | undefined): typeof tickets {
  if (!requested) return tickets
  const requestedNames = additionNames.filter((name) => requested.split(',').includes(name))
  for (const name of requestedNames) ctx.require(includable[name]!.needs)
  const key = requestedNames.join()
  const cached = variants.get(key)
  if (cached) return cached
  const schemas = Object.fromEntries(requestedNames.map((name) => [name, includable[name]!.schema]))
  const reads = Object.fromEntries(requestedNames.map((name) => [name, includable[name]!.read]))
  const variant = table({
    ...definition,
    readOnly: { ...definition.readOnly, ...schemas },
    read: { ...definition.read, ...reads },
  }) as typeof tickets
  variants.set(key, variant)
  return variant
}
