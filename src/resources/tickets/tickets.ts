// Jobs (tickets, in the addresses): the work itself, from the first call to the closed job.
import { Type as t } from 'typebox'
import { type Sql, sql } from '../../db/database.ts'
import { isBlockedByForms } from '../../domain/gates.ts'
import { dateTime, id, oneOf, text } from '../../operations/fields.ts'
import { deletionMessage, operation, resource } from '../../operations/operation.ts'
import { entity } from '../../operations/scopes.ts'
import { paging } from '../../operations/table.ts'
import { allOf, changedAfter } from '../filters.ts'
import { formGateCreate, formGateDeleteTicket, formGateTransition } from '../forms/gate-conflicts.ts'
import { discountOperations } from './discount.ts'
import { inventoryLineOperations, inventoryLines, serviceLineOperations, serviceLines } from './lines.ts'
import { lockTicket } from './locked-ticket.ts'
import { include, ticketList, ticketRecord, tickets, ticketsWith } from './record.ts'
import { signatureOperations } from './signature.ts'
import { totalsOperation } from './totals.ts'
import { createTicket, updateTicket } from './write-ticket.ts'

const filters = {
  status: t.Optional(
    oneOf(['Open', 'In Progress', 'Closed'], { description: 'A built-in status; statusId takes any.' }),
  ),
  statusId: t.Optional(id()),
  customerId: t.Optional(id()),
  assignedTechnician: t.Optional(id()),
  stationId: t.Optional(id()),
  deviceId: t.Optional(id()),
  updatedAfter: t.Optional(dateTime({ description: 'Jobs that changed after this moment.' })),
}

const ticketEntity = entity('tickets', {
  title: 'Jobs',
  description: 'The work itself (a ticket, in the addresses), with its lines, discount, totals and signature.',
  scopeObject: 'jobs with their lines, discounts and signatures',
})

const parts = [{ typeName: 'TicketIncluding', prefix: tickets.prefix }]

export default resource({ entity: ticketEntity, tables: [tickets, serviceLines, inventoryLines], parts }, [
  operation('GET /tickets', {
    name: 'listTickets',
    summary: 'List jobs, newest first',
    mcp: {
      advice:
        "A job is called a ticket here. For a status of the organisation's own give statusId, from list_ticket_statuses (read_operation).",
    },
    mayNeed: ['customers:read', 'devices:read'],
    query: t.Object({ ...paging, ...filters, include }),
    returns: ticketList,
    run: ({ query: { limit, startAfter, include, ...filters } }, ctx) => ({
      ...ticketsWith(ctx, include).page(ctx, { limit, startAfter }, { where: filterCondition(ctx.orgId, filters) }),
      connection: filters.updatedAfter || include ? 'custom-plan' : undefined,
    }),
  }),

  operation('POST /tickets', {
    name: 'createTicket',
    summary: 'Create a job',
    mcp: { advice: 'Needs the customer. scheduledFrom and scheduledTo book it into the calendar at once.' },
    body: tickets.createBody,
    status: 201,
    returns: tickets.record,
    conflicts: [formGateCreate],
    transaction: true,
    async run({ body }, ctx) {
      return createTicket(ctx, body)
    },
  }),

  operation('GET /tickets/:ticketId', {
    name: 'getTicket',
    summary: 'Read a job',
    mcp: { advice: 'With include, also its customer, device or lines.' },
    mayNeed: ['customers:read', 'devices:read'],
    query: t.Object({ include }),
    returns: ticketRecord,
    run: ({ params: { ticketId }, query: { include } }, ctx) => ticketsWith(ctx, include).find(ctx, ticketId),
  }),

  operation('PUT /tickets/:ticketId', {
    name: 'updateTicket',
    summary: 'Change a job',
    mcp: { advice: 'Send only the fields that change; a new scheduledFrom and scheduledTo move its calendar event.' },
    body: tickets.updateBody,
    returns: tickets.record,
    conflicts: [formGateTransition],
    transaction: true,
    async run({ params: { ticketId }, body }, ctx) {
      return updateTicket(ctx, ticketId, body)
    },
  }),

  operation('DELETE /tickets/:ticketId', {
    name: 'deleteTicket',
    summary: 'Delete a job with its lines, messages and calendar event; parts go back into stock',
    returns: deletionMessage,
    conflicts: [formGateDeleteTicket],
    transaction: true,
    async run({ params: { ticketId } }, ctx) {
      const ticket = await lockTicket(ctx, ticketId)
      if (isBlockedByForms(ticket)) throw formGateDeleteTicket()
      return ctx.query(tickets.remove(ctx, ticketId))
    },
  }),

  operation('PUT /tickets/:ticketId/status', {
    name: 'setTicketStatus',
    summary: 'Move a job to another status',
    mcp: { advice: 'Its name is one of list_ticket_statuses (read_operation).' },
    body: t.Object({ status: text(60, { examples: ['In Progress'] }) }, { title: 'TicketStatusChange' }),
    returns: tickets.record,
    conflicts: [formGateTransition],
    transaction: true,
    async run({ params: { ticketId }, body: { status } }, ctx) {
      return updateTicket(ctx, ticketId, { status })
    },
  }),

  ...serviceLineOperations,
  ...inventoryLineOperations,
  ...discountOperations,
  totalsOperation,
  ...signatureOperations,
])

interface Filters {
  readonly status?: string
  readonly statusId?: string
  readonly customerId?: string
  readonly assignedTechnician?: string
  readonly stationId?: string
  readonly deviceId?: string
  readonly updatedAfter?: string
}

function filterCondition(orgId: string, filters: Filters): Sql | undefined {
  const { status, statusId, customerId, assignedTechnician, stationId, deviceId, updatedAfter } = filters
  return allOf(
    status && sql`tickets.status_id = (select id from ticket_statuses where org_id = ${orgId} and name = ${status})`,
    statusId && sql`tickets.status_id = ${statusId}`,
    customerId && sql`tickets.customer_id = ${customerId}`,
    assignedTechnician && sql`tickets.assigned_technician = ${assignedTechnician}`,
    stationId && sql`tickets.station_id = ${stationId}`,
    deviceId && sql`tickets.device_id = ${deviceId}`,
    updatedAfter && changedAfter('tickets', updatedAfter),
  )
}
