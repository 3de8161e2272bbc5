// Job statuses: the stages a job goes through, those built in and those an organisation adds.
import { sql } from '../db/database.ts'
import { type Stage, stages } from '../domain/gates.ts'
import { create, read } from '../operations/crud.ts'
import { badRequest, conflictCode, notFound } from '../operations/errors.ts'
import { integer, oneOf, text } from '../operations/fields.ts'
import { type Context, deletionMessage, operation, resource, statement } from '../operations/operation.ts'
import { t } from '../operations/schemas.ts'
import { entity } from '../operations/scopes.ts'
import { maxIndex, table } from '../operations/table.ts'
import { maxUnpaged } from '../operations/table-lists.ts'
import { formGateRestage } from './forms/gate-conflicts.ts'
import { lockOrganisation } from './organisation.ts'
import { refuseGatedRestage, restageTickets } from './tickets/status-tickets.ts'

export const ticketStatuses = table({
  name: 'ticket_statuses',
  noun: 'job status',
  typeName: 'TicketStatus',
  prefix: 'sts',
  writable: {
    name: text(60, { examples: ['Waiting for parts'] }),
    color: integer(0, 0xffff_ffff, { default: 4_288_585_374, description: 'ARGB as one number.' }),
    index: t.Optional(
      integer(0, maxIndex, { examples: [3], description: 'Its place in the list; a new one goes to the end.' }),
    ),
    stage: oneOf(stages, { default: 'open', description: 'What it means for a job; closed jobs are not active.' }),
  },
  readOnly: { type: oneOf(['default', 'custom'], { examples: ['custom'], description: '`default` is built in.' }) },
  order: { column: 'index', type: 'integer', direction: 'asc' },
  maxRecords: { count: maxUnpaged, plural: 'ticket statuses' },
})

const lastStatus = conflictCode('LAST_STATUS', 'An organisation needs at least one job status.')
const statusInUse = conflictCode('STATUS_IN_USE', 'A job still has this status.')

const ticketStatusEntity = entity('ticket-statuses', {
  title: 'Job statuses',
  description: 'The stages a job goes through: the built-in ones and those an organisation adds.',
  scopeObject: 'job statuses',
})

export default resource({ entity: ticketStatusEntity, tables: [ticketStatuses] }, [
  operation('GET /ticket-statuses', {
    name: 'listTicketStatuses',
    summary: 'List all job statuses in their order',
    returns: ticketStatuses.list,
    run: (_, ctx) => ticketStatuses.all(ctx),
  }),

  create('/ticket-statuses', ticketStatuses), // the column's default makes it custom
  {
    ...read('/ticket-statuses/:statusId', ticketStatuses),
    async lock({ statusId = '' }, ctx) {
      await ctx.query(lockOrganisation(ctx))
      await ctx.query(ticketStatuses.lock(ctx, statusId))
    },
  },

  operation('PUT /ticket-statuses/:statusId', {
    name: 'updateTicketStatus',
    summary: 'Change a job status; a built-in one keeps its name and stage',
    body: ticketStatuses.updateBody,
    returns: ticketStatuses.record,
    conflicts: [formGateRestage],
    transaction: true,
    async run({ params: { statusId }, body }, ctx) {
      const change = ticketStatuses.update(ctx, statusId, body)
      const status = await ctx.query(lockStatus(ctx, statusId))
      for (const field of ['name', 'stage'] as const) {
        if (status.isBuiltIn && (body[field] ?? status[field]) !== status[field]) {
          throw badRequest(`${field} of a built-in status cannot be changed`)
        }
      }
      const stage = body.stage && body.stage !== status.stage ? body.stage : undefined
      if (stage) await refuseGatedRestage(ctx, statusId, stage)
      const changed = await ctx.query(change)
      if (stage) await ctx.query(restageTickets(ctx, statusId, stage))
      return changed
    },
  }),

  operation('DELETE /ticket-statuses/:statusId', {
    name: 'deleteTicketStatus',
    summary: 'Delete a job status that no job has',
    returns: deletionMessage,
    conflicts: [lastStatus, statusInUse],
    transaction: true,
    async run({ params: { statusId } }, ctx) {
      await ctx.query(lockOrganisation(ctx)) // or two could each leave the other's to be the last one
      const { isBuiltIn, isLast, isUsed } = await ctx.query(lockStatus(ctx, statusId))
      if (isBuiltIn) throw badRequest('A built-in status cannot be deleted')
      if (isLast) throw lastStatus()
      if (isUsed) throw statusInUse()
      return ctx.query(ticketStatuses.remove(ctx, statusId))
    },
  }),
])

interface LockedStatus {
  readonly name: string
  readonly stage: Stage
  readonly isBuiltIn: boolean
  readonly isLast: boolean
  readonly isUsed: boolean
}

const lockStatus = ({ orgId }: Context, statusId: string) =>
  statement(
    sql`select name, stage, type = 'default' as "isBuiltIn",
          not exists (select from ticket_statuses where org_id = ${orgId} and id <> ${statusId}) as "isLast",
          exists (select from tickets where org_id = ${orgId} and status_id = ${statusId}) as "isUsed"
        from ticket_statuses where org_id = ${orgId} and id = ${statusId} for update`,
    ([status]: LockedStatus[]) => {
      if (!status) throw notFound(ticketStatuses.noun)
      return status
    },
  )
