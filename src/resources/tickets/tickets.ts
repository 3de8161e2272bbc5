// Jobs (tickets, in the addresses): the work itself, from the first call to the closed job.
import { isBlockedByForms } from '../../domain/gates.ts'
import { text } from '../../operations/fields.ts'
import { deletionMessage, operation, resource } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { entity } from '../../operations/scopes.ts'
import { paging } from '../../operations/table.ts'
import { externalIdTaken } from '../external-ids.ts'
import { formGateCreate, formGateDeleteTicket, formGateTransition } from '../forms/gate-conflicts.ts'
import { discountOperations } from './discount.ts'
import { customerBeingDeleted } from './facts.ts'
import { ticketFilters, visitCondition, visitWindow } from './filters.ts'
import { include, ticketList, ticketRecord, ticketsWith } from './include.ts'
import { inventoryLines, serviceLines } from './line-tables.ts'
import { inventoryLineOperations, serviceLineOperations } from './lines.ts'
import { lockTicket } from './locked-ticket.ts'
import { tickets } from './record.ts'
import { signatureOperations } from './signature.ts'
import { totalsOperation } from './totals.ts'
import { createTicket, updateTicket } from './write-ticket.ts'

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
    query: t.Object({ ...paging, ...ticketFilters.query, ...visitWindow, include }),
    returns: ticketList,
    run: ({ query: { include, scheduledFrom, scheduledTo, ...query } }, ctx) =>
      ticketFilters.page(ticketsWith(ctx, include), ctx, query, {
        where: visitCondition(ctx, scheduledFrom, scheduledTo),
        connection: include || scheduledFrom || scheduledTo ? 'custom-plan' : undefined,
      }),
  }),

  operation('POST /tickets', {
    name: 'createTicket',
    summary: 'Create a job',
    mcp: { advice: 'Needs the customer. scheduledFrom and scheduledTo book it into the calendar at once.' },
    body: tickets.createBody,
    status: 201,
    returns: tickets.record,
    conflicts: [formGateCreate, customerBeingDeleted, externalIdTaken],
    transaction: true,
    run: async ({ body }, ctx) =>
      (await createTicket(ctx, body, { source: ctx.caller.kind === 'member' ? 'app' : 'api' })).json,
  }),

  operation('GET /tickets/:ticketId', {
    name: 'getTicket',
    summary: 'Read a job',
    mcp: { advice: 'With include, also its customer, device or lines.' },
    mayNeed: ['customers:read', 'devices:read'],
    query: t.Object({ include }),
    returns: ticketRecord,
    lock: ({ ticketId }, ctx) => ctx.query(tickets.lock(ctx, ticketId)),
    run: ({ params: { ticketId }, query: { include } }, ctx) => ticketsWith(ctx, include).find(ctx, ticketId),
  }),

  operation('PUT /tickets/:ticketId', {
    name: 'updateTicket',
    summary: 'Change a job',
    mcp: { advice: 'Send only the fields that change; a new scheduledFrom and scheduledTo move its calendar event.' },
    body: tickets.updateBody,
    returns: tickets.record,
    conflicts: [formGateTransition, customerBeingDeleted, externalIdTaken],
    transaction: true,
    run: ({ params: { ticketId }, body }, ctx) => updateTicket(ctx, ticketId, body),
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
    run: ({ params: { ticketId }, body: { status } }, ctx) => updateTicket(ctx, ticketId, { status }),
  }),

  ...serviceLineOperations,
  ...inventoryLineOperations,
  ...discountOperations,
  totalsOperation,
  ...signatureOperations,
])
