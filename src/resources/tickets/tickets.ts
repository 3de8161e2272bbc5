// Jobs (tickets, in the addresses): the work itself, from the first call to the closed job.
import { Type as t } from 'typebox'
import { type Sql, sql } from '../../db/database.ts'
import { isBlockedByForms } from '../../domain/gates.ts'
import { conflict } from '../../operations/errors.ts'
import { dateTime, id, oneOf, text } from '../../operations/fields.ts'
import { deletionMessage, operation, resource } from '../../operations/operation.ts'
import { paging } from '../../operations/table.ts'
import { allOf, changedAfter } from '../filters.ts'
import { discountOperations } from './discount.ts'
import { inventoryLineOperations, serviceLineOperations } from './lines.ts'
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

export default resource('tickets', [
  operation('GET /tickets', {
    name: 'listTickets',
    summary: 'List jobs, newest first',
    mayNeed: ['customers:read', 'devices:read'],
    query: t.Object({ ...paging, ...filters, include }),
    returns: ticketList,
    run: ({ query: { limit, startAfter, include, ...filters } }, ctx) => ({
      ...ticketsWith(ctx, include).page(ctx, { limit, startAfter }, filterCondition(ctx.orgId, filters)),
      connection: filters.updatedAfter || include ? 'custom-plan' : undefined,
    }),
  }),

  operation('POST /tickets', {
    name: 'createTicket',
    summary: 'Create a job',
    body: tickets.createBody,
    status: 201,
    returns: tickets.record,
    conflicts: ['FORM_GATE_CREATE'],
    transaction: true,
    run: async ({ body }, ctx) => (await createTicket(ctx, body)).json,
  }),

  operation('GET /tickets/:ticketId', {
    name: 'getTicket',
    summary: 'Read a job',
    mayNeed: ['customers:read', 'devices:read'],
    query: t.Object({ include }),
    returns: ticketRecord,
    run: ({ params: { ticketId }, query: { include } }, ctx) => ticketsWith(ctx, include).find(ctx, ticketId),
  }),

  operation('PUT /tickets/:ticketId', {
    name: 'updateTicket',
    summary: 'Change a job',
    body: tickets.updateBody,
    returns: tickets.record,
    conflicts: ['FORM_GATE_TRANSITION'],
    transaction: true,
    run: ({ params: { ticketId }, body }, ctx) => updateTicket(ctx, ticketId, body),
  }),

  operation('DELETE /tickets/:ticketId', {
    name: 'deleteTicket',
    summary: 'Delete a job with its lines, messages and calendar event; parts go back into stock',
    returns: deletionMessage,
    conflicts: ['FORM_GATE_DELETE'],
    transaction: true,
    async run({ params: { ticketId } }, ctx) {
      const ticket = await lockTicket(ctx, ticketId)
      if (isBlockedByForms(ticket)) throw conflict('FORM_GATE_DELETE', undefined)
      return ctx.query(tickets.remove(ctx, ticketId))
    },
  }),

  operation('PUT /tickets/:ticketId/status', {
    name: 'setTicketStatus',
    summary: 'Move a job to another status',
    body: t.Object({ status: text(60, { examples: ['In Progress'] }) }, { title: 'TicketStatusChange' }),
    returns: tickets.record,
    conflicts: ['FORM_GATE_TRANSITION'],
    transaction: true,
    run: ({ params: { ticketId }, body: { status } }, ctx) => updateTicket(ctx, ticketId, { status }),
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
